"""Options that settings and flags share with `read` and `scan`: column roles, and parsing options of files."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Annotated, Literal

from anonset.data.table_facts import UnitKind
from anonset.reading.decisions import FILE, ITEMS, PERSONS, PUBLICATION
from anonset.reading.name_lists import names_in
from anonset.reading.roles import Names
from anonset.reading.sources.dialect import DIALECT_OPTIONS, Dialect

NONE = "none"
"""Answer that no column contains items, if a job file asks which columns do."""
ROW, UNKNOWN, OPEN = "row", "unknown", "?"
"""Values of the setting ``unit`` that name no columns: each row is a person, the data do not say who is a person, and
the owner has not decided yet.
"""


class Unit(tuple[str, ...]):
    """Who is a person: the columns of an id, or the only name `ROW`, `UNKNOWN` or `OPEN`. Empty if nothing is declared.

    Its text is the value of the setting ``unit`` in a job file.

    >>> Unit.of("fund,number").columns, Unit.of(["row"]).columns, str(Unit.of(["fund", "number"]))
    (('fund', 'number'), (), 'fund,number')
    """

    __slots__ = ()

    @classmethod
    def of(cls, declared: Names | None, header: Sequence[str] = ()) -> "Unit":
        """Return the unit that a value of the setting ``unit`` declares. Column names that contain commas are found in
        the header of a source.
        """
        return cls(names_in(header, declared))

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that together identify the person. Empty for ``row``, ``unknown`` and ``?``."""
        return () if self in ((ROW,), (UNKNOWN,), (OPEN,)) else self

    @property
    def kind(self) -> UnitKind:
        """Kind of the unit."""
        return "person" if self.columns else "row" if self == (ROW,) else "unknown" if self == (UNKNOWN,) else ""

    def key_in(self, answers: Collection[str]) -> str:
        """Return the key of the settings for this unit in a job file. Without settings for ``unknown``, those for
        ``row`` apply.
        """
        if self == (UNKNOWN,) and UNKNOWN not in answers:
            return ROW
        return next((key for key in answers if Unit.of(key) == self), str(self))

    def __str__(self) -> str:
        return ",".join(self)


@dataclass(frozen=True, kw_only=True)
class _Options:
    def __post_init__(self) -> None:
        """Hold names as tuples. A text is split at commas; the parts of a name with commas are joined again when the
        columns are known (see `names_in`).
        """
        for option in fields(self):
            if option.default == ():
                object.__setattr__(self, option.name, names_in((), getattr(self, option.name)))


@dataclass(frozen=True, kw_only=True)
class RoleOptions(_Options):
    """Role of each column, as options of `read`, `scan`, settings and flags.

    Several set-valued columns are joined into a column ``items`` with the items ``column:item``, and published as
    separate columns again.
    """

    items: Annotated[Names, ITEMS, "Columns with sets of items, protected together."] = ()
    relational: Annotated[
        Names, PUBLICATION, "Quasi-identifiers: columns whose values an attacker may know, such as age,zip."
    ] = ()
    numeric: Annotated[
        Names, PUBLICATION, "Relational columns that contain numbers. All other columns are read as text."
    ] = ()
    sensitive: Annotated[str | None, PUBLICATION, "Sensitive column: its values must not be inferred for a person."] = (
        None
    )
    id: Annotated[
        Names,
        PERSONS,
        "For the algorithms anatomy and safe-grouping: columns that identify the person, repeat, and are "
        "published. All other algorithms use --unit.",
    ] = ()
    keep: Annotated[Names, PUBLICATION, "Columns to publish unchanged, without protection."] = ()
    drop: Annotated[Names, PUBLICATION, "Columns that are not published."] = ()


@dataclass(frozen=True, kw_only=True)
class FileOptions(_Options):
    """Parsing options of `read`, `scan`, settings and flags that are independent of column roles.

    If `unit` names columns, the rows of a person are merged into one record with the union of their sets. All other
    values must agree (see `differing`); an empty field is no value. If a person has several rows, a text cell is one
    item (``type 2 diabetes``), unless a separator is declared. If `unit` is ``unknown``, a person with several rows is
    not protected as one. Only data with a single set-valued column, and no other column, need no unit.

    An empty cell of a set-valued column is the empty set, and blanks around an item are ignored. A blank line is a
    record in a file with a single column, and is rejected in other files.
    """

    separator: Annotated[
        str | None,
        ITEMS,
        "Character that separates the items in a cell, such as ; or |. Default: blanks. `list` reads lists such as "
        "['a', 'b'] and {a,b}. For several columns: 'drugs=, codes=|'. A cell that seems to use another separator is "
        "rejected.",
    ] = None
    delimiter: Annotated[
        str | None,
        FILE,
        "Character between the fields of a line, such as ';' or tab. Default: the character out of comma, "
        "semicolon, tab and | that splits the first line into the named columns.",
    ] = None
    encoding: Annotated[
        str | None, FILE, "Text encoding, such as latin-1. Default: UTF-8, or that of the byte order mark."
    ] = None
    no_header: Annotated[bool, FILE, "The file has no header; columns are named 1, 2, ..."] = False
    header_line: Annotated[
        int, FILE, "Line number of the header of a CSV, TSV or XLSX file. Lines above it are skipped."
    ] = field(default=1, metadata={"ge": 1})
    skip_rows: Annotated[
        Names,
        PERSONS,
        "Rows to skip and count: no-id (rows without a value of --unit), footer (totals and notes at the end), "
        "labels (all lines of labels, units or import ids below the header; if there are none, the line below "
        "the header), undescribed (persons of linked tables without a row in the table that describes them), "
        "no-other (no other lines, even if they look like labels or totals). Default: such rows are rejected.",
    ] = ()
    decimal: Annotated[
        Literal[",", "."] | None,
        FILE,
        "Decimal sign of --numeric columns. Currencies and thousands separators are then allowed. Default: "
        "detected in CSV and TSV files, a point in all others.",
    ] = None
    null: Annotated[
        Names,
        PERSONS,
        'Texts that mean "no value", such as k.A.,NULL,COLUMN=0. COLUMN=TEXT applies to this column only.',
    ] = ()
    input_format: Annotated[
        str | None,
        FILE,
        "csv, tsv, fimi, baskets, spmf, jsonl, xlsx, sav, zsav, dta, sas7bdat, xpt or parquet. A baskets file "
        "contains the items of one record per line, and no column names. Default: by the name.",
    ] = None
    value_codes: Annotated[bool, ITEMS, "Read codes of SPSS, Stata and SAS files instead of value labels."] = False
    one_hot: Annotated[
        Names,
        ITEMS,
        "0/1 columns, a column per item. The item is the column name, or its part after a prefix such as dx_*. "
        "The set-valued column is named items.",
    ] = ()
    present: Annotated[
        str | None,
        ITEMS,
        "Value that marks an item as present in --one-hot columns, such as Checked or 1, in upper or lower case. "
        "A column may contain one other value, which marks the item as absent. above-0: any count above 0. "
        "filled: any cell that is not empty; "
        "the item is the label if a column contains a single label, and otherwise the column name. "
        "Default: 1, true, yes, ja, y, t, j, x.",
    ] = None
    one_code: Annotated[
        Names,
        ITEMS,
        "Columns that each contain an item of the person, such as dx1,dx2; dx* selects all columns beginning "
        "with dx. An empty cell adds no item. The set-valued column is named items.",
    ] = ()
    with_header: Annotated[
        bool,
        ITEMS,
        "Items of --one-code columns are header=value, such as rs1003=AG. A backslash precedes each = and each "
        "backslash of a header.",
    ] = False
    normalize: Annotated[
        Names,
        ITEMS,
        "Rules that clean up items, in the given order: upper, lower, strip-dots, strip-hyphens, strip-blanks, "
        "strip-zeros (leading zeros), nfc (composed letters). COL=upper cleans up a relational, sensitive or "
        "set-valued column, or ids. COL=+49 writes telephone numbers without a country code with this one. "
        "COL=fill-down gives rows without an id that of the row above.",
    ] = ()
    unknown: Annotated[
        Literal["error", "suppress", "prefix"],
        ITEMS,
        "How to treat codes that the hierarchy does not contain. error rejects them. prefix replaces a code by "
        "its longest prefix in the hierarchy, so 250.13 becomes 250.1. suppress omits these items, and publishes "
        "'?' for values that a rule such as date:month,year rejects.",
    ] = "error"
    inner_items: Annotated[
        Literal["error", "leaf"],
        ITEMS,
        "How to treat codes that are inner nodes of the hierarchy. error rejects them. leaf adds a leaf below "
        "each, such as E11:unspecified.",
    ] = "error"
    missing: Annotated[
        str,
        ITEMS,
        "How to treat null: refuse, empty (a null set has no items), value (a null category is the category "
        "'?'), or empty,value. Null numbers, ids and items are always rejected. An empty field of a text file is "
        "the empty text, not null.",
    ] = "refuse"
    unit: Annotated[
        Names, PERSONS, "Who is a person: columns of an id, whose rows are merged; row (each is a person); or unknown."
    ] = ()
    differing: Annotated[
        Literal["refuse", "first"],
        PUBLICATION,
        "If the rows of a person differ in a column without items: refuse, or publish the value of the first "
        "row, and count these persons.",
    ] = "refuse"

    @property
    def person(self) -> tuple[str, ...]:
        """Columns that together identify the person. Empty if the unit is not declared by columns."""
        return Unit.of(self.unit).columns

    @cached_property
    def dialect(self) -> Dialect:
        """Dialect of a text.

        Raises
        ------
        InputError
            If an option cannot be used.
        """
        return Dialect.of(**{name: getattr(self, name) for name in DIALECT_OPTIONS})


COLUMN_OPTIONS = (*(option.name for option in fields(RoleOptions)), "one_hot", "one_code")
"""Options that give columns a role, without ``unit``."""
