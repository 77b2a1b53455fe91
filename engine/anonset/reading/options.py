"""Options of reading, each declared once: `read`, `scan`, job files and flags derive from these fields."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypedDict

from anonset.data.table_facts import CodeRules, OwnersWord
from anonset.errors import InputError
from anonset.reading.batches import Described, Reading
from anonset.reading.columns import Encoder
from anonset.reading.dialect import EXACT, Dialect
from anonset.reading.normalizing import require_rules
from anonset.reading.plan import Plan
from anonset.reading.roles import Names, absent, names_in
from anonset.spelling import require_known, setting

_MISSING = ("refuse", "empty", "value")
SKIPPED = ("no-id", "footer")
"""Rows that can be skipped: those without an id, and sums and notes below the last record."""


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """How a file is read, whatever the roles of its columns are: options of `read` and `scan`, settings and flags."""

    separator: str | None = field(
        default=None,
        metadata={
            "description": "Character between the items of a field; by column: 'drugs=, codes=|'. Default: blanks."
        },
    )
    """What separates the items in a cell of text, or in those of single columns (``drugs=, codes=|``): by default
    blanks, and what looks as if something else did is refused. An empty cell is the empty set, and blanks around an
    item are no part of it."""
    delimiter: str | None = field(
        default=None,
        metadata={"description": "Character between the fields of a line, such as ';' or tab; default: detected."},
    )
    """What stands between the fields of a CSV or TSV file; by default the one of ``,`` ``;`` tab and ``|`` under
    which the first line holds the columns that are named here."""
    encoding: str | None = field(
        default=None,
        metadata={"description": "Text encoding, such as latin-1; default: UTF-8, or by its byte order mark."},
    )
    """Encoding of a text without a byte order mark; by default UTF-8."""
    no_header: bool = field(
        default=False, metadata={"description": "The file has no header: its columns are called 1, 2, ..."}
    )
    """Whether the first line of a CSV or TSV file is a row: its columns are called ``1``, ``2``, ... then."""
    header_line: int = field(
        default=1, metadata={"description": "Line number of the header, if a title stands above it.", "ge": 1}
    )
    """The line of a CSV or TSV file with which it begins, from 1 on: what stands above it is left out."""
    skip_rows: Names = field(
        default=(),
        metadata={
            "description": "Rows to skip and count: no-id (no --id given in the row), footer (sums and notes at the "
            "end)."
        },
    )
    """Rows to skip, which are counted in the account and the private report: ``no-id`` (rows in which an id is empty
    or null) and ``footer`` (sums and notes below the last record of a CSV or TSV file). Both are refused otherwise."""
    decimal: Literal[",", "."] | None = field(
        default=None, metadata={"description": "Decimal sign of --numeric columns; default: detected."}
    )
    """The decimal sign of numeric columns of text, ``,`` or ``.``, which may have a currency and separators of
    thousands; None: recognised by the first rows of a CSV or TSV file, else a point."""
    null: Names = field(default=(), metadata={"description": 'Texts that mean "no value", such as k.A.,NULL.'})
    """Texts that say that there is no value: they are null, in all columns."""
    input_format: str | None = field(
        default=None,
        metadata={"description": "csv, tsv, fimi, baskets, spmf, jsonl, xlsx or parquet; default: by the file name."},
    )
    """Format of a file, whatever its name: ``csv``, ``tsv``, ``fimi``, ``baskets`` (a record a line, items between
    a separator, no names of columns), ``spmf``, ``jsonl``, ``xlsx`` or ``parquet``."""
    one_hot: Names = field(default=(), metadata={"description": "0/1 columns, one column per item."})
    """Columns of 0 and 1, one for each item, whose names are the items; or prefixes such as ``dx_*``, whose rest is
    the item. The sets are called ``items``."""
    one_code: Names = field(
        default=(),
        metadata={
            "description": "Columns of one code each, which together are the items; dx* names all that begin so."
        },
    )
    """Columns that hold one code each, of one vocabulary; an empty cell is no further code. The sets are called
    ``items``."""
    normalize: Names = field(
        default=(),
        metadata={
            "description": "Clean up items in this order: upper, lower, strip-dots, strip-hyphens, strip-blanks, "
            "strip-zeros, nfc; COL=upper cleans up a column."
        },
    )
    """What is done to items, one after the other: ``upper``, ``lower``, ``strip-dots``, ``strip-hyphens``,
    ``strip-blanks``, ``strip-zeros`` (leading ones), ``nfc`` (composed letters). ``zip=strip-blanks`` is done to
    the values of a relational or sensitive column, or to the items of one of several set-valued ones."""
    unknown: Literal["error", "suppress", "prefix"] = field(
        default="error",
        metadata={
            "description": "Codes that the hierarchy lacks: prefix takes the longest that it has; suppress omits "
            "items, and publishes values that a rule such as date:month,year rejects as '?'."
        },
    )
    """What becomes of codes that their hierarchy does not know: ``error``, ``suppress`` (items are left out; a value
    of a relational column that a rule such as ``date:month,year`` rejects becomes ``?``), or ``prefix`` (the
    longest prefix that is a node takes their place: 250.13 becomes 250.1)."""
    inner_items: Literal["error", "leaf"] = field(
        default="error",
        metadata={"description": "Codes that are inner nodes of the hierarchy; leaf adds a leaf below each."},
    )
    """What becomes of codes that are inner nodes of their hierarchy: ``error``, or ``leaf``: every inner node gets a
    leaf of its own, ``E11:unspecified``."""
    missing: str = field(
        default="refuse",
        metadata={
            "description": "How to treat null: refuse, empty (no items), value (a value of its own), or empty,value."
        },
    )
    """What null becomes: ``refuse`` (an error), ``empty`` (a null set is the empty set), ``value`` (a null
    category is the category ``?``), or ``empty,value``. Null numbers, ids and items are always refused.
    Text files have no null: an empty field is the empty text. A blank line is a record in a file of one column
    alone; among several columns it is refused."""
    group: bool = field(
        default=False,
        metadata={"description": "Combine all rows of an --id into one record; each field is then one item."},
    )
    """Unite the rows of an id into one record: sets united, all other values must agree. A cell of text is one item
    then (``type 2 diabetes``), unless a separator is given."""


class ReadKeywords(TypedDict, total=False):
    """Keyword arguments of `read` and `scan`, for type checkers: the fields of `ReadOptions`."""

    items: Names
    relational: Names
    numeric: Names
    sensitive: str | None
    id: Names
    keep: Names
    drop: Names
    separator: str | None
    delimiter: str | None
    encoding: str | None
    no_header: bool
    header_line: int
    skip_rows: Names
    decimal: Literal[",", "."] | None
    null: Names
    input_format: str | None
    one_hot: Names
    one_code: Names
    normalize: Names
    unknown: Literal["error", "suppress", "prefix"]
    inner_items: Literal["error", "leaf"]
    missing: str
    group: bool
    rows_are_persons: bool
    identifying_as_declared: bool


@dataclass(frozen=True, kw_only=True)
class ReadOptions(FileOptions):
    """The options of `read` and `scan`: the roles of columns, how a file is read, and what the owner answers for.

    Columns are named by a sequence, or by text: one name, or several separated by commas.
    """

    items: Names = None
    """The set-valued column. Several are joined into one column ``items``, their items prefixed:
    ``column:item``; they are published as separate columns again."""
    relational: Names = ()
    """Quasi-identifiers."""
    numeric: Names = ()
    """Those of them that are numbers; all others are text."""
    sensitive: str | None = None
    """The sensitive attribute of bucketization."""
    id: Names = ()
    """Columns that together identify the person. An empty id is refused, as none says whose row it is. Repeated ids
    are refused, unless `group` is set or there is a sensitive column (the id is the left side of a dependency
    then, and repeats by nature)."""
    keep: Names = ()
    """Columns that are published as they are, by the owner's decision."""
    drop: Names = ()
    """Columns that are not read."""
    rows_are_persons: bool = False
    """State that each row, or each value of `id`, is a different person. `anonset.anonymize` rejects a table in which
    a candidate (an id, a name, an e-mail address, …) repeats, unless this or `id` states the unit. The attestation
    declares it."""
    identifying_as_declared: bool = False
    """The owner's word that a name, e-mail address or IBAN is relational, or kept, on purpose; refused otherwise."""
    unit: Names = ()
    """Who is a person, as a job file says it."""
    exact: bool = False
    """Whether anonset wrote the text, with commas and in UTF-8: then blanks count."""

    def __post_init__(self) -> None:
        """Check what can be checked without the data."""
        for name in ("separator", "missing", "delimiter", "encoding"):
            value = getattr(self, name)
            if not isinstance(value, str) and (value is not None or name == "missing"):
                msg = f"{setting(name)} must be text, got {type(value).__name__}"
                raise InputError(msg)
        require_separator(self.separator)
        for name in self._skipped:
            require_known(setting("skip_rows"), name, SKIPPED)
        _ = self.dialect
        if self.decimal is not None:
            require_known(setting("decimal"), self.decimal, (",", "."))
        if not self._nulls <= set(_MISSING) or ("refuse" in self._nulls and len(self._nulls) > 1):
            msg = f"{setting('missing')} must be 'refuse', 'empty', 'value' or 'empty,value', got {self.missing!r}"
            raise InputError(msg)
        _ = self._rules_of_columns
        require_known(setting("unknown"), self.unknown, ("error", "suppress", "prefix"))
        require_known(setting("inner_items"), self.inner_items, ("error", "leaf"))

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect of a text."""
        if self.exact:
            return EXACT
        footer = "footer" in self._skipped
        return Dialect.of(self.delimiter, self.encoding, self.no_header, self.header_line, footer)

    @property
    def rules(self) -> CodeRules:
        """What becomes of codes that a hierarchy does not know."""
        return CodeRules(self.unknown, self.inner_items)

    @property
    def word(self) -> OwnersWord:
        """What the owner answers for."""
        by_unit = bool(self.unit) and not self.rows_are_persons
        return OwnersWord(self.rows_are_persons, by_unit, self.identifying_as_declared)

    @property
    def skip_without_id(self) -> bool:
        """Whether rows without an id are skipped."""
        return "no-id" in self._skipped

    @property
    def _skipped(self) -> tuple[str, ...]:
        return names_in((), self.skip_rows)

    @property
    def _nulls(self) -> frozenset[str]:
        return frozenset(part.strip() for part in self.missing.split(","))

    @cached_property
    def _rules_of_columns(self) -> Mapping[str, tuple[str, ...]]:
        """Rules by column; by the empty name, of all items."""
        return _rules(self.normalize)

    @cached_property
    def _separators(self) -> Mapping[str, str]:
        """What separates the items of single columns."""
        return {} if self.exact else separators_in(self.separator, names_in((), self.items))

    @property
    def _separator(self) -> str | None:
        """What separates the items of all columns."""
        return None if self._separators else "\t" if self.separator == "\\t" else self.separator

    @property
    def _roles(self) -> dict[str, Names]:
        """Names of columns by role, but of numbers."""
        roles: dict[str, Names] = {"items": self.items, "relational": self.relational, "id": self.id}
        roles |= {"keep": self.keep, "drop": self.drop, "one_hot": self.one_hot, "one_code": self.one_code}
        return {**roles, "sensitive": None if self.sensitive is None else [self.sensitive]}

    def reading(self, labels: Sequence[str] | None = None) -> Reading:
        """Return how a file is to be read."""

        def lacking(names: Sequence[str]) -> Sequence[str]:
            return absent(names, (*self._roles.values(), self.numeric))

        ids = names_in((), self.id)
        if self.skip_without_id and not ids:
            msg = f"{setting('skip_rows', 'no-id')} needs {setting('id')}: the columns that tell whose row it is"
            raise InputError(msg)
        return Reading(
            self.input_format,
            self.dialect,
            self._separator,
            lacking,
            labels,
            ids,
            null=names_in((), self.null),
            numeric=() if self.decimal else names_in((), self.numeric),
            skip_without_id=self.skip_without_id,
        )

    def plan(self, source: Described) -> Plan:
        """Give every column of a source its role.

        Raises
        ------
        InputError
            If a column has none or two, or there is no such column; or rows are to be united and nothing says whose
            they are.
        """
        plan = Plan.of(source, self.numeric, self._roles)
        plan.require_places(source.where, self._rules_of_columns)
        if self.group and not plan.roles.id:
            needed = f"{setting('group', True)} needs {setting('id')}: the columns that tell whose row it is"
            msg = f"{source.where}: {needed}"
            raise InputError(msg)
        return plan

    def encoder(self, source: Described) -> Encoder:
        """Return how the columns of a source are encoded."""
        return Encoder(
            source.where,
            self._separator,
            "empty" in self._nulls,
            "value" in self._nulls,
            self.group,
            separators=self._separators,
            exact=self.exact,
            normalize=self._rules_of_columns,
            printed=source.printed,
            decimal=self.decimal or source.decimal,
        )


def require_separator(separator: str | None) -> None:
    """Refuse an empty separator.

    Raises
    ------
    InputError
        If it is the empty text.
    """
    if separator == "":
        msg = f"{setting('separator')} must be at least one character, got ''"
        raise InputError(msg)


def separators_in(separator: str | None, items: Sequence[str]) -> dict[str, str]:
    """Return the separators of single columns, which are given as ``drugs=, codes=|``; none if it is one for all.

    >>> separators_in("drugs=, codes=|", ["codes", "drugs"]), separators_in(";", ["codes"])
    ({'codes': '|', 'drugs': ','}, {})
    """
    text = f" {separator or ''} "
    found = {name: re.search(f" {re.escape(name)}=([^ ]+) ", text) for name in items}
    return {name: match[1].replace("\\t", "\t") for name, match in found.items() if match is not None}


def _rules(asked: Names) -> dict[str, tuple[str, ...]]:
    """Return the rules of each column; the empty name stands for the items, wherever they are."""
    rules_of: dict[str, tuple[str, ...]] = {}
    for rule_text in names_in((), asked):
        column, _, rule = rule_text.rpartition("=")
        require_rules([rule])
        rules_of[column] = (*rules_of.get(column, ()), rule)
    return rules_of
