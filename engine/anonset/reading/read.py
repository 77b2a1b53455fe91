"""Read data into tables. Every column has a role. Types are never inferred."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from anonset.data import Table
from anonset.errors import InputError
from anonset.reading.batches import open_source
from anonset.reading.linked import LinkedTables
from anonset.reading.options import ReadKeywords, ReadOptions, require_options
from anonset.reading.table_builder import gather


def read(
    source: Any = None,
    *,
    tables: Mapping[str, Mapping[str, Any]] | None = None,
    labels: Sequence[str] | None = None,
    **options: Unpack[ReadKeywords],
) -> Table:
    """Read a table, or several tables about the same persons. Data with a column that has no role are rejected.

    Parameters
    ----------
    source
        Path of a CSV, TSV, FIMI or JSON Lines file (``.csv``, ``.tsv``, ``.dat``, ``.jsonl``, also with ``.gz`` or
        ``.zst``), of a workbook (``.xlsx``, with the extra ``xlsx``), or of a Parquet file or directory; or a data
        frame (any object with ``__arrow_c_stream__``, or a polars lazy frame); a mapping of names to columns; a list of
        sets, or of records as mappings; or a SciPy 0/1 matrix. FIMI, SPMF and basket files, lists of sets, and matrices
        have one column, ``items``.
    tables
        Linked tables by name, in place of `source`. The settings of a table are ``input``, ``key`` (by default
        `unit`), and either ``items`` or the columns that describe the persons: ``relational``, ``numeric``, ``keep``
        and ``drop``. The columns of the result are called ``table.column``.
    labels
        Items of the columns of a SciPy matrix. Each row is a record.
    options
        Column roles and the owner's declarations, see `anonset.ReadOptions`, and file options, see
        `anonset.FileOptions`.

    Raises
    ------
    InputError
        If the data cannot be read, or contradict the arguments. The message is one line.
    TypeError
        If an option is unknown.

    Examples
    --------
    >>> table = read([{"bread", "milk"}, {"milk"}])
    >>> table.n, table.transactions.vocabulary.labels
    (2, ('bread', 'milk'))
    """
    require_options("read", options)
    if tables is not None:
        linked = LinkedTables.of(tables, options.get("unit"))
        if source is not None or (twice := [name for name in linked.roles if name != "unit" and name in options]):
            other = "a source" if source is not None else twice[0]
            raise InputError(f"tables and {other} are both given; name the inputs and the columns in tables")
        merged: ReadKeywords = {**options, **linked.roles}
        return read_by(linked.source, ReadOptions(**merged))
    return read_by(source, ReadOptions(**options), labels)


def read_by(source: Any, options: ReadOptions, labels: Sequence[str] | None = None) -> Table:
    """Read a table as `read` does, given an options object."""
    return gather(open_source(source, options, labels), options, with_ids=True)
