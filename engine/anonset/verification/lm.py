"""Check of l^m-diversity and (k, l^m)-diversity in every cohort, including the cohort of the empty set."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn, SetColumn
from anonset.data.array_types import Int64
from anonset.data.progress import Progress
from anonset.data.storage.store import Store
from anonset.privacy import Verdict, Witness
from anonset.privacy.lm import KLmDiversity, LmDiversity
from anonset.verification import shares
from anonset.verification.cohorts import CohortRule, check_cohorts
from anonset.verification.itemsets import require_well_formed


def check_lm(column: SetColumn, model: LmDiversity, budget: int, progress: Progress | None, store: Store) -> Verdict:
    """Check all published records for l^m-diversity."""
    return _check(column, None, model, budget, progress, store)


def check_klm(
    column: SetColumn,
    relational: tuple[CategoricalColumn | NumericColumn, ...],
    model: KLmDiversity,
    budget: int,
    progress: Progress | None,
    store: Store,
) -> Verdict:
    """Check each equivalence class of published records for l^m-diversity.

    A publication in files is checked in shares of complete classes. Each share has the full budget.
    """
    if not relational:
        return _check(column, None, model, budget, progress, store)
    if store.buckets(column.n) == 1:
        local = store.in_memory().with_local_workers()
        return _check(column, classes_of(column.n, relational), model, budget, progress, local)
    require_well_formed(column, store)
    verdicts, done = [], 0
    for rows in shares.shares_of(relational, store):
        groups = classes_of(len(rows), tuple(values.take(rows) for values in relational))
        verdict = _check(column.take(rows), groups, model, budget, None, store.in_memory())
        if (witness := verdict.witness) is not None:
            verdict = replace(verdict, witness=replace(witness, record=int(rows[witness.record])))
        verdicts.append(verdict)
        done += len(rows)
        if progress is not None:
            progress("classes", float(done), float(column.n))
    return _of_all(verdicts, column, relational)


def _of_all(
    verdicts: Sequence[Verdict], column: SetColumn, relational: tuple[CategoricalColumn | NumericColumn, ...]
) -> Verdict:
    """Return the verdict on all classes, from the verdicts on shares.

    The witness is the smallest set. Ties are resolved by codes.
    """

    def place(witness: Witness) -> tuple[Any, ...]:
        values = [
            values_of.codes if isinstance(values_of, CategoricalColumn) else values_of.values
            for values_of in relational
        ]
        codes = [column.vocabulary.index[label] for label in witness.what]
        return len(codes), codes, *(array[witness.record] for array in values)

    bad = [(place(verdict.witness), share) for share, verdict in enumerate(verdicts) if verdict.witness is not None]
    undecided = [share for share, verdict in enumerate(verdicts) if verdict.holds is None]
    longest = max(range(len(verdicts)), key=lambda share: len(verdicts[share].checked["itemset_occurrences"]))
    decisive = verdicts[min(bad)[1] if bad else undecided[0] if undecided else longest]
    checked = dict(decisive.checked)
    for name in ("rows", "distinct_rows", "groups"):
        checked[name] = sum(verdict.checked[name] for verdict in verdicts)
    counted = [verdict.checked["itemset_occurrences"] for verdict in verdicts]
    sizes = decisive.checked["itemset_occurrences"]
    checked["itemset_occurrences"] = {size: sum(sizes_of.get(size, 0) for sizes_of in counted) for size in sizes}
    return replace(decisive, checked=checked)


def classes_of(n: int, relational: tuple[CategoricalColumn | NumericColumn, ...]) -> Int64:
    """Return the equivalence class of each record, int64 (n,).

    >>> classes_of(3, (CategoricalColumn.of("sex", ["m", "f", "m"]),)).tolist()
    [1, 0, 1]
    """
    classes = np.zeros(n, np.int64)
    for column in relational:
        values = column.values if isinstance(column, NumericColumn) else column.codes
        codes = np.unique(values, return_inverse=True)[1]
        classes = np.unique(classes * (n + 1) + codes, return_inverse=True)[1].astype(np.int64)
    return classes


def _check(
    column: SetColumn,
    groups: Int64 | None,
    model: LmDiversity,
    budget: int,
    progress: Progress | None,
    store: Store,
) -> Verdict:
    rule = CohortRule(range(model.m + 1), model.k, (1, model.l))
    return check_cohorts(column, groups, model.sensitive_items, rule, model, budget, progress, store)
