"""The symbols that items are published as: nodes of a hierarchy and sets of items, and a column of them."""

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.data.table import Int32
from anonset.generalization.labels import set_label
from anonset.generalization.publication import Symbol


def group_symbol(members: tuple[str, ...]) -> Symbol:
    """Return the symbol of a set of items: ``(a,b,c)``, or the item itself.

    >>> group_symbol(("a", "b")).label
    '(a,b)'
    """
    return Symbol(set_label(members), "item" if len(members) == 1 else "group", members)


def node_symbol(hierarchy: Hierarchy, node: int) -> Symbol:
    """Return the symbol of a hierarchy node: its label, and the leaves below it."""
    leaves = hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]]
    return Symbol(hierarchy.labels[node], "item" if hierarchy.is_leaf[node] else "node", tuple(leaves))


def generalize(column: SetColumn, symbol_of_item: Int32, symbols: tuple[Symbol, ...]) -> SetColumn:
    """Replace each item by its symbol code (-1 drops it), ascending and each once in a row.

    Parameters
    ----------
    symbol_of_item
        int32 (M,): symbol code of each item code, -1 where it is suppressed.
    """
    from anonset_kernels.rows import map_rows

    indptr, items = map_rows(column.indptr, column.items, symbol_of_item, len(symbols))
    return SetColumn(column.name, indptr, items, Vocabulary(tuple(symbol.label for symbol in symbols)))
