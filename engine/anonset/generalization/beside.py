"""Another release of the same persons, beside one that is published or tried."""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from anonset.data import Table
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.publications import Records

_LEFT_OUT = "unknown suppress"
"""The rule that leaves items out."""
_BY_HIERARCHY = ("unknown prefix", "inner-items leaf")
"""Rules that rename items by the hierarchy of one release."""


@dataclass(frozen=True, eq=False)
class Beside(Discreet):
    """Another release, and where the persons of a table are in it."""

    publication: Records
    """The other release."""
    row: Int64
    """int64 (n,): its row for each record of the table; -1 where the person is not in it."""
    attestation_sha256: str = ""
    """Digest of its attestation."""
    linked: bool = False
    """Whether what is kept together with it holds against who can tell which rows are of the same person."""

    shows_all: bool = False
    """Whether it suppresses nothing: an item that it shows nowhere is in none of its records."""
    rules: frozenset[str] = frozenset()
    """Rules that changed items when it was read."""

    def certain(self, table: Table, shown: Container[str]) -> tuple[bool, bool]:
        """Return for another release and this one if an item without a symbol is certainly in none of its records.

        It is if nothing was suppressed or left out. Where items were renamed in one release alone, names prove nothing.

        Parameters
        ----------
        table
            The original of the other release.
        shown
            The items that its symbols stand for.
        """
        rules, column = frozenset(change.rule for change in table.changes), table.transactions
        renamed = rules - {_LEFT_OUT}
        if column is None or renamed != self.rules - {_LEFT_OUT} or not renamed.isdisjoint(_BY_HIERARCHY):
            return False, False
        labels = column.vocabulary.labels
        all_shown = all(labels[item] in shown for item in np.flatnonzero(column.occurrences).tolist())
        return all_shown and _LEFT_OUT not in rules, self.shows_all and _LEFT_OUT not in self.rules

    def require_records(self, n: int) -> None:
        """Refuse a table of another number of records.

        Raises
        ------
        InputError
            With both numbers.
        """
        if len(self.row) != n:
            msg = f"the other release tells of {len(self.row):,} records who they are, and there are {n:,}"
            raise InputError(msg)
