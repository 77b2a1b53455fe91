"""Naive implementations of HgHs and mHgHs (Liu and Wang 2010), and of greedy suppression for coherence."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from reference.hierarchy_model import HierarchyModel
from reference.transaction_algorithms import is_antichain

Rows = Sequence[Collection[str]]
Threat = frozenset[str]


@dataclass
class Scenario:
    """A cut in preorder, its suppressed nodes, and the loss LM (absolute)."""

    cut: tuple[str, ...]
    suppressed: tuple[str, ...]
    cost: Fraction


def support(nodes: Iterable[str], rows: Rows, tree: HierarchyModel) -> int:
    """Count the records that have a leaf below every node."""
    wanted = [set(tree.below[v]) for v in nodes]
    return sum(1 for row in rows if all(below & set(row) for below in wanted))


def minimal_threats(nodes: Iterable[str], rows: Rows, tree: HierarchyModel, k: int, m: int) -> set[Threat]:
    """Return the minimal rare antichains of at most m of the nodes."""
    result: set[Threat] = set()
    usable = list(nodes)
    for size in range(1, m + 1):
        for candidate in map(frozenset, combinations(usable, size)):
            if (
                is_antichain(candidate, tree)
                and 0 < support(candidate, rows, tree) < k
                and not any(threat < candidate for threat in result)
            ):
                result.add(candidate)
    return result


def occurrences(node: str, rows: Rows, tree: HierarchyModel) -> int:
    """Count the original occurrences of the items below a node."""
    return sum(1 for row in rows for item in row if item in tree.below[node])


def evaluate(
    cut: Sequence[str], rows: Rows, tree: HierarchyModel, k: int, m: int, leaves: Mapping[str, int] | None = None
) -> Scenario:
    """Suppress rare nodes of a cut in descending order of cost. Return the total cost."""
    size = leaves or {v: len(tree.below[v]) for v in tree.nodes}
    top = size[tree.root]
    occurs = {v: occurrences(v, rows, tree) for v in cut}
    threats = minimal_threats(cut, rows, tree, k, m)
    head: set[str] = set()
    for node in sorted(cut, key=lambda v: (-occurs[v] * (top - size[v]), -occurs[v], tree.pre[v])):
        if not any(threat <= head | {node} for threat in threats):
            head.add(node)
    suppressed = [v for v in cut if v not in head]
    cost = sum(occurs[v] * (size[v] - 1) for v in cut) + sum(occurs[v] * (top - size[v]) for v in suppressed)
    return Scenario(tuple(cut), tuple(suppressed), Fraction(cost, top - 1) if top > 1 else Fraction(0))


def children_of_cut(cut: Sequence[str], tree: HierarchyModel, bottom: Collection[str] = ()) -> list[tuple[str, ...]]:
    """Return the cuts with one node replaced by its children. `bottom` nodes are not replaced."""
    return [
        tuple(sorted({*cut, *tree.children[v]} - {v}, key=tree.pre.__getitem__))
        for v in cut
        if tree.children[v] and v not in bottom
    ]


def hghs(
    rows: Rows,
    tree: HierarchyModel,
    k: int,
    m: int,
    bottom: Collection[str] = (),
    leaves: Mapping[str, int] | None = None,
) -> Scenario:
    """Descend from the root while the best child of the cut costs strictly less."""
    best = evaluate([tree.root], rows, tree, k, m, leaves)
    while True:
        children = [evaluate(c, rows, tree, k, m, leaves) for c in children_of_cut(best.cut, tree, bottom)]
        better = min(children, key=lambda s: s.cost, default=best)
        if better.cost >= best.cost:
            return best
        best = better


def mhghs(rows: Rows, tree: HierarchyModel, k: int, m: int, cost: str = "original") -> list[Scenario]:
    """Return the result of each round."""
    rounds: list[Scenario] = []
    bottom: Collection[str] = tree.leaves
    for size in range(1, max(1, min(m, max(map(len, rows), default=0))) + 1):
        leaves = None
        if cost == "reduced":
            leaves = {v: max(1, sum(1 for b in bottom if v in tree.chain[b])) for v in tree.nodes}
        rounds.append(hghs(rows, tree, k, size, bottom, leaves))
        bottom = rounds[-1].cut
    return rounds


# --- suppression for (h, k, p)-coherence ------------------------------------------------------------


def is_mole(beta: Collection[str], rows: Rows, private: Collection[str], h: Fraction, k: int) -> bool:
    """Return True if a supported set of public items is too rare, or discloses a private item."""
    cohort = [row for row in rows if set(beta) <= set(row)]
    if not cohort:
        return False
    worst = max((sum(1 for row in cohort if e in row) for e in private), default=0)
    return len(cohort) < k or Fraction(worst, len(cohort)) > h


def moles(rows: Rows, public: Sequence[str], private: Collection[str], h: Fraction, k: int, p: int) -> list[set[str]]:
    """Return the minimal moles of up to p public items."""
    result: list[set[str]] = []
    for size in range(1, p + 1):
        for beta in map(set, combinations(public, size)):
            if not any(mole < beta for mole in result) and is_mole(beta, rows, private, h, k):
                result.append(beta)
    return result


def coherence_suppression(
    rows: Rows,
    order: Sequence[str],
    private: Collection[str],
    h: Fraction,
    k: int,
    p: int,
    item_loss: Mapping[str, Fraction] | None = None,
) -> list[str]:
    """Return the suppressed items: single-item moles by position, then the greedy choices in order."""
    public = [item for item in order if item not in private]
    result = moles(rows, public, private, h, k, 1)
    suppressed = [item for item in public if {item} in result]
    left = [item for item in public if item not in suppressed]
    remaining = moles([set(row) - set(suppressed) for row in rows], left, private, h, k, p)
    loss = {item: Fraction(sum(1 for row in rows if item in row)) for item in public}
    if item_loss is not None:
        loss = {item: item_loss.get(item, Fraction(1)) for item in public}
    while remaining:
        victim = max(
            (item for item in left if any(item in mole for mole in remaining)),
            key=lambda item: (
                sum(1 for mole in remaining if item in mole) / loss[item],
                list(order).index(item),
            ),
        )
        suppressed.append(victim)
        remaining = [mole for mole in remaining if victim not in mole]
    return suppressed


def is_coherent(rows: Rows, private: Collection[str], h: Fraction, k: int, p: int) -> bool:
    """Return True if no set of up to p public items is a mole."""
    public = sorted({item for row in rows for item in row if item not in private})
    return not any(
        is_mole(beta, rows, private, h, k) for size in range(1, p + 1) for beta in combinations(public, size)
    )
