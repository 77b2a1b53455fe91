"""Checking l^m-diversity and (k, l^m)-diversity by looking at every cohort, that of the empty set included."""

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn, SetColumn
from anonset.data.mapped import WorkFolder
from anonset.data.table import Int64
from anonset.privacy import Verdict
from anonset.privacy.lm import KLmDiversity, LmDiversity
from anonset.verification.cohorts import Rule, check_cohorts
from anonset.verification.counting import Progress


def check_lm(
    column: SetColumn, model: LmDiversity, budget: int, progress: Progress | None, work: WorkFolder | None = None
) -> Verdict:
    """Check published records all together."""
    return _check(column, None, model, budget, progress, work)


def check_klm(
    column: SetColumn,
    relational: tuple[CategoricalColumn | NumericColumn, ...],
    model: KLmDiversity,
    budget: int,
    progress: Progress | None,
    work: WorkFolder | None = None,
) -> Verdict:
    """Check each class of records with the same published relational values by itself."""
    return _check(column, classes_of(column.n, relational) if relational else None, model, budget, progress, work)


def classes_of(n: int, relational: tuple[CategoricalColumn | NumericColumn, ...]) -> Int64:
    """Return int64 (n,): the class of each record, of those that share all relational values.

    >>> classes_of(3, (CategoricalColumn.of("sex", ["m", "f", "m"]),)).tolist()
    [1, 0, 1]
    """
    found = np.zeros(n, np.int64)
    for column in relational:
        values = column.values if isinstance(column, NumericColumn) else column.codes
        codes = np.unique(values, return_inverse=True)[1]
        found = np.unique(found * (n + 1) + codes, return_inverse=True)[1].astype(np.int64)
    return found


def _check(
    column: SetColumn,
    groups: Int64 | None,
    model: LmDiversity,
    budget: int,
    progress: Progress | None,
    work: WorkFolder | None,
) -> Verdict:
    rule = Rule(range(model.m + 1), model.k, (1, model.l))
    return check_cohorts(column, groups, model.sensitive_items, rule, model, budget, progress, work)
