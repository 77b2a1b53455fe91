"""Short codes for large sets: ``(a,b,c)`` says what it stands for, a code leaves that to the codebook."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Vocabulary
from anonset.errors import InputError
from anonset.generalization import Publication, Symbol
from anonset.generalization.labels import members_of, set_label
from anonset.release.layout import Symbols

MOST_SHOWN = 8
"""Largest set that is named by its members where nothing else is asked for."""


def name_sets(publication: Publication, value_sets: Iterable[str], symbols: Symbols) -> Publication:
    """Give codes to sets of items (``G1``, ...) and of values (``V1``, ...), numbered in their order.

    Parameters
    ----------
    publication
        The publication, in which sets are named by their members.
    value_sets
        Names of the relational columns that are published as sets of values.
    symbols
        Which sets get a code.
    """
    least = {"auto": MOST_SHOWN + 1, "members": None, "short": 2}[symbols]
    if least is None:
        return publication
    taken = {label for column in publication.columns for label in column.vocabulary.labels}
    taken |= {member for symbol in publication.symbols for member in symbol.members}
    taken |= {label.removeprefix(f"{name}:") for name in publication.joined for label in taken}
    items, sets = publication.transactions, publication.symbols
    if items is not None:
        code = _codes("G", taken)
        sets = tuple(
            replace(symbol, label=code()) if symbol.kind == "group" and len(symbol.members) >= least else symbol
            for symbol in sets
        )
        labels = Vocabulary(tuple(symbol.label for symbol in sets))
        items = SetColumn(items.name, items.indptr, items.items, labels)
    code, values, chosen, relational = _codes("V", taken), [], set(value_sets), []
    for column in publication.relational:
        labels_of_column = list(column.vocabulary.labels)
        for at, label in enumerate(labels_of_column if column.name in chosen else ()):
            members = members_of(label)
            if len(members) >= least:
                labels_of_column[at] = code()
                values.append(Symbol(labels_of_column[at], "values", members))
        relational.append(CategoricalColumn(column.name, column.codes, Vocabulary(tuple(labels_of_column))))
    return replace(
        publication, transactions=items, symbols=sets, relational=tuple(relational), value_sets=tuple(values)
    )


def spelled_out(columns: Sequence[CategoricalColumn], symbols: Iterable[Symbol]) -> tuple[CategoricalColumn, ...]:
    """Return relational columns with the codes of value sets replaced by their members."""
    texts = {symbol.label: set_label(symbol.members) for symbol in symbols if symbol.kind == "values"}
    if not texts:
        return tuple(columns)
    return tuple(
        CategoricalColumn(c.name, c.codes, Vocabulary(tuple(texts.get(label, label) for label in c.vocabulary.labels)))
        for c in columns
    )


def without(publication: Publication, items: Iterable[str]) -> Publication:
    """Return a publication without the symbols that stand for one of these items alone."""
    column, hidden = publication.transactions, set(items)
    if column is None or not hidden:
        return publication
    gone = np.array([len(symbol.members) == 1 and symbol.members[0] in hidden for symbol in publication.symbols], bool)
    kept = ~gone[column.items] if len(gone) else np.ones(0, bool)
    indptr = np.concatenate([[0], np.cumsum(kept)])[column.indptr].astype(np.int64)
    return replace(publication, transactions=SetColumn(column.name, indptr, column.items[kept], column.vocabulary))


def require_plain_items(labels: Iterable[str]) -> None:
    """Refuse items that the name of a set could not be read back from: with a comma or a parenthesis.

    Raises
    ------
    InputError
        With the first such item.
    """
    for label in labels:
        if re.search(r"[,()]", label):
            msg = (
                f"item {label!r} must hold no comma and no parenthesis, since sets of items are published as (a,b,c); "
                "rename it, or publish short codes with --symbols short"
            )
            raise InputError(msg)


def require_plain_nodes(hierarchy: Hierarchy, first: int = 0) -> None:
    """Refuse inner nodes, from the `first` on, that are named like a set of other items than the leaves below them.

    Raises
    ------
    InputError
        With the first such node.
    """
    for node in range(first, hierarchy.n_nodes):
        named = members_of(hierarchy.labels[node])
        leaves = hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]]
        if len(named) > 1 and not hierarchy.is_leaf[node] and sorted(named) != sorted(leaves):
            msg = (
                f"node {hierarchy.labels[node]!r} of the hierarchy is named like a set of items, which are not the "
                f"{len(leaves)} leaves below it; rename it"
            )
            raise InputError(msg)


def _codes(letter: str, taken: set[str]) -> Callable[[], str]:
    """Return a function that gives one code after the other, none of which is a label of the data."""
    while any(label.startswith(letter) and label[len(letter) :].isdecimal() for label in taken):
        letter += "_"
    n = 0

    def code() -> str:
        nonlocal n
        n += 1
        return f"{letter}{n}"

    return code
