"""Naive implementation of `anonset.data.hierarchies.halves`: trees built from frequencies, as nested tuples."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

Nested = str | tuple["Nested", "Nested"]


def halved(order: Sequence[str], weight: Mapping[str, int], by: str) -> Nested:
    """Return the nested halves of labels in an order."""
    if len(order) == 1:
        return order[0]
    if by == "number":
        first = -(-len(order) // 2)
    else:
        half = Fraction(sum(weight[label] for label in order), 2)
        upto = [sum(weight[label] for label in order[: i + 1]) for i in range(len(order))]
        first = max(1, min(len(order) - 1, sum(total < half for total in upto)))
    return halved(order[:first], weight, by), halved(order[first:], weight, by)


def halves(occurrences: Mapping[str, int], by: str) -> Nested:
    """Return the tree over labels in canonical order."""
    place = {label: i for i, label in enumerate(occurrences)}
    order = sorted(occurrences, key=lambda label: (-occurrences[label], place[label]))
    return halved(order, {label: max(1, count) for label, count in occurrences.items()}, by)


def leaves(tree: Nested) -> list[str]:
    """Return the labels below a node."""
    return [tree] if isinstance(tree, str) else [*leaves(tree[0]), *leaves(tree[1])]


def inner(tree: Nested) -> list[frozenset[str]]:
    """Return the labels below each inner node."""
    if isinstance(tree, str):
        return []
    return [frozenset(leaves(tree)), *inner(tree[0]), *inner(tree[1])]


def numbered(occurrences: Mapping[str, int], by: str) -> dict[str, frozenset[str]]:
    """Return the labels below each inner node by node name: ``H1``, ... ordered by first label, larger node first."""
    place = {label: i for i, label in enumerate(occurrences)}
    nodes = sorted(inner(halves(occurrences, by)), key=lambda node: (min(place[x] for x in node), -len(node)))
    return {f"H{number}": node for number, node in enumerate(nodes, 1)}
