"""The files that say what stands for what: ``codebook.csv``, and privately ``mapping.csv``.

The codebook says what each published symbol stands for; the mapping, how each item is published, in all records or in
each cluster of them (of a local recoding it lists the items that occur in a cluster, not the whole universe).
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy, SetColumn
from anonset.data.distinct import distinct
from anonset.data.table import Int64
from anonset.errors import InputError, datum, foreign
from anonset.generalization import Cut, ItemGroups, PerCluster, Publication, Recoding, Symbol
from anonset.generalization.publication import node_symbol, set_label
from anonset.io import arrow
from anonset.io.dialect import any_field_size
from anonset.io.files import write_file
from anonset.io.lines import csv_bytes, header_of, rows_of

_CODEBOOK = ("symbol", "kind", "members")


def write_codebook(publication: Publication, path: str | Path, separator: str = " ") -> Path:
    """Write what each published symbol stands for: ``symbol,kind,members``.

    Where several set-valued columns were joined, members are prefixed (``column:item``), and a symbol has one line by
    its full label, whatever columns it stands in. What stands as ``x`` in a column `c` is found as ``c:x``, or if that
    is none as ``x``; a set ``(a,b)`` as ``(c:a,c:b)``.

    Parameters
    ----------
    path
        File, or the folder of ``codebook.csv``.
    separator
        What joins the members. A member that holds it is quoted in the way of CSV.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    where = Path(path)
    columns = (
        [symbol.label for symbol in publication.symbols],
        [symbol.kind for symbol in publication.symbols],
        [separator.join(_member(m, separator) for m in symbol.members) for symbol in publication.symbols],
    )
    where = where / "codebook.csv" if where.is_dir() else where
    return write_file(where, csv_bytes(_CODEBOOK, [arrow.text_array(column) for column in columns]))


def _member(label: str, separator: str) -> str:
    if label and not any(mark in label for mark in (separator, '"', "\r", "\n")):
        return label
    return '"' + label.replace('"', '""') + '"'


def read_codebook(path: Path) -> tuple[Symbol, ...]:
    """Return what each published symbol stands for, from ``codebook.csv``.

    Raises
    ------
    InputError
        If it explains a symbol twice.
    """
    symbol_of: dict[tuple[str, bool], Symbol] = {}
    for row in rows_of(path, _CODEBOOK):
        symbol = Symbol(row["symbol"], row["kind"], _members_read(path, row["members"]))
        if symbol_of.setdefault((symbol.label, symbol.kind == "values"), symbol) is not symbol:
            msg = f"{str(path)!r} must explain symbol {datum(symbol.label)} once, but does so twice"
            raise InputError(msg)
    return tuple(symbol_of.values())


def _members_read(path: Path, text: str) -> tuple[str, ...]:
    try:
        with any_field_size():
            return tuple(next(csv.reader(io.StringIO(text, newline=""), delimiter=" ", strict=True), []))
    except csv.Error as error:
        msg = f"{str(path)!r}: members must be separated by blanks, and quoted as in CSV: {foreign(error)}"
        raise InputError(msg) from None


GLOBAL, LOCAL = ("item", "published"), ("cluster", "item", "published")
"""The headers of both kinds."""
_LINES = 1 << 16


def write_mapping(recoding: Recoding, path: str | Path, symbols: Sequence[Symbol] = ()) -> Path:
    """Write how a global recoding publishes each item of the universe: ``item,published``; empty: it is suppressed.

    Parameters
    ----------
    symbols
        The codebook, where groups of items have other labels than ``(a,b,c)``.

    Raises
    ------
    InputError
        If the recoding is no global one of items, or the file cannot be written.
    """
    if not isinstance(recoding, (Cut, ItemGroups)):
        msg = f"a recoding of type {type(recoding).__name__} has no one mapping of all items"
        raise InputError(msg)
    given = {symbol.members: symbol.label for symbol in symbols if symbol.kind == "group"}
    return write_file(Path(path), csv_bytes(GLOBAL, _images(recoding, given)))


def _images(mapping: Cut | ItemGroups, given: dict[tuple[str, ...], str]) -> list[Any]:
    """Return the items of the universe, and how each is published."""
    order: Any = slice(None)
    names: Sequence[str]
    if isinstance(mapping, Cut):
        tree, image = mapping.hierarchy, mapping.image
        items, names = tree.leaves.labels, list(tree.labels)
        for node in np.unique(image[image >= 0]).tolist() if tree.unnamed else ():
            names[node] = _name(tree, node, given)
        order = order if tree.place is None else np.argsort(tree.place)
    else:
        items, image = mapping.vocabulary.labels, _dense(mapping)
        names = tuple(given.get(group) or set_label(group) for group in mapping.labels)
    published = arrow.chosen(arrow.text_array([*names, ""]), np.where(image < 0, len(names), image))
    return [arrow.chosen(column, np.arange(len(items))[order]) for column in (arrow.text_array(items), published)]


def _name(tree: Hierarchy, node: int, given: Mapping[tuple[str, ...], str]) -> str:
    """Return what a node is published as."""
    symbol = node_symbol(tree, node)
    return given.get(symbol.members, symbol.label) if symbol.kind == "group" else symbol.label


def _dense(groups: ItemGroups) -> Any:
    """Return int32 (M,): position of each item's group among the groups, -1 where it is suppressed."""
    image = np.full(len(groups.vocabulary), -1, np.int32)
    for group, members in enumerate(groups.members):
        image[list(members)] = group
    return image


def write_local_mapping(
    recoding: PerCluster, column: SetColumn, path: str | Path, symbols: Sequence[Symbol] = ()
) -> Path:
    """Write ``cluster,item,published``, a line for each item that occurs in a cluster; empty: it is suppressed.

    What symbols stand for beyond the items that occur is in the codebook.

    Parameters
    ----------
    column
        The original column, bound to the recoding's hierarchy or vocabulary.
    symbols
        The codebook, where groups of items have other labels than ``(a,b,c)``.

    Raises
    ------
    InputError
        If the recoding is not one for the column, or the file cannot be written.
    """
    if len(recoding.cluster) != column.n or len(recoding.items) != recoding.n_clusters:
        msg = f"the recoding must have a mapping for each cluster of the {column.n} records"
        raise InputError(msg)
    named = {symbol.members: symbol.label for symbol in symbols if symbol.kind == "group"}
    return write_file(Path(path), _parts(recoding, column, named))


def _parts(recoding: PerCluster, column: SetColumn, named: Mapping[tuple[str, ...], str]) -> Iterator[Any]:
    yield csv_bytes(LOCAL, [arrow.text_array([])] * 3)[0]
    labels, rows = column.vocabulary.labels, _no_rows()
    for cluster, codes in _occurring(recoding, column):
        rows[0].extend([str(cluster)] * len(codes))
        rows[1].extend(labels[code] for code in codes)
        rows[2].extend(_published(recoding.items[cluster], codes, named))
        if len(rows[0]) >= _LINES:
            yield csv_bytes(LOCAL, [arrow.text_array(part) for part in rows])[1]
            rows = _no_rows()
    yield csv_bytes(LOCAL, [arrow.text_array(part) for part in rows])[1]


def _no_rows() -> tuple[list[str], list[str], list[str]]:
    return [], [], []


def _occurring(recoding: PerCluster, column: SetColumn) -> Iterator[tuple[int, Int64]]:
    """Yield each cluster in which items occur, and the codes of these, ascending."""
    n_items, last = max(1, len(column.vocabulary)), np.empty(0, np.int64)
    for records, _ in recoding.pieces():
        rows = column if records is None else column.take(records)
        cluster = (recoding.cluster if records is None else recoding.cluster[records]).astype(np.int64)
        pairs = distinct(np.concatenate([last, np.repeat(cluster, rows.lengths) * n_items + rows.items]))
        goes_on = int(np.searchsorted(pairs, pairs[-1] // n_items * n_items)) if len(pairs) else 0
        yield from _by_cluster(pairs[:goes_on], n_items)
        last = pairs[goes_on:]  # the next piece may hold more records of the last cluster
    yield from _by_cluster(last, n_items)


def _by_cluster(pairs: Int64, n_items: int) -> Iterator[tuple[int, Int64]]:
    """Yield the cluster and the items of pairs of these, each of which is one number, ascending."""
    cluster, codes = np.divmod(pairs, n_items)
    begins = np.flatnonzero(np.diff(cluster, prepend=-1))
    yield from zip(cluster[begins].tolist(), np.split(codes, begins[1:]), strict=False)


def _published(
    mapping: Cut | ItemGroups, codes: NDArray[np.integer], named: Mapping[tuple[str, ...], str]
) -> Iterator[str]:
    """Yield how each of the items is published."""
    if isinstance(mapping, Cut):
        nodes = mapping.image[codes].tolist()
        texts = {node: _name(mapping.hierarchy, node, named) if node >= 0 else "" for node in set(nodes)}
        yield from (texts[node] for node in nodes)
        return
    order = np.argsort(mapping.group, kind="stable")
    sorted_groups, labels = mapping.group[order], mapping.vocabulary.labels
    known: dict[int, str] = {-1: ""}
    for group in mapping.group[codes].tolist():
        if group not in known:
            first, last = np.searchsorted(sorted_groups, [group, group + 1])
            members = tuple(labels[item] for item in order[first:last])
            known[group] = named.get(members) or set_label(members)
        yield known[group]


def read_mapping(path: Path) -> dict[str, str]:
    """Return how each item of the universe is published, from ``mapping.csv``; the empty text: suppressed.

    Raises
    ------
    InputError
        If it is that of a local recoding.
    """
    if header_of(path) == LOCAL:
        msg = f"{str(path)!r} maps the items of each cluster by themselves; one mapping of all is required"
        raise InputError(msg)
    return {row["item"]: row["published"] for row in rows_of(path, GLOBAL)}
