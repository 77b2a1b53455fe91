"""Reading data into tables: every column has a role, types are never inferred."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.data import Column, SetColumn, Table
from anonset.data.changes import CodeRules
from anonset.errors import InputError
from anonset.io.columns import Encoder
from anonset.io.dialect import EXACT, Dialect
from anonset.io.grouping import refuse_empty, refuse_repeated, unite
from anonset.io.normalizing import require_rules
from anonset.io.roles import Names, Roles, absent, label_of, names_in, resolve
from anonset.io.sources import Reading, Source, open_source
from anonset.io.wide import one_code_sets, one_hot_sets
from anonset.spelling import require_known, setting

_MISSING = ("refuse", "empty", "value")


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
    input_format: str | None = None,
    one_hot: Names = (),
    one_code: Names = (),
    labels: Sequence[str] | None = None,
    normalize: Names = (),
    unknown: str = "error",
    inner_items: str = "error",
) -> Table:
    """Read a table. Every column needs a role, or the data are refused.

    Columns are named by a sequence, or by text: one name, or several separated by commas.

    Parameters
    ----------
    source
        Path of a CSV, TSV or FIMI file (``.csv``, ``.tsv``, ``.dat``, also with ``.gz`` or ``.zst``), or of a
        Parquet file or directory; or a data frame (anything with ``__arrow_c_stream__``, or polars' lazy one); a
        mapping of names to columns; a list of sets, or of records as mappings; or a SciPy matrix of 0 and 1. Files
        of FIMI, SPMF or baskets, lists of sets and matrices have one column, ``items``.
    items
        The set-valued column. Several are joined into one column ``items``, their items prefixed:
        ``column:item``; they are published as separate columns again.
    relational, numeric
        Quasi-identifiers; and those of them that are numbers (all others are text).
    sensitive
        The sensitive attribute of bucketization.
    id
        Columns that together identify the person. An empty id is refused, as none says whose row it is. Repeated ids
        are refused, unless `group` is set or there is a sensitive column (the id is the left side of a dependency
        then, and repeats by nature).
    keep, drop
        Columns that are published as they are, by the owner's decision; and those that are not read.
    separator
        What separates the items in a cell of text: by default blanks, and what looks as if something else did is
        refused. An empty cell is the empty set, and blanks around an item are no part of it.
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
    input_format
        Format of a file, whatever its name: ``csv``, ``tsv``, ``fimi``, ``baskets`` (a record a line, items between
        a separator, no names of columns), ``spmf`` or ``parquet``.
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
        ``strip-blanks``, ``strip-zeros`` (leading ones), ``nfc`` (composed letters).
    unknown
        What becomes of codes that their hierarchy does not know: ``error``, ``suppress`` (items are left out), or
        ``prefix`` (the longest prefix that is a node takes their place: 250.13 becomes 250.1).
    inner_items
        What becomes of codes that are inner nodes of their hierarchy: ``error``, or ``leaf``: every inner node gets a
        leaf of its own, ``E11:unspecified``.

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
    given: dict[str, Names] = {
        "items": items,
        "one_hot": one_hot,
        "one_code": one_code,
        "relational": relational,
        "sensitive": None if sensitive is None else [sensitive],
        "id": id,
        "keep": keep,
        "drop": drop,
    }
    _require_text(separator=separator, missing=missing, delimiter=delimiter, encoding=encoding)

    def lacking(names: Sequence[str]) -> Sequence[str]:
        return absent(names, (*given.values(), numeric))

    separator = "\t" if separator == "\\t" else separator
    _require_separator(separator)
    dialect = Dialect.of(delimiter, encoding)
    opened = open_source(source, Reading(input_format, dialect, separator, lacking, labels))
    encoder = replace(_encoder(opened, separator, missing, whole=group), normalize=_rules(normalize))
    table = _table(opened, encoder, numeric, given, group=group)
    return replace(table, rules=_code_rules(unknown, inner_items), changes=tuple(encoder.changes))


def read_exactly(
    source: Path | Source,
    *,
    items: Names = None,
    separator: str = " ",
    numeric: Names = (),
    **given: Names,
) -> Table:
    """Read what we wrote ourselves: with commas, in UTF-8, and blanks count. The roles are those of `read`.

    Raises
    ------
    InputError
        If it is no such file.
    """
    _require_separator(separator)
    how = Reading(dialect=EXACT, separator=separator)
    opened = source if isinstance(source, Source) else open_source(source, how)
    return _table(opened, Encoder(opened.where, separator, exact=True), numeric, {"items": items, **given})


def _table(
    opened: Source, encoder: Encoder, numeric: Names, given: Mapping[str, Names], *, group: bool = False
) -> Table:
    """Give every column its role, and encode those that are used."""
    where = opened.where
    if opened.sets_only and given["items"] is None and not any(map(given.get, ("one_hot", "one_code", "drop"))):
        given = {**given, "items": opened.names[0]}
    roles, numbers = resolve(where, opened.names, numeric, first_line=opened.first_line, hint=opened.hint, **given)
    if group and not roles.id:
        msg = f"{where}: {setting('group', True)} needs {setting('id')}: the columns that tell whose row it is"
        raise InputError(msg)
    loaded = opened.load(roles.used)
    hot = {name: label_of(name, given.get("one_hot")) for name in roles.one_hot}
    table = _encode(encoder, loaded, roles, numbers, opened.names, hot)
    if table.ids:
        refuse_empty(where, table)
    if group:
        return unite(where, table)
    if roles.id and not roles.sensitive:
        refuse_repeated(where, table)
    return table


def _encoder(opened: Source, separator: str | None, missing: str, *, whole: bool) -> Encoder:
    chosen = {part.strip() for part in missing.split(",")}
    if not chosen <= set(_MISSING) or ("refuse" in chosen and len(chosen) > 1):
        msg = f"{setting('missing')} must be 'refuse', 'empty', 'value' or 'empty,value', got {missing!r}"
        raise InputError(msg)
    return Encoder(opened.where, separator, "empty" in chosen, "value" in chosen, whole, printed=opened.printed)


def _rules(asked: Names) -> tuple[str, ...]:
    names = names_in((), asked)
    require_rules(names)
    return names


def _code_rules(unknown: str, inner_items: str) -> CodeRules:
    for name, value, known in (
        ("unknown", unknown, ("error", "suppress", "prefix")),
        ("inner_items", inner_items, ("error", "leaf")),
    ):
        require_known(setting(name), value, known)
    return CodeRules(unknown, inner_items)


def _require_separator(separator: str | None) -> None:
    if separator == "":
        msg = f"{setting('separator')} must be at least one character, got ''"
        raise InputError(msg)


def _require_text(**given: Any) -> None:
    """Refuse settings that are neither text nor None."""
    for name, value in given.items():
        if not isinstance(value, str) and (value is not None or name == "missing"):
            msg = f"{setting(name)} must be text, got {type(value).__name__}"
            raise InputError(msg)


def _encode(
    encoder: Encoder,
    loaded: Mapping[str, Any],
    roles: Roles,
    numbers: frozenset[str],
    names: tuple[str, ...],
    hot: Mapping[str, str],
) -> Table:
    """Encode the loaded columns by their roles."""
    transactions = _sets(encoder, loaded, roles, hot)
    if misplaced := next((n for n in roles.used if isinstance(loaded[n], SetColumn) and n not in roles.items), None):
        msg = f"{encoder.where}: column {misplaced!r} holds sets; its role must be {setting('items')}"
        raise InputError(msg)

    def relational(name: str) -> Column:
        return encoder.number(name, loaded[name]) if name in numbers else encoder.category(name, loaded[name])

    return Table(
        transactions,
        tuple(relational(name) for name in roles.relational),
        encoder.category(roles.sensitive[0], loaded[roles.sensitive[0]]) if roles.sensitive else None,
        tuple(encoder.category(name, loaded[name], allow_null=False) for name in roles.id),
        tuple(encoder.category(name, loaded[name]) for name in roles.keep),
        roles.published(names),
        roles.items if len(roles.items) > 1 else (),
    )


def _sets(encoder: Encoder, loaded: Mapping[str, Any], roles: Roles, hot: Mapping[str, str]) -> SetColumn | None:
    """Encode the sets, whatever their shape."""
    if roles.one_hot:
        return encoder.tidy(one_hot_sets(encoder, {name: loaded[name] for name in roles.one_hot}, hot))
    if roles.one_code:
        return one_code_sets(encoder, {name: loaded[name] for name in roles.one_code})
    if not roles.items:
        return None
    first = loaded[roles.items[0]]
    if isinstance(first, SetColumn):
        return encoder.tidy(first)
    if len(roles.items) == 1:
        return encoder.sets(roles.items[0], first)
    return encoder.joined_sets("items", {name: loaded[name] for name in roles.items})
