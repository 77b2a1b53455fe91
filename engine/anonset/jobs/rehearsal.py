"""Tiny runs of the algorithms, so that their kernels are compiled, or loaded, before they are needed.

Which compiled code an algorithm needs depends on the types of its data and on some of its parameters, never on the
values: tables of a few dozen records call for all of it.
"""

from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.jobs.anonymize import Job
from anonset.jobs.rehearsals import ITEMS, SECRETS, rehearsals
from anonset.privacy import PrivacyModel
from anonset.release.formats import Layout, Order
from anonset.release.publish import verify_release
from anonset.settings.binding import bind

ORIGINS = ("Algeria", "France", "Italy", "Nigeria", "Spain")
RECORDS = 120


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
