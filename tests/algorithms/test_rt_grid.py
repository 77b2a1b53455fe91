"""The grid of SECRETA: all combinations of formation, transaction function and merge order are verified."""

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from algorithms.contracts import published, rows_of, rt_case, tuples_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.algorithms.relational.formations import FORMATIONS
from anonset.algorithms.rt.parts_function import PartsFunction
from anonset.algorithms.rt.rfirst import RFirst
from anonset.algorithms.rt.rum_bound import RumBound
from anonset.algorithms.rt.tum_bound import TumBound
from anonset.algorithms.transaction.partitions.lra import Lra
from anonset.errors import InputError
from anonset.generalization import PerCluster
from anonset.privacy.kkm import KKmAnonymity
from anonset.release.losses import measures_of
from anonset.verification import verify
from reference.transaction_algorithms import is_km

FUNCTIONS = ("coat", "pcta", "set-search", "apriori", "vpa", "lra", "exact")
MERGES = tuple(product((RumBound, TumBound), ("r", "t", "rt")))
GRID = [
    (formation, function, *MERGES[(f + g) % len(MERGES)])
    for (f, formation), (g, function) in product(enumerate(FORMATIONS), enumerate(FUNCTIONS))
]


def test_the_grid_contains_all_pairs() -> None:
    assert {(a, b) for a, b, *_ in GRID} == set(product(FORMATIONS, FUNCTIONS))
    assert {(a, c, d) for a, _, c, d in GRID} == {(a, *b) for a, b in product(FORMATIONS, MERGES)}
    assert {(b, c, d) for _, b, c, d in GRID} == {(a, *b) for a, b in product(FUNCTIONS, MERGES)}


@pytest.mark.compiled
@pytest.mark.parametrize(("formation", "function", "framework", "merge"), GRID)
def test_every_pair_is_anonymous(formation: str, function: str, framework: Any, merge: Any) -> None:
    case = rt_case(7, 60)
    transaction: Any = ALGORITHMS[function]
    algorithm = framework(k=4, m=2, delta=0.95, merge=merge, formation=formation, transaction=transaction)
    result = algorithm.recode(case.table, case.hierarchies)
    publication = published(case, result)
    assert verify(publication, KKmAnonymity(k=4, m=2)).holds
    assert result.figures["rum"] <= 0.95 + 1e-9 or framework is TumBound
    actual = measures_of(case.table, case.hierarchies, algorithm, result, publication)
    assert (actual["rum"], actual["tum"]) == pytest.approx((result.figures["rum"], result.figures["tum"]))


def test_lra_uses_a_separate_mapping_for_each_part_of_a_cluster() -> None:
    case = rt_case(3, 400)
    parted: Any = partial(Lra, partitions=3)
    result = RFirst(k=5, m=2, formation="full-domain", transaction=parted).recode(case.table, case.hierarchies)
    assert isinstance(result.recoding, PerCluster)
    assert result.recoding.n_clusters > result.figures["clusters"]
    publication = published(case, result)
    rows, tuples = rows_of(publication), tuples_of(publication)
    part = publication.cluster
    assert part is not None
    cuts: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for p, cut in enumerate(result.recoding.items):
        members = np.flatnonzero(part == p)
        (shared,) = {tuples[r] for r in members}
        assert is_km([rows[r] for r in members], 5, 2)
        cuts.setdefault(shared, set()).add(tuple(cut.labels))  # type: ignore[arg-type]
    assert max(map(len, cuts.values())) > 1


def test_records_without_items_are_in_the_last_part() -> None:
    case = rt_case(5, 40)
    table = case.table.with_transactions(case.table.transactions.take(np.arange(40)))  # type: ignore[union-attr]
    function = PartsFunction.of(Lra(k=2, m=2, partitions=3), 2, table, case.hierarchies)
    (mapping,) = function.mappings([np.arange(40)])
    assert sorted(np.concatenate(mapping.parts).tolist()) == list(range(40))  # type: ignore[union-attr]


def test_lra_needs_a_hierarchy() -> None:
    case = rt_case(3, 40)
    with pytest.raises(InputError, match="hierarchy"):
        RFirst(k=2, m=2, transaction=Lra).recode(case.table, {"origin": case.hierarchies["origin"]})
