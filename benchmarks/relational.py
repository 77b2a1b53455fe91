"""Compare formations on Adult with k=10, eight quasi-identifiers, and ARX's hierarchies or no hierarchies.

The data are the 30,162 complete rows.

Run as ``python -m benchmarks.relational FOLDER``; the folder contains ``relational/adult.csv.gz`` and
``hierarchies/adult_arx/``. Writes the tables of docs/results.md. The losses of ARX come from `benchmarks.comparison`.
NCP counts the values that occur, and not all leaves of a hierarchy, so that losses are comparable with tools that read
no hierarchy. Searches use the complete hierarchies. Seconds are CPU seconds of the search with compiled kernels. Losses
and seconds are means over random orders of the records, because most searches resolve ties by this order.
"""

import csv
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from benchmarks.experiments.render import rows as table
from benchmarks.experiments.results_page import PAGE, put
from benchmarks.experiments.runner import RESULTS, machine

from anonset.algorithms.relational.formations import formation_of
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.measures.losses.relational_ncp import relational_ncp
from anonset.reading.hierarchies.files import read_hierarchy

COLUMNS = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
TRAINING_ROWS = 32_561
K = 10
ORDERS = 5
FORMS = (
    *(("local-recoding", True), ("cluster", True), ("mondrian", True), ("local-recoding", False), ("k-member", False)),
    *(("cluster", False), ("xu-top-down", False), ("mondrian", False), ("top-down", False), ("full-domain", False)),
    ("bottom-up", False),
)


def rows_of(folder: Path) -> list[dict[str, str]]:
    """Return the rows without missing values among the first 32,561 rows."""
    with gzip.open(folder / "relational" / "adult.csv.gz", "rt", encoding="utf-8", newline="") as file:
        found = [row for _, row in zip(range(TRAINING_ROWS), csv.DictReader(file), strict=False)]
    return [row for row in found if "?" not in row.values()]


def trees_of(folder: Path, rows: list[dict[str, str]], *, occurring: bool) -> dict[str, Hierarchy]:
    """Return ARX's hierarchies. With `occurring`, they contain only values that occur in the data."""
    found = {}
    for name in COLUMNS:
        path = folder / "hierarchies" / "adult_arx" / f"adult_hierarchy_{name}.csv.gz"
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        values = {row[name] for row in rows}
        kept = [line for line in lines if line and (not occurring or line.split(";")[0] in values)]
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "tree.csv"
            file.write_text("\n".join(kept) + "\n", encoding="utf-8")
            found[name] = read_hierarchy(file)
    return found


def measured(searched: QuasiIdentifiers, held: QuasiIdentifiers) -> Iterator[tuple[float, str, str, str]]:
    """Yield mean loss, name, smallest to largest loss, and mean seconds of each formation."""
    orders = [np.random.default_rng(seed).permutation(searched.n) for seed in range(ORDERS)]
    for name, refine in FORMS:
        formation = formation_of(name, K, refine=refine)
        formation.clusters(searched.take(np.arange(200)))
        losses, seconds = [], 0.0
        for order in orders:
            ordered, began = searched.take(order), time.process_time()
            cluster, _ = formation.clusters(ordered)
            seconds += time.process_time() - began
            losses.append(relational_ncp(held.take(order), cluster))
        named = f"`{name}`{' with `--refine`' if refine else ''}"
        yield sum(losses) / ORDERS, named, f"{min(losses):.4f} to {max(losses):.4f}", f"{seconds / ORDERS:.2f} s"


def of_arx() -> Iterator[tuple[float, str, str, str]]:
    """Yield loss and name of each recoding of ARX, as stored by `benchmarks.comparison`."""
    stored = json.loads((RESULTS / "comparison.json").read_text(encoding="utf-8"))["cases"]["adult"]
    for one in stored:
        if one["tool"] == "arx" and "loss" in one:
            yield one["loss"], f"ARX, {one['algorithm']}", "", ""


def written(key: str, head: Sequence[str], cells: Iterable[Sequence[str]]) -> None:
    """Write a table into docs/results.md, with the commit that measured it."""
    block = f"Measured at commit {machine()['commit']}.\n\n{table(head, cells)}"
    sys.stdout.write(f"{put(block, key, PAGE)}\n")


def main(folder: Path) -> None:
    """Measure and write both tables."""
    rows = rows_of(folder)
    texts = [CategoricalColumn.of(name, [row[name] for row in rows]) for name in COLUMNS]
    whole, occurring = (trees_of(folder, rows, occurring=only) for only in (False, True))
    age = NumericColumn("age", np.array([int(row["age"]) for row in rows]))
    plain = QuasiIdentifiers.of([age, *texts[1:]], {})
    with_trees = measured(QuasiIdentifiers.of(texts, whole), QuasiIdentifiers.of(texts, occurring))
    for key, found in (("adult-arx", [*with_trees, *of_arx()]), ("adult-plain", measured(plain, plain))):
        cells = [(name, f"{loss:.4f}", *others) for loss, name, *others in sorted(found)]
        written(key, ("formation", "loss", "of five orders", "search"), cells)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
