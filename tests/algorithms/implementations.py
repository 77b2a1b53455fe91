"""A common interface to the naive implementations and the library: plain rows and a tree in, labels out."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Hierarchy, Table
from anonset.errors import InfeasibleError
from anonset.generalization import Cut, apply
from anonset.measures.losses.ncp import ncp_exact
from reference.hierarchy_model import HierarchyModel, Tree
from reference.transaction_algorithms import Fix, Infeasible, Outcome, apriori, direct, optimal, published

Rows = Sequence[Collection[str]]
TWINS: Mapping[str, Callable[[Rows, HierarchyModel, int, int], Outcome]] = {
    "optimal": optimal,
    "direct": direct,
    "apriori": apriori,
}


@dataclass(frozen=True)
class Decision:
    """Result of an implementation, in labels. `fixes` is empty if the algorithm has none."""

    image: dict[str, str]
    rows: list[set[str]]
    fixes: list[Fix]

    def cut(self) -> list[str]:
        """Return the published nodes, in leaf order."""
        return list(dict.fromkeys(self.image.values()))


def library_class(name: str) -> type[Any]:
    """Return the library's algorithm class for a command-line name."""
    from anonset.algorithms.registry import ALGORITHMS

    return ALGORITHMS[name]


def bound_table(rows: Rows, hierarchy: Hierarchy) -> Table:
    """Encode rows as a table whose items are bound to the hierarchy."""
    table = Table.from_sets(rows)
    assert table.transactions is not None
    return table.with_transactions(hierarchy.bind(table.transactions))


def image_of(cut: Cut) -> dict[str, str]:
    """Map each leaf's label to the node's label."""
    labels = cut.hierarchy.labels
    return {labels[leaf]: labels[node] for leaf, node in zip(cut.hierarchy.leaf_node, cut.image, strict=True)}


def published_rows(table: Table, result: Result) -> list[set[str]]:
    """Apply a result's recoding, and return the published sets of symbols."""
    column = apply(table, result.recoding).transactions
    assert column is not None
    return [set(row) for row in column.rows()]


def fixes_of(result: Result) -> list[Fix]:
    """Return a trace of fixes as plain tuples."""
    return [(fix.itemset, fix.support, fix.rules) for fix in result.trace]


def run_twin(name: str, rows: Rows, tree: Tree, k: int, m: int) -> Decision | None:
    """Run a naive implementation. Return None if it is infeasible."""
    try:
        outcome = TWINS[name](rows, HierarchyModel(tree), k, m)
    except Infeasible:
        return None
    return Decision(outcome.image, published(rows, outcome.image), outcome.fixes)


def run_library(name: str, rows: Rows, tree: Tree, k: int, m: int) -> Decision | None:
    """Run the library's algorithm. Return None if it is infeasible."""
    hierarchy = Hierarchy.from_tree(tree)
    table = bound_table(rows, hierarchy)
    algorithm: Algorithm = library_class(name)(k=k, m=m)
    try:
        result = algorithm.recode(table, {"items": hierarchy})
    except InfeasibleError:
        return None
    assert isinstance(result.recoding, Cut)
    assert result.recoding.image.dtype == np.int32
    fixes = [] if name == "optimal" else fixes_of(result)
    return Decision(image_of(result.recoding), published_rows(table, result), fixes)


IMPLEMENTATIONS = {"twin": run_twin, "library": run_library}


def library_ncp(rows: Rows, tree: Tree, image: Mapping[str, str]) -> Fraction:
    """Return the library's loss of a recoding given in labels."""
    hierarchy = Hierarchy.from_tree(tree)
    nodes = [hierarchy.node_of[image[leaf]] for leaf in hierarchy.leaves.labels]
    column = bound_table(rows, hierarchy).transactions
    assert column is not None
    return ncp_exact(column, Cut(hierarchy, np.array(nodes, np.int32)))
