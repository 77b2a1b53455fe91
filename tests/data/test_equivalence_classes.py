"""Equivalence classes of records, and keys that exceed 62 bits."""

import numpy as np
import pytest

from anonset.data import CategoricalColumn, NumericColumn, Vocabulary
from anonset.data.equivalence_classes import class_of, keys_of


@pytest.mark.parametrize("n_values", [3, 5_000], ids=["in one key", "beyond 62 bits"])
@pytest.mark.parametrize("n", [0, 1, 400])
def test_classes_are_numbered_in_the_order_of_their_values(n: int, n_values: int) -> None:
    random = np.random.default_rng(n)
    vocabulary = Vocabulary(tuple(f"v{i:05}" for i in range(n_values)))
    codes = random.choice([0, n_values // 2, n_values - 1], (6, n)).astype(np.int32)
    numbers = NumericColumn("number", random.choice([-0.5, 0.0, -0.0, 7.0], n))
    columns = [*(CategoricalColumn(f"c{i}", of_column, vocabulary) for i, of_column in enumerate(codes)), numbers]
    rows = list(zip(*codes.tolist(), numbers.values.tolist(), strict=True))
    place = {row: number for number, row in enumerate(sorted(set(rows)))}
    assert class_of(columns, n).tolist() == [place[row] for row in rows]
    assert class_of([], n).tolist() == [0] * n
    assert np.unique(keys_of(columns[:2], n)).tolist() == sorted({a * n_values + b for a, b, *_ in rows})
