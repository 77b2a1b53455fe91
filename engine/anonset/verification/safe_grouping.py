"""Checking the safety constraint of a bucketized table: individuals, visibility and diversity of every group."""

import numpy as np
from numpy.typing import NDArray

from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.generalization.buckets import STAR, BucketPublication
from anonset.privacy.model import Verdict, Witness
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.spelling import counted
from anonset.verification.anatomy import checked_groups, concentration, row_of_group


def check_safe_grouping(publication: BucketPublication, model: SafetyConstraint) -> Verdict:
    """Check every group and every visible individual; the witness is the first violation found.

    In this order: each value has at most 1/l of its group; each individual is in one group; each group has k
    individuals; they show equally many tuples. Whose the starred tuples are cannot be seen, and is not checked
    here. The check always comes to its end: O(n log(n)).

    Raises
    ------
    InputError
        If there is no id column, or a row stars some of them only.
    """
    visible = visible_rows(publication)
    person = _persons(publication, visible)
    checked = checked_groups(publication) | {
        "individuals": int(person.max(initial=-1)) + 1,
        "starred": publication.n - len(visible),
    }
    witness = concentration(publication, model.l)
    if witness is None:
        witness = _violated_individual(publication, model.k, visible, person)
    return Verdict(witness is None, model, checked, witness)


def visible_rows(publication: BucketPublication) -> Int64:
    """Return the QIT rows whose identity is visible.

    Raises
    ------
    InputError
        If there is no id column, or a row stars some of them only.
    """
    if not publication.ids:
        msg = "safe grouping speaks of individuals, and the publication has no id column"
        raise InputError(msg)
    stars: NDArray[np.int64] = np.zeros(publication.n, np.int64)
    for column in publication.ids:
        if STAR in column.vocabulary.index:
            stars += column.codes == column.vocabulary.index[STAR]
    partly = np.flatnonzero((stars > 0) & (stars < len(publication.ids)))
    if len(partly):
        names = ", ".join(repr(column.name) for column in publication.ids)
        msg = f"published row {partly[0]}: all id columns ({names}) must be {STAR!r}, or none"
        raise InputError(msg)
    return np.flatnonzero(stars == 0).astype(np.int64)


def _persons(publication: BucketPublication, rows: Int64) -> Int64:
    """Return int64 (rows,): a number for each individual."""
    person = np.zeros(len(rows), np.int64)
    for column in publication.ids:
        key = person * max(1, len(column.vocabulary)) + column.codes[rows]
        person = np.unique(key, return_inverse=True)[1].astype(np.int64)
    return person


def _violated_individual(publication: BucketPublication, k: int, rows: Int64, person: Int64) -> Witness | None:
    """Return the first individual in two groups, group with too few individuals, or individual who shows more."""
    labels = publication.group.vocabulary.labels
    n_groups = max(1, publication.n_groups)
    pair, first, shown = np.unique(
        person * n_groups + publication.group.codes[rows], return_index=True, return_counts=True
    )
    who, group = np.divmod(pair, n_groups)
    again = np.flatnonzero(who[1:] == who[:-1])
    if len(again):
        at = int(again[0])
        row = int(rows[first[at]])
        detail = f"its individual is in groups {labels[group[at]]} and {labels[group[at + 1]]}, one is required"
        return Witness((), int(np.count_nonzero(who == who[at])), 1, row, detail)
    individuals = np.bincount(group, minlength=publication.n_groups)
    few = np.flatnonzero(individuals < k)
    if len(few):
        at, found = int(few[0]), int(individuals[few[0]])
        detail = f"group {labels[at]} has {counted(found, 'visible individual')}, k={k} are required"
        return Witness((f"group {labels[at]}",), found, k, row_of_group(publication, at), detail)
    most = np.zeros(publication.n_groups, np.int64)
    np.maximum.at(most, group, shown)
    uneven = np.flatnonzero(shown < most[group])
    if len(uneven):
        at = int(uneven[0])
        row = int(rows[first[at]])
        detail = (
            f"its individual shows {counted(shown[at], 'tuple')} in group {labels[group[at]]}, another "
            f"{most[group[at]]}; "
            "equally many are required"
        )
        return Witness((), int(shown[at]), int(most[group[at]]), row, detail)
    return None
