"""k-anonymity of complete records of items (He and Naughton, VLDB 2009, section 2)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.privacy.model import Part, PrivacyModel, require_size


@dataclass(frozen=True)
class TransactionKAnonymity(PrivacyModel):
    """At least `k` records have the same published set of symbols.

    This is stricter than k^m-anonymity for every m.
    """

    name: ClassVar[str] = "transaction-k"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})
    recodes_locally: ClassVar[bool] = True

    k: int
    """Minimum number of records with the same published symbols (>= 1)."""

    def __post_init__(self) -> None:
        require_size("k", self.k)

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows items and no quasi-identifier."""
        return 1 / self.k if not values and items else None

    def __str__(self) -> str:
        return f"k-anonymity of transactions with k={self.k}"

    @property
    def statement(self) -> str:
        """Guarantee of the model, as a sentence."""
        return (
            "Whoever knows any items of a person's record, all of them or that there are no others, and that the "
            f"person is in the data, finds at least {self.k} published records that are the same."
        )

    @property
    def in_plain_words(self) -> str:
        """Guarantee of the model, for laypeople."""
        return (
            "Even whoever knows all items of somebody cannot pick out that person's record: at least "
            f"{self.k} records look exactly the same."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            "It says nothing about what the matching records have in common: an item that all of them share is "
            "disclosed. Where the same item is published under several symbols, counting symbols over the whole "
            "file misleads. Columns that are kept as they are count neither as known nor as hidden."
        )

    @property
    def limits_in_short(self) -> str:
        """Most important limit of the guarantee."""
        return "What all who match share is disclosed."
