"""Privacy constraints of Loukides, Gkoulalas-Divanis, Malin (2010), Definitions 3.3 and 3.4."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.errors import InputError
from anonset.privacy.model import NEGATIVE, SHARED, Part, PrivacyModel, Size, require_size
from anonset.privacy.policies import PrivacyPolicy
from anonset.spelling import counted


@dataclass(frozen=True)
class ConstraintSet(PrivacyModel):
    """Every subset of a protected itemset has support 0 or at least `k` in the publication.

    A policy lists the protected itemsets. If there is no policy, all itemsets of `m` items are protected.

    >>> print(ConstraintSet(5, PrivacyPolicy.of(["abc", "de"])))
    privacy constraint set with k=5, 2 protected itemsets
    >>> print(ConstraintSet(5, m=2))
    privacy constraint set with k=5, all itemsets of 2
    """

    name: ClassVar[str] = "constraints"
    protects: ClassVar[frozenset[Part]] = frozenset({"items"})
    reads_sets: ClassVar[bool] = True

    k: Annotated[
        Size,
        "Minimum number of records that contain a subset of a protected itemset (>= 1). It only applies if a record "
        "contains the subset.",
    ]
    policy: Annotated[PrivacyPolicy | None, "Protected itemsets. None if all itemsets of `m` items are protected."] = (
        None
    )
    m: Annotated[
        int | None,
        "Number of items of the protected itemsets (>= 1). None if a policy lists the protected itemsets.",
        require_size,
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.policy is None) == (self.m is None):
            msg = "privacy constraints require either a policy or m, got " + ("neither" if self.m is None else "both")
            raise InputError(msg)

    def __str__(self) -> str:
        protected = (
            f"all itemsets of {self.m}" if self.policy is None else counted(len(self.policy), "protected itemset")
        )
        return f"privacy constraint set with k={self.k}, {protected}"

    @property
    def singling_out(self) -> str:
        """Bound on singling out a record."""
        knowledge = (
            "items of a person" if self.policy is not None else f"up to {counted(self.m or 0, 'item')} of a person"
        )
        together = " that are in the same protected itemset" if self.policy is not None else ""
        return f"Someone who knows {knowledge}{together} finds at least {counted(self.k, 'matching record')}, or none."

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        more = f"more than {counted(self.m or 0, 'item')}"
        beyond = more if self.policy is None else "items that are not in the same protected itemset"
        return f"Someone who knows {beyond} may identify a person. {SHARED} {NEGATIVE}"
