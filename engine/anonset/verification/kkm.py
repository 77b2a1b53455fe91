"""Checks of k-anonymity and (k, k^m)-anonymity.

Rows of a publication in files are processed in shares of complete classes (`shares`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, SetColumn, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.progress import report_progress
from anonset.data.redacted_repr import names_shown
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.data.table import Column
from anonset.errors import InputError
from anonset.privacy import KmAnonymity, PrivacyModel, Verdict, Witness
from anonset.privacy.k import KAnonymity
from anonset.privacy.kkm import KKmAnonymity
from anonset.verification import shares
from anonset.verification.counting import Resources
from anonset.verification.itemsets import check_km, require_well_formed

_BYTES_A_ROW = 400
"""Estimated memory of a row during a check, in bytes."""


def check_k(relational: Sequence[Column], model: KAnonymity | KKmAnonymity, store: Store) -> Verdict:
    """Check that each published relational tuple occurs at least k times. The witness is the first row that fails.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(age=["[1:2]", "[1:2]", "3"])
    >>> print(check_k(table.relational, KAnonymity(k=2), table.store))
    k-anonymity with k=2 fails: published row 2 matches 1 record, 2 required; by 'age'

    Parameters
    ----------
    store
        Store of temporary files, if the columns are in files.

    Raises
    ------
    InputError
        If there is no relational column, or a relational column is malformed.
    """
    require_columns(relational, model)

    def check(rows: Int64) -> Verdict:
        return of_rows(rows, _check_k([column.take(rows) for column in relational], model))

    return _all_classes([verdict for _, verdict in _by_shares(relational, store, check)], model)


def check_kkm(relational: Sequence[Column], items: SetColumn, model: KKmAnonymity, resources: Resources) -> Verdict:
    """Check that each equivalence class has at least k rows, and is k^m-anonymous.

    Symbols of different classes are treated as different symbols. Each set of symbols then occurs in a single class, so
    a single k^m-anonymity check covers all classes.

    If the columns are in files, the budget applies to each share of the rows.

    Raises
    ------
    InputError
        If there is no relational column, a column is malformed, or the columns have different lengths.
    """
    require_columns(relational, model, items)
    store, progress = resources.store, resources.progress
    if store.buckets(items.n) == 1:
        verdict, local = _check_k(relational, model), replace(resources, store=store.in_memory().with_local_workers())
        return _check_items(relational, items, model, verdict, local) if verdict.holds else verdict
    require_well_formed(items, store)
    of_share = replace(resources, progress=None, store=store.in_memory())

    def check(rows: Int64) -> tuple[Verdict, Verdict | None]:
        part = [column.take(rows) for column in relational]
        verdict = _check_k(part, model)
        if not verdict.holds:
            return of_rows(rows, verdict), None
        chosen_items = items.take(rows)
        of_items = _check_items(part, chosen_items, model, verdict, of_share)
        filled = of_items.checked["distinct_rows"] - (chosen_items.n_nonempty < chosen_items.n)
        return verdict, of_rows(rows, replace(of_items, checked={**of_items.checked, "distinct_rows": filled}))

    pairs, done = [], 0
    for n_rows, pair in _by_shares(relational, store, check):
        pairs.append(pair)
        done += n_rows
        report_progress(progress, "classes", done, items.n)
    classes = _all_classes([verdict for verdict, _ in pairs], model)
    parts = [of_items for _, of_items in pairs if of_items is not None]
    return _all_items(classes, parts, relational, items, model) if classes.holds and parts else classes


def _check_k(relational: Sequence[Column], model: KAnonymity | KKmAnonymity) -> Verdict:
    class_of = classes_of(relational)
    sizes = np.bincount(class_of)
    checked: dict[str, Any] = {"rows": len(class_of), "classes": len(sizes)}
    if len(sizes):
        checked["smallest_class"] = int(sizes.min())
    small = np.flatnonzero(sizes[class_of] < model.k)
    if not len(small):
        return Verdict(True, model, checked)
    row = int(small[0])
    detail = f"by {names_shown(column.name for column in relational)}"
    return Verdict(False, model, checked, Witness((), int(sizes[class_of[row]]), model.k, row, detail))


def _check_items(
    relational: Sequence[Column], items: SetColumn, model: KKmAnonymity, verdict: Verdict, resources: Resources
) -> Verdict:
    """Check that the items of each class are k^m-anonymous. `verdict` is the result of the check of the class sizes."""
    require_well_formed(items, resources.store)
    class_of = classes_of(relational)
    pairs, codes = np.unique(
        np.repeat(class_of, items.lengths) * max(1, len(items.vocabulary)) + items.items, return_inverse=True
    )
    tagged = SetColumn(
        items.name, items.indptr, codes.reshape(-1).astype(np.int32), Vocabulary(tuple(map(str, range(len(pairs)))))
    )
    verdict_on_items = check_km(tagged, KmAnonymity(model.k, model.m), resources)
    checked = {**verdict_on_items.checked, **verdict.checked, "symbols": int(np.count_nonzero(items.occurrences))}
    witness = verdict_on_items.witness
    if witness is not None:
        symbols = [int(pairs[int(code)]) % len(items.vocabulary) for code in witness.what]
        alike = int(np.bincount(class_of)[class_of[witness.record]])
        detail = f"among the {alike} records with the same {names_shown(column.name for column in relational)}"
        witness = replace(witness, what=tuple(items.vocabulary.labels[s] for s in symbols), detail=detail)
    return Verdict(verdict_on_items.holds, model, checked, witness)


def _by_shares(relational: Sequence[Column], store: Store, check: Callable[[Int64], Any]) -> Iterator[Any]:
    """Check each share of the rows, in parallel if cores and memory allow. Yield the number of rows and the result."""
    store = store.with_local_workers()
    at_once = store.limits.at_once_within(store.workers.count, _BYTES_A_ROW * store.limits.rows_per_bucket)
    rows = shares.shares_of(relational, store)
    yield from store.map(lambda rows_of_share: (len(rows_of_share), check(rows_of_share)), rows, at_once)


def of_rows(rows: Int64, verdict: Verdict) -> Verdict:
    """Return a verdict on some rows. The row number of the witness is converted to the row number of
    the publication.
    """
    witness = verdict.witness
    return verdict if witness is None else replace(verdict, witness=replace(witness, record=int(rows[witness.record])))


def _all_classes(verdicts: Sequence[Verdict], model: KAnonymity | KKmAnonymity) -> Verdict:
    """Combine the verdicts on shares of the rows into a verdict on all classes."""
    checked: dict[str, Any] = {name: sum(verdict.checked[name] for verdict in verdicts) for name in ("rows", "classes")}
    if verdicts:
        checked["smallest_class"] = min(verdict.checked["smallest_class"] for verdict in verdicts)
    witnesses = [verdict.witness for verdict in verdicts if verdict.witness is not None]
    first = min(witnesses, key=lambda witness: witness.record, default=None)
    return Verdict(first is None, model, checked, first)


def _all_items(
    classes: Verdict, verdicts: Sequence[Verdict], relational: Sequence[Column], items: SetColumn, model: KKmAnonymity
) -> Verdict:
    """Combine the verdicts on shares of the rows into a verdict on the items of all classes.

    The witness is the smallest set. Ties are resolved by values and codes.
    """

    def place(witness: Witness) -> tuple[Any, ...]:
        index = items.vocabulary.index
        values = (codes[witness.record] for codes in map(values_of, relational))
        return len(witness.what), *values, *(index[label] for label in witness.what)

    decisive = decisive_of(verdicts, place)
    most = model.m if decisive.witness is None else len(decisive.witness.what)
    checked = dict(decisive.checked)
    for name, last in (("itemset_occurrences", most), ("distinct_itemsets", most - (decisive.witness is not None))):
        if name in checked:
            parts = [verdict.checked.get(name, {}) for verdict in verdicts]
            sizes = sorted({size for part in parts for size in part if size <= last})
            checked[name] = {size: sum(part.get(size, 0) for part in parts) for size in sizes}
    filled = sum(verdict.checked["distinct_rows"] for verdict in verdicts)
    checked["distinct_rows"] = filled + (items.n_nonempty < items.n)  # the empty row is counted once for all classes
    checked |= {**classes.checked, "symbols": int(np.count_nonzero(items.occurrences))}
    return Verdict(decisive.holds, model, checked, decisive.witness)


def decisive_of(verdicts: Sequence[Verdict], place: Callable[[Witness], tuple[Any, ...]]) -> Verdict:
    """Return the verdict on a share that decides about all shares. It is the violation whose witness has the smallest
    `place`, otherwise the first undecided verdict, otherwise the verdict that counted the most sizes.
    """
    bad = [(place(verdict.witness), share) for share, verdict in enumerate(verdicts) if verdict.witness is not None]
    undecided = [verdict for verdict in verdicts if verdict.holds is None]
    if bad:
        return verdicts[min(bad)[1]]
    if undecided:
        return undecided[0]
    return max(verdicts, key=lambda verdict: len(verdict.checked.get("itemset_occurrences", ())))


def require_columns(relational: Sequence[Column], model: PrivacyModel, *more: Column | SetColumn) -> None:
    """Require at least one relational column, columns of equal lengths including `more`, and a label for each code.

    Raises
    ------
    InputError
        If a requirement is violated.
    """
    if not relational:
        raise InputError(f"model {model.name!r} requires relational columns, and the publication has none")
    lengths = {column.name: column.n for column in (*relational, *more)}
    if len(set(lengths.values())) > 1:
        msg = "columns must have the same number of rows, got " + ", ".join(
            f"{name}: {n}" for name, n in lengths.items()
        )
        raise InputError(msg)
    for column in relational:
        if isinstance(column, CategoricalColumn) and column.n:
            parts = [column.codes[a:b] for a, b in spans(column.n)]
            low, high = min(int(part.min()) for part in parts), max(int(part.max()) for part in parts)
            if low < 0 or high >= len(column.vocabulary):
                msg = f"column {column.name!r}: codes must be in 0..{len(column.vocabulary) - 1}, got {low}..{high}"
                raise InputError(msg)


def values_of(column: Column) -> Int32 | NDArray[np.number]:
    """Return the codes or the numbers of a column, (n,)."""
    return column.codes if isinstance(column, CategoricalColumn) else column.values


def classes_of(relational: Sequence[Column]) -> Int64:
    """Return the class of each row, int64 (n,). Rows with equal relational values are in the same class."""
    class_of = np.zeros(relational[0].n, np.int64)
    for column in relational:
        rank = np.unique(values_of(column), return_inverse=True)[1].reshape(-1)
        paired = class_of * (int(rank.max(initial=0)) + 1) + rank
        class_of = np.unique(paired, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return class_of
