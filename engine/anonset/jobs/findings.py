"""What is found in data before anything is published: columns, roles that are proposed, and who is unique."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anonset.data.redacted_repr import Discreet
from anonset.measures.known_items import KnownItems
from anonset.measures.shares import Share
from anonset.reading.profiles import Profile
from anonset.release.tables import html_table
from anonset.spelling import counted


@dataclass(frozen=True)
class ColumnFindings(Discreet):
    """A column, and the role that it has or that is proposed for it."""

    profile: Profile
    """What it looks like."""
    role: str
    """The role, as a setting."""
    reason: str
    """Why it is proposed; ``given`` where the role was given."""
    hierarchy: str | None = None
    """What it may be generalized by."""


@dataclass(frozen=True)
class ClassFindings(Discreet):
    """How records agree in their quasi-identifiers."""

    columns: tuple[str, ...]
    """The quasi-identifiers."""
    classes: int
    """Number of different combinations of values."""
    smallest: int
    """Records in the smallest equivalence class."""
    unique: Share
    """Share of the records that are alone in theirs."""
    below_k: Share
    """Share of the records in classes smaller than k."""


@dataclass(frozen=True)
class Answer(Discreet):
    """A possible unit of privacy, with the settings that it brings."""

    unit: tuple[str, ...]
    """The columns that identify the person; empty: each row is a person."""
    persons: int
    """Persons that it gives."""
    settings: Mapping[str, Any]
    """The settings that were found to work for it, as those of a job."""
    combinations: int
    """Number of different combinations of quasi-identifiers."""
    skipped: int
    """Rows without a value in these columns, which it skips."""
    reasons: Mapping[str, list[str]]
    """Columns with the reasons of their roles, by role."""

    @property
    def key(self) -> str:
        """The value of the setting `unit`."""
        return ",".join(self.unit) or "row"


@dataclass(frozen=True)
class Question(Discreet):
    """Who is a person: the owner must say, since the data do not show it."""

    rows: int
    """Rows of the data."""
    answers: tuple[Answer, ...]
    """The possible answers, the surest first."""

    def lines(self) -> list[str]:
        """Return the possible lines of a job file, each with the number of persons."""
        return [f'unit = "{one.key}" # {self.told(one)}' for one in self.answers]

    def told(self, answer: Answer) -> str:
        """Return what an answer means."""
        what = "" if answer.unit else "each row is a person: "
        skipped = f"; {counted(answer.skipped, 'row')} without a value skipped" if answer.skipped else ""
        return f"{what}{counted(self.rows, 'row')}, {counted(answer.persons, 'person')}{skipped}"


@dataclass(frozen=True)
class Findings(Discreet):
    """What is in data, and at risk before anything is published. Holds no value of the data."""

    source: str
    """What was looked at."""
    columns: tuple[ColumnFindings, ...]
    """The columns, in their order."""
    rows: int
    """Rows of the data."""
    records: int
    """Records that they make: rows of the same person are one where they are grouped."""
    persons: int | None
    """Persons, where an identifier tells them apart."""
    k: int
    """Below so many records, a group is small."""
    m: int
    """Known items of which the guarantee would speak."""
    quasi_identifiers: ClassFindings | None
    """How records agree in their quasi-identifiers."""
    known_items: tuple[KnownItems, ...]
    """What 1, …, m + 1 known items leave."""
    problems: tuple[str, ...] = field(repr=False)
    """What would be refused, or should be looked at."""
    memory: int | None
    """Bytes that a run is estimated to take."""
    seconds: float | None
    """Seconds that a run may take, roughly."""
    settings: Mapping[str, Any]
    """The settings that were found to work, as those of a job; if there is a question, for its first answer."""
    question: Question | None = None
    """Who is a person, if the owner must say; None: it is stated, or one column of ids is distinct in every row."""

    def _repr_html_(self) -> str:
        """Return the findings as tables, for notebooks."""
        rows = [(c.profile.name, c.profile.kind, f"{c.profile.distinct:,}", c.role, c.reason) for c in self.columns]
        return "".join(
            [
                html_table(("column", "kind", "distinct", "role", "because"), rows),
                html_table(*risk_table(self)),
                html_table(
                    ("who is a person?",), [] if self.question is None else [(x,) for x in self.question.lines()]
                ),
                html_table(("problems",), [(f"{len(self.problems)}, told by .problems",)] if self.problems else []),
            ]
        )


def risk_table(found: Findings) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return which share of the records others can tell: the headings, and a row of text by what is known."""
    head = ("who knows", "alone, at worst", f"among fewer than {found.k}", "alone, on average")
    rows: list[tuple[str, ...]] = []
    if (classes := found.quasi_identifiers) is not None:
        what = "all quasi-identifiers" if len(classes.columns) > 1 else "the quasi-identifier"
        rows.append((what, str(classes.unique), str(classes.below_k), str(classes.unique)))
    for one in found.known_items:
        what = f"{one.size} item{'s' if one.size > 1 else ''}"
        rows.append((what, str(one.worst(2)), str(one.worst(found.k)), str(one.average_unique)))
    return head, rows
