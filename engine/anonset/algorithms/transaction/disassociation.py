"""Disassociation, after Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012.

Its steps, and where they are::

    items of fewer than k records are left out                   Disassociation.recode
    clusters: pieces of the records in Gray order, or HorPart    GrayOrder; near_equal; horizontal_parts
    VerPart: the items of a cluster in chunks and terms          kernel chunk_fitting.divide_clusters
    sensitive items in chunks of their own, below the cap        _first_fit.Rule
    a cluster without terms is covered by its chunks (rule 4)    kernel chunk_fitting.needs_term
    refining: terms in chunks that groups of clusters share      Pieces.share; kernel chunk_fitting.share_terms
    how often what is left as terms occurs, if asked for         _left_as_terms
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Progress, Result, Traits
from anonset.algorithms.transaction.base import bind_items
from anonset.algorithms.transaction.gray_order import GrayOrder
from anonset.algorithms.transaction.horizontal_parts import horizontal_parts, near_equal
from anonset.algorithms.transaction.shared_chunks import Pieces
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.decimals import Written, floor_fraction
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import spans
from anonset.data.table import Int32, Int64
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Disassociated
from anonset.generalization.recoding import TERMS
from anonset.privacy import DisassociationModel, require_at_least

if TYPE_CHECKING:
    from anonset_kernels._first_fit import Rule

Clustering = Literal["gray", "horpart"]
CLUSTERS_AT_ONCE = 1 << 13
"""Clusters whose items are put into chunks by a call of a kernel."""


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
        memory_factor=2.2,
        kernels=("chunk_fitting", "gray", "row_order", "rows", "sub_records"),
        answers=("disassociation",),
        set_beside=("km",),
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
        rule = self._rule(column)
        pieces = _divided(rows, np.array(borders, np.int64), rule, progress)
        pieces.share(rule)
        cluster = np.empty(column.n, np.int32)
        cluster[order] = np.repeat(np.arange(len(pieces.n), dtype=np.int32), pieces.n)
        totals = _left_as_terms(pieces, rule) if self.counts else None
        recoding = Disassociated(
            cluster, pieces.cluster, pieces.item, pieces.place, pieces.first, pieces.last, totals=totals
        )
        shared = np.count_nonzero(pieces.first < pieces.last)
        figures = {"clusters": float(len(pieces.n)), "shared_chunks": float(shared)}
        unused = f"the hierarchy of column {column.name!r} is not used: disassociation publishes items as they are"
        notes = (unused,) if column.name in hierarchies else ()
        return Result(recoding, figures=figures, notes=notes)

    def _rule(self, column: SetColumn) -> "Rule":
        """Return what the chunks of a column must keep."""
        from anonset_kernels._first_fit import Rule

        alone, index = np.zeros(len(column.vocabulary), np.bool_), column.vocabulary.index
        alone[[index[label] for label in self.sensitive_items if label in index]] = True
        share = floor_fraction(self.model.share, max(1, column.n))
        return Rule(self.k, self.m, share.numerator, share.denominator, alone)

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


def _divided(rows: SetColumn, borders: Int64, rule: "Rule", progress: Progress | None) -> Pieces:
    """Put the items of each cluster into chunks, or among its terms, some clusters at a time."""
    from anonset_kernels.chunk_fitting import divide_clusters

    found: list[tuple[NDArray[Any], ...]] = []
    n_clusters, n_chunks, n_posted = len(borders) - 1, 0, 0
    for first, end in spans(n_clusters, CLUSTERS_AT_ONCE):
        block = rows.slice(int(borders[first]), int(borders[end]))
        own = divide_clusters(block.indptr, block.items, borders[first : end + 1] - borders[first], rule)
        chunks = np.cumsum(own.n_chunks) - own.n_chunks + n_chunks
        terms = own.place < 0
        lengths = np.diff(own.begins)
        posted = own.records[np.repeat(terms, lengths)] + np.int32(borders[first])
        found.append(
            (
                own.must_keep,
                own.cluster + np.int32(first),
                own.item,
                np.where(terms, TERMS, own.place + chunks[own.cluster]).astype(np.int32),
                np.cumsum(lengths[terms]) + n_posted,
                posted,
                np.repeat(np.arange(first, end, dtype=np.int32), own.n_chunks),
            )
        )
        n_chunks += int(own.n_chunks.sum())
        n_posted += len(posted)
        if progress is not None:
            progress("clusters", float(end), float(n_clusters))
    kinds = (np.bool_, np.int32, np.int32, np.int32, np.int64, np.int32, np.int32)
    empty = [tuple(np.empty(0, kind) for kind in kinds)]
    must_keep, cluster, item, place, ends, records, chunk = map(np.concatenate, zip(*(found or empty), strict=True))
    begins = np.concatenate([[0], ends]).astype(np.int64)
    return Pieces(np.diff(borders), must_keep, cluster, item, place, begins, records, chunk, chunk)


def _left_as_terms(pieces: Pieces, rule: "Rule") -> Int32:
    """Return the items that stay terms of some cluster.

    Sensitive ones are left out: the total of what is a term since too many records hold it would say so.
    """
    items: Int32 = np.unique(pieces.item[pieces.place == TERMS])
    return items[~rule.alone[items]]
