"""Item mappings of many clusters. Only generalized items, or the nodes that replace them, are stored."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy, Vocabulary
from anonset.data.array_types import Int32
from anonset.data.labels.computed_sequence import ComputedSequence
from anonset.data.redacted_repr import RedactedRepr
from anonset.generalization.recoding import Cut, ItemGroups


@dataclass(frozen=True, eq=False)
class ClusterCuts(RedactedRepr, ComputedSequence[Cut]):
    """Cuts of many clusters. Only the inner nodes are stored, because most leaves are published unchanged."""

    hierarchy: Hierarchy
    nodes: tuple[Int32, ...]
    """Published inner nodes of each cluster, in preorder, int32."""

    def __len__(self) -> int:
        return len(self.nodes)

    def member(self, index: int) -> Cut:
        """Return the cut of a cluster."""
        return Cut.of(self.hierarchy, self.nodes[index])

    def part(self, indices: range) -> "ClusterCuts":
        """Return the cuts of some clusters."""
        return ClusterCuts(self.hierarchy, tuple(self.nodes[index] for index in indices))


@dataclass(frozen=True, eq=False)
class MappingsInParts(RedactedRepr, ComputedSequence[Cut | ItemGroups]):
    """Item mappings of the clusters of all parts.

    >>> found = MappingsInParts(([1, 2], [3]), (0, 2, 3))
    >>> len(found), list(found), found[2], found[0:2]
    (3, [1, 2, 3], 3, [1, 2])
    """

    of_part: tuple[Sequence[Cut | ItemGroups], ...]
    first: tuple[int, ...]
    """First cluster of each part. The last element is the number of clusters."""

    def __len__(self) -> int:
        return self.first[-1]

    def member(self, index: int) -> Cut | ItemGroups:
        """Return the mapping of a cluster."""
        part = bisect_right(self.first, index) - 1
        return self.of_part[part][index - self.first[part]]

    def part(self, indices: range) -> Sequence[Cut | ItemGroups]:
        """Return the mappings of some clusters. A complete part is not copied."""
        part = bisect_right(self.first, indices.start) - 1
        if part < len(self.of_part) and indices == range(self.first[part], self.first[part + 1]):
            return self.of_part[part]
        return super().part(indices)

    def __iter__(self) -> Iterator[Cut | ItemGroups]:
        return chain.from_iterable(self.of_part)


@dataclass(frozen=True, eq=False)
class MergedItems(RedactedRepr):
    """Item groups of one cluster, without groups of a single item.

    >>> merged = MergedItems.of(np.array([0, 3, 4], np.int32), np.array([0, 3, 3], np.int32))
    >>> merged.item.tolist(), merged.image(5).tolist()
    ([3, 4], [0, 1, 2, 3, 3])
    """

    item: Int32
    """Codes of the merged items, ascending, int32."""
    smallest: Int32
    """Smallest item in the group of each merged item, int32."""

    @classmethod
    def of(cls, item: NDArray[np.integer], smallest: NDArray[np.integer]) -> "MergedItems":
        """Create merged items from each item and the smallest item in its group."""
        merged = np.isin(smallest, smallest[item != smallest])
        return cls(item[merged].astype(np.int32), smallest[merged].astype(np.int32))

    def image(self, n_items: int) -> Int32:
        """Return the smallest item of each item's group, int32 (M,)."""
        image = np.arange(n_items, dtype=np.int32)
        image[self.item] = self.smallest
        return image


@dataclass(frozen=True, eq=False)
class ClusterGroups(RedactedRepr, ComputedSequence[ItemGroups]):
    """Item groups of many clusters, stored as merged items."""

    vocabulary: Vocabulary
    merged: tuple[MergedItems, ...]

    def __len__(self) -> int:
        return len(self.merged)

    def member(self, index: int) -> ItemGroups:
        """Return the groups of a cluster."""
        image = self.merged[index].image(len(self.vocabulary))
        return ItemGroups(self.vocabulary, np.unique(image, return_inverse=True)[1].reshape(-1).astype(np.int32))

    def part(self, indices: range) -> "ClusterGroups":
        """Return the groups of some clusters."""
        return ClusterGroups(self.vocabulary, tuple(self.merged[index] for index in indices))
