"""Fingerprints of the contents of columns and tables, independent of their codes."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from operator import lt
from typing import Any

import numpy as np

from anonset.data.array_types import Int32
from anonset.data.labels.file_labels import FiledLabels
from anonset.data.labels.label_order import encode_labels
from anonset.data.spans import spans
from anonset.data.storage.store import MEMORY, Store, store_of
from anonset.data.table import CategoricalColumn, Column, NumericColumn, SetColumn, Table

ROWS, LABELS = 1 << 20, 1 << 16
"""Rows and labels per block. The fingerprint depends on them."""
_PLAIN = (0x20, 0x7E)
_QUOTE, _BACKSLASH = ord('"'), ord("\\")
_BETWEEN = b", "


def column_sha256(column: SetColumn | Column, store: Store = MEMORY) -> str:
    """Return the fingerprint of a column's labels or numbers in hex. The column name and the codes are not included.

    It is the SHA-256 of a JSON list, which contains the class of the column, and the SHA-256 of each block of `ROWS`
    rows and of each block of `LABELS` labels. The labels that occur are sorted by code point, and each row is
    represented by the positions of its labels. The fingerprint does not depend on the vocabulary order or on unused
    labels. A column therefore has the same fingerprint with and without a hierarchy. Cost: O(nnz + n), and sorting the
    labels that occur.

    >>> one = SetColumn.of([{"a", "b"}, {"a"}])
    >>> alike = SetColumn.of([{"b", "a"}, {"a"}], name="drugs", universe=["c", "b", "a"])
    >>> other = SetColumn.of([{"a"}, {"a", "b"}])
    >>> column_sha256(one) == column_sha256(alike), column_sha256(one) == column_sha256(other)
    (True, False)

    Parameters
    ----------
    store
        Store with the workers that read the blocks.
    """
    with ExitStack() as stack:
        place: Int32 | None = None
        labels: Sequence[str] = ()
        if not isinstance(column, NumericColumn):
            place, labels = _by_code_point(column, stack)
        workers, row_blocks, label_blocks = store.workers, list(spans(column.n, ROWS)), list(spans(len(labels), LABELS))
        row_blocks.reverse()  # the checks before have read the first blocks first, so the last are in the page cache
        rows = list(workers.map_short(partial(_rows_sha256, column, place), row_blocks))[::-1]
        texts = list(workers.map_short(partial(_labels_sha256, labels), label_blocks))
    return hashlib.sha256(json.dumps([type(column).__name__, rows, texts]).encode()).hexdigest()


def _rows_sha256(column: SetColumn | Column, place: Int32 | None, rows: tuple[int, int]) -> str:
    """Return the SHA-256 of a block of rows in hex. Rows are hashed as little-endian numbers or label positions. For
    sets, the number of labels of each row is followed by their ascending positions.
    """
    digest, block = hashlib.sha256(), column.slice(*rows)
    if isinstance(block, SetColumn):
        digest.update(np.diff(block.indptr).astype("<i8").data)
    for a, b in spans(block.n):
        part = block.slice(a, b)
        if isinstance(part, NumericColumn):
            digest.update(np.ascontiguousarray(part.values, "<i8" if part.values.dtype.kind == "i" else "<f8").data)
        elif isinstance(part, SetColumn) and place is not None:
            digest.update(np.ascontiguousarray(part.recoded(place, len(place)), "<i4").data)
        else:
            digest.update(np.ascontiguousarray(part.codes if place is None else place[part.codes], "<i4").data)
    return digest.hexdigest()


def _labels_sha256(labels: Sequence[str], block: tuple[int, int]) -> str:
    text = _as_json(labels, *block) if isinstance(labels, FiledLabels) else json.dumps(labels[slice(*block)]).encode()
    return hashlib.sha256(text).hexdigest()


def _as_json(labels: FiledLabels, first: int, end: int) -> bytes:
    from anonset_kernels.records.labels import LabelTexts, quote_labels

    starts = labels.starts[first : end + 1]
    text = labels.text[starts[0] : starts[-1]]
    if bool(np.any((text < _PLAIN[0]) | (text > _PLAIN[1]) | (text == _QUOTE) | (text == _BACKSLASH))):
        return json.dumps([labels[code] for code in range(first, end)]).encode()
    quoted = np.empty(len(text) + (end - first) * (2 + len(_BETWEEN)), np.uint8)
    quote_labels(LabelTexts(starts, labels.text), quoted)
    return b"[" + quoted.tobytes().removesuffix(_BETWEEN) + b"]"


def columns_sha256(table: Table) -> dict[str, str]:
    """Return the fingerprint of each column by name, for columns of all roles."""
    return {column.name: column_sha256(column, table.store) for column in table.columns}


def content_sha256(table: Table) -> str:
    """Return the SHA-256 of a table's content in hex: column names and column fingerprints.

    >>> table, other = (Table.from_columns(drug=values) for values in ("ab", "ba"))
    >>> content_sha256(table) == content_sha256(Table.from_columns(drug="ab"))
    True
    >>> content_sha256(table) == content_sha256(other)
    False
    """
    return combined_sha256(columns_sha256(table))


def combined_sha256(columns: Mapping[str, str]) -> str:
    """Return the fingerprint of a table from the column fingerprints, independent of the column order."""
    return hashlib.sha256(json.dumps(sorted(columns.items())).encode()).hexdigest()


def fingerprint(table: Table) -> dict[str, Any]:
    """Return the size and the fingerprint of a table, and the fingerprint of each column."""
    columns = columns_sha256(table)
    facts: dict[str, Any] = {"records": table.n, "content_sha256": combined_sha256(columns), "columns": columns}
    if table.transactions is not None:
        items = table.transactions
        facts |= {"universe": len(items.vocabulary), "occurrences": len(items.codes)}
    if table.source_rows is not None:
        facts["source_rows"] = table.source_rows
    return facts


def _by_code_point(column: SetColumn | CategoricalColumn, stack: ExitStack) -> tuple[Int32 | None, Sequence[str]]:
    """Return the labels that occur, sorted by code point, and the position of each code in this order, int32 (M,).

    Labels that are stored in files all occur. The positions are None if the codes are already in this order. Other
    positions are stored in files until `stack` is closed.
    """
    vocabulary = column.vocabulary
    if isinstance(column, CategoricalColumn) and (filed := vocabulary.filed) is not None:
        if not filed.numeric:
            return None, filed
        store = stack.enter_context(store_of(filed.starts).nested())
        return encode_labels(filed.starts, filed.text, store, numeric=False)
    codes, labels = np.flatnonzero(column.occurrences), vocabulary.labels
    if len(codes) < len(labels):
        labels = tuple(labels[code] for code in codes.tolist())
    if not all(map(lt, labels, islice(labels, 1, None))):  # labels are usually sorted already
        order = sorted(range(len(labels)), key=labels.__getitem__)
        codes, labels = codes[order], tuple(labels[i] for i in order)
    place = np.zeros(len(vocabulary), np.int32)
    place[codes] = np.arange(len(codes), dtype=np.int32)
    return place, labels
