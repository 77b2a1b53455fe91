"""Tiny runs of the algorithms, so that their kernels are compiled, or loaded, before they are needed.

Which compiled code an algorithm needs depends on the types of its data and on some of its parameters, never on the
values: tables of a few dozen records call for all of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache, partial
from itertools import islice
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.algorithms.registry import ALGORITHMS
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.jobs.anonymize import Job
from anonset.privacy import PrivacyModel
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from anonset.release.formats import Layout, Order
from anonset.release.publish import verify_release
from anonset.settings.binding import bind

ITEMS = tuple(f"i{n}" for n in range(12))
"""The items of the tiny tables; `SECRETS` are among them."""
SECRETS = ("i10", "i11")
ORIGINS = ("Algeria", "France", "Italy", "Nigeria", "Spain")
RECORDS = 120

_REQUIRED: Mapping[str, Any] = {"k": 2, "m": 2, "l": 2, "p": 1, "delta": 1.0, "partitions": 2}
"""Values of the parameters that an algorithm cannot do without, by their names."""
_POLICY = PrivacyPolicy.of([["i0", "i1"], ["i2", "i3", "i4"]])
_UTILITY = UtilityPolicy.of([list(ITEMS[:6]), list(ITEMS[6:])])


@cache
def make_ready(name: str) -> None:
    """Run an algorithm of this library once in this process, before its time is taken."""
    for algorithm in islice(rehearsals(name), 1):
        rehearse(algorithm)


def rehearse(algorithm: Algorithm, order: Order = "sorted") -> None:
    """Run an algorithm on a tiny table, and verify what it finds, in some order of the rows."""
    table, given = table_for(algorithm.model)
    bound, hierarchies = bind(table, given, algorithm.model)
    found = Job(Layout(order, "members"), workers=1).search(bound, hierarchies, algorithm)
    verify_release(found, found.publication)


def rehearsals(name: str) -> Iterator[Algorithm]:
    """Yield an algorithm with parameters that call for all of its kernels; none of another package's."""
    cls: Any = ALGORITHMS.get(name)
    if cls is None or not cls.__module__.startswith("anonset."):
        return
    needed = [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
    required = {parameter: _REQUIRED[parameter] for parameter in needed}
    for more in _variants().get(name, ({},)):
        yield cls(**{**required, **more})


@cache
def _variants() -> Mapping[str, tuple[Mapping[str, Any], ...]]:
    """Return what to give beside the required parameters, for algorithms whose kernels depend on it."""
    diverse: Any = ALGORITHMS["lm-apriori"]
    functions = [ALGORITHMS[name] for name in ("coat", "apriori", "vpa", "lra")]
    frameworks: tuple[Mapping[str, Any], ...] = (
        *({"transaction": function, "merge": merge} for function in functions for merge in ("r", "t", "rt")),
        {"transaction": partial(diverse, l=2, sensitive_items=SECRETS), "on_infeasible": "merge"},
        {"order": "ul"},
    )
    constrained: tuple[Mapping[str, Any], ...] = (
        {"m": 2},
        {"m": 3},
        {"constraints": _POLICY},
        {"constraints": _POLICY, "utility": _UTILITY, "item_weights": "ones"},
    )
    return {
        "apriori": ({"m": 1}, {"m": 2}, {"m": 3}),
        "exact": ({"k": 5, "m": 3, "suppress": True}, {"k": 5, "m": 3}),
        "hghs": ({"m": 2}, {"m": 4}),
        "coherence-suppression": ({"sensitive_items": SECRETS, "h": 0.8}, {"sensitive_items": SECRETS, "p": 2}),
        "lm-apriori": ({"sensitive_items": SECRETS},),
        "coat": constrained,
        "pcta": constrained,
        "cluster": ({}, {"seed": 1}, {"refine": True}),
        "rum-bound": frameworks,
        "tum-bound": frameworks,
        "rfirst": tuple({"transaction": function} for function in functions),
        "anatomy": ({"seed": 1},),
    }


def table_for(model: PrivacyModel) -> tuple[Table, dict[str, Hierarchy]]:
    """Return a tiny table with the columns that a model speaks of, and their hierarchies."""
    if "buckets" in model.protects:
        return Table(sensitive=_column("drug", "abcdefgh"), ids=(_column("person", _people()),)), {}
    found: dict[str, Hierarchy] = {}
    relational: tuple[NumericColumn | CategoricalColumn, ...] = ()
    if "relational" in model.protects:
        age = NumericColumn("age", np.arange(RECORDS, dtype=np.int64) * 7 % 60 + 18)
        relational = (age, _column("origin", ORIGINS), _column("sex", "fm"))
        found["origin"] = Hierarchy.from_tree(
            ("All", [("Africa", ["Algeria", "Nigeria"]), ("Europe", ["France", "Italy", "Spain"])])
        )
    if "items" not in model.protects:
        return Table(None, relational), found
    known = [item for item in ITEMS if item not in model.beside]
    found["items"] = Hierarchy.balanced(known, 3)
    return Table(SetColumn.of(baskets(), universe=ITEMS), relational), found


def baskets() -> list[set[str]]:
    """Return the sets of the tiny tables: two to five items, and in every tenth a sensitive one."""
    rows = [{ITEMS[(n * step + n // 7) % 10] for step in (1, 2, 3, 5, 8)[: 2 + n % 4]} for n in range(RECORDS)]
    for n in range(0, RECORDS, 10):
        rows[n].add(SECRETS[n // 10 % 2])
    return rows


def _people() -> list[str]:
    return [f"p{n // 2:02}" for n in range(RECORDS)]


def _column(name: str, values: Any) -> CategoricalColumn:
    return CategoricalColumn.of(name, [values[n % len(values)] for n in range(RECORDS)])
