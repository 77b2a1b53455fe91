"""l^m-diversity of transaction data, and (k, l^m)-diversity of relational-transaction data (Poulis et al. 2013)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.privacy.model import NEGATIVE, Labels, Part, PrivacyModel, Size
from anonset.spelling import counted


@dataclass(frozen=True)
class LmDiversity(PrivacyModel):
    """An attacker who knows up to `m` non-sensitive items infers no sensitive item with probability above 1/l.

    A set of at most `m` published symbols of non-sensitive items has support 0 or at least `k`. At most 1/l of the
    records that contain the set contain the same sensitive item. The empty set must also satisfy this condition.
    """

    name: ClassVar[str] = "lm"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})
    secrets_beside = True
    needs_secrets = True
    _called: ClassVar[str] = "lm-diversity"
    _knows: ClassVar[str] = ""
    _further: ClassVar[str] = "or a sensitive item"
    """Parts of the sentences about the model and its attacker."""

    k: Annotated[
        Size,
        "Minimum number of matching records (>= 1). If k is 1, the model only limits the share of sensitive items.",
    ]
    l: Annotated[Size, "At most 1/l of the matching records may contain the same sensitive item (l >= 1)."]  # noqa: E741
    m: Annotated[Size, "Maximum number of non-sensitive items that the attacker knows (>= 1)."]
    sensitive_items: Annotated[Labels, "Items that must not be inferred. They are published unchanged."] = ()

    def __str__(self) -> str:
        sensitive = counted(len(self.sensitive_items), "sensitive item")
        return f"{self._called} with k={self.k}, l={self.l}, m={self.m}, {sensitive}"

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows at most m non-sensitive items and no quasi-identifier."""
        return 1 / self.k if not values and 0 < items <= self.m else None

    @property
    def singling_out(self) -> str:
        """Bound on singling out a record."""
        return (
            f"Someone who knows {self._knows}up to {counted(self.m, 'non-sensitive item')} of a person finds at least "
            f"{counted(self.k, 'matching record')}, or none."
        )

    @property
    def inference(self) -> str:
        """Bound on inferring a sensitive item."""
        return f"Each sensitive item occurs in at most 1/{self.l} of these records."

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            f"Someone who knows more than {counted(self.m, 'non-sensitive item')}, {self._further}, may identify a "
            f"person. A non-sensitive item that all matching records share is disclosed. {NEGATIVE}"
        )


@dataclass(frozen=True)
class KLmDiversity(LmDiversity):
    """l^m-diversity of every equivalence class. The attacker also knows all relational values."""

    name: ClassVar[str] = "klm"
    protects: ClassVar[frozenset[Part]] = frozenset({"items", "relational"})
    _called: ClassVar[str] = "(k,lm)-diversity"
    _knows: ClassVar[str] = "all quasi-identifiers and "
    _further: ClassVar[str] = "a sensitive item, or values of other columns"

    def promises(self, values: bool, items: int) -> float | None:
        """Return 1/k for an attacker who knows quasi-identifiers and at most m non-sensitive items."""
        return 1 / self.k if items <= self.m else None
