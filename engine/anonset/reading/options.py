"""Options of reading: the roles of columns and the tables made by them, the dialect of a text, and rules for codes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.data.table_facts import CodeRules, Mentioned, OwnersWord, Repeated
from anonset.errors import InputError
from anonset.reading.batches import Described, Reading
from anonset.reading.columns import Encoder
from anonset.reading.dialect import EXACT, Dialect
from anonset.reading.input_checks import require_single
from anonset.reading.normalizing import require_rules
from anonset.reading.persons.candidates import PersonKey, signs_in
from anonset.reading.persons.mentions import mentions_in, names_and_ids
from anonset.reading.roles import Names, Roles, absent, label_of, names_in, resolve
from anonset.reading.wide import one_code_sets, one_hot_sets
from anonset.spelling import require_known, setting


def require_values(where: str, table: Table) -> None:
    """Refuse relational columns that hold sets of codes.

    Raises
    ------
    InputError
        With the first of them.
    """
    for column in table.relational:
        if isinstance(column, CategoricalColumn):
            require_single(where, column.name, column.vocabulary.labels)


@dataclass(frozen=True)
class Plan:
    """The role of each column of a source."""

    names: tuple[str, ...]
    """The columns of the source."""
    roles: Roles
    numbers: frozenset[str]
    """The relational columns that hold numbers."""
    labels: Mapping[str, str]
    """The item that each column of 0 and 1 stands for."""

    @classmethod
    def of(cls, source: Described, numeric: Names, given: Mapping[str, Names]) -> "Plan":
        """Give every column of a source its role.

        Raises
        ------
        InputError
            If a column is named that does not exist, has no role or two.
        """
        if source.sets_only and given["items"] is None and not any(map(given.get, ("one_hot", "one_code", "drop"))):
            given = {**given, "items": source.names[0]}
        roles, numbers = resolve(
            source.where, source.names, numeric, first_line=source.first_line, hint=source.hint, **given
        )
        return cls(source.names, roles, numbers, {name: label_of(name, given.get("one_hot")) for name in roles.one_hot})

    @property
    def order(self) -> tuple[str, ...]:
        """Names of the published columns in the order of the source."""
        return self.roles.published(self.names)

    @property
    def normalized(self) -> tuple[str, ...]:
        """Names of the columns to whose labels rules may apply."""
        roles = self.roles
        return (*roles.items, *roles.wide, "items", *roles.relational, *roles.sensitive, *roles.keep)

    def signs(
        self, where: str, head: Callable[[Sequence[str]], Mapping[str, Any]], *, grouped: bool
    ) -> tuple[tuple[Repeated, ...], tuple[PersonKey, ...]]:
        """Return the repeated candidates for the unit, and those to look for in all rows.

        Parameters
        ----------
        head
            Returns the named columns of the first rows.
        grouped
            Whether the rows of an id are united.

        Raises
        ------
        InputError
            If a spreadsheet cut the ids off.
        """
        if not (self.roles.drop or self.roles.relational or self.roles.keep or self.roles.id):
            return (), ()

        return signs_in(where, self.roles, head, grouped=grouped)

    def mentions(self, table: Table, head: Callable[[Sequence[str]], Mapping[str, Any]]) -> tuple[Mentioned, ...]:
        """Return the columns of items that mention persons whom other columns name."""
        if table.transactions is None or table.transactions.vocabulary.is_numbered:
            return ()
        roles = self.roles
        named = names_and_ids((*roles.id, *roles.drop, *roles.relational, *roles.keep))
        return tuple(mentions_in(table.transactions, table.joined, named, head)) if named else ()

    def require_places(self, where: str, rules: Mapping[str, Sequence[str]]) -> None:
        """Refuse rules for columns that are not text, and rules for items where there are none.

        Raises
        ------
        InputError
            With the column, or the existing columns.
        """
        roles = self.roles
        texts = [name for name in (*roles.relational, *roles.sensitive, *roles.keep) if name not in self.numbers]
        known = [*roles.items, *texts, *(["items"] if roles.wide else [])]
        if wrong := [name for name in rules if name and name not in known]:
            places = ", ".join(map(repr, known)) or "none"
            what = f"{setting('normalize')} names column {wrong[0]!r}"
            msg = f"{where}: {what}; the columns of text that take it: {places}"
            raise InputError(msg)
        if "" in rules and not (roles.items or roles.wide):
            rule = rules[""][0]
            named = f"; name the column: {setting('normalize', f'{texts[0]}={rule}')}" if texts else ""
            msg = f"{where}: {setting('normalize', rule)} is about items, and there are none{named}"
            raise InputError(msg)

    @property
    def joined(self) -> tuple[str, ...]:
        """Names of the columns of sets that become one; none if there is one."""
        return self.roles.items if len(self.roles.items) > 1 else ()

    def sets(self, encoder: Encoder, loaded: Mapping[str, Any]) -> SetColumn | None:
        """Encode the sets, whatever their shape."""
        roles = self.roles
        if misplaced := next(
            (n for n in roles.used if isinstance(loaded[n], SetColumn) and n not in roles.items), None
        ):
            msg = f"{encoder.where}: column {misplaced!r} holds sets; its role must be {setting('items')}"
            raise InputError(msg)
        if roles.one_hot:
            first = one_hot_sets(encoder, {name: loaded[name] for name in roles.one_hot}, self.labels)
            return encoder.normalized(first)
        if roles.one_code:
            return one_code_sets(encoder, {name: loaded[name] for name in roles.one_code})
        if not roles.items:
            return None
        first = loaded[roles.items[0]]
        if isinstance(first, SetColumn):
            return encoder.normalized(first) if encoder.normalize else first
        if len(roles.items) == 1:
            return encoder.sets(roles.items[0], first)
        return encoder.joined_sets("items", {name: loaded[name] for name in roles.items})


_MISSING = ("refuse", "empty", "value")
SKIPPED = ("no-id", "footer")
"""Rows that can be skipped: those without an id, and sums and notes below the last record."""


@dataclass(frozen=True)
class ReadOptions:
    """The arguments of `anonset.reading.read.read`, where each is described, but the source."""

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
    skip_without_id: bool = False
    """Whether rows without an id are skipped."""
    separators: Mapping[str, str] = field(default_factory=dict)
    """What separates the items of single columns."""

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
        skip_rows: Names = (),
        decimal: str | None = None,
        null: Names = (),
        input_format: str | None = None,
        normalize: Names = (),
        unknown: str = "error",
        inner_items: str = "error",
        unit: Names = (),
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
        separators = separators_in(separator, names_in((), given.get("items")))
        skipped = names_in((), skip_rows)
        for name in skipped:
            require_known(setting("skip_rows"), name, SKIPPED)
        dialect = Dialect.of(delimiter, encoding, no_header, header_line, "footer" in skipped)
        if decimal is not None:
            require_known(setting("decimal"), decimal, (",", "."))
        chosen = {part.strip() for part in missing.split(",")}
        if not chosen <= set(_MISSING) or ("refuse" in chosen and len(chosen) > 1):
            msg = f"{setting('missing')} must be 'refuse', 'empty', 'value' or 'empty,value', got {missing!r}"
            raise InputError(msg)
        return cls(
            {"items": None, **given, "sensitive": None if sensitive is None else [sensitive]},
            numeric,
            None if separators else separator,
            "empty" in chosen,
            "value" in chosen,
            group,
            dialect,
            input_format,
            _rules(normalize),
            _code_rules(unknown, inner_items),
            OwnersWord(rows_are_persons, bool(unit) and not rows_are_persons, identifying_as_declared),
            null=names_in((), null),
            decimal=decimal or "",
            skip_without_id="no-id" in skipped,
            separators=separators,
        )

    @classmethod
    def of_call(cls, parameters: Mapping[str, Any], *others: str) -> "ReadOptions":
        """Return the options in the parameters of a function, its ``locals()`` at the beginning, but some others.

        Raises
        ------
        InputError
            As `of`.
        """
        return cls.of(**{name: value for name, value in parameters.items() if name not in others})

    def reading(self, labels: Sequence[str] | None = None) -> Reading:
        """Return how a file is to be read."""

        def lacking(names: Sequence[str]) -> Sequence[str]:
            return absent(names, (*self.given.values(), self.numeric))

        ids = names_in((), self.given.get("id"))
        numeric = () if self.decimal else names_in((), self.numeric)
        if self.skip_without_id and not ids:
            msg = f"{setting('skip_rows', 'no-id')} needs {setting('id')}: the columns that tell whose row it is"
            raise InputError(msg)
        return Reading(
            self.input_format,
            self.dialect,
            self.separator,
            lacking,
            labels,
            ids,
            null=self.null,
            numeric=numeric,
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
            separators=self.separators,
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
