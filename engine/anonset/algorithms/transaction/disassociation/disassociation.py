"""Disassociation, after Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012.

Steps of the algorithm and their implementation::

    suppress items of fewer than k records                       Disassociation.recode
    clusters: runs of the records in Gray order, or HorPart      GrayOrder; near_equal; horizontal_parts
    VerPart: divide the items of a cluster into chunks, terms    kernel chunk_fitting.divide_clusters
    sensitive items in separate chunks, below the cap            _first_fit.ChunkRule
    a cluster without terms is covered by its chunks (rule 4)    kernel chunk_fitting.needs_term
    refining: terms in chunks shared by groups of clusters       MovableTerms.share; kernel chunk_fitting.share_terms
    total support of the remaining terms, if requested           _RecodingBuilder.finished
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count, Parameters
from anonset.algorithms.transaction.base import bind_items
from anonset.algorithms.transaction.disassociation.horizontal_parts import horizontal_parts, near_equal
from anonset.algorithms.transaction.disassociation.shared_chunks import MovableTerms
from anonset.algorithms.transaction.partitions.gray_order import GrayOrder
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.decimals import Written, floor_fraction
from anonset.data.distinct import distinct
from anonset.data.progress import Progress, report_progress
from anonset.data.spans import begins_of, spans
from anonset.data.storage.store import Store
from anonset.errors import InfeasibleError
from anonset.generalization import Disassociated
from anonset.generalization.recoding import TERMS, clusters_at_once
from anonset.privacy import DisassociationModel

if TYPE_CHECKING:
    from anonset_kernels.disassociation._first_fit import ChunkRule

Clustering = Literal["gray", "horpart"]


@dataclass(frozen=True, kw_only=True)
class Disassociation(Parameters):
    """Publish items unchanged, but hide which items occur together by splitting records into chunks.

    Guarantees that an attacker who knows at most m items of a person links no sub-record of a chunk to this person with
    a probability above 1/k. Items of fewer than k records are suppressed. Records are clustered in the Gray order of
    their items. The items of a cluster are placed into k^m-anonymous chunks, each item into the first chunk that
    accepts it. Items of fewer than k records of the cluster become terms, which are listed without their records. Terms
    of neighbouring clusters are moved into chunks that these clusters share. A sensitive item has a separate chunk. It
    becomes a term if more records of the cluster contain the item than `cap` permits. The result is deterministic and
    independent of the record order.
    Cost: a step for each occurrence of an item and each set of up to m - 1 items of the same record that already have a
    chunk. Memory: the items of a few clusters, and the terms of all clusters.

    References: Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy preservation by disassociation", PVLDB 2012.
    Deviations: clusters are runs of the Gray order unless `clustering` requests the clusters of the paper. A shared
    chunk is assigned only to clusters whose chunks contain none of the items of the shared chunk, because the condition
    in the paper does not preserve the guarantee. If a cluster has no terms, each of its records has a sub-record in a
    chunk. Each set of items of several chunks must then be able to occur in at least k records, or in none.

    >>> from anonset.data import Table
    >>> table = Table.from_sets([["a", "b"], ["a", "b"], ["a", "c"], ["b"], ["b", "d"]])
    >>> recoding = Disassociation(k=2, m=2).recode(table, {}).recoding
    >>> recoding.item.tolist(), recoding.place.tolist()
    ([0, 1], [0, 0])
    """

    name: ClassVar[str] = "disassociation"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.2,
        by_blocks=True,
        where="clusters are pieces of the Gray order",
        answers=("disassociation",),
        set_beside=("km",),
    )

    k: Annotated[int, "Inverse of the maximum probability that a sub-record is linked to a person (>= 1)."]
    m: Annotated[int, "Maximum number of items that the attacker knows (>= 1)."]
    cluster_size: Annotated[
        Count, "Approximate number of records per cluster (>= 1). Values below 2 k are replaced by 2 k."
    ] = 60
    sensitive_items: Annotated[tuple[str, ...], "Items that must not be inferred. They are published unchanged."] = ()
    cap: Annotated[
        Written | None,
        "Maximum share of a cluster's records that have the same sensitive item (0 < cap <= 1). None for 1/2.",
    ] = None
    counts: Annotated[
        bool, "True to publish how many records contain each term, over all clusters. Sensitive items are excluded."
    ] = False
    clustering: Annotated[
        Clustering,
        "Method that forms clusters: pieces of the Gray order (gray), or frequent items as in the paper (horpart).",
    ] = "gray"

    @property
    def own_traits(self) -> Traits:
        """Traits of the algorithm. Clustering by frequent items needs all records and cannot process blocks."""
        return self.traits if self.clustering == "gray" else replace(self.traits, by_blocks=False)

    @property
    def model(self) -> DisassociationModel:
        """Model that limits the probability of linking a sub-record to a person to 1/k."""
        return DisassociationModel(self.k, self.m, self.sensitive_items, self.cap)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find the clusters, and the chunk of each item in each cluster. Hierarchies are not used.

        Raises
        ------
        InputError
            If the set-valued column is missing.
        InfeasibleError
            If the number of records is between 1 and k - 1.
        """
        column, _ = bind_items(table, {})
        if 0 < column.n < self.k:
            reason = f"there are {column.n} records, at least k={self.k} are required"
            raise InfeasibleError(self.name, reason, achieved=float(column.n), bound=float(self.k))
        frequent = column.occurrences >= self.k
        with table.store.nested() as scratch:
            clusters = self._clusters(column.only(frequent, scratch), scratch)
            n_clusters = len(clusters.begins) - 1
            width = clusters_at_once(n_clusters, column)
            with _RecodingBuilder(clusters, self._rule(column), table.store) as growing:
                for first, end in spans(n_clusters, width):
                    growing.add(first, end, width)
                    report_progress(progress, "clusters", end, n_clusters)
                recoding = growing.finished(with_totals=self.counts)
        shared = np.count_nonzero(recoding.first < recoding.last)
        figures = {"clusters": float(recoding.n_clusters), "shared_chunks": float(shared)}
        unused = f"the hierarchy of column {column.name!r} is not used: disassociation publishes items unchanged"
        notes = (unused,) if column.name in hierarchies else ()
        return Result(recoding, figures=figures, notes=notes)

    def _rule(self, column: SetColumn) -> "ChunkRule":
        from anonset_kernels.disassociation._first_fit import ChunkRule

        is_alone, index = np.zeros(len(column.vocabulary), np.bool_), column.vocabulary.index
        is_alone[[index[label] for label in self.sensitive_items if label in index]] = True
        share = floor_fraction(self.model.share, max(1, column.n))
        return ChunkRule(self.k, self.m, share.numerator, share.denominator, is_alone)

    def _clusters(self, column: SetColumn, scratch: Store) -> "_Clusters":
        order, size = GrayOrder.of(column, scratch), max(self.cluster_size, 2 * self.k)
        if self.clustering == "gray" or not column.n:
            return _Clusters(order.record, np.array(near_equal(column.n, size), np.int64), order)
        rows = order.slice(0, column.n)
        parts = horizontal_parts(rows, self.k, size)
        records = np.concatenate(parts)
        return _Clusters(order.record[records], begins_of(map(len, parts)), rows.take(records))


class _Clusters(NamedTuple):
    record: Int64
    """Records sorted by cluster, int64 (n,)."""
    begins: Int64
    rows: GrayOrder | SetColumn


class _RecodingBuilder(ExitStack):
    def __init__(self, clusters: _Clusters, rule: "ChunkRule", store: Store) -> None:
        super().__init__()
        self._clusters, self._rule, self._store = clusters, rule, store
        self._left, self._n_items, self._n_chunks = list[MovableTerms](), max(1, len(rule.alone)), 0
        names = ("cluster", "item", "place", "first", "last")
        self._column = {name: self.enter_context(store.growing(name, np.int32)) for name in names}
        self._record = self.enter_context(store.growing("record", np.int64))

    def add(self, first: int, end: int, width: int) -> None:
        """Assign each item to a chunk of its cluster, to a chunk shared by up to `width` clusters, or to no chunk
        (terms).
        """
        from anonset_kernels.disassociation.chunk_fitting import divide_clusters

        begins, number = self._clusters.begins[first : end + 1], np.arange(first, end, dtype=np.int32)
        rows = self._clusters.rows.slice(int(begins[0]), int(begins[-1]))
        divided = divide_clusters(rows.indptr, rows.items, begins - begins[0], self._rule)
        n_pairs, shown = self._column["place"].length, divided.place >= 0
        moving, n_chunks = np.flatnonzero(~shown), begins_of(divided.n_chunks)
        terms = MovableTerms(
            np.diff(begins),
            np.bincount(divided.cluster[moving], minlength=end - first).astype(np.int32),
            divided.must_keep,
            n_pairs + moving,
            divided.cluster[moving],
            divided.item[moving],
            divided.begins[moving],
            divided.begins[moving + 1],
            divided.records,
            distinct(divided.cluster[shown] * np.int64(self._n_items) + divided.item[shown]),
        )
        place = np.where(shown, divided.place + n_chunks[divided.cluster] + self._n_chunks, TERMS)
        self._add_chunks(np.repeat(number, divided.n_chunks), np.repeat(number, divided.n_chunks))
        moved = terms.share(self._rule, width)
        place[moved.pair - n_pairs] = moved.chunk + self._n_chunks
        self._add_chunks(moved.first + number[:1], moved.last + number[:1])
        for name, values in (("cluster", number[divided.cluster]), ("item", divided.item), ("place", place)):
            self._column[name].append(values)
        self._left.append(terms)
        record = self._clusters.record[begins[0] : begins[-1]]
        self._record.append(record[np.lexsort((record, np.repeat(number, np.diff(begins))))])

    def _add_chunks(self, first: Int32, last: Int32) -> None:
        self._column["first"].append(first)
        self._column["last"].append(last)
        self._n_chunks += len(first)

    def finished(self, *, with_totals: bool) -> Disassociated:
        """Form the remaining shared chunks and return the recoding. `add` must not be called afterwards."""
        moved, n_clusters = None, len(self._clusters.begins) - 1
        if len(self._left) > 1:
            n_chunks, moved = (
                self._n_chunks,
                MovableTerms.joined(self._left, self._n_items).share(self._rule, n_clusters),
            )
            self._add_chunks(moved.first, moved.last)
        columns = {name: column.finished() for name, column in self._column.items()}
        place, is_term = self._store.array("place", np.int32, len(columns["place"])), np.zeros(self._n_items, np.bool_)
        for a, b in spans(len(place)):
            place[a:b] = columns["place"][a:b]
        if moved is not None:
            place[moved.pair] = moved.chunk + n_chunks
        self._column["place"].drop()
        for a, b in spans(len(place) if with_totals else 0):
            is_term[columns["item"][a:b][place[a:b] == TERMS]] = True
        # no totals for items with a cap: a total would disclose that too many records of a cluster contain the item
        totals = np.flatnonzero(is_term[: len(self._rule.alone)] & ~self._rule.alone).astype(np.int32)
        return Disassociated(
            self._record.finished(),
            self._clusters.begins,
            *(columns["cluster"], columns["item"], place, columns["first"], columns["last"]),
            totals=totals if with_totals else None,
        )
