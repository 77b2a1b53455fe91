"""Read and write hierarchy files. Each line contains a leaf and its ancestors, ``leaf,parent,...,root``."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from anonset.data import Hierarchy, Vocabulary
from anonset.data.hierarchies.hierarchy_rules import (
    BALANCED,
    HALVES,
    REFINE,
    RULE_NAMES,
)
from anonset.errors import HierarchyError, InputError, datum
from anonset.reading.hierarchies.amnesia import is_amnesia, is_range, rows_of_labels, rows_of_values
from anonset.reading.sources.dialect import RECOGNISED, in_utf8
from anonset.reading.sources.files import read_bytes, write_file
from anonset.spelling import hierarchy_of, similar_name

_WORDS = (*(begin.rstrip(":") for begin in (BALANCED, HALVES, REFINE)), *RULE_NAMES)
NO_LABELS = "N0_0"
"""Root of a hierarchy without labels. It is a leaf that never occurs."""
_QUOTED = re.compile(r'(?<![^,;\r\n])"[^"]*(?:""[^"]*)*"')
_LINE_ENDS = re.compile(r"[\r\n]+")


class _Line(NamedTuple):
    number: int
    path: list[str]


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Read a hierarchy file (also ``.gz`` and ``.zst``).

    Each line contains a leaf, its parent, and so on up to the root, which all lines share. Lines may differ in length.
    The separator is ``;`` if every line contains one outside quotes, and ``,`` otherwise. If only ``,`` gives a common
    root, it is ``,``. Adjacent equal labels are one node that spans several columns. A shorter line is extended by
    repeating its leaf. Children are in order of first appearance. The first line is a header if and only if its last
    field differs from the root of all other lines. Blank lines and trailing empty fields are skipped. An empty leaf is
    the leaf of empty cells.

    Raises
    ------
    InputError
        If the file cannot be read.
    HierarchyError
        If a label is both a leaf and an inner node, or has two parents, or there are two roots or a cycle, or a parent
        has no name. The message contains the line and the label.
    """
    where = Path(path)
    hierarchy = hierarchy_in(where)
    if hierarchy is None:
        raise HierarchyError(
            f"{where}: this hierarchy depends on the values of a column; pass {hierarchy_of('COL', where)} together "
            "with the data"
        )
    return hierarchy


def hierarchy_in(where: Path) -> Hierarchy | None:
    """Return the hierarchy in a file. None if the file refers to the values of a column.

    Raises
    ------
    InputError
        If the file cannot be read.
    HierarchyError
        If it contains no tree.
    """
    text = _text(where)
    if is_range(text):
        return None
    if is_amnesia(text):
        return hierarchy_of_rows(str(where), rows_of_labels(str(where), text))
    return _build(where, _lines(where, text))


def hierarchy_over(where: Path, vocabulary: Vocabulary) -> Hierarchy:
    """Return the hierarchy in a file, over the values of a column if the file refers to them.

    Raises
    ------
    InputError
        If the file cannot be read.
    HierarchyError
        If it contains no tree.
    """
    text = _text(where)
    if is_range(text):
        return hierarchy_of_rows(str(where), rows_of_values(str(where), text, vocabulary) or [[NO_LABELS]])
    return read_hierarchy(where)


def names_values(where: Path) -> bool:
    """Return True if a file refers to the values of a column, as ranges of numbers or dates do.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    return is_range(_text(where))


def hierarchy_of_rows(where: str, rows: Iterable[Sequence[str]]) -> Hierarchy:
    """Return the hierarchy built from paths from each leaf to the root.

    Raises
    ------
    HierarchyError
        If the paths do not form a tree, with the row and the label.
    """
    lines = [_Line(number, list(row)) for number, row in enumerate(rows, 1) if row]
    if not lines:
        raise HierarchyError(f"{where}: the hierarchy is empty; each row must be a leaf")
    return _build(where, lines)


def write_hierarchy(hierarchy: Hierarchy, path: str | Path) -> Path:
    """Write a hierarchy, one line per leaf. Reading the file returns the same nodes in the same order and columns.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    above = [""] * hierarchy.n_nodes  # fields after each node, from its parent to the root
    quoted = [_quoted(label) for label in hierarchy.labels]
    columns, leaf, lines = hierarchy.column_depth.tolist(), hierarchy.is_leaf.tolist(), list[str]()
    for node, parent in enumerate(hierarchy.parent.tolist()):
        if parent >= 0:  # a node that spans several columns is repeated
            above[node] = f",{quoted[parent]}" * (columns[node] - columns[parent]) + above[parent]
        if leaf[node]:
            lines.append(f"{quoted[node]}{above[node]}\n")
    return write_file(Path(path), ["".join(lines).encode()])


def _quoted(label: str) -> str:
    if label and label[0] != " " and not any(mark in label for mark in ',;"\r\n\ufeff'):
        return label
    return '"' + label.replace('"', '""') + '"'


def _text(where: Path) -> str:
    word, mark, remainder = str(where).partition(":")
    if mark and not where.exists() and (near := similar_name(word, _WORDS)) is not None:
        raise InputError(f"{where}: no such file or directory; did you mean {near}{mark}{remainder}?")
    data = in_utf8(where, read_bytes(where), RECOGNISED)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise HierarchyError(f"{where}: line {line}: the text is not valid UTF-8") from None


def _lines(where: Path, text: str) -> list[_Line]:
    bare = _QUOTED.sub("", text) if ";" in text else ""
    if not all(";" in line for line in _LINE_ENDS.split(bare) if line) or not bare.strip():
        return _without_header(_parsed(where, text, ","))
    lines = _parsed(where, text, ";")
    if _first_stray(lines) is not None:  # every line contains a semicolon, but perhaps only in labels
        by_comma = _parsed(where, text, ",")
        if _first_stray(by_comma) is None and all(len(line.path) > 1 for line in by_comma):
            return _without_header(by_comma)
    return _without_header(lines)


def _parsed(where: Path, text: str, separator: str) -> list[_Line]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True, skipinitialspace=True)
    lines, number = [], 1
    try:
        for row in rows:
            while row and not row[-1]:
                row.pop()
            if row:
                lines.append(_Line(number, row))
            number = rows.line_num + 1
    except csv.Error as error:
        raise HierarchyError(f"{where}: line {number}: {error}") from None
    if not lines:
        raise HierarchyError(f"{where}: the hierarchy is empty; each line must be a leaf")
    return lines


def _first_stray(lines: list[_Line]) -> _Line | None:
    """Return the first line whose root differs from the root of the second line. None if all roots are equal. The first
    line of the file may be a header and is ignored.
    """
    return next((line for line in lines[2:] if line.path[-1] != lines[1].path[-1]), None)


def _without_header(lines: list[_Line]) -> list[_Line]:
    if len(lines) > 1 and _first_stray(lines) is None and lines[0].path[-1] != lines[1].path[-1]:
        return lines[1:]
    return lines


def hierarchy_faults(path: str | Path) -> list[HierarchyError]:
    """Return all faults of a hierarchy file, by line. Empty if the file has no faults.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    try:
        read_hierarchy(path)
    except HierarchyError as first:
        text = _text(Path(path))
        if "line" not in first.place or is_amnesia(text):
            return [first]
        faults: list[HierarchyError] = []
        try:
            lines = _lines(Path(path), text)
            _nodes_of(_usual_root(lines), lines, lambda *fault: faults.append(_fault(path, *fault)))
        except HierarchyError:  # the text contains no separated lines
            return [first]
        return sorted(faults, key=lambda fault: int(fault.place["line"]))
    return []


def _build(where: object, lines: list[_Line]) -> Hierarchy:
    def refuse(number: int, label: str, reason: str) -> NoReturn:
        raise _fault(where, number, label, reason)

    root = lines[-1].path[-1]
    return _in_preorder(root, *_nodes_of(root, lines, refuse))


def _nodes_of(
    root: str, lines: list[_Line], report: Callable[[int, str, str], object]
) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Return the children and the column of each node. Report each fault with line, label and reason."""
    has_strays = False
    parent_of: dict[str, str] = {}
    columns: dict[str, int] = {}  # minimum number of columns between the root and the label, over all lines
    leaves: dict[str, int] = {}
    children: dict[str, list[str]] = {root: []}
    for number, fields in lines:
        path = [label for column, label in enumerate(fields) if not column or label != fields[column - 1]]
        if path[-1] != root:
            for stray, usual in () if has_strays else _second_roots(lines):
                reason = f"is a second root besides {datum(usual)}; all lines must end with the same root"
                report(stray.number, stray.path[-1], reason)
            has_strays = True
            continue
        if fault := _fault_of_path(path):
            report(number, *fault)
            continue
        leaves.setdefault(path[0], number)
        for column, (above, label) in enumerate(pairwise([None, *reversed(fields)])):
            if label != above:
                columns[str(label)] = min(columns.get(str(label), column), column)
        for child, parent in pairwise(path):
            first_parent = parent_of.get(child)
            if first_parent is None:
                parent_of[child] = parent
                children.setdefault(parent, []).append(child)
            elif first_parent != parent:
                report(number, child, f"has two parents, {datum(first_parent)} and {datum(parent)}")
    for leaf, number in leaves.items():
        if children.get(leaf):
            report(number, leaf, "is both a leaf and an inner node")
    return children, columns


def _fault_of_path(path: list[str]) -> tuple[str, str] | None:
    if len(set(path)) < len(path):
        twice = next(label for column, label in enumerate(path) if label in path[:column])
        return twice, "is an ancestor of itself (a cycle)"
    if "" in path[1:]:
        below = datum(path[path.index("", 1) - 1])
        return "", f"is the parent of {below}; parents must have a label"
    return None


def _second_roots(lines: list[_Line]) -> list[tuple[_Line, str]]:
    """Return the lines whose root differs from the most frequent root, each with the most frequent root. Line 1 is
    ignored because it may be a header.
    """
    usual = _usual_root(lines)
    return [(line, usual) for line in lines[1:] if line.path[-1] != usual]


def _usual_root(lines: list[_Line]) -> str:
    count = Counter(line.path[-1] for line in lines)
    return max(count, key=count.__getitem__)


def _in_preorder(root: str, children: dict[str, list[str]], columns: dict[str, int]) -> Hierarchy:
    labels, parents, stack = list[str](), list[int](), [(root, -1)]
    while stack:
        label, parent = stack.pop()
        stack.extend((child, len(labels)) for child in reversed(children.get(label, ())))
        labels.append(label)
        parents.append(parent)
    return Hierarchy.from_preorder(labels, np.array(parents, np.int64), [columns[label] for label in labels])


def _fault(where: object, number: int, label: str, reason: str) -> HierarchyError:
    return HierarchyError(f"{where}: line {number}: label {datum(label)} {reason}", line=number)
