"""Possible units of privacy (rows or columns that identify a person), each with a proposal."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from anonset.columns.persons import SURE, PossiblePerson
from anonset.columns.roles import GIVEN
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Problem
from anonset.jobs.proposals.hierarchy_trial import try_hierarchies
from anonset.jobs.proposals.proposal import Proposal
from anonset.jobs.proposals.proposal_trial import MOST_WITHOUT_ID, ProposalReader, are_buckets
from anonset.reading.file_options import OPEN, ROW, UNKNOWN, person_columns
from anonset.reading.roles import names_in
from anonset.reading.sources.source import Source
from anonset.settings.binding import HierarchySpec
from anonset.spelling import setting

_OF_SETS = ("one_hot", "one_code")
_MOST_REPEATED, _MOST_OTHERS, _MOST_DISTINCT, _MOST_NAMED = 5, 3, 2, 10
"""Maximum number of offered columns that repeat and probably identify persons, of other columns that repeat, and of
columns that are distinct in every row, and maximum number of columns that are only named.
"""


@dataclass(frozen=True)
class PossibleUnits(RedactedRepr):
    """Columns that may identify the person, and the proposals that follow from them."""

    source: Source
    reader: ProposalReader
    candidates: Sequence[PossiblePerson]
    """Columns that may identify the person, in the order in which they are offered."""
    hierarchies: Mapping[str, HierarchySpec]
    problems: Sequence[Problem]
    """Problems of the columns, independent of the unit."""
    published: Collection[str] = ()
    """Columns that the owner publishes. They are offered only if they probably identify persons."""
    named: Sequence[tuple[str, ...]] = ()
    """Columns that repeat and have too little evidence for an answer."""

    @property
    def rows(self) -> int:
        """Number of rows of the data."""
        return self.reader.profiles[0].records if self.reader.profiles else 0

    def proposal(self) -> Proposal:
        """Return the proposal for the declared unit. If the unit is not declared, return the proposal for the first
        possible unit. Its answers are the proposals for all possible units.
        """
        known = self._known()
        if known is not None:
            return self._with_unit(*known, asked=False)
        return replace(self, problems=[*self.problems, *self._unnamable()])._open()

    def _with_unit(self, unit: tuple[str, ...], meaning: str, *, asked: bool = True) -> Proposal:
        """Return the proposal for a unit. If it is one of several, and the owner's columns differ between the rows of
        its persons, the values of each person's first row are used.
        """
        work = self._tried(self.reader, unit, meaning, asked=asked)
        differing = self.published or work.possible_roles == {"differing": ["first"]}
        if asked and unit and work.table is None and differing:
            reader = replace(self.reader, given={**self.reader.given, "differing": "first"})
            other = self._tried(reader, unit, meaning, asked=asked)
            return work if other.table is None else other
        return work

    def _tried(self, reader: ProposalReader, unit: tuple[str, ...], meaning: str, *, asked: bool) -> Proposal:
        work = Proposal(self.source, (), {}, list(self.problems), None, self.rows, unit, meaning)
        reader.run(work, asked=asked)
        try_hierarchies(work, self.hierarchies, reader.source, reader.k)
        return work

    def _known(self) -> tuple[tuple[str, ...], str] | None:
        """Return the declared unit and its meaning. None if the owner must declare it."""
        declared, names = self.reader.given, self.reader.source.names
        ids = names_in(names, declared.get("id")) if are_buckets(declared, self.reader.proposed) else ()
        if ids or declared.get("unit") not in (None, "", [], (), OPEN, [OPEN]):
            return ids or person_columns(declared.get("unit"), names), GIVEN
        one_set = len(names) == 1 and self.reader.proposed[names[0]].role == "items"
        return ((), GIVEN) if one_set else None

    def _free(self) -> list[PossiblePerson]:
        """Return the candidates without declared columns, without columns that together contain a set, without
        published columns that probably are no persons, and without columns named like another value of ``unit``.
        """
        taken = self._taken()
        return [
            candidate
            for candidate in self.candidates
            if taken.isdisjoint(candidate.columns)
            and (candidate.points >= SURE or not {*candidate.columns} <= {*self.published})
        ]

    def _taken(self) -> set[str]:
        """Return the columns that are not offered, because they have another role or name."""
        roles = self.reader.proposed.items()
        return {ROW, UNKNOWN, OPEN} | {
            name for name, own in roles if own.role in _OF_SETS or (own.is_given and own.role != "drop")
        }

    def _unnamable(self) -> list[Problem]:
        """Return a problem for each candidate that is named like another value of ``unit``."""
        named = dict.fromkeys(n for one in self.candidates for n in one.columns if n in (ROW, UNKNOWN))
        return [
            Problem(
                f"column {name!r} may identify the person, but {setting('unit', name)} means something else; rename it"
            )
            for name in named
        ]

    def _answers(self) -> tuple[list[Proposal], tuple[tuple[str, ...], ...]]:
        """Return a proposal for each possible unit, in the order in which they are offered: person keys that repeat,
        then contacts and names that repeat, then rows, then other columns that repeat, then keys that are distinct in
        every row. Also return the columns that repeat and are only named, because each proposal takes time.
        """
        free = self._free()
        repeated = [candidate for candidate in free if candidate.repeats and candidate.is_likely]
        others = [candidate for candidate in free if candidate.repeats and not candidate.is_likely]
        complete = (1 - MOST_WITHOUT_ID) * self.rows
        distinct = [
            candidate for candidate in free if candidate.given and candidate.persons == candidate.given >= complete
        ]
        before, after = repeated[:_MOST_REPEATED], [*others[:_MOST_OTHERS], *distinct[:_MOST_DISTINCT]]
        proposals = [
            *(self._of_candidate(candidate) for candidate in before),
            replace(self._with_unit((), ""), persons=self.rows),
            *(self._of_candidate(candidate) for candidate in after),
        ]
        left = [one.columns for one in (*repeated[_MOST_REPEATED:], *others[_MOST_OTHERS:])]
        taken = self._taken() | {name for name, own in self.reader.proposed.items() if own.role == "items"}
        free_columns = [columns for columns in self.named if taken.isdisjoint(columns)]
        return proposals, (*left, *free_columns)[:_MOST_NAMED]

    def _of_candidate(self, candidate: PossiblePerson) -> Proposal:
        proposal = self._with_unit(candidate.columns, candidate.meaning)
        return replace(proposal, part_of=candidate.part_of, persons=candidate.persons)

    def _open(self) -> Proposal:
        """Return the proposal for the first possible unit. Its answers are the proposals for all possible units."""
        proposals, others = self._answers()
        first = next((proposal for proposal in proposals if proposal.table is not None), proposals[0])
        first.answers, first.others = tuple(proposals), others
        return first
