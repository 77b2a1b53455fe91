"""The attack on range ends, compared with the rows of each class."""

import random
from collections import Counter

import pytest

import anonset
from anonset.attacks.base import AttackInput, AttackResult
from anonset.attacks.tightness import tightness

RNG = random.Random(4)
PEOPLE = {
    "age": [str(18 + RNG.randrange(70)) for _ in range(120)],
    "origin": [RNG.choice(["Spain", "Italy", "Ghana", "Kenya"]) for _ in range(120)],
}
TABLE = anonset.read(PEOPLE, relational="age,origin", numeric="age", unit="row")
ALGORITHMS = [anonset.Mondrian(k=4), anonset.Cluster(k=4), anonset.KMember(k=4), anonset.XuTopDown(k=4)]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=[algorithm.name for algorithm in ALGORITHMS])
def test_a_range_end_is_guessed_with_its_frequency(algorithm: anonset.Algorithm) -> None:
    trees = {"age": "range", "origin": "values"}
    release = anonset.anonymize(TABLE, algorithm, hierarchies=trees, round_ends=False)
    ages, origins = (column.labels() for column in release.publication.relational)
    true_ages = [int(PEOPLE["age"][record]) for record in release.publication.record.tolist()]
    class_ages: dict[tuple[str, str], list[int]] = {}
    for shown, value in zip(zip(ages, origins, strict=True), true_ages, strict=True):
        class_ages.setdefault(shown, []).append(value)
    often = Counter(map(int, PEOPLE["age"]))
    by_end, by_often, wide = 0, 0, 0
    for (age, _), values in class_ages.items():
        low, _, high = age.strip("[]").partition(":")
        if high:
            assert (int(low), int(high)) == (min(values), max(values))
            by_end += values.count(max(int(low), int(high), key=lambda end: (often[end], -end)))
            within = sorted(value for value in often if int(low) <= value <= int(high))
            by_often += values.count(max(within, key=lambda value: (often[value], -value)))
            wide += len(values)
    scene = AttackInput(
        release.publication, anonset.KAnonymity(4), release.unverified.table, release.unverified.hierarchies
    )
    (outcome,) = tightness(scene)
    assert isinstance(outcome, AttackResult)
    assert (outcome.targets, outcome.won.success) == (wide, pytest.approx(by_end / wide))
    assert outcome.without.success == pytest.approx(by_often / wide)
    assert outcome.won.success > outcome.control.success


def test_ranges_named_by_a_hierarchy_are_not_attacked() -> None:
    trees = {"age": "bins:width=10", "origin": "values"}
    table = anonset.read(PEOPLE, relational="age,origin", unit="row")
    release = anonset.anonymize(table, anonset.FullDomain(k=4), hierarchies=trees)
    scene = AttackInput(
        release.publication, anonset.KAnonymity(4), release.unverified.table, release.unverified.hierarchies
    )
    assert isinstance(tightness(scene), str)
    assert isinstance(tightness(AttackInput(release.publication, anonset.KAnonymity(4))), str)
