"""k^m-anonymity of every partition of a local recoding (Terrovitis et al., VLDB Journal 2011)."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.privacy.km import KmAnonymity


@dataclass(frozen=True)
class PartitionKmAnonymity(KmAnonymity):
    """Every set of at most `m` symbols that occurs in a partition, occurs in at least `k` of its records.

    It implies k^m-anonymity of the whole publication, whoever knows the partitions or not.
    """

    name: ClassVar[str] = "partition-km"
    recodes_locally: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"km-anonymity of each partition with k={self.k}, m={self.m}"

    @property
    def visible(self) -> KmAnonymity:
        """k^m-anonymity of the whole, since the partitions are not published."""
        return KmAnonymity(self.k, self.m)

    @property
    def limits(self) -> str:
        """What it does not guarantee, in words."""
        return (
            f"{super().limits} The same item may be published under several symbols in different partitions: counting "
            "symbols over the whole file misleads."
        )
