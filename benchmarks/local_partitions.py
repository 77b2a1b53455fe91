"""Compare `local-generalization` (LG) with `local-reallocation` by NCP (LGR) and by entropy (LGR+) on real sets.

Run as ``python -m benchmarks.local_partitions FOLDER``, with the folder of the real data. The hierarchy is `balanced:5`
over the items in random order, with five seeds, or a tree of the catalogue, with the records in random order and three
seeds. The table shows means over the seeds: the NCP, the reduction of the NCP of LG in percent (smallest and largest),
the bits of entropy of the published nodes per occurrence, and CPU seconds of the search.
"""

import csv
import gzip
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from anonset import read_hierarchy
from anonset.algorithms.transaction.partitions.local_generalization import LocalGeneralization
from anonset.algorithms.transaction.partitions.local_reallocation import LocalReallocation, entropies
from anonset.data import Hierarchy, SetColumn, Table
from anonset.measures.retention import ncp_of_sizes, occurrences_by_size

BALANCED = ("bms_webview1", "bms_webview2", "msweb", "groceries")
TREES = {
    "bms_webview2": "bms_webview2_even_fanout_gong",
    "groceries": "groceries_taxonomy",
    "tafeng_subclass": "tafeng_subclass_taxonomy",
    "diabetes130_patients": "diabetes130_icd9_taxonomy",
}
KS = (2, 5, 25, 100)


def records_of(folder: Path, name: str) -> list[list[str]]:
    """Return the sets of items."""
    if name == "diabetes130_patients":
        with gzip.open(folder / "rt" / f"{name}_rt.csv.gz", "rt") as rows:
            return [row["diagnosis_codes"].split() for row in csv.DictReader(rows)]
    with gzip.open(folder / "transactions" / f"{name}.dat.gz", "rt") as file:
        return [line.split() for line in file]


def inputs_of(folder: Path, name: str, tree: str) -> Iterator[tuple[SetColumn, Hierarchy]]:
    """Yield records, bound to a hierarchy, for each seed. Empty records are omitted."""
    records = [record for record in records_of(folder, name) if record]
    if tree:
        hierarchy = read_hierarchy(folder / "taxonomies" / f"{tree}.csv.gz")
        for seed in range(3):
            order = np.random.default_rng(seed).permutation(len(records)).tolist()
            yield hierarchy.bind(SetColumn.of([records[record] for record in order])), hierarchy
        return
    column = SetColumn.of(records)
    for seed in range(5):
        labels = np.random.default_rng(seed).permutation(column.vocabulary.labels).tolist()
        hierarchy = Hierarchy.balanced(labels, 5)
        yield hierarchy.bind(column), hierarchy


def measured(algorithm: Any, column: SetColumn, hierarchy: Hierarchy) -> tuple[float, float, float]:
    """Return NCP, bits per occurrence, and CPU seconds."""
    began = time.process_time()
    result = algorithm.recode(Table(column), {column.name: hierarchy})
    seconds = time.process_time() - began
    costs, of_leaf, bits = entropies(column, hierarchy), hierarchy.leaf_node.copy(), 0
    for partition in result.trace:
        nodes = [hierarchy.node_of[label] for label in partition.nodes]
        for node in nodes:
            of_leaf[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]] = node
        bits += int(costs[of_leaf[column.take(np.array(partition.records)).items]].sum())
    ncp = float(ncp_of_sizes(occurrences_by_size(column, result.recoding)))
    return ncp, bits / (1 << 20) / len(column.items), seconds


def lines_of(folder: Path, name: str, tree: str) -> Iterator[str]:
    """Yield a line per k."""
    inputs = list(inputs_of(folder, name, tree))
    for algorithm in (LocalGeneralization(k=2), LocalReallocation(k=2)):  # compiles the kernels
        algorithm.recode(Table(inputs[0][0]), {inputs[0][0].name: inputs[0][1]})
    for k in KS:
        ways = (LocalGeneralization(k=k), LocalReallocation(k=k), LocalReallocation(k=k, node_cost="entropy"))
        rows = [[measured(way, *given) for way in ways] for given in inputs]
        ncps, bits, seconds = ([fmean(row[way][i] for row in rows) for way in range(3)] for i in range(3))
        falls = [[1 - row[way][0] / row[0][0] for row in rows] for way in (1, 2)]
        shown = [f"{min(fall):.1%} to {max(fall):.1%}" for fall in falls]
        cells = [f"{ncps[0]:.4f}", f"{ncps[1]:.4f}", shown[0], f"{ncps[2]:.4f}", shown[1]]
        cells += [f"{value:.3f}" for value in bits] + [f"{value:.2f}" for value in seconds]
        yield f"| {name}, {'tree' if tree else '`balanced:5`'} | {k} | {' | '.join(cells)} |"


def main(folder: Path) -> None:
    """Print the table."""
    for name, tree in (*((name, "") for name in BALANCED), *TREES.items()):
        for line in lines_of(folder, name, tree):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
