"""Skewness of values in classes, compared with a row-by-row count."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data import CategoricalColumn
from anonset.measures.risks.skewness import ONE_SIDED, Skewness, skewness


@given(rows=st.lists(st.tuples(st.integers(0, 4), st.sampled_from("aaabcd")), min_size=1, max_size=40))
def test_guess_success_equals_a_count_of_the_values(rows: list[tuple[int, str]]) -> None:
    classes, values = [row[0] for row in rows], [row[1] for row in rows]
    skew = skewness(np.unique(classes, return_inverse=True)[1].ravel(), CategoricalColumn.of("s", values))
    n, values_of_class = len(rows), {c: [value for own, value in rows if own == c] for c in classes}
    assert skew.guessed_of_all == max(map(values.count, values)) / n
    assert (
        skew.guessed == sum(max(map(class_values.count, class_values)) for class_values in values_of_class.values()) / n
    )
    gains = [values_of_class[c].count(v) / len(values_of_class[c]) / (values.count(v) / n) for c, v in rows]
    assert skew.largest_gain == pytest.approx(max(gains))
    most = skew.likeliest
    assert most.in_class / most.class_size / (most.in_all / n) == pytest.approx(max(gains)), most.value
    assert most.in_all == values.count(most.value)
    common = sorted(values, key=lambda one: (-values.count(one), one))[0]
    is_harmless = len(values_of_class) > 1 and all(
        of.count(common) == max(map(of.count, of)) for of in values_of_class.values()
    )
    assert skew.common == (common if is_harmless else "")
    left = {c: [one for one in of if not (is_harmless and one == common)] for c, of in values_of_class.items()}
    largest = [max(map(left[c].count, left[c]), default=0) / len(of) for c, of in values_of_class.items()]
    assert skew.largest_share == max(largest)
    assert skew.common_share == max(of.count(skew.common) / len(of) for of in values_of_class.values())
    assert skew.one_sided == pytest.approx(sum(share >= ONE_SIDED for share in largest) / len(largest))
    assert skew.doubled == pytest.approx(sum(gain >= 2 - 1e-12 for gain in gains) / n)
    assert (
        skew.alone
        == sum(len(class_values) for class_values in values_of_class.values() if len(set(class_values)) == 1) / n
    )
    assert skew.alone <= skew.guessed
    assert skew.alone_by_chance <= skew.by_chance
    assert skew.guessed_of_all - 1e-12 <= skew.guessed
    assert skew.guessed_of_all - 1e-12 <= skew.by_chance <= 1


def test_the_control_estimates_the_effect_of_small_classes() -> None:
    source = random.Random(1)
    classes = np.repeat(np.arange(200), 5)
    drawn = CategoricalColumn.of("s", source.choices("aabc", k=1000))
    by_chance = skewness(classes, drawn)
    assert by_chance.guessed == pytest.approx(by_chance.by_chance, abs=0.03)
    assert by_chance.guessed > by_chance.guessed_of_all + 0.05
    sorted_out = CategoricalColumn.of("s", sorted(drawn.labels()))
    disclosed = skewness(classes, sorted_out)
    assert disclosed.guessed > 0.99 > disclosed.by_chance + 0.3
    assert disclosed.alone > 0.9 > disclosed.alone_by_chance + 0.8
    assert skewness(classes, drawn, 1) == skewness(classes, drawn, 1)


def test_a_word_for_none_is_not_the_value_with_the_largest_share() -> None:
    classes, values = np.array([0, 0, 0, 1, 1, 1]), ["none", "none", "none", "none", "flu", "flu"]
    skew = skewness(classes, CategoricalColumn.of("s", values))
    assert (skew.common, skew.common_share, skew.largest, skew.largest_share) == ("none", 1.0, "flu", 2 / 3)
    assert skew.one_sided == 0.5
    shown = skewness(classes, CategoricalColumn.of("s", [one.replace("none", "ulcer") for one in values]))
    assert (shown.common, shown.largest, shown.largest_share) == ("", "ulcer", 1.0)
    hidden = skew.without_values()
    assert (hidden.common, hidden.largest, hidden.likeliest.value) == ("", "", "")


@pytest.mark.parametrize(
    ("column", "value", "common"),
    [("religion", "none", ""), ("Konfession", "kein Bekenntnis", ""), ("illness", "none", "none"),
     ("diagnosis", "none", "none"), ("readmitted", "no", "no")],
)  # fmt: skip
def test_no_value_of_a_belief_is_left_out(column: str, value: str, common: str) -> None:
    classes, values = np.array([0, 0, 0, 1, 1, 1]), [value, value, "x", value, value, value]
    skew = skewness(classes, CategoricalColumn.of(column, values))
    assert skew.common == common
    assert (skew.largest, skew.largest_share) == (("x", 1 / 3) if common else (value, 1.0))


def test_rows_without_a_known_value_do_not_count() -> None:
    classes, values = np.array([0, 0, 0, 1, 1, 2, 2]), ["flu", "?", "", "flu", "ulcer", "?", "?"]
    known = np.array([0, 3, 4])
    column = CategoricalColumn.of("s", values)
    assert skewness(classes, column) == skewness(classes[known], column.take(known))
    assert skewness(classes, column).alone == 1 / 3


def test_an_empty_table_has_no_skewness() -> None:
    assert skewness(np.zeros(0, np.int64), CategoricalColumn.of("s", [])) == Skewness(*[0.0] * 7)
