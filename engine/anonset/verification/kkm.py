"""Checking k-anonymity and (k, k^m)-anonymity: rows by their relational tuples, each class by itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, SetColumn, Vocabulary
from anonset.data.discreet import names_shown
from anonset.data.table import Column, Int64
from anonset.errors import InputError
from anonset.privacy import KmAnonymity, Verdict, Witness
from anonset.privacy.k import KAnonymity
from anonset.privacy.kkm import KKmAnonymity
from anonset.verification.counting import Progress
from anonset.verification.itemsets import check_km, require_well_formed


def check_k(relational: Sequence[Column], model: KAnonymity | KKmAnonymity) -> Verdict:
    """Check that each published relational tuple occurs at least k times; the witness is the first row that fails.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(age=["[1:2]", "[1:2]", "3"])
    >>> print(check_k(table.relational, KAnonymity(k=2)))
    k-anonymity with k=2 fails: published row 2 matches 1 record, 2 required; by 'age'

    Raises
    ------
    InputError
        If there is no relational column, or one is malformed.
    """
    class_of = _classes(relational, model)
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


def check_kkm(
    relational: Sequence[Column], items: SetColumn, model: KKmAnonymity, budget: int, progress: Progress | None
) -> Verdict:
    """Check that the rows of each relational tuple are at least k, and k^m-anonymous by themselves.

    Symbols count as different in different classes: then a set that occurs, occurs in one class only, and the check
    of the whole file is that of each class.

    Raises
    ------
    InputError
        If there is no relational column, or one is malformed.
    """
    verdict = check_k(relational, model)
    if not verdict.holds:
        return verdict
    require_well_formed(items)
    class_of = _classes(relational, model)
    if len(class_of) != items.n:
        msg = f"relational columns have {len(class_of)} rows, column {items.name!r} has {items.n}"
        raise InputError(msg)
    pairs, codes = np.unique(
        np.repeat(class_of, items.lengths) * max(1, len(items.vocabulary)) + items.items, return_inverse=True
    )
    tagged = SetColumn(
        items.name, items.indptr, codes.reshape(-1).astype(np.int32), Vocabulary(tuple(map(str, range(len(pairs)))))
    )
    found = check_km(tagged, KmAnonymity(model.k, model.m), budget, progress)
    checked = {**found.checked, **verdict.checked, "symbols": int(np.count_nonzero(items.occurrences))}
    witness = found.witness
    if witness is not None:
        symbols = [int(pairs[int(code)]) % len(items.vocabulary) for code in witness.what]
        alike = int(np.bincount(class_of)[class_of[witness.record]])
        detail = f"among the {alike} records with its {names_shown(column.name for column in relational)}"
        witness = replace(witness, what=tuple(items.vocabulary.labels[s] for s in symbols), detail=detail)
    return Verdict(found.holds, model, checked, witness)


def _classes(relational: Sequence[Column], model: KAnonymity | KKmAnonymity) -> Int64:
    """Return the class of each row: rows are in one class iff all their relational values are the same."""
    if not relational:
        msg = f"model {model.name!r} speaks of relational columns, and the publication has none"
        raise InputError(msg)
    lengths = {column.name: column.n for column in relational}
    if len(set(lengths.values())) > 1:
        msg = "relational columns must have the same number of rows, got " + ", ".join(
            f"{name}: {n}" for name, n in lengths.items()
        )
        raise InputError(msg)
    class_of = np.zeros(relational[0].n, np.int64)
    for column in relational:
        values = column.codes if isinstance(column, CategoricalColumn) else column.values
        if isinstance(column, CategoricalColumn) and len(values):
            low, high = int(column.codes.min()), int(column.codes.max())
            if low < 0 or high >= len(column.vocabulary):
                msg = f"column {column.name!r}: codes must be in 0..{len(column.vocabulary) - 1}, got {low}..{high}"
                raise InputError(msg)
        rank = np.unique(values, return_inverse=True)[1].reshape(-1)
        paired = class_of * (int(rank.max(initial=0)) + 1) + rank
        class_of = np.unique(paired, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return class_of
