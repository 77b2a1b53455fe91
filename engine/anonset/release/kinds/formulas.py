"""Warnings about labels that a spreadsheet program would run as formulas. The labels are published unchanged."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.spans import spans
from anonset.spelling import counted

_FORMULA = re.compile(r"[=+\-@\t\r＝＋－＠].")  # with full-width forms of these characters
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHAT_TO_DO = (
    "a spreadsheet program would run them as formulas. No cell was changed: import the CSV files as text, or read "
    "them with another program"
)


def is_formula(label: str) -> bool:
    """Return True if a spreadsheet might interpret a label as a formula, because of ``=``, ``+``, ``-`` or ``@`` at its
    start.

    >>> [is_formula(label) for label in ("=1+1", "@SUM(A1)", "-x", "-5", "+1.5e3", "-", "a=b")]
    [True, True, True, False, False, False, False]
    """
    return _FORMULA.match(label) is not None and _NUMBER.fullmatch(label) is None


def formula_warnings(columns: Sequence[SetColumn | CategoricalColumn], members: Iterable[str] = ()) -> tuple[str, ...]:
    """Return a warning if labels in the CSV files might be interpreted as formulas. The warning contains no label.

    The warning counts column names, labels that occur in rows, and members in the codebook.
    """
    formulas_of = {column.name: sum(map(is_formula, _shown(column))) for column in columns}
    places = [f"{counted(n, 'label')} of column {name!r}" for name, n in formulas_of.items() if n]
    places += [f"{counted(n, 'member')} in the codebook" for n in [sum(map(is_formula, members))] if n]
    places += [f"{counted(n, 'name')} of columns" for n in [sum(map(is_formula, formulas_of))] if n]
    return _warnings(places)


def item_warnings(items: Iterable[str]) -> tuple[str, ...]:
    """Return a warning if unchanged items might be interpreted as formulas. The warning contains no label."""
    return _warnings([f"{counted(n, 'item')}" for n in [sum(map(is_formula, items))] if n])


def _warnings(places: list[str]) -> tuple[str, ...]:
    return (f"{', '.join(places)} start with =, +, - or @: {_WHAT_TO_DO}",) if places else ()


def _shown(column: SetColumn | CategoricalColumn) -> Iterable[str]:
    """Return the labels of a column that occur in rows. If labels are on disk, return only labels that start like a
    formula.
    """
    if column.vocabulary.is_numbered:
        return ()
    if isinstance(column, CategoricalColumn) and (filed := column.vocabulary.filed) is not None:
        shown = np.zeros(len(filed), np.bool_)
        for first, end in spans(column.n):
            shown[column.codes[first:end]] = True
        first_bytes = "=+-@\t\r＝".encode()[:7]  # all full-width forms begin with the first byte of ＝
        return filed.beginning(first_bytes, shown)
    labels = column.vocabulary.labels
    return [labels[code] for code in np.flatnonzero(column.occurrences).tolist()]
