"""Fingerprints of the contents of columns and tables, independent of their codes."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from operator import lt
from typing import Any

import numpy as np

from anonset.data.file_labels import FiledLabels
from anonset.data.label_order import encode_labels
from anonset.data.spans import spans
from anonset.data.store import store_of
from anonset.data.table import CategoricalColumn, Column, Int32, Int64, NumericColumn, SetColumn, Table
from anonset.data.vocabulary import Vocabulary

_PLAIN = (0x20, 0x7E)
_QUOTE, _BACKSLASH = ord('"'), ord("\\")
_BETWEEN = b", "


def column_sha256(column: SetColumn | Column) -> str:
    """Return the SHA-256 of a column's content (labels or numbers per row) in hex. Name and codes are not included.

    The vocabulary order and unused labels do not matter, so a column has the same fingerprint with and without a
    hierarchy. Cost: O(nnz + n), and sorting the labels that occur.

    >>> one = SetColumn.of([{"a", "b"}, {"a"}])
    >>> alike = SetColumn.of([{"b", "a"}, {"a"}], name="drugs", universe=["c", "b", "a"])
    >>> other = SetColumn.of([{"a"}, {"a", "b"}])
    >>> column_sha256(one) == column_sha256(alike), column_sha256(one) == column_sha256(other)
    (True, False)
    """
    digest = hashlib.sha256(type(column).__name__.encode())
    if isinstance(column, NumericColumn):
        kind = "<i8" if column.values.dtype.kind == "i" else "<f8"
        digest.update(kind.encode())
        for a, b in spans(column.n):
            digest.update(np.ascontiguousarray(column.values[a:b], kind).data)
        return digest.hexdigest()
    if isinstance(column, CategoricalColumn) and (filed := column.vocabulary.filed) is not None:
        return _filed_sha256(digest, column, filed)
    place, labels = _by_code_point(column.vocabulary, column.occurrences)
    if isinstance(column, SetColumn):
        for a, b in spans(len(column.indptr)):
            digest.update(np.ascontiguousarray(column.indptr[a:b], "<i8").data)
        for a, b in spans(column.n):
            digest.update(np.ascontiguousarray(column.slice(a, b).recoded(place, len(labels)), "<i4").data)
    else:
        for a, b in spans(column.n):
            digest.update(np.ascontiguousarray(place[column.codes[a:b]], "<i4").data)
    digest.update(json.dumps(labels).encode())
    return digest.hexdigest()


def _filed_sha256(digest: Any, column: CategoricalColumn, labels: FiledLabels) -> str:
    """Return the fingerprint of a column with labels in files that all occur. It equals the fingerprint in
    memory.
    """
    with ExitStack() as stack:
        place = None
        if labels.numeric:  # numeric order differs from code point order
            store = stack.enter_context(store_of(labels.starts).nested())
            place, labels = encode_labels(labels.starts, labels.text, store, numeric=False)
        for a, b in spans(column.n):
            codes = column.codes[a:b] if place is None else place[column.codes[a:b]]
            digest.update(np.ascontiguousarray(codes, "<i4").data)
        digest.update(b"[")
        for a, b in labels.spans():
            text = _as_json(labels, a, b)
            digest.update(text[: -len(_BETWEEN)] if b == labels.filed else text)
        digest.update(b"]")
    return str(digest.hexdigest())


def _as_json(labels: FiledLabels, first: int, end: int) -> bytes:
    """Return labels in JSON list format, each followed by the separator."""
    from anonset_kernels.labels import LabelTexts, quote_labels

    starts = labels.starts[first : end + 1]
    text = labels.text[starts[0] : starts[-1]]
    if not bool(np.any((text < _PLAIN[0]) | (text > _PLAIN[1]) | (text == _QUOTE) | (text == _BACKSLASH))):
        quoted = np.empty(len(text) + (end - first) * (2 + len(_BETWEEN)), np.uint8)
        quote_labels(LabelTexts(starts, labels.text), quoted)
        return quoted.tobytes()
    return (json.dumps([labels[code] for code in range(first, end)])[1:-1]).encode() + _BETWEEN


def columns_sha256(table: Table) -> dict[str, str]:
    """Return the fingerprint of each column by name, for columns of all roles."""
    return {column.name: column_sha256(column) for column in table.columns}


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
    """Return the size of a table, the fingerprint, and the column fingerprints."""
    columns = columns_sha256(table)
    facts: dict[str, Any] = {"records": table.n, "content_sha256": combined_sha256(columns), "columns": columns}
    if table.transactions is not None:
        items = table.transactions
        facts |= {"universe": len(items.vocabulary), "occurrences": len(items.codes)}
    return facts


def _by_code_point(vocabulary: Vocabulary, counts: Int64) -> tuple[Int32, Sequence[str]]:
    """Return the rank of each code among the labels that occur, by code point, and these labels."""
    codes, labels = np.flatnonzero(counts), vocabulary.labels
    if len(codes) < len(labels):
        labels = tuple(labels[code] for code in codes.tolist())
    if not all(map(lt, labels, islice(labels, 1, None))):  # common case: already sorted
        order = sorted(range(len(labels)), key=labels.__getitem__)
        codes, labels = codes[order], tuple(labels[i] for i in order)
    place = np.zeros(len(vocabulary), np.int32)
    place[codes] = np.arange(len(codes), dtype=np.int32)
    return place, labels
