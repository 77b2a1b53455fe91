"""Full-domain and full-subtree recoding: optimal over the complete lattice, published by levels and nodes, verified."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.relational_cases import RelationalCase, encode, random_case
from anonset.algorithms.clusters import list_members
from anonset.algorithms.relational.bottom_up import BottomUp
from anonset.algorithms.relational.full_domain import FullDomain
from anonset.algorithms.relational.levels import Levels
from anonset.algorithms.relational.local_recoding import LocalRecoding
from anonset.algorithms.relational.top_down import TopDown
from anonset.data import Table
from anonset.data.table_facts import OwnerStatements
from anonset.errors import InputError
from anonset.generalization import apply
from anonset.jobs.runs.anonymize import anonymize
from anonset.privacy import KAnonymity
from anonset.reading.hierarchies.files import hierarchy_of_rows
from anonset.verification import verify
from effort import examples
from reference.recoding import full_domain, full_domain_vector
from reference.relational import key

TREE = "All(Europe(South(Spain,Italy),North(Norway)),Africa(Algeria,Nigeria))"


def published(algorithm: Any, case: RelationalCase) -> list[tuple[str, ...]]:
    table = Table(None, case.columns)
    publication = apply(table, algorithm.recode(table, case.hierarchies).recoding)
    assert verify(publication, KAnonymity(algorithm.k)).holds
    return list(zip(*(column.labels() for column in publication.relational), strict=True))


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_full_domain_equals_the_optimum_over_the_lattice(share: float) -> None:
    for seed in range(examples(100)):
        source = random.Random(seed)
        case = random_case(seed, source.randint(4, 40), source.randint(1, 4))
        k = source.randint(1, 4)
        algorithm = FullDomain(k=k, max_suppressed_records=share)
        clusters = [members.tolist() for members in list_members(algorithm.form(case.qi))]
        assert clusters == full_domain(case.relation, k, share)
        result = algorithm.solve(case.qi)
        least, _ = full_domain_vector(case.relation, k, share)
        assert abs(key(float(np.mean(result.tuples.losses()[result.cluster]))) - least) <= 1


def test_levels_of_a_hierarchy_whose_leaves_are_at_different_depths() -> None:
    case = encode([("Spain", "x"), ("Norway", "y"), ("Nigeria", "x")], [TREE, None])
    levels = Levels.of(case.qi)
    assert (levels.heights, levels.n_vectors) == ((3, 1), 8)
    tree = case.hierarchies["c0"]
    shown = [[tree.labels[v] for v in levels.ids[row][case.qi.tuple_of]] for row in range(4)]
    assert shown == [
        ["Spain", "Norway", "Nigeria"],
        ["South", "Norway", "Nigeria"],
        ["Europe", "Europe", "Africa"],
        ["All", "All", "All"],
    ]
    assert [levels.rows((level, 0)).tolist() for level in (0, 3)] == [[0, 4], [3, 4]]


def test_full_domain_publishes_one_level_per_column_and_limits_suppression() -> None:
    rows: list[Any] = [("Spain", 20), ("Italy", 20), ("Norway", 20), ("Algeria", 20), ("Nigeria", 30)]
    case = encode(rows, [TREE, None])
    assert set(published(FullDomain(k=2), case)) == {("Europe", "[20:30]"), ("Africa", "[20:30]")}
    case = encode(rows[:4], [TREE, None])
    assert published(FullDomain(k=2, max_suppressed_records=0.5), case) == [
        *[("South", "20")] * 2,
        *[("All", "20")] * 2,  # its numbers are equal, so there is no level above
    ]
    few = FullDomain(k=2, max_suppressed_records=0.4).solve(case.qi)
    assert few.figures["suppressed"] == 0.0


@pytest.mark.long
@pytest.mark.compiled
def test_subtrees_publish_each_value_in_one_way() -> None:
    for seed in range(60):
        case = random_case(seed, 30, 3)
        for algorithm in (TopDown(k=3), BottomUp(k=3)):
            rows = published(algorithm, case)
            for a in range(3):
                shown: dict[Any, set[str]] = {}
                for before, after in zip(case.relation.rows, rows, strict=True):
                    shown.setdefault(before[a], set()).add(after[a])
                assert max(map(len, shown.values())) == 1


def test_top_down_worked_example() -> None:
    """Sex splits nine records first, at its full loss. Then Europe and Africa split, and no other node can."""
    rows: list[Any] = [("Spain", "f"), ("Italy", "f"), ("Norway", "f"), ("Algeria", "f"), ("Nigeria", "f")]
    rows += [("Spain", "m"), ("Italy", "m"), ("Algeria", "m"), ("Nigeria", "m")]
    case = encode(rows, [TREE, "Any(f,m)"])
    assert set(published(TopDown(k=2), case)) == {(place, sex) for place in ("Europe", "Africa") for sex in "fm"}
    assert set(published(BottomUp(k=2), case)) == {(place, sex) for place in ("Europe", "Africa") for sex in "fm"}


def test_local_recoding_publishes_dense_records_first_and_outliers_last() -> None:
    rows: list[Any] = [("Spain",)] * 4 + [("Italy",), ("Norway",), ("Algeria",)]
    shown = published(LocalRecoding(k=3), encode(rows, [TREE]))
    assert shown == [("Spain",)] * 4 + [("All",)] * 3
    joined = published(LocalRecoding(k=4), encode(rows, [TREE]))
    assert joined == [("All",)] * 7 or joined[0] == joined[-1]


@pytest.mark.parametrize(
    "made", [FullDomain(k=3, max_suppressed_records=0.3), TopDown(k=3), BottomUp(k=3), LocalRecoding(k=3)]
)
def test_the_reported_loss_is_the_loss_of_the_publication(made: Any) -> None:
    case = random_case(11, 40, 3)
    table = Table(None, case.columns, statements=OwnerStatements("row"))
    trees = dict(case.hierarchies)
    result = made.recode(table, trees)
    losses = []
    for ends in (False, True):
        release = anonymize(table, made, hierarchies=trees, accept="worthless", round_ends=ends)
        assert release.measures["rum"] == pytest.approx(release.figures["ncp"])
        losses.append(release.measures["rum"])
    assert losses[0] == pytest.approx(result.figures["ncp"])
    assert losses[1] >= losses[0]


def test_a_lattice_that_is_too_large_is_refused() -> None:
    case = random_case(3, 30, 4)
    for name in (FullDomain, LocalRecoding):
        with refused(InputError, "max_vectors 2"):
            name(k=2, max_vectors=2).recode(Table(None, case.columns), case.hierarchies)
    with refused(InputError, "max_suppressed_records 0 1 1.5"):
        FullDomain(k=2, max_suppressed_records=1.5)


def file_of_columns(source: random.Random) -> list[list[str]]:
    """Draw the lines of a hierarchy file: nested groups, many with one member, sometimes named like the member."""
    columns = [[f"v{n}" for n in range(source.randint(2, 7))]]
    for level in range(1, source.randint(2, 4)):
        group, below = 0, columns[-1]
        names = dict.fromkeys(below, "")
        for label in names:
            group += source.random() < 0.6
            names[label] = f"g{level}.{group}"
        shared = Counter(names.values())
        unchanged = {label: shared[name] == 1 and source.random() < 0.5 for label, name in names.items()}
        columns.append([label if unchanged[label] else names[label] for label in below])
    lines = [list(line) for line in zip(*columns, ["*"] * len(columns[0]), strict=True)]
    if source.random() < 0.5:  # shorter lines replace lines that begin with their leaf several times
        lines = [line[line.count(line[0]) - 1 :] for line in lines]
    return lines


def padded(lines: list[list[str]]) -> list[list[str]]:
    longest = max(map(len, lines))
    return [[line[0]] * (longest - len(line)) + line for line in lines]


@pytest.mark.long
@settings(max_examples=examples(150))
@given(seed=st.integers(0, 10**9))
def test_full_domain_levels_are_the_columns_of_the_files(seed: int) -> None:
    """For every vector of columns, each label of a column represents the values below it."""
    source = random.Random(seed)
    files = [file_of_columns(source) for _ in range(source.randint(1, 3))]
    n, k = source.randint(3, 14), source.randint(2, 3)
    rows = [tuple(source.randrange(len(lines)) for lines in files) for _ in range(n)]
    table = Table.from_columns(**{f"c{a}": [files[a][row[a]][0] for row in rows] for a in range(len(files))})
    trees = {f"c{a}": hierarchy_of_rows("a file", lines) for a, lines in enumerate(files)}
    columns = [list(zip(*padded(lines), strict=True)) for lines in files]
    losses = []
    for vector in product(*map(range, (len(column) for column in columns))):
        chosen = [columns[a][level] for a, level in enumerate(vector)]
        shown = [tuple(column[value] for column, value in zip(chosen, row, strict=True)) for row in rows]
        if min(Counter(shown).values()) >= k:
            sizes = [Counter(column) for column in chosen]
            values = [(size[x], size.total()) for row in shown for size, x in zip(sizes, row, strict=True)]
            losses.append(sum(Fraction(x, of) for x, of in values if x > 1) / n / len(files))
    result = FullDomain(k=k).recode(table, trees)
    assert result.figures["ncp"] == pytest.approx(float(min(losses)))
    for a, values in enumerate(result.recoding.relational):
        image = [values.labels[c] for c in result.recoding.cluster]
        tree, leaves = trees[f"c{a}"], [row[a] for row in rows]
        nodes = [tree.node_of[label] for label in image]
        below = [set(tree.leaves.labels[tree.leaf_lo[v] : tree.leaf_hi[v]]) for v in nodes]
        shown = [[column[leaf] for leaf in leaves] for column in columns[a]]
        by_column = [
            [{line[0] for line, x in zip(files[a], column, strict=True) if x == label} for label in labels]
            for column, labels in zip(columns[a], shown, strict=True)
        ]
        assert below in by_column
