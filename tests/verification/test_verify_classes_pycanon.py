"""Diversity and closeness of classes, as counted by the check and by pyCANON on 80 random tables.

pyCANON rounds the exponential of the entropy down, so floating point errors can reduce an exact l by one. Its recursive
diversity is not compared: it confuses the rarest with the most frequent value.
"""

import random
from typing import Any

import pytest

from anonset.data import CategoricalColumn, Table
from anonset.privacy.classes import KLDiversity, KTCloseness
from anonset.verification import verify
from reference.class_rules import has_entropy

NAMES = ["sex", "place"]


@pytest.fixture(scope="module")
def anonymity() -> Any:
    return pytest.importorskip("pycanon.anonymity", reason="pip install --no-deps pycanon")


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(80))
@pytest.mark.long
def test_class_measures_equal_those_of_pycanon(anonymity: Any, seed: int) -> None:
    import pandas as pd

    source = random.Random(seed)
    n = source.randint(4, 60)
    columns = {"sex": source.choices("fm", k=n), "place": source.choices("xyz"[: source.randint(1, 3)], k=n)}
    paid = ["1", "2", *source.choices(source.choice(["12", "1112", "12345", "1111123456789"]), k=n - 2)]
    kept = CategoricalColumn.of("paid", paid)
    table = Table(None, tuple(CategoricalColumn.of(*column) for column in columns.items()), kept=(kept,))
    numbers = pd.DataFrame({**columns, "paid": list(map(int, paid))})
    texts = numbers.assign(paid=[f"v{value}" for value in paid])
    fewest = verify(table, KLDiversity(1, 1, "paid")).checked["fewest_values"]
    assert fewest == anonymity.l_diversity(texts, NAMES, ["paid"])
    for frame, distance in ((texts, "equal"), (numbers, "ordered")):
        largest = verify(table, KTCloseness(1, 1, "paid", distance)).checked["largest_distance"]
        assert largest == pytest.approx(anonymity.t_closeness(frame, NAMES, ["paid"]), abs=1e-6)
    by_entropy = max(l for l in range(1, 12) if verify(table, KLDiversity(1, l, "paid", "entropy")).holds)  # noqa: E741
    rounded = anonymity.entropy_l_diversity(texts, NAMES, ["paid"])
    if rounded != by_entropy:
        classes = texts.groupby(NAMES)["paid"].apply(list)
        assert rounded == by_entropy - 1
        assert any(_reaches_exactly(class_values, by_entropy) for class_values in classes)


def _reaches_exactly(values: list[str], l: int) -> bool:  # noqa: E741
    """Return True if the values have exactly the entropy of l equally frequent values."""
    return has_entropy(values, l) and len(set(values)) == l and len({values.count(value) for value in values}) == 1
