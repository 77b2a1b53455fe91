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
    code=1e-8,
    code_of_larger_sets=4e-8,
    gib_of_records=4.0,
    item=2e-6,
    fix=1e-5,
    mib_of_tables=0.002,
    task=0.01,
)
OF_PAIRS = {"records": 1e6, "increments": 1e6 * 10**2 / 2, "increments_of_larger_sets": 0.0}
"""Records of ten codes, and so many pairs."""
OF_THREES = {**OF_PAIRS, "increments": 1e6 * (10**2 / 2 + 6**3 / 6), "increments_of_larger_sets": 1e6 * 6**3 / 6}
WORK = {**OF_THREES, "gib_of_records": 2.0, "items": 1e5, "fixes": 1e4, "passes": 3, "tasks": 12, "mib_returned": 24.0}


def run(engine, more=""):
    """Return a run with half as much more of something."""
    measured = {name: work * (1.5 if name == more else 1) for name, work in WORK.items()}
    return Run(engine, {**measured, "seconds": MODEL.cpu_seconds(Run(engine, measured))})


def test_prices_are_found_again():
    runs = [run(engine, more) for engine in ("threads", "cluster") for more in ("", *WORK)]
    assert CostModel.fitted(runs).costs == pytest.approx(MODEL.costs)


def test_threads_pay_for_no_task():
    assert MODEL.cpu_seconds(Run("threads", WORK)) == pytest.approx(0.5 + 0.1 + 0.24 + 8 + 0.2 + 0.1 + 0.048)
    assert MODEL.cpu_seconds(Run("cluster", WORK)) == pytest.approx(0.5 + 0.1 + 0.24 + 8 + 0.2 + 0.1 + 0.048 + 0.12)


def test_more_workers_divide_what_is_read_and_counted_and_return_more():
    of_2, of_64 = scaled(WORK, 5, 2), scaled(WORK, 5, 64)
    assert of_2["increments"] == 5 * WORK["increments"]
    assert (of_2["items"], of_2["fixes"], of_2["tasks"], of_2["mib_returned"]) == (1e5, 1e4, 12, 24.0)
    assert (of_64["tasks"], of_64["mib_returned"]) == (192, 384.0)
    undivided = 0.5 + 0.2 + 0.1 + 0.768 + 1.92
    assert MODEL.wall_seconds(of_64, 64) == pytest.approx(undivided + 5 * (0.1 + 0.24 + 8) / 64)


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
