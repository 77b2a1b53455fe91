"""Another release about the persons of a table, published or planned."""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from anonset.data import Table
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.publications import Records

_LEFT_OUT = "unknown suppress"
_BY_HIERARCHY = ("unknown prefix", "inner-items leaf")
"""Names of the rules that rename items by a hierarchy."""


@dataclass(frozen=True, eq=False)
class OtherRelease(RedactedRepr):
    """Another release about the persons of a table, and the row of each person in this release."""

    publication: Records
    row: Int64
    """Row of the other release for each record of the table, int64 (n,). -1 if the person is not in the release."""
    attestation_sha256: str = ""
    """SHA-256 digest of the attestation of the other release."""
    linked: bool = False
    """True if the joint guarantee covers attackers who can link the rows of a person across releases."""

    shows_all: bool = False
    """True if the release suppresses no item."""
    rules: frozenset[str] = frozenset()
    """Rules that changed items when the original data of the other release were read."""

    def certain_absence(self, table: Table, shown: Container[str]) -> tuple[bool, bool]:
        """Return a flag for the release of `table`, and a flag for the other release.

        A flag is True if an item without a symbol is certainly in no record of the release. This is certain if the
        release suppressed and removed no item. Both flags are False if only one of the releases renamed items, or if a
        hierarchy renamed items.

        Parameters
        ----------
        table
            Original of the release that the first flag describes.
        shown
            Items that the symbols of the release of `table` cover.
        """
        rules, column = frozenset(change.rule for change in table.changes), table.transactions
        renamed = rules - {_LEFT_OUT}
        if column is None or renamed != self.rules - {_LEFT_OUT} or not renamed.isdisjoint(_BY_HIERARCHY):
            return False, False
        labels = column.vocabulary.labels
        all_shown = all(labels[item] in shown for item in np.flatnonzero(column.occurrences).tolist())
        return all_shown and _LEFT_OUT not in rules, self.shows_all and _LEFT_OUT not in self.rules

    def require_records(self, n: int) -> None:
        """Reject a table whose record count is not `n`.

        Raises
        ------
        InputError
            The message contains both counts.
        """
        if len(self.row) != n:
            msg = f"the other release identifies {len(self.row):,} records, but the table has {n:,}"
            raise InputError(msg)
