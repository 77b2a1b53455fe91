"""Another release about the same persons, which may be published or only planned."""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from anonset.data import Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.publications import Records

_LEFT_OUT = "unknown suppress"
"""Rule that removes items."""
_BY_HIERARCHY = ("unknown prefix", "inner-items leaf")
"""Rules that rename items by the hierarchy of a release."""


@dataclass(frozen=True, eq=False)
class OtherRelease(RedactedRepr):
    """Another release, and the row of this release for each record of a table."""

    publication: Records
    """The other release."""
    row: Int64
    """Row of the other release for each record of the table, int64 (n,). -1 if the release lacks the person."""
    attestation_sha256: str = ""
    """Digest of the other release's attestation."""
    linked: bool = False
    """True if the joint guarantee covers attackers who can link the rows of a person across releases."""

    shows_all: bool = False
    """True if the release suppresses no item, so that its records contain no items without a symbol."""
    rules: frozenset[str] = frozenset()
    """Rules that changed items when the original of the other release was read."""

    def certain_presence(self, table: Table, shown: Container[str]) -> tuple[bool, bool]:
        """Return a flag for the release of `table`, and a flag for this release.

        A flag is True if an item without a symbol certainly is in no record of the release. This is certain if the
        release suppressed and removed no item. It is never certain if only one of the releases renamed items, or if a
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
