"""rho-uncertainty of transaction data (Cao, Karras, Raïssi, Tan, VLDB 2010), for antecedents of at most m items."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from anonset.data.decimals import Written, exact, require_between_0_and_1, shortest_text
from anonset.privacy.model import NEGATIVE, Labels, Part, PrivacyModel, Size
from anonset.spelling import counted


@dataclass(frozen=True)
class RhoUncertainty(PrivacyModel):
    """An attacker who knows up to `m` items of a person infers every other sensitive item with probability below rho.

    The known items may be sensitive. Consider any set of at most `m` symbols with support above 0. Of the records that
    contain the set, less than the share `rho` contains the same sensitive item outside the set. `LmDiversity` is a
    similar model that only considers sets without sensitive items. Its share may also equal the bound 1/l.

    >>> RhoUncertainty(0.5, 2, ("hiv",)).share
    Fraction(1, 2)
    """

    name: ClassVar[str] = "rho"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})

    secrets_beside = True
    needs_secrets = True
    secrets_may_go = True

    rho: Annotated[
        Written,
        "Upper bound on the share of the matching records with a sensitive item (0 < rho <= 1). The value is used "
        "without rounding.",
    ]
    m: Annotated[Size, "Maximum number of items that the attacker knows (>= 1)."]
    sensitive_items: Annotated[
        Labels, "Items that must not be inferred. They are published unchanged or suppressed."
    ] = ()
    strict: Annotated[bool, "True if the share must be below rho. False if the share may also equal rho."] = True
    from_nothing: Annotated[
        bool,
        "True if the bound also applies to an attacker who knows no item. The share of all records with the same "
        "sensitive item must then be below rho.",
    ] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rho", require_between_0_and_1("rho", self.rho, above_0=True))

    def __str__(self) -> str:
        loose = "" if self.strict else ", rho allowed"
        knowledge = "" if self.from_nothing else ", of those who know an item"
        sensitive = counted(len(self.sensitive_items), "sensitive item")
        return f"rho-uncertainty with rho={shortest_text(self.rho)}, m={self.m}, {sensitive}{loose}{knowledge}"

    @property
    def share(self) -> Fraction:
        """The parameter `rho` as an exact fraction: 0.1 is one tenth."""
        return exact(self.rho)

    @property
    def sizes(self) -> range:
        """Sizes of the itemsets that an attacker may know."""
        return range(0 if self.from_nothing else 1, self.m + 1)

    @property
    def inference(self) -> str:
        """Bound on inferring a sensitive item."""
        items = counted(self.m, "item")
        items = f"up to {items}" if self.from_nothing else items if self.m == 1 else f"1 to {items}"
        bound = f"{'less than' if self.strict else 'at most'} {shortest_text(self.rho)}"
        return (
            f"Someone who knows {items} of a person, including sensitive items, finds each other sensitive item in a "
            f"share of {bound} of the matching records."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            "The model requires no minimum number of matching records: a single record may match. Someone who knows "
            f"more than {counted(self.m, 'item')} may infer a sensitive item. A non-sensitive item that all matching "
            f"records share is disclosed. {NEGATIVE} Someone who knows that items are suppressed may guess which items "
            "are missing."
        )
