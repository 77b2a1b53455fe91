"""Relational loss after each merge equals a naive sum, and the account shows a few of these losses."""

import random

import numpy as np
import pytest

from anonset.algorithms.relational.formations import formation_of
from anonset.algorithms.rt.merging import Merge, intermediate_losses
from anonset.algorithms.rt.rum_bound import RumBound
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.measures.losses.relational_ncp import relational_ncp

HIERARCHY = Hierarchy.balanced("abcdef", 3)


def random_table(seed: int, n: int) -> Table:
    rng = random.Random(seed)
    age = NumericColumn("age", np.array([rng.randint(0, 9) for _ in range(n)]))
    sex = CategoricalColumn.of("sex", [rng.choice("fmx") for _ in range(n)])
    items = SetColumn.of([set(rng.choices("abcdef", k=2)) for _ in range(n)], universe=HIERARCHY.leaves.labels)
    return Table(items, (age, sex))


@pytest.mark.parametrize("seed", range(12))
def test_each_merge_records_the_loss_after_it(seed: int) -> None:
    table = random_table(seed, 30)
    result = RumBound(k=2, m=1, delta=1.0, transaction=Apriori).recode(table, {"items": HIERARCHY})
    qi = QuasiIdentifiers.of(table.relational, {})
    cluster = formation_of("cluster", 2, None).form(qi)
    assert relational_ncp(qi, cluster) == pytest.approx(result.figures["rum_before"], abs=1e-12)
    assert len(result.trace) > 3
    for merge in result.trace:
        cluster = np.where(cluster == cluster[merge.other], cluster[merge.seed], cluster)
        numbered = np.unique(cluster, return_inverse=True)[1].astype(np.int32)
        assert merge.rum == pytest.approx(relational_ncp(qi, numbered), abs=1e-12)
    assert result.trace[-1].rum == pytest.approx(result.figures["rum"], abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_intermediate_losses_list_the_remaining_clusters(seed: int) -> None:
    rng = random.Random(seed)
    losses = sorted(rng.random() for _ in range(rng.randint(1, 30)))
    before, clusters = losses[0] * rng.random(), len(losses) + rng.randint(1, 5)
    way = intermediate_losses(before, clusters, [Merge(0, 1, 2, 0.0, loss) for loss in losses])
    assert len(way) <= 4 + 2
    assert way[0] == (before, clusters)
    assert way[-1] == (losses[-1], clusters - len(losses))
    for value, remaining in way[1:]:
        assert remaining == clusters - sum(loss <= value + 1e-12 for loss in losses)
    assert way == sorted(way)


def test_without_merges_there_is_no_way() -> None:
    assert intermediate_losses(0.25, 7, []) == [(0.25, 7)]
