"""Steps shared by the bucketizing algorithms before the search."""

import numpy as np

from anonset.algorithms.buckets.draws import Draws
from anonset.data import CategoricalColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InfeasibleError, InputError, datum
from anonset.generalization.bucketizing import require_bucket_roles, require_no_missing
from anonset.publications.buckets import STAR

MOST_TUPLES = (1 << 31) - 1
"""Maximum number of tuples, because tuple numbers have 31 bits."""
PARTS_INSTEAD = "publish parts of the individuals separately"
"""Advice in messages about tables with more than `MOST_TUPLES` tuples."""
_MISSING_ID = "?"
_MOST_KEYS = 1 << 31
"""Maximum number of value combinations in a sort key, which also contains the row number."""
_IN_CACHE = 1 << 15
"""Number of entries that are shuffled within the CPU cache (128 KiB)."""


def sensitive_column(table: Table, model: str) -> CategoricalColumn:
    """Return the table's sensitive column after checking that no value is missing. `model` is named in the message.

    Raises
    ------
    InputError
        If the column or a value is missing, the table has columns that buckets cannot publish, or there are more than
        `MOST_TUPLES` tuples.
    """
    require_bucket_roles(table)
    column = table.sensitive
    if column is None:
        raise InputError("the table must have a sensitive column, got none")
    if table.n > MOST_TUPLES:
        raise InputError(f"buckets are limited to {MOST_TUPLES:,} tuples, got {table.n:,}; {PARTS_INSTEAD}")
    require_no_missing(column, model)
    return column


def id_columns(table: Table) -> tuple[CategoricalColumn, ...]:
    """Return the columns that together identify an individual, after checking that no value is missing.

    Raises
    ------
    InputError
        If there is no id column, or a value is missing or looks like a starred identity.
    """
    if not table.ids:
        raise InputError("the table needs an id column, got none")
    for column in table.ids:
        # empty labels in files were already rejected when the data were read
        labels = () if column.vocabulary.filed is not None else column.vocabulary.labels
        blank = tuple(label for label in labels if not label.strip())
        _refuse_ids(column, (*blank, _MISSING_ID), "a row without identity belongs to no individual; remove it")
        _refuse_ids(column, (STAR,), f"{STAR!r} represents a hidden identity; rename it")
    return table.ids


def require_eligible(algorithm: str, column: CategoricalColumn, l: int) -> None:  # noqa: E741
    """Reject a column in which a value has more than 1/l of the tuples.

    Raises
    ------
    InfeasibleError
        The message contains the most frequent value and the share of this value.
    """
    if not column.n:
        return
    counts = column.occurrences
    value = int(counts.argmax())
    most = int(counts[value])
    if l * most > column.n:
        share = most / column.n
        label = column.vocabulary.labels[value]
        reason = (
            f"value {datum(label)} of column {column.name!r} is in {most:,} of {column.n:,} rows ({share:.1%}), "
            f"but at most 1/l = 1/{l} is allowed; an l of at most {column.n // most} is feasible"
        )
        raise InfeasibleError(algorithm, reason, achieved=share, bound=1 / l)


def random_by_code(codes: Int32, n_codes: int, draws: Draws, purpose: str, store: Store = MEMORY) -> Int32:
    """Return the entry numbers sorted by code, int32 (n,), in `store`. Entries of equal code are in random order."""
    from anonset_kernels.buckets import buckets

    stretch, order = (store.array("order", np.int32, len(codes)) for _ in range(2))
    with np.errstate(over="ignore"):  # the overflow is intended, and NumPy warns about it if kernels are not compiled
        buckets.random_by_code(codes, n_codes, draws.key(purpose), _IN_CACHE, stretch, order)
    return order


def random_runs(rows: Int32, starts: Int64, draws: Draws, purpose: str) -> tuple[Int32, Int64]:
    """Sort runs of rows by descending length. Return the rows and the new start of each run.

    Runs of equal length are in random order.
    """
    from anonset_kernels.buckets import buckets

    with np.errstate(over="ignore"):
        return buckets.random_runs(rows, starts, draws.key(purpose), _IN_CACHE)


def sorted_rows(columns: tuple[CategoricalColumn, ...]) -> tuple[Int32, Int64]:
    """Return the rows sorted by their values, and the start of each run of rows with equal values. The sort is stable.

    The arrays are int32 (n,) and int64 (runs + 1,). The last start is n. Cost: a sort of the keys, and O(n) for each
    column that does not fit into the keys.
    """
    from anonset_kernels.buckets.buckets import sorted_runs

    keys, n_keys = np.zeros(columns[0].n, np.int64), 1
    for column in columns:
        n_values = max(1, len(column.vocabulary))
        if n_keys * n_values > _MOST_KEYS:
            order, starts = sorted_runs(keys, n_keys)
            n_keys = len(starts) - 1
            keys[order] = np.repeat(np.arange(n_keys), np.diff(starts))
        keys *= n_values
        keys += column.codes
        n_keys *= n_values
    return sorted_runs(keys, n_keys)


def _refuse_ids(column: CategoricalColumn, labels: tuple[str, ...], way_out: str) -> None:
    for label in labels:
        code = column.vocabulary.index.get(label)
        if code is None:
            continue
        rows = np.flatnonzero(column.codes == code)
        if len(rows):
            where = f"id column {column.name!r}: row {rows[0] + 1}"
            raise InputError(f"{where} contains {datum(label)}, a value is required; {way_out}")
