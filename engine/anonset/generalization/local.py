"""The mappings of many clusters, each held as its changes alone."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import overload

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy, Vocabulary
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32
from anonset.generalization.recoding import Cut, ItemGroups


@dataclass(frozen=True, eq=False)
class ClusterCuts(Discreet, Sequence[Cut]):
    """The cuts of many clusters, each held as its inner nodes alone: most leaves stay as they are."""

    hierarchy: Hierarchy
    nodes: tuple[Int32, ...]
    """int32 each: the inner nodes that a cluster publishes, in preorder."""

    def __len__(self) -> int:
        return len(self.nodes)

    @overload
    def __getitem__(self, index: int) -> Cut: ...

    @overload
    def __getitem__(self, index: slice) -> "ClusterCuts": ...

    def __getitem__(self, index: int | slice) -> "Cut | ClusterCuts":
        if isinstance(index, slice):
            return ClusterCuts(self.hierarchy, self.nodes[index])
        return Cut.of(self.hierarchy, self.nodes[index])

    def __iter__(self) -> Iterator[Cut]:
        return (self[index] for index in range(len(self)))


@dataclass(frozen=True, eq=False)
class MappingsInParts(Discreet, Sequence[Cut | ItemGroups]):
    """The mappings of clusters, part after part.

    >>> found = MappingsInParts(([1, 2], [3]), (0, 2, 3))
    >>> len(found), list(found), found[2], found[0:2]
    (3, [1, 2, 3], 3, [1, 2])
    """

    of_part: tuple[Sequence[Cut | ItemGroups], ...]
    """The mappings of each part."""
    first: tuple[int, ...]
    """The first cluster of each part, and the number of all."""

    def __len__(self) -> int:
        return self.first[-1]

    @overload
    def __getitem__(self, index: int) -> Cut | ItemGroups: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Cut | ItemGroups]: ...

    def __getitem__(self, index: int | slice) -> Cut | ItemGroups | Sequence[Cut | ItemGroups]:
        if isinstance(index, slice):
            part = bisect_right(self.first, index.start or 0) - 1
            if (index.start, index.stop, index.step) == (*self.first[part : part + 2], None):
                return self.of_part[part]
            return [self[cluster] for cluster in range(*index.indices(len(self)))]
        part = bisect_right(self.first, index) - 1
        return self.of_part[part][index - self.first[part]]

    def __iter__(self) -> Iterator[Cut | ItemGroups]:
        return chain.from_iterable(self.of_part)


@dataclass(frozen=True, eq=False)
class MergedItems(Discreet):
    """The groups of one cluster, without the items that stay on their own.

    >>> merged = MergedItems.of(np.array([0, 3, 4], np.int32), np.array([0, 3, 3], np.int32))
    >>> merged.item.tolist(), merged.image(5).tolist()
    ([3, 4], [0, 1, 2, 3, 3])
    """

    item: Int32
    """int32: codes of the merged items, ascending."""
    smallest: Int32
    """int32: the smallest item of the group of each."""

    @classmethod
    def of(cls, item: NDArray[np.integer], smallest: NDArray[np.integer]) -> "MergedItems":
        """Keep what is needed of the smallest group member of each item."""
        merged = np.isin(smallest, smallest[item != smallest])
        return cls(item[merged].astype(np.int32), smallest[merged].astype(np.int32))

    def image(self, n_items: int) -> Int32:
        """int32 (M,): the smallest item of each item's group."""
        image = np.arange(n_items, dtype=np.int32)
        image[self.item] = self.smallest
        return image


@dataclass(frozen=True, eq=False)
class ClusterGroups(Discreet, Sequence[ItemGroups]):
    """The item groups of many clusters, each held as its merged items alone."""

    vocabulary: Vocabulary
    merged: tuple[MergedItems, ...]
    """Per cluster."""

    def __len__(self) -> int:
        return len(self.merged)

    @overload
    def __getitem__(self, index: int) -> ItemGroups: ...

    @overload
    def __getitem__(self, index: slice) -> "ClusterGroups": ...

    def __getitem__(self, index: int | slice) -> "ItemGroups | ClusterGroups":
        if isinstance(index, slice):
            return ClusterGroups(self.vocabulary, self.merged[index])
        image = self.merged[index].image(len(self.vocabulary))
        return ItemGroups(self.vocabulary, np.unique(image, return_inverse=True)[1].reshape(-1).astype(np.int32))

    def __iter__(self) -> Iterator[ItemGroups]:
        return (self[index] for index in range(len(self)))
