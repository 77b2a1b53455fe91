"""Measure the losses of RMERGE on real RT-datasets, for several formations of clusters.

Run as ``python -m benchmarks.rum_and_tum FOLDER [DATASET ...]``; the folder contains ``rt/``. Writes tables into
docs/results.md: for each data set, the loss of the items (Tum) for each bound on the loss of the relational values
(Rum), and for `GRID` both losses for each formation, merge order and transaction function. Losses are means over random
orders of the records, shown with the smallest and the largest loss if they are compared.
"""

import csv
import gzip
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Literal

import numpy as np
from benchmarks.relational import ORDERS, written

from anonset.algorithms.relational.formations import FORMATIONS
from anonset.algorithms.rt.rum_bound import RumBound
from anonset.algorithms.transaction.item_sets.coat import Coat
from anonset.algorithms.transaction.item_sets.pcta import Pcta
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.errors import InfeasibleError

K, M = 25, 2
BOUNDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
FORMS = (("cluster", False), ("cluster", True), ("local-recoding", True))
DATASETS = {
    "informs2005": ("diagnosis_codes", ("birth_year", "sex", "race", "education_years", "marital_status")),
    "diabetes130_patients": ("diagnosis_codes", ("race", "gender", "age", "payer_code", "medical_specialty")),
}
GRID, DELTA = "informs2005", 0.65
MERGES: tuple[Literal["r", "t", "rt"], ...] = ("r", "t", "rt")
FUNCTIONS = (Coat, Pcta)
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


def losses(tables: Sequence[Table], bound: float) -> Iterator[str]:
    """Yield the loss of the items for each formation. Empty if the bound cannot be satisfied."""
    for formation, refine in FORMS:
        algorithm = RumBound(
            k=K, m=M, delta=bound, merge="r", formation=formation, refine=refine, on_infeasible="merge"
        )
        try:
            found = [algorithm.recode(table, {}).figures["tum"] for table in tables]
        except InfeasibleError:
            yield ""
        else:
            yield f"{mean(found):.3f} ({min(found):.3f} to {max(found):.3f})"


def grid(tables: Sequence[Table]) -> Iterator[list[str]]:
    """Yield a row per formation: for each merge order Rum, and Tum with each transaction function."""
    for formation in FORMATIONS:
        cells = []
        for merge in MERGES:
            figures = [
                RumBound(
                    k=K, m=M, delta=DELTA, merge=merge, formation=formation, transaction=function,
                    on_infeasible="merge",
                ).recode(table, {}).figures
                for function in FUNCTIONS for table in tables
            ]  # fmt: skip
            parts = [figures[at : at + len(tables)] for at in range(0, len(figures), len(tables))]
            means = [mean(one["rum"] for one in figures), *(mean(one["tum"] for one in part) for part in parts)]
            cells.append(", ".join(f"{value:.3f}" for value in means))
        yield [f"`{formation}`", *cells]


def main(folder: Path, names: list[str]) -> None:
    """Measure and write the tables."""
    for name in names or list(DATASETS):
        table = table_of(folder, name)
        tables = [table.take(np.random.default_rng(seed).permutation(table.n)) for seed in range(ORDERS)]
        cells = [[f"{bound:g}", *losses(tables, bound)] for bound in BOUNDS]
        head = ("Rum at most", *(f"`{formation}`{' with `--refine`' if refine else ''}" for formation, refine in FORMS))
        written(f"rum-{name}", head, [row for row in cells if any(row[1:])])
        if name == GRID:
            written(f"grid-{name}", ("formation", *(f"`{merge}`" for merge in MERGES)), grid(tables))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
