"""k^m-anonymity of transaction data (Terrovitis, Mamoulis, Kalnis, VLDB 2008, Definition 1)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.privacy.model import Part, PrivacyModel, require_size
from anonset.spelling import counted


@dataclass(frozen=True)
class KmAnonymity(PrivacyModel):
    """Any set of at most `m` published symbols has support 0 or at least `k`."""

    name: ClassVar[str] = "km"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})

    k: int
    """Minimum support of an itemset that occurs (>= 1)."""
    m: int
    """Maximum number of items that the attacker knows (>= 1)."""

    def __post_init__(self) -> None:
        require_size("k", self.k)
        require_size("m", self.m)

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows at most m items and no quasi-identifier."""
        return 1 / self.k if not values and 0 < items <= self.m else None

    def __str__(self) -> str:
        return f"km-anonymity with k={self.k}, m={self.m}"

    @property
    def statement(self) -> str:
        """Guarantee of the model, as a sentence."""
        return (
            f"Whoever knows up to {counted(self.m, 'item')} of a person's record, and that the person is in the data, "
            f"finds at least {self.k} published records that match, or none."
        )

    @property
    def in_plain_words(self) -> str:
        """Guarantee of the model, for laypeople."""
        return (
            f"Whoever knows up to {counted(self.m, 'item')} of somebody cannot pick out that person's record: at "
            f"least {self.k} "
            "records fit equally, or none does."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            f"It says nothing about an attacker who knows more than {counted(self.m, 'item')}, or who knows that a "
            "person "
            "does NOT have an item; nor about what the matching records have in common: an item that all of them "
            "share is disclosed. Columns that are kept as they are count neither as known nor as hidden."
        )
