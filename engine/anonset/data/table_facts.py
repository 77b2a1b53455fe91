"""Facts about a table that its columns do not contain, such as changes during reading and the relation of rows to
persons.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from anonset.data.redacted_repr import RedactedRepr

UnitKind = Literal["", "person", "row", "unknown"]
"""Unit of privacy as the owner declares it: ids identify the person of each record, each row is a different person, or
the data do not say who is a person. Empty if the owner has declared nothing.
"""
CUT = "contains long numbers that a spreadsheet rounded (E+11), so different persons may have the same number"
"""Phrase for messages about ids that a spreadsheet has truncated."""


@dataclass(frozen=True)
class CodeRules:
    """Rules for codes of the data that are not leaves of their hierarchy."""

    unknown: str = "error"
    """Rule for codes that the hierarchy does not contain: ``error``, ``suppress``, or ``prefix``. The latter replaces a
    code by its longest prefix that is a node.
    """
    inner_items: str = "error"
    """Rule for codes that are inner nodes: ``error``, or ``leaf``, which replaces the code by a leaf below the node."""


@dataclass(frozen=True)
class Change:
    """Change of a column by a rule."""

    column: str
    rule: str
    """The rule, such as ``upper``, ``unknown suppress`` or ``inner-items leaf``."""
    labels: int
    """Number of distinct changed labels. For skipped persons, their number."""
    occurrences: int
    """Number of occurrences of the changed labels. For skipped rows, the number of rows."""

    @property
    def coarsened_by(self) -> str:
        """Rule that generalized the values during reading. Empty for other changes."""
        return self.rule.removeprefix(COARSENED) if self.rule.startswith(COARSENED) else ""

    def __str__(self) -> str:
        if self.rule in (FIRST_VALUE, KNOWN_VALUE, SPELLINGS):
            return f"{self.rule}: {self.column} of {self.occurrences:,} person{'' if self.occurrences == 1 else 's'}"
        if self.rule == NOT_PUBLISHED:
            return f"{self.rule}: {self.column}"
        if self.rule == NOT_DESCRIBED:
            return f"{self.rule}: {self.labels:,}, with {self.occurrences:,} row{'' if self.occurrences == 1 else 's'}"
        if self.rule in _OF_ROWS:
            return f"{self.rule}: {self.occurrences:,}"
        times = f"{self.occurrences:,} occurrence{'' if self.occurrences == 1 else 's'}"
        return f"{self.rule}: {self.labels:,} label{'' if self.labels == 1 else 's'} of {self.column}, {times}"


NOT_PUBLISHED = "not published"
FIRST_VALUE = "first of several values"
"""Rule for values that differ in the rows of a person. The value of the person's first row is used."""
KNOWN_VALUE = "blanks read as the known value"
"""Rule for values that only some rows of a person contain. The value applies to the person."""
SPELLINGS = "ids in several spellings"
"""Rule for ids that differ in the rows of a person and are the same in a uniform spelling."""
COARSENED = "coarsened by "
"""Prefix of the rule by which values were generalized during reading."""
NOT_DESCRIBED = "skipped persons whom no row describes"
"""Rule that skips persons of linked tables, whose rows in other tables were read."""
WITHOUT_ID, FOOTERS, LABEL_ROWS = "skipped rows without an id", "skipped footer lines", "skipped rows of labels"
CONTINUED = "rows with the id of the row above"
_OF_ROWS = (WITHOUT_ID, FOOTERS, LABEL_ROWS, CONTINUED)
"""Rules for rows, which change no label."""


def changed_rows(rows: Mapping[str, int]) -> tuple[Change, ...]:
    """Return the numbers of skipped rows and of rows with the id of the row above, by rule, as changes.

    >>> [str(change) for change in changed_rows({CONTINUED: 3, WITHOUT_ID: 12, FOOTERS: 0})]
    ['skipped rows without an id: 12', 'rows with the id of the row above: 3']
    """
    return tuple(Change("", rule, 0, rows[rule]) for rule in _OF_ROWS if rows.get(rule))


REPEATS, NO_ID, MERGES, TESTS, COUNTRY, SEVERAL = "repeats", "no id", "merges", "tests", "country", "several"
"""Signs that the values of possible ids repeat, that values of a declared id mean a missing id, that a declared id
belongs to several persons, because a fact of a person differs, that persons are test persons, that telephone numbers
have a national and an international form, and that a row contains several persons.
"""


@dataclass(frozen=True)
class PersonSign:
    """Sign in the first rows that persons are not what the owner declares, or need a declaration."""

    columns: tuple[str, ...]
    """Columns that show it. For `REPEATS`, they together identify persons."""
    rows: int = 0
    """Number of examined rows with a value. If ids are declared, only the first row of each person is examined."""
    persons: int = 0
    """Number of distinct values in them. For `MERGES`, the number of persons whose rows differ."""
    words: tuple[str, ...] = ()
    """Values of a declared id that may mean a missing id, such as ``none``. `rows` and `persons` then count them. For
    `COUNTRY`, the country code. `rows` then counts the numbers, and `persons` the persons if each is one number.
    """
    kind: str = REPEATS


@dataclass(frozen=True)
class PersonMentions(RedactedRepr):
    """An item column that probably mentions persons."""

    items: str
    """Name of the column."""
    column: str
    """Column of names or ids that also occur in the items. Empty if the items are words of free text."""
    labels: int
    """Number of items or texts that mention persons."""
    may_be_words: bool = False
    """Whether the texts may be sets of words that blanks separate."""


@dataclass(frozen=True)
class OwnerStatements(RedactedRepr):
    """Statements of the data owner that cannot be checked with the data."""

    unit: UnitKind = ""
    """The unit of privacy."""
    has_further_columns: bool = False
    """True if the source has other columns than a single set-valued column. Dropped columns count."""
    publish_as_is: tuple[str, ...] = ()
    """Columns that the owner publishes although they contain values that identify persons."""
