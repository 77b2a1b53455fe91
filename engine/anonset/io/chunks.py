"""Writing a disassociated publication as ``clusters.csv``, ``chunks.csv`` and ``shared.csv``, and reading it back."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from anonset.data import Vocabulary
from anonset.errors import InputError, datum
from anonset.generalization.chunks import ChunkPublication, Cluster, Items, Rows, SharedChunk, in_order
from anonset.io import arrow
from anonset.io.files import write_file
from anonset.io.lines import csv_bytes, rows_of

CLUSTERS, CHUNKS, SHARED = "clusters.csv", "chunks.csv", "shared.csv"
"""Names of the files."""
_COLUMNS = {
    CLUSTERS: ("cluster", "n", "terms"),
    CHUNKS: ("cluster", "chunk", "items", "count"),
    SHARED: ("first", "last", "chunk", "items", "count"),
}
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


class ChunkTables(NamedTuple):
    """A disassociated publication as three ``pyarrow.Table``; items are lists of texts, all else numbers."""

    clusters: Any
    """Cluster, its number of records, its terms."""
    chunks: Any
    """Cluster, chunk, the items of a sub-record, how often it stands there."""
    shared: Any
    """First and last cluster, chunk, the items of a sub-record, how often it stands there."""


def require_plain(labels: Iterable[str]) -> None:
    """Refuse items that a list separated by blanks cannot hold.

    Raises
    ------
    InputError
        With the item, and the way out.
    """
    for label in labels:
        if label.split() != [label]:
            fault = "holds a blank" if label.strip() else "is empty"
            way = "rename it, as with _ for each blank"
            msg = f"item {datum(label)} {fault}, and blanks separate the items of a disassociated publication; {way}"
            raise InputError(msg)


def chunks_to_arrow(publication: ChunkPublication) -> ChunkTables:
    """Return what `write_chunks` writes as tables."""
    import pyarrow as pa

    labels = publication.vocabulary.labels

    def cells(column: Sequence[Any]) -> Any:
        if column and isinstance(column[0], tuple):
            return arrow.text_lists([[labels[item] for item in items] for items in column])
        return pa.array(column, pa.int64())

    def table(name: str, rows: list[tuple[Any, ...]], texts: int) -> Any:
        columns = list(zip(*rows, strict=True)) or [()] * len(_COLUMNS[name])
        made = [arrow.text_lists([]) if not rows and n == texts else cells(part) for n, part in enumerate(columns)]
        return pa.table(dict(zip(_COLUMNS[name], made, strict=True)))

    rows = _rows(publication)
    return ChunkTables(*(table(name, rows[name], position) for name, position in zip(rows, (2, 2, 3), strict=True)))


def _rows(publication: ChunkPublication) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of each file, items as codes."""
    shared = []
    for _, chunks in groupby(publication.shared, key=lambda chunk: (chunk.first, chunk.last)):
        for number, chunk in enumerate(chunks):
            shared += [(chunk.first, chunk.last, number, items, count) for items, count in chunk.rows]
    return {
        CLUSTERS: [(number, own.n, own.terms) for number, own in enumerate(publication.clusters)],
        CHUNKS: [
            (number, chunk, items, count)
            for number, own in enumerate(publication.clusters)
            for chunk, rows in enumerate(own.chunks)
            for items, count in rows
        ],
        SHARED: shared,
    }


def write_chunks(publication: ChunkPublication, folder: Path) -> None:
    """Write the three files into a folder.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    labels = publication.vocabulary.labels
    require_plain(labels)

    def text(cell: Any) -> str:
        return " ".join(labels[item] for item in cell) if isinstance(cell, tuple) else str(cell)

    for name, rows in _rows(publication).items():
        texts = [[text(cell) for cell in column] for column in zip(*rows, strict=True)] or [[]] * len(_COLUMNS[name])
        write_file(folder / name, csv_bytes(_COLUMNS[name], [arrow.text_array(column) for column in texts]))


def read_chunks(folder: Path, name: str) -> ChunkPublication:
    """Read the three files of a folder.

    Parameters
    ----------
    name
        Name of the set-valued column.

    Raises
    ------
    InputError
        If a file cannot be read, numbers leave something out, or rows or items are not in the order of their content.
    """
    texts = {
        file: [tuple(row.values()) for row in rows_of(folder / file, columns)] for file, columns in _COLUMNS.items()
    }
    of_items = {CLUSTERS: 2, CHUNKS: 2, SHARED: 3}
    cells = {text for file, position in of_items.items() for text in {row[position] for row in texts[file]}}
    vocabulary = Vocabulary.of(label for text in cells if text for label in text.split(" "))
    index = vocabulary.index
    require_plain(vocabulary.labels)
    code = {text: tuple(index[label] for label in text.split(" ")) if text else () for text in cells}
    parsed = {
        file: [_parsed(folder / file, number, row, of_items[file], code) for number, row in enumerate(rows)]
        for file, rows in texts.items()
    }
    chunks = _chunks(folder / CHUNKS, parsed[CHUNKS], 1)
    clusters = []
    for number, (cluster, n, terms) in enumerate(parsed[CLUSTERS]):
        _require(cluster == number, folder / CLUSTERS, "clusters must be numbered 0, 1, 2, ...")
        own = tuple(rows for _, rows in chunks.pop((number,), ()))
        _require(list(own) == sorted(own), folder / CHUNKS, f"the chunks of cluster {number} must be sorted")
        clusters.append(Cluster(n, terms, own))
    _require(not chunks, folder / CHUNKS, "every chunk must be of a cluster of clusters.csv")
    by_range = _chunks(folder / SHARED, parsed[SHARED], 2)
    shared = [SharedChunk(first, last, rows) for (first, last), own in by_range.items() for _, rows in own]
    _require(shared == sorted(shared, key=in_order), folder / SHARED, "shared chunks must be sorted")
    return ChunkPublication(name, vocabulary, tuple(clusters), tuple(shared))


def _parsed(path: Path, number: int, row: Sequence[str], items: int, code: dict[str, Items]) -> tuple[Any, ...]:
    """Return the cells of a row as numbers and codes of items."""
    cells: list[Any] = []
    for position, text in enumerate(row):
        if position == items:
            codes = code[text]
            in_row = f"row {number}: items must be in order, each once"
            _require(all(a < b for a, b in pairwise(codes)), path, in_row)
            _require(bool(codes) or path.name == CLUSTERS, path, f"row {number}: a sub-record must have items")
            cells.append(codes)
            continue
        plain = _NUMBER.fullmatch(text) is not None
        _require(plain, path, f"row {number}: numbers must be whole, without sign or leading zeros")
        least = 1 if position > items or (path.name == CLUSTERS and position == 1) else 0
        _require(int(text) >= least, path, f"row {number}: counts must be at least 1")
        cells.append(int(text))
    return tuple(cells)


def _chunks(path: Path, rows: list[tuple[Any, ...]], keys: int) -> dict[tuple[int, ...], list[tuple[int, Rows]]]:
    """Return the chunks of each cluster or range, in order, numbered 0, 1, 2, ..."""
    _require(all(a[: keys + 2] < b[: keys + 2] for a, b in pairwise(rows)), path, "rows must be sorted, each once")
    found: dict[tuple[int, ...], list[tuple[int, Rows]]] = {}
    key: Callable[[tuple[Any, ...]], tuple[int, ...]] = lambda row: row[: keys + 1]  # noqa: E731
    for (*where, chunk), own in groupby(rows, key=key):
        chunks = found.setdefault(tuple(where), [])
        _require(chunk == len(chunks), path, "chunks must be numbered 0, 1, 2, ...")
        chunks.append((chunk, tuple((row[-2], row[-1]) for row in own)))
    return found


def _require(holds: bool, path: Path, what: str) -> None:
    if not holds:
        msg = f"{str(path)!r}: {what}"
        raise InputError(msg)
