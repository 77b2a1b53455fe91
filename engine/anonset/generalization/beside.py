"""Another release of the same persons, beside one that is published or tried."""

from dataclasses import dataclass

from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.generalization.publication import Publication


@dataclass(frozen=True, eq=False)
class Beside(Discreet):
    """Another release, and where the persons of a table are in it."""

    publication: Publication
    """The other release."""
    row: Int64
    """int64 (n,): its row for each record of the table; -1 where the person is not in it."""
    attestation_sha256: str = ""
    """Digest of its attestation."""
    linked: bool = False
    """Whether what is kept together with it holds against who can tell which rows are of the same person."""

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
