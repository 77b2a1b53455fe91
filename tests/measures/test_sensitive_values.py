"""Observed l and t, compared with exact counts."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data import CategoricalColumn, spans
from anonset.data.spans import Limits
from anonset.data.storage.store import MEMORY, Files
from anonset.measures.risks.sensitive_values import ObservedDiversity, observed_diversity


def observed(classes: list[int], values: list[str]) -> ObservedDiversity:
    return observed_diversity([np.array(classes, np.int32)], CategoricalColumn.of("s", values), MEMORY)


def twin(classes: list[tuple[int, ...]], values: list[str]) -> list[tuple[int, int, Fraction, float, Fraction]]:
    """Return the size, the number of values, the largest share, the entropy and the distance of each class."""
    found = []
    for c in sorted(set(classes)):
        counts = Counter(v for v, d in zip(values, classes, strict=True) if d == c)
        size = counts.total()
        differences = [Fraction(counts[v], size) - Fraction(values.count(v), len(values)) for v in set(values)]
        entropy = -sum(x / size * math.log(x / size) for x in counts.values())
        largest = Fraction(max(counts.values()), size)
        found.append((size, len(counts), largest, entropy, sum(map(abs, differences), Fraction(0)) / 2))
    return found


@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 4)), max_size=40))
def test_observed_diversity_equals_its_twin(rows: list[tuple[int, int, int]]) -> None:
    group = [np.array([row[place] for row in rows], np.int32) for place in range(2)]
    values = [str(row[2] or "?") for row in rows]
    column = CategoricalColumn.of("value", values)
    for columns, classes in ((group, [row[:2] for row in rows]), ([], [() for _ in rows])):
        found = observed_diversity(columns, column, MEMORY)
        expected = twin(
            *([given[row] for row, value in enumerate(values) if value != "?"] for given in (classes, values))
        )
        known = [row for row, value in enumerate(values) if value != "?"]
        assert (
            observed_diversity([codes[known] for codes in columns], column.take(np.array(known, np.int64)), MEMORY)
            == found
        )
        assert found.classes == len(expected)
        if expected:
            size, distinct, largest, entropy, distance = zip(*expected, strict=True)
            assert found.distinct_l == min(distinct)
            assert found.frequency_l == pytest.approx(float(1 / max(largest)))
            assert found.entropy_l == pytest.approx(math.exp(min(entropy)))
            assert found.t == pytest.approx(float(max(distance)), abs=1e-12)
            assert found.homogeneous_records == sum(n for n, d in zip(size, distinct, strict=True) if d == 1)
        with pytest.MonkeyPatch.context() as patch, Files.temporary(limits=Limits(rows_per_bucket=8)) as store:
            patch.setattr(spans, "AT_ONCE", 4)
            assert observed_diversity(columns, column, store) == found


def test_observed_diversity_is_that_of_the_worst_class() -> None:
    found = observed([0, 0, 0, 1, 1], ["a", "a", "b", "c", "c"])
    assert found == ObservedDiversity(2, 1, 1.0, 1.0, pytest.approx(0.6), 2)
    two = observed([0, 0, 1, 1], ["a", "b", "b", "a"])
    assert (two.distinct_l, two.frequency_l, two.t, two.homogeneous_records) == (2, 2.0, 0.0, 0)
    assert two.entropy_l == pytest.approx(math.exp(math.log(2)))


def test_an_empty_table_has_no_class() -> None:
    assert observed([], []).classes == 0
