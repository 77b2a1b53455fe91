"""Several set-valued columns joined into one, their items prefixed (``column:item``), and separated again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, SetColumn
from anonset.data.joining import prefixed
from anonset.errors import InputError
from anonset.generalization.labels import set_label
from anonset.generalization.publication import Publication, Symbol, in_order
from anonset.generalization.symbols import generalize


def cells(symbol: Symbol, joined: Sequence[str]) -> dict[str, str]:
    """Return the text by which a symbol stands in each of the columns that it touches.

    A symbol whose members all come from one column stands there without the column's name before its label, or, in
    the name of a set, before its members. One that spans several columns stands in each of them with its full label.

    >>> cells(Symbol("(drug:1,drug:2)", "group", ("drug:1", "drug:2")), ("drug", "icd"))
    {'drug': '(1,2)'}
    >>> cells(Symbol("ALL", "node", ("drug:1", "icd:9")), ("drug", "icd"))
    {'drug': 'ALL', 'icd': 'ALL'}
    """
    touched = [name for name in joined if any(x.startswith(prefixed(name, "")) for x in symbol.members)]
    if len(touched) != 1:
        return dict.fromkeys(touched, symbol.label)
    mark = prefixed(touched[0], "")
    if symbol.kind == "group" and symbol.label == set_label(symbol.members):
        return {touched[0]: set_label([x.removeprefix(mark) for x in symbol.members])}
    return {touched[0]: symbol.label.removeprefix(mark)}


def cells_by_column(symbols: Iterable[Symbol], joined: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return what may stand in each of the joined columns, with the position of the symbol that is meant by it.

    Raises
    ------
    InputError
        If two symbols would stand in a column as the same text.
    """
    book = tuple(symbols)
    found: dict[str, dict[str, int]] = {name: {} for name in joined}
    for at, symbol in enumerate(book):
        for name, text in cells(symbol, joined).items():
            if (other := found[name].setdefault(text, at)) != at:
                msg = (
                    f"column {name!r}: {book[other].label!r} and {symbol.label!r} would both be published as {text!r}; "
                    "labels must be distinct within a column: rename the item or the node"
                )
                raise InputError(msg)
    return found


def written_columns(publication: Publication) -> tuple[SetColumn | CategoricalColumn, ...]:
    """Return the columns as they are written: those that were joined are separate again, in the order of the input.

    Raises
    ------
    InputError
        If two symbols would stand in a column as the same text.
    """
    sets = publication.transactions
    if sets is None or not publication.joined:
        return publication.columns
    parts = []
    for name, texts in cells_by_column(publication.symbols, publication.joined).items():
        codes = np.full(len(publication.symbols), -1, np.int32)
        codes[list(texts.values())] = np.arange(len(texts), dtype=np.int32)
        shown = tuple(replace(publication.symbols[at], label=text) for text, at in texts.items())
        parts.append(replace(generalize(sets, codes, shown), name=name))
    return in_order((*publication.relational, *parts, *publication.kept), publication.order)


def join_hierarchies(parts: Mapping[str, Hierarchy], root: str) -> Hierarchy:
    """Join the hierarchies of several columns under one root, their labels prefixed by the column's name.

    >>> drugs, codes = Hierarchy.from_tree(("ALL", ["1", "2"])), Hierarchy.from_tree(("ALL", ["8", "9"]))
    >>> join_hierarchies({"drug": drugs, "icd": codes}, "items").labels
    ('items', 'drug:ALL', 'drug:1', 'drug:2', 'icd:ALL', 'icd:8', 'icd:9')
    """
    labels, parents = [root], [np.array([-1], np.int64)]
    for name, part in parts.items():
        parents.append(np.where(part.parent < 0, 0, part.parent.astype(np.int64) + len(labels)))
        labels += [prefixed(name, label) for label in part.labels]
    return Hierarchy.from_preorder(labels, np.concatenate(parents))
