"""Change the codes of a table to leaves of the hierarchies by the rules in its reading options. Codes that no rule
changes are errors.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

from anonset.columns.personal_values import are_rare, personal_kind
from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table, Vocabulary
from anonset.data.hierarchies.code_fitting import (
    UNSPECIFIED,
    Misfit,
    has_unspecified,
    inner_labels,
    longest_prefix,
    misfits,
    nodes_of,
    root_of,
    with_missing_value,
    with_unspecified,
)
from anonset.data.hierarchies.hierarchy_rules import MISSING_VALUE, RANGE, VALUES, coarser, is_rule, odd_labels
from anonset.data.joining import prefixed
from anonset.data.table_facts import COARSENED, Change, CodeRules
from anonset.errors import Fix, HierarchyError, InputError, Problem, datum, foreign
from anonset.personal_text import hidden
from anonset.reading.cells.normalizing import applied, change_of, recategorize, relabel
from anonset.reading.hierarchies.date_forms import naming_date_form
from anonset.reading.hierarchies.specs import hierarchy_of_labels, is_refined, refine
from anonset.spelling import counted, setting

_SHOWN, _FEW_RECORDS = 20, 5
MOST_COMPARED = 10_000
"""Maximum number of labels among which a message suggests the most similar label."""
_NUMBER = re.compile(r"[-+]?\d{1,18}(\.\d{1,18})?")
_TRIED = (
    ("upper",),
    ("lower",),
    ("strip-dots",),
    ("strip-hyphens",),
    ("strip-blanks",),
    ("strip-zeros",),
    ("nfc",),
    ("upper", "strip-dots"),
    ("lower", "strip-dots"),
)
"""Combinations of normalization rules that error messages may recommend for codes that are not leaves."""
SUPPRESSED = "unknown suppress"
"""Rule of a change that removes labels."""


class HierarchyLabels(NamedTuple):
    """Labels of a column that must be leaves of a hierarchy. If several columns are joined into the items, this may be
    one of them.
    """

    name: str
    labels: tuple[str, ...]
    occurrences: list[int]
    mark: str = ""
    """Prefix of each label in the joined column."""
    of_items: bool = True
    """True if the labels are items, False if they are relational values."""


def fit_codes(
    table: Table, hierarchies: Mapping[str, Hierarchy | str], sensitive: Sequence[str]
) -> tuple[Table, dict[str, Hierarchy | str]]:
    """Fit a table to the hierarchies, and record the changes in the table.

    Parameters
    ----------
    sensitive
        Sensitive items, which are not in the hierarchy.

    Raises
    ------
    HierarchyError
        If labels of a column are not leaves and no rule covers them.
    """
    fitted_specs, rules = dict(hierarchies), table.rules
    fits = False
    for name, spec in hierarchies.items():
        part = part_of(table, name, sensitive)
        if part is not None and isinstance(spec, str) and is_rule(spec):
            fits = fits or table.rules.unknown == "suppress"
            table = _fit_to_rule(table, part, spec)
        tree = None if part is None or spec in (RANGE, VALUES) else hierarchy_of_labels(spec)
        if part is None or tree is None:
            continue
        if part.of_items and "" in tree.leaves.index:
            msg = f"hierarchy of {name!r}: a line begins with an empty leaf, but items are never empty; name the leaf"
            raise HierarchyError(msg, column=name)
        table, fitted_tree, unfit_labels = fit_part(table, part, tree)
        fitted_specs[name] = fitted_tree
        fits = True
        if unfit_labels:
            raise HierarchyError(refusal(part, unfit_labels, tree), column=name, count=len(unfit_labels))
        if is_refined(spec) and (fitted := part_of(table, name, sensitive)) is not None:
            counts = np.array(fitted.occurrences, np.int64)
            fitted_specs[name] = refine(fitted_tree, Vocabulary(fitted.labels), counts)
    if rules != CodeRules() and not fits:
        option = setting("unknown") if rules.inner_items == "error" else setting("inner_items")
        raise InputError(f"{option} requires a hierarchy file or a rule; give a hierarchy or remove the option")
    return replace(table, rules=CodeRules()), fitted_specs


def _fit_to_rule(table: Table, part: HierarchyLabels, spec: str) -> Table:
    """Replace values that are finer than the leaves of a rule. Suppress values that the rule rejects, if the reading
    options allow this.
    """
    rejected = odd_labels(spec, part.labels, part.name) if table.rules.unknown == "suppress" else []
    if rejected:
        to = None if part.of_items else MISSING_VALUE
        table = _changed(table, part, SUPPRESSED, dict.fromkeys(rejected, to))
    remaining = [label for label in part.labels if label not in rejected]
    with naming_date_form(spec, remaining, part.name):
        coarse = coarser(spec, remaining, part.name)
    return _changed(table, part, f"{COARSENED}{spec}", dict(coarse)) if coarse else table


def fit_part(table: Table, part: HierarchyLabels, tree: Hierarchy) -> tuple[Table, Hierarchy, list[Misfit]]:
    """Change the labels of a column to leaves of the hierarchy by the rules of the table. Return the changed table, the
    hierarchy, and the labels that are still not leaves.
    """
    extended = with_unspecified(tree) if table.rules.inner_items == "leaf" and not has_unspecified(tree) else tree
    extended = extended if part.of_items else with_missing_value(extended, part.labels)
    wrong = misfits(extended, part.labels, part.occurrences)
    categories = part.name in {column.name for column in table.relational}
    images = _images(wrong, extended, table.rules, categories=categories)
    for rule, image in images.items():
        table = _changed(table, part, rule, image)
    return table, extended, [misfit for misfit in wrong if not any(misfit.label in image for image in images.values())]


def part_of(table: Table, name: str, sensitive: Sequence[str] = ()) -> HierarchyLabels | None:
    """Return the labels of the column `name`, or None if the table has no such column."""
    sets = table.transactions
    for column in table.relational:
        if column.name == name and isinstance(column, CategoricalColumn):
            return HierarchyLabels(name, tuple(column.vocabulary.labels), column.occurrences.tolist(), of_items=False)
    if sets is None or name not in (sets.name, *table.joined):
        return None
    private = frozenset(sensitive)
    mark = prefixed(name, "") if name in table.joined and name != sets.name else ""
    counted = zip(sets.vocabulary.labels, sets.occurrences.tolist(), strict=True)
    label_counts = [(x.removeprefix(mark), n) for x, n in counted if x.startswith(mark) and x not in private]
    return HierarchyLabels(name, tuple(label for label, _ in label_counts), [n for _, n in label_counts], mark)


def _images(
    wrong: Sequence[Misfit], tree: Hierarchy, rules: CodeRules, *, categories: bool
) -> dict[str, dict[str, str | None]]:
    images: dict[str, dict[str, str | None]] = {SUPPRESSED: {}, "unknown prefix": {}, "inner-items leaf": {}}
    nodes, leaves = nodes_of(tree), tree.leaves.index
    inner = inner_labels(tree)
    for misfit in wrong:
        to, rule = misfit.label, ""
        if not misfit.inner and rules.unknown == "suppress" and not categories:
            images[SUPPRESSED][misfit.label] = None
            continue
        if not misfit.inner and rules.unknown == "prefix":
            to, rule = longest_prefix(misfit.label, nodes) or misfit.label, "unknown prefix"
        if to in inner and rules.inner_items == "leaf":
            to, rule = f"{to}{UNSPECIFIED}", rule or "inner-items leaf"
        if rule and to in leaves:
            images[rule][misfit.label] = to
    return {rule: image for rule, image in images.items() if image}


def _changed(table: Table, part: HierarchyLabels, rule: str, image: Mapping[str, str | None]) -> Table:
    sets = table.transactions
    if sets is not None and part.name in (sets.name, *table.joined):
        moved = {f"{part.mark}{old}": None if new is None else f"{part.mark}{new}" for old, new in image.items()}
        change = replace(change_of(sets, rule, moved), column=part.name)
        return replace(table, transactions=relabel(sets, moved, table.store), changes=(*table.changes, change))
    columns, change = [], Change(part.name, rule, 0, 0)
    for column in table.relational:
        if column.name == part.name and isinstance(column, CategoricalColumn):
            change = change_of(column, rule, image)
            replaced = {old: new for old, new in image.items() if new is not None}
            column = recategorize(column, replaced, table.store)
        columns.append(column)
    return replace(table, relational=tuple(columns), changes=(*table.changes, change))


def refusal(part: HierarchyLabels, wrong: Sequence[Misfit], tree: Hierarchy) -> Problem:
    """Return the problem of labels that are not leaves. It shows the most frequent of these labels, and recommends
    settings.
    """
    ordered = sorted(wrong, key=lambda misfit: -misfit.occurrences)
    labels = ", ".join(f"{datum(misfit.label)} ({_kind(misfit)})" for misfit in ordered[:_SHOWN])
    more = f" and {len(wrong) - _SHOWN:,} more (anonset hierarchy check lists all)" if len(wrong) > _SHOWN else ""
    if not part.of_items and are_rare(part.labels, part.occurrences, _FEW_RECORDS):
        labels, more = f"hidden, because most belong to fewer than {_FEW_RECORDS} records each", ""
    elif personal_kind(part.labels) or any(hidden(misfit.label) for misfit in ordered[:_SHOWN]):
        labels, more = "hidden, because some look like a name or an id", ""
    number = f"{counted(len(wrong), 'label')} of the data {'is not a leaf' if len(wrong) == 1 else 'are not leaves'}"
    ways, fixes = label_remedies(part, wrong, tree)
    return Problem("; ".join([f"hierarchy of {part.name!r}: {number}: {labels}{more}", *ways]), fixes)


def _kind(misfit: Misfit) -> str:
    return f"{'inner node' if misfit.inner else 'missing'}, {counted(misfit.occurrences, 'record')}"


def label_remedies(part: HierarchyLabels, wrong: Sequence[Misfit], tree: Hierarchy) -> tuple[list[str], list[Fix]]:
    """Return advice, and the settings that together turn the labels into leaves. If two fixes contain the same setting,
    the first changes less.
    """
    best, names = max(((_made_leaves(part, rules, tree), rules) for rules in _TRIED), key=lambda trial: trial[0])
    start = "" if part.of_items and not part.mark else f"{part.name}="
    rules = Fix({"normalize": [f"{start}{rule}" for rule in names]}, f"to fit {counted(best, 'label')}")
    if best == len(wrong):
        return [], [replace(rules, effect="")]
    if not part.of_items and any(not misfit.label for misfit in wrong):
        line = f"for empty cells, add the line {foreign(f',{root_of(tree)}')} to the hierarchy"
        fix = Fix({"null": [f"{part.name}="], "missing": "value"}, "to publish empty cells as '?'")
        others = [misfit for misfit in wrong if misfit.label]
        ways, fixes = label_remedies(part, others, tree) if others else ([], [])
        return [line, *ways], [fix, *fixes]
    labels = tuple(applied(names if best else (), misfit.label) for misfit in wrong)
    left = misfits(tree, labels, [misfit.occurrences for misfit in wrong])
    unknown = [misfit for misfit in left if not misfit.inner]
    nodes, ways, fixes = nodes_of(tree), list[str](), [rules] if best else []
    prefixes = [longest_prefix(misfit.label, nodes) for misfit in unknown]
    by_prefix = bool(unknown) and all(prefixes)
    below = {} if {*prefixes} <= {*tree.leaves.labels} else {"inner_items": "leaf"}
    if by_prefix:
        effect = "to replace missing codes by their longest known prefix"
        fixes.append(Fix({**below, "unknown": "prefix"}, effect))
    if len(unknown) < len(left):
        fixes.append(Fix({"inner_items": "leaf"}, "to add leaves below inner nodes"))
    if unknown and (way := _way_to_write(unknown, tree)):
        ways.append(way)
    elif unknown and part.of_items:
        fixes.append(Fix({"unknown": "suppress"}, "to remove missing items"))
    elif unknown:
        ways.append("add missing values to the hierarchy")
    return ways, fixes


def _way_to_write(unknown: Sequence[Misfit], tree: Hierarchy) -> str:
    """Return how the leaves must be written if most missing labels are equal to leaves as numbers, as 20 and 20.0 are.
    Empty for other labels. The text contains no label of the data.
    """
    leaf_of = {number: leaf for leaf in tree.leaves.labels if (number := _number_of(leaf)) is not None}
    equal = [misfit.label for misfit in unknown if _number_of(misfit.label) in leaf_of]
    if 2 * len(equal) <= len(unknown):
        return ""
    decimals = {len(label.replace(",", ".").partition(".")[2]) for label in equal}
    places = f", with {counted(max(decimals), 'decimal')}" if decimals != {0} else ", without decimals"
    form = places if len(decimals) == 1 else ""
    others = len(unknown) - len(equal)
    more = f", and add {counted(others, 'missing value')}" if others else ""
    example = datum(next(iter(leaf_of.values())))
    problem = f"the leaves are the numbers of the data in another form, such as {example}"
    return f"{problem}; write them as in the data{form}{more}"


def _number_of(label: str) -> Decimal | None:
    """Return the number that a label contains, also with a decimal comma. None for other labels."""
    text = label.strip().replace(",", ".")
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _made_leaves(part: HierarchyLabels, rules: Sequence[str], tree: Hierarchy) -> int:
    """Return the number of labels that the rules turn into leaves, or 0 if the rules would also remove a leaf."""
    leaves = tree.leaves.index
    pairs = [(label in leaves, applied(rules, label) in leaves) for label in part.labels]
    return 0 if (True, False) in pairs else pairs.count((False, True))


def nearest(misfit: Misfit, tree: Hierarchy) -> str:
    """Return the node that is most similar to a label, or an empty text if no node is similar."""
    if misfit.inner:
        return misfit.label
    nodes = sorted(nodes_of(tree))
    plain = {_plain(node): node for node in nodes}
    if node := plain.get(_plain(misfit.label)):
        return node
    if node := longest_prefix(misfit.label, set(nodes)):
        return node
    like = get_close_matches(misfit.label, nodes, 1, 0.6) if len(nodes) <= MOST_COMPARED else []
    return next(iter(like), "")


def _plain(label: str) -> str:
    return "".join(c for c in label.casefold() if c.isalnum()).lstrip("0")


def left_over(column: SetColumn, tree: Hierarchy, rules: CodeRules) -> list[dict[str, str | int]]:
    """Return the items that no rule changes to a leaf. Each has its frequency and the most similar node."""
    part = part_of(Table(column), column.name)
    unfit_labels = [] if part is None else fit_part(Table(column, rules=rules), part, tree)[2]
    return [
        {
            "item": misfit.label,
            "occurrences": misfit.occurrences,
            "is": "an inner node" if misfit.inner else "missing",
            "nearest": nearest(misfit, tree),
        }
        for misfit in sorted(unfit_labels, key=lambda misfit: -misfit.occurrences)
    ]
