"""CAHD (correlation-aware anonymization of high-dimensional data), after Ghinita, Tao, Kalnis, ICDE 2008.

Steps of the algorithm and their implementation::

    sort the records by reverse Cuthill-McKee, so that similar records are near    band_order
    for each sensitive record: candidates around it, without conflicts             kernel cahd._collect
    the candidates that share most public items with it form its group             kernel cahd._by_overlap
    roll back if the remaining records could not form a group                      kernel cahd._is_feasible
    all remaining records form the last group                                      cahd._clusters
    publish public items exactly, and each sensitive item as a count of the group  cahd._chunks
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count, Parameters
from anonset.algorithms.transaction.base import bind_items
from anonset.algorithms.transaction.partitions.gray_order import GrayOrder
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.decimals import Written, floor_fraction
from anonset.data.progress import Progress
from anonset.data.spans import begins_of
from anonset.errors import InfeasibleError, InputError, datum
from anonset.generalization import Disassociated
from anonset.privacy import DisassociationModel
from anonset.privacy.disassociation import CAP
from anonset.spelling import setting


@dataclass(frozen=True, kw_only=True)
class Cahd(Parameters):
    """Publish the public items of each record exactly, and the sensitive items only as counts of a group of records.

    Guarantees that at most the share `cap` of the records of a group contain the same sensitive item. The privacy
    degree p of the paper is 1/cap. A group contains a sensitive record, and the similar records that share most public
    items with it. No two records of a group have the same sensitive item. The records that remain form a last group.
    An attacker who knows all public items of a person finds the group of the person, and the published public items are
    not protected.
    Cost: the sort of the records, and for each sensitive record the items of 2 alpha p records. Memory: all records.

    References: Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", ICDE 2008, sections 3 and
    4.
    Deviations: the records are sorted by the graph of records and their public items, not by the graph of records that
    share items. Both have the same breadth-first levels, but the second has a number of edges that is quadratic in the
    support of an item. Equal overlaps are resolved by the distance in the sorted order. The publication is a
    disassociation with k=1: the public items of a group form one chunk.

    >>> from anonset.data import Table
    >>> rows = [["a", "b", "hiv"], ["c", "d"], ["a", "b"], ["c", "d", "flu"]]
    >>> recoding = Cahd(sensitive_items=("flu", "hiv"), cap="1/2").recode(Table.from_sets(rows), {}).recoding
    >>> recoding.record.tolist(), recoding.begins.tolist()
    ([0, 2, 1, 3], [0, 2, 4])
    """

    name: ClassVar[str] = "cahd"
    traits: ClassVar[Traits] = Traits(
        not_tried="its public items are exact, so it does not limit who is found", answers=("disassociation",)
    )

    sensitive_items: Annotated[tuple[str, ...], "Items that must not be inferred. They are published unchanged."]
    cap: Annotated[
        Written | None,
        "Maximum share of a cluster's records that have the same sensitive item (0 < cap <= 1). None for 1/2.",
    ] = None
    alpha: Annotated[
        Count, "Number of candidates on each side of a sensitive record, in multiples of 1/cap (>= 1)."
    ] = 3

    def __post_init__(self) -> None:
        if not self.sensitive_items:
            raise InputError(f"{setting('sensitive_items')} must name at least one item, got none")
        super().__post_init__()

    @property
    def model(self) -> DisassociationModel:
        """Model that limits the share of records with the same sensitive item. It limits no links, as k is 1."""
        return DisassociationModel(1, 1, self.sensitive_items, CAP if self.cap is None else self.cap)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Form the groups. Hierarchies are not used.

        Raises
        ------
        InputError
            If the set-valued column is missing.
        InfeasibleError
            If more than the share `cap` of the records contain the same sensitive item.
        """
        column, _ = bind_items(table, {})
        is_sensitive, index = np.zeros(len(column.vocabulary), np.bool_), column.vocabulary.index
        is_sensitive[[index[label] for label in self.sensitive_items if label in index]] = True
        _require_feasible(column, is_sensitive, self.model.share)
        # the result then depends on the content of the records, and not on their order
        order = GrayOrder.of(column).record
        order = order[band_order(column.take(order).only(~is_sensitive))]
        group = self._groups(column.take(order), is_sensitive)
        record, begins = _clusters(order, group)
        recoding = Disassociated(record, begins, *_chunks(column.take(record), begins, is_sensitive))
        unused = f"the hierarchy of column {column.name!r} is not used: {self.name} publishes items unchanged"
        notes = (unused,) if column.name in hierarchies else ()
        return Result(recoding, figures={"clusters": float(recoding.n_clusters)}, notes=notes)

    def _groups(self, rows: SetColumn, is_sensitive: Bools) -> Int32:
        """Return the group of each sorted record, int32 (n,). -1 for the last group."""
        from anonset_kernels.disassociation.cahd import GroupRule, SortedRecords, form_groups

        share = self.model.share
        size = min(ceil(1 / share), rows.n + 1)
        floor = floor_fraction(share, max(1, rows.n))
        rule = GroupRule(size, min(self.alpha * size, rows.n), floor.numerator, floor.denominator)
        public, sensitive = rows.only(~is_sensitive), rows.only(is_sensitive)
        records = SortedRecords(public.indptr, public.items, sensitive.indptr, sensitive.items)
        return form_groups(records, sensitive.occurrences, len(is_sensitive), rule)


def _require_feasible(column: SetColumn, is_sensitive: Bools, cap: Fraction) -> None:
    counts = np.where(is_sensitive, column.occurrences, 0)
    most = int(counts.argmax()) if len(counts) else 0
    if column.n and len(counts) and int(counts[most]) > cap * column.n:
        share = int(counts[most]) / column.n
        reason = (
            f"item {datum(column.vocabulary.labels[most])} is in {int(counts[most]):,} of {column.n:,} records "
            f"({share:.1%}), but at most the share {cap} is allowed"
        )
        raise InfeasibleError(Cahd.name, reason, achieved=share, bound=float(cap))


def band_order(rows: SetColumn) -> Int64:
    """Return the records by reverse Cuthill-McKee on the graph of records and items, so that similar records are near.

    Cost: O(nnz log nnz).

    >>> band_order(SetColumn.of([{"a", "b"}, {"c", "d"}, {"a", "b"}, {"c", "d"}])).tolist()
    [3, 1, 2, 0]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    n, size = rows.n, rows.n + len(rows.vocabulary)
    record, item = np.repeat(np.arange(n), rows.lengths), rows.items.astype(np.int64) + n
    ends = np.append(record, item), np.append(item, record)
    graph = csr_array((np.ones(len(ends[0]), np.int8), ends), shape=(size, size))
    order: Int64 = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)
    return order[order < n]


def _clusters(order: Int64, group: Int32) -> tuple[Int64, Int64]:
    """Return the records sorted by group, int64 (n,), and the start of each group. The last group is last."""
    number = np.where(group < 0, group.max(initial=-1) + 1, group)
    return order[np.lexsort((order, number))], begins_of(np.bincount(number))


def _chunks(rows: SetColumn, begins: Int64, is_sensitive: Bools) -> tuple[Int32, ...]:
    """Return the cluster, item and chunk of each pair of a cluster and an item, and the cluster of each chunk, twice.

    The public items of a cluster are in one chunk, and each sensitive item has a chunk of its own.
    """
    width = max(1, len(is_sensitive))
    cluster_of = np.repeat(np.repeat(np.arange(len(begins) - 1), np.diff(begins)), rows.lengths)
    cluster, item = np.divmod(np.unique(cluster_of * width + rows.items), width)
    own = cluster * (width + 1) + np.where(is_sensitive[item], item + 1, 0)
    chunks, place = np.unique(own, return_inverse=True)
    of_chunk = (chunks // (width + 1)).astype(np.int32)
    return cluster.astype(np.int32), item.astype(np.int32), place.ravel().astype(np.int32), of_chunk, of_chunk
