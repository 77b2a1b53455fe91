"""Naive implementations of diversity and closeness of classes, and of merging classes until these are satisfied."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod

from reference.relational import Cluster, Relation, in_order, key

NEAREST = 64


def is_distinct(values: Sequence[str], l: int) -> bool:  # noqa: E741
    return len(set(values)) >= l


def has_entropy(values: Sequence[str], l: int) -> bool:  # noqa: E741
    """-sum p log p >= log l, of p = c / n: n^n >= l^n prod c^c."""
    counts, n = Counter(values).values(), len(values)
    return n**n >= l**n * prod(count**count for count in counts)


def is_recursive(values: Sequence[str], l: int, c: Fraction) -> bool:  # noqa: E741
    """r_1 < c (r_l + r_(l+1) + ... + r_m)."""
    often = sorted(Counter(values).values(), reverse=True)
    return often[0] < c * sum(often[l - 1 :])


def equal_distance(values: Sequence[str], everybody: Sequence[str]) -> Fraction:
    """Return half the sum of absolute differences of the shares."""
    in_class, in_table = Counter(values), Counter(everybody)
    shares = (abs(Fraction(in_class[v], len(values)) - Fraction(in_table[v], len(everybody))) for v in in_table)
    return sum(shares, Fraction()) / 2


def ordered_distance(values: Sequence[str], everybody: Sequence[str]) -> Fraction:
    """Return the earth mover's distance between ordered shares."""
    numbers = sorted({Fraction(value) for value in set(everybody)})
    if len(numbers) < 2:
        return Fraction()

    def shares(of: Sequence[str]) -> list[list[Fraction]]:
        count = Counter[Fraction]()
        for value, times in Counter(of).items():
            count[Fraction(value)] += times
        return [[Fraction(rank), Fraction(count[x], len(of))] for rank, x in enumerate(numbers) if count[x]]

    earth, holes, work = shares(values), shares(everybody), Fraction()
    while earth and holes:
        moved = min(earth[0][1], holes[0][1])
        work += moved * abs(earth[0][0] - holes[0][0])
        for heap in (earth, holes):
            heap[0][1] -= moved
            if not heap[0][1]:
                heap.pop(0)
    return work / (len(numbers) - 1)


def hierarchical_distance(
    values: Sequence[str], everybody: Sequence[str], paths: dict[str, tuple[str, ...]]
) -> Fraction:
    """Return the earth mover's distance over a tree: node height times exchanged mass (Li et al. 2007, section 5.2)."""
    nodes = {node for path in paths.values() for node in path}
    below = {node: [leaf for leaf in paths if node in paths[leaf]] for node in nodes}
    height = {node: max(paths[leaf].index(node) for leaf in below[node]) for node in nodes}
    in_class, in_table = Counter(values), Counter(everybody)
    extra = {
        node: Fraction(sum(in_class[leaf] for leaf in leaves), len(values))
        - Fraction(sum(in_table[leaf] for leaf in leaves), len(everybody))
        for node, leaves in below.items()
    }
    children = {node: {path[path.index(node) - 1] for path in paths.values() if node in path[1:]} for node in nodes}
    cost = Fraction()
    for node in nodes:
        more = sum((extra[child] for child in children[node] if extra[child] > 0), Fraction())
        less = sum((-extra[child] for child in children[node] if extra[child] < 0), Fraction())
        cost += height[node] * min(more, less)
    return cost / max(1, max(height.values()))


def merged(relation: Relation, clusters: Sequence[Cluster], keeps: Callable[[Cluster], bool]) -> list[Cluster]:
    """Merge the first violating cluster with the cheapest partner that satisfies the rule, else with the cheapest
    partner.
    """
    remaining, n = in_order([list(cluster) for cluster in clusters]), len(relation.rows)
    while (bad := next((c for c in remaining if not keeps(c)), None)) is not None:
        others = [c for c in remaining if c is not bad]

        def rise(other: Cluster, bad: Cluster = bad) -> int:
            both = [*bad, *other]
            more = len(both) * relation.loss(both) - len(other) * relation.loss(other)
            return key(more / n)

        nearest = sorted(others, key=rise)[:NEAREST]
        chosen = next((c for c in nearest if keeps([*bad, *c])), nearest[0])
        remaining = in_order([*(c for c in others if c is not chosen), sorted([*bad, *chosen])])
    return remaining
