"""Check whether the published symbols of each record match its original items."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.codes import NarrowCodes, stored_codes
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, memory_left, spans
from anonset.data.storage.store import Files, Store, backing, damage_error, fetch, not_needed_now
from anonset.data.stored_arrays import StoredArrays
from anonset.errors import InputError
from anonset.privacy import Witness
from anonset.publications import Records
from anonset.verification.itemsets import require_well_formed

_ROWS_PER_CALL, _ROWS_PER_TASK = 10_000, 1 << 20  # number of rows of a call in this process, and of a task on a cluster
_CALLS_AT_ONCE = 32
_MOST_RANGES = 64
_SHARE_OF_CACHE = 3
"""Inverse of the share of memory that is available to cache randomly accessed records."""
_BYTES_OF_ROW = 200  # approximate memory per row that a task distributes
_Violation = tuple[int, int, int]
"""Row, item and symbol of the first violation. The row is -1 if there is no violation. The item or the symbol is -1."""
_Task = TypeVar("_Task")
_Comparison = Callable[[tuple[Int64, Int32], Int64], _Violation]
"""Function that compares rows with their records, given the record numbers."""


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
        raise InputError("the table and the publication must both have a set-valued column, or both lack it")
    ((least, most, repeated),) = publication.store.map(partial(_survey, record), [original.n])
    if least < 0 or most >= original.n:
        span = f"{least}..{most}"
        raise InputError(f"records of the publication must be in 0..{original.n - 1}, got {span}")
    if after is None:
        return repeated
    require_well_formed(after, publication.store)
    if after.n != len(record):
        raise InputError(f"the publication has {after.n} rows, but maps them to {len(record)} records")
    if after.vocabulary.labels != tuple(symbol.label for symbol in publication.symbols):
        raise InputError("the codebook must contain the symbols of the publication, each once and in their order")
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


def _comparison(before: SetColumn, after: SetColumn, codes_of: list[list[int]]) -> _Comparison:
    """Return a function that compares rows with records, given the items of each symbol."""
    from anonset_kernels.verification.truth import SymbolMembers, first_untrue, first_untrue_by_one

    symbol_of = np.full(len(before.vocabulary), -1, np.int32)
    shown = np.flatnonzero(after.occurrences).tolist()
    for symbol in shown:
        symbol_of[codes_of[symbol]] = symbol
    disjoint = int(np.count_nonzero(symbol_of >= 0)) == sum(len(codes_of[symbol]) for symbol in shown)
    indptr = begins_of(map(len, codes_of))
    members = SymbolMembers(indptr, np.fromiter((c for codes in codes_of for c in codes), np.int32, int(indptr[-1])))
    hidden, in_file = symbol_of < 0, backing(stored_codes(before.codes)) is not None

    def compare(rows: tuple[Int64, Int32], record: Int64) -> _Violation:
        records = _chosen(before, record) if in_file else (before.indptr, before.items)
        chosen, n = np.arange(len(record)) if in_file else record, len(record)
        if in_file and bool(np.any((records[1] < 0) | (records[1] >= len(symbol_of)))):
            place = f"column {before.name!r}"
            raise damage_error(place)
        if disjoint:
            return first_untrue_by_one(records, rows, chosen, symbol_of, len(codes_of), 0, n)
        return first_untrue(records, rows, chosen, members, hidden, 0, n)

    return compare


def _chosen(column: SetColumn, rows: Int64) -> tuple[Int64, Int32]:
    """Return the chosen rows of a column as the offsets, int64 (rows + 1,), and the items, int32, for a kernel.
    Reject rows that are out of bounds.
    """
    from anonset_kernels.verification.truth import widened

    begins, ends = column.indptr[rows], column.indptr[rows + 1]
    if bool(np.any((begins < 0) | (ends < begins) | (ends > len(column.codes)))):
        place = f"column {column.name!r}"
        raise damage_error(place)
    if isinstance(column.codes, NarrowCodes):
        return widened((column.indptr, stored_codes(column.codes)), rows)
    taken = column.take(rows)
    return taken.indptr, taken.items


@dataclass(frozen=True, eq=False)
class _Distribution(RedactedRepr):
    """Task that sorts a span of published rows by the range of their records."""

    after: SetColumn
    record: Int64
    firsts: Int64
    """First record of each range, int64 (ranges,)."""
    store: Files

    def __call__(self, span: tuple[int, int]) -> StoredArrays:
        """Write the rows to a file. Its arrays are the first row and item of each range, int64 (ranges + 1, 2), the row
        lengths, the record numbers, and the items. The rows of a range remain in order.
        """
        record = self.record[slice(*span)]
        range_of = np.searchsorted(self.firsts, record, side="right") - 1
        order = np.argsort(range_of.astype(np.uint8), kind="stable")  # 8 bits: NumPy uses a radix sort
        indptr, items = _chosen(self.after, order + span[0])
        rows = begins_of(np.bincount(range_of, minlength=len(self.firsts)))
        items = items.astype(stored_codes(self.after.codes).dtype, copy=False)
        numbers = [_narrowed(np.diff(indptr)), _narrowed(record[order])]
        return StoredArrays.written("truth", [np.stack([rows, indptr[rows]], axis=1), *numbers, items], self.store)


def _narrowed(numbers: Int64) -> NDArray[np.unsignedinteger]:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _untrue_in_range(compare: _Comparison, number: int, run: StoredArrays) -> _Violation:
    """Compare the rows of a range in a file with their records. Return the record number instead of the row."""
    (starts,) = run.between((number, number + 2))
    (first, item), (end, last) = starts.tolist()
    _, lengths, records, items = run.between((0, 0), (first, end), (first, end), (item, last))
    begin = 0
    for a, b in spans(end - first, _ROWS_PER_CALL):
        indptr, record = begins_of(lengths[a:b]), records[a:b].astype(np.int64)
        codes = items[begin : begin + int(indptr[-1])].astype(np.int32)
        begin += len(codes)
        row, item, symbol = compare((indptr, codes), record)
        if row >= 0:
            return int(record[row]), item, symbol
    return -1, -1, -1


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
    compare, ranges = _comparison(before, after, codes_of), _ranges(before)
    find = _untrue_rows if len(ranges) == 1 else partial(_untrue_by_ranges, before, ranges)
    row, item, code = min(find(compare, after, publication.record, publication.store), default=(-1, -1, -1))
    if item >= 0:
        label = before.vocabulary.labels[item]
        return Witness((label,), 0, 1, int(row), f"no symbol of this row covers the original item {label!r}")
    if code >= 0:
        label = after.vocabulary.labels[code]
        return Witness((label,), 0, 1, int(row), f"symbol {label!r} covers no item of the original record")
    return None


def _untrue_rows(compare: _Comparison, after: SetColumn, record: Int64, store: Store) -> list[_Violation]:
    """Return a list that contains the first violation. The list is empty if there is no violation."""

    def look(span: tuple[int, int]) -> _Violation:
        rows = after.slice(*span)
        row, item, symbol = compare((rows.indptr, rows.items), record[slice(*span)])
        return (row if row < 0 else span[0] + int(row)), item, symbol

    bounds = list(spans(len(record), _ROWS_PER_TASK if store.workers.remote else _ROWS_PER_CALL))
    return _first_violation(store, look, bounds)


def _untrue_by_ranges(
    before: SetColumn,
    ranges: list[tuple[int, int]],
    compare: _Comparison,
    after: SetColumn,
    record: Int64,
    store: Store,
) -> list[_Violation]:
    """Return the first violation of each range of records.

    The rows are first sorted by range. In the order of the rows, each page of the original would be read many times if
    the records do not fit in the page cache.
    """
    violations = list[_Violation]()
    with store.nested_on_disk() as scratch:
        distribution = _Distribution(after, record, np.array([first for first, _ in ranges]), scratch)
        n_rows = store.rows_per_task((len(record), len(after.codes)), _BYTES_OF_ROW)
        runs = list(store.map(distribution, spans(len(record), n_rows)))
        not_needed_now(after.indptr, stored_codes(after.codes))
        for number, (first, end) in reversed(list(enumerate(ranges))):  # the first ranges are needed again next
            fetch(before.indptr, first, end)
            fetch(stored_codes(before.codes), int(before.indptr[first]), int(before.indptr[end]))
            violations += _first_violation(store, partial(_untrue_in_range, compare, number), runs)
    return [(_row_of(record, number), item, symbol) for number, item, symbol in violations]


def _row_of(record: Int64, number: int) -> int:
    """Return the row that publishes a record."""
    return next(a + int(np.argmax(record[a:b] == number)) for a, b in spans(len(record)) if number in record[a:b])


def _first_violation(store: Store, look: Callable[[_Task], _Violation], tasks: list[_Task]) -> list[_Violation]:
    """Return a list that contains the violation of the first task with a violation, or nothing."""
    for start in range(0, len(tasks), _CALLS_AT_ONCE):
        for violation in store.map(look, tasks[start : start + _CALLS_AT_ONCE]):
            if violation[0] >= 0:
                return [violation]
    return []
