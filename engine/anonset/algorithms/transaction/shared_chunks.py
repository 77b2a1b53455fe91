"""Refining: terms of neighbouring clusters go into chunks that these share, by groups of 4, 16, 64, ... clusters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.data.distinct import distinct
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import begins_of, gathered
from anonset.data.table import Int32, Int64
from anonset.generalization.recoding import GROUPED

if TYPE_CHECKING:
    from anonset_kernels._first_fit import Rule

Bools = NDArray[np.bool_]


class Shared(NamedTuple):
    """Terms that are moved into shared chunks, and these chunks."""

    pair: Int64
    """int64: the number of each such term among the pairs of a cluster and an item."""
    chunk: Int32
    """int32: its chunk."""
    first: Int32
    """int32 (chunks,): the first cluster of each chunk."""
    last: Int32
    """int32 (chunks,): the last one."""


@dataclass(eq=False)
class Terms(Discreet):
    """Terms of neighbouring clusters that a shared chunk may take, and what else the clusters show."""

    n: Int64
    """int64 (clusters,): records of each cluster."""
    terms: Int32
    """int32 (clusters,): its terms."""
    must_keep: Bools
    """bool (clusters,): whether a term must stay, since the chunks of a cluster alone would say too much."""
    pair: Int64
    """int64 (t,): the number of each term, among whatever."""
    cluster: Int32
    """int32 (t,)."""
    item: Int32
    """int32 (t,)."""
    starts: Int64
    """int64 (t,): where its posting begins, the records of the cluster that hold it."""
    ends: Int64
    """int64 (t,): where it ends."""
    records: Int32
    """int32: the postings."""
    shown: Int64
    """int64: ascending, each group with each item that a chunk of it shows: the group times the items, plus the item.
    """
    width: int = 1
    """Clusters of a group."""

    def share(self, rule: "Rule", widest: int) -> Shared:
        """Move terms into chunks that clusters share, the narrow ranges first, up to groups of `widest` clusters.

        A shared chunk falls on the clusters of its range that show none of its items by themselves or in a chunk that
        fewer clusters share. So items that some cluster of the range shows get a chunk each; the others go into chunks
        together, which stay k^m-anonymous. An item that is capped has a chunk alone, below its cap. The last term of a
        cluster stays where the chunks alone would say too much.
        """
        none = np.empty(0, np.int32)
        moved = [Shared(np.empty(0, np.int64), none, none, none)]
        head, n_chunks = np.full(int(self.records.max(initial=-1)) + 1, -1, np.int32), 0
        while self.width < widest:
            level = self._share_in_groups(rule, head)
            moved.append(level._replace(chunk=level.chunk + np.int32(n_chunks)))
            n_chunks += len(level.first)
        self._compact()
        return Shared(*map(np.concatenate, zip(*moved, strict=True)))

    def _share_in_groups(self, rule: "Rule", head: Int32) -> Shared:
        """Move terms into chunks of groups of the next width."""
        from anonset_kernels.chunk_fitting import Clusters, share_terms
        from anonset_kernels.chunk_fitting import Terms as OfGroups

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
        of_groups = OfGroups(self.item[chosen], self.cluster[chosen], self.starts[chosen], self.ends[chosen], is_shown)
        begins = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
        clusters = Clusters(self.n, self.terms, self.must_keep)
        borders = np.append(begins, len(group))
        chunk, settled, group_of = share_terms(of_groups, self.records, borders, clusters, rule, head)
        range_of = group[begins][group_of]
        moved = Shared(
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
        """Keep the postings of the terms that are left alone, their records numbered 0, 1, 2, ..."""
        begins, places = gathered(self.starts, self.ends - self.starts)
        self.starts, self.ends = begins[:-1], begins[1:]
        self.records = np.unique(self.records[places], return_inverse=True)[1].ravel().astype(np.int32)

    @classmethod
    def joined(cls, parts: "Sequence[Terms]", n_items: int) -> "Terms":
        """Return what is left of the terms of neighbours, at least one, in groups of the same width."""

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
