"""The symbols that items are published as, how sets and ranges are named, and a column of symbols.

A set is named ``(a,b,c)``, a range ``[low:high]``. The verification has a parser of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.data.discreet import Discreet
from anonset.data.table import Int32


def set_label(members: Sequence[str]) -> str:
    """Return the name of a set; of a single member the member itself.

    >>> set_label(["a", "b"]), set_label(["a"])
    ('(a,b)', 'a')
    """
    return members[0] if len(members) == 1 else f"({','.join(members)})"


def members_of(label: str) -> tuple[str, ...]:
    """Return the members of a set from its name; what is no such name is its only member.

    >>> members_of("(a,b)"), members_of("a")
    (('a', 'b'), ('a',))
    """
    return tuple(label[1:-1].split(",")) if label.startswith("(") and label.endswith(")") else (label,)


def range_label(low: str, high: str) -> str:
    """Return the name of a range; of a point the point itself.

    >>> range_label("19", "22"), range_label("19", "19")
    ('[19:22]', '19')
    """
    return low if low == high else f"[{low}:{high}]"


def range_ends(label: str) -> tuple[str, str]:
    """Return the ends of a range from its name; those of a point are the point.

    >>> range_ends("[19:22]"), range_ends("19")
    (('19', '22'), ('19', '19'))
    """
    if not (label.startswith("[") and label.endswith("]")):
        return label, label
    low, _, high = label[1:-1].partition(":")
    return low, high


@dataclass(frozen=True)
class Symbol(Discreet):
    """One published symbol of the set-valued column, and what it stands for."""

    label: str = field(repr=False)
    """The text that is published."""
    kind: str
    """``item``, ``node`` (of a hierarchy), ``group`` (a set of items) or ``values`` (a set of relational values)."""
    members: tuple[str, ...]
    """The original items it may stand for, in canonical order."""


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
