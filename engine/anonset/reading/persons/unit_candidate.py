"""Columns that may identify people: their meanings, counts and evidence."""

from dataclasses import dataclass

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table_facts import RepeatedIdentifiers
from anonset.reading.persons.agreement import UNKNOWN
from anonset.reading.persons.header_words import ADDRESS, NAMED

REACHES = ("e-mail", "IBAN", "account", "phone", "network")
"""Meanings of headers and values that single out a person."""
NAMED_AND_BORN, AGREEING, KEY = "names and birth", "agreement", "key"
NAMED_AT = "names and address"
_FEW, _MOST_FEW, _ROWS_OF_EACH = 2, 50, 200
"""A candidate with a weak header must have more than 2 distinct values. It must also have more than the smaller of 50
and rows / 200.
"""
_FEWEST_PERSONS = 10
"""Minimum number of distinct values of a person id."""
_ROWS_OF_FEW = 200
"""Minimum number of rows for `_FEWEST_PERSONS` to apply."""
OF_ROWS = ("id", "case id", NAMED, ADDRESS)
"""Candidates that do not show that each row is a person, even if they are distinct in every row."""


@dataclass(frozen=True)
class UnitCandidate(RedactedRepr):
    """Columns that together identify people."""

    columns: tuple[str, ...]
    meaning: str
    """Kind of identifier: ``person id``, ``e-mail``, ``names and birth``, … (see `_SUREST`)."""
    given: int
    """Number of rows with a value in each column of the candidate."""
    persons: int
    """Number of distinct combinations of values in the rows that `given` counts."""
    agreeing: tuple[str, ...] = ()
    """Attributes that agree within the values."""
    cut: bool = False
    """True if a spreadsheet truncated the values, so that different persons may share a value."""
    beyond_chance: bool = True
    """True if more rows agree in all columns than expected by chance."""
    rows: int = 0
    """Number of rows that were examined."""
    evidence: int = UNKNOWN
    """Evidence from birth and sex, one of the results of `evidence_of`."""
    part_of: str = ""
    """Column of another candidate, if each of these persons has one value in it, and some have the same value."""

    @property
    def repeats(self) -> bool:
        """True if a value occurs in two rows. A few repeated values of a weak candidate are ignored."""
        if self.given >= _ROWS_OF_FEW and self.persons < _FEWEST_PERSONS:
            return False
        if self.meaning in ("person id", "case id", AGREEING, KEY):
            return self.persons < self.given
        if self.meaning in (NAMED_AND_BORN, NAMED_AT):
            return self.persons < self.given and self.beyond_chance
        return max(_FEW, min(self.given // _ROWS_OF_EACH, _MOST_FEW)) < self.persons < self.given

    @property
    def as_repeated(self) -> RepeatedIdentifiers:
        """The candidate in the form that a table stores."""
        return RepeatedIdentifiers(",".join(self.columns), self.agreeing, self.given, self.persons)
