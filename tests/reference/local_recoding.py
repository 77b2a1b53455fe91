"""Naive implementations of LG (He and Naughton 2009), its reallocation (LGR), LRA and VPA."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cmp_to_key
from math import log2

from reference.hierarchy_model import HierarchyModel
from reference.transaction_algorithms import Infeasible, Outcome, _walk, count_tree, generalized, identity

Rows = Sequence[Collection[str]]
Group = tuple[list[int], list[str]]
"""Records, and the cut nodes by which they are published, in preorder."""
Cost = Callable[[str, HierarchyModel], Fraction]
"""Loss of an occurrence published as a node."""


# --- local generalization ---------------------------------------------------------------------------


def node_ncp(node: str, tree: HierarchyModel) -> Fraction:
    """Return the loss of an occurrence published as a node."""
    n = len(tree.below[node])
    return Fraction(n, len(tree.leaves)) if n > 1 else Fraction(0)


def gain(row: Collection[str], node: str, tree: HierarchyModel, cost: Cost = node_ncp) -> Fraction:
    """Return the reduction of a record's loss if a node is replaced by its children."""
    total = Fraction(0)
    for child in tree.children[node]:
        total += len(set(row) & set(tree.below[child])) * (cost(node, tree) - cost(child, tree))
    return total


def local_generalization(rows: Rows, tree: HierarchyModel, k: int, cost: Cost = node_ncp) -> list[Group]:
    """Return the final partitions of the non-empty records, in order of completion."""
    full = [i for i, row in enumerate(rows) if row]
    if 0 < len(full) < k or 0 < len(rows) - len(full) < k:
        raise Infeasible
    return _anonymize(full, {tree.root}, set(), rows, tree, k, cost) if full else []


def _anonymize(
    ids: list[int], cut: set[str], excluded: set[str], rows: Rows, tree: HierarchyModel, k: int, cost: Cost
) -> list[Group]:
    candidates = [v for v in cut if tree.children[v] and v not in excluded]
    if not candidates:
        return [(ids, sorted(cut, key=tree.pre.__getitem__))]
    v = min(candidates, key=lambda c: (-sum(gain(rows[t], c, tree, cost) for t in ids), tree.pre[c]))
    buckets: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for t in ids:
        key = tuple(tree.pre[c] for c in tree.children[v] if set(rows[t]) & set(tree.below[c]))
        buckets[key].append(t)
    remaining = sorted(t for members in buckets.values() if len(members) < k for t in members)
    large = {key: members for key, members in buckets.items() if len(members) >= k}
    if 0 < len(remaining) < k and large:
        if sum(len(members) - k for members in large.values()) >= k - len(remaining):
            while len(remaining) < k:
                movable = [
                    (gain(rows[t], v, tree, cost), t, key) for key in large for t in large[key] if len(large[key]) > k
                ]
                _, t, key = min(movable)
                large[key].remove(t)
                remaining.append(t)
        else:
            key = min(large, key=lambda b: (sum(gain(rows[t], v, tree, cost) for t in large[b]), b))
            remaining += large.pop(key)
    result = _anonymize(sorted(remaining), cut, excluded | {v}, rows, tree, k, cost) if remaining else []
    for key in sorted(large):
        children = {tree.nodes[pre] for pre in key}
        result += _anonymize(sorted(large[key]), cut - {v} | children, set(), rows, tree, k, cost)
    return result


def entropy(rows: Rows) -> Cost:
    """Return the cost of nodes by the entropy of the items below, in units of 2^-20 bits."""
    counts = Counter(item for row in rows for item in set(row))

    def cost(node: str, tree: HierarchyModel) -> Fraction:
        if not tree.children[node]:
            return Fraction(0)
        present = [counts[item] for item in tree.below[node] if counts[item]]
        bits = sum(count / sum(present) * log2(sum(present) / count) for count in present)
        return Fraction(max(1, round(bits * 2**20)))

    return cost


def local_reallocation(rows: Rows, tree: HierarchyModel, k: int, cost: Cost = node_ncp) -> list[Group]:
    """Return the partitions of LG after the reallocation, divided again, in order of completion."""
    groups = reallocated(local_generalization(rows, tree, k, cost), rows, tree, k, cost)
    return [part for ids, cut in groups for part in _anonymize(ids, set(cut), set(), rows, tree, k, cost)]


def reallocated(groups: Sequence[Group], rows: Rows, tree: HierarchyModel, k: int, cost: Cost) -> list[Group]:
    """Move records to new partitions. A new partition follows the partition whose node it replaces by children."""

    def loss(t: int, cut: Collection[str]) -> Fraction:
        return sum((cost(v, tree) * len(set(rows[t]) & set(tree.below[v])) for v in cut), Fraction(0))

    def above(u: str, cut: Collection[str]) -> str | None:
        return next((v for v in cut if set(tree.below[u]) <= set(tree.below[v])), None)

    cuts = [set(cut) for _, cut in groups]
    place = {t: p for p, (ids, _) in enumerate(groups) for t in ids}
    source = list(range(len(groups)))
    for p in range(len(groups) - 1, -1, -1):
        family = list(groups[p][0])
        for q in range(p + 1, len(groups)):
            if {v for u in cuts[q] for v in [above(u, cuts[p])]} != cuts[p]:
                break
            family += groups[q][0]
        for v in sorted((v for v in cuts[p] if tree.children[v] and len(family) > len(groups[p][0])), key=tree.pre.get):
            by_key: dict[tuple[int, ...], list[int]] = defaultdict(list)
            for t in family:
                by_key[tuple(tree.pre[c] for c in tree.children[v] if set(rows[t]) & set(tree.below[c]))].append(t)
            for key in sorted(by_key):
                if not any(place[t] == p for t in by_key[key]):
                    continue
                cut = cuts[p] - {v} | {tree.nodes[pre] for pre in key}
                benefit = {t: loss(t, cuts[place[t]]) - loss(t, cut) for t in by_key[key]}
                size, chosen = Counter(place.values()), list[int]()
                for t in sorted(by_key[key], key=lambda t: -benefit[t]):
                    if (benefit[t] > 0 or len(chosen) < k) and size[place[t]] > k:
                        size[place[t]] -= 1
                        chosen.append(t)
                if len(chosen) >= k and sum(benefit[t] for t in chosen) > 0:
                    place |= dict.fromkeys(chosen, len(cuts))
                    cuts.append(cut)
                    source.append(p)
    order = sorted(range(len(cuts)), key=lambda p: (source[p], p))
    return [([t for t in sorted(place) if place[t] == p], sorted(cuts[p], key=tree.pre.__getitem__)) for p in order]


def publish(rows: Rows, groups: Sequence[Group], tree: HierarchyModel) -> list[set[str]]:
    """Replace every item by the ancestor in its group's cut. Records outside all groups are empty."""
    published: list[set[str]] = [set() for _ in rows]
    for ids, nodes in groups:
        for t in ids:
            published[t] = {v for item in rows[t] for v in nodes if item in tree.below[v]}
    return published


def local_ncp(rows: Rows, groups: Sequence[Group], tree: HierarchyModel, cost: Cost = node_ncp) -> Fraction:
    """Return the average loss of all occurrences, each by the cut of its group."""
    losses = [cost(v, tree) for ids, nodes in groups for t in ids for x in rows[t] for v in nodes if x in tree.below[v]]
    return sum(losses, Fraction(0)) / len(losses) if losses else Fraction(0)


# --- local recoding by partitions in Gray order ------------------------------------------------------


def _compare_gray(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """Compare two bit vectors by their rank in the reflected Gray code: by the parity of the preceding bits."""
    ones = 0
    for x, y in zip(a, b, strict=True):
        if x != y:
            return (x - y) * (1 if ones % 2 == 0 else -1)
        ones += x
    return 0


def gray_order(rows: Rows, tree: HierarchyModel) -> list[int]:
    """Return the non-empty records in Gray order of their bit vectors, most frequent item first."""
    support = {x: sum(1 for row in rows if x in row) for x in tree.leaves}
    order = sorted(tree.leaves, key=lambda x: (-support[x], tree.pre[x]))
    bits = {i: tuple(int(x in row) for x in order) for i, row in enumerate(rows) if row}

    def compare(a: int, b: int) -> int:
        return _compare_gray(bits[a], bits[b]) or a - b

    return sorted(bits, key=cmp_to_key(compare))


def apriori_from(image: Mapping[str, str], rows: Rows, tree: HierarchyModel, k: int, m: int) -> Outcome:
    """Run AA from an initial recoding."""
    outcome = Outcome(dict(image))
    for size in range(1, m + 1):
        allowed = {v for v in tree.nodes if not generalized(v, outcome.image, tree)}
        outcome = _walk(count_tree(rows, tree, [size], allowed), outcome, rows, tree, k)
    return outcome


def lra(rows: Rows, tree: HierarchyModel, k: int, m: int, parts: int) -> list[Group]:
    """Return each partition's records, in Gray order, with the cut found by AA."""
    order = gray_order(rows, tree)
    n = len(order)
    if 0 < n < k:
        raise Infeasible
    number = max(1, min(parts, n // k))
    groups: list[Group] = []
    for j in range(number if n else 0):
        ids = order[j * n // number : (j + 1) * n // number]
        image = apriori_from(identity(tree), [rows[i] for i in ids], tree, k, m).image
        groups.append((ids, list(dict.fromkeys(image[x] for x in tree.leaves))))
    return groups


# --- vertical partitioning ----------------------------------------------------------------------------


def vpa(rows: Rows, tree: HierarchyModel, k: int, m: int, depth: int = 1) -> tuple[dict[str, str], dict[str, str]]:
    """Return the union of the parts' recodings, and the final recoding."""
    if 0 < sum(1 for row in rows if row) < k:
        raise Infeasible
    tops = [
        v
        for v in tree.nodes
        if len(tree.chain[v]) - 1 == depth or (len(tree.chain[v]) - 1 < depth and not tree.children[v])
    ]
    image = identity(tree)
    for top in tops:
        inside = [set(row) & set(tree.below[top]) for row in rows]
        n = sum(1 for row in inside if row)
        if 0 < n < k:
            image |= dict.fromkeys(tree.below[top], top)
        elif n:
            part = HierarchyModel(_subtree(top, tree))
            result = apriori_from(identity(part), inside, part, k, m).image
            image |= result
    return image, apriori_from(image, rows, tree, k, m).image


def _subtree(node: str, tree: HierarchyModel) -> "str | tuple[str, list]":  # type: ignore[type-arg]
    children = tree.children[node]
    return (node, [_subtree(child, tree) for child in children]) if children else node
