"""Mapped columns, processed span by span, return the same results as columns in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table, fingerprints, spans
from anonset.data.blocks import Blocks, SetColumnBuilder
from anonset.data.fingerprints import column_sha256, columns_sha256
from anonset.data.storage.store import Files
from anonset.data.table_facts import CodeRules
from anonset.reading.cells.normalizing import recategorize, relabel
from anonset.settings.binding import bind_columns

RECORDS = st.lists(st.tuples(st.sets(st.sampled_from("abcdeF")), st.sampled_from("xyz"), st.integers(-3, 3)))


@pytest.fixture
def by_three(monkeypatch):
    """Use spans of three records."""
    monkeypatch.setattr(spans, "AT_ONCE", 3)


def table_of(records):
    sets = SetColumn.of([items for items, _, _ in records], universe="Fabcde")
    category = CategoricalColumn.of("sex", [sex for _, sex, _ in records])
    return Table(sets, (category, NumericColumn("age", np.array([age for *_, age in records], np.int64))))


def mapped(table, work):
    """Write the arrays of a table to files of a work directory."""

    def put(values):
        return work.keep(work.reserve_name("array"), values)

    sets, (category, number) = table.transactions, table.relational
    return Table(
        SetColumn(sets.name, put(sets.indptr), put(sets.items), sets.vocabulary),
        (
            CategoricalColumn(category.name, put(category.codes), category.vocabulary),
            NumericColumn(number.name, put(number.values)),
        ),
        store=work,
    )


def plain(column):
    rows = list(column.rows()) if isinstance(column, SetColumn) else column.labels()
    return column.vocabulary.labels, rows


def is_mapped(array):
    base = array
    while base is not None and not isinstance(base, np.memmap):
        base = base.base
    return base is not None


def test_facts_by_spans_equal_those_of_all_records(by_three):
    column = SetColumn.of([{"b"}, {"a", "b"}, set(), set(), {"b", "c", "a"}, {"c"}, {"c"}], universe="abcd")
    assert (column.n_nonempty, column.longest, column.occurrences.tolist()) == (5, 3, [2, 3, 3, 0])
    assert SetColumn.of([]).longest == SetColumn.of([]).n_nonempty == 0
    assert CategoricalColumn.of("sex", "xyxxzx").occurrences.tolist() == [4, 1, 1]
    assert Blocks.of(column, column.store, 2).longest == 3


def test_a_part_is_the_column_of_its_records(by_three):
    table = table_of([({"a"}, "x", 1), ({"b", "c"}, "y", 2), (set(), "x", 3), ({"d"}, "z", 4)])
    sets, (category, number) = table.transactions, table.relational
    assert list(sets.slice(1, 3).rows()) == [["b", "c"], []]
    assert (category.slice(1, 3).labels(), number.slice(1, 3).values.tolist()) == (["y", "x"], [2, 3])


@pytest.mark.long
@pytest.mark.parametrize("at_once", [1, 3, 1000])
@given(records=RECORDS)
def test_fingerprints_do_not_depend_on_spans_or_files(records, at_once, tmp_path_factory):
    table = table_of(records)
    with Files.temporary(tmp_path_factory.mktemp("work")) as work, pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprints, "ROWS", 4)
        patch.setattr(fingerprints, "LABELS", 2)
        expected = columns_sha256(table)
        patch.setattr(spans, "AT_ONCE", at_once)
        assert columns_sha256(mapped(table, work)) == expected


def test_each_block_changes_the_fingerprint(monkeypatch):
    monkeypatch.setattr(fingerprints, "ROWS", 2)
    columns = ["aabbc", "aabba", "abbbc", "aabbd", "aaabbc", "aabb"], [[0, 1, 2], [0, 1, 3], [0, 2, 2], [0, 1]]
    sets = [["a"], ["b"], ["a", "b"]], [["a"], ["a", "b"], ["b"]], [["a"], ["b"], ["a"], ["b"]]
    digests = [column_sha256(CategoricalColumn.of("a", cells)) for cells in columns[0]]
    digests += [column_sha256(NumericColumn("a", np.array(values))) for values in columns[1]]
    digests += [column_sha256(SetColumn.of(rows)) for rows in sets]
    assert len(set(digests)) == len(digests)


@pytest.mark.long
@given(records=RECORDS)
def test_a_mapped_table_is_bound_like_a_table_in_memory(records, tmp_path_factory):
    tree = Hierarchy.from_tree(("all", [("upper", ["F", "b"]), ("lower", ["e", "d", "a"])]))  # no c
    table = table_of(records)
    specs = {"items": tree, "sex": "values"}
    rules = CodeRules(unknown="suppress")
    expected, _ = bind_columns(Table(table.transactions, table.relational, rules=rules), specs)
    with Files.temporary(tmp_path_factory.mktemp("work")) as work, pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "AT_ONCE", 3)
        lying = mapped(table, work)
        actual, _ = bind_columns(Table(lying.transactions, lying.relational, rules=rules, store=work), specs)
        assert plain(actual.transactions) == plain(expected.transactions)
        assert actual.changes == expected.changes
        assert actual.store is work
        assert actual.transactions.items[:].tolist() == expected.transactions.items.tolist()
        assert is_mapped(actual.transactions.items) == (len(actual.transactions.items) > 0)


def test_labels_are_replaced_by_spans(by_three, tmp_path):
    sets = [{"a", "A"}, {"b"}, set(), {"A", "b", "c"}, {"c"}, {"a"}, {"B"}]
    column = SetColumn.of(sets)
    with Files.temporary(tmp_path) as work:
        upper = relabel(column, {"a": "A", "b": "B", "c": "C"}, work)
        assert list(upper.rows()) == [["A"], ["B"], [], ["A", "B", "C"], ["C"], ["A"], ["B"]]
        assert is_mapped(upper.indptr)
        remaining = relabel(column, {"a": None, "B": "b"}, work)
        assert list(remaining.rows()) == [["A"], ["b"], [], ["A", "b", "c"], ["c"], [], ["b"]]
        category = CategoricalColumn.of("sex", "mfmmf")
        named = recategorize(category, {"f": "z"}, work)
        assert (named.labels(), is_mapped(named.codes)) == (list("mzmmz"), True)


def test_growing_sets_leave_no_files_after_an_error(tmp_path):
    with Files.temporary(tmp_path) as work:
        with pytest.raises(AttributeError), SetColumnBuilder("items", work) as sets:
            sets.append(None)
        assert list(work.path.iterdir()) == []


def test_reserved_names_are_unique(tmp_path):
    with Files.temporary(tmp_path) as work:
        assert len({work.reserve_name("items") for _ in range(3)}) == 3
