"""Measuring one run of COAT, PCTA, AA or Pgen: time, memory, losses by three measures, errors of queries."""

from math import isfinite
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.searches import (
    algorithm_of,
    fresh,
    hierarchy_for,
    load,
    require_holds,
    timed,
    timed_algorithm,
    warm_up,
)

if TYPE_CHECKING:
    from anonset import Hierarchy, SetColumn
    from anonset.generalization import Publication
    from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
    from anonset.queries import Workload

QUERIES = 1000
SEED = 1
DISORDERS = 20
CODES_OF_DISORDER = (5, 10)
"""Smallest and largest number of codes of a disorder."""
FREQUENT = 0.1
"""Part of the records that hold a combination of the frequent workload."""


def measure(parameters: Parameters) -> Measured:
    """Run one case.

    Parameters
    ----------
    parameters
        ``data``, and ``records`` where not all are taken. ``algorithm``: ``coat``, ``pcta`` or ``apriori`` with
        ``k``, ``m`` or ``privacy`` (PP1 to PP9, or ``pgen``), ``utility`` (size of the groups, ``disorders`` or ``rare
        disorders``), ``max_suppressed`` and ``fanout``; ``pgen`` with ``k``; or ``describe``, or ``policy`` with
        ``privacy``.

    Raises
    ------
    RuntimeError
        If the result does not verify.
    """
    column = load(parameters["data"], parameters.get("records"))
    if parameters["algorithm"] == "describe":
        return _described(column)
    if parameters["algorithm"] == "policy":
        return _shares(_policy(parameters["privacy"], column, 5))
    if parameters["algorithm"] == "pgen":
        return _generated(column, parameters["k"])
    return _recoded(parameters, column)


def compile_kernels() -> None:
    """Fill the cache of compiled kernels, and read the real data once."""
    from anonset.errors import InputError

    base = {"fanout": 5, "k": 5}
    for case in (
        {"algorithm": "coat", "m": 2},
        {"algorithm": "coat", "m": 3},
        {"algorithm": "pcta", "m": 3},
        {"algorithm": "apriori", "m": 3},
        {"algorithm": "coat", "privacy": "PP6"},
        {"algorithm": "pgen"},
    ):
        try:
            measure({"data": "bms_webview1", **base, **case})
        except InputError:  # no real data: the cases will say so
            return


def _recoded(parameters: Parameters, column: "SetColumn") -> Measured:
    from anonset.errors import InfeasibleError
    from anonset.generalization import apply
    from anonset.measures.occurrences import local_ncp
    from anonset.measures.utility_loss import group_weights, weighted_utility_loss

    hierarchy = hierarchy_for(column, parameters["data"], parameters["fanout"])
    column = hierarchy.bind(column)
    chosen = {"k": parameters["k"]} | {name: parameters[name] for name in ("m", "max_suppressed") if name in parameters}
    utility = _utility(parameters.get("utility"), column, hierarchy)
    if utility is not None and parameters["algorithm"] != "apriori":
        chosen["utility"] = utility
    if "privacy" in parameters:
        chosen["constraints"] = _policy(parameters["privacy"], column, parameters["k"])
    _warm_up(parameters)
    algorithm = algorithm_of(parameters["algorithm"], chosen)
    try:
        runs = timed_algorithm(algorithm, column, hierarchy)
    except InfeasibleError as error:
        return {"refused": 1, "needed": error.achieved, "allowed": error.bound, "reason": str(error)}
    recoding: Any = runs.found.recoding
    publication = apply(fresh(column), recoding)
    loss = weighted_utility_loss(column, recoding, group_weights("lca", column.vocabulary, hierarchy))
    measured = {
        **runs.measured,
        "refused": 0,
        "ncp": local_ncp(column, recoding),
        "published": len(publication.symbols),
        "suppressed": _n_suppressed(recoding) / len(column.vocabulary),
        "checked": require_holds(publication, algorithm.model),
        **_errors(parameters, column, publication),
    }
    if isfinite(loss.generalization_log2):
        measured["ul_log2"] = loss.generalization_log2 + len(column.vocabulary)  # 2^M UL: UL itself underflows
    if utility is not None:
        measured["utility_violated"] = _n_violated(publication, utility)
    if "constraints" in chosen:
        measured["constraints"] = len(chosen["constraints"])
    return measured


def _errors(parameters: Parameters, column: "SetColumn", publication: "Publication") -> dict[str, float]:
    """Measure the average relative errors of the workloads, and how many of their queries have an answer."""
    from anonset.queries import domain_workload, published_workload, record_workload

    found: dict[str, float] = {}

    def ask(name: str, workload: "Workload") -> None:
        from anonset.measures.query_error import average_relative_error

        error = average_relative_error(column, publication, workload)
        found[f"answered_{name}"] = error.answered
        if error.answered:
            found[f"are_{name}"] = error.average

    for q in parameters.get("queries", (1, 3)):
        ask(f"record_q{q}", record_workload(column, QUERIES, q, SEED))
        if len(publication.symbols) >= q:
            ask(f"own_q{q}", published_workload(column, publication, QUERIES, q, SEED))
    ask("domain_q1", domain_workload(column, QUERIES, 1, SEED))
    if parameters.get("frequent"):
        ask("frequent", _frequent_workload(column))
    return found


def _frequent_workload(column: "SetColumn") -> "Workload":
    """Return a query for each combination of up to three items that a tenth of the records hold."""
    from itertools import combinations

    from anonset import SupportIndex
    from anonset.queries import Workload

    index, least = SupportIndex(column), FREQUENT * column.n
    labels = column.vocabulary.labels
    often = [code for code in range(len(labels)) if column.occurrences[code] >= least]
    sets = [c for size in (1, 2, 3) for c in combinations(often, size) if index.support(list(c)) >= least]
    return Workload.of([[labels[code] for code in codes] for codes in sets])


def _policy(name: str, column: "SetColumn", k: int) -> "PrivacyPolicy":
    from anonset.algorithms.transaction.pgen import generate_constraints
    from anonset.privacy.policies import random_policy

    return generate_constraints(column, k) if name == "pgen" else random_policy(name, column.vocabulary, seed=SEED)


def _utility(name: Any, column: "SetColumn", hierarchy: "Hierarchy") -> "UtilityPolicy | None":
    from anonset.privacy.policies import groups_of_siblings

    if name is None:
        return None
    if isinstance(name, int):
        return groups_of_siblings(column.vocabulary, name)
    return _disorders(column, hierarchy, rare=name == "rare disorders")


def _disorders(column: "SetColumn", hierarchy: "Hierarchy", *, rare: bool) -> "UtilityPolicy":
    """Return the sub-chapters of few codes that occur most (or least), each a group, and a group of other codes."""
    import numpy as np

    from anonset.privacy.policies import UtilityPolicy

    least, most = CODES_OF_DISORDER
    n_leaves, before = hierarchy.n_leaves_below, np.concatenate([[0], np.cumsum(column.occurrences)])
    occurring = before[hierarchy.leaf_hi] - before[hierarchy.leaf_lo]
    fits = (hierarchy.depth == 2) & (n_leaves >= least) & (n_leaves <= most) & (occurring > 0)
    nodes = np.flatnonzero(fits)
    nodes = nodes[np.lexsort((nodes, -occurring[nodes]))]
    nodes = nodes[-DISORDERS:] if rare else nodes[:DISORDERS]
    labels = hierarchy.leaves.labels
    groups = (labels[hierarchy.leaf_lo[v] : hierarchy.leaf_hi[v]] for v in nodes)
    return UtilityPolicy.of(groups).completed(hierarchy.leaves)


def _n_violated(publication: "Publication", utility: "UtilityPolicy") -> int:
    """Return the number of utility constraints of which some item is published together with one of another."""
    group_of = {item: number for number, group in enumerate(utility.groups) for item in group}
    spanned = [{group_of[item] for item in symbol.members} for symbol in publication.symbols]
    return len(set().union(*[groups for groups in spanned if len(groups) > 1]))


def _n_suppressed(recoding: Any) -> int:
    image = recoding.image if hasattr(recoding, "image") else recoding.group
    return int((image < 0).sum())


def _warm_up(parameters: Parameters) -> float:
    from anonset.privacy.policies import PrivacyPolicy

    chosen: dict[str, Any] = {"k": 3}
    if "privacy" in parameters:
        chosen["constraints"] = PrivacyPolicy.of([["0", "1", "2"], ["3", "4"]])
    else:
        chosen["m"] = parameters["m"]
    return warm_up(algorithm_of(parameters["algorithm"], chosen))


def _generated(column: "SetColumn", k: int) -> Measured:
    import numpy as np

    from anonset.algorithms.transaction.pgen import generate_constraints

    generate_constraints(column.take(np.arange(50)), k)
    runs = timed(lambda table: generate_constraints(_items(table), k), column)
    lengths = [len(itemset) for itemset in runs.found.itemsets]
    return {**runs.measured, "constraints": len(lengths), "longest_constraint": max(lengths, default=0)}


def _items(table: Any) -> "SetColumn":
    column: SetColumn = table.transactions
    return column


def _described(column: "SetColumn") -> Measured:
    return {
        "records": column.n,
        "items": int((column.occurrences > 0).sum()),
        "longest": int(column.lengths.max()),
        "average": float(column.lengths.mean()),
    }


def _shares(policy: "PrivacyPolicy") -> Measured:
    sizes = [len(itemset) for itemset in policy.itemsets]
    shares = {f"percent_of_{size}": 100 * sizes.count(size) / len(sizes) for size in (1, 2, 3, 4)}
    return {**shares, "constraints": len(sizes)}
