"""Truthfulness: published symbols cover the original items, and stand for nothing else."""

from collections.abc import Callable

import numpy as np

from anonset.data import SetColumn, Table
from anonset.data.narrow import NarrowCodes, stored_codes
from anonset.data.spans import run_tasks, spans
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization import Publication
from anonset.privacy import Witness
from anonset.verification.counting import Progress
from anonset.verification.itemsets import require_well_formed

_ROWS_PER_CALL = 10_000
_CALLS_AT_ONCE = 32
_First = Callable[[tuple[Int64, Int32], tuple[Int64, Int32], Int64, int], tuple[int, int, int]]
"""Returns what `Look` does, of records, so many rows, and the record of each row."""
Look = Callable[[tuple[int, int]], tuple[int, int, int]]
"""Returns row, item and symbol of the first violation of a span; -1 each if there is none."""


def check_item_truth(original: Table, publication: Publication, *, progress: Progress | None = None) -> Witness | None:
    """Find a published row that does not tell the truth about the record it was made from.

    In a truthful publication no record is published twice; every item of a record is covered by a symbol of its
    row, unless it is suppressed everywhere (no published symbol stands for it); and every symbol of a row stands
    for at least one item of its record.

    Returns
    -------
    The first violation, by row, or None. Its `support` is the number of symbols (items) that match, none.

    Raises
    ------
    InputError
        If the publication does not belong to the table: another codebook, or records that it does not have.

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
    _require_same_shape(original, publication)
    if (row := first_repeated(publication.record, original.n)) >= 0:
        return Witness((), 0, 1, row, f"input record {publication.record[row]} is published more than once")
    if before is None or after is None:
        return None
    return _first_untrue(before, after, publication, progress)


def _require_same_shape(original: Table, publication: Publication) -> None:
    before, after, record = original.transactions, publication.transactions, publication.record
    if (before is None) != (after is None):
        msg = "the table and its publication must both have a set-valued column, or neither"
        raise InputError(msg)
    least, most = int(record.min(initial=0)), int(record.max(initial=-1))
    if least < 0 or most >= original.n:
        span = f"{int(record.min())}..{most}"
        msg = f"records of the publication must be in 0..{original.n - 1}, got {span}"
        raise InputError(msg)
    if after is None:
        return
    require_well_formed(after)
    if after.n != len(record):
        msg = f"the publication has {after.n} rows, but names the records of {len(record)}"
        raise InputError(msg)
    if after.vocabulary.labels != tuple(symbol.label for symbol in publication.symbols):
        msg = "the codebook of the publication must explain its symbols, one by one and in their order"
        raise InputError(msg)


def first_repeated(record: Int64, n: int) -> int:
    """Return the first row whose record an earlier row was made from, out of `n` records, or -1."""
    from anonset_kernels import truth_check

    seen = np.zeros(n // 64 + 1, np.uint64)
    parts = (truth_check.first_repeated(record, seen, *span) for span in spans(len(record)))
    return next((int(row) for row in parts if row >= 0), -1)


def _look(before: SetColumn, after: SetColumn, record: Int64, known: list[list[int]]) -> Look:
    """Return what finds the first row of a span that is not true, given the items that each symbol stands for."""
    from anonset_kernels.truth_check import Members, first_untrue, first_untrue_by_one

    symbol_of = np.full(len(before.vocabulary), -1, np.int32)
    shown = np.flatnonzero(after.occurrences).tolist()
    for symbol in shown:
        symbol_of[known[symbol]] = symbol
    if int(np.count_nonzero(symbol_of >= 0)) == sum(len(known[symbol]) for symbol in shown):
        return _looking(
            before,
            after,
            record,
            lambda records, rows, own, n: first_untrue_by_one(records, rows, own, symbol_of, len(known), 0, n),
        )
    indptr = np.zeros(len(known) + 1, np.int64)
    np.cumsum([len(codes) for codes in known], out=indptr[1:])
    members = Members(indptr, np.fromiter((c for codes in known for c in codes), np.int32, int(indptr[-1])))
    hidden = symbol_of < 0
    return _looking(
        before, after, record, lambda records, rows, own, n: first_untrue(records, rows, own, members, hidden, 0, n)
    )


def _looking(before: SetColumn, after: SetColumn, record: Int64, first: _First) -> Look:
    """Return what looks at a span of rows: narrow codes are widened."""
    from anonset_kernels.truth_check import widened

    narrow = stored_codes(before.items) if isinstance(before.items, NarrowCodes) else None

    def look(span: tuple[int, int]) -> tuple[int, int, int]:
        begin, end = span
        rows, own = after.slice(begin, end), record[begin:end]
        if narrow is None:
            records = before.indptr, before.items
        else:
            records, own = widened((before.indptr, narrow), own), np.arange(end - begin)
        row, item, symbol = first(records, (rows.indptr, rows.items), own, end - begin)
        return (row if row < 0 else row + begin), item, symbol

    return look


def _first_untrue(
    before: SetColumn, after: SetColumn, publication: Publication, progress: Progress | None
) -> Witness | None:
    code_of = before.vocabulary.index
    known = [sorted({code_of[x] for x in symbol.members if x in code_of}) for symbol in publication.symbols]
    look = _look(before, after, publication.record, known)
    bounds = list(spans(publication.n, _ROWS_PER_CALL))
    with publication.store.limits.pool("verify") as pool:
        for start in range(0, len(bounds), _CALLS_AT_ONCE):
            for row, item, code in run_tasks(pool, look, bounds[start : start + _CALLS_AT_ONCE]):
                if item >= 0:
                    label = before.vocabulary.labels[item]
                    detail = f"no symbol of this row stands for the original item {label!r}"
                    return Witness((label,), 0, 1, int(row), detail)
                if code >= 0:
                    label = after.vocabulary.labels[code]
                    detail = f"symbol {label!r} stands for no item of the original record"
                    return Witness((label,), 0, 1, int(row), detail)
            if progress is not None:
                done = bounds[min(start + _CALLS_AT_ONCE, len(bounds)) - 1][1]
                progress("truthfulness", float(done), float(publication.n))
    return None
