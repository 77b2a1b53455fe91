"""Row kernels compared with plain Python."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from anonset.data.codes import sort_items
from anonset_kernels.records.rows import first_copies, map_rows, transpose, unsorted_or_repeated

ITEMS = 9
row_sets = st.lists(st.lists(st.integers(0, ITEMS - 1), unique=True, max_size=6), max_size=12)


def csr(rows):
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return indptr, np.array([item for row in rows for item in row], np.int32)


def as_rows(indptr, items):
    return [items[indptr[r] : indptr[r + 1]].tolist() for r in range(len(indptr) - 1)]


@given(row_sets)
def test_transpose_lists_the_rows_of_each_item(rows):
    start, records = transpose(*csr(rows), ITEMS)
    assert as_rows(start, records) == [[r for r, row in enumerate(rows) if item in row] for item in range(ITEMS)]


@given(st.lists(st.lists(st.integers(0, ITEMS - 1), max_size=6), max_size=12))
@example([[8, 1, 8, 0, *range(8, -1, -1)] * 9, [1, 0], [], [2]])  # long rows are transposed
def test_sort_items(rows):
    indptr, items = csr(rows)
    assert as_rows(indptr, sort_items(indptr, items, ITEMS)) == [sorted(row) for row in rows]


@given(row_sets, st.lists(st.integers(-1, 4), min_size=ITEMS, max_size=ITEMS))
@example([[0, 1, 2, 3, 4, 5], [1, 0], [5, 4, 3, 2, 1]], [3, 1, 4, 0, 2, -1, 0, 0, 0])  # including long rows
def test_map_rows(rows, image):
    out = as_rows(*map_rows(*csr(rows), np.array(image, np.int32), 5))
    assert out == [sorted({image[item] for item in row} - {-1}) for row in rows]


@given(row_sets, st.integers(1, 3), st.integers(0, 12))
def test_first_copies(rows, most, begin):
    rows = [sorted(row[:2]) for row in rows]
    indptr, items = csr(rows)
    begin = min(begin, len(rows))
    expected = [rows[begin:i].count(row) < most for i, row in enumerate(rows[begin:], begin)]
    assert first_copies(indptr[begin:], items, most).tolist() == expected


@given(row_sets)
def test_unsorted_or_repeated(rows):
    wrong = [r for r, row in enumerate(rows) if row != sorted(set(row))]
    assert unsorted_or_repeated(*csr(rows)) == (wrong[0] if wrong else -1)
