"""Published symbols, their names and members, and columns of symbols.

A set is named ``(a,b,c)``, and a range ``[low:high]``. The verification parses the names of sets and ranges with
separate code. Set-valued columns that were joined, with prefixed items (``column:item``), are written as separate
columns again.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import SetColumnBuilder
from anonset.data.distinct import first_of_runs
from anonset.data.joining import columns_of, prefixed
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError, datum
from anonset.spelling import listed


def set_label(members: Sequence[str]) -> str:
    """Return the name of a set of members. If there is only one member, return the member.

    >>> set_label(["a", "b"]), set_label(["a"])
    ('(a,b)', 'a')
    """
    return members[0] if len(members) == 1 else f"({','.join(members)})"


def members_of(label: str) -> tuple[str, ...]:
    """Return the members of a set, given its name. Return any other text as the only member.

    >>> members_of("(a,b)"), members_of("a")
    (('a', 'b'), ('a',))
    """
    return tuple(label[1:-1].split(",")) if label.startswith("(") and label.endswith(")") else (label,)


def range_label(low: str, high: str) -> str:
    """Return the name of a range. If both ends are equal, return the value.

    >>> range_label("19", "22"), range_label("19", "19")
    ('[19:22]', '19')
    """
    return low if low == high else f"[{low}:{high}]"


def range_ends(label: str) -> tuple[str, str]:
    """Return the lower and upper end of a range, given its name. For a single value, both ends are the value.

    >>> range_ends("[19:22]"), range_ends("19")
    (('19', '22'), ('19', '19'))
    """
    if not (label.startswith("[") and label.endswith("]")):
        return label, label
    low, _, high = label[1:-1].partition(":")
    return low, high


@dataclass(frozen=True)
class Symbol(RedactedRepr):
    """A published symbol of the set-valued column, and the items it covers."""

    label: str = field(repr=False)
    """Published text."""
    kind: str
    """Kind of symbol: ``item``, ``node`` of a hierarchy, ``group`` (a set of items), or ``values`` (a set of relational
    values).
    """
    members: tuple[str, ...]
    """Original items that the symbol covers, in canonical order."""


_NAMED = 3
"""Number of members that a symbol in words names."""


def in_words(symbol: Symbol) -> str:
    """Return the members of a symbol as text for readers: the first three and the number of the others. The name of a
    node stays in front of them.

    >>> in_words(group_symbol(("a", "b"))), in_words(Symbol("V_4", "values", ("1", "2", "3", "4", "5")))
    ('a or b', '1, 2, 3 or 2 more')
    >>> in_words(Symbol("fruit", "node", ("apple", "pear"))), in_words(Symbol("apple", "item", ("apple",)))
    ('fruit (apple or pear)', 'apple')
    >>> in_words(Symbol("V_5", "values", ("", "10", "11")))
    'blank, 10 or 11'
    """
    if symbol.kind == "item":
        return symbol.label
    members = listed([one.strip() or "blank" for one in symbol.members], "or", _NAMED)
    return f"{symbol.label} ({members})" if symbol.kind == "node" else members


def group_symbol(members: tuple[str, ...]) -> Symbol:
    """Return the symbol of a set of items, such as ``(a,b,c)``. The symbol of a single item is the item.

    >>> group_symbol(("a", "b")).label
    '(a,b)'
    """
    return Symbol(set_label(members), "item" if len(members) == 1 else "group", members)


def node_symbol(hierarchy: Hierarchy, node: int) -> Symbol:
    """Return the symbol of a hierarchy node with its leaves as members. A node without a public name is published as
    the set of its leaves.
    """
    label, members = hierarchy.labels[node], hierarchy.members(node)
    if label in hierarchy.unnamed:
        return group_symbol(members)
    return Symbol(label, "item" if hierarchy.is_leaf[node] else "node", members)


def generalize(
    column: SetColumn, symbol_of_item: Int32, symbols: tuple[Symbol, ...], store: Store = MEMORY
) -> SetColumn:
    """Replace each item by its symbol code. Codes in a row are ascending and distinct. Items with symbol code -1 are
    removed.

    Parameters
    ----------
    symbol_of_item
        Symbol code of each item code, int32 (M,). -1 if the item is suppressed.
    store
        Store for the new column's arrays.
    """
    from anonset_kernels.records.rows import map_rows

    vocabulary = Vocabulary(tuple(symbol.label for symbol in symbols))
    with SetColumnBuilder(column.name, store, narrow=True) as generalized:
        for begin, end in store.spans(column.n):
            block = column.slice(begin, end)
            rows = map_rows(block.indptr, block.items, symbol_of_item, len(symbols))
            generalized.append(SetColumn(column.name, *rows, vocabulary))
    return generalized.finished(vocabulary)


def row_ranks(column: SetColumn) -> Int64:
    """Rank the rows of a set-valued column lexicographically by their codes. Equal rows have equal ranks.

    Several codes are packed into one 64-bit key and compared together. The next codes are compared only for rows with
    equal keys. Cost: O(nnz + n log n) if most rows differ in their first codes.

    Returns
    -------
    int64 (n,)
        Dense ranks, starting at 0. Empty rows have the lowest rank.
    """
    bits = max(1, len(column.vocabulary).bit_length())  # codes are stored plus one, because zero marks the end of a row
    per_key = max(1, 63 // bits)
    rank = np.zeros(column.n, np.int64)
    active = np.arange(column.n)
    n_compared = 0
    while len(active):
        key = np.zeros(len(active), np.int64)
        start, length = column.indptr[active] + n_compared, column.lengths[active] - n_compared
        for j in range(per_key):
            has = length > j
            code = np.zeros(len(active), np.int64)
            code[has] = column.codes[start[has] + j] + 1
            key = (key << bits) | code
        order = np.lexsort((key, rank[active]))
        active, key, length = active[order], key[order], length[order]
        rank_here = rank[active]
        new = first_of_runs(key, rank_here)
        group = np.cumsum(new) - 1
        # the rank of a row is the position of the first equal row, so splitting a group does not change other ranks
        position = np.arange(len(active))
        parent_start = np.maximum.accumulate(np.where(first_of_runs(rank_here), position, 0))
        group_start = position[new][group]
        rank[active] = rank_here + (group_start - parent_start)
        tied = np.bincount(group) > 1
        unfinished = (
            np.bincount(group, weights=length > per_key) > 0
        )  # a row without further codes sorts before longer rows
        active = active[(tied & unfinished)[group]]
        n_compared += per_key
    return np.unique(rank, return_inverse=True)[1].astype(np.int64)


def cells(symbol: Symbol, joined: Collection[str]) -> dict[str, str]:
    """Return the text of a symbol in each column that contains some of its members.

    If all members are from one column, the text omits the column prefix of each member. If the members are from several
    columns, each column contains the complete label.

    >>> cells(Symbol("(drug:1,drug:2)", "group", ("drug:1", "drug:2")), ("drug", "icd"))
    {'drug': '(1,2)'}
    >>> cells(Symbol("ALL", "node", ("drug:1", "icd:9")), ("drug", "icd"))
    {'drug': 'ALL', 'icd': 'ALL'}
    """
    touched = columns_of(joined, symbol.members)
    if len(touched) != 1:
        return dict.fromkeys(touched, symbol.label)
    mark = prefixed(touched[0], "")
    if symbol.kind == "group" and symbol.label == set_label(symbol.members):
        return {touched[0]: set_label([x.removeprefix(mark) for x in symbol.members])}
    return {touched[0]: symbol.label.removeprefix(mark)}


def cells_by_column(symbols: Iterable[Symbol], joined: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the texts of the symbols in each joined column. Each text is mapped to the position of its symbol.

    Raises
    ------
    InputError
        If two symbols have the same text in a column.
    """
    book = tuple(symbols)
    position_of: dict[str, dict[str, int]] = {name: {} for name in joined}
    for position, symbol in enumerate(book):
        for name, text in cells(symbol, position_of).items():
            if (other := position_of[name].setdefault(text, position)) != position:
                raise InputError(
                    f"column {name!r}: {datum(book[other].label)} and {datum(symbol.label)} would both be "
                    f"published as {datum(text)}; labels must be distinct within a column: rename the "
                    "item or the node"
                )
    return position_of
