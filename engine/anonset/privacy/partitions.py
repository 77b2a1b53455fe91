"""k^m-anonymity of every partition of a local recoding (Terrovitis et al., VLDB Journal 2011)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.privacy.km import KmAnonymity


@dataclass(frozen=True)
class PartitionKmAnonymity(KmAnonymity):
    """Any set of at most `m` symbols has support 0 or at least `k` in each partition.

    The publication is therefore k^m-anonymous, even if the attacker knows the partitions.
    """

    name: ClassVar[str] = "partition-km"
    recodes_locally: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"km-anonymity of each partition with k={self.k}, m={self.m}"

    @property
    def visible(self) -> KmAnonymity:
        """k^m-anonymity of the complete publication. It can be verified without the partitions, which are not
        published.
        """
        return KmAnonymity(self.k, self.m)

    @property
    def limits(self) -> str:
        """Limits of the guarantee."""
        return (
            f"{super().limits} Partitions may publish the same item as different symbols, so symbol counts over the "
            "complete file are misleading."
        )
