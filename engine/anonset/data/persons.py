"""What shows in data that their rows are not the persons."""

from dataclasses import dataclass

from anonset.data.redacted_repr import Discreet

CUT = "holds long numbers that a spreadsheet cut off (E+11), so that different persons may share one"
"""What is wrong with such ids."""


@dataclass(frozen=True)
class Repeated:
    """A column that tells persons apart and whose values repeat, so that a person has several rows."""

    column: str
    """Its name; of several that do so together, their names with commas between."""
    agreeing: tuple[str, ...] = ()
    """Columns that agree within its values far beyond chance; none where its name says what it is."""
    cut: bool = False
    """Whether its values are long numbers that a spreadsheet cut off, so that different persons may share one."""


@dataclass(frozen=True)
class OwnersWord(Discreet):
    """What the owner answers for, since nothing in the data shows it."""

    rows_are_persons: bool = False
    """Each record is a person, although something says that several are one person's."""
    identifying_as_declared: bool = False
    """Columns that name or reach persons have the roles that were given on purpose."""
