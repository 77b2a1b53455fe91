"""The experiments on suppression with generalization: what a case measures, and how claims are judged."""

import numpy as np
import pytest
from benchmarks.experiments import runner, searches
from benchmarks.experiments.cases import Results
from benchmarks.experiments.liu2010 import measurement as liu

from anonset import SetColumn

pytestmark = pytest.mark.compiled

POWERS = (-2, -1, 0, 0, 0.5, 1, 2)
BASES = (0.001, 0.01, 0.1, 1, 100)
CHOICES = {
    "refused": (0, 0, 1),
    "suppressed": (0, 0, 0.001, 0.2),
    "utility_violated": (0, 1),
    "published": (1, 20),
    "ncp": (0.02, 0.3, 0.6, 0.9),
}
SMALL = {"data": "pos_like", "records": 800, "fanout": 5, "k": 5}


@pytest.mark.parametrize("key", ["liu2010"])
def test_every_claim_can_hold_and_can_fail(key):
    """Judge invented results, where a quantity is a power of x, or one of a few values: no check always says the same.

    Tables of given numbers are left out: see below.
    """
    random, answers = np.random.default_rng(0), {}
    for _ in range(300):
        for figure in runner.paper(key).figures:
            results = Results(invented(figure, random))
            for claim in () if figure.key.startswith("table") else [one for one in figure.claims if one.check]:
                held, shown = claim.check(results)[:2]
                assert shown
                answers.setdefault((figure.key, claim.text, claim.criterion), set()).add(bool(held))
    assert [claim for claim, found in answers.items() if len(found) < 2] == []


def invented(figure, random):
    positions = list(dict.fromkeys(case.x for case in figure.cases))
    place = {x: x if isinstance(x, int) else i + 1 for i, x in enumerate(positions)}
    low, alike, law = min(place.values()), random.random() < 0.3, {}
    for q in (*figure.quantities, "published"):
        shared = random.choice(CHOICES.get(q, BASES)), random.choice(POWERS)
        for s in dict.fromkeys(case.series for case in figure.cases):
            law[s, q] = shared if alike else (random.choice(CHOICES.get(q, BASES)), random.choice(POWERS))
    found = {}
    for c in figure.cases:
        growth = {q: (place[c.x] / low) ** (0.0 if q in CHOICES else float(p)) for (s, q), (_, p) in law.items()}
        found[c.series, c.x] = {q: float(law[c.series, q][0]) * growth[q] for q in growth}
    return found


@pytest.mark.parametrize(
    ("algorithm", "own"),
    [
        ("apriori", {"m": 2}),
        ("local-generalization", {}),
        ("lra", {"m": 2}),
        ("hghs", {"m": 2}),
        ("mhghs", {"m": 2}),
        ("coherence-suppression", {"h": 1.0, "p": 2}),
    ],
)
def test_local_recodings_and_suppression_are_measured(algorithm, own):
    measured = liu.measure({"data": "pos_like", "fanout": 5, "records": 800, "algorithm": algorithm, "k": 5, **own})
    assert measured["refused"] == 0
    assert measured["records"] == 800
    assert 0 < measured["ncp"] < 1
    assert 0 < measured["lm"] < 1


def test_a_search_that_needs_too_much_room_is_recorded():
    chosen = {"data": "pos_like", "fanout": 5, "records": 800, "algorithm": "hghs", "k": 5, "m": 2}
    assert liu.measure({**chosen, "max_threats": 5000})["refused"] == 1


def test_a_search_is_timed_on_fresh_tables_a_few_times():
    column, seen = SetColumn.of([["a", "b"], ["a"]]), []
    runs = searches.timed(lambda table: seen.append(table.transactions) or len(seen), column)
    assert len(runs.seconds) == runs.found == searches.REPEATS
    assert len({id(one) for one in (column, *seen)}) == searches.REPEATS + 1
    assert runs.measured["seconds"] == min(runs.seconds)


def test_records_are_drawn_without_replacement():
    column = SetColumn.of([[str(i)] for i in range(50)])
    drawn = searches.drawn(column, 20, seed=1)
    assert drawn.n == 20
    assert len(np.unique(drawn.items)) == 20
    assert np.array_equal(drawn.items, searches.drawn(column, 20, seed=1).items)
