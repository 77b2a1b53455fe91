"""Two-byte codes in files are read as the same values as int32 codes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.blocks import Blocks, SetColumnBuilder, checked_rows
from anonset.data.codes import CodesBuilder, NarrowCodes, RowNumbers, as_codes, codes_array, in_full, stored_codes
from anonset.data.resumption.ledger import Ledger
from anonset.data.storage.store import MEMORY, Files, backing


@pytest.fixture(scope="module")
def work():
    with Files.temporary() as store:
        yield store


@pytest.mark.parametrize(
    ("parts", "narrow"),
    [
        ([[0, 65535], [7]], True),
        ([[], []], True),
        ([[0, 1], [65536], [2]], False),
        ([[3, -1], [4]], False),
        ([[5], [-1]], False),
        ([[1 << 30]], False),
    ],
)
def test_codes_are_narrow_until_a_code_does_not_fit(work, parts, narrow):
    with CodesBuilder("codes", work) as codes:
        for part in parts:
            codes.append(np.array(part, np.int32))
        result = codes.finished()
    stored = stored_codes(result)
    assert stored.dtype == (np.uint16 if narrow else np.int32)
    assert isinstance(result, NarrowCodes) == narrow
    assert result.dtype == np.int32
    assert result[:].dtype == np.int32
    assert result[:].tolist() == [code for part in parts for code in part]
    assert in_full(result).tolist() == result[:].tolist()
    assert not stored.size or backing(stored_codes(result)).filename == backing(stored).filename


def test_the_narrow_file_is_deleted_after_widening(tmp_path):
    with Files.create(tmp_path / "work") as store:
        before = {path.name for path in store.path.iterdir()}
        with CodesBuilder("codes", store) as codes:
            codes.append(np.array([1, 2], np.int32))
            codes.append(np.array([70_000], np.int32))
            codes.finished()
        assert len({path.name for path in store.path.iterdir()} - before) == 1


def test_narrow_codes_are_not_widened_implicitly(work):
    codes = codes_array(work, 3, 1 << 16)
    codes[0:2] = np.array([65535, 8], np.int32)
    assert isinstance(codes, NarrowCodes)
    with pytest.raises(TypeError, match="slice"):
        np.asarray(codes)
    assert codes[np.array([True, False, True])].tolist() == [65535, 0]
    assert (codes[0:1] + np.int32(1)).tolist() == [65536]
    assert stored_codes(codes_array(work, 3, (1 << 16) + 1)).dtype == np.int32
    assert stored_codes(codes_array(MEMORY, 3, 5)).dtype == np.int32


@pytest.mark.long
@given(st.lists(st.sets(st.integers(0, 9), max_size=5), max_size=12), st.integers(1, 5))
def test_a_narrow_column_is_the_column(work, sets, per_block):
    column = SetColumn.of([{str(item) for item in row} for row in sets], universe=tuple("0123456789"))
    with SetColumnBuilder("items", work, narrow=True) as growing:
        growing.append(column)
        filed = growing.finished(column.vocabulary)
    assert not len(column.items) or isinstance(filed.codes, NarrowCodes)
    assert list(filed.rows()) == list(column.rows())
    assert filed.occurrences.tolist() == column.occurrences.tolist()
    some = np.arange(column.n)[::-2].copy()
    assert list(filed.take(some).rows()) == list(column.take(some).rows())
    back, labels = np.arange(10, dtype=np.int32)[::-1].copy(), Vocabulary(tuple("9876543210"))
    recoded = filed.recode(back, labels, work)
    assert stored_codes(recoded.codes).dtype == np.uint16 or not len(column.items)
    assert [set(row) for row in recoded.rows()] == [set(row) for row in column.rows()]
    blocks = [checked_rows(rows, 10) for rows in Blocks.of(filed, filed.store, per_block)]
    assert all(items.dtype == np.int32 and type(items) is np.ndarray for _, items in blocks if len(items))
    assert type(filed.items) is np.ndarray
    assert filed.items is filed.items
    assert filed.items.tolist() == column.items.tolist()
    read_rows = [items[a:b].tolist() for ptr, items in blocks for a, b in pairwise(ptr)]
    assert read_rows == [column.items[a:b].tolist() for a, b in pairwise(column.indptr)]


def test_a_narrow_table_is_saved_as_it_is(tmp_path):
    with Files.create(tmp_path / "work") as store:
        with SetColumnBuilder("items", store, narrow=True) as growing:
            growing.append(SetColumn.of([{"a"}, {"a", "b"}]))
            table = Table(growing.finished(Vocabulary(("a", "b"))), order=("items",), store=store)
        Ledger(store).finish("read", table)
        restored = Ledger(store).finished("read")
        assert restored.transactions is not None
        assert isinstance(restored.transactions.codes, NarrowCodes)
        assert list(restored.transactions.rows()) == [["a"], ["a", "b"]]
        assert as_codes(np.array([1], np.int32)).tolist() == [1]


def test_row_numbers_of_four_bytes_are_read_as_eight():
    numbers = RowNumbers(np.array([3, 0, 2**31 - 1], np.int32))
    numbers[1:] = np.array([5, 6])
    assert (len(numbers), numbers.tolist(), numbers[1:].dtype) == (3, [3, 5, 6], np.dtype(np.int64))
    assert np.asarray(numbers).dtype == np.int64
    assert np.asarray(numbers, np.int32).dtype == np.int32
