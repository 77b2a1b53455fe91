"""Search the records in an order that their content determines, so that the order of the input changes no result."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from anonset.algorithms.base import Algorithm, Result, traits_of
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, Table
from anonset.data.array_types import Int32, Int64, UInt64
from anonset.data.progress import Progress
from anonset.data.split_mix import mixed
from anonset.data.table import Column
from anonset.generalization import Disassociated, PerCluster


def recode_in_order(
    algorithm: Algorithm, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None
) -> Result:
    """Run an algorithm on the records in the order of `content_order`, and return its result for the table.

    Algorithms that form clusters break ties by record number. Algorithms that publish one recoding for all records, and
    those that read records in blocks, do not depend on the order, and get the table unchanged.

    Raises
    ------
    InfeasibleError
        If the algorithm cannot reach its guarantee.
    InputError
        If the algorithm cannot use the columns.
    """
    traits = traits_of(algorithm)
    if traits.coarsens or traits.by_blocks or traits.splits_in_memory:
        return algorithm.recode(table, hierarchies, progress=progress)
    order = content_order(table)
    result = algorithm.recode(table.take(order), hierarchies, progress=progress)
    recoding = result.recoding
    if isinstance(recoding, PerCluster):
        recoding = replace(recoding, cluster=in_input_order(recoding.cluster, order))
    elif isinstance(recoding, Disassociated):
        record = order[recoding.record]
        of_cluster = np.repeat(np.arange(recoding.n_clusters), np.diff(recoding.begins))
        recoding = replace(recoding, record=record[np.lexsort((record, of_cluster))])
    trace = tuple(
        replace(entry, records=tuple(np.sort(order[list(entry.records)]).tolist()))
        if hasattr(entry, "records")
        else entry
        for entry in result.trace
    )
    return replace(result, recoding=recoding, trace=trace)


def content_order(table: Table) -> Int64:
    """Return the records sorted by a hash of their items, quasi-identifiers and kept values, int64 (n,).

    A hash, because an order of the values would collect equal sensitive values in the same clusters.

    >>> table = Table.from_sets([{"b"}, {"a"}, {"a", "b"}])
    >>> [*map(list, table.take(content_order(table)).transactions.rows())]
    [['b'], ['a', 'b'], ['a']]
    """
    sets = () if table.transactions is None else (table.transactions,)
    content = np.zeros(table.n, np.uint64)
    for column in (*sets, *table.relational, *table.kept):
        content = mixed(content + _hashes(column))
    return np.argsort(content, kind="stable").astype(np.int64)


def in_input_order(cluster: Int32, order: Int64) -> Int32:
    """Return the cluster of each record, int32 (n,), given those of the records in another order."""
    placed = np.empty_like(cluster)
    placed[order] = cluster
    return placed


def _hashes(column: Column) -> UInt64:
    """Return a hash of each record's value, uint64 (n,). The hash of a set is the sum of the hashes of its items."""
    if isinstance(column, NumericColumn):
        values = cast("Any", column.values[:])
        return mixed((values + values.dtype.type(0)).view(np.uint64))  # -0.0 equals 0.0
    hashes = mixed(column.codes[:].astype(np.uint64) + np.uint64(1))
    if isinstance(column, CategoricalColumn):
        return hashes
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    return sums[column.indptr[1:]] - sums[column.indptr[:-1]]
