"""Naive implementation of joint top-down splitting, with sets, Counters and Fractions."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from reference.halves import Nested, halves
from reference.hierarchy_model import HierarchyModel, Tree
from reference.transaction_algorithms import apriori

Rows = Sequence[Collection[str]]
Region = frozenset[str] | tuple[Fraction, ...]
"""Set of values or nodes, or for numbers: the two cut points, then the two published ends."""
Halves = tuple[Region, Region]


@dataclass(frozen=True)
class Column:
    values: Sequence[object]
    kind: str
    """number, values or nodes."""
    order: Sequence[str] = ()
    """Values in canonical order."""
    tree: HierarchyModel | None = None
    lows: Sequence[Fraction] = ()
    """Lower ends of the grid cells, ascending; all but the first are possible cut points."""
    highs: Sequence[Fraction] = ()
    """Possible upper ends of published ranges."""
    rounds: bool = True
    """True if published ranges are rounded outward."""

    def whole(self) -> Region:
        """Region of all records."""
        if self.kind == "number":
            return self.lows[0], self.highs[-1] + 1
        if self.tree is None:
            return frozenset(map(str, self.values))
        return frozenset([self.common([str(x) for x in self.values])])

    def leaves(self, node: str) -> list[str]:
        return self.tree.below[node] if self.tree else [node]

    def holds(self, region: Region, value: object) -> bool:
        """Return True if the region contains the value."""
        if isinstance(region, tuple):
            return region[0] <= value < region[1]  # type: ignore[operator]
        return any(value in self.leaves(node) for node in region)

    def hull(self, region: Region, records: Sequence[int]) -> Region:
        """Return the smallest region that contains the values of some records."""
        values = [self.values[r] for r in records]
        if isinstance(region, tuple):
            low, high = min(values), max(values)  # type: ignore[type-var]
            if self.rounds and low < high:  # type: ignore[operator]
                low, high = max(x for x in self.lows if x <= low), min(x for x in self.highs if x >= high)
            return (*region[:2], low, high)  # type: ignore[arg-type]
        parts = [{str(x) for x in values if x in self.leaves(node)} for node in region]
        return frozenset(self.common(part) for part in parts if part)

    def common(self, values: Collection[str]) -> str:
        """Return the lowest common ancestor of some values, or the only value."""
        if self.tree is None:
            return next(iter(values))
        return [v for v in self.tree.nodes if all(v in self.tree.chain[x] for x in values)][-1]

    def ncp(self, region: Region) -> Fraction:
        """Return the width of a region divided by the column's width, at most 1."""
        if isinstance(region, tuple):
            least, most = min(self.values), max(self.values)  # type: ignore[type-var]
            wide = min(region[3], most) - max(region[2], least)  # type: ignore[type-var, operator]
            return wide / (most - least) if least < most else Fraction(0)  # type: ignore[operator]
        domain = len(self.tree.leaves) if self.tree else len(self.order)
        values = sum(len(self.leaves(node)) for node in region)
        return Fraction(values, domain) if values > 1 else Fraction(0)

    def cut(self, region: Region, records: Sequence[int], k: int) -> Halves | None:
        """Split a region in two."""
        values = [self.values[r] for r in records]
        if isinstance(region, tuple):
            options = []
            for end in self.lows[1:]:
                below = sum(v < end for v in values)  # type: ignore[operator]
                if region[0] < end < region[1] and min(below, len(values) - below) >= k:
                    options.append((abs(2 * below - len(values)), end))
            cut = min(options)[1] if options else None
            return None if cut is None else ((region[0], cut), (cut, region[1]))
        nodes = set(region)
        count = {v: sum(x in self.leaves(v) for x in values) for v in (self.tree.nodes if self.tree else self.order)}
        while self.tree and len(there := [v for v in nodes if count[v]]) == 1 and self.tree.children[there[0]]:
            nodes = (nodes - {there[0]}) | set(self.tree.children[there[0]])
        rank = list(self.tree.nodes if self.tree else self.order)
        order = sorted((v for v in nodes if count[v]), key=lambda v: (-count[v], rank.index(v)))
        if len(order) < 2:
            return None
        first = next(i for i in range(1, len(order) + 1) if 2 * sum(count[v] for v in order[:i]) >= len(values))
        front = frozenset(order[: min(first, len(order) - 1)])
        return front, frozenset(nodes) - front


@dataclass
class Leaf:
    """A node of the tree."""

    regions: tuple[Region, ...]
    records: list[int]
    relational: Fraction
    items: Fraction
    children: tuple["Leaf", "Leaf"] | None = None


@dataclass
class Twin:
    """An RT-dataset and its parameters."""

    columns: Sequence[Column]
    rows: Rows
    n_items: int
    k: int
    m: int
    scores: dict[tuple[int, ...], int] = field(default_factory=dict)

    def score(self, records: Sequence[int]) -> int:
        """Count the other members of the published group, summed over all occurrences, under apriori on a halved
        tree.
        """
        key = tuple(records)
        if key not in self.scores:
            rows = [self.rows[r] for r in records]
            count = Counter(x for row in rows for x in row)
            total = 0
            if count and self.k > 1:
                tree = HierarchyModel(_named(halves({x: count[x] for x in sorted(count)}, "frequency"), [0]))
                image = apriori(rows, tree, self.k, self.m).image
                total = sum(count[x] * (len(tree.below[image[x]]) - 1) for x in count)
            self.scores[key] = total
        return self.scores[key]

    def node(self, regions: tuple[Region, ...], records: list[int]) -> Leaf:
        """Return a node with the hulls of its records, and its losses as shares of the root's losses."""
        regions = tuple(c.hull(r, records) for c, r in zip(self.columns, regions, strict=True))
        ncp = sum((c.ncp(r) for c, r in zip(self.columns, regions, strict=True)), Fraction(0)) / len(self.columns)
        most = max(1, sum(map(len, self.rows)) * (self.n_items - 1))
        return Leaf(regions, records, ncp * len(records) / len(self.rows), Fraction(self.score(records), most))

    def grow(self, w: Fraction) -> Leaf:
        root = self.node(tuple(c.whole() for c in self.columns), list(range(len(self.rows))))
        self._split(root, w)
        return root

    def _split(self, node: Leaf, w: Fraction) -> None:
        best = loss(node, w)
        for a, column in enumerate(self.columns):
            halves_of = column.cut(node.regions[a], node.records, self.k)
            if halves_of is None:
                continue
            sides = []
            for half in halves_of:
                records = [r for r in node.records if column.holds(half, column.values[r])]
                filled = sum(bool(self.rows[r]) for r in records)
                if len(records) < self.k or 0 < filled < self.k:
                    break
                sides.append((half, records))
            if len(sides) < 2:
                continue
            children = [self.node((*node.regions[:a], h, *node.regions[a + 1 :]), r) for h, r in sides]
            if sum(child.relational for child in children) >= node.relational:
                continue
            if (total := loss(children[0], w) + loss(children[1], w)) < best:
                best, node.children = total, (children[0], children[1])
        for child in node.children or ():
            self._split(child, w)


def loss(node: Leaf, w: Fraction) -> Fraction:
    """Return the weighted loss."""
    return w * node.relational + (1 - w) * node.items


def leaves(node: Leaf) -> list[Leaf]:
    return [node] if node.children is None else [leaf for child in node.children for leaf in leaves(child)]


def pruned(node: Leaf, w: Fraction) -> list[Leaf]:
    """Return the leaves after bottom-up pruning."""
    if node.children is None:
        return [node]
    below = [leaf for child in node.children for leaf in pruned(child, w)]
    return [node] if loss(node, w) <= sum(loss(leaf, w) for leaf in below) else below


def least_weight(grow: Callable[[int], list[Leaf]], largest: Fraction, most: int) -> int:
    """Return the weight of a point, in millionths."""

    def reaches(w: int) -> bool:
        return sum(leaf.relational for leaf in grow(w)) <= largest

    attempted = [1]
    while not reaches(attempted[-1]):
        if attempted[-1] == most:
            return most
        attempted.append(min(2 * attempted[-1], most))
    low, high = (0, *attempted)[-2:]
    while high - low > max(1, high // 16):
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _named(tree: Nested, number: list[int]) -> Tree:
    if isinstance(tree, str):
        return tree
    number[0] += 1
    return f"#{number[0]:04}", [_named(child, number) for child in tree]
