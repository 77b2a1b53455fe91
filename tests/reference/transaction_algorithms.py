"""Naive implementations of OA, DA and AA of Terrovitis, Mamoulis and Kalnis (VLDB 2008).

Records are sets of leaf labels, a recoding is a dictionary from leaf to node label, and the count-tree is a dictionary
of label tuples in rank order.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product

from reference.hierarchy_model import HierarchyModel
from reference.measures import item_ncp, ncp_numerator

Rows = Sequence[Collection[str]]
Image = dict[str, str]
Path = tuple[str, ...]
Fix = tuple[Path, int, Path]
"""Itemset in rank order, its support, and the new nodes in preorder."""


class Infeasible(Exception):  # noqa: N818
    """Only 1 to k - 1 records are non-empty."""


@dataclass
class Outcome:
    """Resulting recoding, the fixes in order, and the number of examined cuts (OA)."""

    image: Image
    fixes: list[Fix] = field(default_factory=list)
    examined: int = 0


def published(rows: Rows, image: Mapping[str, str]) -> list[set[str]]:
    """Return the records with every item replaced by its node."""
    return [{image[item] for item in row} for row in rows]


def is_km(rows: Rows, k: int, m: int) -> bool:
    """Return True if every set of at most m symbols occurs in at least k records or in none."""
    counts: Counter[Path] = Counter()
    for row in rows:
        for size in range(1, min(m, len(row)) + 1):
            counts.update(combinations(sorted(row), size))
    return all(count >= k for count in counts.values())


def refuse_if_infeasible(rows: Rows, k: int) -> None:
    """Raise Infeasible if 1 to k - 1 records are non-empty."""
    if 0 < sum(1 for row in rows if row) < k:
        raise Infeasible


# --- the count-tree -------------------------------------------------------------------------------


def node_supports(rows: Rows, tree: HierarchyModel) -> Counter[str]:
    """Count, for each node, the records with a leaf below it."""
    return Counter(node for row in rows for node in {v for item in row for v in tree.chain[item]})


def ranks(rows: Rows, tree: HierarchyModel) -> dict[str, int]:
    """Rank all nodes except the root by descending support, then preorder."""
    support = node_supports(rows, tree)
    order = sorted(tree.nodes[1:], key=lambda v: (-support[v], tree.pre[v]))
    return {node: rank for rank, node in enumerate(order)}


def expansion(row: Collection[str], tree: HierarchyModel, rank: Mapping[str, int]) -> list[str]:
    """Return the record's items and their ancestors below the root, in rank order."""
    return sorted({v for item in row for v in tree.chain[item] if v != tree.root}, key=rank.__getitem__)


def is_antichain(nodes: Iterable[str], tree: HierarchyModel) -> bool:
    """Return True if no node is an ancestor of another."""
    return not any(tree.strictly_above(a, b) or tree.strictly_above(b, a) for a, b in combinations(nodes, 2))


def count_tree(
    rows: Rows, tree: HierarchyModel, sizes: Iterable[int], allowed: Collection[str] | None = None
) -> dict[Path, int]:
    """Count every antichain of the given sizes in the expanded records, in preorder of the count-tree.

    With `allowed`, first remove all other nodes from the expansions.
    """
    rank = ranks(rows, tree)
    wanted = list(sizes)
    counts: Counter[Path] = Counter()
    for row in rows:
        nodes = [v for v in expansion(row, tree, rank) if allowed is None or v in allowed]
        for size in wanted:
            counts.update(path for path in combinations(nodes, size) if is_antichain(path, tree))
    return {path: counts[path] for path in sorted(counts, key=lambda path: [rank[v] for v in path])}


def expanded_count_tree(rows: Rows, tree: HierarchyModel, m: int) -> list[tuple[Path, int]]:
    """Return the complete count-tree of sets of at most m nodes, in preorder, with its counts."""
    return list(count_tree(rows, tree, range(1, m + 1)).items())


# --- the shared step ------------------------------------------------------------------------------


def generalized(node: str, image: Mapping[str, str], tree: HierarchyModel) -> bool:
    """Return True if the leaves below a node are published as a strict ancestor of the node."""
    return any(tree.strictly_above(image[leaf], node) for leaf in tree.below[node])


def maximal(nodes: Iterable[str], tree: HierarchyModel) -> set[str]:
    """Return the nodes without a strict ancestor among them."""
    result = set(nodes)
    return {v for v in result if not any(tree.strictly_above(other, v) for other in result)}


def fix(itemset: Path, image: Image, rows: Rows, tree: HierarchyModel, k: int) -> tuple[Image, Path]:
    """Make an itemset frequent at the least loss. Return the new recoding and the new nodes."""
    expanded = [{v for item in row for v in tree.chain[item]} for row in rows]
    best: tuple[tuple[int, int, list[int]], Image, Path] | None = None
    for choice in product(*(tree.chain[v] for v in itemset)):
        nodes = maximal(choice, tree)
        rules = sorted(nodes - set(itemset), key=tree.pre.__getitem__)
        if not rules or sum(1 for nodes_of_row in expanded if nodes <= nodes_of_row) < k:
            continue
        new = dict(image) | {leaf: rule for rule in rules for leaf in tree.below[rule]}
        changed = sum(1 for leaf in tree.leaves if new[leaf] != image[leaf])
        key = (ncp_numerator(rows, new, tree), changed, sorted(tree.pre[v] for v in nodes))
        if best is None or key < best[0]:
            best = key, new, tuple(rules)
    if best is None:
        raise Infeasible
    return best[1], best[2]


def identity(tree: HierarchyModel) -> Image:
    """Return the map of every leaf to itself."""
    return {leaf: leaf for leaf in tree.leaves}


# --- the algorithms -------------------------------------------------------------------------------


def optimal(rows: Rows, tree: HierarchyModel, k: int, m: int) -> Outcome:
    """OA searches breadth-first from the leaf cut. It returns the first k^m-anonymous cut of least loss."""
    refuse_if_infeasible(rows, k)
    bottom = tuple(tree.leaves)
    if not any(rows):
        return Outcome(identity(tree))
    queue, seen, closed = deque([bottom]), {bottom}, set[Path]()
    best: tuple[int, Path] | None = None
    examined = 0
    while queue:
        cut = queue.popleft()
        if cut in closed:
            continue
        examined += 1
        above = []
        for node in tree.nodes:
            children = tree.children[node]
            if children and all(child in cut for child in children):
                above.append(tuple(sorted({*cut, node} - {*children}, key=tree.pre.__getitem__)))
        image = tree.image(cut)
        if is_km(published(rows, image), k, m):
            closed.update(above)
            loss = ncp_numerator(rows, image, tree)
            if best is None or loss < best[0]:
                best = loss, cut
        else:
            fresh = [c for c in above if c not in closed and c not in seen]
            seen.update(fresh)
            queue.extend(fresh)
    if best is None:
        raise Infeasible
    return Outcome(tree.image(best[1]), examined=examined)


def brute_force(rows: Rows, tree: HierarchyModel, k: int, m: int) -> Fraction:
    """Return the least loss of all k^m-anonymous cuts."""
    refuse_if_infeasible(rows, k)
    images = [tree.image(cut) for cut in tree.cuts()]
    return min(item_ncp(rows, image, tree) for image in images if is_km(published(rows, image), k, m))


def direct(rows: Rows, tree: HierarchyModel, k: int, m: int) -> Outcome:
    """DA: walk the complete count-tree once, and fix each infrequent leaf that is not generalized yet."""
    refuse_if_infeasible(rows, k)
    counts = count_tree(rows, tree, range(1, m + 1))
    extended = {path[:-1] for path in counts}
    return _walk({p: n for p, n in counts.items() if p not in extended}, Outcome(identity(tree)), rows, tree, k)


def apriori(rows: Rows, tree: HierarchyModel, k: int, m: int) -> Outcome:
    """AA: the itemsets of one size at a time, over the nodes that are not generalized yet."""
    refuse_if_infeasible(rows, k)
    outcome = Outcome(identity(tree))
    for size in range(1, m + 1):
        allowed = {v for v in tree.nodes if not generalized(v, outcome.image, tree)}
        outcome = _walk(count_tree(rows, tree, [size], allowed), outcome, rows, tree, k)
    return outcome


def _walk(counts: Mapping[Path, int], outcome: Outcome, rows: Rows, tree: HierarchyModel, k: int) -> Outcome:
    """Generalize, in the order of `counts`, each itemset with support below k and no generalized member."""
    for itemset, support in counts.items():
        if support < k and not any(generalized(v, outcome.image, tree) for v in itemset):
            outcome.image, rules = fix(itemset, outcome.image, rows, tree, k)
            outcome.fixes.append((itemset, support, rules))
    return outcome
