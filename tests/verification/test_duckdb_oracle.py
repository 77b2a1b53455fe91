"""An independent database counts the same supports."""

from itertools import pairwise

import duckdb
import numpy as np
import pytest

from anonset.data import SetColumn, Table
from anonset.privacy import KmAnonymity
from anonset.support import SupportIndex
from anonset.verification import verify

Supports = dict[tuple[int, ...], int]


@pytest.fixture(scope="module")
def column() -> SetColumn:
    rng = np.random.default_rng(5)
    labels = [f"i{code:02d}" for code in range(25)]
    chances = 0.5 / np.arange(1, 26) ** 0.7
    held = rng.random((2000, 25)) < chances
    return SetColumn.of([[labels[code] for code in np.flatnonzero(row)] for row in held], universe=labels)


@pytest.fixture(scope="module")
def counted(column: SetColumn) -> dict[int, Supports]:
    with duckdb.connect() as database:
        database.execute("create table held (record integer, item integer)")
        records = np.repeat(np.arange(column.n), column.lengths)
        pairs = list(zip(records.tolist(), column.items.tolist(), strict=True))
        values = ",".join(map(str, pairs))
        database.execute(f"insert into held values {values}")
        return {size: _supports(database, size) for size in (1, 2, 3)}


def _supports(database: duckdb.DuckDBPyConnection, size: int) -> Supports:
    names = [f"h{i}" for i in range(size)]
    joins = "".join(
        f" join held {right} on {remaining}.record = {right}.record and {remaining}.item < {right}.item"
        for remaining, right in pairwise(names)
    )
    chosen = ", ".join(f"{name}.item" for name in names)
    result = database.execute(f"select {chosen}, count(*) from held h0{joins} group by {chosen}").fetchall()
    return {tuple(row[:-1]): row[-1] for row in result}


@pytest.mark.parametrize("m", [1, 2, 3])
def test_verification_agrees_with_the_database(column: SetColumn, counted: dict[int, Supports], m: int) -> None:
    smallest = min(min(counted[size].values()) for size in range(1, m + 1))
    verdict = verify(Table(column), KmAnonymity(smallest, m))
    assert verdict.holds is True
    assert verdict.checked["distinct_itemsets"] == {size: len(counted[size]) for size in range(1, m + 1)}
    k = smallest + 2
    rare = min(
        (len(itemset), itemset) for size in range(1, m + 1) for itemset, support in counted[size].items() if support < k
    )[1]
    witness = verify(Table(column), KmAnonymity(k, m)).witness
    assert witness is not None
    assert witness.what == tuple(column.vocabulary.labels[code] for code in rare)
    assert witness.support == counted[len(rare)][rare]


def test_the_support_index_agrees_with_the_database(column: SetColumn, counted: dict[int, Supports]) -> None:
    index = SupportIndex(column)
    for size in (1, 2, 3):
        assert {itemset: index.support(itemset) for itemset in counted[size]} == counted[size]
