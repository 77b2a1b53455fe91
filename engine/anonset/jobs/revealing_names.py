"""Published names of items and groups that may reveal facts about persons."""

import re
from collections.abc import Collection, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import chain, combinations

import numpy as np

from anonset.columns.headers import is_sensitive
from anonset.columns.kinds import kind_of_values
from anonset.columns.personal_values import (
    KINDS,
    are_names,
    names_in,
    personal_kind,
)
from anonset.columns.roles import CODE_LEVELS
from anonset.columns.rules import are_personal
from anonset.data import Column, NumericColumn, SetColumn, Table
from anonset.data.array_types import Int64
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE, OF_LABELS, RANGE, VALUES, is_rule
from anonset.data.joining import prefixed
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.shares import percent
from anonset.privacy import PrivacyModel
from anonset.publications import Buckets, Published, Records
from anonset.release.scan.findings import few_persons
from anonset.settings.binding import HierarchySpec
from anonset.spelling import counted, listed

MOST_NAMED = 8
"""Maximum number of groups or items that a doubt names."""
MOST_OF_RARE = 2
"""Maximum number of records of an item whose name may reveal persons."""


@dataclass(frozen=True)
class RareValues(RedactedRepr):
    """Values of a column that few records have (`few_persons`)."""

    column: str
    distinct: int
    """Number of different values of the column."""
    occurrences: Mapping[str, int] = field(repr=False)
    """Number of records of each rare value, the rarest first."""
    unchanged: bool = False
    """Whether these values are published unchanged, because the model does not generalize them."""
    are_personal: bool = False
    """Whether the values are names, contact data or free text, which a report does not print."""


def rare_leaves(
    publication: Published, original: SetColumn | None, hierarchies: Mapping[str, HierarchySpec]
) -> dict[str, int]:
    """Return the number of records of each rare leaf that the codebook names in a group of an own hierarchy, those that
    seem sensitive first.
    """
    if not isinstance(publication, Records) or original is None:
        return {}
    own = tuple(prefixed(name, "") for name in publication.joined if _is_own(hierarchies.get(name)))
    own = own if publication.joined else ("",) if _is_own(hierarchies.get(original.name)) else ()
    records = dict(zip(original.vocabulary.labels, original.occurrences.tolist(), strict=True))
    groups = [one.members for one in publication.symbols if one.kind == "node"]
    found = {
        leaf: n
        for leaf in dict.fromkeys(chain(*groups))
        if (n := records.get(leaf, 0)) <= MOST_OF_RARE and leaf.startswith(own) and own and _is_name(leaf)
    }
    return {leaf: found[leaf] for leaf in sorted(found, key=lambda leaf: (not is_sensitive(leaf), found[leaf]))}


def rare_values(publication: Published, original: Table | None, model: PrivacyModel) -> tuple[RareValues, ...]:
    """Return the rare values of each column that a model generalizes, which only the original shows, and of each column
    that is published unchanged.

    >>> from anonset.generalization import ItemGroups, apply
    >>> from anonset.privacy import KmAnonymity
    >>> table = Table.from_sets([{"a", "b"}, {"a"}, {"a", "c"}, {"c"}])
    >>> published = apply(table, ItemGroups(table.transactions.vocabulary, np.array([0, 1, 1], np.int32)))
    >>> found, = rare_values(published, table, KmAnonymity(2, 1))
    >>> found.column, found.distinct, dict(found.occurrences), found.unchanged
    ('items', 3, {'b': 1}, False)
    """
    before = [] if original is None or model.k is None else [
        *([original.transactions] if original.transactions is not None and "items" in model.protects else []),
        *(original.relational if "relational" in model.protects else ()),
    ]  # fmt: skip
    found = [_rare(column, *_counts(column), model, unchanged=False) for column in before]
    found += [_rare(column, *_counts(column), model, unchanged=True) for column in getattr(publication, "kept", ())]
    if isinstance(publication, Buckets):
        values = publication.snt_value
        counts = np.bincount(values.codes, publication.snt_count, len(values.vocabulary)).astype(np.int64)
        found.append(_rare(values, values.vocabulary.labels, counts, model, unchanged=True))
    elif isinstance(publication, Records) and (items := publication.transactions) is not None:
        labels, counts = _counts(items)
        if "items" in model.protects:  # the model does not generalize sensitive items
            counts = np.where([label in model.secrets for label in labels], counts, 0)
        found.append(_rare(items, labels, counts, model, unchanged=True))
    return tuple(one for one in found if one.occurrences)


def _counts(column: Column | SetColumn) -> tuple[Sequence[str], Int64]:
    """Return the values of a column, and the number of records with each, int64 (values,)."""
    if isinstance(column, NumericColumn):
        values, counts = np.unique(np.asarray(column.values), return_counts=True)
        return [f"{value:g}" for value in values], counts
    return column.vocabulary.labels, np.asarray(column.occurrences)


def _rare(
    column: Column | SetColumn, labels: Sequence[str], counts: Int64, model: PrivacyModel, *, unchanged: bool
) -> RareValues:
    order = [code for code in np.argsort(counts, kind="stable").tolist() if 0 < counts[code] < few_persons(model)]
    rare = {labels[code]: int(counts[code]) for code in order if labels[code] not in NO_VALUE}
    given = np.flatnonzero(counts) if rare and not isinstance(column, NumericColumn) else counts[:0]
    is_set, values = isinstance(column, SetColumn), [labels[code] for code in given.tolist()]
    personal = bool(values) and are_personal(
        column.name, values, counts[given], is_set=is_set, may_differ=not unchanged
    )
    return RareValues(column.name, int(np.count_nonzero(counts)), rare, unchanged, personal)


def names_of_groups(
    publication: Published, original: Table | None = None, rare: Sequence[RareValues] = ()
) -> dict[str, str]:
    """Return the names of published groups that may reveal facts about persons, those that seem sensitive first, each
    with a rare value that it contains as words, or an empty text.

    These are the names of item groups, unless they are the beginning of all items of the group, and the labels of
    attributes that seem sensitive, or consist of numbers and words, because values of attributes look like groups. With
    the original, these are also the labels of attributes that contain a rare value. A name has at least 3 letters.
    """
    if not isinstance(publication, Records):
        return {}
    known = {} if original is None else {one.name: getattr(one, "vocabulary", None) for one in original.relational}
    sets, found = {one.label for one in publication.value_sets}, dict[str, str]()
    rare_of = {
        one.column: {_words(value): value for value in one.occurrences if _is_name(value) or _is_code(value)}
        for one in rare
    }
    nodes = {one.label: one.members for one in publication.symbols if one.kind == "node"}
    of_items = rare_of.get("" if publication.transactions is None else publication.transactions.name, {})
    for column in publication.relational:
        before = known.get(column.name)
        for label in column.vocabulary.labels:
            if label in sets or not _is_name(label) or label.endswith("*"):
                continue
            is_value = before is not None and label in before.index
            value = "" if is_value else _contained(label, rare_of.get(column.name, {}))
            if value or is_sensitive(label) or (re.search(r"\d", label) and _WORD(label)):
                found[label] = value
    marks = [prefixed(name, "") for name in publication.joined]
    for label, members in nodes.items():
        mark = next((one for one in marks if label.startswith(one)), "")
        if _is_name(label.removeprefix(mark)) and not _is_beginning(label, members):
            found[label] = _contained(label, of_items)
    return {name: found[name] for name in sorted(found, key=lambda name: (not found[name], not is_sensitive(name)))}


_WORD = re.compile(r"[^\W\d_A-Z]{3}").search
"""A word, and no code such as ABC12."""


def _contained(label: str, rare: Mapping[tuple[str, ...], str]) -> str:
    """Return the rare value that a label contains as words, or an empty text."""
    words = _words(label) if rare else ()
    parts = (words[a:b] for a, b in combinations(range(len(words) + 1), 2))
    return next((rare[part] for part in parts if part in rare), "")


def _is_own(spec: HierarchySpec | None) -> bool:
    """Return True if the owner wrote the names of the groups of a hierarchy."""
    by_program = isinstance(spec, str) and (spec in (RANGE, VALUES) or spec.startswith(OF_LABELS))
    return not (spec is None or is_rule(spec) or by_program)


def _is_beginning(label: str, members: Sequence[str]) -> bool:
    """Return True if the name of a group is the beginning of all its items, and thus reveals nothing more."""
    begin = label.rstrip("*")
    return begin != label and bool(members) and all(one.startswith(begin) for one in members)


def _is_name(text: str) -> bool:
    return text[:1] not in ("(", "[") and len(re.sub(r"[\W\d_]", "", text)) > 2


def _is_code(text: str) -> bool:
    """Return True if a value contains letters and digits, such as ``B20``, and is no range."""
    return text[:1] not in ("(", "[") and len(text) > 2 and bool(re.search(r"[^\W\d_].*\d|\d.*[^\W\d_]", text))


def sensitive_items(items: Mapping[str, Sequence[str]], columns: Collection[str] | None = None) -> dict[str, str]:
    """Return what the items are by column, for items that are codes of diagnoses or drugs, or have sensitive names such
    as columns of 0 and 1.

    Parameters
    ----------
    columns
        The only items to name, because they are names of columns. None to name all.
    """
    found = {}
    for name, labels in items.items():
        if (kind := kind_of_values(labels)) in CODE_LEVELS:
            found[name] = f"look like {kind}"
        elif (sensitive := [one for one in labels if is_sensitive(one)]) and not are_names(labels):
            sensitive = [one for one in sensitive if one not in {*names_in(labels)}]
            named = [repr(one) for one in sensitive if columns is None or one in columns]
            words = listed(named, "and", MOST_NAMED) if named else counted(len(sensitive), "item")
            found |= {name: f"seem sensitive ({words})"} if sensitive else {}
    return found


def personal_items(publication: Published, declared: Collection[str], *, shown: bool) -> dict[str, str]:
    """Return the kind, number and share of the published items that name or reach persons, by column. Of columns that
    are not declared, only names are counted, because a publication contains no other such items. They are `shown` to
    the owner alone. Values of unchanged columns are counted if they are declared.
    """
    found = {}
    for name, labels in labels_of(publication).items():
        if name not in declared:
            if full := names_in(labels):
                names = f" ({listed([repr(one) for one in full], 'and', MOST_NAMED)})" if shown else ""
                found[name] = f"{_of(full, labels)} may name persons{names}"
            continue
        kind, n = personal_kind(labels) or ("name", len(names_in(labels)))
        if n:
            found[name] = f"{_of(range(n), labels)} look like {KINDS[kind].words}"
    for column in publication.kept if isinstance(publication, Records) else ():
        if column.name in declared and (personal := personal_kind(values := column.vocabulary.labels)):
            kind, n = personal
            found[column.name] = f"{_of(range(n), values, 'values')} look like {KINDS[kind].words}"
    return found


def _of(some: Sized, labels: Sized, what: str = "items") -> str:
    return f"{len(some):,} of the {len(labels):,} {what} ({percent(len(some) / len(labels))})"


def labels_of(publication: Published) -> dict[str, list[str]]:
    """Return the items that the codebook names, by column. Empty without items."""
    if not isinstance(publication, Records) or publication.transactions is None:
        return {}
    members = dict.fromkeys(name for symbol in publication.symbols for name in symbol.members)
    marks = {name: prefixed(name, "") for name in publication.joined} or {publication.transactions.name: ""}
    return {name: [one.removeprefix(mark) for one in members if one.startswith(mark)] for name, mark in marks.items()}


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", text.casefold()))
