"""Reading options. Each option is declared once, and `read`, `scan`, job files and flags derive from these fields."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Literal, Self, TypedDict

from anonset.columns.cells import LIST
from anonset.columns.identity import is_repair
from anonset.columns.marks import FILLED
from anonset.data.table_facts import CodeRules, OwnerStatements
from anonset.errors import Fix, InputError, require_known
from anonset.privacy.model import require_parameters
from anonset.reading.cells.normalizing import require_rules
from anonset.reading.file_options import OPEN, ROW, UNKNOWN, FileOptions, RoleOptions, Unit
from anonset.reading.name_lists import name_list, names_in, rules_in
from anonset.reading.roles import Names, absent
from anonset.reading.sources.dialect import EXACT, Dialect
from anonset.spelling import did_you_mean, listed, setting

_MISSING = ("refuse", "empty", "value")
SKIPPED = ("no-id", "footer", "labels", "undescribed", "no-other")
"""Kinds of rows that can be skipped. All others are records if ``no-other`` is among them."""


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
    value_codes: bool
    one_hot: Names
    present: str | None
    one_code: Names
    with_header: bool
    normalize: Names
    unknown: Literal["error", "suppress", "prefix"]
    inner_items: Literal["error", "leaf"]
    missing: str
    unit: Names
    differing: Literal["refuse", "first"]


def require_options(function: str, names: Iterable[str]) -> None:
    """Reject keyword arguments of a function that are not fields of `ReadOptions`.

    >>> require_options("read", ["itmes"])
    Traceback (most recent call last):
    TypeError: read() got an unexpected keyword argument 'itmes' (did you mean items?)

    Raises
    ------
    TypeError
        If a name is unknown. The message names the most similar option.
    """
    known = [field.name for field in fields(ReadOptions)]
    for name in names:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{did_you_mean(name, known)}")


@dataclass(frozen=True, kw_only=True)
class ReadOptions(RoleOptions, FileOptions):
    """Options of `read` and `scan`: column roles, file format, and the owner's declarations.

    Columns are given as a sequence, or as text: one name, or several separated by commas.
    """

    exact: bool = False
    """True if anonset wrote the text, with commas and in UTF-8. Blanks are then significant."""
    null_items: bool = False
    """True if texts that mean "no value" are items in columns of items."""

    key: tuple[str, ...] = ()
    """Columns that identify the rows of a linked table, of any name."""

    def __post_init__(self) -> None:
        """Hold names as tuples, and check all options that can be checked without data."""
        super().__post_init__()
        for name in ("separator", "missing", "delimiter", "encoding", "present"):
            value = getattr(self, name)
            if not isinstance(value, str) and (value is not None or name == "missing"):
                raise InputError(f"{setting(name)} must be text, got {type(value).__name__}")
        require_separator(self.separator)
        self._require_separated_items()
        self._require_columns_of_sets()
        for name in self.skip_rows:
            require_known(setting("skip_rows"), name, SKIPPED)
        _ = self.dialect
        require_parameters(self)
        if not self.nulls <= set(_MISSING) or ("refuse" in self.nulls and len(self.nulls) > 1):
            msg = f"{setting('missing')} must be 'refuse', 'empty', 'value' or 'empty,value', got {self.missing!r}"
            raise InputError(msg)
        last = max((n for n, rule in enumerate(self.normalize) if "=" in rule), default=-1)
        _ = _rules([rule for n, rule in enumerate(self.normalize) if "=" in rule or n > last])
        self._require_one_unit()

    def _require_separated_items(self) -> None:
        """Reject separators of single columns if a named column has no items."""
        rest = f" {self.separator or ''} "
        for name in self.separators:
            rest = re.sub(f" {re.escape(name)}=(?=[^ ])", " ", rest)
        if self.items and not self.exact and (wrong := re.search(r"([\w.-]*\w)=[^ =]", rest)):
            known = listed([*map(repr, self.items)])
            msg = f"{setting('separator')} names {wrong[1]!r}, which is not a column of {setting('items')}: {known}"
            raise InputError(msg)

    def _require_one_unit(self) -> None:
        """Reject a unit that mixes columns and words, and ids that are not published."""
        if len(self.unit) > 1 and (words := {ROW, UNKNOWN, OPEN} & {*self.unit}):
            msg = f"{setting('unit')} must be column names, {ROW!r} or {UNKNOWN!r}, got {min(words)!r} with others"
            raise InputError(msg)
        if self.id and self.unit:
            raise InputError(
                f"{setting('id')} declares the person of buckets, and {setting('unit')} of all others; use one of them"
            )
        # the ids of published buckets are in a file of their own
        if self.id and self.sensitive is None and not self.exact:
            msg = f"{setting('id')} is published by the algorithms anatomy and safe-grouping alone"
            raise InputError(msg, code="unit", fixes=[Fix({"unit": list(self.id)}, "to declare who is a person")])

    def _require_columns_of_sets(self) -> None:
        """Reject options of set-valued columns without these columns."""
        if self.present is not None and not self.one_hot:
            msg = f"{setting('present')} needs {setting('one_hot')}, the columns in which a value marks an item"
            raise InputError(msg)
        if self.present == "":
            msg = f"{setting('present')} must be a value, got ''"
            raise InputError(msg, fixes=[Fix({"present": FILLED}, "if empty cells mark no item")])
        if self.with_header and not self.one_code:
            msg = f"{setting('with_header', True)} needs {setting('one_code')}, the columns with a code per cell"
            raise InputError(msg)

    @cached_property
    def dialect(self) -> Dialect:
        """Dialect of a text."""
        return EXACT if self.exact else super().dialect

    @property
    def rules(self) -> CodeRules:
        """Treatment of codes that are not in their hierarchy."""
        return CodeRules(self.unknown, self.inner_items)

    @property
    def statements(self) -> OwnerStatements:
        """Declarations by the owner."""
        return OwnerStatements("person" if self.id else Unit.of(self.unit).kind)

    @property
    def skip_without_id(self) -> bool:
        """True if rows without an id are skipped."""
        return "no-id" in self.skip_rows

    @property
    def skip_undescribed(self) -> bool:
        """True if persons whom no row of linked tables describes are skipped."""
        return "undescribed" in self.skip_rows

    @property
    def nulls(self) -> frozenset[str]:
        """Declared treatments of null."""
        return frozenset(name_list(self.missing))

    @cached_property
    def rules_of_columns(self) -> Mapping[str, tuple[str, ...]]:
        """Rules that clean up the labels of each column. The rules of the empty name apply to all items."""
        return _rules(self.normalize)

    @cached_property
    def repairs_of_ids(self) -> Mapping[str, tuple[str, ...]]:
        """Rules that repair the ids of each column."""
        return _rules(self.normalize, repairs=True)

    @cached_property
    def separators(self) -> Mapping[str, str]:
        """Separators declared for single columns."""
        return {} if self.exact else separators_in(self.separator, self.items)

    @property
    def one_separator(self) -> str | None:
        """Declared separator of the items of all columns."""
        return None if self.separators else "\t" if self.separator == "\\t" else self.separator

    def resolved(self, names: Sequence[str]) -> Self:
        """Return the options for a source with these columns: the parts of names with commas are joined."""
        return replace(self, items=names_in(names, self.items), normalize=rules_in(names, self.normalize))

    @property
    def roles(self) -> dict[str, Sequence[str]]:
        """Declared columns by role, and those of the person as ``unit``."""
        roles: dict[str, Sequence[str]] = {"items": self.items, "relational": self.relational}
        roles |= {"id": self.id, "unit": self.key or self.person}
        roles |= {"keep": self.keep, "drop": self.drop, "one_hot": self.one_hot, "one_code": self.one_code}
        return {**roles, "sensitive": [] if self.sensitive is None else [self.sensitive]}

    def absent(self, names: Sequence[str]) -> list[str]:
        """Return the declared columns that are not among the names."""
        return absent(names, (*self.roles.values(), self.numeric))

    @property
    def ids(self) -> tuple[str, ...]:
        """Columns that identify the person."""
        return self.key or tuple(self.id) or self.person

    def require_ids(self) -> None:
        """Reject the option to skip rows without an id if no id is declared."""
        if self.skip_without_id and not self.ids:
            needed = f"{setting('unit', 'COLUMN')}, the columns that identify the person of a row"
            raise InputError(f"{setting('skip_rows', 'no-id')} needs {needed}")

    @property
    def never_null(self) -> tuple[str, ...]:
        """Columns in which no text is null, or patterns of their names. The cells of printed lists are no items."""
        if not self.null_items:
            return ()
        items = (name for name in self.items if self.separators.get(name, self.one_separator) != LIST)
        return (*items, *self.one_code)


def require_separator(separator: str | None) -> None:
    """Reject an empty separator.

    Raises
    ------
    InputError
        If the separator is the empty text.
    """
    if separator == "":
        raise InputError(f"{setting('separator')} must be at least one character, got ''")


_MOST_PARTS = 9


def separators_in(separator: str | None, items: Sequence[str]) -> dict[str, str]:
    """Return the separators of single columns, given as ``drugs=, codes=|``. Empty if one separator is given for all.
    Consecutive items may be the parts of a name with commas.

    >>> separators_in("drugs=, codes=|", ["codes", "drugs"]), separators_in(";", ["codes"])
    ({'drugs': ',', 'codes': '|'}, {})
    >>> separators_in("drugs=  codes=|", ["codes", "drugs"])
    {'drugs': ' ', 'codes': '|'}
    >>> separators_in("codes, old=|", ["codes", "old"])
    {'codes, old': '|'}
    """
    text = f" {separator or ''} "
    if "=" not in text or not items:
        return {}
    runs = [items[at : at + n] for n in range(_MOST_PARTS, 0, -1) for at in range(len(items) + 1 - n)]
    names = "|".join(", ?".join(map(re.escape, run)) for run in runs)
    return {match[1]: match[2].replace("\\t", "\t") for match in re.finditer(f"(?<= )({names})=([^ ]+| )(?= )", text)}


def _rules(rules: Sequence[str], *, repairs: bool = False) -> dict[str, tuple[str, ...]]:
    rules_of: dict[str, tuple[str, ...]] = {}
    for rule_text in rules:
        column, _, rule = rule_text.rpartition("=")
        require_rules([rule])
        if is_repair(rule) == repairs:
            rules_of[column] = (*rules_of.get(column, ()), rule)
    return rules_of
