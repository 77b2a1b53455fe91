"""Whether a codebook is right: what it says of a symbol must agree with the symbol's name, and with a hierarchy."""

from collections.abc import Iterable, Mapping

import numpy as np

from anonset.data import Hierarchy, SetColumn, Table, Vocabulary
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization import Publication, Symbol
from anonset.generalization.labels import members_of
from anonset.settings.binding import bind_columns

_KINDS = ("item", "node", "group", "values")


def require_sound(book: Iterable[Symbol], where: str, *, nodes_known: bool = False) -> None:
    """Refuse a codebook that contradicts the names of its symbols.

    Parameters
    ----------
    where
        What the codebook is, for messages.
    nodes_known
        Whether the nodes are held against their hierarchy elsewhere.

    Raises
    ------
    InputError
        With the first symbol of which it says what cannot be.
    """
    for symbol in book:
        if wrong := _contradiction(symbol, nodes_known=nodes_known):
            msg = f"{where}: {symbol.kind} {symbol.label!r} {wrong}"
            raise InputError(msg)


def _contradiction(symbol: Symbol, *, nodes_known: bool) -> str:
    """Say why a symbol cannot stand for its members; empty if it can."""
    members, named = symbol.members, members_of(symbol.label)
    got = f", got {' '.join(map(repr, members[:5]))}{' …' if len(members) > 5 else ''}"
    if symbol.kind not in _KINDS:
        return f"must be of a kind out of {', '.join(_KINDS)}"
    if not members or len(set(members)) < len(members):
        return f"must stand for one item at least, and each once{got if members else ', got none'}"
    if symbol.kind == "item":
        return "" if members == (symbol.label,) else f"must stand for itself alone{got}"
    if symbol.kind != "node" and len(members) < 2:
        return f"must stand for two or more{got}"
    is_set = named != (symbol.label,) and (symbol.kind != "node" or len(named) > 1)
    if not is_set or sorted(named) == sorted(members):
        return ""
    if symbol.kind != "node":
        return f"must stand for the members that its name lists{got}"
    return "" if nodes_known else f"is named like a set of others; name its hierarchy with --hierarchy{got}"


def require_complete(book: Iterable[Symbol], publication: Publication, where: str) -> None:
    """Refuse a codebook that does not explain exactly the symbols that the records show.

    Raises
    ------
    InputError
        With the first symbol that is missing, or that no record shows.
    """
    known = {symbol.label: symbol for symbol in book if symbol.kind != "values"}
    shown = {symbol.label: symbol for symbol in publication.symbols}
    for label in shown:
        if known.get(label) != shown[label]:
            msg = f"{where} must explain every symbol of the records, but not {label!r}"
            raise InputError(msg)
    for label in known:
        if label not in shown:
            msg = f"{where} must explain the symbols of the records alone, but also {label!r}, which no record shows"
            raise InputError(msg)


def require_agreement(publication: Publication, hierarchy: Hierarchy) -> None:
    """Refuse symbols that stand for other items than the node of the hierarchy by their name.

    Raises
    ------
    InputError
        With the first such symbol.
    """
    for symbol in publication.symbols:
        node = hierarchy.node_of.get(symbol.label)
        if node is None:
            if symbol.kind == "node":
                msg = f"codebook: {symbol.label!r} must be a node of the hierarchy, which it is not"
                raise InputError(msg)
            continue
        leaves = hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]]
        if sorted(leaves) != sorted(symbol.members):
            others = sorted(set(leaves) ^ set(symbol.members))
            msg = (
                f"codebook: {symbol.label!r} must stand for the {len(leaves)} leaves below it in the hierarchy, "
                f"got {len(symbol.members)} items; {others[0]!r} makes a difference"
            )
            raise InputError(msg)


def items_hierarchy(
    publication: Publication, hierarchies: Mapping[str, str], beside: tuple[str, ...]
) -> Hierarchy | None:
    """Return the hierarchy of the published items, read without the original; None if none is given.

    Raises
    ------
    InputError
        If it depends on all items of the original (``balanced:F``), or an item of the codebook is no leaf of it.
    """
    from anonset.io.hierarchies import is_balanced

    column = publication.transactions
    given = {} if column is None else {n: s for n, s in hierarchies.items() if n in (column.name, *publication.joined)}
    if column is None or not given:
        return None
    for name, spec in given.items():
        if is_balanced(spec):
            msg = f"--hierarchy {name}={spec}: it is over the items of the original, which --original must name"
            raise InputError(msg)
    items = Vocabulary.of(item for symbol in publication.symbols for item in symbol.members)
    empty: tuple[Int64, Int32] = np.zeros(1, np.int64), np.zeros(0, np.int32)
    table = Table(SetColumn(column.name, *empty, items), joined=publication.joined)
    return bind_columns(table, given, beside)[1].get(column.name)
