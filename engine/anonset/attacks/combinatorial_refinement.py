"""Combinatorial refinement: what the rounds of a local recoding leave possible, by an integer program a class.

`local-recoding` publishes, round by round, the classes of at least k of the rows that are left, by one vector of
levels, each by its lowest common values. Whatever the vectors were:

1. If classes i and j are shown as boxes that meet, they are of different rounds, and the later one has no row in the
   box of the earlier. Where i could not have its lowest common values without such a row, i came first.
2. Then no row of j lies in what i is shown as: it would have been taken with i.
3. Rows that agree by the levels of i, and were not taken with it, are fewer than k, those of j among them.
4. Published are lowest common values: no child of a node has all rows, and all members of a set have some. So have
   both ends of a range, unless ends are rounded.

How many rows of a class are below each child is bounded by the least and the most that this allows, for each class by
itself. It is right about every input, but for the fewer than k rows that are left at last, which join classes in any
place (tests/attacks/test_combinatorial_refinement.py goes through all inputs of tiny tables).

Reference: Chhillar, Righi, Sutter, Kornaropoulos, arXiv 2509.03350, of ARX, which publishes the levels and ranks them
by losses. Ours publishes lowest common values, ranks vectors by the losses of all rows, and so has rules of its own;
what the choice of the cheapest vector tells is not used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from anonset.attacks.base import Outcome, Scene
from anonset.attacks.boxes import Box, Boxes, is_covered, needs_all
from anonset.attacks.downcoding import boxes_of, shares, tried_on_rows
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int64

ALGORITHM = "local-recoding"
_MOST_CELLS = 1000
"""Combinations of values that a program tells apart."""
_MOST_PARTS = 24
"""Children for which programs are solved; of more, only what is impossible is told."""
_TARGETS = 300
"""Rows that are tried, at most."""
_INFEASIBLE = 2
_SECONDS = 1.0
"""Time for one program; what is not solved tells nothing."""


def combinatorial_refinement(scene: Scene) -> tuple[Outcome, ...] | str:
    """Tell of random rows of a local recoding how likely each child of a published node holds their value."""
    if scene.algorithm != ALGORITHM or scene.model.name != "k":
        return f"it takes back the rounds of {ALGORITHM} for k alone, not refined, and in one part"
    boxes = boxes_of(scene)
    if isinstance(boxes, str):
        return boxes
    rounds, few = RefinementRounds(boxes, scene.k), replace(scene, attempts=min(scene.attempts, _TARGETS))
    knows = (
        f"the publication, its trees and that {ALGORITHM} made it (k={scene.k}); wants the child of a published node, "
        "or the member of a set, that a row has"
    )
    return tried_on_rows(few, boxes, "combinatorial-refinement", knows, rounds.told)


@dataclass(frozen=True, eq=False)
class RefinementRounds(Discreet):
    """What the rounds of a local recoding leave possible."""

    boxes: Boxes
    k: int
    _known: dict[int, set[int]] = field(default_factory=dict)

    def told(self, number: int, column: int) -> list[float]:
        """Return how likely each child is that of a row of a class: by the middle of the bounds of its rows."""
        return shares([float(least + most) for least, most in self.bounds(number, column)])

    def earlier(self, number: int) -> Int64:
        """Return the classes that must have come before one (rule 1)."""
        found = [at for at in self._first(number) if number not in self._first(at)]
        return np.array(found, np.int64)

    def _first(self, number: int) -> set[int]:
        """Return the classes whose common values need a row in what one is shown as."""
        if number not in self._known:
            boxes, hull = self.boxes, self.hull(number)
            inside = np.array([boxes.inside(column, values) for column, values in enumerate(hull)])
            out = (~inside).sum(axis=0)
            found = set(np.flatnonzero(out == 0).tolist()) - {number}
            for at in np.flatnonzero(out == 1).tolist():
                a = int(inside[:, at].argmin())
                column, code = boxes.columns[a], int(boxes.code[at, a])
                values = column.symbols[code]
                if values & hull[a] and needs_all(column, code, values & ~hull[a]):
                    found.add(at)
            self._known[number] = found
        return self._known[number]

    def hull(self, number: int) -> Box:
        """Return the values that the round of a class showed alike, at least."""
        codes = self.boxes.code[number].tolist()
        return tuple(column.hulls[code] for column, code in zip(self.boxes.columns, codes, strict=True))

    def bounds(self, number: int, column: int) -> list[tuple[int, int]]:
        """Return the fewest and the most rows of a class that are below each child.

        All of it where the rules contradict each other: then rows that were left at last are among these.
        """
        own, parts, size = self.boxes.box(number), self.boxes.parts(number, column), int(self.boxes.size[number])
        first = self.earlier(number)
        taken = list({hull: None for hull in map(self.hull, first.tolist()) if _meet(hull, own)})
        may = [not is_covered((*own[:column], part, *own[column + 1 :]), taken) for part in parts]
        free = [(0, size if possible else 0) for possible in may]
        if not taken or sum(may) < 2 or len(parts) > _MOST_PARTS:
            return free if any(may) else [(0, size)] * len(parts)
        program = Program.of(self, number, first, taken)
        if program is None:
            return free
        found = [
            program.bounds(column, part) if possible else (0, 0) for possible, part in zip(may, parts, strict=True)
        ]
        return [(0, size)] * len(parts) if any(one is None for one in found) else [one for one in found if one]


def _meet(one: Box, other: Box) -> bool:
    return all(a & b for a, b in zip(one, other, strict=True))


@dataclass(frozen=True, eq=False)
class Program(Discreet):
    """How many rows of a class are in each cell of its box."""

    cells: list[Box]
    """Combinations of values that the rules do not tell apart, without those that earlier classes took."""
    size: int
    rules: LinearConstraint

    @classmethod
    def of(cls, rounds: RefinementRounds, number: int, earlier: Int64, taken: Sequence[Box]) -> "Program | None":
        """Write the rules of a class; those of earlier classes that would need too many cells are left out."""
        boxes, own, size = rounds.boxes, rounds.boxes.box(number), int(rounds.boxes.size[number])
        codes = boxes.code[number].tolist()
        split = [
            _split([values], [*(box[a] for box in taken), *column.parts[code], *(column.ends[code] or ())])
            for a, (column, code, values) in enumerate(zip(boxes.columns, codes, own, strict=True))
        ]
        if prod(map(len, split)) > _MOST_CELLS:
            return None
        split, levels = _levels_of(boxes, own, earlier, split)
        cells = [cell for cell in product(*split) if not any(_within(cell, box) for box in taken)]
        rules = [_Rule(list(range(len(cells))), size, size)]
        for a, (column, code) in enumerate(zip(boxes.columns, codes, strict=True)):
            limits = (0, size - 1) if column.is_tree else (1, size)
            for part in column.ends[code] or column.parts[code]:
                rules.append(_Rule([at for at, cell in enumerate(cells) if cell[a] & part], *limits))
        rules += (_Rule(alike, 0, rounds.k - 1) for groups in levels for alike in _alike(cells, groups))
        least, most = ([rule[side] for rule in rules] for side in (1, 2))
        return cls(cells, size, LinearConstraint(_matrix(rules, len(cells)), least, most))

    def bounds(self, column: int, part: int) -> tuple[int, int] | None:
        """Return the fewest and the most rows with a value out of some; None where nothing is possible."""
        goal = np.array([float(bool(cell[column] & part)) for cell in self.cells])
        found = []
        for sign, free in ((1, 0), (-1, self.size)):
            solved = milp(
                sign * goal, integrality=np.ones(len(goal)), bounds=Bounds(0, self.size), constraints=self.rules,
                options={"time_limit": _SECONDS},
            )  # fmt: skip
            if solved.status == _INFEASIBLE:
                return None
            found.append(free if solved.status else round(sign * solved.fun))
        return found[0], found[1]


class _Rule(NamedTuple):
    """How many rows some cells hold."""

    cells: list[int]
    least: int
    most: int


def _levels_of(
    boxes: Boxes, own: Box, earlier: Int64, split: list[list[int]]
) -> tuple[list[list[int]], list[tuple[Box, ...]]]:
    """Take values apart by the levels of earlier classes, as long as there are few cells; return these levels, too."""
    levels = list[tuple[Box, ...]]()
    for at in earlier.tolist():
        groups = tuple(
            _groups(column.groups[code], values, column.exact)
            for column, code, values in zip(boxes.columns, boxes.code[at].tolist(), own, strict=True)
        )
        finer = [_split(masks, more) for masks, more in zip(split, groups, strict=True)]
        if groups not in levels and prod(map(len, finer)) <= _MOST_CELLS:
            split = finer
            levels.append(groups)
    return split, levels


def _matrix(rules: Sequence[_Rule], width: int) -> csr_matrix:
    """Return which cells each rule counts."""
    at = np.concatenate([np.array(rule.cells, np.int64) for rule in rules])
    rows = np.repeat(np.arange(len(rules)), [len(rule.cells) for rule in rules])
    return csr_matrix((np.ones(len(at)), (rows, at)), shape=(len(rules), width))


def _split(masks: Sequence[int], by: Sequence[int]) -> list[int]:
    """Return sets of values, taken apart so that each lies within or without every other one."""
    parts = list(masks)
    for other in dict.fromkeys(by):
        parts = [part for mask in parts for part in (mask & other, mask & ~other) if part]
    return parts


def _groups(groups: Sequence[int] | None, own: int, exact: int) -> tuple[int, ...]:
    """Return the values of a box by what a level shows alike; single values where it shows all of them."""
    if groups is not None:
        return tuple(group & own for group in groups if group & own)
    return tuple(1 << bit for bit in range(own.bit_length()) if own & exact & 1 << bit)


def _within(cell: Box, box: Box) -> bool:
    return not any(a & ~b for a, b in zip(cell, box, strict=True))


def _alike(cells: Sequence[Box], groups: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the cells that a vector of levels shows alike; none of values that lie between two."""
    found = dict[tuple[int, ...], list[int]]()
    for at, cell in enumerate(cells):
        name = tuple(
            next((g for g, x in enumerate(own) if mask & x), -1) for own, mask in zip(groups, cell, strict=True)
        )
        if -1 not in name:
            found.setdefault(name, []).append(at)
    return iter(found.values())
