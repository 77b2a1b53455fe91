"""CAHD: comparison with its twin, a worked example, and properties of publications."""

import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.facts import refused

import anonset
from anonset.algorithms.transaction.disassociation.cahd import band_order
from anonset.algorithms.transaction.partitions.gray_order import GrayOrder
from anonset.data import SetColumn, Table
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Disassociated
from anonset.generalization.chunk_cutting import disassociate
from anonset.verification import verify
from anonset.verification.chunk_truth import check_chunks_true
from effort import examples
from reference.cahd import groups, is_capped

SECRETS = ("burn", "cold", "flu", "gout", "hiv", "ulcer")
SHOP = ("wine meat flu", "cream soap", "wine meat", "tea", "cream soap hiv", "tea milk")
thorough = settings(max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 2**32 - 1)


def random_case(seed: int) -> tuple[list[set[str]], Fraction, int]:
    rng = random.Random(seed)
    n, share = rng.randint(1, 40), rng.choice((0.05, 0.15, 0.25, 0.4))
    rows = [set(rng.choices("abcdefgh", k=rng.randint(0, 4))) for _ in range(n)]
    for row in rows:
        row.update(secret for secret in SECRETS if rng.random() < share)
    cap = rng.choice((Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(1, 50)))
    return rows, cap, rng.randint(1, 3)


def is_feasible(rows: list[set[str]], cap: Fraction) -> bool:
    return is_capped([row & set(SECRETS) for row in rows], cap)


def sorted_records(rows: list[set[str]]) -> list[int]:
    """Return the records in band order."""
    column = SetColumn.of(rows)
    public = np.array([label not in SECRETS for label in column.vocabulary.labels], np.bool_)
    order = GrayOrder.of(column).record
    records: list[int] = order[band_order(column.take(order).only(public))].tolist()
    return records


def recoded(algorithm: anonset.Cahd, table: Table) -> Disassociated:
    recoding = algorithm.recode(table, {}).recoding
    assert isinstance(recoding, Disassociated)
    return recoding


def groups_of(recoding: Disassociated) -> list[list[int]]:
    """Return the records of each cluster, ascending."""
    record, begins = recoding.record.tolist(), recoding.begins.tolist()
    return [record[first:end] for first, end in pairwise(begins)]


@thorough
@given(seeds)
def test_cahd_equals_its_twin(seed: int) -> None:
    rows, cap, alpha = random_case(seed)
    algorithm = anonset.Cahd(sensitive_items=SECRETS, cap=cap, alpha=alpha)
    if not is_feasible(rows, cap):
        with pytest.raises(InfeasibleError):
            algorithm.recode(Table.from_sets(rows), {})
        return
    order = sorted_records(rows)
    expected = groups([rows[record] for record in order], SECRETS, cap, alpha)
    actual = groups_of(recoded(algorithm, Table.from_sets(rows)))
    assert actual == [sorted(order[place] for place in group) for group in expected]


def test_the_cases_are_no_trifle() -> None:
    several = rolled_back = conflicts = 0
    for seed in range(120):
        rows, cap, alpha = random_case(seed)
        if not is_feasible(rows, cap):
            continue
        found = groups([rows[record] for record in sorted_records(rows)], SECRETS, cap, alpha)
        several += len(found) > 3
        last = [rows[sorted_records(rows)[place]] & set(SECRETS) for place in found[-1]]
        rolled_back += cap < 1 and any(last)
        conflicts += any(len(row & set(SECRETS)) > 1 for row in rows)
    assert several > 12
    assert rolled_back > 8
    assert conflicts > 20


@thorough
@given(seeds)
def test_every_publication_is_verified_and_true(seed: int) -> None:
    rows, cap, alpha = random_case(seed)
    assume(is_feasible(rows, cap))
    algorithm = anonset.Cahd(sensitive_items=SECRETS, cap=cap, alpha=alpha)
    table = Table.from_sets(rows)
    publication = disassociate(table, recoded(algorithm, table))
    assert verify(publication, algorithm.model).holds
    assert check_chunks_true(table, publication) is None
    assert not any(cluster.terms for cluster in publication.clusters)
    labels = publication.vocabulary.labels
    for cluster in publication.clusters:
        for chunk in cluster.chunks:
            shown = {labels[item] for items, _ in chunk for item in items}
            assert len(shown) == 1 or not shown & set(SECRETS)
            assert not shown & set(SECRETS) or sum(count for _, count in chunk) <= cap * cluster.n


@thorough
@given(seeds)
def test_the_order_of_the_records_changes_nothing(seed: int) -> None:
    rows, cap, alpha = random_case(seed)
    assume(is_feasible(rows, cap))
    algorithm = anonset.Cahd(sensitive_items=SECRETS, cap=cap, alpha=alpha)
    mixed = random.Random(seed).sample(rows, len(rows))
    first, other = (disassociate(table, recoded(algorithm, table)) for table in map(Table.from_sets, (rows, mixed)))
    assert (first.clusters, first.vocabulary.labels) == (other.clusters, other.vocabulary.labels)


def test_a_worked_example() -> None:
    """Records 0 (flu) and 4 (hiv) each form a group with the record of the same public items."""
    rows = [set(row.split()) for row in SHOP]
    table = Table.from_sets(rows)
    recoding = recoded(anonset.Cahd(sensitive_items=SECRETS, cap="1/2"), table)
    publication = disassociate(table, recoding)
    shown = {frozenset(group) for group in groups_of(recoding)}
    assert shown == {frozenset({0, 2}), frozenset({1, 4}), frozenset({3, 5})}
    labels = publication.vocabulary.labels
    chunks = {
        tuple((" ".join(sorted(labels[item] for item in items)), count) for items, count in chunk)
        for cluster in publication.clusters
        for chunk in cluster.chunks
    }
    assert {(("meat wine", 2),), (("cream soap", 2),), (("flu", 1),), (("hiv", 1),)} < chunks


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sensitive_items": ()}, "sensitive_items none"),
        ({"sensitive_items": ("a",), "alpha": 0}, "alpha 1 0"),
        ({"sensitive_items": ("a",), "cap": 0}, "cap 0 1"),
        ({"sensitive_items": ("a",), "cap": "1.5"}, "cap 1 '1.5'"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with refused(InputError, message):
        anonset.Cahd(**parameters)


def test_too_frequent_sensitive_items_are_named() -> None:
    with refused(InfeasibleError, "'hiv' 2 3 66.7% 1/2"):
        anonset.Cahd(sensitive_items=("hiv",)).recode(Table.from_sets([["a", "hiv"], ["b", "hiv"], ["c"]]), {})


def test_an_unused_hierarchy_is_noted() -> None:
    hierarchy = anonset.Hierarchy.from_tree(("all", ["a", "b"]))
    result = anonset.Cahd(sensitive_items=("hiv",)).recode(Table.from_sets([["a"], ["b"]]), {"items": hierarchy})
    assert "hierarchy" in result.notes[0]
