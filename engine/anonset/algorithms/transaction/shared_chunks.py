"""Refining: terms of neighbouring clusters go into chunks that these share, by groups of 4, 16, 64, ... clusters."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32, Int64
from anonset.generalization.chunks import GROUPED

if TYPE_CHECKING:
    from anonset_kernels._first_fit import Rule

Bools = NDArray[np.bool_]


@dataclass(eq=False)
class Pieces(Discreet):
    """The items of clusters of records, each at a place of its cluster: p pairs, by cluster, then item.

    Postings, the records that hold an item in a cluster, are there for terms.
    """

    n: Int64
    """int64 (clusters,): records of each cluster."""
    must_keep: Bools
    """bool (clusters,): whether a term must stay, since the chunks of a cluster alone would say too much."""
    cluster: Int32
    """int32 (p,)."""
    item: Int32
    """int32 (p,)."""
    place: Int32
    """int32 (p,): a chunk, numbered over all clusters; -1 where the item is a term."""
    begins: Int64
    """int64 (terms + 1,): where the posting of each term begins."""
    records: Int32
    """int32: the postings."""
    first: Int32
    """int32 (chunks,): the first cluster of each chunk."""
    last: Int32
    """int32 (chunks,): the last one."""

    def share(self, rule: "Rule") -> None:
        """Move terms into chunks that clusters share, the narrow ranges first.

        A shared chunk falls on the clusters of its range that show none of its items by themselves or in a chunk that
        fewer clusters share. So items that some cluster of the range shows get a chunk each; the others go into chunks
        together, which stay k^m-anonymous. An item that is capped has a chunk alone, below its cap. The last term of a
        cluster stays where the chunks alone would say too much.
        """
        from anonset_kernels.chunk_fitting import Clusters, Terms, share_terms

        n_items = max(1, len(rule.alone))
        moving = np.flatnonzero(self.place < 0)
        starts, ends = self.begins[:-1], self.begins[1:]
        shown = self.cluster[self.place >= 0].astype(np.int64) * n_items + self.item[self.place >= 0]
        terms = np.bincount(self.cluster[moving], minlength=len(self.n)).astype(np.int32)
        clusters = Clusters(self.n, terms, self.must_keep)
        head = np.full(int(self.n.sum()), -1, np.int32)
        firsts, lasts, n_chunks = [self.first], [self.last], len(self.first)
        for width in _widths(len(self.n)):
            shown = np.unique(shown // n_items // GROUPED * n_items + shown % n_items)
            group = self.cluster[moving].astype(np.int64) // width
            grouped = np.flatnonzero(np.minimum((group + 1) * width, len(self.n)) - group * width > width // GROUPED)
            keys = group[grouped] * n_items + self.item[moving[grouped]]
            grouped = grouped[np.argsort(keys, kind="stable")]
            keys, group = np.sort(keys), group[grouped]
            pairs = moving[grouped]
            at = np.minimum(np.searchsorted(shown, keys), max(0, len(shown) - 1))
            is_shown = shown[at] == keys if len(shown) else np.zeros(len(keys), np.bool_)
            of_groups = Terms(self.item[pairs], self.cluster[pairs], starts[grouped], ends[grouped], is_shown)
            begins = np.flatnonzero(np.append(True, group[1:] != group[:-1])) if len(group) else np.empty(0, np.int64)
            borders = np.append(begins, len(group))
            chunk, settled, group_of = share_terms(of_groups, self.records, borders, clusters, rule, head)
            left = chunk < 0
            self.place[pairs[~left]] = chunk[~left] + n_chunks
            range_of = group[begins][group_of] if len(group) else group
            firsts.append((range_of * width).astype(np.int32))
            lasts.append((np.minimum((range_of + 1) * width, len(self.n)) - 1).astype(np.int32))
            n_chunks += len(group_of)
            shown = np.union1d(shown, keys[settled])
            stay = np.ones(len(moving), np.bool_)
            stay[grouped[settled]] = False
            moving, starts, ends = moving[stay], starts[stay], ends[stay]
        self.first, self.last = np.concatenate(firsts), np.concatenate(lasts)


def _widths(n_clusters: int) -> Iterator[int]:
    """Yield the sizes of the groups of clusters: 4, 16, 64, ... up to one that holds all.

    >>> list(_widths(1)), list(_widths(17))
    ([], [4, 16, 64])
    """
    width = 1
    while width < n_clusters:
        width *= GROUPED
        yield width
