"""A table with a recoding applied: published symbols per record, still coded, with the codebook that explains them.

A set is named ``(a,b,c)``, a range ``[low:high]``; the verification has a parser of its own. Where several set-valued
columns were joined into one, their items prefixed (``column:item``), they are written as separate columns again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Vocabulary
from anonset.data.blocks import GrowingSets
from anonset.data.joining import prefixed
from anonset.data.redacted_repr import Discreet, names_shown
from anonset.data.spans import spans
from anonset.data.store import MEMORY, Memory, Store
from anonset.data.table import Int32, Int64
from anonset.errors import InputError, datum
from anonset.generalization.recoding import SUPPRESSED, Cut


def set_label(members: Sequence[str]) -> str:
    """Return the name of a set; of a single member the member itself.

    >>> set_label(["a", "b"]), set_label(["a"])
    ('(a,b)', 'a')
    """
    return members[0] if len(members) == 1 else f"({','.join(members)})"


def members_of(label: str) -> tuple[str, ...]:
    """Return the members of a set from its name; any other text is its own only member.

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
    """Return the symbol of a hierarchy node: its label, and the leaves below it; without a name, the set of these."""
    label, members = hierarchy.labels[node], hierarchy.members(node)
    if label in hierarchy.unnamed:
        return group_symbol(members)
    return Symbol(label, "item" if hierarchy.is_leaf[node] else "node", members)


def cut_symbol(cut: Cut, node: int) -> Symbol:
    """Return the symbol of a node that a cut publishes; if the cut suppresses leaves below it, the set of the others.

    >>> tree = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2", "a3"]), "b"]))
    >>> node = tree.node_of["A"]
    >>> cut_symbol(Cut(tree, np.array([node, node, -1, tree.node_of["b"]], np.int32)), node).members
    ('a1', 'a2')
    """
    tree = cut.hierarchy
    first, end = int(tree.leaf_lo[node]), int(tree.leaf_hi[node])
    shown = np.flatnonzero(cut.image[first:end] != SUPPRESSED) + first
    if len(shown) == end - first:
        return node_symbol(tree, node)
    return group_symbol(tuple(tree.leaves.labels[leaf] for leaf in shown.tolist()))


def generalize(
    column: SetColumn, symbol_of_item: Int32, symbols: tuple[Symbol, ...], store: Store = MEMORY
) -> SetColumn:
    """Replace each item by its symbol code (-1 drops it), ascending and each once in a row.

    Parameters
    ----------
    symbol_of_item
        int32 (M,): symbol code of each item code, -1 where it is suppressed.
    store
        Where the new column's arrays are made.
    """
    from anonset_kernels.rows import map_rows

    vocabulary = Vocabulary(tuple(symbol.label for symbol in symbols))
    with GrowingSets(column.name, store, narrow=True) as generalized:
        for begin, end in spans(column.n) if store.in_files else [(0, column.n)]:
            block = column.slice(begin, end)
            rows = map_rows(block.indptr, block.items, symbol_of_item, len(symbols))
            generalized.append(SetColumn(column.name, *rows, vocabulary))
    return generalized.finished(vocabulary)


def row_ranks(column: SetColumn) -> Int64:
    """Rank the rows of a set-valued column lexicographically by their codes; equal rows share a rank.

    Rows are compared by a few codes at a time, packed into one 64-bit key, and only rows that are still tied
    and not yet exhausted go on: cost O(nnz + n log n) for data whose rows soon differ.

    Returns
    -------
    int64 (n,)
        Dense ranks from 0; the empty row ranks first.
    """
    bits = max(1, len(column.vocabulary).bit_length())  # codes are stored plus one, zero marks the end
    per_key = max(1, 63 // bits)
    rank = np.zeros(column.n, np.int64)
    active = np.arange(column.n)
    taken = 0
    while len(active):
        key = np.zeros(len(active), np.int64)
        start, length = column.indptr[active] + taken, column.lengths[active] - taken
        for j in range(per_key):
            has = length > j
            code = np.zeros(len(active), np.int64)
            code[has] = column.codes[start[has] + j] + 1
            key = (key << bits) | code
        order = np.lexsort((key, rank[active]))
        active, key, length = active[order], key[order], length[order]
        rank_here = rank[active]
        new = np.ones(len(active), bool)
        new[1:] = (key[1:] != key[:-1]) | (rank_here[1:] != rank_here[:-1])
        group = np.cumsum(new) - 1
        first_of_parent = np.ones(len(active), bool)
        first_of_parent[1:] = rank_here[1:] != rank_here[:-1]
        # ranks are positions of a group's first row among all rows, so refining a group leaves the others alone
        position = np.arange(len(active))
        parent_start = np.maximum.accumulate(np.where(first_of_parent, position, 0))
        group_start = position[new][group]
        rank[active] = rank_here + (group_start - parent_start)
        tied = np.bincount(group) > 1
        unfinished = np.bincount(group, weights=length > per_key) > 0  # a shorter row stays: it comes before the longer
        active = active[(tied & unfinished)[group]]
        taken += per_key
    return np.unique(rank, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Publication(Discreet):
    """The published records. Row `r` is made from input record ``record[r]``."""

    transactions: SetColumn | None
    """Published symbols per record; the vocabulary holds the symbols' labels in canonical order."""
    symbols: tuple[Symbol, ...]
    """The codebook: entry `c` explains symbol code `c`."""
    relational: tuple[CategoricalColumn, ...]
    """Published relational values, as text."""
    kept: tuple[CategoricalColumn, ...]
    """Columns published as they are."""
    record: Int64
    """int64 (n,): input record of each published row. Private."""
    cluster: Int32 | None = None
    """int32 (n,): cluster of each published row, for local recodings. Private."""
    order: tuple[str, ...] = ()
    """Names of the columns in the order of the input."""
    joined: tuple[str, ...] = ()
    """Names of the columns that the set-valued column was joined from, and is written as; none if it is one."""
    value_sets: tuple[Symbol, ...] = ()
    """What the short codes of relational value sets stand for."""
    store: Store = MEMORY
    """Where its own arrays lie, if they are mapped from files."""

    def __repr__(self) -> str:
        symbols = f", {len(self.symbols):,} symbols" if self.transactions is not None else ""
        return f"Publication({self.n:,} rows{symbols}; columns {names_shown(column.name for column in self.columns)})"

    @property
    def n(self) -> int:
        """Number of published rows."""
        return len(self.record)

    @property
    def columns(self) -> tuple[SetColumn | CategoricalColumn, ...]:
        """The published columns, in the order of the input; joined ones as one, where the first of them stood."""
        sets = () if self.transactions is None else (self.transactions,)
        order = [sets[0].name if sets and name in self.joined else name for name in self.order]
        return in_order((*self.relational, *sets, *self.kept), order)

    def slice(self, first: int, end: int) -> "Publication":
        """Return the publication of the rows from `first` up to `end`; the arrays are not copied."""
        return replace(
            self,
            transactions=None if self.transactions is None else self.transactions.slice(first, end),
            relational=tuple(column.slice(first, end) for column in self.relational),
            kept=tuple(column.slice(first, end) for column in self.kept),
            record=self.record[first:end],
            cluster=None if self.cluster is None else self.cluster[first:end],
            store=Memory(self.store.limits),
        )

    def take(self, rows: Int64) -> "Publication":
        """Return the publication with its rows in the given order."""
        return replace(
            self,
            transactions=None if self.transactions is None else self.transactions.take(rows),
            relational=tuple(column.take(rows) for column in self.relational),
            kept=tuple(column.take(rows) for column in self.kept),
            record=self.record[rows],
            cluster=None if self.cluster is None else self.cluster[rows],
        )


def in_order(
    columns: Sequence[SetColumn | CategoricalColumn], order: Sequence[str]
) -> tuple[SetColumn | CategoricalColumn, ...]:
    """Return columns in the order of the given names, and after them those that are not named."""
    remaining = {column.name: column for column in columns}
    return tuple(remaining.pop(name) for name in order if name in remaining) + tuple(remaining.values())


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
    """Return the texts that each of the joined columns may hold, with the position of the symbol that each stands for.

    Raises
    ------
    InputError
        If two symbols would stand in a column as the same text.
    """
    book = tuple(symbols)
    position_of: dict[str, dict[str, int]] = {name: {} for name in joined}
    for position, symbol in enumerate(book):
        for name, text in cells(symbol, joined).items():
            if (other := position_of[name].setdefault(text, position)) != position:
                msg = (
                    f"column {name!r}: {datum(book[other].label)} and {datum(symbol.label)} would both be "
                    f"published as {datum(text)}; labels must be distinct within a column: rename the "
                    "item or the node"
                )
                raise InputError(msg)
    return position_of


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
        shown = tuple(replace(publication.symbols[position], label=text) for text, position in texts.items())
        parts.append(replace(generalize(sets, codes, shown, publication.store), name=name))
    return in_order((*publication.relational, *parts, *publication.kept), publication.order)
