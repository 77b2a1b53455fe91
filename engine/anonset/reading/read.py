"""Reading data into tables: every column has a role, types are never inferred."""

from collections.abc import Sequence
from typing import Any

from anonset.data import Table
from anonset.reading.batches import open_source
from anonset.reading.options import ReadOptions
from anonset.reading.roles import Names
from anonset.reading.table_builder import gather


def read(
    source: Any,
    *,
    items: Names = None,
    relational: Names = (),
    numeric: Names = (),
    sensitive: str | None = None,
    id: Names = (),  # noqa: A002
    keep: Names = (),
    drop: Names = (),
    separator: str | None = None,
    missing: str = "refuse",
    group: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    no_header: bool = False,
    header_line: int = 1,
    skip_rows: Names = (),
    decimal: str | None = None,
    null: Names = (),
    input_format: str | None = None,
    one_hot: Names = (),
    one_code: Names = (),
    labels: Sequence[str] | None = None,
    normalize: Names = (),
    unknown: str = "error",
    inner_items: str = "error",
    rows_are_persons: bool = False,
    identifying_as_declared: bool = False,
) -> Table:
    """Read a table. Every column needs a role, or the data are refused.

    Columns are named by a sequence, or by text: one name, or several separated by commas.

    Parameters
    ----------
    source
        Path of a CSV, TSV, FIMI or JSON Lines file (``.csv``, ``.tsv``, ``.dat``, ``.jsonl``, also with ``.gz`` or
        ``.zst``), of a workbook (``.xlsx``, with the extra ``xlsx``), or of a Parquet file or directory; or a data
        frame (anything with ``__arrow_c_stream__``, or polars' lazy one); a mapping of names to columns; a list of
        sets, or of records as mappings; or a SciPy matrix of 0 and 1. Files of FIMI, SPMF or baskets, lists of sets and
        matrices have one column, ``items``.
    items
        The set-valued column. Several are joined into one column ``items``, their items prefixed:
        ``column:item``; they are published as separate columns again.
    relational
        Quasi-identifiers.
    numeric
        Those of them that are numbers; all others are text.
    sensitive
        The sensitive attribute of bucketization.
    id
        Columns that together identify the person. An empty id is refused, as none says whose row it is. Repeated ids
        are refused, unless `group` is set or there is a sensitive column (the id is the left side of a dependency
        then, and repeats by nature).
    keep
        Columns that are published as they are, by the owner's decision.
    drop
        Columns that are not read.
    separator
        What separates the items in a cell of text, or in those of single columns (``drugs=, codes=|``): by default
        blanks, and what looks as if something else did is refused. An empty cell is the empty set, and blanks around an
        item are no part of it.
    missing
        What null becomes: ``refuse`` (an error), ``empty`` (a null set is the empty set), ``value`` (a null
        category is the category ``?``), or ``empty,value``. Null numbers, ids and items are always refused.
        Text files have no null: an empty field is the empty text. A blank line is a record in a file of one column
        alone; among several columns it is refused.
    group
        Unite the rows of an id into one record: sets united, all other values must agree. A cell of text is one item
        then (``type 2 diabetes``), unless a separator is given.
    delimiter
        What stands between the fields of a CSV or TSV file; by default the one of ``,`` ``;`` tab and ``|`` under
        which the first line holds the columns that are named here.
    encoding
        Encoding of a text without a byte order mark; by default UTF-8.
    no_header
        Whether the first line of a CSV or TSV file is a row: its columns are called ``1``, ``2``, ... then.
    header_line
        The line of a CSV or TSV file with which it begins, from 1 on: what stands above it is left out.
    skip_rows
        Rows to skip, which are counted in the account and the private report: ``no-id`` (rows in which an id is empty
        or null) and ``footer`` (sums and notes below the last record of a CSV or TSV file). Both are refused otherwise.
    decimal
        The decimal sign of numeric columns of text, ``,`` or ``.``, which may have a currency and separators of
        thousands; None: recognised by the first rows of a CSV or TSV file, else a point.
    null
        Texts that say that there is no value: they are null, in all columns.
    input_format
        Format of a file, whatever its name: ``csv``, ``tsv``, ``fimi``, ``baskets`` (a record a line, items between
        a separator, no names of columns), ``spmf``, ``jsonl``, ``xlsx`` or ``parquet``.
    one_hot
        Columns of 0 and 1, one for each item, whose names are the items; or prefixes such as ``dx_*``, whose rest is
        the item. The sets are called ``items``.
    one_code
        Columns that hold one code each, of one vocabulary; an empty cell is no further code. The sets are called
        ``items``.
    labels
        Of a SciPy matrix, whose rows are records: the items that its columns stand for.
    normalize
        What is done to items, one after the other: ``upper``, ``lower``, ``strip-dots``, ``strip-hyphens``,
        ``strip-blanks``, ``strip-zeros`` (leading ones), ``nfc`` (composed letters). ``zip=strip-blanks`` is done to
        the values of a relational or sensitive column, or to the items of one of several set-valued ones.
    unknown
        What becomes of codes that their hierarchy does not know: ``error``, ``suppress`` (items are left out; a value
        of a relational column that a rule such as ``date:month,year`` rejects becomes ``?``), or ``prefix`` (the
        longest prefix that is a node takes their place: 250.13 becomes 250.1).
    inner_items
        What becomes of codes that are inner nodes of their hierarchy: ``error``, or ``leaf``: every inner node gets a
        leaf of its own, ``E11:unspecified``.
    rows_are_persons
        State that each row, or each value of `id`, is a different person. `anonset.anonymize` rejects a table in which
        a candidate (an id, a name, an e-mail address, …) repeats, unless this or `id` states the unit. The attestation
        declares it.
    identifying_as_declared
        The owner's word that a name, e-mail address or IBAN is relational, or kept, on purpose; refused otherwise.

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
    options = ReadOptions.of_call(locals(), "source", "labels")
    return read_by(source, options, labels)


def read_by(source: Any, options: ReadOptions, labels: Sequence[str] | None = None) -> Table:
    """Read a table by options, as `read` does by arguments."""
    return gather(open_source(source, options.reading(labels)), options, with_ids=True)
