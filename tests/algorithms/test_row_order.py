"""The published bytes are the same for every order of the input rows."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import anonset
from algorithms.contracts import CONTRACTS, Case, relational_case, rt_case
from algorithms.contracts import published as applied
from anonset.algorithms.base import Algorithm, Result, traits_of
from anonset.algorithms.record_order import recode_in_order
from anonset.algorithms.registry import ALGORITHMS
from anonset.algorithms.split.solving import split_and_solve
from anonset.data import CategoricalColumn, Table

BY_CHANCE = {
    "anatomy": "tuples with equal sensitive values are drawn at random",
    "safe-grouping": "ids are grouped at random",
}
"""Algorithms whose result depends on random numbers, with the reason."""
N = 60


def in_order(table: Table, rows: np.ndarray) -> Table:
    """Return the rows of a table in another order, with the declaration that each row is a person."""
    return replace(table.take(rows), statements=replace(table.statements, unit="row"))


def published(case: Case, algorithm: Algorithm, rows: np.ndarray, out: Path) -> Mapping[str, bytes]:
    names = {column.name for column in case.table.columns}
    trees = {name: tree for name, tree in case.hierarchies.items() if name in names}
    anonset.anonymize(in_order(case.table, rows), algorithm, hierarchies=trees, out=out, accept="worthless")
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.mark.filterwarnings("ignore:.*retains no information")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", sorted(CONTRACTS.keys() - BY_CHANCE))
def test_the_order_of_the_rows_does_not_change_the_publication(tmp_path: Path, name: str, seed: int) -> None:
    case, algorithm = CONTRACTS[name].case(seed, N), CONTRACTS[name].make(ALGORITHMS[name], 3, 2)
    rows = np.arange(case.table.n)
    first = published(case, algorithm, rows, tmp_path / "first")
    for number in range(2):
        random.Random(number).shuffle(rows)
        assert published(case, algorithm, rows, tmp_path / str(number)) == first


def with_ward(case: Case) -> Case:
    """Add a kept column, so that records of equal quasi-identifiers and items differ."""
    wards = CategoricalColumn.of("ward", random.Random(0).choices("uvwxy", k=case.table.n))
    return Case(replace(case.table, kept=(wards,)), case.hierarchies)


def shown(case: Case, result: Result, rows: np.ndarray) -> list[tuple[object, ...]]:
    """Return the published rows, sorted, each with its kept value."""
    publication = applied(Case(case.table.take(rows), case.hierarchies), result)
    kept = [column.labels() for column in case.table.take(rows).kept]
    sets = [] if publication.transactions is None else [map(tuple, publication.transactions.rows())]
    return sorted(zip(*(column.labels() for column in publication.relational), *sets, *kept, strict=True))


IN_PARTS = [name for name in CONTRACTS if traits_of(CONTRACTS[name].make(ALGORITHMS[name], 3, 2)).split_records]


@pytest.mark.parametrize("name", IN_PARTS)
@pytest.mark.parametrize("most", [N, N // 3])
def test_the_order_of_the_rows_does_not_change_which_kept_values_are_together(name: str, most: int) -> None:
    case, algorithm = with_ward(CONTRACTS[name].case(5, N)), CONTRACTS[name].make(ALGORITHMS[name], 3, 2)
    rows, found = np.arange(N), []
    for number in range(3):
        result = split_and_solve(algorithm, most, case.table.take(rows), case.hierarchies)
        found.append(shown(case, result, rows))
        random.Random(number).shuffle(rows)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    "algorithm",
    [
        *(ALGORITHMS[name](k=3, refine=True) for name in ("cluster", "k-member", "mondrian", "xu-bottom-up")),
        *(ALGORITHMS[name](k=3, m=2, delta=0.3) for name in ("rum-bound", "tum-bound")),
    ],
    ids=lambda algorithm: algorithm.name,
)
def test_options_that_break_ties_do_not_depend_on_the_order(algorithm: Algorithm) -> None:
    make = rt_case if algorithm.name in ("rum-bound", "tum-bound") else relational_case
    case, rows, found = with_ward(make(1, N)), np.arange(N), []
    for number in range(3):
        result = recode_in_order(algorithm, case.table.take(rows), case.hierarchies)
        found.append(shown(case, result, rows))
        random.Random(number).shuffle(rows)
    assert found[0] == found[1] == found[2]
