"""Published rows compared with their records: the fast path (symbols share no item) equals the general path."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset_kernels.verification.truth import SymbolMembers, first_repeated, first_untrue, first_untrue_by_one, widened

ITEMS, SYMBOLS = 6, 3
rows_of_items = st.lists(st.sets(st.integers(0, ITEMS - 1)), min_size=1, max_size=6)
images = st.lists(st.integers(-1, SYMBOLS - 1), min_size=ITEMS, max_size=ITEMS)


def csr(rows):
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return indptr, np.array([code for row in rows for code in sorted(row)], np.int32)


@given(rows_of_items, images, st.data())
def test_the_fast_path_finds_the_same_violation(records, image, data):
    rows = [{image[item] for item in record} - {-1} for record in records]
    if data.draw(st.booleans()):  # change one row
        rows[data.draw(st.integers(0, len(rows) - 1))] = data.draw(st.sets(st.integers(0, SYMBOLS - 1)))
    record = np.arange(len(rows), dtype=np.int64)
    known = [[item for item in range(ITEMS) if image[item] == symbol] for symbol in range(SYMBOLS)]
    symbol_of = np.array(image, np.int32)
    general = first_untrue(csr(records), csr(rows), record, SymbolMembers(*csr(known)), symbol_of < 0, 0, len(rows))
    assert first_untrue_by_one(csr(records), csr(rows), record, symbol_of, SYMBOLS, 0, len(rows)) == general
    untrue = (
        index
        for index, (row, shown) in enumerate(zip(records, rows, strict=True))
        if {image[i] for i in row} - {-1} != shown
    )
    assert general[0] == next(untrue, -1)


@given(st.lists(st.integers(0, 130), max_size=12))
def test_the_first_record_that_was_seen_before(record):
    seen = np.zeros(3, np.uint64)
    repeated = [i for i, value in enumerate(record) if value in record[:i]]
    assert first_repeated(np.array(record, np.int64), seen, 0, len(record)) == (repeated[0] if repeated else -1)


@given(rows_of_items, st.data())
def test_selected_rows_are_widened(records, data):
    chosen = data.draw(st.lists(st.integers(0, len(records) - 1), max_size=9))
    indptr, items = csr([{65535 - item for item in record} for record in records])
    result = widened((indptr, items.astype(np.uint16)), np.array(chosen, np.int64))
    assert result[1].dtype == np.int32
    rows = [result[1][a:b].tolist() for a, b in zip(result[0][:-1], result[0][1:], strict=True)]
    assert rows == [sorted(65535 - item for item in records[record]) for record in chosen]
