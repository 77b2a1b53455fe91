"""(h, k, p)-coherence of transaction data with public and private items (Xu, Wang, Fu, Yu, KDD 2008)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from anonset.data.decimals import Written, exact, require_between_0_and_1, shortest_text
from anonset.privacy.model import NEGATIVE, SHARED, Labels, Part, PrivacyModel, Size
from anonset.spelling import counted


@dataclass(frozen=True)
class Coherence(PrivacyModel):
    """Any set of at most `p` public items has support 0 or at least `k`, and discloses no private item.

    Of the records that contain a set of public items, at most the share `h` contains the same private item. Without
    private items and with h = 1, the model is k^m-anonymity with m = p.

    >>> Coherence(h=0.5, k=2, p=1, sensitive_items=("hiv",)).share
    Fraction(1, 2)
    """

    name: ClassVar[str] = "coherence"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})

    h: Annotated[
        Written,
        "Maximum share of the matching records with the same private item (0 < h <= 1). The value is used without "
        "rounding.",
    ]
    k: Annotated[
        Size,
        "Minimum number of records that match the knowledge of the attacker (>= 1). It only applies if a record "
        "matches.",
    ]
    p: Annotated[Size, "Maximum number of public items that the attacker knows (>= 1)."]
    sensitive_items: Annotated[Labels, "Private items. All other items are public."] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "h", require_between_0_and_1("h", self.h, above_0=True))

    def __str__(self) -> str:
        private = f", {counted(len(self.sensitive_items), 'private item')}" if self.sensitive_items else ""
        return f"coherence with h={shortest_text(self.h)}, k={self.k}, p={self.p}{private}"

    @property
    def share(self) -> Fraction:
        """The parameter `h` as an exact fraction: 0.1 is one tenth."""
        return exact(self.h)

    @property
    def _known(self) -> str:
        return "non-sensitive item" if self.sensitive_items else "item"

    @property
    def singling_out(self) -> str:
        """Bound on singling out a record."""
        knowledge = counted(self.p, self._known) if self.p == 1 else f"1 to {counted(self.p, self._known)}"
        records = counted(self.k, "matching record")
        return f"Someone who knows {knowledge} of a person finds at least {records}, or none."

    @property
    def inference(self) -> str:
        """Bound on inferring a sensitive item. Empty if there are no sensitive items, or if `h` is 1."""
        if not self.sensitive_items or self.share == 1:
            return ""
        return f"Each sensitive item occurs in a share of at most {shortest_text(self.h)} of these records."

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        sensitive = ", or a sensitive item," if self.sensitive_items else ""
        more = f"Someone who knows more than {counted(self.p, self._known)}{sensitive} may identify a person."
        unchanged = "Sensitive items are published unchanged."
        if not self.sensitive_items:
            unchanged = f"No item is declared sensitive, so the maximum share {shortest_text(self.h)} has no effect."
        return f"{more} {SHARED} {NEGATIVE} {unchanged}"
