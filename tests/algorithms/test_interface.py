"""Common test suite of all registered algorithms.

To add an algorithm, add a row to `contracts.CONTRACTS`.
"""

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.facts import refused

from algorithms.contracts import CONTRACTS, Case, published, rows_of
from anonset.algorithms.base import Algorithm, Result
from anonset.algorithms.registry import ALGORITHMS
from anonset.data import CategoricalColumn, NumericColumn, SetColumn
from anonset.data.resumption.ledger import Ledger
from anonset.data.storage.lease import RUN
from anonset.data.storage.store import Files
from anonset.data.storage.workers import Threads
from anonset.errors import InfeasibleError, InputError
from anonset.publications import Buckets, Chunks, Records
from anonset.testing import check_algorithm
from anonset.verification import verify
from anonset.verification.bucket_truth import check_buckets_truthful
from anonset.verification.chunk_truth import check_chunks_true

SETTINGS = [(2, 1), (2, 2), (3, 2), (4, 3)]
N = 40

SHARES = ("rho", "cap")
"""Parameters that are a share, 1/k in these tests."""
every_algorithm = pytest.mark.parametrize("name", CONTRACTS)
every_setting = pytest.mark.parametrize(
    ("name", "k", "m"),
    # without a second parameter, k = 2 is one setting
    [(name, k, m) for name in CONTRACTS for k, m in SETTINGS if (k, m) != (2, 2) or CONTRACTS[name].parameters[1:]],
)


def make(name: str, k: int, m: int) -> Algorithm:
    return CONTRACTS[name].make(ALGORITHMS[name], k, m)


def run(name: str, case: Case, k: int, m: int, workers: int = 1) -> Result:
    return make(name, k, m).recode(case.table.with_workers(Threads(workers)), case.hierarchies)


@cache
def once(name: str, seed: int, k: int, m: int) -> tuple[Case, Result, Any]:
    """Return the case of a seed, its result and its publication. Several tests examine the same run."""
    case = CONTRACTS[name].case(seed, N)
    result = run(name, case, k, m)
    return case, result, published(case, result)


def content(publication: Any) -> list[Any]:
    """Return a publication as plain values, for comparison."""
    if isinstance(publication, Buckets):
        columns = [column.labels() for column in (*publication.qit, publication.snt_value)]
        return [*columns, publication.snt_group.tolist(), publication.snt_count.tolist(), publication.record.tolist()]
    if isinstance(publication, Chunks):
        record, cluster = publication.record, publication.cluster
        assert record is not None
        assert cluster is not None
        return [publication.vocabulary.labels, publication.clusters, publication.shared, *map(list, (record, cluster))]
    result: list[Any] = [column.labels() for column in publication.relational]
    if publication.transactions is not None:
        result += [publication.symbols, list(publication.transactions.rows())]
    return [*result, None if publication.cluster is None else publication.cluster.tolist()]


def values_of(column: Any) -> Sequence[Any]:
    if isinstance(column, SetColumn):
        return [set(row) for row in column.rows()]
    if isinstance(column, NumericColumn):
        return [str(value) for value in column.values.tolist()]
    return column.labels() if isinstance(column, CategoricalColumn) else []


def test_every_registered_algorithm_has_a_contract() -> None:
    assert set(ALGORITHMS) == set(CONTRACTS)


@every_algorithm
def test_declares_its_name_and_model(name: str) -> None:
    algorithm = make(name, 3, 2)
    assert isinstance(algorithm, Algorithm)
    assert algorithm.name == name
    assert algorithm.model == CONTRACTS[name].model(3, 2)
    assert algorithm.model.statement
    assert algorithm.model.limits


@pytest.mark.compiled
@every_algorithm
def test_passes_the_suite_for_third_parties(name: str) -> None:
    check_algorithm(make(name, 3, 2))


@every_algorithm
def test_is_a_frozen_keyword_only_dataclass(name: str) -> None:
    algorithm_class: Any = ALGORITHMS[name]
    fields = dataclasses.fields(algorithm_class)
    assert fields
    assert all(field.kw_only for field in fields)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(make(name, 3, 2), fields[0].name, 1)


@every_setting
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.compiled) for seed in (1, 2))])
def test_the_publication_satisfies_the_model(name: str, k: int, m: int, seed: int) -> None:
    contract, publication = CONTRACTS[name], once(name, seed, k, m)[2]
    assert contract.holds(publication, k, m)
    assert verify(publication, make(name, k, m).model).holds
    assert publication.n == N or contract.suppresses


@every_algorithm
def test_the_naive_check_and_the_verification_can_fail(name: str) -> None:
    contract, publication = CONTRACTS[name], once(name, 0, 2, 2)[2]
    assert not contract.holds(publication, 41, 2)
    assert verify(publication, make(name, 41, 2).model).holds is False


@every_setting
def test_the_publication_is_true_of_the_original(name: str, k: int, m: int) -> None:
    case, _, publication = once(name, 1, k, m)
    if isinstance(publication, Buckets):
        assert check_buckets_truthful(case.table, publication) is None
        return
    if isinstance(publication, Chunks):
        assert check_chunks_true(case.table, publication) is None
        return
    assert publication.record.tolist() == list(range(N))
    if case.table.transactions is not None:
        _assert_items_are_true(case, publication, suppresses=CONTRACTS[name].suppresses)
    for before, after in zip(case.table.relational, publication.relational, strict=True):
        for value, text in zip(values_of(before), after.labels(), strict=True):
            assert _covers(text, value, case), (before.name, value, text)


def _assert_items_are_true(case: Case, publication: Records, *, suppresses: bool) -> None:
    """Each symbol covers an item of its record, and each published item of a record has a symbol."""
    members = {symbol.label: set(symbol.members) for symbol in publication.symbols}
    shown = set().union(*members.values()) if members else set()
    for row, record in zip(rows_of(publication), values_of(case.table.transactions), strict=True):
        assert all(members[symbol] & record for symbol in row)
        covered = set().union(*(members[symbol] for symbol in row)) if row else set()
        assert record - covered == (record - shown if suppresses else set())


def _covers(text: str, value: str, case: Case) -> bool:
    if text.startswith("["):
        low, high = text[1:-1].split(":")
        return float(low) <= float(value) <= float(high)
    if text.startswith("("):
        return value in text[1:-1].split(",")
    origins = case.hierarchies["origin"]
    if text in origins.node_of:
        node = origins.node_of[text]
        return value in origins.leaves.labels[origins.leaf_lo[node] : origins.leaf_hi[node]]
    return text == value


@pytest.mark.compiled
@every_setting
def test_is_deterministic_for_any_number_of_workers(name: str, k: int, m: int) -> None:
    case, first, publication = once(name, 2, k, m)
    for other in (run(name, case, k, m), run(name, case, k, m, workers=3)):
        assert content(published(case, other)) == content(publication)
        assert other.trace == first.trace


@every_algorithm
def test_a_finished_search_is_restored(work: Files, name: str) -> None:
    case, first, publication = once(name, 0, 2, 2)
    (work.path / RUN).write_text("{}")
    ledger = Ledger.of(work, case.table, case.hierarchies)
    ledger.finish("search", first)
    restored = ledger.finished("search")
    assert content(published(case, restored)) == content(publication)
    assert (restored.trace, restored.figures, restored.notes) == (first.trace, first.figures, first.notes)


@every_algorithm
def test_does_not_modify_its_input(name: str) -> None:
    case = CONTRACTS[name].case(13, N)
    before = [list(values_of(column)) for column in case.table.columns]
    nodes = {column: tree.leaf_node.copy() for column, tree in case.hierarchies.items()}
    run(name, case, 3, 2)
    assert [list(values_of(column)) for column in case.table.columns] == before
    assert all(np.array_equal(case.hierarchies[column].leaf_node, node_labels) for column, node_labels in nodes.items())


@every_setting
def test_an_empty_table_is_published_empty(name: str, k: int, m: int) -> None:
    case = CONTRACTS[name].case(5, 0)
    publication = published(case, run(name, case, k, m))
    assert publication.n == 0
    assert verify(publication, make(name, k, m).model).holds


@pytest.mark.parametrize(
    ("name", "m"),
    [
        (name, m)
        for name, contract in CONTRACTS.items()
        for m in ((1, 2, 50) if contract.parameters[1:] else (1,))
        if contract.same_at_one
    ],
)
def test_k_of_one_publishes_the_input(name: str, m: int) -> None:
    case = CONTRACTS[name].case(17, N)
    publication = published(case, run(name, case, 1, m))
    for before, after in zip(case.table.relational, publication.relational, strict=True):
        assert after.labels() == list(values_of(before))
    if case.table.transactions is not None:
        assert rows_of(publication) == values_of(case.table.transactions)


@pytest.mark.parametrize("name", [name for name, contract in CONTRACTS.items() if "m" in contract.parameters])
def test_m_beyond_the_longest_record_is_the_longest_record(name: str) -> None:
    case = CONTRACTS[name].case(19, 30)
    assert case.table.transactions is not None
    longest = int(case.table.transactions.lengths.max())
    first, other = (published(case, run(name, case, 3, m)) for m in (50, longest))
    assert CONTRACTS[name].holds(first, 3, longest)
    assert content(first) == content(other) or not CONTRACTS[name].longest_is_most


@pytest.mark.parametrize("name", [name for name, contract in CONTRACTS.items() if contract.infeasible is not None])
@pytest.mark.parametrize("k", [2, 5])
def test_an_infeasible_input_raises_with_a_reason(name: str, k: int) -> None:
    infeasible = CONTRACTS[name].infeasible
    assert infeasible is not None
    with pytest.raises(InfeasibleError) as caught:
        run(name, infeasible(k), k, 2)
    assert caught.value.reason
    assert caught.value.algorithm


BAD_K: list[tuple[Any, str]] = [
    (0, r"must be .* at least 1, got 0"),
    (-3, r"at least 1, got -3"),
    (2.5, r"an integer .*, got 2\.5"),
]
BAD_K += [("2", r"an integer .*, got '2'"), (True, r"an integer .*, got True")]


@pytest.mark.parametrize("name", [name for name, contract in CONTRACTS.items() if contract.parameters[0] not in SHARES])
@pytest.mark.parametrize(("k", "message"), BAD_K)
def test_bad_k_is_refused(name: str, k: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"{CONTRACTS[name].parameters[0]} {message}|{message}"):
        make(name, k, 2)


@pytest.mark.parametrize("name", [name for name, contract in CONTRACTS.items() if len(contract.parameters) > 1])
@pytest.mark.parametrize("m", [0, -1, True])
def test_bad_m_is_refused(name: str, m: Any) -> None:
    with refused(InputError, f"{CONTRACTS[name].parameters[1]} 1 {m}"):
        make(name, 2, m)
