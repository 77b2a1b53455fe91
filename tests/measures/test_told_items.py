"""Inference of other items, compared with all possible originals of a publication and with single counts."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.chunk_cases import as_in_twin, publication_of
from anonset.analysis.base import analysis_of
from anonset.data import SetColumn, Table
from anonset.generalization import ItemGroups, apply
from anonset.measures.item_supports import ChunkSupports, ColumnSupports
from anonset.measures.risks.item_inference import LIKELY, RARE, SURE, infer_items
from effort import examples
from reference.reconstruction import expected_counts

ROWS = st.lists(st.sets(st.sampled_from("aaaabbbcdefghijklmnop"), max_size=6), max_size=30)


@given(ROWS)
@settings(max_examples=examples(100))
def test_inference_from_the_original_equals_a_count(rows: list[set[str]]) -> None:
    column = SetColumn.of(rows)
    often = {item: sum(item in row for row in rows) for row in rows for item in row}
    chances: list[tuple[Fraction, bool]] = []
    for row in rows:
        *known, _ = ordered = sorted(row, key=lambda item: (often[item], item)) if len(row) > 2 else [""]
        for item in ordered[2:]:
            fitting = [other for other in rows if set(known[:2]) <= other]
            chance = Fraction(sum(item in other for other in fitting), len(fitting))
            chances.append((chance, often[item] <= RARE * len(rows)))
    disclosed = infer_items(column, ColumnSupports(column), 99, 1)
    published, _, original = disclosed
    assert [telling.source for telling in disclosed] == ["publication", "frequencies", "original"]
    assert (published.likely, published.rare_sure) == (original.likely, original.rare_sure)
    rare = [chance for chance, is_rare in chances if is_rare]
    assert (original.items, original.rare_items) == (len(chances), len(rare))
    for share, of, bound in (
        (original.likely, [chance for chance, _ in chances], LIKELY),
        (original.sure, [chance for chance, _ in chances], SURE),
        (original.rare_likely, rare, LIKELY),
        (original.rare_sure, rare, SURE),
    ):
        assert share == pytest.approx(sum(chance >= bound for chance in of) / len(of) if of else 0)


TELLING = [
    ([(4, "d", [["a", "a", "a", "a"], ["bc", "b", "b"]])], ["abc", "ab", "ab", "ad"]),
    ([(2, "", [["ab", "ab"]]), (2, "d", [["c", "c"]])], ["ab", "ab", "cd", "c"]),
    ([(3, "", [["a", "a", "b"], ["c", "c"]]), (3, "", [["abc", "ab", "ab"]])], ["ac", "a", "bc", "abc", "ab", "ab"]),
]


@pytest.mark.parametrize(("clusters", "rows"), TELLING)
def test_inference_from_chunks_equals_an_enumeration(
    clusters: list[tuple[int, str, list[list[str]]]], rows: list[str]
) -> None:
    publication, column = publication_of(clusters), SetColumn.of(rows)
    often = {item: sum(item in row for row in rows) for item in "abcd"}
    chances = []
    for row in rows:
        known = sorted(row, key=lambda item: (often[item], item))[:2]
        for item in sorted(set(row) - set(known)):
            both, all_three = expected_counts(as_in_twin(publication), [known, [*known, item]])
            chances.append(all_three / both)
    disclosed = infer_items(column, ChunkSupports(publication), 99, 1)[0]
    assert disclosed.items == len(chances)
    for share, bound in ((disclosed.likely, LIKELY), (disclosed.sure, SURE)):
        assert share == pytest.approx(sum(chance >= bound for chance in chances) / len(chances) if chances else 0)


def test_hidden_items_are_not_inferred() -> None:
    """A symbol of a and b counts for the first item only. A suppressed item does not count."""
    column = SetColumn.of(["abcd"] * 3 + ["cd"] * 3)
    table = Table(column)
    alone = apply(table, ItemGroups(column.vocabulary, np.array([0, 0, 1, 2], np.int32)))
    disclosed = infer_items(column, analysis_of(alone).supports(), 99, 1)[0]
    assert (disclosed.items, disclosed.likely, disclosed.sure) == (6, 1, 1)
    hidden = apply(table, ItemGroups(column.vocabulary, np.array([-1, -1, 0, 1], np.int32)))
    disclosed = infer_items(column, analysis_of(hidden).supports(), 99, 1)[0]
    assert (disclosed.items, disclosed.likely) == (6, 0)


def test_the_seed_selects_the_requested_number_of_rows() -> None:
    column = SetColumn.of([{"a", "b", f"i{n % 7}", f"j{n % 3}", *("c" * (n % 4 > 1))} for n in range(90)])
    supports = ColumnSupports(column)
    disclosed = [infer_items(column, supports, 20, seed) for seed in (1, 1, 2)]
    assert disclosed[0] == disclosed[1] != disclosed[2]
    assert {telling.persons for tellings in disclosed for telling in tellings} == {20}
