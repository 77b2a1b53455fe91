"""Row order of publications, compared with sorting tuples, in memory and in a work directory."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table, Vocabulary, spans
from anonset.data.codes import NarrowCodes, as_codes
from anonset.data.spans import Limits
from anonset.data.storage.store import MEMORY, Files, Memory, backing
from anonset.data.storage.workers import Threads
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster, apply, row_order, row_sorter
from anonset.generalization.row_order import sort_rows
from anonset.generalization.unsorted_rows import UnsortedRows
from anonset.verification.item_truth import check_item_truth

ITEMS = 300
row_lists = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 1),
        st.one_of(
            st.sampled_from([[], [7], list(range(20))]), st.lists(st.integers(0, ITEMS - 1), max_size=12, unique=True)
        ),
    ),
    max_size=60,
)


@contextmanager
def buckets_of(items):
    """Use tiny buckets, spans and samples, so that buckets overflow and are split again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_sorter, "ITEMS_PER_BUCKET", items)
        patch.setattr(row_order, "ITEMS_PER_TASK", items)
        patch.setattr(row_sorter, "SAMPLE", 5)
        patch.setattr(spans, "AT_ONCE", 3)
        patch.setattr(row_order, "AT_ONCE", 3)
        yield


@pytest.fixture
def tiny():
    with buckets_of(40):
        yield


def sort(rows, store, *, narrow=False):
    """Sort triples (first code, second code, items) by first code and items."""
    indptr = np.concatenate([[0], np.cumsum([len(items) for *_, items in rows])]).astype(np.int64)
    items = np.array([item for *_, row_items in rows for item in sorted(row_items)], np.int32)
    columns = [np.array([row[i] for row in rows], np.int32) for i in range(2)]
    record = np.arange(len(rows), dtype=np.int64)
    sets = SetColumn("items", indptr, items, Vocabulary(()))
    result = sort_rows(UnsortedRows(sets, columns, record), largest=[3, ITEMS], store=store, narrow=narrow)
    assert isinstance(result.items, NarrowCodes) == (narrow and store.in_files)
    assert result.indptr[0] == 0
    if result.occurrences is not None:
        assert result.occurrences[:ITEMS].tolist() == np.bincount(items, minlength=ITEMS).tolist()
    assert (result.occurrences is None) == (not narrow or not store.in_files)
    sets = [result.items[begin:end].tolist() for begin, end in zip(result.indptr, result.indptr[1:], strict=False)]
    return list(zip(*(column.tolist() for column in result.columns), sets, result.record.tolist(), strict=True))


def expected(rows):
    numbered = [(first, second, sorted(items), i) for i, (first, second, items) in enumerate(rows)]
    return sorted(numbered, key=lambda row: (row[0], row[2], row[3]))


@given(row_lists)
def test_rows_in_memory_are_sorted(rows):
    assert sort(rows, MEMORY) == expected(rows)


@pytest.mark.long
@given(row_lists, st.sampled_from([(4, 40), (1, 1), (1000, 20)]))
def test_rows_are_sorted_by_buckets(rows, sizes):
    with buckets_of(sizes[1]):
        assert sort(rows, Memory(Limits(rows_per_bucket=sizes[0]))) == expected(rows)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("workers", [1, 3])
def test_rows_are_sorted_in_files_and_only_the_rows_remain(tiny, tmp_path, narrow, workers):
    random = np.random.default_rng(3)
    rows = [(int(random.integers(3)), i % 2, sorted({*random.integers(0, 9, 4).tolist()})) for i in range(90)]
    rows += [(1, 0, list(range(30)))] * 20
    with Files.temporary(tmp_path, Limits(rows_per_bucket=4), Threads(workers)) as work:
        assert sort(rows, work, narrow=narrow) == expected(rows)
        remaining = sorted(path.name.partition("-")[0] for path in work.path.iterdir())
        assert remaining == ["codes", "codes", "indptr", "items", "record"]


TREE = Hierarchy.from_tree(("ALL", [("N0", ["a", "b"]), ("N1", ["c", "d"]), ("N2", ["e", "f"])]))


def mapped(table: Table, work: Files, dtype: type = np.int32) -> Table:
    """Return the table with the arrays of set-valued and kept columns in files."""
    column = table.transactions
    indptr, items = work.keep("t.indptr", column.indptr), as_codes(work.keep("t.items", column.items.astype(dtype)))
    sets = SetColumn(column.name, indptr, items, column.vocabulary)
    kept = CategoricalColumn("year", work.keep("k", table.kept[0].codes), table.kept[0].vocabulary)
    return Table(sets, kept=(kept,), order=table.order, store=work)


def contents(publication):
    """Return the contents of a publication, independent of array storage."""
    sets = publication.transactions
    arrays = (sets.indptr, sets.items[:], *(column.codes for column in publication.kept), publication.record)
    return [array.tolist() for array in arrays], publication.symbols, sets.vocabulary.labels


@pytest.mark.parametrize("dtype", [np.int32, np.uint16])
@pytest.mark.parametrize("groups", [False, True])
def test_a_mapped_table_has_the_same_publication(tiny, tmp_path, groups, dtype):
    random = np.random.default_rng(11)
    sets = SetColumn.of([{"abcdef"[i] for i in random.integers(0, 6, 3)} for _ in range(50)], universe="abcdef")
    kept = CategoricalColumn("year", random.integers(0, 2, 50).astype(np.int32), Vocabulary(("1", "2")))
    table = Table(sets, kept=(kept,))
    recoding = ItemGroups(sets.vocabulary, np.array([0, 1, 2, 0, -1, 2], np.int32))
    if not groups:
        recoding = Cut(TREE, np.array([1, 1, 5, -1, 7, 7], np.int32))
    with Files.temporary(tmp_path, Limits(rows_per_bucket=4)) as work:
        meant, mapped_publication = apply(table, recoding), apply(mapped(table, work, dtype), recoding)
        assert contents(mapped_publication) == contents(meant)
        ordered = apply(mapped(table, work, dtype), recoding, by_content=True)
        assert backing(ordered.record) is not None
        assert check_item_truth(mapped(table, work, dtype), ordered) is None
        untrue = replace(mapped_publication, record=(mapped_publication.record + 1) % mapped_publication.n)
        assert check_item_truth(mapped(table, work, dtype), untrue) == check_item_truth(table, untrue) is not None


def by_content(made, tree):
    """Return each row as (kept code, symbols, record), sorted. Symbols are codes, or member places in `tree`."""

    def symbol(code):
        if tree.place is None:
            return code
        return sorted(int(tree.place[tree.leaves.index[member]]) for member in made.symbols[code].members)

    kept, sets = made.kept[0].codes.tolist(), made.transactions
    return sorted(
        (kept[row], sorted(symbol(code) for code in sets.held_by(row).tolist()), row) for row in range(made.n)
    )


@pytest.mark.parametrize("dtype", [None, np.int32, np.uint16])
@pytest.mark.parametrize("kind", ["groups", "cut", "clusters"])
@pytest.mark.parametrize("placed", [False, True])
def test_rows_are_sorted_while_recoding(tiny, tmp_path, kind, dtype, placed):
    random = np.random.default_rng(12)
    sets = SetColumn.of([{"abcdef"[i] for i in random.integers(0, 6, 3)} for _ in range(50)], universe="abcdef")
    kept = CategoricalColumn("year", random.integers(0, 2, 50).astype(np.int32), Vocabulary(("1", "2")))
    table, tree = Table(sets, kept=(kept,), order=("year", "items")), TREE
    if placed:
        tree = replace(TREE, place=np.array([3, 0, 5, 1, 4, 2]))
    cut, groups = np.array([1, 1, 5, -1, 7, 7], np.int32), np.array([0, 1, 2, 0, -1, 2], np.int32)
    recoding = ItemGroups(sets.vocabulary, groups) if kind == "groups" else Cut(tree, cut)
    if kind == "clusters":
        recoding = PerCluster(random.integers(0, 2, 50).astype(np.int32), (recoding, Cut.identity(tree)))
    with Files.temporary(tmp_path, Limits(rows_per_bucket=4)) as work:
        table = replace(table, store=Memory(work.limits)) if dtype is None else mapped(table, work, dtype)
        publication, meant = apply(table, recoding, tree, by_content=True), by_content(apply(table, recoding), tree)
        assert publication.record.tolist() == [record for *_, record in meant]
        assert by_content(publication, tree) == [(kept, symbols, row) for row, (kept, symbols, _) in enumerate(meant)]
        for symbol in publication.symbols if placed else ():
            assert [int(tree.place[tree.leaves.index[x]]) for x in symbol.members] == sorted(
                int(tree.place[tree.leaves.index[x]]) for x in symbol.members
            )
        assert (publication.order, publication.joined) == (("year", "items"), ())
        assert (None if publication.cluster is None else publication.cluster.tolist()) == (
            recoding.cluster[publication.record].tolist() if kind == "clusters" else None
        )


@given(row_lists, st.sampled_from([(4, 40), (1, 1), (1000, 20)]), st.booleans())
def test_rows_are_sorted_in_files(rows, sizes, narrow):
    with buckets_of(sizes[1]), Files.temporary(limits=Limits(rows_per_bucket=sizes[0])) as work:
        assert sort(rows, work, narrow=narrow) == expected(rows)


@pytest.mark.parametrize("lengths", [[2, 1], [5, -1], [1, 1]])
def test_damaged_lengths_are_found_before_kernels_read_the_rows(lengths):
    rows = row_order.StoredRows(
        np.array(lengths, np.int32), np.empty((2, 0), np.int32), np.arange(2), np.arange(4, dtype=np.int32)
    )
    with pytest.raises(InputError, match="damaged"):
        row_order.RowForm(0, narrow=False, short=False).joined([rows])


@pytest.mark.long
@pytest.mark.compiled
def test_sorted_rows_are_stored_twice_while_sorting_and_then_once(tmp_path, monkeypatch):
    random = np.random.default_rng(5)
    n, most = 400_000, [0]
    column = SetColumn(
        "items",
        np.arange(0, 10 * n + 1, 10),
        np.sort(random.integers(0, ITEMS, (n, 10)), axis=1).astype(np.int32).reshape(-1),
        Vocabulary(tuple(map(str, range(ITEMS)))),
    )
    stored = row_order.RowForm.stored

    def watched(self, rows):
        most[0] = max(most[0], sum(512 * path.stat().st_blocks for path in tmp_path.rglob("*") if path.is_file()))
        return stored(self, rows)

    monkeypatch.setattr(row_order.RowForm, "stored", watched)
    with Files.temporary(tmp_path, Limits(rows_per_bucket=20_000), Threads(1)) as work:
        table = Table(column, store=work)
        result = apply(table, ItemGroups(column.vocabulary, np.arange(ITEMS, dtype=np.int32)), by_content=True)
        once = sum(512 * path.stat().st_blocks for path in tmp_path.rglob("*") if path.is_file())
        assert len(result.transactions.indptr) == n + 1
    assert once < 1.05 * n * (8 + 10 * 2 + 4)
    assert most[0] < once + 1.05 * n * (4 + 10 * 2 + 4)
