"""The exact cut against the enumeration of all recodings, and what its search rests on."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from algorithms.implementations import Rows, bound_table
from algorithms.test_against_twins import Case, cases
from anonset.algorithms.base import Result
from anonset.algorithms.transaction.exact import Exact
from anonset.data import Hierarchy, Table
from anonset.errors import InfeasibleError
from anonset.generalization import Cut, apply
from anonset.measures.ncp import ncp_exact
from anonset.privacy import KmAnonymity
from anonset.verification import verify
from reference.exact import least_loss, recodings
from reference.exact import published as recoded
from reference.hierarchy_model import HierarchyModel, Tree
from reference.transaction_algorithms import Infeasible, is_km

thorough = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
in_both_modes = pytest.mark.parametrize("suppress", [False, True])


def run(rows: Rows, tree: Tree, k: int, m: int, **options: Any) -> tuple[Result, Table, Hierarchy]:
    hierarchy = Hierarchy.from_tree(tree)
    table = bound_table(rows, hierarchy)
    return Exact(k=k, m=m, **options).recode(table, {"items": hierarchy}), table, hierarchy


def image_of(result: Result) -> dict[str, str | None]:
    """Return what each leaf is published as."""
    cut = result.recoding
    assert isinstance(cut, Cut)
    labels = cut.hierarchy.labels
    return {labels[v]: None if to < 0 else labels[to] for v, to in zip(cut.hierarchy.leaf_node, cut.image, strict=True)}


def loss_of(result: Result, table: Table) -> Any:
    assert table.transactions is not None
    assert isinstance(result.recoding, Cut)
    return ncp_exact(table.transactions, result.recoding)


def assert_optimal(case: Case, *, suppress: bool) -> None:
    """Assert that the library finds the least loss, proves it, and publishes what is k^m-anonymous."""
    tree, rows, k, m = case
    model = HierarchyModel(tree)
    try:
        least = least_loss(rows, model, k, m, suppress=suppress)
    except Infeasible:
        with pytest.raises(InfeasibleError):
            run(rows, tree, k, m, suppress=suppress)
        return
    result, table, _ = run(rows, tree, k, m, suppress=suppress)
    assert loss_of(result, table) == least
    assert result.figures["lower_bound"] <= float(least) * (1 + 1e-12)
    assert result.figures["gap"] == 0
    assert result.figures["ncp"] == float(least)
    image = image_of(result)
    assert image in recodings(model, suppress=suppress)
    assert is_km(recoded(rows, image), k, m)
    assert verify(apply(table, result.recoding), KmAnonymity(k, m)).holds


@thorough
@given(cases)
def test_without_suppression_it_is_the_best_cut(case: Case) -> None:
    assert_optimal(case, suppress=False)


def few_leaves(case: Case) -> bool:
    """Tell whether the recodings with suppression can be enumerated."""
    return len(HierarchyModel(case[0]).leaves) <= 8


@thorough
@given(cases.filter(few_leaves))
def test_with_suppression_it_is_the_best_recoding(case: Case) -> None:
    assert_optimal(case, suppress=True)
