"""Combinatorial refinement. This attack derives bounds from the rounds of a local recoding, with an integer program for
each class.

In each round, `local-recoding` generalizes the remaining rows to one vector of hierarchy levels, and publishes the
classes of at least k rows. Each class is published as the lowest common values of its rows. The attack uses the
following rules, which are valid for any vectors:

1. If the boxes of classes i and j intersect, they are from different rounds, and the later class has no row in the box
   of the earlier class. If the lowest common values of i require a row in the intersection, i is earlier.
2. If i is earlier, no row of j is inside the box of i. The round of i would have published such a row in class i.
3. Rows of j that are equal at the levels of i were not published in the round of i. Therefore their number is below k.
4. Published values are lowest common values. No child of a node contains all rows of the class, and each member of a
   set is the value of at least one row. Each end of a range is the value of a row, unless ends are rounded.

These rules give a minimum and a maximum number of rows of a class below each child, for each class separately. The
bounds are correct for all inputs, with one exception: the rows that remain after the last round are fewer than k, and
may be in any class. `tests/attacks/test_combinatorial_refinement.py` enumerates all inputs of small tables.

Reference: Chhillar, Righi, Sutter, Kornaropoulos, arXiv 2509.03350. The paper attacks ARX, which publishes the levels
and orders vectors by the loss of the levels. anonset publishes lowest common values and orders vectors by the loss of
all rows, so this attack has different rules. The attack does not use the fact that a round uses the cheapest vector.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from anonset.attacks.base import AttackInput, AttackResult
from anonset.attacks.boxes import Box, Boxes, is_covered, needs_all
from anonset.attacks.downcoding import attack_random_rows, boxes_of, shares
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr

ALGORITHM = "local-recoding"
_MOST_CELLS = 1000
"""Maximum number of cells in an integer program. A cell is a combination of values."""
_MOST_PARTS = 24
"""Maximum number of children in an integer program. For a node with more children, the attack only excludes impossible
values.
"""
_TARGETS = 300
"""Maximum number of attacked rows."""
_INFEASIBLE = 2
_SECONDS = 1.0
"""Time limit of an integer program in seconds. A program that is not solved within the limit adds no bounds."""


def combinatorial_refinement(scene: AttackInput) -> tuple[AttackResult, ...] | str:
    """Infer the probability of each child of a published node. The attack targets random rows of a local recoding."""
    if scene.algorithm != ALGORITHM or scene.model.name != "k":
        return f"it reverses the rounds of {ALGORITHM} for model k, without refinement, in a single part"
    boxes = boxes_of(scene)
    if isinstance(boxes, str):
        return boxes
    rounds, sample = RefinementRounds(boxes, scene.k), replace(scene, attempts=min(scene.attempts, _TARGETS))
    knows = (
        f"the publication, its trees, and that {ALGORITHM} made it (k={scene.k}), and wants to find the finer value of "
        "a row: a child of the published node, or a member of the set"
    )
    return attack_random_rows(sample, boxes, "combinatorial-refinement", knows, rounds.child_probabilities)


@dataclass(frozen=True, eq=False)
class RefinementRounds(RedactedRepr):
    """Bounds from the rounds of a local recoding."""

    boxes: Boxes
    k: int
    _known: dict[int, set[int]] = field(default_factory=dict)

    def child_probabilities(self, number: int, column: int) -> list[float]:
        """Return the probability of each child for a row of a class. It is proportional to the mean of the minimum and
        the maximum number of rows.
        """
        return shares([float(least + most) for least, most in self.bounds(number, column)])

    def preceding_classes(self, number: int) -> Int64:
        """Return the classes that precede a class (rule 1)."""
        earlier = [other for other in self._first(number) if number not in self._first(other)]
        return np.array(earlier, np.int64)

    def _first(self, number: int) -> set[int]:
        """Return the other classes that certainly have a row inside the hull of class `number`. Without such a row, the
        published values of these classes would be finer.
        """
        if number not in self._known:
            boxes, hull = self.boxes, self.hull(number)
            inside = np.array([boxes.inside(column, values) for column, values in enumerate(hull)])
            out = (~inside).sum(axis=0)
            classes = set(np.flatnonzero(out == 0).tolist()) - {number}
            for other in np.flatnonzero(out == 1).tolist():
                a = int(inside[:, other].argmin())
                column, code = boxes.columns[a], int(boxes.code[other, a])
                values = column.symbols[code]
                if values & hull[a] and needs_all(column, code, values & ~hull[a]):
                    classes.add(other)
            self._known[number] = classes
        return self._known[number]

    def hull(self, number: int) -> Box:
        """Return the smallest sets of values that the recoding in the round of a class must have merged."""
        codes = self.boxes.code[number].tolist()
        return tuple(column.hulls[code] for column, code in zip(self.boxes.columns, codes, strict=True))

    def bounds(self, number: int, column: int) -> list[tuple[int, int]]:
        """Return the minimum and maximum number of rows of a class below each child.

        The bounds are 0 and the class size if the rules contradict each other, because the class then contains rows
        that remained after the last round.
        """
        box, parts, size = self.boxes.box(number), self.boxes.parts(number, column), int(self.boxes.size[number])
        first = self.preceding_classes(number)
        hulls = list({hull: None for hull in map(self.hull, first.tolist()) if _meet(hull, box)})
        may = [not is_covered((*box[:column], part, *box[column + 1 :]), hulls) for part in parts]
        free = [(0, size if possible else 0) for possible in may]
        if not hulls or sum(may) < 2 or len(parts) > _MOST_PARTS:
            return free if any(may) else [(0, size)] * len(parts)
        program = CellProgram.of(self, number, first, hulls)
        if program is None:
            return free
        limits = [
            program.bounds(column, part) if possible else (0, 0) for possible, part in zip(may, parts, strict=True)
        ]
        return (
            [(0, size)] * len(parts) if any(limit is None for limit in limits) else [limit for limit in limits if limit]
        )


def _meet(box: Box, other: Box) -> bool:
    return all(a & b for a, b in zip(box, other, strict=True))


@dataclass(frozen=True, eq=False)
class CellProgram(RedactedRepr):
    """Integer program for a class. A variable is the number of rows of the class in a cell of its box."""

    cells: list[Box]
    """Combinations of values outside the boxes of earlier classes. No rule separates the values of a cell."""
    size: int
    rules: LinearConstraint

    @classmethod
    def of(cls, rounds: RefinementRounds, number: int, earlier: Int64, hulls: Sequence[Box]) -> "CellProgram | None":
        """Create the program of a class. Rules about earlier classes are omitted if they would require too many
        cells.
        """
        boxes, box_of_class, size = rounds.boxes, rounds.boxes.box(number), int(rounds.boxes.size[number])
        codes = boxes.code[number].tolist()
        split = [
            _split([values], [*(box[a] for box in hulls), *column.parts[code], *(column.ends[code] or ())])
            for a, (column, code, values) in enumerate(zip(boxes.columns, codes, box_of_class, strict=True))
        ]
        if prod(map(len, split)) > _MOST_CELLS:
            return None
        split, levels = _levels_of(boxes, box_of_class, earlier, split)
        cells = [cell for cell in product(*split) if not any(_within(cell, box) for box in hulls)]
        rules = [_Rule(list(range(len(cells))), size, size)]
        for a, (column, code) in enumerate(zip(boxes.columns, codes, strict=True)):
            limits = (0, size - 1) if column.is_tree else (1, size)
            for part in column.ends[code] or column.parts[code]:
                rules.append(_Rule([cell_number for cell_number, cell in enumerate(cells) if cell[a] & part], *limits))
        rules += (_Rule(alike, 0, rounds.k - 1) for groups in levels for alike in _alike(cells, groups))
        least, most = ([rule[side] for rule in rules] for side in (1, 2))
        return cls(cells, size, LinearConstraint(_matrix(rules, len(cells)), least, most))

    def bounds(self, column: int, part: int) -> tuple[int, int] | None:
        """Return the minimum and maximum number of rows with a value in `part`. Return None if the program is
        infeasible.
        """
        goal = np.array([float(bool(cell[column] & part)) for cell in self.cells])
        limits = []
        for sign, free in ((1, 0), (-1, self.size)):
            solved = milp(
                sign * goal, integrality=np.ones(len(goal)), bounds=Bounds(0, self.size), constraints=self.rules,
                options={"time_limit": _SECONDS},
            )  # fmt: skip
            if solved.status == _INFEASIBLE:
                return None
            limits.append(free if solved.status else round(sign * solved.fun))
        return limits[0], limits[1]


class _Rule(NamedTuple):
    """Minimum and maximum number of rows in a set of cells."""

    cells: list[int]
    least: int
    most: int


def _levels_of(
    boxes: Boxes, box: Box, earlier: Int64, split: list[list[int]]
) -> tuple[list[list[int]], list[tuple[Box, ...]]]:
    """Split the values of a box by the levels of earlier classes, as long as the cell limit permits. Return the parts
    and the levels that were used.
    """
    levels = list[tuple[Box, ...]]()
    for class_number in earlier.tolist():
        groups = tuple(
            _groups(column.groups[code], values, column.exact)
            for column, code, values in zip(boxes.columns, boxes.code[class_number].tolist(), box, strict=True)
        )
        finer = [_split(masks, more) for masks, more in zip(split, groups, strict=True)]
        if groups not in levels and prod(map(len, finer)) <= _MOST_CELLS:
            split = finer
            levels.append(groups)
    return split, levels


def _matrix(rules: Sequence[_Rule], width: int) -> csr_matrix:
    """Return the incidence matrix of rules and cells."""
    columns = np.concatenate([np.array(rule.cells, np.int64) for rule in rules])
    rows = np.repeat(np.arange(len(rules)), [len(rule.cells) for rule in rules])
    return csr_matrix((np.ones(len(columns)), (rows, columns)), shape=(len(rules), width))


def _split(masks: Sequence[int], by: Sequence[int]) -> list[int]:
    """Split sets of values so that each part is inside or outside each set of `by`."""
    parts = list(masks)
    for other in dict.fromkeys(by):
        parts = [part for mask in parts for part in (mask & other, mask & ~other) if part]
    return parts


def _groups(groups: Sequence[int] | None, values: int, exact: int) -> tuple[int, ...]:
    """Group the values of a box by a hierarchy level. At the finest level, each value is a group."""
    if groups is not None:
        return tuple(group & values for group in groups if group & values)
    return tuple(1 << bit for bit in range(values.bit_length()) if values & exact & 1 << bit)


def _within(cell: Box, box: Box) -> bool:
    return not any(a & ~b for a, b in zip(cell, box, strict=True))


def _alike(cells: Sequence[Box], groups: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield groups of cells whose values are in the same group in each column. Cells that contain an interval are
    omitted.
    """
    cells_by_group = dict[tuple[int, ...], list[int]]()
    for cell_number, cell in enumerate(cells):
        name = tuple(
            next((g for g, x in enumerate(values) if mask & x), -1) for values, mask in zip(groups, cell, strict=True)
        )
        if -1 not in name:
            cells_by_group.setdefault(name, []).append(cell_number)
    return iter(cells_by_group.values())
