"""Write the codebook (``codebook.csv``) and the private files ``mapping.csv`` and ``records.csv``.

The codebook lists the meaning of each published symbol. The mapping lists the published symbol of each item. For a
local recoding, it lists the items of each cluster. The records file lists the input record of each published row. A
publication with more than `MOST_AS_TEXT` rows has ``records.parquet`` instead. A publication with more than
`ROWS_PER_RECORDS_FILE` rows has a folder ``records`` with several Parquet files.
"""

import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset import arrow
from anonset.data import SetColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.distinct import distinct
from anonset.data.spans import spans
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster, Recoding
from anonset.generalization.recoding import cut_symbol
from anonset.lazy_arrow import pa
from anonset.publications import Records, Symbol
from anonset.publications.symbols import set_label
from anonset.reading.publications.codebook import (
    GLOBAL,
    LOCAL,
    MOST_AS_TEXT,
    RECORD_COLUMNS,
    ROWS_PER_RECORDS_FILE,
    SYMBOL_COLUMNS,
    record_types,
)
from anonset.reading.publications.records import part_names
from anonset.reading.sources.files import reading, write_file
from anonset.writing.csv_lines import csv_lines
from anonset.writing.table_files import ROWS_PER_GROUP, write_parquet_tables


def write_codebook(publication: Records, path: str | Path) -> Path:
    """Write the meaning of each published symbol: ``symbol,kind,members``.

    If several set-valued columns were joined, members have the column name as a prefix (``column:item``). A symbol
    ``x`` of column ``c`` then has the line ``c:x``. If there is no line ``c:x``, the line ``x`` applies to all columns.
    A set ``(a,b)`` of column ``c`` has the line ``(c:a,c:b)``.

    Parameters
    ----------
    path
        File, or the folder of ``codebook.csv``. Blanks separate the members. A member that contains a blank is quoted
        as in CSV.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    where = Path(path)
    return write_symbols(publication.symbols, where / "codebook.csv" if where.is_dir() else where)


def write_symbols(symbols: Sequence[Symbol], where: Path) -> Path:
    """Write symbols as a codebook.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    columns = (
        [symbol.label for symbol in symbols],
        [symbol.kind for symbol in symbols],
        [" ".join(map(_member, symbol.members)) for symbol in symbols],
    )
    return write_file(where, csv_lines(SYMBOL_COLUMNS, [[arrow.text_array(column) for column in columns]]))


def _member(label: str) -> str:
    if label and not any(mark in label for mark in ' "\r\n'):
        return label
    return '"' + label.replace('"', '""') + '"'


_LINES = 1 << 16


def write_mapping(recoding: Recoding, path: str | Path, symbols: Sequence[Symbol] = ()) -> Path:
    """Write the published symbol of each item of the universe as lines ``item,published``, for a global recoding.

    The symbol is empty if the item is suppressed.

    Parameters
    ----------
    symbols
        The codebook, if groups of items have other labels than ``(a,b,c)``.

    Raises
    ------
    InputError
        If the recoding is not a global recoding of items, or the file cannot be written.
    """
    if not isinstance(recoding, (Cut, ItemGroups)):
        raise InputError(f"a recoding of type {type(recoding).__name__} has no single mapping of all items")
    return write_file(Path(path), csv_lines(GLOBAL, [_images(recoding, _labels_of_groups(symbols))]))


def _labels_of_groups(symbols: Sequence[Symbol]) -> dict[tuple[str, ...], str]:
    """Return a mapping from the sorted members of each group to its label. Members are sorted because codebooks and
    hierarchies list them in different orders.
    """
    return {tuple(sorted(symbol.members)): symbol.label for symbol in symbols if symbol.kind == "group"}


def _label(members: Sequence[str], code_of: Mapping[tuple[str, ...], str]) -> str:
    return code_of.get(tuple(sorted(members))) or set_label(members)


def _images(mapping: Cut | ItemGroups, code_of: Mapping[tuple[str, ...], str]) -> list[Any]:
    """Return the items of the universe and their published symbols. Items of a hierarchy are in the hierarchy order."""
    place = mapping.hierarchy.place if isinstance(mapping, Cut) else None
    labels = (mapping.hierarchy.leaves if isinstance(mapping, Cut) else mapping.vocabulary).labels
    order = np.arange(len(labels)) if place is None else np.argsort(place)
    published = list(_published(mapping, order, code_of))
    return [arrow.text_array([labels[item] for item in order.tolist()]), arrow.text_array(published)]


def _name(cut: Cut, node: int, code_of: Mapping[tuple[str, ...], str]) -> str:
    symbol = cut_symbol(cut, node)
    return _label(symbol.members, code_of) if symbol.kind == "group" else symbol.label


def write_local_mapping(
    recoding: PerCluster, column: SetColumn, path: str | Path, symbols: Sequence[Symbol] = ()
) -> Path:
    """Write lines ``cluster,item,published`` with the published symbol of each item that occurs in a cluster.

    The symbol is empty if the item is suppressed. The codebook also lists items that do not occur in the cluster.

    Parameters
    ----------
    column
        The original column, bound to the recoding's hierarchy or vocabulary.
    symbols
        The codebook, if groups of items have other labels than ``(a,b,c)``.

    Raises
    ------
    InputError
        If the recoding does not fit the column, or the file cannot be written.
    """
    if len(recoding.cluster) != column.n or len(recoding.items) != recoding.n_clusters:
        raise InputError(f"the recoding must have a mapping for each cluster of the {column.n} records")
    return write_file(Path(path), csv_lines(LOCAL, _local_blocks(recoding, column, _labels_of_groups(symbols))))


def _local_blocks(recoding: PerCluster, column: SetColumn, named: Mapping[tuple[str, ...], str]) -> Iterator[list[Any]]:
    labels, rows = column.vocabulary.labels, _no_rows()
    for cluster, codes in _occurring(recoding, column):
        rows[0].extend([str(cluster)] * len(codes))
        rows[1].extend(labels[code] for code in codes)
        rows[2].extend(_published(recoding.items[cluster], codes, named))
        if len(rows[0]) >= _LINES:
            yield [arrow.text_array(part) for part in rows]
            rows = _no_rows()
    yield [arrow.text_array(part) for part in rows]


def _no_rows() -> tuple[list[str], list[str], list[str]]:
    return [], [], []


def _occurring(recoding: PerCluster, column: SetColumn) -> Iterator[tuple[int, Int64]]:
    """Yield each cluster that contains items, and the ascending codes of these items."""
    n_items, last = max(1, len(column.vocabulary)), np.empty(0, np.int64)
    for records, _ in recoding.pieces():
        rows = column if records is None else column.take(records)
        cluster = (recoding.cluster if records is None else recoding.cluster[records]).astype(np.int64)
        pairs = distinct(np.concatenate([last, np.repeat(cluster, rows.lengths) * n_items + rows.items[:]]))
        goes_on = int(np.searchsorted(pairs, pairs[-1] // n_items * n_items)) if len(pairs) else 0
        yield from _by_cluster(pairs[:goes_on], n_items)
        last = pairs[goes_on:]  # the next piece may contain more records of the last cluster
    yield from _by_cluster(last, n_items)


def _by_cluster(pairs: Int64, n_items: int) -> Iterator[tuple[int, Int64]]:
    """Yield each cluster and its items. An element of `pairs` is cluster * `n_items` + item. Elements are ascending."""
    cluster, codes = np.divmod(pairs, n_items)
    begins = np.flatnonzero(np.diff(cluster, prepend=-1))
    yield from zip(cluster[begins].tolist(), np.split(codes, begins[1:]), strict=False)


def _published(
    mapping: Cut | ItemGroups, codes: NDArray[np.integer], named: Mapping[tuple[str, ...], str]
) -> Iterator[str]:
    if isinstance(mapping, Cut):
        nodes = mapping.image[codes].tolist()
        texts = {node: _name(mapping, node, named) if node >= 0 else "" for node in set(nodes)}
        yield from (texts[node] for node in nodes)
        return
    order = np.argsort(mapping.group, kind="stable")
    sorted_groups, labels = mapping.group[order], mapping.vocabulary.labels
    label_of: dict[int, str] = {-1: ""}
    for group in mapping.group[codes].tolist():
        if group not in label_of:
            first, last = np.searchsorted(sorted_groups, [group, group + 1])
            label_of[group] = _label([labels[item] for item in order[first:last]], named)
        yield label_of[group]


def write_records(publication: Records, path: str | Path) -> Path:
    """Write lines ``published_row,input_record,cluster``. Numbers start at 0. Global recodings have no clusters.

    Parameters
    ----------
    path
        File, or the directory of ``records.csv``, ``records.parquet`` or the folder ``records``, which contains
        ``part-00000.parquet``, ... Tasks write the Parquet files.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    where = Path(path)
    bounds = [(0, publication.n)]
    if where.is_dir():
        bounds = list(spans(publication.n, ROWS_PER_RECORDS_FILE)) or bounds
        suffix = "" if len(bounds) > 1 else ".parquet" if publication.n > MOST_AS_TEXT else ".csv"
        where = where / f"records{suffix}"
    if where.suffix == ".csv":
        return write_file(where, csv_lines(RECORD_COLUMNS, _blocks_of_records(publication)))
    paths = [where]
    if len(bounds) > 1:
        paths = [where.parent / name for name in part_names(len(bounds), "parquet", where.name)]
        with reading(where, "cannot be written"):
            where.mkdir(mode=0o700)
    store = publication.store
    folder = store.path if store.workers.remote and store.path is not None else paths[0].parent
    task = partial(_write_parquet, publication.record, publication.cluster, folder)
    for path, written in zip(paths, store.map(task, bounds), strict=True):
        with reading(path, "cannot be written"):
            shutil.move(written, path)
    return where


def _blocks_of_records(publication: Records) -> Iterator[list[Any]]:
    for first, end in spans(publication.n):
        block = publication.slice(first, end)
        cluster = arrow.text_array([""] * block.n) if block.cluster is None else arrow.digits(block.cluster)
        yield [arrow.digits(np.arange(first, end)), arrow.digits(block.record), cluster]


def _write_parquet(record: Int64, cluster: Int32 | None, folder: Path, rows: tuple[int, int]) -> Path:
    def table(first: int, end: int) -> Any:
        clusters = pa.nulls(end - first, pa.int32()) if cluster is None else arrow.number_array(cluster[first:end])
        columns = [arrow.number_array(np.arange(first, end)), arrow.number_array(record[first:end]), clusters]
        return pa.table(dict(zip(RECORD_COLUMNS, columns, strict=True)))

    path, types = folder / f"records-{secrets.token_hex(8)}.parquet", pa.schema(record_types().items())
    tables = (table(rows[0] + a, rows[0] + b) for a, b in spans(rows[1] - rows[0], ROWS_PER_GROUP))
    encodings = dict.fromkeys(RECORD_COLUMNS, "DELTA_BINARY_PACKED")
    return write_parquet_tables(path, types, tables, use_dictionary=False, column_encoding=encodings)
