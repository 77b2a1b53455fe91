"""What the bucketizing algorithms share before their search begins."""

import numpy as np

from anonset.data import CategoricalColumn, Table
from anonset.data.table import Int32, Int64
from anonset.errors import InfeasibleError, InputError
from anonset.generalization.buckets import STAR, require_bucket_roles

_MISSING_ID = ("", "?")


def sensitive_column(table: Table) -> CategoricalColumn:
    """Return the table's sensitive column, every value of which is known.

    Raises
    ------
    InputError
        If there is none, a value is missing, or the table has columns that buckets cannot publish.
    """
    require_bucket_roles(table)
    column = table.sensitive
    if column is None:
        msg = "the table must have a sensitive column, got none"
        raise InputError(msg)
    _refuse(column, ("",), "sensitive", "give it a value of its own, as '?', or leave the row out")
    return column


def id_columns(table: Table) -> tuple[CategoricalColumn, ...]:
    """Return the columns that together identify an individual, every value of which is known.

    Raises
    ------
    InputError
        If there is none, or a value is missing or looks like a starred identity.
    """
    if not table.ids:
        msg = "the table must have at least one id column (the left side of the dependency), got none"
        raise InputError(msg)
    for column in table.ids:
        _refuse(column, _MISSING_ID, "id", "a row without identity belongs to no individual; leave it out")
        _refuse(column, (STAR,), "id", f"{STAR!r} is what a hidden identity is published as; rename it")
    return table.ids


def require_eligible(algorithm: str, column: CategoricalColumn, l: int) -> None:  # noqa: E741
    """Refuse a column in which a value has more than 1/l of the tuples.

    Raises
    ------
    InfeasibleError
        With the most frequent value and its share.
    """
    counts = np.bincount(column.codes, minlength=1)
    value = int(counts.argmax())
    most = int(counts[value])
    if l * most > column.n:
        share = most / column.n
        label = column.vocabulary.labels[value]
        reason = (
            f"value {label!r} of column {column.name!r} stands in {most:,} of {column.n:,} rows ({share:.1%}), "
            f"at most 1/l = 1/{l} of them is required; an l of at most {column.n // most} would do"
        )
        raise InfeasibleError(algorithm, reason, achieved=share, bound=1 / l)


def order_by(columns: tuple[CategoricalColumn, ...]) -> Int32:
    """Return int32 (n,): the rows in the order of their values in the columns, equal ones as they stand."""
    from anonset_kernels.buckets import counting_order

    order = np.arange(columns[0].n, dtype=np.int32)
    for column in reversed(columns):
        order = counting_order(column.codes, len(column.vocabulary), order)
    return order


def run_starts(columns: tuple[CategoricalColumn, ...], order: Int32) -> Int64:
    """Return int64 (runs + 1,): where each run of equal values starts among the ordered rows, and their number."""
    n = len(order)
    new = np.ones(n + 1, np.bool_)
    new[1:n] = False
    for column in columns:
        codes = column.codes[order]
        new[1:n] |= codes[1:] != codes[:-1]
    return np.flatnonzero(new).astype(np.int64)


def _refuse(column: CategoricalColumn, labels: tuple[str, ...], role: str, way_out: str) -> None:
    for label in labels:
        code = column.vocabulary.index.get(label)
        if code is None:
            continue
        rows = np.flatnonzero(column.codes == code)
        if len(rows):
            msg = f"{role} column {column.name!r}: row {rows[0] + 1} holds {label!r}, a value is required; {way_out}"
            raise InputError(msg)
