"""RFIRST of Poulis et al., ECML/PKDD 2013, section 3."""

from dataclasses import dataclass, replace
from typing import ClassVar

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.rt.base import RelationalFirst
from anonset.algorithms.rt.merging import Clusters
from anonset.algorithms.rt.results import publish
from anonset.data.progress import Progress


@dataclass(frozen=True, kw_only=True)
class RFirst(RelationalFirst):
    """RFIRST: form k-anonymous clusters, then anonymize the items of each cluster.

    Preserves relational values better than items.

    Guarantees (k, k^m)-anonymity. Cost: the time to form the clusters, and a run of the transaction algorithm for each
    cluster.

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, section 3.
    """

    name: ClassVar[str] = "rfirst"
    traits: ClassVar[Traits] = replace(RelationalFirst.traits, memory_factor=1.3)

    def merge_and_publish(self, clusters: Clusters, progress: Progress | None) -> Result:
        """Publish the initial clusters without merging."""
        return publish(clusters, {})
