"""Check of l^m-diversity and (k, l^m)-diversity in every cohort, including the cohort of the empty set."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from anonset.data import SetColumn
from anonset.data.array_types import Int64
from anonset.data.progress import report_progress
from anonset.data.table import Column
from anonset.privacy import Verdict, Witness
from anonset.privacy.lm import KLmDiversity, LmDiversity
from anonset.verification import shares
from anonset.verification.cohorts import CohortRule, check_cohorts
from anonset.verification.counting import Resources
from anonset.verification.itemsets import require_well_formed
from anonset.verification.kkm import classes_of, decisive_of, of_rows, require_columns, values_of


def check_lm(column: SetColumn, model: LmDiversity, resources: Resources) -> Verdict:
    """Check all published records for l^m-diversity."""
    return _check(column, None, model, resources)


def check_klm(column: SetColumn, relational: tuple[Column, ...], model: KLmDiversity, resources: Resources) -> Verdict:
    """Check each equivalence class of published records for l^m-diversity.

    A publication in files is checked in shares of complete classes. Each share has the full budget.
    """
    if not relational:
        return _check(column, None, model, resources)
    require_columns(relational, model, column)
    store, progress = resources.store, resources.progress
    if store.buckets(column.n) == 1:
        local = replace(resources, store=store.in_memory().with_local_workers())
        return _check(column, classes_of(relational), model, local)
    require_well_formed(column, store)
    of_share = replace(resources, progress=None, store=store.in_memory())
    verdicts, done = [], 0
    for rows in shares.shares_of(relational, store):
        groups = classes_of([values.take(rows) for values in relational])
        verdicts.append(of_rows(rows, _check(column.take(rows), groups, model, of_share)))
        done += len(rows)
        report_progress(progress, "classes", done, column.n)
    return _of_all(verdicts, column, relational)


def _of_all(verdicts: Sequence[Verdict], column: SetColumn, relational: tuple[Column, ...]) -> Verdict:
    """Return the verdict on all classes, from the verdicts on shares.

    The witness is the smallest set. Ties are resolved by codes.
    """

    def place(witness: Witness) -> tuple[Any, ...]:
        codes = [column.vocabulary.index[label] for label in witness.what]
        return len(codes), codes, *(values[witness.record] for values in map(values_of, relational))

    decisive = decisive_of(verdicts, place)
    checked = dict(decisive.checked)
    for name in ("rows", "distinct_rows", "groups"):
        checked[name] = sum(verdict.checked[name] for verdict in verdicts)
    counted = [verdict.checked["itemset_occurrences"] for verdict in verdicts]
    sizes = decisive.checked["itemset_occurrences"]
    checked["itemset_occurrences"] = {size: sum(sizes_of.get(size, 0) for sizes_of in counted) for size in sizes}
    return replace(decisive, checked=checked)


def _check(column: SetColumn, groups: Int64 | None, model: LmDiversity, resources: Resources) -> Verdict:
    rule = CohortRule(range(model.m + 1), model.k, (1, model.l))
    return check_cohorts(column, groups, model.sensitive_items, rule, model, resources)
