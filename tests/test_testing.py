"""The test suite for third-party algorithms detects faulty algorithms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.facts import refused

from anonset import Hierarchy, ItemGroups, KmAnonymity, Result, Table, Traits
from anonset.testing import ContractError, check_algorithm

CALLS = count()


def one_group(table: Table, k: int) -> Any:
    """Put all items into one group: safe if k records contain an item."""
    return np.zeros(len(table.transactions.vocabulary), np.int32)  # type: ignore[union-attr]


def nothing_done(table: Table, k: int) -> Any:
    return np.arange(len(table.transactions.vocabulary), dtype=np.int32)  # type: ignore[union-attr]


def other_each_time(table: Table, k: int) -> Any:
    groups = one_group(table, k)
    groups[0] = -(next(CALLS) % 2)
    return groups


def spoils_its_input(table: Table, k: int) -> Any:
    table.transactions.items[:1] = 0 if table.transactions.items[:1].any() else 1  # type: ignore[union-attr]
    return one_group(table, k)


@dataclass(frozen=True, kw_only=True)
class Grouping:
    name: ClassVar[str] = "grouping"
    traits: ClassVar[Traits] = Traits(forms_sets=True)

    k: int
    by: Callable[[Table, int], Any] = one_group

    @property
    def model(self) -> KmAnonymity:
        return KmAnonymity(self.k, 2)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Any = None) -> Result:
        assert table.transactions is not None
        return Result(ItemGroups(table.transactions.vocabulary, self.by(table, self.k)))


@dataclass(frozen=True)
class Positional(Grouping):
    k: int = 2


@dataclass(kw_only=True)
class Changeable:
    k: int


def test_a_correct_algorithm_passes() -> None:
    check_algorithm(Grouping(k=3))


@pytest.mark.parametrize(
    ("algorithm", "message"),
    [
        (
            Grouping(k=9, by=nothing_done),
            "grouping model km-anonymity k=9, m=2",
        ),
        (Grouping(k=3, by=other_each_time), "grouping same"),
        (Grouping(k=3, by=spoils_its_input), "grouping input"),
        (Positional(), "Positional keyword-only k"),
        (Changeable(k=2), "Changeable frozen"),
    ],
)
def test_a_broken_promise_is_named(algorithm: Any, message: str) -> None:
    with refused(ContractError, message):
        check_algorithm(algorithm)
