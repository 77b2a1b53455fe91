"""Recommend settings that change codes of the data to leaves of the hierarchy."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonset.data import Hierarchy, Table
from anonset.data.hierarchies.code_fitting import longest_prefix, misfits, nodes_of
from anonset.data.hierarchies.hierarchy_rules import MISSING_VALUE, is_rule, odd_labels
from anonset.errors import Fix, Problem
from anonset.reading.cells.normalizing import RULES
from anonset.reading.hierarchies.specs import hierarchy_of_labels
from anonset.settings.fitting import TRIED, HierarchyLabels, made_leaves, null_of, part_of
from anonset.spelling import counted


def remedy_for(table: Table, column: str, hierarchy: Any) -> tuple[Problem, float] | None:
    """Return settings that change the labels of a column to leaves of its hierarchy, and the share of all item
    occurrences or values that the settings suppress. Return None if all labels are leaves, or if no settings achieve
    this.

    The settings are ``normalize``, ``inner_items``, ``unknown``, ``null`` and ``missing``.

    Raises
    ------
    InputError
        If the hierarchy is invalid.
    """
    if not isinstance(hierarchy, (str, Path, Hierarchy)):
        return None
    part = part_of(table, column)
    if part is not None and isinstance(hierarchy, str) and is_rule(hierarchy):
        return _remedy_for_rule(part, hierarchy)
    tree = None if part is None else hierarchy_of_labels(hierarchy)
    if part is None or tree is None or not (wrong := misfits(tree, part.labels, part.occurrences)):
        return None
    if not part.of_items and [misfit.label for misfit in wrong] == [""] and MISSING_VALUE not in part.labels:
        return _remedy(column, null_of(column), (1, len(part.labels), 0), 0.0)
    gain, rules = max(((made_leaves(part, rules, tree), rules) for rules in TRIED), key=lambda trial: trial[0])
    labels = list(part.labels)
    for rule in rules if gain else ():
        labels = [RULES[rule](label) for label in labels]
    unfit_labels = misfits(tree, tuple(labels), part.occurrences)
    start = "" if part.of_items and not part.mark else f"{part.name}="
    changes: dict[str, str | list[str]] = {"normalize": [f"{start}{rule}" for rule in rules]} if gain else {}
    nodes, unknown = nodes_of(tree), [misfit for misfit in unfit_labels if not misfit.inner]
    prefixes = [longest_prefix(misfit.label, nodes) for misfit in unknown]
    by_prefix = bool(unknown) and all(prefixes)
    if len(unknown) < len(unfit_labels) or (by_prefix and not {*prefixes} <= set(tree.leaves.labels)):
        changes["inner_items"] = "leaf"
    if unknown and not by_prefix and not part.of_items:
        return None
    if unknown:
        changes["unknown"] = "prefix" if by_prefix else "suppress"
    suppressed = [] if by_prefix else unknown
    lost = sum(misfit.occurrences for misfit in suppressed) / max(1, sum(part.occurrences))
    return _remedy(column, changes, (len(wrong), len(labels), len(suppressed)), lost)


def _remedy(
    column: str, settings: Mapping[str, str | list[str]], counts: tuple[int, int, int], lost: float
) -> tuple[Problem, float]:
    """Return a problem with its remedy. `counts` are the labels that are no leaves, all labels, and the suppressed
    labels.
    """
    misfits, labels, left_out = counts
    are = "is not a leaf" if misfits == 1 else "are not leaves"
    loss = f"with {counted(left_out, 'value')} suppressed ({lost:.1%} of the occurrences)" if left_out else ""
    problem = f"hierarchy of {column!r}: {misfits:,} of {counted(labels, 'label')} {are}"
    return Problem(problem, [Fix(settings, loss)]), lost


def _remedy_for_rule(part: HierarchyLabels, rule: str) -> tuple[Problem, float] | None:
    rejected = frozenset(odd_labels(rule, part.labels, part.name))
    if not rejected:
        return None
    counts = zip(part.labels, part.occurrences, strict=True)
    lost = sum(count for label, count in counts if label in rejected) / max(1, sum(part.occurrences))
    return _remedy(part.name, {"unknown": "suppress"}, (len(rejected), len(part.labels), len(rejected)), lost)
