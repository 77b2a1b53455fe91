"""The guarantee of disassociation: no part of a record is linked to a person who is known by some items."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.privacy.model import Part, PrivacyModel, require_size


@dataclass(frozen=True)
class DisassociationModel(PrivacyModel):
    """Whoever knows at most `m` items of a person links no sub-record of a chunk to it with a probability above 1/k.

    The records that the publication leaves possible are taken for equally likely.
    """

    name: ClassVar[str] = "disassociation"
    protects: ClassVar[frozenset[Part]] = frozenset({"items", "chunks"})

    k: int
    """A sub-record of a chunk is linked to a person with a probability of at most 1/k (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""

    def __post_init__(self) -> None:
        require_size("k", self.k)
        require_size("m", self.m)

    def __str__(self) -> str:
        return f"disassociation with k={self.k}, m={self.m}"

    @property
    def statement(self) -> str:
        """What the model guarantees, in words."""
        known = "1 item" if self.m == 1 else f"at most {self.m} items"
        return (
            f"Whoever knows {known} of a person links no sub-record of any chunk to that person with a probability "
            f"above 1/{self.k}, where all data that the publication leaves possible are taken for equally likely."
        )

    @property
    def in_plain_words(self) -> str:
        """What it guarantees, for people who read no papers."""
        known = "one item" if self.m == 1 else f"up to {self.m} items"
        return (
            f"Whoever knows {known} of a person finds no part of a record here that is that person's "
            f"with a chance above 1 in {self.k}."
        )

    @property
    def limits(self) -> str:
        """What it does not guarantee, in words."""
        return (
            "It hides whose a sub-record is, not what it says: what all sub-records or terms that may be a person's "
            "have in common is disclosed, and where most of them agree, it is likely. A term is mostly an item of "
            f"fewer than {self.k} records of its cluster: whoever knows that a person has a rare item may find its "
            "clusters, and with them a short list of other items. It takes all possible data for equally likely: "
            "whoever knows how items go together, or repeats the whole method on the possible data, may come to "
            f"probabilities above 1/{self.k}. It says nothing about an attacker who knows more items, or which items a "
            "person does not have, or records of others in the cluster."
        )

    @property
    def limits_in_short(self) -> str:
        """What an owner should know first of what it does not guarantee."""
        return "What the items of a cluster have in common is told of everybody in it; who knows more may link."
