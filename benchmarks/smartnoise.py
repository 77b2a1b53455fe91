"""Measure MST of SmartNoise Synthesizers on the data of the study of baselines.

Run as ``python -m benchmarks.smartnoise PYTHON [DATA EPSILON ...]``. PYTHON is an interpreter whose environment
contains ``smartnoise-synth``. Of its requirements, MST needs mbi, jax, disjoint-set, pandas, Faker, opendp and
smartnoise-sql. By default, each data set and epsilon of the study is measured, also with more records where the study
does. Cases with a stored result are not measured again. With ``trials`` instead of DATA, `TRIALS` run, which show how
the time of MST and AIM grows with the number of items. ``render baselines`` and ``blocks baselines baselines-in-short``
of `benchmarks.experiments` write the pages.
SmartNoise reads a column of 0 and 1 for each of the most frequent items of the training records. Their choice spends
nothing of its budget, and other items are not drawn.
"""

import json
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from benchmarks.experiments.baselines import (
    DATA,
    EPSILONS,
    LARGE,
    LARGE_AT,
    LARGE_DATA,
    LARGE_LEVELS,
    LEVELS,
)
from benchmarks.experiments.baselines.generators import PAIRED
from benchmarks.experiments.baselines.measurement import (
    MST_DELTA,
    TRAINED,
    Output,
    Split,
    _disclosure,
    _inferred,
    _rounded,
    _rows,
    _split,
    _utility,
)
from benchmarks.experiments.baselines.noise import column_of, matrix_of
from benchmarks.experiments.baselines.quantities import SMARTNOISE_RESULTS, SMARTNOISE_TRIALS
from benchmarks.experiments.factors import number_of
from benchmarks.experiments.runner import machine
from benchmarks.experiments.store import replace_file

from anonset.measures.item_supports import ColumnSupports

DRIVER = Path(__file__).parent / "comparison" / "smartnoise_records.py"
_KEY = ("sample", "data", "trained", "epsilon")
"""Fields of a result that identify its case."""
TRIALS = (("AIM", 5), ("AIM", 10), ("AIM", 20), ("AIM", 40), ("MST", 60))
"""Algorithm and number of items of each trial, on the first division of `groceries`, with epsilon=1."""
_LIMIT = 900
"""CPU seconds after which a trial is stopped."""


def drawn(
    split: Split,
    python: str,
    epsilon: str,
    seed: int,
    way: str = "MST",
    items: int = PAIRED,
    limit: int = resource.RLIM_INFINITY,
) -> tuple[Mapping[str, float], int]:
    """Return the measures of records that SmartNoise draws, and the CPU seconds of fitting and drawing.

    All records are attacked if there are `TRAINED` of them.

    Parameters
    ----------
    items
        Number of most frequent items that are drawn.
    limit
        CPU seconds after which the system stops the run.

    Raises
    ------
    subprocess.CalledProcessError
        If the run fails or is stopped.
    """
    matrix = matrix_of(split.items)
    frequent = np.argsort(-split.items.occurrences, kind="stable")[:items]
    with tempfile.TemporaryDirectory() as folder:
        read, written = (str(Path(folder) / name) for name in ("matrix.npy", "drawn.npy"))
        np.save(read, matrix[:, frequent])
        command = [python, str(DRIVER), way, epsilon, f"{MST_DELTA:f}", str(seed), read, written]
        ran = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            cwd=folder,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        )
        released = np.zeros_like(matrix)
        released[:, frequent] = np.load(written)
    column = column_of(released, split.items)
    output = Output(ColumnSupports(column), column.n, _rows(column))
    on_all = _inferred(split, output, TRAINED, "all_") if split.items.n == TRAINED else {}
    return _rounded({**_utility(split, output), **_disclosure(split, output), **on_all}), int(ran.stderr.split()[-1])


def trials(python: str) -> None:
    """Run and store each trial. One that is stopped has no measures."""
    found = []
    sample = LEVELS[1]
    for way, items in TRIALS:
        one = {"way": way, "items": items, "data": "groceries", "epsilon": "1", "sample": sample, "limit": _LIMIT}
        split = _split("groceries", number_of(sample), TRAINED)
        try:
            measured, seconds = drawn(split, python, "1", number_of(sample), way, items, _LIMIT)
        except subprocess.CalledProcessError as stopped:
            if stopped.returncode not in (-signal.SIGXCPU, -signal.SIGKILL):
                raise
            measured, seconds = {}, _LIMIT
        found.append(json.dumps(one | {"commit": machine()["commit"], "cpu_seconds": seconds, "measured": measured}))
        replace_file(SMARTNOISE_TRIALS, "\n".join(found) + "\n")


def main(python: str, data: str = "", *epsilons: str) -> None:
    """Measure each data set and epsilon on each division, without the division of the pilot run."""
    if data == "trials":
        trials(python)
        return
    stored = SMARTNOISE_RESULTS.read_text(encoding="utf-8").splitlines() if SMARTNOISE_RESULTS.exists() else []
    done = {tuple(json.loads(line)[name] for name in _KEY) for line in stored}
    cases = [
        *((one, LARGE_DATA, LARGE, epsilon) for one in LARGE_LEVELS for epsilon in LARGE_AT["epsilon"]),
        *((one, name, TRAINED, epsilon) for one in LEVELS[1:] for name in DATA for epsilon in EPSILONS),
    ]
    for case in cases:
        sample, name, trained, epsilon = case
        if case in done or (data and data != name) or (epsilons and epsilon not in epsilons):
            continue
        seed = number_of(sample)
        measured, seconds = drawn(_split(name, seed, trained), python, str(epsilon), seed)
        found = dict(zip(_KEY, case, strict=True)) | {"commit": machine()["commit"]}
        stored.append(json.dumps(found | {"cpu_seconds": seconds, "measured": measured}))
        replace_file(SMARTNOISE_RESULTS, "\n".join(stored) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
