"""Checking k^m-anonymity by counting every supported itemset of at most m published symbols."""

from typing import Any

import numpy as np

from anonset.data import SetColumn
from anonset.data.table import Int64
from anonset.errors import AnonsetError
from anonset.privacy import KmAnonymity, Verdict, Witness
from anonset.verification.itemsets import Count, DistinctRows, Progress


def check_km(column: SetColumn, model: KmAnonymity, budget: int, progress: Progress | None) -> Verdict:
    """Check published records; the witness is the smallest violating set, then the first by its codes.

    Every size from 1 to m is counted, none is inferred from another: a record shorter than m holds no set of m
    symbols at all. Sizes beyond the longest record have nothing to count.
    """
    rows = DistinctRows(column)
    sizes = min(model.m, rows.longest)
    checked: dict[str, Any] = {"rows": column.n, "distinct_rows": rows.n, "symbols": rows.symbols}
    occurrences = checked["itemset_occurrences"] = {}
    distinct = checked["distinct_itemsets"] = {}
    left = budget
    for size in range(1, sizes + 1):
        occurrences[size] = rows.occurrences(size)
        left -= occurrences[size]
        if left < 0 and bool(np.all(rows.weight >= model.k)):  # then so often occurs whatever is in a record
            del checked["itemset_occurrences"], checked["distinct_itemsets"]  # how far they came depends on the budget
            checked["covered"] = f"{_sizes(model.m, model.m)}: every record occurs at least {model.k} times"
            return Verdict(True, model, checked)
        if left < 0:
            checked["covered"] = _too_large(size, model.m, occurrences[size], budget)
            return Verdict(None, model, checked)
        count = rows.count(size, model.k, progress)
        if count.rare is not None:
            checked["covered"] = f"{_sizes(size - 1, model.m)}; size {size} up to the witness"
            return Verdict(False, model, checked, _witness(column, count, model.k))
        distinct[size] = count.distinct
    longer = f", the longest record has {rows.longest}" if model.m > rows.longest else ""
    checked["covered"] = f"{_sizes(sizes, model.m)}{longer}"
    return Verdict(True, model, checked)


def _sizes(covered: int, m: int) -> str:
    if covered == 0:
        return f"no size of 1..{m}"
    return f"size 1 of {m}" if covered == 1 else f"sizes 1..{covered} of {m}"


def _too_large(size: int, m: int, occurrences: int, budget: int) -> str:
    return (
        f"{_sizes(size - 1, m)}; size {size} has {occurrences:,} itemset occurrences, "
        f"more than what is left of the budget of {budget:,}"
    )


def _witness(column: SetColumn, count: Count, k: int) -> Witness:
    """Show the violating set, after looking it up in the published records themselves."""
    codes = count.rare or ()
    records = records_with(column, codes)
    if len(records) != count.support:
        msg = f"verification counted {count.support} records with the symbols {codes}, but {len(records)} hold them"
        raise AnonsetError(msg)
    labels = tuple(column.vocabulary.labels[code] for code in codes)
    return Witness(labels, count.support, k, int(records[0]))


def records_with(column: SetColumn, codes: tuple[int, ...]) -> Int64:
    """Return the records that hold all the given codes, by one scan of the column."""
    wanted = np.zeros(len(column.vocabulary), bool)
    wanted[list(codes)] = True
    at = np.flatnonzero(wanted[column.items])
    record = np.searchsorted(column.indptr, at, side="right") - 1
    return np.flatnonzero(np.bincount(record, minlength=column.n) == len(codes)).astype(np.int64)
