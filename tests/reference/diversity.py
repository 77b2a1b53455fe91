"""Naive implementations of l^m-diverse apriori anonymization, and of the diversity checks."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, product

from reference.hierarchy_model import HierarchyModel
from reference.measures import ncp_numerator
from reference.transaction_algorithms import (
    Fix,
    Image,
    Infeasible,
    Path,
    expansion,
    generalized,
    identity,
    is_antichain,
    maximal,
    ranks,
)

Rows = Sequence[Collection[str]]


def is_good(cohort: Rows, sensitive: Collection[str], k: int, diversity: int) -> bool:
    """Return True if a cohort is empty, or has k records and no sensitive item in more than one of l records."""
    if not cohort:
        return True
    return len(cohort) >= k and all(diversity * sum(1 for row in cohort if s in row) <= len(cohort) for s in sensitive)


def cohort_of(nodes: Collection[str], rows: Rows, tree: HierarchyModel) -> list[Collection[str]]:
    """Return the records with a leaf below every node."""
    return [row for row in rows if all(set(row) & set(tree.below[v]) for v in nodes)]


def is_diverse(published: Rows, sensitive: Collection[str], k: int, diversity: int, m: int) -> bool:
    """Return True if every cohort of up to m published non-sensitive symbols is good."""
    symbols = sorted({s for row in published for s in row} - set(sensitive))
    return all(
        is_good([row for row in published if set(chosen) <= set(row)], sensitive, k, diversity)
        for size in range(m + 1)
        for chosen in combinations(symbols, size)
    )


def lm_apriori(
    rows: Rows, tree: HierarchyModel, sensitive: Collection[str], k: int, diversity: int, m: int
) -> tuple[Image, list[Fix]]:
    """Repeatedly process the itemsets of the current cut until a pass changes no node."""
    if not is_good(rows, sensitive, k, diversity):
        raise Infeasible
    ordinary = [set(row) - set(sensitive) for row in rows]
    rank = ranks(ordinary, tree)
    image, fixes = identity(tree), list[Fix]()
    while True:
        before = len(fixes)
        for size in range(1, m + 1):
            sets = set[Path]()
            for row in ordinary:
                nodes = [v for v in expansion(row, tree, rank) if not generalized(v, image, tree)]
                sets.update(path for path in combinations(nodes, size) if is_antichain(path, tree))
            for path in sorted(sets, key=lambda s: [rank[v] for v in s]):
                if not set(path) <= set(image.values()):
                    continue
                if not is_good(cohort_of(path, rows, tree), sensitive, k, diversity):
                    image, rules = _fix(path, image, rows, ordinary, tree, sensitive, k, diversity)
                    fixes.append((path, len(cohort_of(path, rows, tree)), rules))
            if tree.root in image.values() and not is_good(cohort_of([tree.root], rows, tree), sensitive, k, diversity):
                raise Infeasible
        if len(fixes) == before:
            return image, fixes


def _fix(
    itemset: Path,
    image: Mapping[str, str],
    rows: Rows,
    ordinary: Rows,
    tree: HierarchyModel,
    sensitive: Collection[str],
    k: int,
    diversity: int,
) -> tuple[Image, Path]:
    best: tuple[tuple[int, int, list[int]], Image, Path] | None = None
    for choice in product(*(tree.chain[v] for v in itemset)):
        nodes = maximal(choice, tree)
        rules = sorted(nodes - set(itemset), key=tree.pre.__getitem__)
        if not rules or not is_good(cohort_of(nodes, rows, tree), sensitive, k, diversity):
            continue
        new = dict(image) | {leaf: rule for rule in rules for leaf in tree.below[rule]}
        changed = sum(1 for leaf in tree.leaves if new[leaf] != image[leaf])
        key = (ncp_numerator(ordinary, new, tree), changed, sorted(tree.pre[v] for v in nodes))
        if best is None or key < best[0]:
            best = key, new, tuple(rules)
    if best is None:
        raise Infeasible
    return best[1], best[2]


def brute_force_feasible(
    rows: Rows, tree: HierarchyModel, sensitive: Collection[str], k: int, diversity: int, m: int
) -> bool:
    """Return True if any cut is diverse."""
    for cut in tree.cuts():
        image = tree.image(cut)
        published = [{image.get(item, item) for item in row} for row in rows]
        if is_diverse(published, sensitive, k, diversity, m):
            return True
    return False
