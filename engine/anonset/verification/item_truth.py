"""Check whether the published symbols of each record match its original items."""

import os
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from anonset.data import SetColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.codes import NarrowCodes, stored_codes
from anonset.data.spans import begins_of, memory_left, spans
from anonset.data.storage.store import Store, backing, fetch
from anonset.errors import InputError
from anonset.privacy import Witness
from anonset.publications import Records
from anonset.verification.itemsets import require_well_formed

_ROWS_PER_CALL, _ROWS_PER_TASK = 10_000, 1 << 20  # number of rows of a call in this process, and of a task on a cluster
_CALLS_AT_ONCE = 32
_MOST_RANGES = 64  # each range is a pass over all rows
_SHARE_OF_CACHE = 3
"""Inverse of the share of memory that is available to cache randomly accessed records."""
_First = Callable[[tuple[Int64, Int32], tuple[Int64, Int32], Int64, int], tuple[int, int, int]]
"""Function that compares rows with records and returns the first violation, like `Look`. Its arguments are arrays of
rows and records instead of spans.
"""
Look = Callable[[tuple[int, int], tuple[int, int]], tuple[int, int, int]]
"""Function that compares a span of rows with a span of records. It returns the row, item and symbol of the first
violation. The row is -1 if there is no violation.
"""


def check_item_truth(original: Table, publication: Records) -> Witness | None:
    """Find a published row that does not match the original record.

    A truthful publication publishes each record at most once. Every symbol of a row covers an item of the record. For
    every item of the record, the row contains a symbol that covers the item, unless the item is suppressed. No
    published symbol covers a suppressed item.

    Returns
    -------
    The first violation, by row, or None. Its `support` is 0, because no symbol or item matches.

    Raises
    ------
    InputError
        If the publication does not belong to the table, because its codebook or its records do not match.

    Examples
    --------
    >>> from anonset.data import Hierarchy
    >>> from anonset.generalization import Cut, apply
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"]))
    >>> table = Table.from_sets([{"a1", "b"}, {"a2"}], universe=hierarchy.leaves.labels)
    >>> check_item_truth(table, apply(table, Cut.identity(hierarchy))) is None
    True
    """
    before, after = original.transactions, publication.transactions
    if (row := _require_same_shape(original, publication)) >= 0:
        return Witness((), 0, 1, row, f"input record {publication.record[row]} is published more than once")
    if before is None or after is None:
        return None
    return _first_untrue(before, after, publication)


def check_items_possible(original: SetColumn, publication: Records) -> Witness | None:
    """Find a published symbol that occurs more often than all its items together in the original. The row order is
    ignored.

    >>> from anonset.publications import Symbol
    >>> sets, published = (Table.from_sets(rows).transactions for rows in ([{"a"}, {"b"}], [{"c"}, {"b"}]))
    >>> book = tuple(Symbol(label, "item", (label,)) for label in published.vocabulary.labels)
    >>> str(check_items_possible(sets, Records(published, book, (), (), np.arange(2))))
    '{c} matches 0 records, 1 required; published row 0 shows it; the original has too few items for this symbol'
    """
    after = publication.transactions
    if after is None:
        return None
    often = dict(zip(original.vocabulary.labels, original.occurrences.tolist(), strict=True))
    for code, shown in enumerate(after.occurrences.tolist()):
        possible = sum(often.get(member, 0) for member in publication.symbols[code].members)
        if shown > possible:
            row = next(row for row in _rows_with(after, code))
            label = after.vocabulary.labels[code]
            return Witness((label,), possible, shown, row, "the original has too few items for this symbol")
    return None


def _rows_with(column: SetColumn, code: int) -> Iterator[int]:
    """Yield the first row that contains a code in each span of rows."""
    for begin, end in spans(column.n):
        rows = column.slice(begin, end)
        places = np.flatnonzero(rows.items == code)
        if len(places):
            yield begin + int(np.searchsorted(rows.indptr, places[0], side="right")) - 1


def _require_same_shape(original: Table, publication: Records) -> int:
    """Check that the records and symbols of the publication fit the table. Return the first row that publishes the same
    record as an earlier row, or -1.
    """
    before, after, record = original.transactions, publication.transactions, publication.record
    if (before is None) != (after is None):
        msg = "the table and the publication must both have a set-valued column, or both lack it"
        raise InputError(msg)
    ((least, most, repeated),) = publication.store.map(partial(_survey, record), [original.n])
    if least < 0 or most >= original.n:
        span = f"{least}..{most}"
        msg = f"records of the publication must be in 0..{original.n - 1}, got {span}"
        raise InputError(msg)
    if after is None:
        return repeated
    require_well_formed(after, publication.store)
    if after.n != len(record):
        msg = f"the publication has {after.n} rows, but maps them to {len(record)} records"
        raise InputError(msg)
    if after.vocabulary.labels != tuple(symbol.label for symbol in publication.symbols):
        msg = "the codebook must contain the symbols of the publication, each once and in their order"
        raise InputError(msg)
    return repeated


def _survey(record: Int64, n: int) -> tuple[int, int, int]:
    """Return the smallest and largest record number, and the result of `first_repeated`."""
    ends = [(int(record[a:b].min()), int(record[a:b].max())) for a, b in spans(len(record))]
    least, most = min((low for low, _ in ends), default=0), max((high for _, high in ends), default=-1)
    return least, most, first_repeated(record, n) if least >= 0 and most < n else -1


def first_repeated(record: Int64, n: int) -> int:
    """Return the first row that publishes the same record as an earlier row, or -1. Records are numbered from 0 to `n`
    - 1.
    """
    from anonset_kernels.verification import truth

    bitmap = np.zeros(n // 64 + 1, np.uint64)
    parts = ((a, truth.first_repeated(record[a:b], bitmap, 0, b - a)) for a, b in spans(len(record)))
    return next((a + int(row) for a, row in parts if row >= 0), -1)


def _look(before: SetColumn, after: SetColumn, record: Int64, codes_of: list[list[int]]) -> Look:
    """Return a function that finds the first violation in a span of rows, given the items of each symbol."""
    from anonset_kernels.verification.truth import SymbolMembers, first_untrue, first_untrue_by_one

    symbol_of = np.full(len(before.vocabulary), -1, np.int32)
    shown = np.flatnonzero(after.occurrences).tolist()
    for symbol in shown:
        symbol_of[codes_of[symbol]] = symbol
    if int(np.count_nonzero(symbol_of >= 0)) == sum(len(codes_of[symbol]) for symbol in shown):
        return _looking(
            before,
            after,
            record,
            lambda records, rows, record_numbers, n: first_untrue_by_one(
                records, rows, record_numbers, symbol_of, len(codes_of), 0, n
            ),
        )
    indptr = begins_of(map(len, codes_of))
    members = SymbolMembers(indptr, np.fromiter((c for codes in codes_of for c in codes), np.int32, int(indptr[-1])))
    hidden = symbol_of < 0
    return _looking(
        before,
        after,
        record,
        lambda records, rows, record_numbers, n: first_untrue(records, rows, record_numbers, members, hidden, 0, n),
    )


def _looking(before: SetColumn, after: SetColumn, record: Int64, first: _First) -> Look:
    """Return a function that applies `first` to a span of rows. It converts codes to int32 if needed."""
    from anonset_kernels.verification.truth import widened

    narrow = stored_codes(before.codes) if isinstance(before.codes, NarrowCodes) else None

    def look(span: tuple[int, int], among: tuple[int, int]) -> tuple[int, int, int]:
        begin, end = span
        chosen_records = record[begin:end]
        if among == (0, before.n):
            rows, row_of = after.slice(begin, end), np.arange(begin, end)
        else:
            chosen = np.flatnonzero((chosen_records >= among[0]) & (chosen_records < among[1]))
            chosen_records, row_of = chosen_records[chosen], begin + chosen
            rows = after.take(row_of)
        if narrow is None:
            records = before.indptr, before.items
        else:
            records, chosen_records = widened((before.indptr, narrow), chosen_records), np.arange(rows.n)
        row, item, symbol = first(records, (rows.indptr, rows.items), chosen_records, rows.n)
        return (row if row < 0 else int(row_of[row])), item, symbol

    return look


def _ranges(column: SetColumn) -> list[tuple[int, int]]:
    """Split the records of a column in files into ranges that fit in the page cache."""
    if (begins := backing(column.indptr)) is None or not column.n:
        return [(0, column.n)]
    size = begins.nbytes + stored_codes(column.codes).nbytes
    most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    free_memory = memory_left()
    bytes_per_range = max(
        (most if free_memory is None else min(most, free_memory)) // _SHARE_OF_CACHE, size // _MOST_RANGES, 1
    )
    return list(spans(column.n, -(-column.n // max(1, -(-size // bytes_per_range)))))


def _first_untrue(before: SetColumn, after: SetColumn, publication: Records) -> Witness | None:
    code_of = before.vocabulary.index
    codes_of = [sorted({code_of[x] for x in symbol.members if x in code_of}) for symbol in publication.symbols]
    look, n, ranges = _look(before, after, publication.record, codes_of), publication.n, _ranges(before)
    violations: list[tuple[int, int, int]] = []
    for among in ranges:
        if len(ranges) > 1:
            fetch(before.indptr, *among)
            fetch(stored_codes(before.codes), int(before.indptr[among[0]]), int(before.indptr[among[1]]))

        def look_among(span: tuple[int, int], among: tuple[int, int] = among) -> tuple[int, int, int]:
            return look(span, among)

        violations += _first_violation(look_among, n, publication.store)
    row, item, code = min(violations, default=(-1, -1, -1))
    if item >= 0:
        label = before.vocabulary.labels[item]
        return Witness((label,), 0, 1, int(row), f"no symbol of this row covers the original item {label!r}")
    if code >= 0:
        label = after.vocabulary.labels[code]
        return Witness((label,), 0, 1, int(row), f"symbol {label!r} covers no item of the original record")
    return None


def _first_violation(
    look: Callable[[tuple[int, int]], tuple[int, int, int]], n: int, store: Store
) -> list[tuple[int, int, int]]:
    """Return a list that contains the first violation among n rows. The list is empty if there is no violation."""
    bounds = list(spans(n, _ROWS_PER_TASK if store.workers.remote else _ROWS_PER_CALL))
    for start in range(0, len(bounds), _CALLS_AT_ONCE):
        for violation in store.map(look, bounds[start : start + _CALLS_AT_ONCE]):
            if violation[0] >= 0:
                return [violation]
    return []
