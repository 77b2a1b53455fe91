"""Probability with which buckets disclose a sensitive value, compared with all assignments of values to rows."""

import random
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from algorithms.bucket_tables import published, shown_rows, values_of
from anonset.measures.risks.bucket_inference import of_groups, of_persons, of_values, persons


def surely(publication, who):
    """Return the largest probability that a person has a value, over all assignments of values in each group."""
    shown, labels = shown_rows(publication), publication.group.labels()
    result = {}
    for group, values in values_of(publication).items():
        rows = [row for row, label in enumerate(labels) if label == group]
        own_rows = [i for i, row in enumerate(rows) if shown[row] == who]
        ways = list(permutations(values))
        for value in set(values) if own_rows else ():
            none = Fraction(sum(all(way[i] != value for i in own_rows) for way in ways), len(ways))
            result[value] = result.get(value, Fraction(1)) * none
    return max(1 - none for none in result.values())


@pytest.mark.parametrize("seed", range(12))
def test_inference_from_several_rows_equals_an_enumeration(seed):
    rng = random.Random(seed)
    rows = [(rng.choice("ABC"), rng.choice("xxyz")) for _ in range(rng.randint(2, 11))]
    group = [n // 4 for n in range(len(rows))]
    publication = published(rows, group, starred=[n for n in range(len(rows)) if rng.random() < 0.2])
    seen, person = persons(publication)
    shown = shown_rows(publication)
    disclosed = of_persons(publication)
    people = {int(entry): shown[row] for row, entry in zip(seen, person, strict=True)}
    assert set(people.values()) == {entry for entry in shown if entry is not None}
    for i, who in people.items():
        assert disclosed[i] == pytest.approx(float(surely(publication, who)))


@pytest.mark.parametrize("seed", range(5))
def test_shares_in_groups(seed):
    rng = random.Random(seed)
    rows = [(f"P{n}", rng.choice("xxyz")) for n in range(9)]
    publication = published(rows, [n // 3 for n in range(9)])
    values, labels = values_of(publication), publication.group.labels()
    most = {
        group: max(group_values.count(value) for value in group_values) / len(group_values)
        for group, group_values in values.items()
    }
    assert of_groups(publication).tolist() == [most[label] for label in publication.group.vocabulary.labels]
    known = publication.snt_value.vocabulary.labels
    for code, value in enumerate(known):
        chances = of_values(publication, np.arange(9), np.full(9, code))
        assert chances.tolist() == [values[label].count(value) / len(values[label]) for label in labels]
    assert of_values(publication, np.arange(9), np.full(9, -1)).tolist() == [0.0] * 9


def test_a_publication_without_rows_has_no_inference():
    publication = published([], [])
    assert (of_groups(publication).tolist(), of_persons(publication).tolist()) == ([], [])
