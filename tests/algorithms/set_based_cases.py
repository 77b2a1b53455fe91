"""Random and worked cases of COAT and PCTA: records, constraints, weights."""

import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from anonset.algorithms.base import Algorithm, Result
from anonset.algorithms.transaction.item_sets.coat import Coat
from anonset.algorithms.transaction.item_sets.pcta import Pcta
from anonset.data import Hierarchy, Table
from anonset.errors import InfeasibleError
from anonset.measures.losses.item_weights import ItemWeights
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from reference import set_based
from reference.hierarchy_model import parse
from reference.set_based import Infeasible, State, Weight, all_itemsets

Rows = Sequence[Collection[str]]
UNIVERSE = "abcdefgh"
FIGURE_1 = [set(row) for row in ["abcdefgh", "acefg", "cdefh", "acef", "efgh", "defg", "abde", "acf", "ac", "bh"]]
FIGURE_1B = PrivacyPolicy.of(["abc", "defgh"])
FIGURE_1C = UtilityPolicy.of(["ab", "c", "d", "efgh"])
FIGURE_2C = [
    "(a,b) c e f (g,h)",
    "(a,b) c e f (g,h)",
    "c e f (g,h)",
    "(a,b) c e f",
    "e f (g,h)",
    "e f (g,h)",
    "(a,b) e",
    "(a,b) c f",
    "(a,b) c",
    "(a,b) (g,h)",
]
FIGURE_3 = Hierarchy.from_tree(parse("ALL(abc(a,b,c),defgh(d,e,f,g,h))"))
VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "algorithm_vectors.json").read_text())


@dataclass(frozen=True)
class Case:
    """Input and parameters of a run of COAT and PCTA."""

    rows: list[set[str]]
    k: int
    m: int | None
    constraints: list[tuple[str, ...]]
    utility: list[str]
    max_suppressed: float
    weights: str
    tree: Any
    listed: dict[tuple[str, ...], str]
    suppress_single: bool

    @property
    def hierarchies(self) -> Mapping[str, Hierarchy]:
        return {"items": Hierarchy.from_tree(self.tree)} if self.weights == "lca" else {}

    @property
    def table(self) -> Table:
        return Table.from_sets(self.rows, universe=UNIVERSE)

    def parameters(self) -> dict[str, Any]:
        protected = {"m": self.m} if self.m else {"constraints": PrivacyPolicy.of(self.constraints)}
        weights = ItemWeights.of(self.listed) if self.weights == "listed" else self.weights
        return {"k": self.k, **protected, "utility": UtilityPolicy.of(self.utility), "item_weights": weights}

    def weight(self) -> Weight:
        if self.weights == "ones":
            return lambda _: Fraction(1)
        if self.weights == "lca":
            h = self.hierarchies["items"]
            nodes = [set(h.leaves.labels[h.leaf_lo[v] : h.leaf_hi[v]]) for v in range(h.n_nodes)]
            return set_based.cheapest_around([(node, Fraction(len(node), len(UNIVERSE))) for node in nodes])
        if self.weights == "listed":
            return set_based.cheapest_around([(set(group), Fraction(w)) for group, w in self.listed.items()])
        return set_based.uniform

    def twin(self, algorithm: str) -> State | None:
        state = State(self.rows, UNIVERSE, self.k, self.utility, self.weight(), Fraction(str(self.max_suppressed)))
        constraints = all_itemsets(self.rows, UNIVERSE, self.m) if self.m else self.constraints
        try:
            if algorithm == "coat":
                return set_based.coat(state, constraints, suppress_single=self.suppress_single)
            return set_based.pcta(state, constraints)
        except Infeasible:
            return None

    def library(self, algorithm: str) -> Result | None:
        result: Algorithm = Pcta(**self.parameters()) if algorithm == "pcta" else self.coat()
        try:
            return result.recode(self.table, self.hierarchies)
        except InfeasibleError:
            return None

    def coat(self) -> Coat:
        single: Any = "suppress" if self.suppress_single else "generalize"
        return Coat(**self.parameters(), max_suppressed=self.max_suppressed, single=single)


def random_tree(rng: random.Random) -> Any:
    cut = sorted(rng.sample(range(1, 8), rng.randint(1, 3)))
    parts = [UNIVERSE[a:b] for a, b in zip([0, *cut], [*cut, 8], strict=True)]
    return "ALL", [(f"N{i}", list(part)) if len(part) > 1 else part for i, part in enumerate(parts)]


def random_case(seed: int) -> Case:
    """Draw a case with few items, some of which never occur, and random settings."""
    rng = random.Random(seed)
    occurring = rng.sample(UNIVERSE, rng.randint(2, 8))
    frequency = [rng.choice([1, 1, 2, 5]) for _ in occurring]
    longest = rng.choice([1, 2, 4, 6])
    rows = [set(rng.choices(occurring, frequency, k=rng.randint(0, longest))) for _ in range(rng.randint(1, 12))]
    items = list(UNIVERSE)
    rng.shuffle(items)
    n_groups = rng.choice([1, 1, 2, 3, 5])
    utility = [part for i in range(n_groups) if (part := "".join(items[i::n_groups]))]
    constraints = [tuple(rng.sample(UNIVERSE, rng.randint(1, 5))) for _ in range(rng.randint(0, 6))]
    groups = [tuple(rng.sample(UNIVERSE, rng.randint(2, 6))) for _ in range(3)]
    listed = {group: rng.choice(["0", "0.1", "0.375", "1/3", "1"]) for group in groups}
    return Case(
        rows,
        rng.choice([1, 2, 2, 3, 4]),
        rng.choice([None, 1, 2, 2, 3, 3, 4, 9]),
        constraints,
        utility,
        rng.choice([0.0, 0.13, 0.25, 0.5, 1.0]),
        rng.choice(["uniform", "uniform", "ones", "lca", "listed"]),
        random_tree(rng),
        listed,
        rng.random() < 0.2,
    )


seeds = st.integers(0, 2**32 - 1)
ITEMS = [f"{i:02d}" for i in range(20)]


@dataclass(frozen=True)
class Larger:
    """A table of up to 20 items and 60 records, too large for the naive implementations, with settings."""

    table: Table
    hierarchies: Mapping[str, Hierarchy]
    shared: dict[str, Any]
    m: int
    every_itemset: PrivacyPolicy

    @classmethod
    def random(cls, seed: int) -> "Larger":
        rng = random.Random(seed)
        frequency, longest = [rng.random() ** 3 for _ in ITEMS], rng.choice([3, 7])
        rows = [set(rng.choices(ITEMS, frequency, k=rng.randint(0, longest))) for _ in range(rng.randint(1, 60))]
        occurring = [x for x in ITEMS if any(x in row for row in rows)]
        shuffled = rng.sample(ITEMS, len(ITEMS))
        n_groups = rng.choice([1, 1, 3, 6])
        m = rng.choice([1, 2, 2, 3, 3])
        every = PrivacyPolicy.of(combinations(occurring, min(m, len(occurring))) if occurring else [])
        utility = UtilityPolicy.of(shuffled[i::n_groups] for i in range(n_groups))
        hierarchies = {"items": Hierarchy.balanced(ITEMS, 3)} if rng.random() < 0.5 else {}
        shared = {"k": rng.choice([2, 3, 5, 9]), "utility": utility}
        return cls(Table.from_sets(rows, universe=ITEMS), hierarchies, shared, m, every)
