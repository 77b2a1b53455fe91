"""k-anonymity of complete records of items (He and Naughton, VLDB 2009, section 2)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.privacy.model import SHARED, Part, PrivacyModel, Size
from anonset.spelling import counted


@dataclass(frozen=True)
class TransactionKAnonymity(PrivacyModel):
    """At least `k` records have the same published set of symbols.

    This is stricter than k^m-anonymity for every m.
    """

    name: ClassVar[str] = "transaction-k"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})
    recodes_locally: ClassVar[bool] = True

    k: Annotated[Size, "Minimum number of records with the same published symbols (>= 1)."]

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows any number of items, but no quasi-identifiers."""
        return 1 / self.k if not values and items else None

    def __str__(self) -> str:
        return f"k-anonymity of transactions with k={self.k}"

    @property
    def singling_out(self) -> str:
        """Bound on singling out a record."""
        return (
            f"Each published record occurs at least {counted(self.k, 'time')}. Someone who knows some or all items of "
            f"a person therefore finds at least {counted(self.k, 'matching record')}, or none."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            f"{SHARED} Symbol counts over the complete file are misleading if an item is published as several symbols."
        )
