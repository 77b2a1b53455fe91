"""Contract tests for algorithms, for authors of plug-ins.

>>> from anonset import Apriori
>>> check_algorithm(Apriori(k=3, m=2))
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, Result
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.split_mix import SplitMix
from anonset.data.storage.workers import Threads
from anonset.errors import InfeasibleError
from anonset.privacy import PrivacyModel
from anonset.publications import Published
from anonset.release.formats import Layout, kind_of
from anonset.settings.binding import bind
from anonset.verification import verify

_ITEMS = Hierarchy.from_tree(
    (
        "any",
        [
            ("dairy", [("milk", ["skim", "full"]), "yogurt"]),
            ("bakery", ["bread", "rolls", "cake"]),
            ("misc", ["pens", "tea"]),
        ],
    )
)
_ORIGINS = Hierarchy.from_tree(("all", [("Europe", ["France", "Greece", "Spain"]), ("Africa", ["Algeria", "Nigeria"])]))
_LONGEST = 5


class ContractError(AssertionError):
    """An algorithm violates the contract of algorithms."""


def check_algorithm(algorithm: Algorithm, *, records: int = 40, seeds: int = 3) -> None:
    """Check an algorithm against the contract of algorithms, on small random tables.

    - The algorithm is a frozen, keyword-only dataclass with a name and a model.
    - The independent verification confirms that each publication satisfies the model and covers the original.
    - The result depends only on the input, not on the number of workers.
    - The input is unchanged.
    - The publication of an empty table is empty.

    Parameters
    ----------
    algorithm
        Algorithm with parameters, including a seed if the algorithm is randomized. The tables contain the sensitive
        items of its model.
    records
        Number of records per table.
    seeds
        Number of tables. At least one must be feasible.

    Raises
    ------
    ContractError
        If the algorithm violates the contract.
    """
    _check_declaration(algorithm)
    served = [_check_on(algorithm, seed, records) for seed in range(seeds)]
    _require(any(served), f"none of {seeds} random tables of {records} records is feasible for {algorithm!r}")
    empty = _published(algorithm, *_table(algorithm.model, 0, 0), workers=1)
    _require(empty is not None and empty.n == 0, "the publication of an empty table must be empty")


def _check_declaration(algorithm: Algorithm) -> None:
    cls: Any = type(algorithm)
    _require(dataclasses.is_dataclass(algorithm), f"{cls.__name__} must be a dataclass of parameters")
    _require(cls.__dataclass_params__.frozen, f"{cls.__name__} must be frozen")
    loose = [field.name for field in dataclasses.fields(cls) if not field.kw_only]
    _require(not loose, f"the parameters of {cls.__name__} must be keyword-only; {', '.join(loose)} is not")
    _require(isinstance(algorithm, Algorithm), f"{cls.__name__} must have a name, a model and a method recode")
    model = algorithm.model
    _require(isinstance(model, PrivacyModel), f"the model of {cls.__name__} must be a PrivacyModel, got {model!r}")
    _require(bool(model.protects), f"model {model.name} must declare the roles that it protects")
    _require(bool(model.statement and model.limits), f"model {model.name} must state the guarantee and the limits")


def _check_on(algorithm: Algorithm, seed: int, records: int) -> bool:
    """Check an algorithm on a random table. Return False if the table is infeasible."""
    table, hierarchies = _table(algorithm.model, seed, records)
    before = _content(table)
    publication = _published(algorithm, table, hierarchies, workers=1)
    _require(_content(table) == before, f"{algorithm.name} must not change the input")
    others = [_published(algorithm, table, hierarchies, workers=workers) for workers in (1, 3)]
    same = [_content_of(other) == _content_of(publication) for other in others]
    _require(same[0], f"{algorithm.name} must return the same result for the same input")
    _require(same[1], f"{algorithm.name} must return the same result for any number of workers")
    if publication is None:
        return False
    verdict = verify(publication, algorithm.model)
    _require(verdict.holds is True, f"the publication of {algorithm.name} must satisfy the model: {verdict!s}")
    untrue = kind_of(algorithm.model).find_contradiction(table, publication, hierarchies, algorithm.model)
    _require(untrue is None, f"the publication of {algorithm.name} must be consistent with the original: {untrue}")
    return True


def _published(
    algorithm: Algorithm, table: Table, hierarchies: Mapping[str, Hierarchy], *, workers: int
) -> Published | None:
    try:
        result = algorithm.recode(table.with_workers(Threads(workers)), hierarchies)
    except InfeasibleError:
        return None
    _require(isinstance(result, Result), f"{algorithm.name}.recode must return a Result, got {type(result).__name__}")
    made: Published = kind_of(algorithm.model).apply(
        table, hierarchies, result, Layout(order="input", symbols="members")
    )
    return made


def _table(model: PrivacyModel, seed: int, records: int) -> tuple[Table, Mapping[str, Hierarchy]]:
    random = SplitMix(seed)

    def pick(values: tuple[str, ...] | str) -> str:
        return values[random.below(len(values))]

    sets: SetColumn | None = None
    relational: tuple[CategoricalColumn | NumericColumn, ...] = ()
    ids: tuple[CategoricalColumn, ...] = ()
    sensitive: CategoricalColumn | None = None
    if "items" in model.protects:
        labels, secrets = tuple(_ITEMS.leaves.labels), tuple(model.secrets)
        rows = [{pick(labels) for _ in range(1 + random.below(_LONGEST))} for _ in range(records)]
        for record in range(0, records if secrets else 0, 9):  # rare: at most 1 in l records may contain the item
            rows[record].add(secrets[record // 9 % len(secrets)])
        sets = SetColumn.of(rows, universe=tuple(dict.fromkeys((*labels, *secrets))))
    if "relational" in model.protects:
        relational = (
            NumericColumn("age", np.array([18 + random.below(43) for _ in range(records)], np.int64)),
            CategoricalColumn.of("origin", [pick(tuple(_ORIGINS.leaves.labels)) for _ in range(records)]),
            CategoricalColumn.of("ward", [pick("123") for _ in range(records)]),
        )
    if "sensitive" in model.protects:
        ids = (CategoricalColumn.of("person", [f"P{random.below(max(1, records // 2))}" for _ in range(records)]),)
        sensitive = CategoricalColumn.of("drug", ["abcdefg"[record % 7] for record in range(records)])
    table = Table(sets, relational, sensitive=sensitive, ids=ids)
    given = {"items": _ITEMS, "origin": _ORIGINS}
    if model.secrets and not model.secrets_beside:
        del given["items"]  # the hierarchy has no leaves for the sensitive items
    return bind(table, {column.name: given[column.name] for column in table.columns if column.name in given}, model)


def _content(table: Table) -> list[Any]:
    arrays: list[Any] = []
    for column in table.columns:
        if isinstance(column, SetColumn):
            arrays += [column.indptr.tolist(), column.items.tolist()]
        else:
            arrays.append((column.codes if isinstance(column, CategoricalColumn) else column.values).tolist())
    return arrays


def _content_of(publication: Published | None) -> list[Any] | None:
    return None if publication is None else publication.content()


def _require(holds: bool, promise: str) -> None:
    if not holds:
        raise ContractError(promise)
