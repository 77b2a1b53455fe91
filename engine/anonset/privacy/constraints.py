"""Privacy constraints of Loukides, Gkoulalas-Divanis, Malin (2010), Definitions 3.3 and 3.4."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.errors import InputError
from anonset.privacy.model import Part, PrivacyModel, require_size
from anonset.privacy.policies import PrivacyPolicy
from anonset.spelling import counted


@dataclass(frozen=True)
class ConstraintSet(PrivacyModel):
    """Every subset of a protected itemset has support 0 or at least `k` in the publication.

    The protected itemsets are those of a policy, or all itemsets of `m` items.

    >>> print(ConstraintSet(5, PrivacyPolicy.of(["abc", "de"])))
    privacy constraints with k=5, 2 protected itemsets
    >>> print(ConstraintSet(5, m=2))
    privacy constraints with k=5, all itemsets of 2
    """

    name: ClassVar[str] = "constraints"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})
    reads_sets: ClassVar[bool] = True

    k: int
    """Minimum support of a subset of a protected itemset that occurs (>= 1)."""
    policy: PrivacyPolicy | None = None
    """Protected itemsets, or None if `m` defines them."""
    m: int | None = None
    """Size of the protected itemsets: all itemsets of `m` items (>= 1), or None if `policy` defines them."""

    def __post_init__(self) -> None:
        require_size("k", self.k)
        if (self.policy is None) == (self.m is None):
            msg = "privacy constraints must be given by exactly one of a policy and m, got " + (
                "neither" if self.m is None else "both"
            )
            raise InputError(msg)
        if self.m is not None:
            require_size("m", self.m)

    @property
    def itemsets(self) -> PrivacyPolicy | None:
        """Protected itemsets of the policy, or None for all itemsets of `m` items."""
        return self.policy

    def __str__(self) -> str:
        what = f"all itemsets of {self.m}" if self.policy is None else counted(len(self.policy), "protected itemset")
        return f"privacy constraints with k={self.k}, {what}"

    @property
    def statement(self) -> str:
        """Guarantee of the model, as a sentence."""
        known = f"up to {counted(self.m or 0, 'item')}" if self.policy is None else "any items of one protected itemset"
        return (
            f"Whoever knows {known} of a person's record, and that the person is in the data, "
            f"finds at least {self.k} published records that match, or none."
        )

    @property
    def in_plain_words(self) -> str:
        """Guarantee of the model, for laypeople."""
        listed = f"up to {counted(self.m or 0, 'item')} of somebody"
        known = listed if self.policy is None else "items of somebody that the owner listed together"
        return (
            f"Whoever knows {known} cannot pick out that person's record by them: at least {self.k} records fit "
            "equally, or none does."
        )

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        beyond = (
            f"more than {counted(self.m or 0, 'item')}"
            if self.policy is None
            else "items that are not together in a protected itemset: these are as linkable as they were"
        )
        return (
            f"It says nothing about an attacker who knows {beyond}, or who knows that a person does NOT have an item; "
            "nor about what the matching records have in common: an item that all of them share is disclosed. "
            "Columns that are kept as they are count neither as known nor as hidden."
        )
