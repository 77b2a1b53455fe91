"""Measure the losses of RMERGE_R on real RT-datasets, for several formations of clusters.

Run as ``python -m benchmarks.rum_and_tum FOLDER [DATASET ...]``; the folder contains ``rt/``. Writes a
table per data set into docs/results.md, with the loss of the items (Tum) for each bound on the loss of the relational
values (Rum).
"""

import csv
import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from benchmarks.relational import written

from anonset.algorithms.rt.rum_bound import RumBound
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.errors import InfeasibleError

K, M = 25, 2
BOUNDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
FORMS = (("cluster", False), ("cluster", True), ("local-recoding", True))
DATASETS = {
    "informs2005": ("diagnosis_codes", ("birth_year", "sex", "race", "education_years", "marital_status")),
    "diabetes130_patients": ("diagnosis_codes", ("race", "gender", "age", "payer_code", "medical_specialty")),
}
NUMBERS = ("birth_year", "education_years")


def table_of(folder: Path, name: str) -> Table:
    """Read a data set. Numbers are published as ranges, and all other columns as sets of values."""
    items, relational = DATASETS[name]
    with gzip.open(folder / "rt" / f"{name}_rt.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = tuple(
        NumericColumn(column, np.array([int(row[column]) for row in rows]))
        if column in NUMBERS
        else CategoricalColumn.of(column, [row[column] for row in rows])
        for column in relational
    )
    return Table(SetColumn.of([set(row[items].split()) for row in rows], name=items), columns)


def losses(table: Table, bound: float) -> Iterator[str]:
    """Yield the loss of the items for each formation. Empty if the bound cannot be satisfied."""
    for formation, refine in FORMS:
        algorithm = RumBound(
            k=K, m=M, delta=bound, merge="r", formation=formation, refine=refine, on_infeasible="merge"
        )
        try:
            yield f"{algorithm.recode(table, {}).figures['tum']:.4f}"
        except InfeasibleError:
            yield ""


def main(folder: Path, names: list[str]) -> None:
    """Measure and write a table per data set."""
    for name in names or list(DATASETS):
        table = table_of(folder, name)
        cells = [[f"{bound:g}", *losses(table, bound)] for bound in BOUNDS]
        head = ("Rum at most", *(f"`{formation}`{' with `--refine`' if refine else ''}" for formation, refine in FORMS))
        written(f"rum-{name}", head, [row for row in cells if any(row[1:])])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
