"""The files that say what stands for what: ``codebook.csv``, and privately ``mapping.csv`` and ``records.csv``.

The codebook says what each published symbol stands for; the mapping, how each item is published, in all records or in
each cluster of them (of a local recoding it lists the items that occur in a cluster, not the whole universe); the
records, from which input record each published row is made: more than `MOST_AS_TEXT` rows are ``records.parquet``.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.distinct import distinct
from anonset.data.spans import spans
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int32, Int64
from anonset.errors import InputError, datum, foreign
from anonset.generalization import Cut, ItemGroups, PerCluster, Recoding
from anonset.generalization.recoding import cut_symbol
from anonset.io import arrow
from anonset.io.batches import Reading, open_source
from anonset.io.dialect import EXACT, any_field_size
from anonset.io.files import remove_on_failure, write_file
from anonset.io.lines import csv_bytes, header_of, rows_of
from anonset.io.source import source_of
from anonset.publications import Records, Symbol
from anonset.publications.symbols import set_label

_CODEBOOK = ("symbol", "kind", "members")
MOST_AS_TEXT = 1_000_000
"""Largest number of rows that are written as text."""
_RECORDS = ("published_row", "input_record", "cluster")
_ROWS_PER_GROUP = 1 << 20


def write_codebook(publication: Records, path: str | Path) -> Path:
    """Write what each published symbol stands for: ``symbol,kind,members``.

    Where several set-valued columns were joined, members are prefixed (``column:item``), and a symbol has one line by
    its full label, whatever columns it stands in. What stands as ``x`` in a column `c` is found as ``c:x``, or if that
    is none as ``x``; a set ``(a,b)`` as ``(c:a,c:b)``.

    Parameters
    ----------
    path
        File, or the folder of ``codebook.csv``. Blanks join the members; one that holds any is quoted as in CSV.

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
    return write_file(where, csv_bytes(_CODEBOOK, [arrow.text_array(column) for column in columns]))


def _member(label: str) -> str:
    if label and not any(mark in label for mark in ' "\r\n'):
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
    return write_file(Path(path), csv_bytes(GLOBAL, _images(recoding, _labels_of_groups(symbols))))


def _labels_of_groups(symbols: Sequence[Symbol]) -> dict[tuple[str, ...], str]:
    """Return the label of each group by its sorted members: a codebook lists members in another order than a tree."""
    return {tuple(sorted(symbol.members)): symbol.label for symbol in symbols if symbol.kind == "group"}


def _label(members: Sequence[str], given: Mapping[tuple[str, ...], str]) -> str:
    """Return the label of a group."""
    return given.get(tuple(sorted(members))) or set_label(members)


def _images(mapping: Cut | ItemGroups, given: Mapping[tuple[str, ...], str]) -> list[Any]:
    """Return the items of the universe, by their places in a tree that has some, and how each is published."""
    place = mapping.hierarchy.place if isinstance(mapping, Cut) else None
    labels = (mapping.hierarchy.leaves if isinstance(mapping, Cut) else mapping.vocabulary).labels
    order = np.arange(len(labels)) if place is None else np.argsort(place)
    published = list(_published(mapping, order, given))
    return [arrow.text_array([labels[item] for item in order.tolist()]), arrow.text_array(published)]


def _name(cut: Cut, node: int, given: Mapping[tuple[str, ...], str]) -> str:
    """Return what a node is published as."""
    symbol = cut_symbol(cut, node)
    return _label(symbol.members, given) if symbol.kind == "group" else symbol.label


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
    return write_file(Path(path), _parts(recoding, column, _labels_of_groups(symbols)))


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
        pairs = distinct(np.concatenate([last, np.repeat(cluster, rows.lengths) * n_items + rows.items[:]]))
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
        texts = {node: _name(mapping, node, named) if node >= 0 else "" for node in set(nodes)}
        yield from (texts[node] for node in nodes)
        return
    order = np.argsort(mapping.group, kind="stable")
    sorted_groups, labels = mapping.group[order], mapping.vocabulary.labels
    known: dict[int, str] = {-1: ""}
    for group in mapping.group[codes].tolist():
        if group not in known:
            first, last = np.searchsorted(sorted_groups, [group, group + 1])
            known[group] = _label([labels[item] for item in order[first:last]], named)
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


def write_records(publication: Records, path: str | Path) -> Path:
    """Write ``published_row,input_record,cluster``, 0-based, without a cluster for global recodings.

    Parameters
    ----------
    path
        File, or the folder of ``records.csv`` or ``records.parquet``.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    where = Path(path)
    if where.is_dir():
        where = where / f"records.{'parquet' if publication.n > MOST_AS_TEXT else 'csv'}"
    if where.suffix == ".parquet":
        return _write_parquet(publication, where)
    return write_file(where, _lines_of_records(publication))


def _lines_of_records(publication: Records) -> Iterator[Any]:
    yield csv_bytes(_RECORDS, [arrow.text_array([])] * 3)[0]
    for first, end in spans(publication.n):
        block = publication.slice(first, end)
        cluster = arrow.text_array([""] * block.n) if block.cluster is None else arrow.digits(block.cluster)
        columns = [arrow.digits(np.arange(first, end)), arrow.digits(block.record), cluster]
        yield csv_bytes(_RECORDS, columns)[1]


def _write_parquet(publication: Records, path: Path) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    encodings = dict.fromkeys(_RECORDS, "DELTA_BINARY_PACKED")
    with remove_on_failure(path), path.open("wb") as file:
        options: dict[str, Any] = {"use_dictionary": False, "column_encoding": encodings}
        with parquet.ParquetWriter(file, pa.schema(_kinds().items()), **options) as writer:
            for first, end in spans(publication.n, _ROWS_PER_GROUP):
                block = publication.slice(first, end)
                cluster = pa.nulls(block.n, pa.int32()) if block.cluster is None else pa.array(block.cluster)
                columns = [pa.array(np.arange(first, end)), pa.array(block.record), cluster]
                writer.write_table(pa.table(dict(zip(_RECORDS, columns, strict=True))), _ROWS_PER_GROUP)
    return path


def records_file(folder: Path) -> Path | None:
    """Return the file of records in a private directory; None if there is none."""
    return next((path for name in ("records.csv", "records.parquet") if (path := folder / name).is_file()), None)


def read_records(path: Path, store: Store = MEMORY) -> tuple[Int64, Int32 | None]:
    """Return the input record of each published row, and its cluster where all rows have one.

    Parameters
    ----------
    path
        ``records.csv`` or ``records.parquet``.
    store
        Where the records are to lie.

    Raises
    ------
    InputError
        If it cannot be read, or the rows are not numbered 0, 1, 2, ...
    """
    opened = open_source(source_of(path, "parquet" if path.suffix == ".parquet" else "csv"), Reading(dialect=EXACT))
    if opened.names != _RECORDS:
        msg = f"{str(path)!r} must have the columns {', '.join(_RECORDS)}, got {len(opened.names)} of other names"
        raise InputError(msg)
    n, local = 0, True
    with store.growing("record", np.int64) as record, store.growing("cluster", np.int32) as cluster:
        for batch in opened.batches(_RECORDS):
            numbers, records, clusters = (_whole(path, batch.columns[name], kind) for name, kind in _kinds().items())
            if numbers.null_count or not np.array_equal(arrow.to_numpy(numbers), np.arange(n, n + len(numbers))):
                msg = f"{str(path)!r} must number the published rows 0, 1, 2, ... in their order"
                raise InputError(msg)
            if records.null_count:
                raise InputError(_no_records(path))
            n, local = n + len(numbers), local and not clusters.null_count
            record.append(arrow.to_numpy(records))
            cluster.append(arrow.to_numpy(clusters) if local else np.empty(0, np.int32))
    return record.finished(), cluster.finished() if local else None


def _kinds() -> dict[str, Any]:
    """Return the type of each column."""
    import pyarrow as pa

    return dict(zip(_RECORDS, (pa.int64(), pa.int64(), pa.int32()), strict=True))


def _whole(path: Path, column: Any, kind: Any) -> Any:
    """Return the whole numbers of a column, null where it is empty (``pyarrow.ChunkedArray``)."""
    import pyarrow as pa

    given, numbers = column, None
    if not pa.types.is_integer(column.type):
        text = arrow.cast(column, pa.large_string())
        given = arrow.if_else(arrow.equal(text, arrow.text_scalar("")), arrow.null(text.type), text)
    with suppress(pa.ArrowInvalid):  # which shows the values
        numbers = arrow.cast(given, kind)
    if numbers is None:
        raise InputError(_no_records(path))
    return numbers


def _no_records(path: Path) -> str:
    return f"{str(path)!r} must hold whole numbers of at most 64 bits, and clusters of 32"
