import json
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table, Vocabulary
from anonset.data.fingerprints import column_sha256
from anonset.data.labels.vocabulary import canonical_order
from anonset.errors import InputError


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        (["10", "9", "-1", "0"], ["-1", "0", "9", "10"]),
        (["10", "9", "008"], ["008", "10", "9"]),
        (["-0", "1"], ["-0", "1"]),
        (["b", "B", "ä", "a"], ["B", "a", "b", "ä"]),
        ([], []),
    ],
)
def test_canonical_order(labels, ordered):
    assert canonical_order(labels) == ordered


def test_vocabulary_refuses_a_label_twice():
    with refused(InputError, "1 2 vocabulary"):
        Vocabulary(("a", "b", "b"))


def test_a_set_column_sorts_counts_and_selects_rows():
    column = SetColumn.of([["b", "a", "b"], [], ["c"]], universe=["c", "b", "a", "never"])
    assert list(column.rows()) == [["b", "a"], [], ["c"]]
    assert (column.n, column.n_nonempty, column.occurrences.tolist()) == (3, 2, [1, 1, 1, 0])
    assert list(column.take(np.array([2, 0, 0, 1])).rows()) == [["c"], ["b", "a"], ["b", "a"], []]


def test_an_item_outside_the_universe_is_refused():
    with refused(InputError, "x universe 1"):
        SetColumn.of([["a", "x"]], universe=["a"])


@pytest.mark.parametrize(
    ("indptr", "items", "message"),
    [
        (np.array([0, 1], np.int32), np.array([0], np.int32), "indptr int64"),
        (np.array([0, 1]), np.array([0], np.int64), "items int32"),
        (np.array([0, 2]), np.array([0], np.int32), "indptr 0"),
        (np.array([], np.int64), np.array([], np.int32), "indptr 0"),
    ],
)
def test_malformed_arrays_are_refused(indptr, items, message):
    with refused(InputError, message):
        SetColumn("items", indptr, items, Vocabulary(("a",)))


@given(st.lists(st.sets(st.integers(0, 5)), max_size=8), st.permutations(range(6)))
def test_recode_sorts_rows(rows, order):
    column = SetColumn.of([[str(x) for x in row] for row in rows], universe=[str(x) for x in range(6)])
    other = Vocabulary(tuple(str(x) for x in order))
    codes = np.array([other.index[label] for label in column.vocabulary.labels], np.int32)
    moved = column.recode(codes, other)
    assert [set(row) for row in moved.rows()] == [set(row) for row in column.rows()]
    for r in range(moved.n):
        assert (np.diff(moved.items[moved.indptr[r] : moved.indptr[r + 1]]) > 0).all()


def test_columns_of_different_length_or_equal_name_are_rejected():
    sets = SetColumn.of([["a"], []])
    with refused(InputError, "age 3 items 2"):
        Table(sets, relational=(NumericColumn("age", np.array([1, 2, 3])),))
    with refused(InputError, "items"):
        Table(sets, kept=(CategoricalColumn.of("items", ["x", "y"]),))


def test_a_table_is_made_from_columns():
    table = Table.from_columns({"codes": [["a"], ["b", "a"]]}, sex=["f", "m"])
    assert table.n == 2
    assert [c.name for c in table.columns] == ["sex", "codes"]
    assert table.relational[0].take(np.array([1])).labels() == ["m"]
    assert table.joined == ()
    assert Table().n == 0


SETS = st.lists(st.tuples(*[st.sets(st.sampled_from(["9", "10", "b", "B", "a:9"]))] * 3), max_size=8)


@given(SETS)
def test_columns_are_joined_under_prefixed_names(rows: list[tuple[set[str], ...]]) -> None:
    names = ("z", "a", "m")
    table = Table.from_columns({name: [row[i] for row in rows] for i, name in enumerate(names)})
    assert table.joined == names
    joined = [{f"{name}:{x}" for name, cell in zip(names, row, strict=True) for x in cell} for row in rows]
    assert table.transactions is not None
    assert table.transactions.name == "items"
    expected = SetColumn.of(joined)
    assert table.transactions.vocabulary == expected.vocabulary
    assert table.transactions.indptr.tolist() == expected.indptr.tolist()
    assert table.transactions.items.tolist() == expected.items.tolist()
    assert (table.transactions.indptr.dtype, table.transactions.items.dtype) == (np.int64, np.int32)


@pytest.mark.parametrize(
    ("sets", "relational", "message"),
    [
        ({"a": [["x"]], "a:b": [["x"]]}, {}, "a a:b a:b:x"),
        ({"a": [["x"]], "b": [["x"], []]}, {}, "a 1 b 2"),
        ({"a": [["x"]], "b": [["x"]]}, {"sex": ["f", "m"]}, "sex 2 items 1"),
        ({"a": [["x"]], "b": [["x"]]}, {"a": ["f"]}, "a b items"),
        ({"a": [["x"]], "b": [["x"]]}, {"items": ["f"]}, "a b items"),
    ],
)
def test_columns_that_cannot_be_joined(sets, relational, message):
    with refused(InputError, message):
        Table.from_columns(sets, **relational)


@given(labels=st.lists(st.text(max_size=3), min_size=1, max_size=8, unique=True), data=st.data())
def test_the_fingerprint_is_independent_of_vocabulary_order(labels: list[str], data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.sampled_from(labels), max_size=12))
    index = {label: code for code, label in enumerate(labels)}
    column = CategoricalColumn("a", np.array([index[cell] for cell in cells], np.int32), Vocabulary(tuple(labels)))
    assert column_sha256(column) == column_sha256(CategoricalColumn.of("a", cells))
    shown = sorted(set(cells))
    codes = np.array([shown.index(cell) for cell in cells], "<i4")
    blocks = [
        [sha256(codes).hexdigest()] if cells else [],
        [sha256(json.dumps(shown).encode()).hexdigest()] if shown else [],
    ]
    assert column_sha256(column) == sha256(json.dumps(["CategoricalColumn", *blocks]).encode()).hexdigest()
