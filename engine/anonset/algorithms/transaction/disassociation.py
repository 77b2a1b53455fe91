"""Disassociation, after Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012.

Its steps, and where they are::

    items of fewer than k records are left out                   Disassociation.recode
    clusters: pieces of the records in Gray order, or HorPart    GrayOrder; near_equal; horizontal_parts
    VerPart: the items of a cluster in chunks and terms          _divide; chunk_fitting.first_fit
    sensitive items in chunks of their own, below the cap        chunk_fitting.Capped
    a cluster without terms is covered by its chunks (rule 4)    needs_term
    refining: terms in chunks that groups of clusters share      shared_chunks.share_terms
    how often what is left as terms occurs, if asked for         _left_as_terms
"""

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal, get_args

import numpy as np

from anonset.algorithms.base import Progress, Result, Traits
from anonset.algorithms.transaction.base import bind_items
from anonset.algorithms.transaction.chunk_fitting import Capped, Fitted, Posting, first_fit, needs_term
from anonset.algorithms.transaction.gray_order import GrayOrder
from anonset.algorithms.transaction.horizontal_parts import horizontal_parts, near_equal
from anonset.algorithms.transaction.shared_chunks import SharedItems, share_terms
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.decimals import Written
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32, Int64
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Disassociated
from anonset.generalization.recoding import TERMS
from anonset.privacy import DisassociationModel, require_at_least

Clustering = Literal["gray", "horpart"]


@dataclass(frozen=True, kw_only=True)
class Disassociation(Discreet):
    """Keep items as they are, and hide which ones stood together: records are cut into chunks within clusters.

    Guarantees that whoever knows at most m items of a person links no sub-record of a chunk to it with a probability
    above 1/k. Items of fewer than k records are left out. The records are cut into clusters in the Gray order of their
    items; the items of a cluster go into k^m-anonymous chunks, each into the first that it fits, those of fewer than k
    of its records become terms, and terms of neighbouring clusters go into chunks that these share. A sensitive item
    has chunks of its own, and is a term where one would show it in too many records. Deterministic, and
    independent of the order of the records. Cost: for each occurrence, the sets of fewer than m items that its record
    has in chunks before; memory: the same for a cluster, or for the terms of all.

    References: Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 2012.
    Deviations: clusters are pieces of the Gray order, unless those of the paper are asked for; a shared chunk falls
    only on clusters that show none of its items at an inner place, since the paper's condition does not keep its
    guarantee; a cluster without terms must be covered by its own chunks, with room for k matches of every set.

    >>> from anonset.data import Table
    >>> table = Table.from_sets([["a", "b"], ["a", "b"], ["a", "c"], ["b"], ["b", "d"]])
    >>> recoding = Disassociation(k=2, m=2).recode(table, {}).recoding
    >>> recoding.item.tolist(), recoding.place.tolist()
    ([0, 1], [0, 0])
    """

    name: ClassVar[str] = "disassociation"
    traits: ClassVar[Traits] = Traits(
        memory_factor=4.0,
        kernels=("gray", "row_order", "rows"),
        answers=("disassociation",),
        not_tried="its guarantee is another one: it hides which items stood together, not the items",
    )

    k: int
    """A sub-record of a chunk is linked to a person with a probability of at most 1/k (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""
    cluster_size: int = 60
    """Records of a cluster, about; at least 2 k are taken (>= 1)."""
    sensitive_items: tuple[str, ...] = ()
    """Items that must not be told; published as they are."""
    cap: Written | None = None
    """Largest share of the records of a cluster that show a sensitive item (0 < cap <= 1); None: 1/2."""
    counts: bool = False
    """Publish how many records hold each term, over all clusters where it is one; not of sensitive items."""
    clustering: Clustering = "gray"
    """Form clusters as pieces of the Gray order (gray), or by frequent items as in the paper (horpart)."""

    def __post_init__(self) -> None:
        require_at_least("cluster_size", self.cluster_size, 1)
        if self.clustering not in get_args(Clustering):
            choices = " or ".join(map(repr, get_args(Clustering)))
            msg = f"clustering must be {choices}, got {self.clustering!r}"
            raise InputError(msg)
        _ = self.model

    @property
    def model(self) -> DisassociationModel:
        """Links of sub-records to persons of at most 1/k."""
        return DisassociationModel(self.k, self.m, self.sensitive_items, self.cap)

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Find clusters and the chunk of each item in each; hierarchies and the executor are not used.

        Raises
        ------
        InputError
            If the set-valued column is missing.
        InfeasibleError
            If there are some, but fewer than k, records.
        """
        column, _ = bind_items(table, {})
        if 0 < column.n < self.k:
            reason = f"there are {column.n} records, at least k={self.k} are required"
            raise InfeasibleError(self.name, reason, achieved=float(column.n), bound=float(self.k))
        order, borders, rows = self._clusters(column.only(column.occurrences >= self.k))
        index = column.vocabulary.index
        secrets = frozenset(index[label] for label in self.sensitive_items if label in index)
        capped = Capped(secrets, self.model.share)
        fitted = []
        for number, (first, end) in enumerate(pairwise(borders)):
            fitted.append(self._divide(rows, first, end, capped))
            if progress is not None:
                progress("clusters", float(number + 1), float(len(borders) - 1))
        shared = share_terms(fitted, self.k, self.m, capped)
        cluster = np.empty(column.n, np.int32)
        cluster[order] = np.repeat(np.arange(len(fitted), dtype=np.int32), np.diff(borders))
        figures = {"clusters": float(len(fitted)), "shared_chunks": float(len(shared))}
        unused = f"the hierarchy of column {column.name!r} is not used: disassociation publishes items as they are"
        notes = (unused,) if column.name in hierarchies else ()
        recoding = _recoding(cluster, fitted, shared, len(column.vocabulary))
        if self.counts:
            recoding = replace(recoding, totals=_left_as_terms(fitted, shared, capped))
        return Result(recoding, figures=figures, notes=notes)

    def _clusters(self, column: SetColumn) -> tuple[Int64, list[int], SetColumn]:
        """Return the records in the order of their clusters, where these begin and end, and the records so ordered."""
        if not column.n:
            return np.empty(0, np.int64), [0], column
        order, size = GrayOrder.of(column).record, max(self.cluster_size, 2 * self.k)
        rows = column.take(order)
        if self.clustering == "gray":
            return order, near_equal(column.n, size), rows
        parts = horizontal_parts(rows, self.k, size)
        records = np.concatenate(parts)
        borders = np.cumsum([0, *map(len, parts)]).tolist()
        return order[records], borders, rows.take(records)

    def _divide(self, rows: SetColumn, first: int, end: int, capped: Capped) -> Fitted:
        """Put the items of the cluster of the records first .. end - 1 into chunks, or among its terms."""
        begin = int(rows.indptr[first])
        items = rows.items[begin : rows.indptr[end]].tolist()
        postings: Posting = {}
        for record, (a, b) in enumerate(pairwise((rows.indptr[first : end + 1] - begin).tolist()), first):
            for item in items[a:b]:
                postings.setdefault(item, []).append(record)
        n = end - first
        shown = [
            item
            for item, members in postings.items()
            if len(members) >= self.k and capped.allows(item, len(members), n)
        ]
        shown.sort(key=lambda item: (-len(postings[item]), item))
        terms = {item: postings[item] for item in postings.keys() - set(shown)}
        together = ((item, postings[item]) for item in shown if item not in capped.items)
        chunks = first_fit(together, self.k, self.m) + [[item] for item in shown if item in capped.items]
        if not terms and shown and _lacks(n, chunks, postings, self.k, self.m):
            last = shown[-1]
            terms[last] = postings[last]
            chunks = [kept for chunk in chunks if (kept := [item for item in chunk if item != last])]
        return Fitted(chunks, terms, _lacks(n, chunks, postings, self.k, self.m), n)


def _lacks(n: int, chunks: list[list[int]], postings: Posting, k: int, m: int) -> bool:
    """Tell whether a cluster must have a term, given its chunks."""
    return needs_term(n, [len(set().union(*(postings[item] for item in chunk))) for chunk in chunks], k, m)


def _recoding(cluster: Int32, fitted: list[Fitted], shared: list[SharedItems], n_items: int) -> Disassociated:
    """Return where each item of each cluster is published, given the cluster of each record."""
    first, last = list[int](), list[int]()
    in_cluster, items, places = list[int](), list[int](), list[int]()
    for number, own in enumerate(fitted):
        for chunk in own.chunks:
            items += chunk
            places += [len(first)] * len(chunk)
            first.append(number)
            last.append(number)
        items += own.terms
        places += [TERMS] * len(own.terms)
        in_cluster += [number] * (len(items) - len(in_cluster))
    for several in shared:
        for item, sources in several.clusters_of.items():
            in_cluster += sources
            items += [item] * len(sources)
            places += [len(first)] * len(sources)
        first.append(several.first)
        last.append(several.last)
    keys = np.array(in_cluster, np.int64) * max(1, n_items) + np.array(items, np.int64)
    order = np.argsort(keys, kind="stable")
    order = order[np.append(keys[order][1:] != keys[order][:-1], True)[: len(order)]]  # a shared chunk, not the terms
    clusters, of_item, place = (np.array(column, np.int32)[order] for column in (in_cluster, items, places))
    return Disassociated(cluster, clusters, of_item, place, np.array(first, np.int32), np.array(last, np.int32))


def _left_as_terms(fitted: list[Fitted], shared: list[SharedItems], capped: Capped) -> Int32:
    """Return the items that stay terms of some cluster.

    Sensitive ones are left out: the total of what is a term since too many records hold it would say so.
    """
    clusters = Counter(item for own in fitted for item in own.terms)
    for chunk in shared:
        clusters.subtract({item: len(sources) for item, sources in chunk.clusters_of.items()})
    return np.array(sorted(item for item in +clusters if item not in capped.items), np.int32)
