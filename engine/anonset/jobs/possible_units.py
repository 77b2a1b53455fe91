"""Possible units of privacy (rows or columns that identify a person), each with a proposal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table_facts import CUT
from anonset.jobs.proposal_trial import MOST_WITHOUT_ID, Proposal, ProposalReader, are_buckets, try_hierarchies
from anonset.reading.persons.header_words import NAMED
from anonset.reading.persons.unit_candidate import AGREEING, KEY, UnitCandidate
from anonset.reading.roles import names_in
from anonset.reading.source import Source
from anonset.settings.binding import HierarchySpec
from anonset.spelling import setting

_OF_ROWS = ("case id", AGREEING, KEY)
"""Kinds of columns that identify rows instead of persons if all values of the column are distinct."""
_MOST_ANSWERS = 4
_MOSTLY_DISTINCT = 0.8
"""Minimum share of distinct names for equal names to count as different persons."""


@dataclass(frozen=True)
class PossibleUnits(RedactedRepr):
    """Columns that may identify the person, and the proposals that follow from them."""

    source: Source
    reader: ProposalReader
    candidates: Sequence[UnitCandidate]
    hierarchies: Mapping[str, HierarchySpec]
    problems: Sequence[str]
    """Problems of the columns, independent of the unit."""

    @property
    def rows(self) -> int:
        """Number of rows of the data."""
        return self.reader.profiles[0].records if self.reader.profiles else 0

    def proposal(self) -> Proposal:
        """Return the proposal for the known unit. If the unit is unknown, return the most probable proposal. Its
        answers are the proposals for all possible units.
        """
        known = self._known()
        if known is not None:
            return self._with_unit(*known, asked=False)
        if cut := [candidate.columns[0] for candidate in self.candidates if candidate.cut]:
            fault = f"column {cut[0]!r} identifies people but {CUT}; export the file again with this column as text"
            return replace(self._with_unit((), "", asked=False), table=None, problems=[*self.problems, fault])
        return self._likeliest()

    def _with_unit(self, unit: tuple[str, ...], meaning: str, *, asked: bool = True) -> Proposal:
        work = Proposal(self.source, (), {}, list(self.problems), None, self.rows, unit, meaning)
        self.reader.run(work, asked=asked)
        try_hierarchies(work, self.hierarchies, self.reader.source, self.reader.k)
        return work

    def _known(self) -> tuple[tuple[str, ...], str] | None:
        """Return the unit and its meaning if the unit is declared or certain. None for an unknown unit."""
        declared, proposed = self.reader.given, self.reader.proposed
        ids = names_in(self.reader.source.names, declared.get("id"))
        buckets = are_buckets(declared, proposed)
        if buckets and not ids and self.candidates:
            ids = self.candidates[0].columns
        stated = any(declared.get(name) for name in ("unit", "rows_are_persons"))
        if ids or stated or buckets or all(role.role in ("items", "one_hot", "one_code") for role in proposed.values()):
            return ids, "given"
        distinct = self._distinct()
        if distinct and not any(candidate.repeats for candidate in self.candidates):
            return distinct[0].columns, distinct[0].meaning
        return None

    def _free(self) -> list[UnitCandidate]:
        proposed = self.reader.proposed
        declared = {name for name, role in proposed.items() if role.reason == "given" and role.role != "drop"}
        return [candidate for candidate in self.candidates if declared.isdisjoint(candidate.columns)]

    def _distinct(self) -> list[UnitCandidate]:
        """Return the candidates that have distinct values, and a value in nearly all rows."""
        enough = (1 - MOST_WITHOUT_ID) * self.rows
        return [
            candidate
            for candidate in self._free()
            if candidate.persons == candidate.given >= enough and candidate.given and candidate.meaning not in _OF_ROWS
        ]

    def _likeliest(self) -> Proposal:
        """Return the most probable proposal. Its answers are the proposals for all possible units."""
        free, distinct = self._free(), self._distinct()
        repeated = [candidate for candidate in free if candidate.repeats]
        filled = [candidate for candidate in repeated if 2 * candidate.given >= self.rows]
        likely = [candidate for candidate in free if candidate in repeated or candidate in distinct]
        likely.sort(key=lambda candidate: candidate not in filled and candidate not in distinct)
        proposals = [
            replace(self._with_unit(candidate.columns, candidate.meaning), part_of=candidate.part_of)
            for candidate in likely[:_MOST_ANSWERS]
        ]
        sure = any(candidate.meaning != NAMED for candidate in filled)  # different persons may have the same name
        namesakes = not sure and all(candidate.persons >= _MOSTLY_DISTINCT * candidate.given for candidate in filled)
        if repeated and not namesakes and not any(proposal.table is not None for proposal in proposals):
            # rows as unit would not protect the persons of these identifiers
            proposals[0].problems[-1] += f"; if each row is a person: {setting('rows_are_persons', True)}"
            return proposals[0]
        by_rows = self._with_unit((), "")
        able = [proposal for proposal in proposals if proposal.table is not None]
        if by_rows.table is not None or not able:
            able.insert(0 if repeated and namesakes else len(able), by_rows)
        able[0].problems += [
            f"unit {', '.join(map(repr, proposal.unit))}: {proposal.problems[-1]}"
            for proposal in proposals
            if proposal.table is None
        ]
        able[0].answers = tuple(able)
        return able[0]
