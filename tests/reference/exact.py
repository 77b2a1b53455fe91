"""Naive implementation of the exact k^m cut. It enumerates every recoding, and checks each rare set and its clauses."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product

from reference.hierarchy_model import HierarchyModel
from reference.measures import item_ncp
from reference.suppression import support
from reference.transaction_algorithms import Infeasible, Rows, is_antichain, is_km

Recoding = Mapping[str, str | None]
"""Published node of each leaf. None if suppressed."""


def recodings(tree: HierarchyModel, *, suppress: bool) -> list[Recoding]:
    """Return every recoding by an antichain of nodes. With `suppress`, leaves outside the antichain are suppressed."""

    def below(node: str) -> list[dict[str, str | None]]:
        result: list[dict[str, str | None]] = [dict.fromkeys(tree.below[node], node)]
        if not tree.children[node]:
            return [*result, {node: None}] if suppress else result
        for choice in product(*map(below, tree.children[node])):
            result.append({leaf: to for part in choice for leaf, to in part.items()})
        return result

    return list(below(tree.root))


def published(rows: Rows, recoding: Recoding) -> list[set[str]]:
    """Return the records with every item replaced by its node, without suppressed items."""
    return [{node for item in row if (node := recoding[item]) is not None} for row in rows]


def least_loss(rows: Rows, tree: HierarchyModel, k: int, m: int, *, suppress: bool) -> Fraction:
    """Return the least NCP of all k^m-anonymous recodings.

    Raises
    ------
    Infeasible
        If there is none.
    """
    losses = [
        item_ncp(rows, recoding, tree)
        for recoding in recodings(tree, suppress=suppress)
        if is_km(published(rows, recoding), k, m)
    ]
    if not losses:
        raise Infeasible
    return min(losses)


def rare_sets(rows: Rows, tree: HierarchyModel, k: int, size: int) -> list[tuple[str, ...]]:
    """Return the sets of unrelated nodes contained in 1 to k - 1 records. Members are ordered from left to right."""
    return [
        nodes
        for nodes in combinations(tree.nodes, size)
        if is_antichain(nodes, tree) and 0 < support(nodes, rows, tree) < k
    ]


def maximal(sets: Sequence[tuple[str, ...]], tree: HierarchyModel) -> list[tuple[str, ...]]:
    """Return the rare sets in which no member can be replaced by its parent."""
    known = set(sets)
    return [
        nodes
        for nodes in sets
        if not any(
            tuple(tree.parent[v] if v == member else v for v in nodes) in known
            for member in nodes
            if tree.parent[member] is not None
        )
    ]


def meeting(tree: HierarchyModel, node: str, other: str) -> str:
    """Return the lowest common ancestor of two nodes."""
    return next(v for v in tree.chain[node] if v in tree.chain[other])


def clause_value(nodes: Sequence[str], leaves: Sequence[str], recoding: Recoding, tree: HierarchyModel) -> int:
    """Return the left side of the clause, for a recoding, of a rare set and the leaves of a record that contains the
    set.
    """

    def closed(node: str | None) -> int:
        return int(node is not None and all(recoding[leaf] in tree.chain[node] for leaf in tree.below[node]))

    value = sum(recoding[leaf] is None for leaf in leaves) + sum(closed(tree.parent[v]) for v in nodes)
    return value - sum(closed(meeting(tree, v, w)) for v, w in pairwise(nodes))


def witnesses(nodes: Sequence[str], rows: Rows, tree: HierarchyModel) -> Iterator[tuple[str, ...]]:
    """Yield the leaves by which records contain a set of nodes, a leaf per node."""
    for row in rows:
        yield from product(*([leaf for leaf in tree.below[v] if leaf in row] for v in nodes))
