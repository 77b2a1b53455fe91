"""Possible units of privacy (rows or columns that identify a person), each with a proposal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anonset.columns.headers import is_known
from anonset.columns.id_findings import person_signs
from anonset.columns.persons import PossiblePerson
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table_facts import COUNTRY, MERGES
from anonset.errors import Problem
from anonset.jobs.proposals.hierarchy_trial import try_hierarchies
from anonset.jobs.proposals.proposal import Proposal
from anonset.jobs.proposals.unit_reader import MAY_IDENTIFY, ProposedRoles, UnitReader, are_buckets, unnamable
from anonset.reading.file_options import OPEN, ROW, UNKNOWN, Unit
from anonset.settings.binding import HierarchySpec
from anonset.spelling import counted, setting

_OF_SETS = ("one_hot", "one_code")
_MOST_REPEATED, _MOST_OTHERS, _MOST_DISTINCT, _MOST_NAMED = 5, 3, 2, 10
"""Maximum number of offered columns that repeat and probably identify persons, of other columns that repeat, and of
columns that are distinct in every row, and maximum number of columns that are only named.
"""
_MOST_WITHOUT_ID = 0.05
"""Maximum share of rows without a value in an offered column that is distinct in every row."""


@dataclass(frozen=True)
class PossibleUnits(RedactedRepr):
    """Columns that may identify the person, and the proposals that follow from them."""

    reader: UnitReader
    roles: ProposedRoles
    """Proposed roles, before the rows of a person are merged."""
    candidates: Sequence[PossiblePerson]
    """Columns that may identify the person, in the order in which they are offered."""
    hierarchies: Mapping[str, HierarchySpec]
    problems: Sequence[Problem]
    """Problems of the columns, independent of the unit."""
    named: Sequence[tuple[str, ...]] = ()
    """Columns that repeat and have too little evidence for an answer."""

    def proposal(self) -> Proposal:
        """Return the proposal for the declared unit. If the unit is not declared, return the first proposal that reads
        records. Its answers are the proposals for all possible units.
        """
        if (person := self._declared()) is not None:
            return self._tried(replace(self.reader, person=person), self.roles)[0]
        free = [one for one in self.candidates if self._taken(self.roles).isdisjoint(one.columns)]
        repeated = [one for one in free if one.precedes_rows(free)]
        others = [one for one in free if one.repeats and one not in repeated]
        offered = [*repeated[:_MOST_REPEATED], None, *others[:_MOST_OTHERS], *self._distinct(free)[:_MOST_DISTINCT]]
        answers, roles = list[Proposal](), self.roles
        for number, candidate in enumerate(offered):
            earlier = [one for one in (repeated if candidate is None else offered[:number]) if one is not None]
            proposal, roles = self._answer(candidate, {**roles, **self._dropped(earlier, roles)})
            answers.append(proposal)
        left = [one.columns for one in (*repeated[_MOST_REPEATED:], *others[_MOST_OTHERS:])]
        taken = self._taken(roles) | {name for name, own in roles.items() if own.role == "items"}
        left += [columns for columns in self.named if taken.isdisjoint(columns)]
        first = next((answer for answer in answers if answer.table is not None), answers[0])
        if answers[0].person:  # further columns of rows would count these persons several times
            first = replace(first, possible_items=answers[0].possible_items, possible_roles=answers[0].possible_roles)
            if (why := answers[0].obstacle) is not None and first.table is not None:
                lacking = Problem(f"{setting('unit', [*answers[0].person])}: {why.sentence}", why.fixes)
                first = replace(first, problems=(*first.problems, lacking))
        return replace(first, answers=tuple(answers), others=tuple(left[:_MOST_NAMED]))

    @staticmethod
    def _dropped(persons: Sequence[PossiblePerson], roles: ProposedRoles) -> ProposedRoles:
        """Return roles that drop the ids of persons who are more probable than those of the unit."""
        ids = [one.columns[0] for one in persons if len(one.columns) == 1 and not roles[one.columns[0]].is_given]
        return dict.fromkeys(ids, MAY_IDENTIFY)

    def _declared(self) -> tuple[str, ...] | None:
        """Return the columns of the declared unit. None if the owner must declare it. Data that consist of one column
        of sets need no unit.
        """
        given, names = self.reader.data.declared, self.reader.data.opened.names
        if are_buckets(given, self.roles):
            return tuple(given["id"])
        if given.get("unit"):
            return Unit(given["unit"]).columns
        return () if len(names) == 1 and self.roles[names[0]].role == "items" else None

    def _answer(self, candidate: PossiblePerson | None, roles: ProposedRoles) -> tuple[Proposal, ProposedRoles]:
        """Return the proposal if each value of a candidate is a person, or each row if it is None. Also return the
        roles for the next unit, without the columns that a run for this unit would reject.

        They remain dropped for the next units. Rows, for example, count a person several times, so a value of few
        persons may have many rows.
        """
        person = () if candidate is None else candidate.columns
        reader = replace(self.reader, person=person, is_open=True)
        proposal, roles = self._tried(reader, roles)
        if candidate is None:
            return replace(proposal, persons=reader.rows), roles
        shared = [f"some with the same {candidate.part_of}"] if candidate.part_of else []
        shared += ["each of which may be several persons"] if is_known(person[0]) else []
        if proposal.table is not None and (lacking := reader.rows - candidate.given - proposal.skipped):
            shared.append(f"if {counted(lacking, 'row')} without an id get that of the row above")
        signs = [*person_signs(reader.data.columns, person)]
        shared += [
            f"{sign.persons:,} if numbers without a country code have {', '.join(sign.words)}"
            for sign in signs
            if sign.kind == COUNTRY
        ]
        merges = [
            f"{', '.join(sign.columns)} differs within {sign.persons:,} of them"
            for sign in signs
            if sign.kind == MERGES
        ]
        return replace(proposal, doubt=", ".join([*shared, *merges]), persons=candidate.persons), roles

    def _tried(self, reader: UnitReader, roles: ProposedRoles) -> tuple[Proposal, ProposedRoles]:
        words = dict.fromkeys(n for one in self.candidates for n in one.columns if n in (ROW, UNKNOWN))
        problems = [*self.problems, *(unnamable("unit", words, "identify the person") if reader.is_open else ())]
        proposal, roles = reader.proposal(roles, problems)
        return try_hierarchies(proposal, self.hierarchies, reader.data.loaded, reader.k), roles

    def _distinct(self, candidates: Sequence[PossiblePerson]) -> list[PossiblePerson]:
        """Return the candidates that are distinct in every row, with a value in nearly all rows."""
        complete = (1 - _MOST_WITHOUT_ID) * self.reader.rows
        return [one for one in candidates if one.given and one.persons == one.given >= complete]

    @staticmethod
    def _taken(roles: ProposedRoles) -> set[str]:
        """Return the columns that are not offered, because they have another role or name."""
        return {ROW, UNKNOWN, OPEN} | {
            name for name, own in roles.items() if own.role in _OF_SETS or (own.is_given and own.role != "drop")
        }
