"""Random relational data in the formats of the naive implementations and of the library."""

import random
from dataclasses import dataclass
from functools import cache

import numpy as np
from hypothesis import strategies as st

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn
from anonset.data.quasi_identifiers import QuasiIdentifiers
from reference.hierarchy_model import HierarchyModel, parse
from reference.relational import Attribute, RangeModel, Relation, Row, SetModel, TreeModel

ORIGIN = "All(Europe(France,Greece,Germany,Spain),Africa(Algeria,Nigeria))"
GENDER = "Any(Male,Female)"
UNARY = ("R(A(B(b,c)),D(E(e),F(f,g)),H(I(J(h))))", "S(T(U(V(p,q,r),W(s))),X(Y(t),Z(u,v)))", "T(U(V(x(y,z))))")
"""Trees with single-child nodes, also nested, and with paths of different lengths."""
TREES = ("R(X(b,a),Y(d,c,e),f)", "S(T(U(p,q),r),s)", GENDER, ORIGIN, *UNARY)


@dataclass(frozen=True)
class RelationalCase:
    """A data set in both formats."""

    relation: Relation
    columns: tuple[CategoricalColumn | NumericColumn, ...]
    hierarchies: dict[str, Hierarchy]

    @property
    def qi(self) -> QuasiIdentifiers:
        weights = {column.name: w for column, w in zip(self.columns, self.relation.weights, strict=True)}
        return QuasiIdentifiers.of(self.columns, self.hierarchies, weights)


@cache
def models_of(tree: str) -> tuple[HierarchyModel, Hierarchy]:
    """Return a tree in both formats."""
    return HierarchyModel(parse(tree)), Hierarchy.from_tree(parse(tree))


def encode(rows: list[Row], trees: list[str | None], weights: list[float] | None = None) -> RelationalCase:
    """Build both formats from rows. A column without tree becomes ranges of numbers, or sets of values."""
    attributes: list[Attribute] = []
    columns: list[CategoricalColumn | NumericColumn] = []
    hierarchies = {}
    for i, tree in enumerate(trees):
        values = [row[i] for row in rows]
        name = f"c{i}"
        if tree is not None:
            model, hierarchies[name] = models_of(tree)
            attributes.append(TreeModel(model))
            columns.append(CategoricalColumn.of(name, map(str, values)))
        elif all(isinstance(v, str) for v in values):
            column = CategoricalColumn.of(name, map(str, values))
            attributes.append(SetModel(column.vocabulary.labels, tuple(map(str, values))))
            columns.append(column)
        else:
            numbers = [v for v in values if not isinstance(v, str)]
            attributes.append(RangeModel(min(numbers), max(numbers)))
            columns.append(NumericColumn(name, np.array(numbers)))
    chosen = [1 / len(trees)] * len(trees) if weights is None else weights
    return RelationalCase(Relation(rows, attributes, chosen), tuple(columns), hierarchies)


def random_case(seed: int, n: int, v: int) -> RelationalCase:
    """Draw n records with v columns and few distinct values, so that ties are common."""
    source = random.Random(seed)
    trees: list[str | None] = [source.choice([*TREES, None, None]) for _ in range(v)]
    pools: list[list[str | int | float]] = []
    for tree in trees:
        kind = source.random()
        if tree is not None:
            pools.append(list(models_of(tree)[0].leaves))
        elif kind < 0.4:
            pools.append(list("vwxyz"[: source.randint(1, 5)]))
        elif kind < 0.8:
            pools.append(list(range(source.choice([1, 3, 40]))))
        else:
            pools.append([0.1, 0.2, 0.30000000000000004, 0.7, -1.5])
    rows = [tuple(source.choice(pool) for pool in pools) for _ in range(n)]
    weights = None if source.random() < 0.6 else [source.choice([0.0, 0.1, 0.2, 1 / 3]) for _ in trees]
    return encode(rows, trees, weights)


cases = st.builds(random_case, st.integers(0, 10**9), st.integers(1, 40), st.integers(1, 4))
FIGURE_1 = [
    (19, "France", "Male"), (22, "Greece", "Male"), (28, "Germany", "Female"),
    (39, "Spain", "Female"), (70, "Algeria", "Female"), (55, "Nigeria", "Male"),
]  # fmt: skip
FIGURE_1_ITEMS = ["E F B", "E F D", "B C E", "F D", "E", "A F"]  # Poulis et al. 2013, Figure 1a, without G and H


def figure_1() -> RelationalCase:
    """Return Figure 1a of Poulis et al. 2013."""
    return encode(list(FIGURE_1), [None, ORIGIN, GENDER])
