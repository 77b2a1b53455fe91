"""(k, l^m)-diversity by the RT frameworks: l^m-AA on each cluster."""

import random
from functools import partial
from typing import Any

import pytest
from tests.facts import refused

from algorithms.contracts import classes, rows_of, tuples_of
from anonset.algorithms.rt.rfirst import RFirst
from anonset.algorithms.rt.rum_bound import RumBound
from anonset.algorithms.rt.tum_bound import TumBound
from anonset.algorithms.transaction.cuts.lm_apriori import LmApriori
from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table
from anonset.data.hierarchies.combined_hierarchies import attach_sensitive
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import apply
from anonset.measures.losses.record_utility_loss import record_utility_loss
from anonset.privacy.lm import KLmDiversity
from anonset.verification import verify
from reference.diversity import is_diverse
from reference.hierarchy_model import parse

HIERARCHY = Hierarchy.from_tree(parse("ALL(A(a1,a2,a3),B(b1,b2,b3))"))
SECRETS = ("s1", "s2")
FRAMEWORKS: dict[str, Any] = {"rum-bound": RumBound, "tum-bound": TumBound, "rfirst": RFirst}
every_framework = pytest.mark.parametrize("name", FRAMEWORKS)


def make(name: str, k: int, l: int, m: int, **more: Any) -> Any:  # noqa: E741
    bound = {} if name == "rfirst" else {"delta": more.pop("delta", 1.0)}
    function = partial(LmApriori, l=l, sensitive_items=SECRETS)
    return FRAMEWORKS[name](k=k, m=m, transaction=function, **bound, **more)


def table_of(seed: int, n: int = 40) -> Table:
    rng = random.Random(seed)
    rows = [set(rng.sample(HIERARCHY.leaves.labels, rng.randint(0, 3))) for _ in range(n)]
    for row in rows[::7]:
        row.add(rng.choice(SECRETS))
    ages = CategoricalColumn.of("age", [str(rng.randint(1, 5)) for _ in range(n)])
    return Table(SetColumn.of(rows, universe=(*HIERARCHY.leaves.labels, *SECRETS)), (ages,))


@every_framework
@pytest.mark.parametrize(("k", "l", "m"), [(2, 2, 1), (4, 2, 2), (5, 3, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_every_class_is_diverse(name: str, k: int, l: int, m: int, seed: int) -> None:  # noqa: E741
    table = table_of(seed)
    algorithm = make(name, k, l, m, on_infeasible="merge")
    assert algorithm.model == KLmDiversity(k, l, m, SECRETS)
    result = algorithm.recode(table, {"items": HIERARCHY})
    publication = apply(table, result.recoding)
    for part in classes(tuples_of(publication), rows_of(publication)):
        assert is_diverse(part, SECRETS, k, l, m)
    assert verify(publication, algorithm.model).holds
    before = [set(row) & set(SECRETS) for row in table.transactions.rows()]  # type: ignore[union-attr]
    assert [row & set(SECRETS) for row in rows_of(publication)] == before


@every_framework
def test_losses_count_only_non_sensitive_items(name: str) -> None:
    table = table_of(5)
    result = make(name, 4, 2, 2, on_infeasible="merge").recode(table, {"items": HIERARCHY})
    column = table.transactions
    assert column is not None
    plain = SetColumn.of([set(row) - set(SECRETS) for row in column.rows()], universe=column.vocabulary.labels)
    publication = apply(table.with_transactions(plain), result.recoding)
    assert result.figures["tum"] == pytest.approx(record_utility_loss(publication))


@every_framework
def test_a_hierarchy_with_the_sensitive_items_attached_is_the_same(name: str) -> None:
    table, attached = table_of(2), attach_sensitive(HIERARCHY, SECRETS)
    merged = make(name, 3, 2, 2, on_infeasible="merge").recode(table, {"items": HIERARCHY})
    other = make(name, 3, 2, 2, on_infeasible="merge").recode(table, {"items": attached})
    assert rows_of(apply(table, merged.recoding)) == rows_of(apply(table, other.recoding))


@every_framework
def test_a_cluster_with_a_too_frequent_sensitive_item_is_infeasible_or_merged(name: str) -> None:
    rows = [{"a1", "s1"}, {"a2", "s1"}, {"b1"}, {"b2"}]
    ages = CategoricalColumn.of("age", ["1", "1", "2", "2"])
    table = Table(SetColumn.of(rows, universe=(*HIERARCHY.leaves.labels, *SECRETS)), (ages,))
    with refused(InfeasibleError, "sensitive s1 2 1/2"):
        make(name, 2, 2, 1, **({} if name == "rfirst" else {"delta": 0.0})).recode(table, {"items": HIERARCHY})
    result = make(name, 2, 2, 1, on_infeasible="merge").recode(table, {"items": HIERARCHY})
    assert result.recoding.cluster.tolist() == [0, 0, 0, 0]
    with refused(InfeasibleError, "cluster sensitive s1"):
        make(name, 2, 3, 1, on_infeasible="merge").recode(table, {"items": HIERARCHY})


@every_framework
def test_a_relational_value_may_be_spelled_as_a_sensitive_item(name: str) -> None:
    table = table_of(3)
    codes = CategoricalColumn.of("code", [SECRETS[i % 2] for i in range(table.n)])
    coded = Table(table.transactions, (codes,))
    values = Hierarchy.from_tree(parse("ANY(s1,s2)"))
    algorithm = make(name, 3, 2, 2, on_infeasible="merge")
    publication = apply(coded, algorithm.recode(coded, {"items": HIERARCHY, "code": values}).recoding)
    assert verify(publication, algorithm.model).holds


@every_framework
def test_the_hierarchy_must_exclude_sensitive_items(name: str) -> None:
    table = table_of(1)
    wrong = Hierarchy.from_tree(parse("ALL(a1,a2,a3,b1,b2,b3,s1,s2)"))
    with refused(InputError, "s1 hierarchy"):
        make(name, 2, 2, 1).recode(table, {"items": wrong})
    with refused(InputError, "hierarchy"):
        make(name, 2, 2, 1).recode(table, {})
