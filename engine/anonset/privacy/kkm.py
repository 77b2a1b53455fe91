"""(k, k^m)-anonymity of relational-transaction data (Poulis et al., ECML/PKDD 2013, Definition 2)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.privacy.model import NEGATIVE, SHARED, Part, PrivacyModel, Size
from anonset.spelling import counted


@dataclass(frozen=True)
class KKmAnonymity(PrivacyModel):
    """Any relational tuple with at most `m` symbols has support 0 or at least `k` in the publication."""

    name: ClassVar[str] = "kkm"
    protects: ClassVar[frozenset[Part]] = frozenset({"items", "relational"})

    k: Annotated[Size, "Minimum number of records that match the known values and items, if any matches (>= 1)."]
    m: Annotated[Size, "Maximum number of items that the attacker knows (>= 1)."]

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows quasi-identifiers and at most m items."""
        return 1 / self.k if items <= self.m else None

    def __str__(self) -> str:
        return f"(k,km)-anonymity with k={self.k}, m={self.m}"

    @property
    def singling_out(self) -> str:
        """Bound on singling out a record."""
        return (
            f"Someone who knows all quasi-identifiers and up to {counted(self.m, 'item')} of a person finds at least "
            f"{counted(self.k, 'matching record')}, or none."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        known = f"more than {counted(self.m, 'item')}, or values of other columns,"
        more = f"Someone who knows {known} may identify a person."
        return f"{more} {SHARED} {NEGATIVE}"
