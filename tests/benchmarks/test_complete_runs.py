"""The cost model of complete runs recovers known prices and states what limits a run."""

import pytest
from benchmarks.complete_runs import PREDICTED, QUANTITIES, Model, Run, account

PRICES = {"start": (2.0, 0.0, 0.0, 0.0), "search": (0.1, 0.01, 0.2, 0.7), "complete": (0.0, 0.02, 0.0, 0.1)}
"""CPU seconds of the coordinator, constant and per million records, and the same of the workers."""


def run(millions: float) -> Run:
    phases = {}
    for name, (own, own_each, others, others_each) in PRICES.items():
        values = own + own_each * millions, others + others_each * millions, 4 + millions, 100.0, 1e6 * millions
        phases[name] = dict(zip(QUANTITIES, values, strict=True))
    return Run(int(millions * 1e6), phases)


FITTED = [run(millions) for millions in (1, 2, 5, 9)]


def test_the_model_recovers_the_prices() -> None:
    model = Model(FITTED)
    for name, prices in PRICES.items():
        found = (*model.prices[name, "coordinator"], *model.prices[name, "workers"])
        assert found == pytest.approx(prices, abs=1e-6)
    assert model.total(1e8, "coordinator") == pytest.approx(2.1 + 3)
    assert model.total(1e8, "workers") == pytest.approx(0.2 + 80)


def test_a_run_is_as_long_as_the_work_of_the_coordinator_and_of_one_worker() -> None:
    assert Model(FITTED).seconds(1e8, 16) == pytest.approx(2.1 + 3 + (0.2 + 80) / 16)


def test_the_account_compares_runs_that_are_not_fitted() -> None:
    late = run(20)
    late.phases["search"]["workers"] *= 2  # type: ignore[index]
    text = account(FITTED, [run(3), late])
    expected = (0.2 + 14 + 14.2 + 2) / (0.2 + 14 + 2)
    assert f"wrong by at most a factor of {expected:.2f}" in text
    assert sum(line.startswith("| 1e+") for line in text.splitlines()) == len(PREDICTED)
