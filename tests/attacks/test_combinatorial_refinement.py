"""Bounds derived from the rounds of a local recoding, compared with all tables that have the same publication."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, OptimizeResult
from tests.facts import refused

import anonset
from anonset.algorithms.relational.local_recoding import LocalRecoding
from anonset.attacks import boxes
from anonset.attacks import combinatorial_refinement as attack
from anonset.attacks.base import AttackInput, AttackResult
from anonset.attacks.boxes import Boxes, is_covered
from anonset.attacks.combinatorial_refinement import RefinementRounds, combinatorial_refinement
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, Table
from anonset.data.table import Column
from anonset.generalization import apply
from anonset.publications import Records

FLAT = Hierarchy.from_tree(("B", ["x", "y", "z"]))
DEEP = Hierarchy.from_tree(("A", [("P", ["a", "b"]), ("Q", ["c", "d"])]))
UNEVEN = Hierarchy.from_tree(("U", [("V", ["a", "b"]), "c"]))
NUMBERS = (1.0, 2.0, 4.0)
Floats = NDArray[np.float64]
Record = tuple[str | float, ...]
Domains = tuple[tuple[Sequence[str | float], Hierarchy | None], ...]


@dataclass(frozen=True)
class World:
    """A table and the publication."""

    rows: Counter[tuple[tuple[str, ...], Record]]
    """Published row and original record of each row, with counts."""
    left_at_last: bool
    """True if leftover records joined an existing class."""
    table: Table
    publication: Records


def table_of(records: Sequence[Record], domains: Domains) -> Table:
    columns = list[Column]()
    for name, values in zip("abc", zip(*records, strict=True), strict=False):
        if isinstance(values[0], float):
            columns.append(NumericColumn(name, np.array(values), range=(min(NUMBERS), max(NUMBERS))))
        else:
            columns.append(CategoricalColumn.of(name, [str(value) for value in values]))
    return Table(None, tuple(columns))


def worlds_of(domains: Domains, n: int, k: int, patch: pytest.MonkeyPatch) -> dict[object, list[World]]:
    joined, join = list[int](), LocalRecoding._join_remaining
    patch.setattr(LocalRecoding, "_join_remaining", lambda *given: (joined.append(1), join(*given))[1])
    worlds: dict[object, list[World]] = defaultdict(list)
    trees = trees_of(domains)
    for records in combinations_with_replacement(list(product(*(values for values, _ in domains))), n):
        joined.clear()
        table = table_of(records, domains)
        publication = apply(table, LocalRecoding(k=k).recode(table, trees).recoding)
        shown = list(zip(*(column.labels() for column in publication.relational), strict=True))
        rows = Counter((row, records[i]) for row, i in zip(shown, publication.record.tolist(), strict=True))
        worlds[tuple(sorted(shown))].append(World(rows, bool(joined), table, publication))
    return worlds


def trees_of(domains: Domains) -> dict[str, Hierarchy]:
    return {name: tree for name, (_, tree) in zip("abc", domains, strict=False) if tree is not None}


def bounds_and_counts(
    worlds: list[World], domains: Domains, k: int
) -> Iterator[tuple[tuple[int, int], list[tuple[int, bool]]]]:
    """Yield the bounds on rows with some values in a class, and the true number in each world."""
    first = worlds[0]
    boxes = Boxes.of(first.table.relational, first.publication.relational, trees_of(domains))
    shown = list(zip(*(column.labels() for column in first.publication.relational), strict=True))
    rounds = RefinementRounds(boxes, k)
    for number in range(len(boxes.size)):
        name = shown[int(np.flatnonzero(boxes.class_of_row == number)[0])]
        for column in boxes.open_columns(number):
            tree = domains[column][1]
            labels = first.table.relational[column].vocabulary.labels if tree is None else tree.leaves.labels  # type: ignore[union-attr]
            for bounds, part in zip(rounds.bounds(number, column), boxes.parts(number, column), strict=True):
                values = {label for bit, label in enumerate(labels) if part >> bit & 1}
                yield (
                    bounds,
                    [
                        (
                            sum(
                                times
                                for (row, record), times in world.rows.items()
                                if row == name and record[column] in values
                            ),
                            world.left_at_last,
                        )
                        for world in worlds
                    ],
                )


def once_each(solve: Callable[..., OptimizeResult]) -> Callable[..., OptimizeResult]:
    """Cache solved programs: three of four programs repeat an earlier program."""
    known = dict[tuple[bytes, ...], OptimizeResult]()

    def solved(goal: Floats, *, constraints: LinearConstraint, **more: object) -> OptimizeResult:
        rules, limits = constraints.A, (np.array(constraints.lb), np.array(constraints.ub))
        parts = (goal, rules.data, rules.indices, rules.indptr, *limits)
        program = tuple(part.tobytes() for part in parts)
        if program not in known:
            known[program] = solve(goal, constraints=constraints, **more)
        return known[program]

    return solved


TREES: Domains = (("abcd", DEEP), ("xyz", FLAT))
FEWER: Domains = (("abc", DEEP), ("xyz", FLAT))
OTHERS: Domains = ((NUMBERS, None), ("xyz", None))
MIXED: Domains = ((NUMBERS, None), ("xyz", FLAT))
LEVELS: Domains = (("abc", UNEVEN), ("xyz", None))


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("domains", "n", "k", "least", "mistaken"),
    [
        (TREES, 4, 2, 0.7, False),
        (FEWER, 5, 2, 1.0, True),
        (MIXED, 4, 2, 0.5, False),
        (LEVELS, 4, 2, 0.0, False),
        (OTHERS, 4, 2, 0.0, False),
    ],
    ids=["trees", "trees of five", "numbers", "uneven", "sets"],
)
def test_bounds_are_true_of_all_tables(
    domains: Domains, n: int, k: int, least: float, mistaken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attack, "milp", once_each(attack.milp))
    narrowed, excluded, to_be_found, wrong, attempted = 0, 0, 0, 0, 0
    for worlds in worlds_of(domains, n, k, monkeypatch).values():
        for (low, high), counts in bounds_and_counts(worlds, domains, k):
            sure = [count for count, left_at_last in counts if not left_at_last]
            if sure:
                assert low <= min(sure)
                assert max(sure) <= high
                to_be_found += max(sure) == 0
                excluded += high == 0
            narrowed += (low, high) != (0, n)
            wrong += sum(not low <= count <= high for count, _ in counts)
            attempted += len(counts)
    assert narrowed
    assert excluded >= least * to_be_found
    assert bool(wrong) == mistaken  # due to leftover records, which may join a class although a finer class exists
    assert wrong <= attempted / 100


def people(n: int, seed: int) -> dict[str, list[str]]:
    random = np.random.default_rng(seed)
    return {
        "town": [f"t{i}" for i in random.geometric(0.15, n) % 12],
        "work": [f"w{i}" for i in random.geometric(0.3, n) % 9],
        "age": [str(i) for i in random.integers(20, 60, n)],
    }


TOWNS = {"town": "balanced:3", "work": "balanced:3", "age": "bins:width=5"}


def scene_of(release: anonset.Release, **more: object) -> AttackInput:
    unverified = release.unverified
    scene = AttackInput(
        release.publication, anonset.KAnonymity(5), unverified.table, unverified.hierarchies, algorithm="local-recoding"
    )
    return replace(scene, **more)  # type: ignore[arg-type]


@pytest.mark.compiled
def test_rows_are_narrowed_above_the_control(monkeypatch: pytest.MonkeyPatch) -> None:
    table = anonset.read(people(1500, 3), relational="town,work,age", unit="row")
    release = anonset.anonymize(table, anonset.LocalRecoding(k=5), hierarchies=TOWNS)
    monkeypatch.setattr(attack, "milp", once_each(attack.milp))
    (outcome,) = combinatorial_refinement(scene_of(release, attempts=150))
    assert isinstance(outcome, AttackResult)
    assert outcome.won.success > max(outcome.without.success, outcome.control.success)
    risks = anonset.risk(release, attacks=["combinatorial-refinement"], attempts=150)
    assert risks.outcomes == (outcome,)


def test_it_needs_a_local_recoding_without_refinement() -> None:
    table = anonset.read(people(60, 3), relational="town,work,age", unit="row")
    for algorithm in (anonset.Mondrian(k=5), anonset.LocalRecoding(k=5, refine=True, max_evaluations=100)):
        release = anonset.anonymize(table, algorithm, hierarchies=TOWNS)
        with refused(anonset.InputError, "combinatorial-refinement local-recoding"):
            anonset.risk(release, attacks=["combinatorial-refinement"])
    release = anonset.anonymize(table, anonset.LocalRecoding(k=5), hierarchies=TOWNS)
    assert isinstance(combinatorial_refinement(scene_of(release, original=None)), str)


def test_a_box_is_covered_by_others_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    seen = set[bool]()
    for _ in range(300):
        box, *others = [tuple(int(x) for x in random.integers(1, 8, 3)) for _ in range(int(random.integers(2, 9)))]
        cells = product(*([bit for bit in range(3) if values >> bit & 1] for values in box))
        covered = all(any(all(o[a] >> b & 1 for a, b in enumerate(cell)) for o in others) for cell in cells)
        assert is_covered(box, others) == covered
        seen.add(covered)
    assert seen == {True, False}
    assert is_covered((3, 3), [(1, 3), (2, 3)])
    monkeypatch.setattr(boxes, "_STEPS", 1)
    assert not is_covered((3, 3), [(1, 3), (2, 3)])
