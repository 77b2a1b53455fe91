"""Publications with several set-valued columns. Anonymization joins these columns into one column."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from anonset.data import Hierarchy, SetColumn
from anonset.data.joining import prefixed
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError, datum
from anonset.publications import Symbol
from anonset.publications.symbols import cells, cells_by_column, generalize, members_of, node_symbol


def texts_of_items(column: SetColumn, joined: Sequence[str]) -> list[str]:
    """Return the items of a joined column without the column prefix, as they are written in the original columns."""
    items = [Symbol(label, "item", (label,)) for label in column.vocabulary.labels]
    return [text for texts in cells_by_column(items, joined).values() for text in texts]


def texts_of_nodes(hierarchy: Hierarchy, joined: Sequence[str], nodes: Iterable[int]) -> list[str]:
    """Return the labels of hierarchy nodes without the column prefix, as they are written in the joined columns.

    Raises
    ------
    InputError
        If two nodes have the same text in a column.
    """
    symbols = [node_symbol(hierarchy, node) for node in nodes]
    return [text for texts in cells_by_column(symbols, joined).values() for text in texts]


def rejoin(
    column: SetColumn,
    book: Iterable[Symbol],
    joined: Sequence[str],
    *,
    sets: bool = False,
    store: Store = MEMORY,
) -> tuple[SetColumn, tuple[Symbol, ...]]:
    """Join published columns into one column of symbols. Return this column and its symbols.

    A symbol with items of several columns occurs in all of these columns or in none, so it becomes one symbol of the
    record again. Supports and the verdict do not change. Without a codebook, the symbol may remain split into one
    symbol per column. A record then contains all or none of these parts.

    Parameters
    ----------
    column
        The joined column, as `read` returns it, with labels ``column:text``.
    book
        Codebook. A text that is missing in the codebook is a symbol of the column that contains it.
    sets
        Whether a set that is missing in the codebook may be a symbol with items of several columns.
    store
        Store for the new column.

    Raises
    ------
    InputError
        If a symbol that spans several columns occurs in only some of them.
    """
    listed = tuple(symbol for symbol in book if symbol.kind != "values")
    symbol_of: dict[str, Symbol] = {}
    for name, texts in cells_by_column(listed, joined).items():
        symbol_of |= {prefixed(name, text): listed[position] for text, position in texts.items()}
    spanning = _spanning(column.vocabulary.labels, joined) if sets else {}
    symbol_of_label = [
        symbol_of.get(label) or spanning.get(label) or _unexplained(label, joined) for label in column.vocabulary.labels
    ]
    symbols = tuple(dict.fromkeys(symbol_of_label))
    place = {symbol: position for position, symbol in enumerate(symbols)}
    image = np.array([place[symbol] for symbol in symbol_of_label], np.int32)
    column_of_symbols = generalize(column, image, symbols, store)
    written = np.bincount(image, weights=column.occurrences, minlength=len(symbols)).astype(np.int64)
    columns = dict.fromkeys(joined)
    for symbol in (*listed, *spanning.values()):
        number, reach = place.get(symbol, -1), len(cells(symbol, columns))
        if number >= 0 and written[number] != reach * column_of_symbols.occurrences[number]:
            msg = f"symbol {datum(symbol.label)} spans {reach} columns; in a row, all of them must contain it, or none"
            raise InputError(msg)
    return column_of_symbols, symbols


def _spanning(labels: Iterable[str], joined: Sequence[str]) -> dict[str, Symbol]:
    """Return the labels ``column:text`` that are sets with members of several columns, with these members."""
    symbol_of = {}
    for label in labels:
        name = next(name for name in joined if label.startswith(prefixed(name, "")))
        text = label.removeprefix(prefixed(name, ""))
        symbol = Symbol(text, "group", members_of(text))
        columns = cells(symbol, joined)
        marks = tuple(prefixed(name, "") for name in columns)
        if len(columns) > 1 and name in columns and all(member.startswith(marks) for member in symbol.members):
            symbol_of[label] = symbol
    return symbol_of


def _unexplained(label: str, joined: Sequence[str]) -> Symbol:
    """Return the symbol of a label ``column:text`` that is missing in the codebook."""
    mark = next(mark for name in joined if label.startswith(mark := prefixed(name, "")))
    members = members_of(label.removeprefix(mark))
    if len(members) == 1:
        return Symbol(label, "item", (label,))
    if label in (spanning := _spanning([label], joined)):
        return replace(spanning[label], label=label)
    return Symbol(label, "group", tuple(mark + member for member in members))
