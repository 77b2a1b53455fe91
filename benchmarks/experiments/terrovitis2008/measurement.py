"""Measuring one run of OA, DA or AA: time apart from compiling, memory, loss, and the size of the count-tree."""

import time
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.memory import forget_peak, peak_mib

if TYPE_CHECKING:
    from anonset import Apriori, Direct, Hierarchy, Optimal, SetColumn, Table

REPEATS = 3
TREE_LIMIT = 4e9
"""Count the nodes of a count-tree only where the records hold at most so many sets of m nodes (some 10 s)."""


@dataclass(frozen=True)
class _Runs:
    seconds: list[float]
    peak_mib: float
    result: Any


def measure(parameters: Parameters) -> Measured:
    """Run one case: best of three runs after one that compiles, then the loss, the check and the count-tree.

    Parameters
    ----------
    parameters
        ``data``, ``algorithm``, ``k``, ``m`` and ``fanout``; for the reduced sets also ``records`` and ``items``,
        for the generated one ``records``.

    Raises
    ------
    RuntimeError
        If the result does not verify.
    """
    from anonset import Hierarchy, ncp

    column = load(parameters)
    hierarchy = Hierarchy.balanced(column.vocabulary.labels, parameters["fanout"])
    algorithm = _algorithm(parameters)
    warm_up = _warm_up(algorithm)
    runs = _timed(algorithm, column, hierarchy)
    column, cut = hierarchy.bind(column), runs.result.recoding
    measured = {
        "seconds": min(runs.seconds),
        "seconds_of_runs": runs.seconds,
        "seconds_of_warm_up": warm_up,
        "microseconds_per_record": min(runs.seconds) / column.n * 1e6,
        "peak_mib": runs.peak_mib,
        "ncp": ncp(column, cut),
        "published": len(cut.nodes),
        "records": column.n,
        "height": int(hierarchy.depth.max()) + 1,
        "checked": _verified(column, cut, algorithm.model),
        **runs.result.figures,
    }
    if parameters.get("tree", True) and (nodes := _tree_nodes(algorithm, column, hierarchy)) is not None:
        measured["tree_nodes"] = nodes
    return measured


def compile_kernels() -> None:
    """Fill the cache of compiled kernels, and read the real data once: a case then loads what it needs."""
    from anonset.errors import InputError

    for name in ("optimal", "direct", "apriori"):
        _warm_up(_algorithm({"algorithm": name, "k": 3, "m": 3}))
    for data in ("bms_webview1", "pos_like"):
        try:
            measure({"data": data, "records": 5000, "algorithm": "apriori", "k": 5, "m": 3, "fanout": 5})
        except InputError:  # no real data: the cases that need them will say so
            continue


def load(parameters: Parameters) -> "SetColumn":
    """Return the records of a case: real data by the catalogue, whole or reduced, or generated ones.

    The reduced sets are made as the paper says: the first records of BMS-WebView-2, the item numbers modulo the
    size of the domain, duplicates within a record removed.

    Raises
    ------
    InputError
        If the real data cannot be found.
    """
    from anonset import SetColumn
    from anonset_datasets import catalogue
    from anonset_datasets.generators import pos_like

    name = parameters["data"]
    table = pos_like(parameters["records"]) if name == "pos_like" else catalogue.load(name)
    column = table.transactions
    if column is None:
        msg = f"data set {name!r} has no set-valued column"
        raise RuntimeError(msg)
    if name == "pos_like" or "items" not in parameters:
        return column
    domain = [str(item) for item in range(parameters["items"])]
    reduced = [str(int(label) % len(domain)) for label in column.vocabulary.labels]
    first, codes = column.indptr[: parameters["records"] + 1].tolist(), column.items.tolist()
    rows = ({reduced[c] for c in codes[a:b]} for a, b in pairwise(first))
    return SetColumn.of(rows, universe=domain)


def _algorithm(parameters: Parameters) -> "Apriori | Direct | Optimal":
    from anonset import Apriori, Direct, Optimal

    known: dict[str, type[Apriori | Direct | Optimal]] = {a.name: a for a in (Apriori, Direct, Optimal)}
    return known[parameters["algorithm"]](k=parameters["k"], m=parameters["m"])


def _warm_up(algorithm: "Apriori | Direct | Optimal") -> float:
    """Run the algorithm on a dense and a sparse tiny table, so that the kernels are compiled or loaded; seconds.

    AA counts pairs by one kernel in dense tables and by another in sparse ones. OA does not, and would look at too
    many cuts of the sparse one.
    """
    import numpy as np

    from anonset import Hierarchy, Optimal, SetColumn

    chosen, random = type(algorithm)(k=3, m=algorithm.m), np.random.default_rng(0)
    began = time.perf_counter()
    for n_records, n_items in ((400, 6),) if isinstance(algorithm, Optimal) else ((400, 6), (40, 60)):
        domain = [str(item) for item in range(n_items)]
        rows = [[domain[i] for i in random.choice(n_items, 5, replace=False)] for _ in range(n_records)]
        column, hierarchy = SetColumn.of(rows, universe=domain), Hierarchy.balanced(domain, 3)
        chosen.recode(_table(column), {column.name: hierarchy})
    return time.perf_counter() - began


def _timed(algorithm: "Apriori | Direct | Optimal", column: "SetColumn", hierarchy: "Hierarchy") -> _Runs:
    """Run the algorithm on fresh tables, so that nothing computed once is kept from run to run."""
    forget_peak()
    seconds = []
    for _ in range(REPEATS):
        table = _table(column)
        began = time.perf_counter()
        result = algorithm.recode(table, {column.name: hierarchy})
        seconds.append(time.perf_counter() - began)
    return _Runs(seconds, peak_mib(), result)


def _table(column: "SetColumn") -> "Table":
    from anonset import SetColumn, Table

    return Table(SetColumn(column.name, column.indptr, column.items, column.vocabulary))


def _verified(column: "SetColumn", cut: Any, model: Any) -> str:
    """Check the result by the verification's own path; return what was covered."""
    from anonset import Table, verify
    from anonset.generalization import apply

    verdict = verify(apply(Table(column), cut), model)
    if verdict.holds is False:
        msg = f"the result does not verify: {verdict}"
        raise RuntimeError(msg)
    return str(verdict.checked["covered"])


def _tree_nodes(algorithm: "Apriori | Direct | Optimal", column: "SetColumn", hierarchy: "Hierarchy") -> int | None:
    """Count the nodes of the tree that the paper's algorithm would hold: for AA, of its last iteration."""
    from benchmarks.experiments.terrovitis2008.tree_size import tree_nodes

    from anonset import Apriori, Table

    if not isinstance(algorithm, Apriori):
        return tree_nodes(column, hierarchy, algorithm.m, limit=TREE_LIMIT)
    cut = hierarchy.leaf_node
    if algorithm.m > 1:
        before = Apriori(k=algorithm.k, m=algorithm.m - 1)
        found: Any = before.recode(Table(column), {column.name: hierarchy}).recoding
        cut = found.image
    return tree_nodes(column, hierarchy, algorithm.m, cut=cut, limit=TREE_LIMIT)
