"""Compare the generator `mst` of the study of baselines with MST of SmartNoise Synthesizers.

Run as ``python -m benchmarks.smartnoise PYTHON [DATA ...]``. PYTHON is an interpreter whose environment contains
``smartnoise-synth``. Of its requirements, MST needs mbi, disjoint-set, pandas, Faker and smartnoise-sql. Writes a table
into docs/baselines.md. Both generators read the same training records. SmartNoise reads a column of 0 and 1 for each
of the most frequent items. Their choice spends nothing of its budget, and other items are not drawn.
"""

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

import numpy as np
from benchmarks.experiments.baselines import DATA, LEVELS
from benchmarks.experiments.baselines.generators import PAIRED
from benchmarks.experiments.baselines.measurement import (
    MST_DELTA,
    Output,
    Split,
    _disclosure,
    _rows,
    _split,
    _utility,
    measure,
)
from benchmarks.experiments.baselines.noise import column_of, matrix_of
from benchmarks.experiments.factors import number_of
from benchmarks.experiments.render import rows
from benchmarks.experiments.results_page import PAGES, put
from benchmarks.experiments.runner import machine

from anonset.measures.item_supports import ColumnSupports
from anonset.spelling import counted

SAMPLES = LEVELS[:1]
EPSILONS = ("1",)
SHOWN = {"sets_f1": "itemsets: F1", "rules_f1": "rules: F1", "auc": "classifier: AUC", "are": "ARE"}
DISCLOSED = "items inferred, minus control"
DRIVER = Path(__file__).parent / "comparison" / "smartnoise_records.py"


def drawn(split: Split, python: str, epsilon: str, seed: int) -> tuple[Mapping[str, float], float]:
    """Return the measures of records that SmartNoise draws, and the CPU seconds."""
    matrix = matrix_of(split.items)
    frequent = np.argsort(-split.items.occurrences, kind="stable")[:PAIRED]
    with tempfile.TemporaryDirectory() as folder:
        read, written = (str(Path(folder) / name) for name in ("matrix.npy", "drawn.npy"))
        np.save(read, matrix[:, frequent])
        command = [python, str(DRIVER), "MST", epsilon, f"{MST_DELTA:f}", str(seed), read, written]
        ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
        released = np.zeros_like(matrix)
        released[:, frequent] = np.load(written)
    column = column_of(released, split.items)
    output = Output(ColumnSupports(column), column.n, _rows(column))
    return {**_utility(split, output), **_disclosure(split, output)}, float(ran.stderr.split()[-1])


def shown(found: list[Mapping[str, float]]) -> list[str]:
    """Return the mean of each measure."""
    means = [mean(one[name] for one in found) for name in SHOWN]
    return [f"{value:.3f}" for value in (*means, mean(one["inferred"] - one["control_inferred"] for one in found))]


def main(python: str, names: Sequence[str]) -> None:
    """Measure and write the table."""
    cells = []
    for data in names or DATA:
        for epsilon in EPSILONS:
            ours = [measure({"data": data, "way": "mst", "epsilon": epsilon, "sample": one}) for one in SAMPLES]
            theirs = [drawn(_split(data, number_of(one)), python, epsilon, number_of(one)) for one in SAMPLES]
            cells.append([data, epsilon, "`mst`", *shown(ours), ""])
            seconds = f"{mean(one for _, one in theirs):.0f} s"
            cells.append([data, epsilon, "MST of SmartNoise", *shown([one for one, _ in theirs]), seconds])
    head = ("data", "epsilon", "generator", *SHOWN.values(), DISCLOSED, "CPU time")
    block = f"Measured at commit {machine()['commit']}, {counted(len(SAMPLES), 'sample')}.\n\n{rows(head, cells)}"
    sys.stdout.write(f"{put(block, 'smartnoise', PAGES['baselines'])}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
