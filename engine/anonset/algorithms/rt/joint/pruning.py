"""Cost-complexity pruning of a grown tree for all weights (as in CART, Breiman et al. 1984, chapter 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any

from anonset.algorithms.rt.joint.growth import WHOLE, Losses, Tree
from anonset.data.redacted_repr import RedactedRepr


@dataclass(frozen=True)
class Pruning(RedactedRepr):
    """A pruned tree and the weight for which it is optimal."""

    w: float
    """Weight of the relational loss, from 0 to 1: the largest that results in this tree."""
    clusters: int
    relational_ncp: float
    item_loss: float
    """Estimated item loss. The estimate is the one that guides the growth of the tree."""


_APART = 1 / 200
"""Minimum difference in relational loss between two displayed prunings."""


def shown_frontier(trace: Sequence[Any]) -> tuple[Pruning, ...]:
    """Return the prunings in a trace, from the most to the fewest leaves. Empty if another algorithm ran.

    Of prunings whose relational losses differ by less than 1/200, only the first is returned.
    """
    shown: list[Pruning] = []
    for point in trace:
        if isinstance(point, Pruning) and not (shown and point.relational_ncp - shown[-1].relational_ncp < _APART):
            shown.append(point)
    return tuple(shown)


def frontier(tree: Tree, losses: Losses, w: int) -> list[Pruning]:
    """Return all prunings of a tree grown for the weight w, from the complete tree to the root."""
    steps = _weakest_links(tree, losses)
    points, at_most = [], w
    for number, (_, clusters, relational, items) in enumerate(steps):
        above = steps[number + 1][0] if number + 1 < len(steps) else Fraction(-1)
        if at_most > above:  # skip prunings that no weight with 6 decimals results in
            share = relational / losses.relational_unit, items / losses.items_unit
            points.append(Pruning(at_most / WHOLE, clusters, *share))
        at_most = min(at_most, int(above // 1)) if above >= 0 else -1
        if at_most < 0:
            break
    return points


def _weakest_links(tree: Tree, losses: Losses) -> list[tuple[Fraction, int, int, int]]:
    """Return the largest weight in millionths, the leaf count, and the losses of each pruning."""
    nodes, children = tree.nodes, tree.children
    parent = [-1] * len(nodes)
    relational, items = [node.relational for node in nodes], [node.items for node in nodes]
    leaves = [1] * len(nodes)
    for number in reversed(range(len(nodes))):
        if (halves := children[number]) is not None:
            for total in (relational, items, leaves):
                total[number] = total[halves[0]] + total[halves[1]]
            for child in halves:
                parent[child] = number

    def link(number: int) -> Fraction:
        gain = (nodes[number].relational - relational[number]) * losses.items_unit
        return Fraction((items[number] - nodes[number].items) * losses.relational_unit, gain)

    current = {number: link(number) for number in range(len(nodes)) if children[number] is not None}
    heap = [(-ratio, number) for number, ratio in current.items()]
    heapify(heap)
    steps = [(Fraction(WHOLE), leaves[0], relational[0], items[0])]
    while heap:
        ratio, number = heappop(heap)
        if current.get(number) != -ratio:
            continue
        _forget_below(tree, number, current)
        gains = nodes[number].relational - relational[number], nodes[number].items - items[number], 1 - leaves[number]
        above = number
        while above >= 0:
            for total, gain in zip((relational, items, leaves), gains, strict=True):
                total[above] += gain
            if above in current:
                current[above] = link(above)
                heappush(heap, (-current[above], above))
            above = parent[above]
        weight = WHOLE * -ratio / (1 - ratio) if ratio < 1 else Fraction(-1)
        if steps[-1][0] == weight:
            steps.pop()
        steps.append((weight, leaves[0], relational[0], items[0]))
    return steps


def _forget_below(tree: Tree, top: int, current: dict[int, Fraction]) -> None:
    waiting = [top]
    while waiting:
        number = waiting.pop()
        current.pop(number, None)
        if (halves := tree.children[number]) is not None:
            waiting += [child for child in halves if child in current]
