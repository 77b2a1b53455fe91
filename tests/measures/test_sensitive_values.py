"""Observed l and t, compared with exact counts."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import CategoricalColumn, NumericColumn, spans
from anonset.data.spans import Limits
from anonset.data.store import Files
from anonset.errors import InputError
from anonset.measures.sensitive_values import (
    ObservedDiversity,
    class_diversity,
    diversity_by_blocks,
    observed_diversity,
)

records = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=25)


def twin(classes: list[int], values: list[int], *, ordered: bool) -> list[tuple[int, int, Fraction, Fraction]]:
    """Return the size, values, largest share and distance of each class."""
    domain, diversities = sorted(set(values)), []
    for c in sorted(set(classes)):
        counts = Counter(v for v, d in zip(values, classes, strict=True) if d == c)
        size = counts.total()
        differences = [Fraction(counts[v], size) - Fraction(values.count(v), len(values)) for v in domain]
        if ordered:
            moved = [abs(sum(differences[: i + 1], Fraction(0))) for i in range(len(domain))]
            distance = sum(moved, Fraction(0)) / max(1, len(domain) - 1)
        else:
            distance = sum(map(abs, differences), Fraction(0)) / 2
        diversities.append((size, len(counts), Fraction(max(counts.values()), size), distance))
    return diversities


@pytest.mark.parametrize("ordered", [False, True])
@given(rows=records)
def test_each_class_equals_its_twin(ordered: bool, rows: list[tuple[int, int]]) -> None:
    classes = np.unique([c for c, _ in rows], return_inverse=True)[1]
    values = [v for _, v in rows]
    numbers, labels = NumericColumn("s", np.array(values, np.int64)), CategoricalColumn.of("s", map(str, values))
    diversity = class_diversity(classes, numbers if ordered else labels)
    expected = twin(classes.tolist(), values, ordered=ordered)
    assert list(zip(diversity.size.tolist(), diversity.distinct.tolist(), strict=True)) == [
        (n, d) for n, d, _, _ in expected
    ]
    assert [Fraction(x, n) for x, n in zip(diversity.largest.tolist(), diversity.size.tolist(), strict=True)] == [
        share for _, _, share, _ in expected
    ]
    assert diversity.distance.tolist() == pytest.approx([float(t) for *_, t in expected], abs=1e-12)


@given(rows=records)
def test_entropy_is_between_none_and_that_of_equal_shares(rows: list[tuple[int, int]]) -> None:
    classes = np.unique([c for c, _ in rows], return_inverse=True)[1]
    diversity = class_diversity(classes, CategoricalColumn.of("s", [str(v) for _, v in rows]))
    assert np.all(diversity.entropy >= 0.0)
    assert np.all(diversity.entropy <= np.log(diversity.distinct) + 1e-12)
    assert np.all((diversity.entropy > 1e-12) == (diversity.distinct > 1))


def test_worked_example_of_t_closeness() -> None:
    """Li et al. 2007, section 4: salaries 3k to 11k; the class of 3k, 4k, 5k has 0.375, that of 6k, 8k, 11k 0.167."""
    salaries = NumericColumn("salary", np.array([3, 4, 5, 6, 11, 8, 7, 9, 10]) * 1000)
    diversity = class_diversity(np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]), salaries)
    assert diversity.distance[:2].tolist() == pytest.approx([0.375, 1 / 6])


def test_observed_diversity_is_that_of_the_worst_class() -> None:
    diversity = observed_diversity(np.array([0, 0, 0, 1, 1]), CategoricalColumn.of("s", ["a", "a", "b", "c", "c"]))
    assert diversity == ObservedDiversity(2, 1, 1.0, 1.0, pytest.approx(0.6), 2)
    two = observed_diversity(np.array([0, 0, 1, 1]), CategoricalColumn.of("s", ["a", "b", "b", "a"]))
    assert (two.distinct_l, two.frequency_l, two.t, two.homogeneous_records) == (2, 2.0, 0.0, 0)
    assert two.entropy_l == pytest.approx(math.exp(math.log(2)))


def test_no_record_is_no_class() -> None:
    assert observed_diversity(np.zeros(0, np.int64), CategoricalColumn.of("s", [])).classes == 0


def test_classes_that_do_not_fit_are_refused() -> None:
    column = CategoricalColumn.of("s", ["a", "b"])
    with refused(InputError, "s 2 3"):
        class_diversity(np.array([0, 0, 1]), column)
    with refused(InputError, "class 1"):
        class_diversity(np.array([0, 2]), column)


@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 4)), max_size=40))
def test_measures_by_blocks_equal_measures_in_memory(rows: list[tuple[int, int, int]]) -> None:
    group = [np.array([row[place] for row in rows], np.int32) for place in range(2)]
    values = CategoricalColumn.of("value", [str(row[2]) for row in rows])
    classes = np.unique(group[0] * 2 + group[1], return_inverse=True)[1].ravel()
    with pytest.MonkeyPatch.context() as patch, Files.temporary(limits=Limits(rows_per_bucket=8)) as store:
        patch.setattr(spans, "AT_ONCE", 4)
        assert diversity_by_blocks(group, values, store) == observed_diversity(classes, values)
        assert diversity_by_blocks([], values, store) == observed_diversity(np.zeros(len(rows), np.int64), values)
