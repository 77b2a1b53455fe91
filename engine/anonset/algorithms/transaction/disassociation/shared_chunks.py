"""Move terms of neighbouring clusters into chunks that groups of 4, 16, 64, ... clusters share (refining).

Terms are the items of a cluster that are in no chunk.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.distinct import distinct, first_of_runs
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, gathered
from anonset.generalization.recoding import GROUPED

if TYPE_CHECKING:
    from anonset_kernels.disassociation._first_fit import ChunkRule


class SharedTerms(NamedTuple):
    """Terms that were moved into shared chunks, and the shared chunks."""

    pair: Int64
    """Position of each moved term in the pairs of a cluster and an item, int64."""
    chunk: Int32
    """Chunk of each moved term, int32."""
    first: Int32
    """First cluster of each chunk, int32 (chunks,)."""
    last: Int32
    """Last cluster of each chunk, int32 (chunks,)."""


@dataclass(eq=False)
class MovableTerms(RedactedRepr):
    """Terms of neighbouring clusters that may be moved into shared chunks, and the items in existing chunks."""

    n: Int64
    """Number of records of each cluster, int64 (clusters,)."""
    terms: Int32
    """Number of terms of each cluster, int32 (clusters,)."""
    must_keep: Bools
    """True for clusters that must keep a term, because their chunks alone would disclose too much, bool (clusters,)."""
    pair: Int64
    """Number of each term in the caller's pairs, int64 (t,)."""
    cluster: Int32
    """Cluster of each term, int32 (t,)."""
    item: Int32
    """Item of each term, int32 (t,)."""
    starts: Int64
    """Start of the records that contain each term, in `records`, int64 (t,)."""
    ends: Int64
    """End of the records that contain each term, int64 (t,)."""
    records: Int32
    """Records of each term, within its cluster, int32."""
    shown: Int64
    """Items in the chunks of each group, ascending, int64. An element is group number * number of items + item code."""
    width: int = 1
    """Number of clusters in a group."""

    def share(self, rule: "ChunkRule", widest: int) -> SharedTerms:
        """Move terms into shared chunks of groups of clusters. The groups increase up to `widest` clusters.

        A shared chunk is assigned to neighbouring clusters whose other chunks contain none of its items. Shared chunks
        of smaller groups count as other chunks. An item that another chunk of the group contains therefore gets a
        separate chunk. All other items are combined in k^m-anonymous chunks. A sensitive item gets a separate chunk if
        its share remains below the cap. The last term of a cluster remains a term if the cluster would otherwise
        disclose too much.
        """
        none = np.empty(0, np.int32)
        moved = [SharedTerms(np.empty(0, np.int64), none, none, none)]
        head, n_chunks = np.full(int(self.records.max(initial=-1)) + 1, -1, np.int32), 0
        while self.width < widest:
            level = self._share_in_groups(rule, head)
            moved.append(level._replace(chunk=level.chunk + np.int32(n_chunks)))
            n_chunks += len(level.first)
        self._compact()
        return SharedTerms(*map(np.concatenate, zip(*moved, strict=True)))

    def _share_in_groups(self, rule: "ChunkRule", head: Int32) -> SharedTerms:
        from anonset_kernels.disassociation.chunk_fitting import ChunkedClusters, ClusterTerms, share_terms

        n_items, n_clusters = max(1, len(rule.alone)), len(self.n)
        self.shown = distinct(self.shown // n_items // GROUPED * n_items + self.shown % n_items)
        self.width *= GROUPED
        group = self.cluster.astype(np.int64) // self.width
        several = np.minimum((group + 1) * self.width, n_clusters) - group * self.width > self.width // GROUPED
        chosen = np.flatnonzero(several)
        keys = group[chosen] * n_items + self.item[chosen]
        order = np.argsort(keys, kind="stable")
        chosen, keys = chosen[order], keys[order]
        group = group[chosen]
        is_shown = np.append(self.shown, -1)[np.searchsorted(self.shown, keys)] == keys
        of_groups = ClusterTerms(
            self.item[chosen], self.cluster[chosen], self.starts[chosen], self.ends[chosen], is_shown
        )
        begins = np.flatnonzero(first_of_runs(group))
        clusters = ChunkedClusters(self.n, self.terms, self.must_keep)
        borders = np.append(begins, len(group))
        chunk, settled, group_of = share_terms(of_groups, self.records, borders, clusters, rule, head)
        range_of = group[begins][group_of]
        moved = SharedTerms(
            self.pair[chosen[chunk >= 0]],
            chunk[chunk >= 0],
            (range_of * self.width).astype(np.int32),
            (np.minimum((range_of + 1) * self.width, n_clusters) - 1).astype(np.int32),
        )
        self.shown = distinct(np.append(self.shown, keys[settled]))
        stay = np.ones(len(self.pair), np.bool_)
        stay[chosen[settled]] = False
        for name in ("pair", "cluster", "item", "starts", "ends"):
            setattr(self, name, getattr(self, name)[stay])
        return moved

    def _compact(self) -> None:
        """Remove the records of moved terms, and renumber the records of the remaining terms 0, 1, 2, ..."""
        begins, places = gathered(self.starts, self.ends - self.starts)
        self.starts, self.ends = begins[:-1], begins[1:]
        self.records = np.unique(self.records[places], return_inverse=True)[1].ravel().astype(np.int32)

    @classmethod
    def joined(cls, parts: "Sequence[MovableTerms]", n_items: int) -> "MovableTerms":
        """Return the remaining terms of neighbouring groups of the same width as a single group."""

        def all_of(name: str, sizes: Iterable[int]) -> NDArray[Any]:
            shift = begins_of(sizes).tolist()
            columns = [getattr(part, name) for part in parts]
            return np.concatenate([column + column.dtype.type(by) for column, by in zip(columns, shift, strict=False)])

        postings = [len(part.records) for part in parts]
        return cls(
            np.concatenate([part.n for part in parts]),
            np.concatenate([part.terms for part in parts]),
            np.concatenate([part.must_keep for part in parts]),
            np.concatenate([part.pair for part in parts]),
            all_of("cluster", (len(part.n) for part in parts)),
            np.concatenate([part.item for part in parts]),
            all_of("starts", postings),
            all_of("ends", postings),
            all_of("records", (int(part.records.max(initial=-1)) + 1 for part in parts)),
            all_of("shown", (-(-len(part.n) // part.width) * n_items for part in parts)),
            parts[0].width,
        )
