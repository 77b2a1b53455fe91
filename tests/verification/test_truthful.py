import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.codes import as_codes
from anonset.data.storage.store import Files
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, apply
from anonset.publications import Records, Symbol
from anonset.verification import check_item_truth, item_truth
from effort import examples
from reference.truthful import naive_untrue

ITEMS = "abcdef"


def publish(rows: list[set[str]], members: dict[str, tuple[str, ...]], record: list[int]) -> Records:
    symbols = tuple(Symbol(label, "group", of) for label, of in members.items())
    column = SetColumn.of(rows, universe=list(members))
    return Records(column, symbols, (), (), np.array(record, np.int64))


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[set[str]], list[set[str]], dict[str, tuple[str, ...]], list[int]]:
    original = draw(st.lists(st.sets(st.sampled_from(ITEMS), max_size=4), max_size=6))
    groups = draw(st.lists(st.sets(st.sampled_from(ITEMS + "z"), min_size=1, max_size=4), min_size=1, max_size=6))
    members = {f"g{i}": tuple(sorted(group)) for i, group in enumerate(groups)}
    record = draw(st.permutations(range(len(original))))
    published = [{s for s, of in members.items() if original[r] & set(of)} for r in record]
    for row in range(len(record)):
        if draw(st.integers(0, 3)) == 0:
            published[row] ^= {draw(st.sampled_from(sorted(members)))}
    return original, published, members, list(record)


@settings(max_examples=examples(200))
@given(release=releases(), rows_per_call=st.sampled_from([1, 10_000]))
def test_agrees_with_the_naive_twin(
    release: tuple[list[set[str]], list[set[str]], dict[str, tuple[str, ...]], list[int]], rows_per_call: int
) -> None:
    original, published, members, record = release
    table = Table.from_sets(original, universe=ITEMS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(item_truth, "_ROWS_PER_CALL", rows_per_call)
        witness = check_item_truth(table, publish(published, members, record))
    result = None if witness is None else (witness.record, *witness.what)
    assert result == naive_untrue(original, published, record, members)


@pytest.mark.parametrize("dtype", [np.int32, np.uint16])
def test_records_in_files_are_checked_by_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dtype: type) -> None:
    random = np.random.default_rng(4)
    sets = SetColumn.of([{ITEMS[i] for i in random.integers(0, 6, 3)} for _ in range(97)], universe=ITEMS)
    table, record = Table(sets), random.permutation(97)
    groups = ItemGroups(sets.vocabulary, np.array([0, 1, 2, 0, -1, 2], np.int32))
    publication = apply(table, groups).take(record)
    with Files.temporary(tmp_path) as work:
        column = replace(
            sets, indptr=work.keep("p", sets.indptr), codes=as_codes(work.keep("i", sets.items.astype(dtype)))
        )
        filed = Table(column, store=work)
        for room, ranges in ((1 << 40, 1), (300, 5), (0, 40)):
            with monkeypatch.context() as patch:
                patch.setattr(os, "sysconf", lambda name, room=room: 3 * room if name == "SC_PHYS_PAGES" else 1)
                assert ranges <= len(item_truth._ranges(column)) <= item_truth._MOST_RANGES
                assert check_item_truth(filed, publication) is None
                for row in (0, 50, 96):
                    wrong = record.copy()
                    wrong[[row, 40]] = wrong[[40, row]]
                    untrue = replace(publication, record=wrong)
                    assert check_item_truth(filed, untrue) == check_item_truth(table, untrue)


def example() -> tuple[Table, Records]:
    hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    table = Table.from_sets([{"a1", "b1"}, {"a2", "b2"}, {"a1"}], universe=hierarchy.leaves.labels)
    node = hierarchy.node_of
    return table, apply(table, Cut(hierarchy, np.array([node["A"], node["A"], node["b1"], -1], np.int32)))


def broken(publication: Records, row: int, symbols: set[str]) -> Records:
    assert publication.transactions is not None
    rows = [set(entry) for entry in publication.transactions.rows()]
    rows[row] = symbols
    column = SetColumn.of(rows, universe=publication.transactions.vocabulary.labels)
    return replace(publication, transactions=column)


@pytest.mark.parametrize("dtype", [np.int32, np.uint16])
def test_codes_out_of_bounds_in_a_file_are_rejected(tmp_path: Path, dtype: type) -> None:
    sets = SetColumn.of([{"a"}, {"b"}], universe=ITEMS)
    with Files.temporary(tmp_path) as work:
        indptr, codes = (
            work.keep(name, array) for name, array in (("i", sets.indptr), ("c", sets.items.astype(dtype)))
        )
        table = Table(SetColumn("items", indptr, as_codes(codes), sets.vocabulary))
        published = publish([{"A"}, {"B"}], {"A": ("a",), "B": ("b",)}, [0, 1])
        assert check_item_truth(table, published) is None
        codes[1] = len(ITEMS)
        with refused(InputError, "column 'items'", code="damaged"):
            check_item_truth(table, published)


def test_a_cut_with_a_suppressed_item_is_truthful_in_any_order() -> None:
    table, publication = example()
    assert check_item_truth(table, publication) is None
    assert check_item_truth(table, publication.take(np.array([2, 0, 1]))) is None
    assert check_item_truth(table, publication.take(np.array([1]))) is None


def test_untrue_items_are_named() -> None:
    table, publication = example()
    witness = check_item_truth(table, broken(publication, 2, set()))
    assert witness is not None
    assert (witness.what, witness.record) == (("a1",), 2)
    assert names(witness.detail, "original a1")
    witness = check_item_truth(table, broken(publication, 1, {"A", "b1"}))
    assert witness is not None
    assert (witness.what, witness.record) == (("b1",), 1)
    assert names(witness.detail, "original b1")


def test_an_item_without_a_symbol_is_found_if_other_symbols_overlap() -> None:
    members = {"g0": ("a",), "g1": ("b", "c"), "g2": ("c",)}
    table = Table.from_sets([{"a", "c"}, {"a"}, {"b"}], universe=ITEMS)
    assert check_item_truth(table, publish([{"g0", "g2"}, {"g0"}, {"g1"}], members, [0, 1, 2])) is None
    witness = check_item_truth(table, publish([{"g2"}, {"g0"}, {"g1"}], members, [0, 1, 2]))
    assert witness is not None
    assert (witness.what, witness.record) == (("a",), 0)


def test_rows_that_changed_places_are_noticed() -> None:
    table, publication = example()
    witness = check_item_truth(table, replace(publication, record=publication.record[[1, 0, 2]]))
    assert witness is not None
    assert witness.record == 0


def test_a_record_published_twice_is_noticed() -> None:
    table, publication = example()
    witness = check_item_truth(table, publication.take(np.array([0, 2, 0])))
    assert witness is not None
    assert witness.record == 2
    assert names(witness.detail, "0")


def test_a_table_without_sets_is_true() -> None:
    table = Table.from_columns(sex=["f", "m"])
    publication = Records(None, (), (), (), np.arange(2))
    assert check_item_truth(table, publication) is None


def test_a_publication_of_something_else_is_refused() -> None:
    table, publication = example()
    with refused(InputError, "records 0 2 3"):
        check_item_truth(table, replace(publication, record=np.array([0, 1, 3])))
    with refused(InputError, "rows 3 records 2"):
        check_item_truth(table, replace(publication, record=np.array([0, 1])))
    with refused(InputError, "symbols"):
        check_item_truth(table, replace(publication, symbols=publication.symbols[::-1]))
    with refused(InputError, "set-valued"):
        check_item_truth(table, replace(publication, transactions=None))
