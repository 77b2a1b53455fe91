"""(h, k, p)-coherence of transaction data with public and private items (Xu, Wang, Fu, Yu, KDD 2008)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from anonset.data.decimals import Written, exact, require_between_0_and_1, shown
from anonset.privacy.model import Part, PrivacyModel, require_size
from anonset.privacy.sensitive import require_labels
from anonset.spelling import counted


@dataclass(frozen=True)
class Coherence(PrivacyModel):
    """Any set of at most `p` public items has support `k` or 0, and discloses no private item.

    At most the share `h` of the records that contain a set of public items contains the same private item. Without
    private items and with h = 1, this is k^m-anonymity with m = p.

    >>> Coherence(h=0.5, k=2, p=1, sensitive_items=("hiv",)).share
    Fraction(1, 2)
    """

    name: ClassVar[str] = "coherence"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})

    h: Written
    """Maximum share of the matching records with the same private item (0 < h <= 1), exactly as written."""
    k: int
    """Minimum support of a set of public items that occurs (>= 1)."""
    p: int
    """Maximum number of public items that the attacker knows (>= 1)."""
    sensitive_items: tuple[str, ...] = ()
    """Private items; all others are public."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "h", require_between_0_and_1("h", self.h, above_0=True))
        require_size("k", self.k)
        require_size("p", self.p)
        require_labels("sensitive_items", self.sensitive_items)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Private items."""
        return self.sensitive_items

    def __str__(self) -> str:
        private = f", {counted(len(self.sensitive_items), 'private item')}" if self.sensitive_items else ""
        return f"coherence with h={shown(self.h)}, k={self.k}, p={self.p}{private}"

    @property
    def share(self) -> Fraction:
        """Exact fraction of `h` as written: 0.1 is one tenth."""
        return exact(self.h)

    @property
    def statement(self) -> str:
        """Guarantee of the model, as a sentence."""
        text = (
            f"Whoever knows up to {counted(self.p, 'public item')} of a person's record, and that the person is in "
            "the data, "
            f"finds at least {self.k} published records that match, or none"
        )
        if not self.sensitive_items:
            return f"{text}. No item is private, so that a share of at most {shown(self.h)} is asked of none."
        return f"{text}; and no private item is in more than {shown(self.h)} of the records that match."

    @property
    def in_plain_words(self) -> str:
        """Guarantee of the model, for laypeople."""
        text = (
            f"Whoever knows up to {counted(self.p, 'public item')} of somebody cannot pick out that person's record: "
            "at least "
            f"{self.k} fit equally, or none does"
        )
        if not self.sensitive_items:
            return f"{text}."
        return f"{text}; nor tell a private item: it is in no more than {shown(self.h)} of those that fit."

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            f"It says nothing about an attacker who knows more than {counted(self.p, 'public item')}, or a private "
            "one, or who "
            "knows that a person does NOT have an item; nor about what else the matching records have in common: a "
            "public item that all of them share is disclosed. Private items are published as they are. Columns that "
            "are kept as they are count neither as known nor as hidden."
        )
