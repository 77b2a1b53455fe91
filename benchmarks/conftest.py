"""Fixtures of the benchmarks, and the format of the results. In smoke runs the data have few records."""

import os
from typing import Any

import numpy as np
import pytest
from benchmarks.experiments.runner import machine

from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks
from anonset.data.storage.store import MEMORY
from anonset_datasets.generators import pos_like

FULL, SMOKE = 50_000, 500
"""Number of records for benchmarks of kernels, in a measurement and in a smoke run."""


def is_measuring(config: pytest.Config) -> bool:
    """Return True if benchmarks are measured. False if each benchmark only runs once."""
    return bool(config.getoption("benchmark_enable") or not config.getoption("benchmark_disable"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip benchmarks with real data if the data are not available."""
    if "ANONSET_DATA" not in os.environ:
        for item in items:
            if item.get_closest_marker("data"):
                item.add_marker(
                    pytest.mark.skip(reason="ANONSET_DATA is not set, and the project contains no real data")
                )


def pytest_benchmark_update_json(output_json: dict[str, Any]) -> None:
    """Remove all entries from the results except figures, machine, commit and versions."""
    output_json.pop("commit_info")
    output_json["machine_info"] = machine()
    kept = ("min", "max", "mean", "median", "stddev", "rounds", "iterations")
    output_json["benchmarks"] = [
        {name: one[name] for name in ("group", "name", "fullname", "extra_info")}
        | {"stats": {name: one["stats"][name] for name in kept}}
        for one in output_json["benchmarks"]
    ]


@pytest.fixture(scope="session")
def column(request: pytest.FixtureRequest) -> SetColumn:
    """Return point-of-sale baskets over 1,657 items, bound to `hierarchy`."""
    found = pos_like(FULL if is_measuring(request.config) else SMOKE).transactions
    if found is None:
        msg = "pos_like must have a set-valued column"
        raise RuntimeError(msg)
    return found


@pytest.fixture(scope="session")
def hierarchy(column: SetColumn) -> Hierarchy:
    """Return a balanced hierarchy with fan-out five."""
    return Hierarchy.balanced(column.vocabulary.labels, 5)


@pytest.fixture
def search(column: SetColumn, hierarchy: Hierarchy) -> CutSearch:
    """Return a new search for k=5."""
    return CutSearch(Blocks.of(column, MEMORY), hierarchy, 5)


@pytest.fixture(scope="session")
def shuffled(column: SetColumn) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return the items with randomly permuted codes, int32 (nnz,), so that rows are not sorted."""
    return np.random.default_rng(0).permutation(len(column.vocabulary)).astype(np.int32)[column.items]
