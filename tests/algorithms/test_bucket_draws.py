"""Random draws of bucketization depend on seed and input only, and are uniform over equivalent outcomes."""

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pytest

from algorithms.bucket_tables import table_of
from anonset.algorithms.buckets.draws import Draws
from anonset.algorithms.buckets.safe_grouping import SafeGrouping
from anonset.data import CategoricalColumn, Table
from anonset.data.fingerprints import content_sha256
from anonset.generalization import Bucketized

RUNS = 1200
Rows = Sequence[tuple[str, str]]


def members(rows: Rows, buckets: Bucketized) -> tuple[str, ...]:
    """Return the persons of each group, by group number."""
    groups = [{u for (u, _), g in zip(rows, buckets.group, strict=True) if g == n} for n in range(2)]
    return tuple("".join(sorted(group)) for group in groups)


def removed(rows: Rows, buckets: Bucketized) -> tuple[int, ...]:
    return tuple(np.flatnonzero(buckets.group < 0).tolist())


def starred(rows: Rows, buckets: Bucketized) -> tuple[int, ...]:
    return tuple(np.flatnonzero(buckets.starred).tolist())


def of_first(rows: Rows, buckets: Bucketized) -> tuple[int, ...]:
    """Return the removed tuples of the first person, who has most tuples."""
    return tuple(t for t in removed(rows, buckets) if rows[t][0] == rows[0][0])


def rows_of(text: str) -> Rows:
    """Parse ``a:xy b:z`` to the tuples (a, x), (a, y) and (b, z)."""
    return [(person, value) for person, values in (part.split(":") for part in text.split()) for value in values]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("text", "k", "l", "seen", "n_outcomes"),
    [
        pytest.param("a:p b:q c:r d:s", 2, 2, members, 6, id="groups and their order"),
        pytest.param("a:pqrst b:uvwx c:yzo d:nm e:l", 2, 2, members, 4, id="additional members"),
        pytest.param("a:pqrs b:tu", 2, 2, starred, 6, id="starred tuples"),
        pytest.param("a:xxx b:pq", 2, 2, removed, 3, id="removed tuple of a person"),
        pytest.param("a:xp b:xq c:xr", 3, 3, removed, 3, id="persons who lose a tuple"),
        pytest.param("a:xxp b:xxq c:xrs", 3, 3, removed, 4, id="persons and tuples"),
        pytest.param("a:xyp b:xy c:xy d:pqr", 4, 4, of_first, 3, id="order of two values"),
    ],
)
@pytest.mark.long
def test_outcomes_are_uniform(text: str, k: int, l: int, seen: Callable[..., Hashable], n_outcomes: int) -> None:  # noqa: E741
    rows = rows_of(text)
    table, outcomes = table_of(rows), Counter[Any]()
    for seed in range(RUNS):
        buckets = SafeGrouping(k=k, l=l, seed=seed).recode(table, {}).recoding
        assert isinstance(buckets, Bucketized)
        outcomes[seen(rows, buckets)] += 1
    assert len(outcomes) == n_outcomes
    assert all(abs(count - RUNS / n_outcomes) < 5 * np.sqrt(RUNS / n_outcomes) for count in outcomes.values())


def test_the_key_depends_on_the_seed_and_the_complete_input() -> None:
    table = table_of([("a", "x"), ("b", "y")])
    expected = hashlib.sha256(b"12\0" + content_sha256(table).encode()).digest()
    assert Draws.of(table, 12).secret == expected
    key = hashlib.sha256(expected + b"star").digest()
    assert Draws.of(table, 12).key("star").tobytes() == key[:16]
    others = [
        table_of([("a", "x"), ("b", "z")]),
        table_of([("b", "y"), ("a", "x")]),
        table_of([("a", "x"), ("c", "y")]),
        Table(sensitive=CategoricalColumn.of("other", ["x", "y"]), ids=table.ids),
    ]
    assert len({expected, *(Draws.of(other, 12).secret for other in others), Draws.of(table, 13).secret}) == 6


def test_without_a_seed_the_key_is_drawn_and_it_is_never_shown() -> None:
    table = table_of([("a", "x")])
    first, other = Draws.of(table, None), Draws.of(table, None)
    assert len(first.secret) == len(other.secret) == 32
    assert first.secret != other.secret
    assert repr(first) == "Draws()"
