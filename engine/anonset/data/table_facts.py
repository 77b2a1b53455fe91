"""What is known of a table beside its columns: what rules for codes changed, and whether its rows are the persons."""

from dataclasses import dataclass

from anonset.data.redacted_repr import Discreet

CUT = "holds long numbers that a spreadsheet cut off (E+11), so that different persons may share one"
"""What is wrong with such ids."""


@dataclass(frozen=True)
class CodeRules:
    """What is done to codes of the data that are no leaves of their hierarchy."""

    unknown: str = "error"
    """To one that is no node: ``error``, ``suppress``, or ``prefix``: its longest prefix that is a node is taken."""
    inner_items: str = "error"
    """To one that is an inner node: ``error``, or ``leaf``: it becomes a leaf below that node."""


@dataclass(frozen=True)
class Change:
    """What a rule changed in a column."""

    column: str
    rule: str
    """The rule, such as ``upper``, ``unknown suppress`` or ``inner-items leaf``."""
    labels: int
    """Number of distinct labels that it changed."""
    occurrences: int
    """Number of times that they occur; of skipped rows, their number."""

    def __str__(self) -> str:
        if self.rule in _SKIPPED:
            return f"{self.rule}: {self.occurrences:,}"
        times = f"{self.occurrences:,} occurrence{'' if self.occurrences == 1 else 's'}"
        return f"{self.rule}: {self.labels:,} label{'' if self.labels == 1 else 's'} of {self.column}, {times}"


COARSENED = "coarsened by "
"""Before the rule by which values were made coarser as they were read."""
_SKIPPED = ("skipped rows without an id", "skipped footer lines")


def skipped(without_id: int, footer: int) -> tuple[Change, ...]:
    """Return what was skipped of the data as changes.

    >>> [str(change) for change in skipped(12, 0)]
    ['skipped rows without an id: 12']
    """
    pairs = zip(_SKIPPED, (without_id, footer), strict=True)
    return tuple(Change("", rule, 0, rows) for rule, rows in pairs if rows)


@dataclass(frozen=True)
class Repeated:
    """Columns that identify people and whose values repeat, so that a person may have several rows."""

    column: str
    """Name of the column; of several that identify people together, their names with commas between."""
    agreeing: tuple[str, ...] = ()
    """Columns that agree within its values far beyond chance; empty if header or values identify people."""
    cut: bool = False
    """Whether its values are long numbers that a spreadsheet cut off, so that different persons may share one."""


@dataclass(frozen=True)
class Mentioned(Discreet):
    """A column of items that mentions persons."""

    items: str
    """Name of the column."""
    column: str
    """Column of names or ids whose values the items contain."""
    labels: int
    """Number of such items."""


@dataclass(frozen=True)
class OwnersWord(Discreet):
    """What the owner answers for, since nothing in the data shows it."""

    rows_are_persons: bool = False
    """Each record is a person, although something says that several are one person's."""
    unit_is_stated: bool = False
    """``unit`` in a job file names the columns that identify the person of each record."""
    identifying_as_declared: bool = False
    """Columns that name or reach persons have the roles that were given on purpose."""
    publish_as_is: tuple[str, ...] = ()
    """Columns that are published although they show values that identify persons."""
