"""Recodings: the decisions of an algorithm as arrays. A recoding applied to a table gives a publication."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anonset.data import Hierarchy, SetColumn, Vocabulary, spans
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.redacted_repr import RedactedRepr, names_shown
from anonset.publications.symbols import Symbol, group_symbol, node_symbol

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Cut(RedactedRepr):
    """A hierarchy cut. Each leaf is published unchanged, replaced by an ancestor node, or suppressed."""

    hierarchy: Hierarchy
    image: Int32
    """Node that replaces each leaf, int32 (M,). -1 if the leaf is suppressed."""

    def __repr__(self) -> str:
        suppressed = int(np.count_nonzero(self.image == SUPPRESSED))
        return f"Cut({len(self.image):,} items as {len(self.nodes):,} nodes, {suppressed:,} suppressed)"

    @cached_property
    def nodes(self) -> Int32:
        """Distinct published nodes, in preorder, int32."""
        is_published = np.zeros(self.hierarchy.n_nodes + 1, np.bool_)  # suppressed leaves (-1) set the last element
        is_published[self.image] = True
        return np.flatnonzero(is_published[:-1]).astype(np.int32)

    @cached_property
    def sizes(self) -> Int64:
        """Number of published leaves below each node, int64 (n_nodes,)."""
        n_published = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.image != SUPPRESSED, dtype=np.int64)])
        sizes: Int64 = n_published[self.hierarchy.leaf_hi] - n_published[self.hierarchy.leaf_lo]
        return sizes

    @property
    def labels(self) -> list[str]:
        """Labels of the published nodes, in preorder."""
        return [self.hierarchy.labels[v] for v in self.nodes.tolist()]

    @property
    def suppressed(self) -> list[str]:
        """Labels of the suppressed items."""
        return [self.hierarchy.leaves.labels[p] for p in np.flatnonzero(self.image == SUPPRESSED).tolist()]

    @classmethod
    def identity(cls, hierarchy: Hierarchy) -> "Cut":
        """Return the cut that publishes every leaf unchanged."""
        return cls.of(hierarchy, np.empty(0, np.int32))

    @classmethod
    def of(cls, hierarchy: Hierarchy, nodes: Int32) -> "Cut":
        """Return the cut that publishes the given nodes, int32, and all other leaves unchanged.

        No given node may be a descendant of another given node.
        """
        image = hierarchy.leaf_node.copy()
        for node in nodes.tolist():
            image[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]] = node
        return cls(hierarchy, image)


@dataclass(frozen=True, eq=False)
class ItemGroups(RedactedRepr):
    """A partition of the items. Each item is published as its group, or suppressed."""

    vocabulary: Vocabulary
    group: Int32
    """Group of each item, int32 (M,). Groups are numbered by first item. -1 if the item is suppressed."""

    def __repr__(self) -> str:
        suppressed = int(np.count_nonzero(self.group == SUPPRESSED))
        return f"ItemGroups({len(self.group):,} items in {len(self.members):,} groups, {suppressed:,} suppressed)"

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """Ascending item codes of each group. Groups are sorted by first item."""
        items_of_group: dict[int, list[int]] = {}
        for item, group in enumerate(self.group.tolist()):
            if group != SUPPRESSED:
                items_of_group.setdefault(group, []).append(item)
        return tuple(tuple(items_of_group[group]) for group in sorted(items_of_group))

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """Member labels per group."""
        return [tuple(self.vocabulary.labels[i] for i in members) for members in self.members]

    @property
    def suppressed(self) -> list[str]:
        """Labels of the suppressed items."""
        return [self.vocabulary.labels[i] for i in np.flatnonzero(self.group == SUPPRESSED).tolist()]

    @classmethod
    def identity(cls, vocabulary: Vocabulary) -> "ItemGroups":
        """Return the recoding that publishes every item unchanged."""
        return cls(vocabulary, np.arange(len(vocabulary), dtype=np.int32))


@dataclass(frozen=True, eq=False)
class RelationalValues(RedactedRepr):
    """Published values of a relational column, per cluster."""

    name: str
    labels: tuple[str, ...]
    """Published text of each cluster, which is a value, a node label, ``[low:high]`` or ``(a,b,c)``."""


@dataclass(frozen=True, eq=False)
class Parts(RedactedRepr):
    """Partition of a table. All records of a cluster are in the same part."""

    record: Int64
    """Record numbers, sorted by part and ascending within each part, int64 (n,)."""
    first: Int64
    """Start of each part in `record`, int64 (parts + 1,). The last element is the number of records."""
    cluster: Int64
    """First cluster of each part, int64 (parts + 1,). The last element is the number of clusters."""

    def __len__(self) -> int:
        return len(self.first) - 1


@dataclass(frozen=True, eq=False)
class PerCluster(RedactedRepr):
    """A local recoding, with an item mapping and relational values for each cluster of records."""

    cluster: Int32
    """Cluster of each record, int32 (n,)."""
    items: Sequence[Cut | ItemGroups]
    """Item mapping of each cluster. Empty if there is no set-valued column."""
    relational: tuple[RelationalValues, ...] = ()
    parts: Parts | None = None
    """Parts of the table. None if the table is not split."""

    def __repr__(self) -> str:
        names = f"; columns {names_shown(values.name for values in self.relational)}" if self.relational else ""
        return f"PerCluster({len(self.cluster):,} records in {self.n_clusters:,} clusters{names})"

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.cluster.max(initial=-1)) + 1

    def pieces(self) -> "Iterator[tuple[Int64 | None, PerCluster]]":
        """Yield the ascending records of each part, and their recoding. Without parts, yield None and `self`.

        A part with a single cluster is yielded in blocks of records.
        """
        if self.parts is None:
            yield None, self
            return
        first, cluster = self.parts.first.tolist(), self.parts.cluster.tolist()
        for (begin, end), (low, high) in zip(pairwise(first), pairwise(cluster), strict=True):
            values = tuple(RelationalValues(column.name, column.labels[low:high]) for column in self.relational)
            items = self.items[low:high]
            for a, b in spans.spans(end - begin, None if high == low + 1 else max(1, end - begin)):
                records = self.parts.record[begin + a : begin + b]
                yield records, PerCluster(self.cluster[records] - np.int32(low), items, values)


@dataclass(frozen=True, eq=False)
class Bucketized(RedactedRepr):
    """A grouping of tuples that separates identities from sensitive values."""

    group: Int32
    """Group of each tuple, int32 (n,). -1 if the tuple is removed."""
    starred: Bools
    """True for tuples whose identity is published as ``*``, bool (n,)."""

    def __repr__(self) -> str:
        removed, starred = int(np.count_nonzero(self.group == SUPPRESSED)), int(self.starred.sum())
        sizes = f"{len(self.group):,} tuples in {self.n_groups:,} groups"
        return f"Bucketized({sizes}, {starred:,} with a hidden identity, {removed:,} removed)"

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.group.max(initial=-1)) + 1


TERMS = -1
"""Value of `Disassociated.place` for an item that is in no chunk. The item is published as a term of its cluster."""


@dataclass(frozen=True, eq=False)
class Disassociated(RedactedRepr):
    """A disassociation. Each item of a cluster is published in a chunk, in a shared chunk, or as a term (in
    no chunk).
    """

    record: Int64
    """Record numbers, sorted by cluster and ascending within each cluster, int64 (n,)."""
    begins: Int64
    """Start of each cluster in `record`, int64 (clusters + 1,). The last element is the number of records."""
    in_cluster: Int32
    """Cluster of each pair of a cluster and an item, ascending, int32 (p,)."""
    item: Int32
    """Item of each pair, ascending within a cluster, int32 (p,). An item without a pair is suppressed."""
    place: Int32
    """Chunk of each pair, int32 (p,). -1 if the item is published as a term."""
    first: Int32
    """First cluster that uses each chunk, int32 (chunks,)."""
    last: Int32
    """Last cluster that uses each chunk, int32 (chunks,). It differs from the first cluster if several clusters share
    the chunk.
    """
    totals: Int32 | None = None
    """Terms whose record count is published, int32. None if no counts are published.

    Only the clusters that publish the item as a term are counted.
    """

    def __repr__(self) -> str:
        shared = int(np.count_nonzero(self.first < self.last))
        return f"Disassociated({len(self.record):,} records in {self.n_clusters:,} clusters, {shared:,} shared chunks)"

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.begins) - 1

    def pieces(self, column: SetColumn) -> "Iterator[ClusterPiece]":
        """Yield consecutive clusters together with their original records.

        A piece contains a power of `GROUPED` clusters. The last piece may contain fewer clusters.
        """
        for first, end in spans.spans(self.n_clusters, clusters_at_once(self.n_clusters, column)):
            begins = self.begins[first : end + 1]
            part = column.take(self.record[begins[0] : begins[-1]])
            low, high = np.searchsorted(self.in_cluster, (first, end)).tolist()
            keys = self.in_cluster[low:high].astype(np.int64) << _BITS | self.item[low:high]
            cluster = np.repeat(np.arange(first, end), np.diff(begins))
            pair_keys = np.repeat(cluster, part.lengths) << _BITS | part.items
            index = np.searchsorted(keys, pair_keys)
            is_there = np.append(keys, np.iinfo(np.int64).max)[index] == pair_keys
            place = np.where(is_there, np.append(self.place[low:high], 0)[index], LEFT_OUT)
            yield ClusterPiece(first, end, slice(low, high), part, place.astype(np.int32))


class ClusterPiece(NamedTuple):
    """A range of neighbouring clusters."""

    first: int
    end: int
    pairs: slice
    """Slice of the (cluster, item) pairs."""
    column: SetColumn
    """Records of the clusters, sorted by cluster."""
    place: Int32
    """Chunk of each item occurrence, int32 (occurrences,). -1 for a term, -2 for a suppressed item."""


GROUPED = 4
"""Number of neighbouring clusters, or of smaller groups, that form a group. Clusters of a group may share chunks."""


def clusters_at_once(n_clusters: int, column: SetColumn) -> int:
    """Return the number of clusters to process at once, a power of `GROUPED`.

    On average, so many clusters contain a few blocks of records.
    """
    clusters, elements = 1, column.n + len(column.codes)
    while clusters < n_clusters and GROUPED * clusters * elements <= GROUPED * spans.AT_ONCE * n_clusters:
        clusters *= GROUPED
    return clusters


_BITS = 32
LEFT_OUT = -2
"""Value of `ClusterPiece.place` for a suppressed item."""

Recoding = Cut | ItemGroups | PerCluster | Bucketized | Disassociated


def cut_symbol(cut: Cut, node: int) -> Symbol:
    """Return the symbol of a published node. If some leaves are suppressed, it is the set of the other leaves.

    >>> tree = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2", "a3"]), "b"]))
    >>> node = tree.node_of["A"]
    >>> cut_symbol(Cut(tree, np.array([node, node, -1, tree.node_of["b"]], np.int32)), node).members
    ('a1', 'a2')
    """
    tree = cut.hierarchy
    first, end = int(tree.leaf_lo[node]), int(tree.leaf_hi[node])
    published = np.flatnonzero(cut.image[first:end] != SUPPRESSED) + first
    if len(published) == end - first:
        return node_symbol(tree, node)
    return group_symbol(tuple(tree.leaves.labels[leaf] for leaf in published.tolist()))
