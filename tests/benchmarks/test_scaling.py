"""The cost model of the scalability study: fitted on runs, asked about others and about more workers."""

from functools import partial

import numpy as np
import pytest
from benchmarks.experiments.scaling import PAPER
from benchmarks.experiments.scaling.cost_model import CostModel, Run, scaled
from benchmarks.experiments.scaling.counted import bytes_in_memory, bytes_of_records, bytes_stored

from anonset.data.store import Files

MODEL = CostModel(
    search=0.5,
    increment=1e-9,
    increment_of_larger_sets=4e-9,
    gib_of_records=4.0,
    gib_stored=1.0,
    task=0.01,
    mib_returned=0.002,
)
READ = {"gib_of_records": 2.0, "gib_stored": 3.0}
WORK = {"increments": 5e9, "increments_of_larger_sets": 1e9, **READ, "passes": 3, "tasks": 12, "mib_returned": 24.0}


def run(engine, times):
    powers = 1, 2, 3, 4, 0, 5, 6
    measured = {name: work * times**power for (name, work), power in zip(WORK.items(), powers, strict=True)}
    return Run(engine, {**measured, "seconds": MODEL.cpu_seconds(Run(engine, measured))})


def test_prices_are_found_again():
    runs = [run(engine, times) for engine in ("threads", "cluster") for times in (1.0, 1.2, 1.5, 1.7, 2.0)]
    assert CostModel.fitted(runs).costs == pytest.approx(MODEL.costs)


def test_threads_pay_for_no_task():
    assert MODEL.cpu_seconds(run("threads", 1.0)) == pytest.approx(0.5 + 4 + 4 + 8 + 3)
    assert MODEL.cpu_seconds(run("cluster", 1.0)) == pytest.approx(0.5 + 4 + 4 + 8 + 3 + 0.12 + 0.048)


def test_more_workers_divide_what_is_read_and_counted_and_return_more():
    of_2, of_64 = scaled(WORK, 5, 2), scaled(WORK, 5, 64)
    assert (of_2["increments"], of_2["gib_stored"], of_2["tasks"], of_2["mib_returned"]) == (25e9, 15.0, 12, 24.0)
    assert (of_64["tasks"], of_64["mib_returned"]) == (192, 384.0)
    undivided = 0.5 + 1.92 + 0.768
    assert MODEL.wall_seconds(of_64, 64) == pytest.approx(undivided + (20 + 40 + 15) / 64 + 20 / 16)


def test_blocks_of_records_are_told_from_what_is_stored_of_them(tmp_path):
    with Files.temporary(tmp_path) as work:
        indptr, items = work.keep("indptr", np.array([2, 4, 5])), work.keep("items", np.arange(9, dtype=np.int32))
        codes = work.keep("codes", np.arange(7, dtype=np.int32))
        task = (partial(max, (indptr, items)), [codes], np.arange(3))
        assert (bytes_of_records(task), bytes_stored(task), bytes_in_memory(task)) == (24 + 12, 28, 24)


@pytest.mark.compiled
@pytest.mark.parametrize("figure", ["records", "blocks-records"])
def test_a_small_case_is_measured_with_all_that_its_figure_shows(figure):
    found = next(one for one in PAPER.figures if one.key == figure)
    measured = PAPER.measure({**found.cases[0].parameters, "records": 400})
    assert {*found.quantities} <= {*measured}
    assert measured["microseconds_per_record"] == pytest.approx(measured["seconds"] / 400 * 1e6)
