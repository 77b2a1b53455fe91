"""Bind the columns of a table to their hierarchies, and check the columns and items that a model names."""

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table, Vocabulary
from anonset.data.hierarchies.ceilings import Ceiling, cap_hierarchy, nodes_of_ceiling
from anonset.data.hierarchies.combined_hierarchies import attach_sensitive, is_attached, join_hierarchies
from anonset.data.hierarchies.hierarchy_rules import OF_LABELS, RANGE, VALUES
from anonset.data.joining import prefixed
from anonset.data.redacted_repr import names_shown
from anonset.data.storage.store import MEMORY
from anonset.data.table_facts import CodeRules
from anonset.errors import Fix, HierarchyError, InputError, datum, typed
from anonset.generalization.bucketizing import require_no_missing
from anonset.privacy import Part, PrivacyModel
from anonset.publications.symbols import set_label
from anonset.reading.hierarchies.objects import hierarchy_from
from anonset.reading.hierarchies.specs import hierarchy_for, is_over_data
from anonset.reading.name_lists import names_in
from anonset.reading.sources.files import text_lines
from anonset.settings.fitting import MOST_COMPARED, fit_codes
from anonset.settings.parameters import SIZES
from anonset.settings.ranges import whole_number
from anonset.spelling import did_you_mean, hierarchy_of, setting, spelled


class _Frame(Protocol):
    """Data frame of any library."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


HierarchySpec = Hierarchy | str | os.PathLike[str] | Mapping[str, Any] | _Frame
"""Hierarchy, or one of its specifications: a file, ``halves:frequency``, ``balanced:F``, a data frame with a row per
leaf, or a mapping.
"""

CeilingSpec = int | Collection[str] | os.PathLike[str]
"""Ceiling of a column: the number of a column of the hierarchy file, nodes, or a file with a node per line. A text is a
number or a file name.
"""


def numeric_columns(hierarchies: Mapping[str, str]) -> list[str]:
    """Return the columns that are read as numbers, because they generalize to ranges.

    >>> numeric_columns({"age": "range", "sex": "values"})
    ['age']
    """
    return [name for name, spec in hierarchies.items() if spec == RANGE]


def bind(
    table: Table, hierarchies: Mapping[str, HierarchySpec], model: PrivacyModel
) -> tuple[Table, dict[str, Hierarchy]]:
    """Read the hierarchies, and re-encode the set-valued column by the hierarchy.

    The hierarchy need not contain the sensitive items of the model. A sensitive column that the model protects in
    equivalence classes gets the role of a kept column, because it is published unchanged.

    Raises
    ------
    InputError
        If a hierarchy is given for a column that cannot have one, or is not a tree over the column's values; if the
        model names sensitive items or a column that do not exist; or if buckets would contain missing sensitive values.
    """
    if model.needs_known_values and table.sensitive is not None:
        require_no_missing(table.sensitive, model.name)
    table = _with_sensitive_kept(table, model.sensitive_column)
    require_sensitive(model, table.transactions)
    return bind_columns(table, hierarchies, model.beside)


def _with_sensitive_kept(table: Table, name: str | None) -> Table:
    """Return a table in which the sensitive column of the model, if any, has the role of a kept column."""
    if name is None or name in (column.name for column in table.kept):
        return table
    if table.sensitive is None or table.sensitive.name != name:
        names = ", ".join(repr(column.name) for column in table.kept) or "none"
        raise InputError(f"{setting('sensitive')}: {name!r} must be a sensitive or kept column; kept columns: {names}")
    if table.ids:
        msg = f"column {name!r} was read with repeating ids, as for buckets, but this model needs distinct ids"
        raise InputError(msg, fixes=[Fix({"keep": [name]})])
    return replace(table, sensitive=None, kept=(*table.kept, table.sensitive))


def bind_columns(
    table: Table, hierarchies: Mapping[str, HierarchySpec], sensitive: tuple[str, ...] = ()
) -> tuple[Table, dict[str, Hierarchy]]:
    """Read the hierarchies, and re-encode the set-valued column by the hierarchy.

    The hierarchy does not contain the items `sensitive`. If several set-valued columns were joined, there is a
    hierarchy for the joined column, or one for each separate column.

    Raises
    ------
    InputError
        If a hierarchy is given for a column that cannot have one, or is not a tree over the column's values.
    """
    sets = () if table.transactions is None else (table.transactions.name,)
    possible = dict.fromkeys([*(column.name for column in table.relational), *sets, *table.joined])
    if unknown := sorted(set(hierarchies) - set(possible)):
        fault = f"{unknown[0]!r} is not a column of items or quasi-identifiers{did_you_mean(unknown[0], possible)}"
        raise InputError(f"{hierarchy_of()}: {fault}; these are: {', '.join(possible) or 'none'}")
    table, fitting = fit(table, hierarchies, sensitive)
    column = table.transactions
    column_of = {c.name: c for c in (*table.relational, *(() if column is None else (column,)))}
    specs = _with_joined(table, fitting, sensitive)
    of_columns: dict[str, Hierarchy] = {}
    for name, spec in specs.items():
        target = column_of[name]
        if isinstance(target, SetColumn):
            of_columns[name] = _items_hierarchy(spec, target, sensitive)
            table = table.with_transactions(of_columns[name].bind(target, table.store))
        elif (bound := _relational_hierarchy(spec, target)) is not None:
            of_columns[name] = bound
    return table, of_columns


def _with_ranges(table: Table, hierarchies: Mapping[str, Hierarchy | str]) -> Table:
    """Return a table in which integer columns with ranges are numeric. Python reads them as text if `numeric` does not
    name them.
    """

    def numeric(column: CategoricalColumn | NumericColumn) -> CategoricalColumn | NumericColumn:
        if hierarchies.get(column.name) != RANGE or isinstance(column, NumericColumn) or table.store is not MEMORY:
            return column
        labels = column.vocabulary.labels
        if not all(re.fullmatch(r"0|-?[1-9]\d{0,17}", label, re.ASCII) for label in labels):
            return column
        return NumericColumn(column.name, np.array(labels, np.int64)[column.codes])

    return replace(table, relational=tuple(map(numeric, table.relational)))


def cap(
    table: Table, hierarchies: Mapping[str, Hierarchy], ceilings: Mapping[str, CeilingSpec]
) -> dict[str, Hierarchy]:
    """Return the hierarchies of a bound table, restricted to the nodes at or below the ceilings. The ceiling of a
    joined column restricts its part of the common hierarchy.

    Raises
    ------
    InputError
        If a column has no hierarchy, or a ceiling is not a node.
    """
    capped = dict(hierarchies)
    for name, bound in ceilings.items():
        joint = table.transactions.name if table.transactions is not None and name in table.joined else ""
        tree = hierarchies.get(joint or name)
        if tree is None or (joint and joint not in tree.node_of):
            names = ", ".join(map(repr, hierarchies)) or "none"
            msg = f"{setting('ceiling')}: column {name!r} has no hierarchy; columns with a hierarchy: {names}"
            raise InputError(msg)
        capped[joint or name] = _capped(capped[joint or name], _ceiling(tree, bound, name, joint), name)
    return capped


def _ceiling(tree: Hierarchy, bound: CeilingSpec, name: str, joint: str) -> Ceiling:
    """Return a ceiling of a column as a ceiling of its tree. `joint` is the root of the trees of joined columns, whose
    labels begin with the name of their column, or empty.
    """
    ceiling, mark = ceiling_of(bound), prefixed(name, "") if joint else ""
    if isinstance(ceiling, int) and any(label.startswith(mark) for label in tree.unnamed):
        msg = f"{setting('ceiling')} of {name!r}: a generated hierarchy has no column numbers; list the nodes in a file"
        raise InputError(msg)
    if not joint:
        return ceiling
    if not isinstance(ceiling, int):
        return [prefixed(name, label) for label in ceiling]
    column = int(tree.column_depth[tree.node_of[joint]]) + 1 + ceiling
    return [label for node in nodes_of_ceiling(tree, column) if (label := tree.labels[node]).startswith(mark)]


def _capped(hierarchy: Hierarchy, ceiling: Ceiling, name: str) -> Hierarchy:
    """Return a hierarchy without the nodes above its ceiling: a column of the hierarchy file, or a list of nodes."""
    try:
        return cap_hierarchy(hierarchy, ceiling)
    except HierarchyError as error:
        raise InputError(f"{setting('ceiling')} of {name!r}: {error}") from None


def ceiling_of(bound: CeilingSpec) -> Ceiling:
    """Parse a ceiling."""
    if isinstance(bound, (str, os.PathLike)):
        return _ceiling_in(os.fspath(bound))
    return bound


def _ceiling_in(text: str) -> int | list[str]:
    if (column := whole_number(text)) is not None:
        return column
    if not Path(text).is_file():
        way = "a column number of the hierarchy, or a file with a node per line"
        raise InputError(f"{setting('ceiling')} must be {way}; file {os.fspath(text)!r} does not exist")
    return text_lines(Path(text), "a node")


def fit(
    table: Table, hierarchies: Mapping[str, HierarchySpec], sensitive: tuple[str, ...] = ()
) -> tuple[Table, dict[str, Hierarchy | str]]:
    """Change the codes of a table to leaves of the hierarchies by the rules in its reading options, and integer columns
    with ranges to numbers. A second call changes nothing.

    Raises
    ------
    InputError
        If a hierarchy is invalid, or labels of the data are not leaves.
    """
    specs = {name: _spec(name, hierarchy) for name, hierarchy in hierarchies.items()}
    table = _with_ranges(table, specs)
    if table.rules == CodeRules() and all(
        isinstance(spec, str) and spec.startswith(OF_LABELS) for spec in specs.values()
    ):
        return table, specs  # a tree built from the data contains all labels

    return fit_codes(table, specs, sensitive)


def _spec(name: str, hierarchy: HierarchySpec) -> Hierarchy | str:
    """Return a hierarchy in memory as a `Hierarchy`, and any other as its specification."""
    if isinstance(hierarchy, Hierarchy):
        return hierarchy
    if isinstance(hierarchy, (str, os.PathLike)):
        return os.fspath(hierarchy)

    return hierarchy_from(name, hierarchy)


def _with_joined(
    table: Table, hierarchies: Mapping[str, Hierarchy | str], sensitive: tuple[str, ...]
) -> Mapping[str, Hierarchy | str]:
    """Join the separate hierarchies of joined columns under a root with the name of the joined column."""
    column = table.transactions
    if column is None or not (set(table.joined) & set(hierarchies)) - {column.name}:
        return hierarchies
    private, labels = set(sensitive), column.vocabulary.labels
    codes: dict[str, dict[str, int]] = {}
    for name in table.joined:
        mark = prefixed(name, "")
        theirs = ((code, label) for code, label in enumerate(labels) if label.startswith(mark) and label not in private)
        codes[name] = {label.removeprefix(mark): code for code, label in theirs}
    missing = [name for name in table.joined if name not in hierarchies and codes[name]]
    if missing or (column.name in hierarchies and column.name not in table.joined):
        names = ", ".join(map(repr, table.joined))
        problem = f"{missing[0]!r} has none" if missing else "both are given"
        msg = f"{hierarchy_of()}: give a hierarchy for each of {names}, or one for all as {column.name!r}; {problem}"
        raise InputError(msg)
    parts = {}
    for name in table.joined:
        if name not in hierarchies:
            continue
        spec, vocabulary = hierarchies[name], Vocabulary.of(codes[name])
        _require_tree(spec, name)
        part = hierarchy_for(
            spec, vocabulary, name, column.occurrences[[codes[name][label] for label in vocabulary.labels]]
        )
        if vocabulary.labels or not is_over_data(spec):  # a column without items adds no hierarchy
            parts[name] = part
    others = {name: spec for name, spec in hierarchies.items() if name not in table.joined}
    joined = join_hierarchies(parts, column.name)
    if table.tables:  # items of different tables share no symbol
        joined = replace(joined, capped=True)
    return {**others, column.name: joined}


def _require_tree(spec: Hierarchy | str, name: str) -> None:
    if spec in (RANGE, VALUES):
        msg = f"{hierarchy_of(name, spec)}: the column is set-valued; use a file, balanced:F, or no hierarchy"
        raise InputError(msg)


def _items_hierarchy(spec: Hierarchy | str, column: SetColumn, sensitive: tuple[str, ...]) -> Hierarchy:
    _require_tree(spec, column.name)
    if isinstance(spec, Hierarchy) and is_attached(spec, sensitive):
        return spec
    private = set(sensitive)
    codes = [code for code, label in enumerate(column.vocabulary.labels) if label not in private]
    others = Vocabulary(tuple(column.vocabulary.labels[code] for code in codes))
    return attach_sensitive(hierarchy_for(spec, others, column.name, column.occurrences[codes]), sensitive)


def _relational_hierarchy(spec: Hierarchy | str, column: CategoricalColumn | NumericColumn) -> Hierarchy | None:
    numeric = isinstance(column, NumericColumn)
    if spec in (RANGE, VALUES):
        if numeric != (spec == RANGE):
            fix = (
                Fix({"hierarchy": {column.name: RANGE}})
                if numeric
                else Fix({"numeric": [column.name]}, "for ranges, add")
            )
            msg = f"{hierarchy_of(column.name, spec)}: the column contains {'numbers' if numeric else 'text'}"
            raise InputError(msg, fixes=[fix])
        return None
    if isinstance(column, NumericColumn):
        problem = f"{hierarchy_of(column.name)}: the column is numeric and generalizes to ranges"
        raise InputError(f"{problem}; to use a hierarchy, remove it from {setting('numeric')}")
    hierarchy = hierarchy_for(spec, column.vocabulary, column.name, column.occurrences)
    return _named_by_members(hierarchy, column.name) if hierarchy.unnamed else hierarchy


def _named_by_members(hierarchy: Hierarchy, name: str) -> Hierarchy:
    """Return a hierarchy in which each unnamed node is named by the values below it, such as ``(a,b,c)``.

    Raises
    ------
    InputError
        If readers could not recognize the values in a name.
    """
    if invalid := next((label for label in hierarchy.leaves.labels if set(label) & set("(,)")), None):
        raise InputError(
            f"hierarchy of {name!r}: value {datum(invalid)} contains a comma or parenthesis, but sets of values are "
            "published as (a,b,c); rename the value, or give a hierarchy with named nodes"
        )
    labels = list(hierarchy.labels)
    for node, label in enumerate(hierarchy.labels):
        if label in hierarchy.unnamed:
            labels[node] = set_label(hierarchy.members(node))
    unnamed = frozenset(labels) - frozenset(hierarchy.labels)
    return replace(hierarchy, labels=tuple(labels), unnamed=unnamed, rival=None)


def require_sensitive(model: PrivacyModel, column: SetColumn | None) -> None:
    """Reject a diversity model without sensitive items, or with items that the column does not contain.

    Any model is accepted for a column without items.

    Raises
    ------
    InputError
        The message names the item, and the most similar item of the column.
    """
    named = model.secrets
    if column is None or not len(column.codes):
        return
    if model.needs_secrets and not named:
        msg = f"model {model.name} requires at least one sensitive item; name it with {setting('sensitive_items')}"
        raise InputError(msg)
    labels = [label for label, count in zip(column.vocabulary.labels, column.occurrences, strict=True) if count]
    occurring = set(labels)
    unknown = [label for label in named if label not in occurring]
    if unknown:
        like = get_close_matches(unknown[0], labels, 1, 0.0) if len(labels) <= MOST_COMPARED else []
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        hint = f" (most similar item: {datum(like[0])})" if like else ""
        raise InputError(
            f"column {column.name!r} does not contain sensitive item {typed(unknown[0])}{more}{hint}; "
            f"remove items that do not occur from {setting('sensitive_items')}"
        )


_IN_WORDS: Mapping[Part, str] = {
    "items": "the set-valued column",
    "relational": "the relational columns",
    "sensitive": "the link between ids and the sensitive column",
}


def unprotected(table: Table, model: PrivacyModel) -> list[str]:
    """Return the columns in roles that a model does not protect. Only buckets publish ids."""
    sets = () if table.transactions is None or "items" in model.protects else (table.transactions,)
    relational = () if "relational" in model.protects else table.relational
    sensitive = () if table.sensitive is None or "sensitive" in model.protects else (table.sensitive,)
    return [column.name for column in (*sets, *relational, *sensitive)]


def require_roles(table: Table, model: PrivacyModel) -> None:
    """Reject columns that the model would leave unprotected without an explicit declaration.

    Raises
    ------
    InputError
        The message names the unprotected columns.
    """
    if columns := unprotected(table, model):
        protected = " and ".join(text for part, text in _IN_WORDS.items() if part in model.protects)
        msg = f"model {model.name} protects only {protected}, not {', '.join(map(repr, columns))}"
        name = model.sensitive_column or (None if table.sensitive is None else table.sensitive.name)
        sensitive = name if "sensitive" not in model.protects else None
        sets = None if table.transactions is None else table.transactions.name
        others = columns if sensitive is None else [column for column in columns if column not in (sensitive, sets)]
        if sensitive is not None and table.transactions is not None:
            joined = [*table.item_columns, sensitive]
            example = spelled({"model": "klm", "items": joined, "sensitive_items": None})
            values = f"{prefixed(sensitive, 'VALUE')},..."
            msg += f"; to protect {sensitive!r} from attackers who know items: {example} {values}"
        fixes = [] if sensitive is None else [Fix({"drop": [sensitive]}, f"to remove {sensitive!r}")]
        if others:
            them = "these columns" if others == columns else ", ".join(map(repr, others))
            msg += f"; {setting('keep')} publishes {them} unchanged"
            fixes.append(Fix({"drop": others}, f"to remove {them}"))
        if sensitive is not None and table.transactions is None and table.relational:
            fixes.insert(0, Fix({"model": "kl", "l": SIZES["l"]}, f"to protect {sensitive!r}"))
        raise InputError(msg, fixes=fixes)


def with_as_is(table: Table, names: str | Collection[str] | None) -> Table:
    """Return the table with further columns that the owner declares to publish unchanged. A column may be declared even
    if it causes no finding.

    Raises
    ------
    InputError
        If a column is not published.
    """
    columns = (*table.ids, *table.relational, *table.kept, *(() if table.sensitive is None else (table.sensitive,)))
    published_names = (*table.item_columns, *(column.name for column in columns))
    named = names_in(published_names, names)
    if unknown := [name for name in named if name not in published_names]:
        raise InputError(
            f"{setting('publish_as_is')} names {unknown[0]!r}; the published columns are {names_shown(published_names)}"
        )
    if not named:
        return table
    every = tuple(dict.fromkeys((*table.statements.publish_as_is, *named)))
    return replace(table, statements=replace(table.statements, publish_as_is=every))


def require_table(data: object) -> None:
    """Reject any argument that is not a table.

    Raises
    ------
    InputError
        The message names the type of the argument, and how to convert it to a table.
    """
    if not isinstance(data, Table):
        raise InputError(f"the data must be a table, got {type(data).__name__}; convert them with anonset.read")
