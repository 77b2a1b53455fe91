"""Naive implementations of recoding by levels and by cuts: they try each level vector and each node."""

from collections.abc import Callable, Sequence
from itertools import product

from reference.relational import (
    Attribute,
    Cluster,
    RangeModel,
    Relation,
    Row,
    SetModel,
    TreeModel,
    Value,
    in_order,
    key,
    rational,
)

ALL = "ALL OF THEM"
PRICES = (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 1.0)
Mapping = dict[Value, Value]


def several(attribute: Attribute) -> bool:
    if isinstance(attribute, TreeModel):
        return len(attribute.tree.leaves) > 1
    return (
        len(attribute.order) > 1
        if isinstance(attribute, SetModel)
        else attribute.loss([attribute.low, attribute.high]) > 0
    )


def height(attribute: Attribute) -> int:
    if isinstance(attribute, TreeModel):
        return len(next(iter(attribute.tree.columns.values()))) - 1
    return int(several(attribute))


def at_level(attribute: Attribute, value: Value, level: int) -> Value:
    """Return the published text of a value at a level."""
    if not isinstance(attribute, TreeModel):
        return ALL if level else value
    return attribute.tree.columns[str(value)][level]


def cost(attribute: Attribute, symbol: Value) -> float:
    if isinstance(attribute, TreeModel):
        below = len(attribute.tree.below[str(symbol)])
        return below / len(attribute.tree.leaves) if below > 1 else 0.0
    return 1.0 if symbol == ALL and several(attribute) else 0.0


Columns = list[list[list[Value]]]
"""Published text by column, level and record."""


def columns_of(relation: Relation) -> Columns:
    return [
        [[at_level(attribute, row[a], level) for row in relation.rows] for level in range(height(attribute) + 1)]
        for a, attribute in enumerate(relation.attributes)
    ]


def loss_of(relation: Relation, symbols: Row) -> float:
    result = zip(relation.attributes, relation.weights, symbols, strict=True)
    return sum(weight * cost(attribute, symbol) for attribute, weight, symbol in result)


def groups(rows: Sequence[Row], members: Sequence[int]) -> list[Cluster]:
    result: dict[Row, Cluster] = {}
    for row, r in zip(rows, members, strict=True):
        result.setdefault(row, []).append(r)
    return list(result.values())


def vectors(relation: Relation) -> list[tuple[int, ...]]:
    return list(product(*(range(height(a) + 1) for a in relation.attributes)))


Keeps = Callable[[Cluster], bool]


def always(_: Cluster) -> bool:
    return True


def outcome(
    relation: Relation, columns: Columns, members: Cluster, vector: Sequence[int], k: int, keeps: Keeps = always
) -> tuple[list[Cluster], Cluster, float]:
    """Return the classes of at least k records that satisfy a rule, the remaining records, and the loss of the
    classes.
    """
    shown = list(zip(*(levels[level] for levels, level in zip(columns, vector, strict=True)), strict=True))
    large, rest = list[Cluster](), list[int]()
    for c in groups([shown[r] for r in members], members):
        if len(c) >= k and keeps(c):
            large.append(c)
        else:
            rest += c
    return large, sorted(rest), sum(len(c) * loss_of(relation, shown[c[0]]) for c in large)


def root(relation: Relation) -> float:
    return sum(w for a, w in zip(relation.attributes, relation.weights, strict=True) if several(a))


def full_domain_vector(
    relation: Relation, k: int, share: float = 0.0, keeps: Keeps = always
) -> tuple[int, tuple[int, ...]]:
    """Return the key of the least loss, and the first vector that attains it."""
    n, columns, loss_and_vector = len(relation.rows), columns_of(relation), []
    for vector in vectors(relation):
        _, rest, loss = outcome(relation, columns, list(range(n)), vector, k, keeps)
        if len(rest) <= int(share * n) and (not rest or (len(rest) >= k and keeps(rest))):
            loss_and_vector.append((key((loss + len(rest) * root(relation)) / n), vector))
    return min(loss_and_vector)  # type: ignore[return-value]


def full_domain(relation: Relation, k: int, share: float = 0.0, keeps: Keeps = always) -> list[Cluster]:
    _, vector = full_domain_vector(relation, k, share, keeps)
    large, rest, _ = outcome(relation, columns_of(relation), list(range(len(relation.rows))), vector, k, keeps)
    return in_order([*large, *([rest] if rest else [])])


def local_recoding(relation: Relation, k: int) -> list[Cluster]:
    remaining, columns, clusters, price = list(range(len(relation.rows))), columns_of(relation), [], 0
    while len(remaining) >= k:
        price_limit = root(relation) * PRICES[min(price, len(PRICES) - 1)]
        best = (key(price_limit), (), None)
        for vector in vectors(relation):
            large, rest, loss = outcome(relation, columns, remaining, vector, k)
            now = key((loss + len(rest) * price_limit) / len(remaining))
            if now < best[0]:
                best = (now, large, rest)
        if best[2] is not None:
            clusters += best[1]
            remaining = best[2]
        elif price >= len(PRICES) - 1:
            clusters.append(remaining)
            remaining = []
        price += 1
    clusters = in_order(clusters)
    for r in remaining:
        increase = [rational((len(c) + 1) * relation.loss([*c, r]) - len(c) * relation.loss(c)) for c in clusters]
        clusters[increase.index(min(increase))].append(r)
    return in_order(clusters)


class Cut:
    """A cut in the tree of each column, as a map from values to published values."""

    def __init__(self, relation: Relation, *, at_roots: bool) -> None:
        self.relation, self.members = relation, list(range(len(relation.rows)))
        columns = [sorted({row[a] for row in relation.rows}, key=str) for a in range(len(relation.attributes))]
        self.columns = columns
        self.image: list[Mapping] = [
            {v: self.chain(a, v)[-1 if at_roots else 0] for v in column} for a, column in enumerate(columns)
        ]

    def chain(self, a: int, value: Value) -> list[Value]:
        attribute = self.relation.attributes[a]
        return list(attribute.tree.chain[str(value)]) if isinstance(attribute, TreeModel) else [value, ALL]

    def inner(self, a: int) -> list[Value]:
        """Return the inner nodes above occurring values, in preorder."""
        attribute = self.relation.attributes[a]
        nodes = attribute.tree.nodes if isinstance(attribute, TreeModel) else [ALL]
        return [v for v in nodes if not isinstance(attribute, TreeModel) or attribute.tree.children[str(v)]]

    def classes(self) -> list[Cluster]:
        rows = [tuple(self.image[a][v] for a, v in enumerate(row)) for row in self.relation.rows]
        return groups(rows, self.members)

    def small(self, k: int) -> int:
        return sum(len(c) for c in self.classes() if len(c) < k)

    def smallest(self) -> int:
        return min(map(len, self.classes()))

    def loss(self, a: int) -> float:
        attribute, weight = self.relation.attributes[a], self.relation.weights[a]
        return sum(weight * cost(attribute, self.image[a][row[a]]) for row in self.relation.rows)

    def moved(self, a: int, node: Value, *, up: bool) -> Mapping:
        """Return the recoding after values below a node are published as the node (`up`), or as its children."""
        result = dict(self.image[a])
        for value in result:
            chain = self.chain(a, value)
            if node in chain[1:]:
                result[value] = node if up else chain[chain.index(node) - 1]
        return result

    def specialize(self, k: int) -> None:
        open_nodes = [(a, v) for a in range(len(self.image)) for v in self.inner(a) if v in self.image[a].values()]
        while open_nodes:

            def fall(pair: tuple[int, Value]) -> tuple[float, int, int]:
                a, node = pair
                before, old = self.loss(a), self.image[a]
                self.image[a] = self.moved(a, node, up=False)
                after = self.loss(a)
                self.image[a] = old
                return -round((before - after) * 1e9), a, self.inner(a).index(node)

            a, node = min(open_nodes, key=fall)
            open_nodes.remove((a, node))
            old = self.image[a]
            self.image[a] = self.moved(a, node, up=False)
            if self.small(k):
                self.image[a] = old
            else:
                shown = {v for value, v in self.image[a].items() if node in self.chain(a, value)[1:]}
                open_nodes += [(a, v) for v in self.inner(a) if v in shown]


def top_down(relation: Relation, k: int) -> list[Cluster]:
    cut = Cut(relation, at_roots=True)
    cut.specialize(k)
    return in_order(cut.classes())


def bottom_up(relation: Relation, k: int) -> list[Cluster]:
    cut = Cut(relation, at_roots=False)
    waiting = [cut.inner(a) for a in range(len(relation.attributes))]
    while cut.small(k) and any(waiting):
        best, chosen = None, (0, "")
        for a, nodes in enumerate(waiting):
            attribute = relation.attributes[a]
            for node in nodes:
                below = attribute.tree.children[str(node)] if isinstance(attribute, TreeModel) else []
                if any(child in nodes for child in below):
                    continue
                smallest, loss, old = cut.smallest(), cut.loss(a), cut.image[a]
                cut.image[a] = cut.moved(a, node, up=True)
                gain, more = cut.smallest() - smallest, cut.loss(a) - loss
                cut.image[a] = old
                if gain > 0:
                    result = (1, float("inf") if more <= 1e-12 else float(round(gain / more * 1e6)))
                else:
                    result = (0, -float(round(more * 1e9)))
                if best is None or result > best:
                    best, chosen = result, (a, node)
        a, node = chosen
        cut.image[a] = cut.moved(a, node, up=True)
        waiting[a] = [v for v in waiting[a] if v != node]
    cut.specialize(k)
    return in_order(cut.classes())


__all__ = ["RangeModel", "bottom_up", "full_domain", "full_domain_vector", "local_recoding", "top_down"]
