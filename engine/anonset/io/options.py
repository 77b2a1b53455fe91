"""Options of reading: the roles of columns, the dialect of a text, and rules for codes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonset.data.code_rules import CodeRules
from anonset.data.persons import OwnersWord
from anonset.errors import InputError
from anonset.io.column_plan import Plan
from anonset.io.columns import Encoder
from anonset.io.dialect import EXACT, Dialect
from anonset.io.normalizing import require_rules
from anonset.io.opened_source import Described, Reading
from anonset.io.roles import Names, absent, names_in
from anonset.spelling import require_known, setting

_MISSING = ("refuse", "empty", "value")


@dataclass(frozen=True)
class ReadOptions:
    """The arguments of `anonset.io.read.read`, where each is described, but the source."""

    given: Mapping[str, Names]
    """Names of columns by role."""
    numeric: Names
    separator: str | None
    empty_for_null: bool
    value_for_null: bool
    group: bool
    dialect: Dialect
    input_format: str | None
    normalize: Mapping[str, tuple[str, ...]]
    """Rules by column; by the empty name, of all items."""
    rules: CodeRules
    word: OwnersWord = OwnersWord()  # noqa: RUF009
    """What the owner answers for."""
    exact: bool = False
    """Whether anonset wrote the text: then blanks count."""
    null: tuple[str, ...] = ()
    """Texts that are null."""
    decimal: str = ""
    """The decimal sign of numbers; empty: recognised."""

    @classmethod
    def exactly(cls, given: Mapping[str, Names], separator: str) -> "ReadOptions":
        """Return the options for text that anonset wrote: with commas, in UTF-8."""
        require_separator(separator)
        return cls(given, (), separator, False, False, False, EXACT, None, {}, CodeRules(), exact=True)

    @classmethod
    def of(
        cls,
        *,
        numeric: Names = (),
        sensitive: str | None = None,
        separator: str | None = None,
        missing: str = "refuse",
        group: bool = False,
        delimiter: str | None = None,
        encoding: str | None = None,
        no_header: bool = False,
        header_line: int = 1,
        decimal: str | None = None,
        null: Names = (),
        input_format: str | None = None,
        normalize: Names = (),
        unknown: str = "error",
        inner_items: str = "error",
        rows_are_persons: bool = False,
        identifying_as_declared: bool = False,
        **given: Names,
    ) -> "ReadOptions":
        """Check what can be checked without the data.

        Raises
        ------
        InputError
            With the argument.
        """
        _require_text(separator=separator, missing=missing, delimiter=delimiter, encoding=encoding)
        separator = "\t" if separator == "\\t" else separator
        require_separator(separator)
        dialect = Dialect.of(delimiter, encoding, no_header, header_line)
        if decimal is not None:
            require_known(setting("decimal"), decimal, (",", "."))
        chosen = {part.strip() for part in missing.split(",")}
        if not chosen <= set(_MISSING) or ("refuse" in chosen and len(chosen) > 1):
            msg = f"{setting('missing')} must be 'refuse', 'empty', 'value' or 'empty,value', got {missing!r}"
            raise InputError(msg)
        if group and rows_are_persons:
            way = f"{setting('group', True)} makes one record of several"
            msg = f"{setting('rows_are_persons', True)} says that each row is a person, and {way}: give one of them"
            raise InputError(msg)
        return cls(
            {"items": None, **given, "sensitive": None if sensitive is None else [sensitive]},
            numeric,
            separator,
            "empty" in chosen,
            "value" in chosen,
            group,
            dialect,
            input_format,
            _rules(normalize),
            _code_rules(unknown, inner_items),
            OwnersWord(rows_are_persons, identifying_as_declared),
            null=names_in((), null),
            decimal=decimal or "",
        )

    def reading(self, labels: Sequence[str] | None = None) -> Reading:
        """Return how a file is to be read."""

        def lacking(names: Sequence[str]) -> Sequence[str]:
            return absent(names, (*self.given.values(), self.numeric))

        ids = names_in((), self.given.get("id"))
        numeric = () if self.decimal else names_in((), self.numeric)
        return Reading(self.input_format, self.dialect, self.separator, lacking, labels, ids, self.null, numeric)

    def plan(self, source: Described) -> Plan:
        """Give every column of a source its role.

        Raises
        ------
        InputError
            If a column has none or two, or there is no such column; or rows are to be united and nothing says whose
            they are.
        """
        plan = Plan.of(source, self.numeric, self.given)
        plan.require_places(source.where, self.normalize)
        if self.group and not plan.roles.id:
            needed = f"{setting('group', True)} needs {setting('id')}: the columns that tell whose row it is"
            msg = f"{source.where}: {needed}"
            raise InputError(msg)
        return plan

    def encoder(self, source: Described) -> Encoder:
        """Return how the columns of a source are encoded."""
        return Encoder(
            source.where,
            self.separator,
            self.empty_for_null,
            self.value_for_null,
            self.group,
            exact=self.exact,
            normalize=self.normalize,
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


def _rules(asked: Names) -> dict[str, tuple[str, ...]]:
    """Return the rules of each column; the empty name stands for the items, wherever they are."""
    rules_of: dict[str, tuple[str, ...]] = {}
    for rule_text in names_in((), asked):
        column, _, rule = rule_text.rpartition("=")
        require_rules([rule])
        rules_of[column] = (*rules_of.get(column, ()), rule)
    return rules_of


def _code_rules(unknown: str, inner_items: str) -> CodeRules:
    for name, value, known in (
        ("unknown", unknown, ("error", "suppress", "prefix")),
        ("inner_items", inner_items, ("error", "leaf")),
    ):
        require_known(setting(name), value, known)
    return CodeRules(unknown, inner_items)


def _require_text(**given: Any) -> None:
    """Refuse settings that are neither text nor None."""
    for name, value in given.items():
        if not isinstance(value, str) and (value is not None or name == "missing"):
            msg = f"{setting(name)} must be text, got {type(value).__name__}"
            raise InputError(msg)
