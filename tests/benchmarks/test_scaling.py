"""The cost model of the scalability study: fitted on runs, applied to other runs and worker numbers."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from benchmarks.experiments.scaling import PAPER
from benchmarks.experiments.scaling.cost_model import CostModel, Run, scaled
from benchmarks.experiments.scaling.counted import (
    Counted,
    bytes_in_memory,
    bytes_of_records,
    bytes_stored,
    cells_of_larger_sets,
    raised,
)

from anonset.algorithms.transaction.rare_sets.rare_tables import CountSets
from anonset.data.storage.store import Files
from anonset.data.storage.workers import Threads
from anonset_kernels.rare_sets._record_codes import Ancestors

MODEL = CostModel(
    search=0.5,
    code=1e-8,
    cell_of_larger_sets=1e-9,
    raised=5e-9,
    gib_of_records=4.0,
    item=2e-6,
    mib_of_tables=0.002,
    task=0.01,
)
OF_TABLES = {"codes": 1e7, "cells_of_larger_sets": 2e8, "raised": 4e7}
WORK = {**OF_TABLES, "gib_of_records": 2.0, "items": 1e5, "passes": 3, "tasks": 12, "mib_returned": 24.0}


def run(engine, more=""):
    """Return a run, with some quantities increased by half."""
    measured = {name: work * (1.5 if name == more else 1) for name, work in WORK.items()}
    return Run(engine, {**measured, "seconds": MODEL.cpu_seconds(Run(engine, measured))})


def test_fitted_costs_equal_the_model():
    runs = [run(engine, more) for engine in ("threads", "cluster") for more in ("", *WORK)]
    assert CostModel.fitted(runs).costs == pytest.approx(MODEL.costs)


def test_threads_have_no_cost_per_task():
    assert MODEL.cpu_seconds(Run("threads", WORK)) == pytest.approx(0.5 + 0.1 + 0.2 + 0.2 + 8 + 0.2 + 0.048)
    assert MODEL.cpu_seconds(Run("cluster", WORK)) == pytest.approx(0.5 + 0.1 + 0.2 + 0.2 + 8 + 0.2 + 0.048 + 0.12)


def test_more_workers_divide_reading_and_counting_and_return_more():
    of_2, of_64 = scaled(WORK, 5, 2), scaled(WORK, 5, 64)
    assert (of_2["codes"], of_2["cells_of_larger_sets"], of_2["gib_of_records"]) == (5e7, 1e9, 10.0)
    assert (of_2["items"], of_2["raised"], of_2["tasks"], of_2["mib_returned"]) == (1e5, 4e7, 12, 24.0)
    assert (of_64["raised"], of_64["tasks"], of_64["mib_returned"]) == (6.4e8, 192, 384.0)
    undivided = 0.5 + 0.2 + 0.768 + 1.92
    assert MODEL.wall_seconds(of_64, 64) == pytest.approx(undivided + (5 * (0.1 + 0.2 + 8) + 16 * 0.2) / 64)


@pytest.mark.parametrize(("size", "n_words"), [(3, 1), (3, 2), (4, 1), (4, 2)])
def test_cell_accesses_equal_the_definition(size: int, n_words: int) -> None:
    lengths = np.array([3, 0, 1, 4, 0, 2, 1])
    looks = 0
    for length, n in enumerate(lengths.tolist()):
        for chosen in combinations(range(length), size - 1):
            looks += n * min(chosen[0], n_words)
    assert cells_of_larger_sets(lengths, size, n_words) == looks
    assert cells_of_larger_sets(lengths, 2, n_words) == 0


@pytest.mark.compiled
def test_incremented_counters_equal_the_sets_up_to_k():
    rows = [(np.array([0, 3, 5, 7]), np.array([0, 1, 2, 0, 1, 0, 1], np.int32))]
    leaves = Ancestors(np.arange(4), np.zeros(3, np.int32), np.array([1, 2, 4], np.uint64), np.ones(3, np.int32))
    count = CountSets(leaves, 3, 2, 3, 1)
    counted = Counted(Threads(2))
    ((table, lengths, _),) = counted.map(count, [rows])
    assert raised(table.planes, len(table.flip)) == 3 + 1 + 1  # {0, 1} stops at k=3
    assert (counted.figures["codes"], counted.figures["raised"], lengths.tolist()) == (7, 5, [0, 0, 2, 1])


def test_record_blocks_are_distinguished_from_stored_arrays(tmp_path):
    with Files.temporary(tmp_path) as work:
        indptr, items = work.keep("indptr", np.array([2, 4, 5])), work.keep("items", np.arange(9, dtype=np.int32))
        codes = work.keep("codes", np.arange(7, dtype=np.int32))
        task = (partial(max, (indptr, items)), [codes], np.arange(3))
        assert (bytes_of_records(task), bytes_stored(task), bytes_in_memory(task)) == (24 + 12, 28, 24)


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("figure", ["records", pytest.param("blocks-records", marks=pytest.mark.studies)])
def test_a_small_case_measures_all_quantities_of_its_figure(figure):
    result = next(some_figure for some_figure in PAPER.figures if some_figure.key == figure)
    measured = PAPER.measure({**result.cases[0].parameters, "records": 400})
    assert {*result.quantities} <= {*measured}
    assert measured["microseconds_per_record"] == pytest.approx(measured["seconds"] / 400 * 1e6)
