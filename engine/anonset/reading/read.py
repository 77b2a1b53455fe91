"""Reading data into tables: every column has a role, types are never inferred."""

from collections.abc import Sequence
from typing import Any, Unpack

from anonset.data import Table
from anonset.reading.batches import open_source
from anonset.reading.options import ReadKeywords, ReadOptions
from anonset.reading.table_builder import gather


def read(source: Any, *, labels: Sequence[str] | None = None, **options: Unpack[ReadKeywords]) -> Table:
    """Read a table. Every column needs a role, or the data are refused.

    Parameters
    ----------
    source
        Path of a CSV, TSV, FIMI or JSON Lines file (``.csv``, ``.tsv``, ``.dat``, ``.jsonl``, also with ``.gz`` or
        ``.zst``), of a workbook (``.xlsx``, with the extra ``xlsx``), or of a Parquet file or directory; or a data
        frame (anything with ``__arrow_c_stream__``, or polars' lazy one); a mapping of names to columns; a list of
        sets, or of records as mappings; or a SciPy matrix of 0 and 1. Files of FIMI, SPMF or baskets, lists of sets and
        matrices have one column, ``items``.
    labels
        Of a SciPy matrix, whose rows are records: the items that its columns stand for.
    options
        The roles of columns and what their owner answers for, as described in `anonset.ReadOptions`, and how a file is
        read, as described in `anonset.FileOptions`.

    Raises
    ------
    InputError
        If the data cannot be read, or are not what the arguments say, in one line.

    Examples
    --------
    >>> table = read([{"bread", "milk"}, {"milk"}])
    >>> table.n, table.transactions.vocabulary.labels
    (2, ('bread', 'milk'))
    """
    return read_by(source, ReadOptions(**options), labels)


def read_by(source: Any, options: ReadOptions, labels: Sequence[str] | None = None) -> Table:
    """Read a table by options, as `read` does by arguments."""
    return gather(open_source(source, options.reading(labels)), options, with_ids=True)
