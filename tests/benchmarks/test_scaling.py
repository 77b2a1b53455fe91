"""The cost model of the scalability study: fitted on runs, asked about others and about more workers."""

import pytest
from benchmarks.experiments.scaling import PAPER
from benchmarks.experiments.scaling.cost_model import CostModel, Run, scaled

MODEL = CostModel(search=0.5, increment=1e-9, gib_read=4.0, task=0.01, mib_returned=0.002)
WORK = {"increments": 4e9, "gib_read": 2.0, "passes": 3, "tasks": 12, "mib_returned": 24.0}


def run(engine, times):
    measured = {
        name: amount * times**power for (name, amount), power in zip(WORK.items(), (1, 2, 0, 3, 4), strict=True)
    }
    return Run(engine, {**measured, "seconds": MODEL.cpu_seconds(Run(engine, measured))})


def test_prices_are_found_again():
    runs = [run(engine, times) for engine in ("threads", "cluster") for times in (1.0, 1.5, 2.0, 3.0)]
    assert CostModel.fitted(runs).costs == pytest.approx(MODEL.costs)


def test_threads_pay_for_no_task():
    assert MODEL.cpu_seconds(run("threads", 1.0)) == pytest.approx(0.5 + 4 + 8)
    assert MODEL.cpu_seconds(run("cluster", 1.0)) == pytest.approx(0.5 + 4 + 8 + 0.12 + 0.048)


def test_more_workers_divide_what_is_read_and_counted_and_return_more():
    assert scaled(WORK, 5, 2) == {"increments": 2e10, "gib_read": 10.0, "tasks": 12, "mib_returned": 24.0}
    of_64 = scaled(WORK, 5, 64)
    assert (of_64["tasks"], of_64["mib_returned"]) == (192, 384.0)
    undivided = 0.5 + 1.92 + 0.768
    assert MODEL.wall_seconds(of_64, 64, windows=False) == pytest.approx(undivided + 60 / 64)
    assert MODEL.wall_seconds(of_64, 64, windows=True) == pytest.approx(undivided + 20 / 16 + 40 / 64)


@pytest.mark.compiled
@pytest.mark.parametrize("figure", ["records", "blocks-records"])
def test_a_small_case_is_measured_with_all_that_its_figure_shows(figure):
    found = next(one for one in PAPER.figures if one.key == figure)
    measured = PAPER.measure({**found.cases[0].parameters, "records": 400})
    assert {*found.quantities} <= {*measured}
    assert measured["microseconds_per_record"] == pytest.approx(measured["seconds"] / 400 * 1e6)
