"""The study of disassociation: measurements on small data, and claims on invented results."""

import random

import pytest
from benchmarks.experiments import runner
from benchmarks.experiments.cases import Results
from benchmarks.experiments.terrovitis2012 import claims, measurement

from anonset.data import SetColumn

pytestmark = [pytest.mark.compiled, pytest.mark.studies]

PAPER = runner.paper("terrovitis2012")
DRAW = random.Random(3)
ROWS = [{f"i{int(30 * DRAW.random() ** 2)}" for _ in range(DRAW.randint(1, 6))} for _ in range(300)]


@pytest.mark.parametrize("clustering", ["gray", "horpart"])
def test_a_case_is_measured(monkeypatch: pytest.MonkeyPatch, clustering: str) -> None:
    monkeypatch.setattr(measurement, "load", lambda _: SetColumn.of(ROWS))
    monkeypatch.setattr(measurement, "RANKS", (5, 12))
    case = {"data": "", "k": 3, "m": 2, "cluster_size": 20, "clustering": clustering}
    measured = measurement.measure(case)
    assert measured.keys() == {"tkd", "re", "re_of_ranks", "tlost", "clusters"}
    assert 0 < measured["re"] < 2
    assert 0 < measured["re_of_ranks"] < 2
    assert 0 <= measured["tkd"] < 1
    single = measurement.measure({**case, "k": 1, "m": 1, "cluster_size": 300})
    assert single["re"] < 1e-12


def results(values: dict[tuple[str, float], float]) -> Results:
    return Results({key: {"re": value} for key, value in values.items()})


def test_claims_about_curves_can_hold_and_fail() -> None:
    rising = results({("a", 5): 0.1, ("a", 20): 0.2, ("b", 5): 0.2, ("b", 20): 0.19})
    assert not claims._rises("re")(rising)[0]
    assert claims._rises("re")(results({("a", 5): 0.1, ("a", 20): 0.2}))[0]
    assert not claims._rises("re")(results({}))[0]
    falling = results({("a", 5): 0.2, ("a", 20): 0.1})
    assert claims._times("re", 5, 20, 1.9)(falling)[0]
    assert not claims._times("re", 5, 20, 1.9, both=True)(falling)[0]
    assert claims._times("re", 5, 20, 2.0)(rising)[0]
    assert not claims._times("re", 5, 20, 1.9)(rising)[0]
    assert not claims._times("re", 5, 20, 2.0)(results({}))[0]
    nothing = results({("a", 5): 0.0, ("a", 20): 0.0})
    assert claims._times("re", 5, 20, 1.0)(nothing)[0]
    assert claims._at_most("re", 0.2)(rising)[0]
    assert claims._at_most("re", 0.2, 5)(rising)[0]
    assert not claims._at_most("re", 0.19, 5)(rising)[0]
    assert not claims._at_most("re", 1.0, 7)(rising)[0]


def test_the_gray_order_is_compared_with_horpart() -> None:
    both = results({("a, gray", 5): 0.11, ("a, horpart", 5): 0.1, ("b, gray", 5): 0.1, ("b, horpart", 5): 0.2})
    assert claims._gray_beside_horpart("re", 1.1)(both)[0]
    holds, shown = claims._gray_beside_horpart("re", 1.05)(both)
    assert (holds, "of 2: less in 1; above: a at 5 0.11 to 0.1" in shown) == (False, True)
    assert not claims._gray_beside_horpart("re", 1.1)(results({("a, gray", 5): 0.1}))[0]
