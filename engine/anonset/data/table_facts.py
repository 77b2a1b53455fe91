"""Facts about a table in addition to its columns: changes made by code rules, and whether rows are persons."""

from dataclasses import dataclass

from anonset.data.redacted_repr import RedactedRepr

CUT = "contains long numbers that a spreadsheet rounded (E+11), so different persons may have the same number"
"""Description of ids that a spreadsheet truncated, for messages."""


@dataclass(frozen=True)
class CodeRules:
    """Treatment of codes in the data that are not leaves of their hierarchy."""

    unknown: str = "error"
    """Treatment of unknown codes: ``error``, ``suppress``, or ``prefix`` (replace by the longest prefix that is a
    node).
    """
    inner_items: str = "error"
    """Treatment of inner nodes: ``error``, or ``leaf`` (replace by a leaf below that node)."""


@dataclass(frozen=True)
class Change:
    """Change that a rule made in a column."""

    column: str
    rule: str
    """The rule, such as ``upper``, ``unknown suppress`` or ``inner-items leaf``."""
    labels: int
    """Number of distinct changed labels."""
    occurrences: int
    """Number of occurrences of the changed labels; the row count for skipped rows."""

    def __str__(self) -> str:
        if self.rule == FIRST_VALUE:
            return f"{self.rule}: {self.column} of {self.occurrences:,} person{'' if self.occurrences == 1 else 's'}"
        if self.rule in _SKIPPED:
            return f"{self.rule}: {self.occurrences:,}"
        times = f"{self.occurrences:,} occurrence{'' if self.occurrences == 1 else 's'}"
        return f"{self.rule}: {self.labels:,} label{'' if self.labels == 1 else 's'} of {self.column}, {times}"


FIRST_VALUE = "first of several values"
"""Rule by which the value of a person's first row is used if the rows differ."""
COARSENED = "coarsened by "
"""Prefix of the rule by which values were generalized during reading."""
_SKIPPED = ("skipped rows without an id", "skipped footer lines", "skipped rows of labels")


def skipped(without_id: int, footer: int, labels: int) -> tuple[Change, ...]:
    """Return skipped rows as changes.

    >>> [str(change) for change in skipped(12, 0, 0)]
    ['skipped rows without an id: 12']
    """
    pairs = zip(_SKIPPED, (without_id, footer, labels), strict=True)
    return tuple(Change("", rule, 0, rows) for rule, rows in pairs if rows)


@dataclass(frozen=True)
class RepeatedIdentifiers:
    """Columns that identify people and contain repeated values, so that a person may have several rows."""

    column: str
    """Column name, or comma-separated names if several columns identify people together."""
    agreeing: tuple[str, ...] = ()
    """Columns that agree in rows with the same value far more often than by chance; empty if the header or the values
    already show that the column identifies people.
    """
    cut: bool = False
    """True if the values are long numbers that a spreadsheet truncated, so different persons may share a value."""


@dataclass(frozen=True)
class PersonMentions(RedactedRepr):
    """An item column that probably mentions persons."""

    items: str
    """Name of the column."""
    column: str
    """Column of names or ids that occur in the items. Empty if the items are words of free text."""
    labels: int
    """Number of such items or texts."""


@dataclass(frozen=True)
class OwnerStatements(RedactedRepr):
    """Statements of the owner that the data cannot confirm."""

    rows_are_persons: bool = False
    """The owner declares that each record is a different person."""
    unit_is_stated: bool = False
    """``unit`` in a job file names the columns that identify the person of each record."""
    identifying_as_declared: bool = False
    """Columns that name or locate persons have their roles on purpose."""
    publish_as_is: tuple[str, ...] = ()
    """Columns that are published although they contain values that identify persons."""
    unit_is_open: bool = False
    """True if the owner must state who is a person: the source has columns besides the items, and none shows it."""
