"""k^m-anonymity of transaction data (Terrovitis, Mamoulis, Kalnis, VLDB 2008, Definition 1)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.privacy.model import NEGATIVE, SHARED, Part, PrivacyModel, Size
from anonset.spelling import counted


@dataclass(frozen=True)
class KmAnonymity(PrivacyModel):
    """Any set of at most `m` published symbols has support 0 or at least `k`."""

    name: ClassVar[str] = "km"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})

    k: Annotated[
        Size,
        "Minimum number of records that match the knowledge of the attacker (>= 1). It only applies if a record "
        "matches.",
    ]
    m: Annotated[Size, "Maximum number of items that the attacker knows (>= 1)."]

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows at most m items and no quasi-identifier."""
        return 1 / self.k if not values and 0 < items <= self.m else None

    def __str__(self) -> str:
        return f"km-anonymity with k={self.k}, m={self.m}"

    @property
    def singling_out(self) -> str:
        """Bound on singling out a record."""
        return (
            f"Someone who knows up to {counted(self.m, 'item')} of a person finds at least "
            f"{counted(self.k, 'matching record')}, or none."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        more = f"Someone who knows more than {counted(self.m, 'item')} may identify a person."
        return f"{more} {SHARED} {NEGATIVE}"
