"""Recodings: the decisions of an algorithm, as arrays. Applying one to its table gives a publication."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy, SetColumn, Vocabulary, spans
from anonset.data.redacted_repr import Discreet, names_shown
from anonset.data.table import Int32, Int64
from anonset.publications.symbols import Symbol, group_symbol, node_symbol

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Cut(Discreet):
    """A hierarchy cut: each leaf is published as a node above it, or suppressed."""

    hierarchy: Hierarchy
    image: Int32
    """int32 (M,): the node that replaces each leaf; -1 where the leaf is suppressed."""

    def __repr__(self) -> str:
        suppressed = int(np.count_nonzero(self.image == SUPPRESSED))
        return f"Cut({len(self.image):,} items as {len(self.nodes):,} nodes, {suppressed:,} suppressed)"

    @cached_property
    def nodes(self) -> Int32:
        """int32: the distinct published nodes, in preorder."""
        shown = np.zeros(self.hierarchy.n_nodes + 1, np.bool_)  # what is suppressed shows in the last place
        shown[self.image] = True
        return np.flatnonzero(shown[:-1]).astype(np.int32)

    @cached_property
    def sizes(self) -> Int64:
        """int64 (n_nodes,): the leaves below each node that are not suppressed."""
        shown = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.image != SUPPRESSED, dtype=np.int64)])
        sizes: Int64 = shown[self.hierarchy.leaf_hi] - shown[self.hierarchy.leaf_lo]
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
        """Return the cut that publishes every leaf as it is."""
        return cls.of(hierarchy, np.empty(0, np.int32))

    @classmethod
    def of(cls, hierarchy: Hierarchy, nodes: Int32) -> "Cut":
        """Return the cut that publishes some nodes, int32, none below another, and all other leaves as they are."""
        image = hierarchy.leaf_node.copy()
        for node in nodes.tolist():
            image[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]] = node
        return cls(hierarchy, image)


@dataclass(frozen=True, eq=False)
class ItemGroups(Discreet):
    """A partition of the items: each is published as its group, or suppressed."""

    vocabulary: Vocabulary
    group: Int32
    """int32 (M,): group of each item, groups numbered by their smallest item; -1 where it is suppressed."""

    def __repr__(self) -> str:
        suppressed = int(np.count_nonzero(self.group == SUPPRESSED))
        return f"ItemGroups({len(self.group):,} items in {len(self.members):,} groups, {suppressed:,} suppressed)"

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """Item codes of each group, ascending; groups in the order of their smallest item."""
        items_of_group: dict[int, list[int]] = {}
        for item, group in enumerate(self.group.tolist()):
            if group != SUPPRESSED:
                items_of_group.setdefault(group, []).append(item)
        return tuple(tuple(items_of_group[group]) for group in sorted(items_of_group))

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """Labels of each group's members."""
        return [tuple(self.vocabulary.labels[i] for i in members) for members in self.members]

    @property
    def suppressed(self) -> list[str]:
        """Labels of the suppressed items."""
        return [self.vocabulary.labels[i] for i in np.flatnonzero(self.group == SUPPRESSED).tolist()]

    @classmethod
    def identity(cls, vocabulary: Vocabulary) -> "ItemGroups":
        """Return the recoding that publishes every item as it is."""
        return cls(vocabulary, np.arange(len(vocabulary), dtype=np.int32))


@dataclass(frozen=True, eq=False)
class RelationalValues(Discreet):
    """The published values of one relational column, one per cluster."""

    name: str
    labels: tuple[str, ...]
    """Published text per cluster: a value, a node's label, ``[low:high]`` or ``(a,b,c)``."""


@dataclass(frozen=True, eq=False)
class Parts(Discreet):
    """The parts of a table, each of which has clusters of its own."""

    record: Int64
    """int64 (n,): the records, part after part, ascending in each."""
    first: Int64
    """int64 (parts + 1,): where the records of each part begin."""
    cluster: Int64
    """int64 (parts + 1,): the first cluster of each part."""

    def __len__(self) -> int:
        return len(self.first) - 1


@dataclass(frozen=True, eq=False)
class PerCluster(Discreet):
    """A local recoding: every cluster of records has its own mapping of items and its own relational values."""

    cluster: Int32
    """int32 (n,): cluster of each record."""
    items: Sequence[Cut | ItemGroups]
    """Mapping of the items, one per cluster; empty where there is no set-valued column."""
    relational: tuple[RelationalValues, ...] = ()
    """Published relational values."""
    parts: Parts | None = None
    """The parts that the table is split into; None: it is not split."""

    def __repr__(self) -> str:
        names = f"; columns {names_shown(values.name for values in self.relational)}" if self.relational else ""
        return f"PerCluster({len(self.cluster):,} records in {self.n_clusters:,} clusters{names})"

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.cluster.max(initial=-1)) + 1

    def pieces(self) -> "Iterator[tuple[Int64 | None, PerCluster]]":
        """Yield the records of each part, ascending, and the recoding of these; without parts None and the whole.

        A part that is a single cluster comes some records at a time.
        """
        if self.parts is None:
            yield None, self
            return
        first, cluster = self.parts.first.tolist(), self.parts.cluster.tolist()
        for (begin, end), (low, high) in zip(pairwise(first), pairwise(cluster), strict=True):
            values = tuple(RelationalValues(one.name, one.labels[low:high]) for one in self.relational)
            items = self.items[low:high]
            for a, b in spans.spans(end - begin, None if high == low + 1 else max(1, end - begin)):
                records = self.parts.record[begin + a : begin + b]
                yield records, PerCluster(self.cluster[records] - np.int32(low), items, values)


@dataclass(frozen=True, eq=False)
class Bucketized(Discreet):
    """A grouping of tuples that separates identities from sensitive values."""

    group: Int32
    """int32 (n,): group of each tuple; -1 where the tuple is removed."""
    starred: NDArray[np.bool_]
    """bool (n,): tuples whose identity is published as ``*``."""

    def __repr__(self) -> str:
        removed, starred = int(np.count_nonzero(self.group == SUPPRESSED)), int(self.starred.sum())
        sizes = f"{len(self.group):,} tuples in {self.n_groups:,} groups, {starred:,} starred, {removed:,} removed"
        return f"Bucketized({sizes})"

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.group.max(initial=-1)) + 1


TERMS = -1
"""The place of an item that is only named among the terms of its cluster."""


@dataclass(frozen=True, eq=False)
class Disassociated(Discreet):
    """Where each item of each cluster of records is published: in a chunk, in one that clusters share, or as a term."""

    record: Int64
    """int64 (n,): the records, cluster by cluster, ascending in each."""
    begins: Int64
    """int64 (clusters + 1,): where the records of each cluster begin."""
    in_cluster: Int32
    """int32 (p,): a cluster, ascending."""
    item: Int32
    """int32 (p,): an item of it, ascending in each cluster; an item that is missing there is suppressed."""
    place: Int32
    """int32 (p,): the chunk of that item in that cluster; -1 where it is a term."""
    first: Int32
    """int32 (chunks,): the first cluster that each chunk may fall on."""
    last: Int32
    """int32 (chunks,): the last one; the same as the first where no clusters share the chunk."""
    totals: Int32 | None = None
    """int32: terms of which it is published how many records hold them where they are terms; None: nothing of any."""

    def __repr__(self) -> str:
        shared = int(np.count_nonzero(self.first < self.last))
        return f"Disassociated({len(self.record):,} records in {self.n_clusters:,} clusters, {shared:,} shared chunks)"

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.begins) - 1

    def pieces(self, column: SetColumn) -> "Iterator[ClusterPiece]":
        """Yield some clusters after others, with their records of the original column.

        They are whole groups, and groups of groups, of `GROUPED` neighbours, but for what the last one lacks.
        """
        for first, end in spans.spans(self.n_clusters, clusters_at_once(self.n_clusters, column)):
            begins = self.begins[first : end + 1]
            part = column.take(self.record[begins[0] : begins[-1]])
            low, high = np.searchsorted(self.in_cluster, (first, end)).tolist()
            keys = self.in_cluster[low:high].astype(np.int64) << _BITS | self.item[low:high]
            cluster = np.repeat(np.arange(first, end), np.diff(begins))
            wanted = np.repeat(cluster, part.lengths) << _BITS | part.items
            index = np.searchsorted(keys, wanted)
            is_there = np.append(keys, np.iinfo(np.int64).max)[index] == wanted
            place = np.where(is_there, np.append(self.place[low:high], 0)[index], LEFT_OUT)
            yield ClusterPiece(first, end, slice(low, high), part, place.astype(np.int32))


class ClusterPiece(NamedTuple):
    """Some neighbouring clusters."""

    first: int
    end: int
    pairs: slice
    """Their pairs of a cluster and an item."""
    column: SetColumn
    """Their records, cluster by cluster."""
    place: Int32
    """int32 (occurrences,): the chunk of each occurrence there; -1 for a term, -2 where it is suppressed."""


GROUPED = 4
"""So many neighbouring clusters, or groups of them, make a group, which may share chunks."""


def clusters_at_once(n_clusters: int, column: SetColumn) -> int:
    """Return how many of the clusters of some records are held at once: a power of `GROUPED`.

    They hold some spans of records and items, on average.
    """
    clusters, elements = 1, column.n + len(column.codes)
    while clusters < n_clusters and GROUPED * clusters * elements <= GROUPED * spans.AT_ONCE * n_clusters:
        clusters *= GROUPED
    return clusters


_BITS = 32
LEFT_OUT = -2
"""The place of an occurrence that is suppressed."""

Recoding = Cut | ItemGroups | PerCluster | Bucketized | Disassociated


def cut_symbol(cut: Cut, node: int) -> Symbol:
    """Return the symbol of a node that a cut publishes; if the cut suppresses leaves below it, the set of the others.

    >>> tree = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2", "a3"]), "b"]))
    >>> node = tree.node_of["A"]
    >>> cut_symbol(Cut(tree, np.array([node, node, -1, tree.node_of["b"]], np.int32)), node).members
    ('a1', 'a2')
    """
    tree = cut.hierarchy
    first, end = int(tree.leaf_lo[node]), int(tree.leaf_hi[node])
    shown = np.flatnonzero(cut.image[first:end] != SUPPRESSED) + first
    if len(shown) == end - first:
        return node_symbol(tree, node)
    return group_symbol(tuple(tree.leaves.labels[leaf] for leaf in shown.tolist()))
