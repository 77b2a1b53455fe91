"""Measure a run of OA, DA or AA (Terrovitis, Mamoulis, Kalnis, 2008).

A case measures loss and work, or time, or peak memory.
"""

import time
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, cast

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.factors import number_of
from benchmarks.experiments.searches import fresh, require_holds
from benchmarks.experiments.searches import load as load_whole
from benchmarks.memory import forget_peak, peak_mib

if TYPE_CHECKING:
    from anonset import Apriori, Direct, Hierarchy, Optimal, SetColumn

TREE_LIMIT = 1e9
"""Largest number of sets of m nodes in the records for which the nodes of a count-tree are counted."""


def measure(parameters: Parameters) -> Measured:
    """Run a case.

    Parameters
    ----------
    parameters
        ``what``: losses (and work), time, memory or shape. ``data``; except for the shape also ``algorithm``, ``k``,
        ``m``, ``fanout`` and ``order`` (leaf order). Reduced sets: ``records`` and ``items``, and ``sample`` for random
        records instead of the first records. Generated set: ``records``. ``tree``: True to count the nodes of the
        count-tree (default).

    Raises
    ------
    RuntimeError
        If a result does not verify.
    """
    kinds = {"losses": _losses, "time": _time, "memory": _memory, "shape": _shape}
    return kinds[parameters["what"]](parameters)


def compile_kernels() -> None:
    """Fill the cache of compiled kernels."""
    from anonset.errors import InputError

    for name in ("optimal", "direct", "apriori"):
        _warm_up(name, 3)
    shared = {"what": "losses", "k": 5, "m": 3, "fanout": 5, "order": "numeric", "algorithm": "apriori"}
    for data in ("bms_webview1", "pos_like"):
        try:
            measure({**shared, "data": data, "records": 5000})
        except InputError:  # without the real data, the cases report the error
            continue


def _losses(parameters: Parameters) -> Measured:
    """Search once. Return the loss, and the work of the algorithm as printed in the paper."""
    from anonset import ncp
    from anonset.generalization import apply

    column, hierarchy, algorithm = _made(parameters)
    result = algorithm.recode(fresh(column), {column.name: hierarchy})
    bound, cut = hierarchy.bind(column), cast("Any", result.recoding)
    return {
        "ncp": ncp(bound, cut),
        "published": len(cut.nodes),
        "records": bound.n,
        "height": int(hierarchy.depth.max()) + 1,
        "checked": require_holds(apply(fresh(bound), cut), algorithm.model),
        **result.figures,
        **_work(algorithm, bound, hierarchy, result, tree=parameters.get("tree", True)),
    }


def _work(
    algorithm: "Apriori | Direct | Optimal", column: "SetColumn", hierarchy: "Hierarchy", result: Any, *, tree: bool
) -> Measured:
    """Count the insertions into the count-tree and the nodes of the tree.

    For AA, this is the tree of the last iteration.
    """
    from benchmarks.experiments.terrovitis2008.inserted_sets import images_of, sets_by_size
    from benchmarks.experiments.terrovitis2008.tree_size import tree_nodes

    from anonset import Apriori, Optimal

    m, last, lattice = algorithm.m, None, dict[str, int]()
    if isinstance(algorithm, Apriori):
        images = images_of(result.trace, hierarchy, m)[:m]
        inserted = sum(int(sets_by_size(column, hierarchy, i + 1, images[i])[i + 1]) for i in range(m))
        last = images[-1]
    else:
        inserted = int(sets_by_size(column, hierarchy, m)[1:].sum())
    if isinstance(algorithm, Optimal):
        lattice["lattice"] = cuts_of(hierarchy)
    nodes = tree_nodes(column, hierarchy, m, cut=last, limit=TREE_LIMIT) if tree else None
    return {"inserted": inserted, **lattice} | ({} if nodes is None else {"tree_nodes": nodes})


def cuts_of(hierarchy: "Hierarchy") -> int:
    """Return the number of cuts of a hierarchy. A cut is the root, or a combination of cuts of the root's children.

    >>> from anonset import Hierarchy
    >>> cuts_of(Hierarchy.balanced(["a", "b", "c", "d"], 2))
    5
    """
    below = [1] * hierarchy.n_nodes
    for node in range(hierarchy.n_nodes - 1, -1, -1):  # children have higher numbers
        if not hierarchy.is_leaf[node]:
            below[node] = 1 + prod(below[child] for child in hierarchy.children(node))
    return below[0]


def _time(parameters: Parameters) -> Measured:
    column, hierarchy, algorithm = _made(parameters)
    _warm_up(parameters["algorithm"], parameters["m"])
    table = fresh(column)
    began = time.perf_counter()
    algorithm.recode(table, {column.name: hierarchy})
    return {"seconds": time.perf_counter() - began}


def _memory(parameters: Parameters) -> Measured:
    """Return the peak memory of this process during a search, including the data."""
    column, hierarchy, algorithm = _made(parameters)
    _warm_up(parameters["algorithm"], parameters["m"])
    forget_peak()
    algorithm.recode(fresh(column), {column.name: hierarchy})
    return {"peak_mib": peak_mib()}


def _shape(parameters: Parameters) -> Measured:
    column = load(parameters)
    lengths = column.lengths
    return {
        "records": column.n,
        "items": len(column.vocabulary),
        "longest": int(lengths.max()),
        "average": float(lengths.mean()),
    }


def _made(parameters: Parameters) -> "tuple[SetColumn, Hierarchy, Apriori | Direct | Optimal]":
    from benchmarks.experiments.draws import ordered

    from anonset import Hierarchy

    column = load(parameters)
    hierarchy = Hierarchy.balanced(ordered(column, parameters["order"]), parameters["fanout"])
    return column, hierarchy, _algorithm(parameters["algorithm"], parameters["k"], parameters["m"])


def load(parameters: Parameters) -> "SetColumn":
    """Return the records of a case. They are catalogue data, complete or reduced, or generated data.

    As in the paper, a reduced set contains the first records of BMS-WebView-2. Item numbers are taken modulo the domain
    size, and duplicates within a record are removed.

    Raises
    ------
    InputError
        If the real data are missing.
    """
    name = parameters["data"]
    if "items" in parameters:
        return _reduced(name, parameters["records"], parameters["items"], parameters.get("sample", ""))
    return load_whole(name, parameters.get("records") if name == "pos_like" else None)


@lru_cache(maxsize=4)
def _reduced(name: str, records: int, items: int, sample: str) -> "SetColumn":
    """Return the first `records` records, or a random sample of this size.

    Item numbers are taken modulo the domain size.
    """
    from benchmarks.experiments.draws import subsample

    from anonset import SetColumn

    column = load_whole(name)
    if sample:
        column = subsample(column, records, number_of(sample))
    domain = [str(item) for item in range(items)]
    reduced = [str(int(label) % items) for label in column.vocabulary.labels]
    first, codes = column.indptr[: records + 1].tolist(), column.items.tolist()
    return SetColumn.of(({reduced[c] for c in codes[a:b]} for a, b in pairwise(first)), universe=domain)


def _algorithm(name: str, k: int, m: int) -> "Apriori | Direct | Optimal":
    from anonset import Apriori, Direct, Optimal

    known: dict[str, type[Apriori | Direct | Optimal]] = {a.name: a for a in (Apriori, Direct, Optimal)}
    return known[name](k=k, m=m)


@lru_cache
def _warm_up(name: str, m: int) -> None:
    """Run an algorithm on a dense and a sparse tiny table, to compile or load its kernels.

    AA counts pairs with different kernels in dense and sparse tables. OA has only one kernel, and would evaluate too
    many cuts of the sparse table.
    """
    import numpy as np

    from anonset import Hierarchy, SetColumn

    chosen, random = _algorithm(name, 3, m), np.random.default_rng(0)
    for n_records, n_items in ((400, 6),) if name == "optimal" else ((400, 6), (40, 60)):
        domain = [str(item) for item in range(n_items)]
        rows = [[domain[i] for i in random.choice(n_items, 5, replace=False)] for _ in range(n_records)]
        column, hierarchy = SetColumn.of(rows, universe=domain), Hierarchy.balanced(domain, 3)
        chosen.recode(fresh(column), {column.name: hierarchy})
