"""Compare the two node orders of the count-tree (Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.1).

anonset orders nodes by descending support. The paper also allows the order by the number of leaves, which saves a scan.

Run as ``python -m benchmarks.count_tree_order FOLDER``; the folder contains ``transactions/``. Prints the NCP of both
orders, and of the best cut, for k=5.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import anonset
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes

K = 5
DATA = ("groceries", "msweb", "bms_webview1")
TREES = ("balanced:5", "halves:frequency")
_BY_SUPPORT = SupportedNodes.__init__


def _by_leaves(nodes: SupportedNodes, *arguments: Any, **more: Any) -> None:
    _BY_SUPPORT(nodes, *arguments, **more)
    leaves = nodes.hierarchy.n_leaves_below[nodes.by_support]
    nodes.by_support = nodes.by_support[np.lexsort((nodes.by_support, -leaves))]


def losses(table: anonset.Table, algorithm: type[Any], tree: str, m: int) -> Iterator[float]:
    """Yield the NCP of an algorithm with the nodes ordered by support, and by leaves."""
    for order in (_BY_SUPPORT, _by_leaves):
        SupportedNodes.__init__ = order  # type: ignore[assignment, method-assign]
        try:
            yield _loss(table, algorithm(k=K, m=m), tree)
        finally:
            SupportedNodes.__init__ = _BY_SUPPORT  # type: ignore[method-assign]


def _loss(table: anonset.Table, algorithm: Any, tree: str) -> float:
    return anonset.anonymize(table, algorithm, hierarchies={"items": tree}, accept="worthless").measures["ncp"]


def main(folder: Path) -> None:
    """Print a line for each data set, hierarchy and m."""
    sys.stdout.write("| data | hierarchy | m | best cut | AA, support | AA, leaves | DA, support | DA, leaves |\n")
    sys.stdout.write(f"|{'---|' * 8}\n")
    for name in DATA:
        table = anonset.read(str(folder / "transactions" / f"{name}.dat.gz"), unit="row")
        for tree in TREES:
            for m in (2, 3):
                best = _loss(table, anonset.Exact(k=K, m=m), tree)
                found = [best, *losses(table, anonset.Apriori, tree, m), *losses(table, anonset.Direct, tree, m)]
                shown = " | ".join(f"{loss:.6f}" for loss in found)
                sys.stdout.write(f"| {name} | `{tree}` | {m} | {shown} |\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
