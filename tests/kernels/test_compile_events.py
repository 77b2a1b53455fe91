"""Counting a process's compilations by Numba's events: none for kernels in the cache."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import json, time
start = time.perf_counter()
import numpy as np
from anonset_kernels._compiling import COMPILATION
told = []
with COMPILATION.watched(lambda *what: told.append(what)):
    from anonset_kernels.records.rows import transpose
    found = [array.tolist() for array in transpose(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), 2)]
print(json.dumps([found, COMPILATION.kernels, COMPILATION.seconds, time.perf_counter() - start, told]))
"""
MODULES = """
import sys
import numpy as np
from anonset_kernels.records.rows import unsorted_or_repeated
assert unsorted_or_repeated(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32)) == -1
print("scipy.linalg" in sys.modules)
"""
LATE = """
import numpy as np
from numba import njit
from anonset_kernels.records.rows import unsorted_or_repeated
assert unsorted_or_repeated(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32)) == -1
assert sum(unsorted_or_repeated.stats.cache_hits.values()) == 1
@njit
def calls_it(indptr, items):
    words, weights = [str(at) for at in range(3)], items.astype(np.float64)
    return unsorted_or_repeated(indptr, items) + np.max(weights) + len(words) + np.dot(weights, weights)
print(calls_it(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32)))
"""

pytestmark = [
    pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled"),
    pytest.mark.long,
]


def run(script: str, cache: Path) -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_compiling_is_counted_once_and_loading_never(tmp_path: Path) -> None:
    compiled_count, kernels, seconds, whole_seconds, compile_reports = json.loads(run(RUN, tmp_path))
    assert compiled_count == [[0, 1, 3], [0, 0, 1]]
    assert (kernels, compile_reports) == (1, [[1, False], [1, True]])
    assert 0 < seconds < whole_seconds
    repeated = json.loads(run(RUN, tmp_path))
    assert repeated[0] == compiled_count
    assert (repeated[1], repeated[2], repeated[4]) == (0, 0, [])


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache with the machine code of one kernel."""
    cache = tmp_path_factory.mktemp("cache")
    run(MODULES, cache)
    return cache


def test_machine_code_is_loaded_without_readying_the_compiler(filled: Path) -> None:
    """Numba imports SciPy to compile, but not to load machine code."""
    assert run(MODULES, filled) == "False\n"


def test_loaded_kernels_can_be_called_from_kernels_compiled_later(filled: Path) -> None:
    assert run(LATE, filled) == "5.0\n"
