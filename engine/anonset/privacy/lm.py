"""l^m-diversity of transaction data, and (k, l^m)-diversity of relational-transaction data (Poulis et al. 2013)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.privacy.model import Part, PrivacyModel, require_size
from anonset.privacy.sensitive import require_labels
from anonset.spelling import counted


@dataclass(frozen=True)
class LmDiversity(PrivacyModel):
    """Whoever knows up to `m` non-sensitive items cannot tell a sensitive item with a chance above 1/l.

    Every set of at most `m` published symbols of non-sensitive items, the empty one included, that occurs in the
    data occurs in at least `k` records, and no sensitive item in more than one of `l` of them.
    """

    name: ClassVar[str] = "lm"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})
    secrets_beside = True

    k: int
    """Smallest number of records that match (>= 1; 1 asks for diversity alone)."""
    l: int  # noqa: E741
    """A sensitive item is in at most one of `l` of the records that match (>= 1)."""
    m: int
    """Largest number of non-sensitive items the attacker knows (>= 1)."""
    sensitive_items: tuple[str, ...] = ()
    """Items that must not be told; published as they are."""

    def __post_init__(self) -> None:
        require_size("k", self.k)
        require_size("l", self.l)
        require_size("m", self.m)
        require_labels("sensitive_items", self.sensitive_items)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The items that must not be told."""
        return self.sensitive_items

    @property
    def diversity(self) -> int:
        """The parameter l."""
        return self.l

    @property
    def needs_secrets(self) -> bool:
        """True: it is about nothing else."""
        return True

    def __str__(self) -> str:
        sensitive = counted(len(self.sensitive_items), "sensitive item")
        return f"lm-diversity with k={self.k}, l={self.l}, m={self.m}, {sensitive}"

    @property
    def statement(self) -> str:
        """What the model guarantees, in words."""
        return (
            f"Whoever knows up to {counted(self.m, 'non-sensitive item')} of a person's record, and that the person "
            "is in the "
            f"data, finds at least {self.k} published records that match, or none, and no sensitive item in more than "
            f"one of {self.l} of them."
        )

    @property
    def in_plain_words(self) -> str:
        """What it guarantees, for people who read no papers."""
        return (
            f"Whoever knows up to {counted(self.m, 'ordinary item')} of somebody cannot pick out that person's record "
            "(at least "
            f"{self.k} fit, or none), nor tell a sensitive item: at most 1 of {self.l} records that fit has it."
        )

    @property
    def limits(self) -> str:
        """What it does not guarantee, in words."""
        return (
            f"It says nothing about an attacker who knows more than {counted(self.m, 'non-sensitive item')}, or a "
            "sensitive "
            "one, or who knows that a person does NOT have an item; nor about what else the matching records have in "
            "common: a non-sensitive item that all of them share is disclosed. Columns that are kept as they are count "
            "neither as known nor as hidden."
        )


@dataclass(frozen=True)
class KLmDiversity(LmDiversity):
    """The same for whoever knows all relational values, too: l^m-diversity of every class that shares them."""

    name: ClassVar[str] = "klm"
    protects: ClassVar[frozenset[Part]] = frozenset({"items", "relational"})

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows quasi-identifiers and at most m non-sensitive items."""
        return 1 / self.k if items <= self.m else None

    def __str__(self) -> str:
        return super().__str__().replace("lm-diversity", "(k,lm)-diversity", 1)

    @property
    def statement(self) -> str:
        """What the model guarantees, in words."""
        return (
            f"Whoever knows all relational values of a person and up to {counted(self.m, 'non-sensitive item')} of "
            "that "
            f"person's record, and that the person is in the data, finds at least {self.k} published records that "
            f"match, and no sensitive item in more than one of {self.l} of them."
        )

    @property
    def in_plain_words(self) -> str:
        """What it guarantees, for people who read no papers."""
        return (
            f"Whoever knows these attributes of somebody, and up to {counted(self.m, 'ordinary item')}, cannot pick "
            "out that "
            f"person's record (at least {self.k} fit), nor tell a sensitive item: at most 1 of {self.l} records that "
            "fit has it."
        )
