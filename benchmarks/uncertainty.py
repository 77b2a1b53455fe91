"""Measure the loss of ρ-uncertainty on real sets of items, by suppression only and with prior generalization.

Run as ``python -m benchmarks.uncertainty FOLDER``, with the folder of the real data. For diabetes patients, mental
disorders (ICD-9 290 to 319) and HIV (042) are sensitive, and the ICD-9 tree without these codes is the hierarchy. For
other data sets, one item in 20 is drawn as sensitive with seed 0. The hierarchy is `balanced:5` over all other items.
"""

import csv
import gzip
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from anonset.algorithms.transaction.suppression.suppress_control import SuppressControl
from anonset.data import Hierarchy, Table
from anonset.generalization import Cut
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.losses.ncp import ncp
from anonset.reading.hierarchies.files import read_hierarchy
from anonset.settings.binding import bind

RHO, M = ("0.2", "0.5"), (1, 2)
SETS = ("diabetes", "groceries", "bms_webview1")


def data_of(folder: Path, name: str) -> tuple[list[set[str]], tuple[str, ...], Hierarchy | str]:
    """Return records, sensitive items, and a hierarchy of the other items."""
    if name != "diabetes":
        with gzip.open(folder / "transactions" / f"{name}.dat.gz", "rt") as file:
            records = [set(line.split()) for line in file]
        items = sorted(set().union(*records))
        chosen = np.random.default_rng(0).choice(len(items), max(1, len(items) // 20), replace=False)
        return records, tuple(sorted(items[at] for at in chosen)), "balanced:5"
    with gzip.open(folder / "rt" / "diabetes130_patients_rt.csv.gz", "rt") as rows:
        records = [set(row["diagnosis_codes"].split()) for row in csv.DictReader(rows)]
    secrets = {x for x in set().union(*records) if x[:3].isdigit() and (290 <= int(x[:3]) <= 319 or x[:3] == "042")}
    with gzip.open(folder / "taxonomies" / "diabetes130_icd9_taxonomy.csv.gz", "rt") as tree:
        lines = [line for line in tree if line.split(",")[0] not in secrets]
    with tempfile.TemporaryDirectory() as place:
        rest = Path(place) / "tree.csv"
        rest.write_text("".join(lines), encoding="utf-8")
        return records, tuple(sorted(secrets)), read_hierarchy(rest)


def lines_of(folder: Path, name: str) -> Iterator[str]:
    """Yield a line per rho and m with losses, preserved sensitive occurrences and seconds."""
    records, secrets, tree = data_of(folder, name)
    for rho in RHO:
        for m in M:
            cells = []
            for generalize in (False, True):
                control = SuppressControl(rho=rho, m=m, sensitive_items=secrets, generalize=generalize)
                table, trees = bind(Table.from_sets(records), {"items": tree}, control.model)
                began = time.process_time()
                cut = control.recode(table, trees).recoding
                seconds = time.process_time() - began
                assert isinstance(cut, Cut)
                column = cut.hierarchy.bind(table.transactions)  # type: ignore[arg-type]
                own = np.isin(np.array(cut.hierarchy.leaves.labels), secrets)
                kept = column.occurrences[own & (cut.image != SUPPRESSED)].sum() / column.occurrences[own].sum()
                gone = column.occurrences[cut.image == SUPPRESSED].sum() / column.occurrences.sum()
                cells.append(f"{ncp(column, cut):.4f} | {gone:.1%} | {kept:.1%} | {seconds:.1f}")
            yield f"| {name} | {rho} | {m} | {' | '.join(cells)} |"


def main(folder: Path) -> None:
    """Print the table."""
    for name in SETS:
        for line in lines_of(folder, name):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
