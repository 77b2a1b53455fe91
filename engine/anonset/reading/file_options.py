"""Parsing options of files, which are independent of column roles."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from anonset.data.table_facts import Unit
from anonset.reading.roles import Names, names_in

ROW, UNKNOWN, OPEN = "row", "unknown", "?"
"""Values of the setting ``unit`` that name no columns: each row is a person, the data do not say who is a person, and
the owner has not decided yet.
"""


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Parsing options of `read`, `scan`, settings and flags that are independent of column roles."""

    separator: Annotated[
        str | None,
        "Character between the items of a field, or 'list' for ['a', 'b'] and {a,b}; per column: 'drugs=, codes=|'. "
        "Default: blanks.",
    ] = None
    """Separator of the items in a text cell, for all columns or for single columns (``drugs=, codes=|``). Default:
    blanks. A cell that seems to use another separator is rejected. An empty cell is the empty set, and blanks around an
    item are ignored. With ``list``, each cell is a list that a program printed, such as ``['a', 'b']``, ``["a", "b"]``
    or ``{a,"b c"}``.
    """
    delimiter: Annotated[
        str | None, "Character between the fields of a line, such as ';' or tab; default: detected."
    ] = None
    """Character between the fields of a CSV or TSV file. Default: the character out of ``,`` ``;`` tab and ``|`` that
    splits the first line into the named columns.
    """
    encoding: Annotated[
        str | None, "Text encoding, such as latin-1; default: UTF-8, or that of the byte order mark."
    ] = None
    """Encoding of a text without a byte order mark. Default: UTF-8."""
    no_header: Annotated[bool, "The file has no header; columns are named 1, 2, ..."] = False
    """The first line of a CSV or TSV file is a row. The columns are then called ``1``, ``2``, ..."""
    header_line: Annotated[int, "Line number of the header, if other lines precede it."] = field(
        default=1, metadata={"ge": 1}
    )
    """Line number of the header of a CSV or TSV file, from 1. Lines above it are skipped."""
    skip_rows: Annotated[
        Names,
        "Rows to skip and count: no-id (rows without a value of --unit), footer (totals and notes at the end), "
        "labels (all lines of labels, units or import ids below the header), undescribed (persons of linked tables "
        "without a row in the table that describes them).",
    ] = ()
    """Rows to skip. ``no-id`` skips rows in which an id is empty or null. ``footer`` skips sums and notes at the end of
    a CSV or TSV file. ``labels`` skips all lines below the header that contain labels, units or import ids; if there
    are none, it skips the line below the header. ``undescribed`` skips persons of linked tables without a row in the
    table that describes them. The account and the private report count them. Without this option,
    data with rows of these kinds are rejected.
    """
    decimal: Annotated[Literal[",", "."] | None, "Decimal sign of --numeric columns; default: detected."] = None
    """Decimal sign of numeric text columns, ``,`` or ``.``. Currency and thousands separators are then allowed. By
    default, the sign is detected from the first rows of a CSV or TSV file, and is a point in other files.
    """
    null: Annotated[Names, 'Texts that mean "no value", such as k.A.,NULL,COLUMN=0.'] = ()
    """Texts that mean "no value". A text is null in all columns. ``COLUMN=TEXT`` is null only in the named column."""
    input_format: Annotated[
        str | None,
        "csv, tsv, fimi, baskets, spmf, jsonl, xlsx, sav, zsav, dta, sas7bdat, xpt or parquet; default: by the name.",
    ] = None
    """Format of a file, independent of its name: ``csv``, ``tsv``, ``fimi``, ``baskets``, ``spmf``, ``jsonl``,
    ``xlsx``, ``sav``, ``zsav``, ``dta``, ``sas7bdat``, ``xpt`` or ``parquet``. A ``baskets`` file contains the items of
    one record per line, between separators, and has no column names.
    """
    value_codes: Annotated[bool, "Read codes of SPSS, Stata and SAS files instead of value labels."] = False
    """Labelled values of SPSS, Stata and SAS files are read as their codes, such as ``2``, instead of their labels."""
    one_hot: Annotated[Names, "0/1 columns, a column per item."] = ()
    """0/1 columns, one for each item. The item is the column name, or the part after a prefix such as ``dx_*``. The
    set-valued column is called ``items``."""
    present: Annotated[
        str | None,
        "Value that marks an item as present in --one-hot columns, such as Checked or 1; filled: any cell that is "
        "not empty. Default: 1, true, yes, ja, y, t, j, x.",
    ] = None
    """Value that marks an item as present in the columns of `one_hot`, without regard to case. Every column may have
    one other value, which marks the item as absent. ``filled``: each cell that is not empty marks an item; the item is
    the label if a column contains a single label, and otherwise the column name. Default: evident values such as ``1``,
    ``true`` and ``yes``.
    """
    one_code: Annotated[
        Names,
        "Columns that each contain an item of the person, such as dx1,dx2; dx* selects all columns beginning with dx.",
    ] = ()
    """Columns that contain one code each, from a common vocabulary. An empty cell adds no code. The set-valued column
    is called ``items``.
    """
    with_header: Annotated[bool, "Items of --one-code columns are header=value, such as rs1003=AG."] = False
    """Items of the columns of `one_code` are ``header=value``, so that equal values of different columns are different
    items. A backslash precedes each ``=`` and each backslash of a header.
    """
    normalize: Annotated[
        Names,
        "Clean up items in this order: upper, lower, strip-dots, strip-hyphens, strip-blanks, strip-zeros, nfc; "
        "COL=upper cleans up a column.",
    ] = ()
    """Rules applied to items, in order: ``upper``, ``lower``, ``strip-dots``, ``strip-hyphens``, ``strip-blanks``,
    ``strip-zeros`` (leading zeros), ``nfc`` (composed letters). ``zip=strip-blanks`` applies a rule to the values of a
    relational or sensitive column, or to the items of one of several set-valued columns."""
    unknown: Annotated[
        Literal["error", "suppress", "prefix"],
        "How to treat codes that the hierarchy does not contain. prefix replaces a code by its longest prefix in the"
        " hierarchy. suppress omits these items, and publishes '?' for values that a rule such as date:month,year "
        "rejects.",
    ] = "error"
    """Treatment of codes that are not in their hierarchy. ``error`` rejects them. ``suppress`` omits items, and
    publishes ``?`` for a relational value that a rule such as ``date:month,year`` rejects. ``prefix`` replaces a code
    by its longest prefix that is a node, so 250.13 becomes 250.1.
    """
    inner_items: Annotated[
        Literal["error", "leaf"],
        "How to treat codes that are inner nodes of the hierarchy. leaf adds a leaf below each.",
    ] = "error"
    """Treatment of codes that are inner nodes of their hierarchy. ``error`` rejects them. ``leaf`` gives every inner
    node an additional leaf, ``E11:unspecified``.
    """
    missing: Annotated[
        str, "How to treat null: refuse, empty (no items), value (missing is a value), or empty,value."
    ] = "refuse"
    """Treatment of null. ``refuse`` rejects null. ``empty`` reads a null set as the empty set. ``value`` reads a null
    category as the category ``?``. ``empty,value`` does both. Null numbers, ids and items are always rejected. Text
    files contain no null: an empty field is the empty text. A blank line is a record in a file with a single column,
    and is rejected in other files.
    """
    unit: Annotated[
        Names, "Who is a person: columns of an id, whose rows are merged; row (each is a person); or unknown."
    ] = ()
    """Who is a person. Columns: all rows with the same values are one person and are merged into one record with the
    union of their sets. All other values must agree (see `differing`). If a person has several rows, a text cell is one
    item (``type 2 diabetes``), unless a separator is declared. ``row``: each row is a different person. ``unknown``:
    the data do not say who is a person, and a person with several rows is not protected as one. Only data with a single
    set-valued column, and no other column, need no unit.
    """
    differing: Annotated[
        Literal["refuse", "first"],
        "If the rows of a person differ in a column without items: refuse, or publish the value of the first row.",
    ] = "refuse"
    """Treatment of persons whose rows differ in a column without items, if `unit` names columns. ``refuse`` rejects the
    data. ``first`` uses the value of the person's first row, and counts these persons.
    """

    @property
    def person(self) -> tuple[str, ...]:
        """Columns that together identify the person. Empty if the unit is not declared by columns."""
        return person_columns(self.unit)

    @property
    def unit_kind(self) -> Unit:
        """Kind of the declared unit."""
        if self.person:
            return "person"
        kinds: dict[tuple[str, ...], Unit] = {(ROW,): "row", (UNKNOWN,): "unknown"}
        return kinds.get(names_in((), self.unit), "")


def person_columns(unit: Names, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the columns that a value of the setting ``unit`` names. Empty for ``row``, ``unknown`` and ``?``.

    >>> person_columns("fund,number"), person_columns(["row"])
    (('fund', 'number'), ())
    """
    columns = names_in(names, unit)
    return () if columns in ((ROW,), (UNKNOWN,), (OPEN,)) else columns
