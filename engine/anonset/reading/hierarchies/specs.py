"""Specifications of hierarchies: a file, a rule, or a tree built from the labels and frequencies of a column."""

from pathlib import Path

import numpy as np

from anonset.data import Hierarchy, Vocabulary
from anonset.data.array_types import Int64
from anonset.data.hierarchies.halves import HALVED_BY, halves, refined
from anonset.data.hierarchies.hierarchy_rules import (
    BALANCED,
    HALVES,
    OF_LABELS,
    RANGE,
    REFINE,
    VALUES,
    balanced_by_frequency,
    hierarchy_by_rule,
    is_rule,
)
from anonset.errors import HierarchyError
from anonset.reading.hierarchies.date_forms import naming_date_form
from anonset.reading.hierarchies.files import NO_LABELS, hierarchy_in, hierarchy_over, names_values
from anonset.reading.hierarchies.frequencies import read_frequencies

_LONGEST_FANOUT = 30
"""Maximum number of digits of a fan-out. Larger numbers exceed the possible number of labels."""


def split_spec(spec: str) -> tuple[str, str]:
    """Return the prefix and the file path of a specification. The path is empty if there is no file.

    >>> split_spec("icd.csv"), split_spec("refine:icd.csv"), split_spec("halves:frequency@last.dat")
    (('', 'icd.csv'), ('refine:', 'icd.csv'), ('halves:frequency@', 'last.dat'))
    >>> split_spec("balanced:5"), split_spec("values")
    (('balanced:5', ''), ('values', ''))
    """
    if spec.startswith(REFINE):
        return REFINE, spec.removeprefix(REFINE)
    if spec.startswith(HALVES):
        by, mark, path = spec.partition("@")
        return by + mark, path
    if spec in (RANGE, VALUES) or _is_made(spec):
        return spec, ""
    return "", spec


def is_refined(spec: str | Path | Hierarchy) -> bool:
    """Return True if a specification inserts binary trees into the tree of a file."""
    return isinstance(spec, str) and spec.startswith(REFINE)


def is_over_data(spec: str | Path | Hierarchy) -> bool:
    """Return True if a specification builds a hierarchy from the labels of the data. Only files of labels do not use
    the data.

    Raises
    ------
    InputError
        If it is a file that cannot be read.
    """
    if isinstance(spec, Hierarchy):
        return False
    return _is_made(spec) or is_refined(spec) or names_values(Path(spec))


def hierarchy_of_labels(spec: str | Path | Hierarchy) -> Hierarchy | None:
    """Return the hierarchy of a specification that does not depend on the data. None for other specifications.

    Raises
    ------
    InputError
        If it is a file that cannot be read.
    HierarchyError
        If it is a file that contains no tree.
    """
    if isinstance(spec, Hierarchy):
        return spec
    if _is_made(spec):
        return None
    return hierarchy_in(Path(split_spec(spec)[1] if isinstance(spec, str) else spec))


def hierarchy_for(
    spec: str | Path | Hierarchy, vocabulary: Vocabulary, name: str, occurrences: Int64 | None = None
) -> Hierarchy:
    """Return the hierarchy of a specification, and check that it covers a column.

    Parameters
    ----------
    spec
        - a hierarchy, the path of a hierarchy file, or a rule (`anonset.data.hierarchies.hierarchy_rules`)
        - ``balanced:F``: groups `F` consecutive labels, then `F` consecutive groups, up to one root. Without labels,
          the root is ``N0_0``.
        - ``balanced:F:frequency``: groups labels with similar frequencies.
        - ``halves:frequency`` or ``halves:number``: builds a binary tree (`anonset.data.hierarchies.halves`). With
          ``@FILE``, it uses the frequencies in another file (`anonset.reading.hierarchies.frequencies`).
        - ``refine:FILE``: reads the tree of a file, and inserts a binary tree over the children of each node.
    vocabulary
        Labels of the column.
    name
        Name of the column, for messages.
    occurrences
        Number of records that contain each label, for trees built from frequencies, int64 (M,).

    Raises
    ------
    InputError
        If the file cannot be read.
    HierarchyError
        If the hierarchy is malformed, or a label of the column is not one of its leaves.

    Examples
    --------
    >>> hierarchy_for("balanced:2", Vocabulary(("1", "2", "3")), "items").labels
    ('N2_0', 'N1_0', '1', '2', '3')
    """
    if isinstance(spec, Hierarchy):
        hierarchy = spec
    elif isinstance(spec, str) and spec.startswith(BALANCED):
        hierarchy = _balanced(spec, vocabulary, name, occurrences)
    elif isinstance(spec, str) and spec.startswith(HALVES):
        hierarchy = _halves(spec, vocabulary, name, occurrences)
    elif is_refined(spec):
        tree = hierarchy_over(Path(split_spec(str(spec))[1]), vocabulary)
        tree.codes_of(vocabulary, name)
        return refine(tree, vocabulary, _required(occurrences, spec, name))
    elif isinstance(spec, str) and is_rule(spec):
        with naming_date_form(spec, vocabulary.labels, name):
            hierarchy = hierarchy_by_rule(spec, vocabulary, name)
    else:
        hierarchy = hierarchy_over(Path(spec), vocabulary)
    hierarchy.codes_of(vocabulary, name)
    return hierarchy


def _balanced(spec: str, vocabulary: Vocabulary, name: str, occurrences: Int64 | None) -> Hierarchy:
    fanout, colon, by = spec[len(BALANCED) :].partition(":")
    if not fanout.isdecimal() or len(fanout) > _LONGEST_FANOUT:
        shown = spec[: len(BALANCED) + _LONGEST_FANOUT]
        raise HierarchyError(f"hierarchy of {name!r}: balanced:F needs an integer of at least 2, got {shown!r}")
    if colon and by != "frequency":
        raise HierarchyError(f"hierarchy of {name!r}: after balanced:{fanout} only :frequency may follow, got {spec!r}")
    if not by or not vocabulary.labels:
        return Hierarchy.balanced(vocabulary.labels or (NO_LABELS,), int(fanout))
    return balanced_by_frequency(vocabulary.labels, _required(occurrences, spec, name), int(fanout))


def _halves(spec: str, vocabulary: Vocabulary, name: str, occurrences: Int64 | None) -> Hierarchy:
    rule, path = split_spec(spec)
    by = rule.removeprefix(HALVES).removesuffix("@")
    if by not in HALVED_BY or rule.endswith("@") != bool(path):
        ways = "halves:frequency or halves:number, optionally with @FILE as the source of the frequencies"
        raise HierarchyError(f"hierarchy of {name!r}: must be {ways}, got {spec!r}")
    labels = vocabulary.labels or (NO_LABELS,)
    if not path:
        counts = _required(occurrences, spec, name) if vocabulary.labels else np.zeros(1, np.int64)
        return halves(labels, counts, by)

    frequencies = read_frequencies(path, name)
    return halves(labels, np.array([frequencies.get(x, 0) for x in labels], np.int64), by, from_data=False)


def _required(occurrences: Int64 | None, spec: object, name: str) -> Int64:
    if occurrences is None:
        msg = f"hierarchy of {name!r}: {spec} is built from item frequencies; pass it together with the data"
        raise HierarchyError(msg)
    return occurrences


def refine(tree: Hierarchy, vocabulary: Vocabulary, occurrences: Int64) -> Hierarchy:
    """Insert a binary tree below each node of a tree. `occurrences` are the frequencies of the labels of `vocabulary`.

    Raises
    ------
    HierarchyError
        If a label is not a leaf.
    """
    counts = np.zeros(tree.n_leaves, np.int64)
    counts[tree.codes_of(vocabulary, "the data")] = occurrences
    return refined(tree, counts)


def _is_made(spec: str | Path) -> bool:
    return isinstance(spec, str) and (spec.startswith(OF_LABELS) or is_rule(spec))
