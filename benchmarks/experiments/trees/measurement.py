"""Measure the utility of a data set that is published with or without a tree."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.searches import algorithm_of, fresh, hierarchy_for, load, warm_up

if TYPE_CHECKING:
    from anonset import Hierarchy, SetColumn
    from anonset.algorithms.base import Algorithm
    from anonset.release.release import Release

MAX_STEPS = 1_000
"""Steps of the exact search for a cut, as by default."""
BUDGET = 10**11
"""Limit of itemset occurrences that verification counts."""
PAIRS = 1_000
"""Number of counted pairs, drawn from records."""
SINGLES = 200
"""Number of most frequent items that are counted."""


def measure(parameters: Parameters) -> Measured:
    """Measure a case. ``what`` selects the kind of measurement, and the kind determines the other parameters."""
    kinds: dict[str, Callable[[Parameters], Measured]] = {"whole": _of_a_way, "halves": _learned_elsewhere}
    return kinds[parameters["what"]](parameters)


def compile_kernels() -> None:
    """Fill the cache of compiled kernels."""
    for name in ("exact", "coat", "set-search"):
        warm_up(algorithm_of(name, {"k": 3, "m": 2}))


def _of_a_way(parameters: Parameters) -> Measured:
    """Publish a data set, and measure losses, errors of counts, and meaning of sets."""
    column, way = load(parameters["data"]), parameters["way"]
    release = _published(column, way, parameters)
    measured = {
        "lm": 1e4 * release.measures["lm"],
        **_errors(column, release),
        "symbols": len(release.publication.symbols),
    }
    if parameters.get("meaning"):
        own = hierarchy_for(column, parameters["data"], None)
        groups = [symbol.members for symbol in release.publication.symbols if len(symbol.members) > 1]
        measured |= {"meaning": apart(own, groups), "meaning_of_chance": apart_by_chance(own, groups)}
    return measured


def _published(column: "SetColumn", way: str, parameters: Parameters) -> "Release":
    import anonset

    algorithm, tree = algorithm_of_a_way(way, parameters)
    trees: dict[str, Any] = {column.name: _spec(tree, parameters["data"])} if tree else {}
    return anonset.anonymize(
        fresh(column), algorithm, hierarchies=trees, accept="worthless", budget=BUDGET, symbols="short"
    )


def algorithm_of_a_way(way: str, parameters: Parameters) -> "tuple[Algorithm, str]":
    """Return the algorithm of a method, and the name of the tree. The name may be empty.

    A method is a tree for `exact`, or an algorithm name followed by a tree or, for `set-search`, a weight. The
    algorithm gets k and m if it has these parameters.
    """
    from dataclasses import fields

    from benchmarks.experiments.trees.once import ExactOnce, SetSearchOnce

    from anonset.algorithms.registry import ALGORITHMS

    k, m, data = parameters["k"], parameters["m"], parameters["data"]
    name, _, given = way.partition(" ")
    if name == "set-search":
        return SetSearchOnce(k=k, m=m, mu=int(given), data=data), ""
    if name in ALGORITHMS:
        asked = {one.name for one in fields(cast("Any", ALGORITHMS[name]))}
        return algorithm_of(name, {key: parameters[key] for key in ("k", "m") if key in asked}), given
    return ExactOnce(k=k, m=m, max_steps=MAX_STEPS, data=data), way


def _spec(way: str, data: str) -> str:
    from anonset_datasets import catalogue

    if not way.startswith("own tree"):
        return way
    return f"{'refine:' if way.endswith('refined') else ''}{catalogue.hierarchy(data)}"


def _errors(column: "SetColumn", release: "Release") -> dict[str, float]:
    """Return the mean relative errors of counts of random pairs, and of the most frequent items."""
    import numpy as np

    from anonset import Table
    from anonset.queries.estimate import ExpectedCounts, TrueCounts
    from anonset.queries.mixed_workload import QueryShape, mixed_record_workload
    from anonset.queries.workload import Query

    labels = column.vocabulary.labels
    frequent = [labels[at] for at in np.argsort(-column.occurrences, kind="stable")[:SINGLES]]
    asked = {"singles": [Query((item,)) for item in frequent]}
    if int(column.lengths.max(initial=0)) > 1:
        asked["pairs"] = list(
            mixed_record_workload(Table(column), PAIRS, QueryShape(n_values=0, n_items=2), seed=1).queries
        )
    true, expected = TrueCounts(column), ExpectedCounts(release.publication)
    found = {}
    for name, queries in asked.items():
        counts = [true.count(query) for query in queries]
        wrong = [abs(expected.count(q) - n) / n for q, n in zip(queries, counts, strict=True) if n]
        found[name] = float(np.mean(wrong))
    return found


def apart(tree: "Hierarchy", groups: Sequence[Sequence[str]]) -> float:
    """Return the mean distance in a tree between members of the same group, from 0 to 1.

    The distance of two neighbouring members in leaf order is (leaves below their lowest common ancestor - 1) divided by
    (leaves of the tree - 1).

    >>> from anonset import Hierarchy
    >>> tree = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> apart(tree, [["a1", "a2"]]), apart(tree, [["a1", "b1"]]), apart(tree, [])
    (0.3333333333333333, 1.0, 0.0)
    """
    index, total, n = tree.leaves.index, 0.0, 0
    for members in groups:
        codes = sorted(index[member] for member in members)
        for code, following in pairwise(codes):
            below = int(tree.n_leaves_below[tree.lowest_common_ancestor([code, following])])
            total, n = total + (below - 1) / (tree.n_leaves - 1), n + 1
    return total / n if n else 0.0


def apart_by_chance(tree: "Hierarchy", groups: Sequence[Sequence[str]], draws: int = 3) -> float:
    """Return the mean distance between members of random groups.

    The groups have the same sizes and contain the same items.
    """
    from anonset.data.split_mix import SplitMix

    items = [member for members in groups for member in members]
    found = []
    for seed in range(draws):
        mixed, drawn, first = [items[at] for at in SplitMix(seed).distinct(len(items), len(items))], [], 0
        for members in groups:
            drawn.append(mixed[first : first + len(members)])
            first += len(members)
        found.append(apart(tree, drawn))
    return sum(found) / draws


def _learned_elsewhere(parameters: Parameters) -> Measured:
    """Make a tree from the first half of the records, and publish the second half with this tree.

    Repeat both steps for several random divisions of the records.

    Returns
    -------
    Medians of four quantities. Three quantities are the LM of the second half. Its tree is made from the second half
    (``own``), made from the first half (``learned``), or `balanced:5`, which ignores frequencies (``base``). The fourth
    is the share of the gain over `balanced:5` that the learned tree preserves (``kept``).
    """
    from statistics import median

    import numpy as np

    from anonset import Hierarchy
    from anonset.data.hierarchies.halves import halves
    from anonset.data.split_mix import SplitMix

    whole, by = load(parameters["data"]), parameters["by"]
    labels, found = whole.vocabulary.labels, dict[str, list[float]]()
    for seed in range(parameters["halves"]):
        first = np.array(sorted(SplitMix(seed).distinct(whole.n, whole.n // 2)), np.int64)
        left, right = whole.take(first), whole.take(np.setdiff1d(np.arange(whole.n), first))
        trees = {
            "own": halves(labels, right.occurrences, by),
            "learned": halves(labels, left.occurrences, by, from_data=False),
            "base": Hierarchy.balanced(labels, 5),
        }
        losses = {name: _lm(right, tree, parameters) for name, tree in trees.items()}
        gain = losses["base"] - losses["own"]
        losses["kept"] = (losses["base"] - losses["learned"]) / gain if gain > 0 else 0.0
        for name, value in losses.items():
            found.setdefault(name, []).append(value)
    return {name: median(values) for name, values in found.items()}


def _lm(column: "SetColumn", tree: "Hierarchy", parameters: Parameters) -> float:
    import anonset

    exact = algorithm_of("exact", {"k": parameters["k"], "m": parameters["m"], "max_steps": MAX_STEPS})
    release = anonset.anonymize(
        fresh(column), exact, hierarchies={column.name: tree}, accept="worthless", budget=BUDGET, symbols="short"
    )
    return 1e4 * release.measures["lm"]
