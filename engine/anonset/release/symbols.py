"""Names of published symbols, and checks whether a codebook agrees with the names.

A name such as ``(a,b,c)`` lists the members of the symbol. For a symbol with a short code, the codebook lists the
members. The codebook must agree with the names of symbols and with the hierarchy.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.joining import prefixed
from anonset.data.table_facts import CodeRules
from anonset.errors import InputError, datum
from anonset.publications import Records, Symbol
from anonset.publications.presentation import Symbols
from anonset.publications.symbols import members_of, set_label
from anonset.reading.hierarchies.specs import is_over_data
from anonset.settings.binding import bind_columns
from anonset.spelling import hierarchy_of, setting

MOST_SHOWN = 8
"""Maximum number of members in the default name of a set. Larger sets get short codes."""
_CODE = re.compile(r"([GV]_*)\d+")


def name_sets(
    publication: Records,
    value_sets: Iterable[str],
    symbols: Symbols,
    earlier_codes: Mapping[tuple[str, ...], str] = MappingProxyType({}),
    *,
    others: Iterable[str] = (),
) -> Records:
    """Assign codes to itemsets (``G1``, ...) and value sets (``V1``, ...), numbered in order.

    Parameters
    ----------
    publication
        Publication whose sets are named by their members.
    value_sets
        Names of the relational columns that are published as sets of values.
    symbols
        Sets that get a code. ``auto`` includes sets whose members could not be parsed from the name.
    earlier_codes
        Names of itemsets in earlier releases, by members. These names are reserved for the same sets.
    others
        Texts that must not be used as codes: inner nodes of the item hierarchy, and symbols of earlier releases.
    """
    least = {"auto": MOST_SHOWN + 1, "members": None, "short": 2}[symbols]
    if least is None:
        if not earlier_codes:
            return publication
        least = sum(len(symbol.members) for symbol in publication.symbols) + 1
    used_labels = {label for column in publication.columns for label in _known_labels(column, publication.joined)}
    used_labels |= {member for symbol in publication.symbols for member in symbol.members}
    used_labels |= {*earlier_codes.values(), *others}
    used_labels |= {label.removeprefix(f"{name}:") for name in publication.joined for label in used_labels}
    items, sets = publication.transactions, publication.symbols
    if items is not None:
        code = _codes("G", used_labels)

        def named(symbol: Symbol) -> Symbol:
            if symbol.kind != "group":
                return symbol
            if symbol.members in earlier_codes:
                return replace(symbol, label=earlier_codes[symbol.members])
            unclear = symbols == "auto" and not all(map(_is_plain, symbol.members))
            return replace(symbol, label=code()) if unclear or len(symbol.members) >= least else symbol

        sets = tuple(map(named, sets))
        labels = Vocabulary(tuple(symbol.label for symbol in sets))
        items = replace(items, vocabulary=labels).with_occurrences(items.occurrences)
    code, values, chosen, relational = _codes("V", used_labels), [], set(value_sets), []
    for column in publication.relational:
        labels_of_column = list(column.vocabulary.labels)
        for i, label in enumerate(labels_of_column if column.name in chosen else ()):
            members = members_of(label)
            if len(members) >= least:
                labels_of_column[i] = code()
                values.append(Symbol(labels_of_column[i], "values", members))
        relational.append(CategoricalColumn(column.name, column.codes, Vocabulary(tuple(labels_of_column))))
    return replace(
        publication, transactions=items, symbols=sets, relational=tuple(relational), value_sets=tuple(values)
    )


def spell_out(columns: Sequence[CategoricalColumn], symbols: Iterable[Symbol]) -> tuple[CategoricalColumn, ...]:
    """Return relational columns with the codes of value sets replaced by their members."""
    texts = {symbol.label: set_label(symbol.members) for symbol in symbols if symbol.kind == "values"}
    if not texts:
        return tuple(columns)
    return tuple(
        CategoricalColumn(c.name, c.codes, Vocabulary(tuple(texts.get(label, label) for label in c.vocabulary.labels)))
        for c in columns
    )


def leave_out(publication: Records, items: Iterable[str]) -> Records:
    """Return a publication without the symbols whose only member is one of the given items."""
    column, hidden = publication.transactions, set(items)
    if column is None or not hidden:
        return publication
    is_hidden = np.array(
        [len(symbol.members) == 1 and symbol.members[0] in hidden for symbol in publication.symbols], bool
    )
    return replace(publication, transactions=column.only(~is_hidden))


def _is_plain(label: str) -> bool:
    """Return True if a label may occur in ``(a,b,c)``, so that the members can be parsed from the name."""
    return re.search(r"[,()]", label) is None


def require_plain_items(labels: Iterable[str]) -> None:
    """Reject items with a comma or a parenthesis, because they cannot be parsed from the name of a set.

    Raises
    ------
    InputError
        The message names the first rejected item.
    """
    for label in labels:
        if not _is_plain(label):
            raise InputError(
                f"item {datum(label)} contains a comma or a parenthesis, and sets of items are published as (a,b,c); "
                f"rename it, or publish short codes: {setting('symbols', 'short')}"
            )


def require_plain_nodes(hierarchy: Hierarchy, first: int) -> None:
    """Reject inner nodes whose name lists other items than the leaves below the node. Only nodes from `first` on are
    checked.

    Raises
    ------
    InputError
        The message names the first such node.
    """
    for node in range(first, hierarchy.n_nodes):
        named = members_of(hierarchy.labels[node])
        leaves = hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]]
        if len(named) > 1 and not hierarchy.is_leaf[node] and sorted(named) != sorted(leaves):
            raise InputError(
                f"node {datum(hierarchy.labels[node])} of the hierarchy: the name lists other items than the "
                f"{len(leaves)} leaves below it; rename the node"
            )


def _known_labels(column: SetColumn | CategoricalColumn, joined: Sequence[str]) -> Iterable[str]:
    """Return the labels of a column, which must not be used as codes. Labels on disk are not loaded. They are
    represented by one code, such as ``G0``, for each letter that occurs in a label of this form.
    """
    if (filed := column.vocabulary.filed) is None:
        return column.vocabulary.labels
    marks = [prefixed(name, "") for name in joined]
    spellings = (
        spelling
        for label in filed.beginning("".join(["GV", *marks]).encode())
        for spelling in (label, *map(label.removeprefix, marks))
    )
    return {f"{code[1]}0" for code in map(_CODE.fullmatch, spellings) if code is not None}


def _codes(letter: str, used_labels: set[str]) -> Callable[[], str]:
    while any(label.startswith(letter) and label[len(letter) :].isdecimal() for label in used_labels):
        letter += "_"
    n = 0

    def code() -> str:
        nonlocal n
        n += 1
        return f"{letter}{n}"

    return code


_KINDS = ("item", "node", "group", "values")


def require_sound(book: Iterable[Symbol], where: str, *, nodes_known: bool = False) -> None:
    """Reject a codebook that contradicts the names of its symbols.

    Parameters
    ----------
    where
        Name of the codebook in messages.
    nodes_known
        Whether another check compares the nodes with their hierarchy.

    Raises
    ------
    InputError
        The message names the first contradicting symbol.
    """
    for symbol in book:
        if wrong := _contradiction(symbol, nodes_known=nodes_known):
            raise InputError(f"{where}: {symbol.kind} {datum(symbol.label)} {wrong}")


def _contradiction(symbol: Symbol, *, nodes_known: bool) -> str:
    """Return why a symbol cannot have the members that the codebook lists, or an empty text if it can."""
    members, named = symbol.members, members_of(symbol.label)
    if symbol.kind not in _KINDS:
        return f"must have one of the kinds {', '.join(_KINDS)}"
    if not members or len(set(members)) < len(members):
        return f"must have members, and each only once, got {_first(members) or 'none'}"
    if symbol.kind == "item":
        return "" if members == (symbol.label,) else f"must have only itself as a member, got {_first(members)}"
    if symbol.kind != "node" and len(members) < 2:
        return f"must have at least two members, got {_first(members)}"
    is_set = named != (symbol.label,) and (symbol.kind != "node" or len(named) > 1)
    if not is_set or sorted(named) == sorted(members):
        return ""
    if symbol.kind != "node":
        return f"must have exactly the members that its name lists, got {_first(members)}"
    if nodes_known:
        return ""
    way = f"if it is a hierarchy node, pass {hierarchy_of()}"
    return f"contains {_first(members)}, but its name lists other items; {way}"


def _first(members: Sequence[str]) -> str:
    return f"{' '.join(map(datum, members[:5]))}{' …' if len(members) > 5 else ''}"


def require_complete(book: Iterable[Symbol], publication: Records, where: str) -> None:
    """Reject a codebook whose symbols differ from the symbols in the records.

    Raises
    ------
    InputError
        The message names the first symbol that is missing in the codebook or in the records.
    """
    listed = {symbol.label: symbol for symbol in book if symbol.kind != "values"}
    shown = {symbol.label: symbol for symbol in publication.symbols}
    for label in shown:
        if listed.get(label) != shown[label]:
            raise InputError(f"{where} must contain every symbol of the records, but lacks {datum(label)}")
    for label in listed:
        if label not in shown:
            raise InputError(f"{where} must contain only symbols of the records, but contains {datum(label)}")


def require_agreement(publication: Records, hierarchy: Hierarchy) -> None:
    """Reject symbols whose members differ from the leaves of the hierarchy node with the same name.

    The code of a set may equal a node name, because the hierarchy may be unknown when codes are assigned.

    Raises
    ------
    InputError
        The message names the first such symbol.
    """
    for symbol in publication.symbols:
        node = hierarchy.node_of.get(symbol.label)
        if symbol.kind == "group" and _CODE.fullmatch(symbol.label):
            continue
        if node is None:
            if symbol.kind == "node":
                raise InputError(f"codebook: {datum(symbol.label)} must be a node of the hierarchy")
            continue
        leaves = hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]]
        if sorted(leaves) != sorted(symbol.members):
            others = sorted(set(leaves) ^ set(symbol.members))
            raise InputError(
                f"codebook: {datum(symbol.label)} must have the {len(leaves)} leaves below it in the hierarchy, "
                f"got {len(symbol.members)} items; {datum(others[0])} is only in one of them"
            )


def items_hierarchy(
    publication: Records, hierarchies: Mapping[str, str], sources: tuple[str, ...], rules: CodeRules
) -> Hierarchy | None:
    """Read the hierarchy of the published items without using the original. Return None if no hierarchy is given.

    Raises
    ------
    InputError
        If the hierarchy depends on the items of the original (``balanced:F``, or a rule), or an item of the codebook is
        not a leaf.
    """
    column = publication.transactions
    specs = {} if column is None else {n: s for n, s in hierarchies.items() if n in (column.name, *publication.joined)}
    if column is None or not specs:
        return None
    for name, spec in specs.items():
        if is_over_data(spec):
            original = f"the items of the original; pass it with {setting('original')}"
            raise InputError(f"{hierarchy_of(name, spec)} depends on {original}")
    items = Vocabulary.of(item for symbol in publication.symbols for item in symbol.members)
    empty: tuple[Int64, Int32] = np.zeros(1, np.int64), np.zeros(0, np.int32)
    table = Table(SetColumn(column.name, *empty, items), joined=publication.joined, rules=rules)
    return bind_columns(table, specs, sources)[1].get(column.name)
