"""(k, k^m)-anonymity of relational-transaction data (Poulis et al., ECML/PKDD 2013, Definition 2)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.privacy.model import Part, PrivacyModel, require_size
from anonset.spelling import counted


@dataclass(frozen=True)
class KKmAnonymity(PrivacyModel):
    """Any relational tuple with at most `m` symbols has support 0 or at least `k` in the publication."""

    name: ClassVar[str] = "kkm"
    protects: ClassVar[frozenset[Part]] = frozenset({"items", "relational"})

    k: int
    """Minimum number of records that share a relational tuple and an itemset (>= 1)."""
    m: int
    """Maximum number of items that the attacker knows (>= 1)."""

    def __post_init__(self) -> None:
        require_size("k", self.k)
        require_size("m", self.m)

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows quasi-identifiers and at most m items."""
        return 1 / self.k if items <= self.m else None

    def __str__(self) -> str:
        return f"(k,km)-anonymity with k={self.k}, m={self.m}"

    @property
    def statement(self) -> str:
        """Guarantee of the model, as a sentence."""
        return (
            f"Whoever knows all relational values of a person and up to {counted(self.m, 'item')} of that person's "
            "record, and "
            f"that the person is in the data, finds at least {self.k} published records that match."
        )

    @property
    def in_plain_words(self) -> str:
        """Guarantee of the model, for laypeople."""
        return (
            f"Whoever knows these attributes of somebody, and up to {counted(self.m, 'item')}, cannot pick out that "
            "person's "
            f"record: at least {self.k} records fit equally."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            f"It says nothing about an attacker who knows more than {counted(self.m, 'item')}, or who knows that a "
            "person "
            "does NOT have an item; nor about what the matching records have in common: an item or a value that all "
            "of them share is disclosed. Columns that are kept as they are count neither as known nor as hidden."
        )
