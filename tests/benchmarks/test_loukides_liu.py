"""The experiments on COAT and on suppression with generalization: what a case measures, and how claims are judged."""

import numpy as np
import pytest
from benchmarks.experiments import runner, searches
from benchmarks.experiments.cases import Results
from benchmarks.experiments.loukides2010 import measurement as loukides

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


@pytest.mark.parametrize("key", ["loukides2010"])
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
    ("figure", "given"),
    [
        ("table1", {"bms_webview1": (59_602, 497, 267, 2.5), "bms_webview2": (77_512, 3_340, 161, 5.0)}),
        ("table2", {"PP6": (33, 33, 33, 1), "PP7": (30, 30, 30, 10), "PP8": (25,) * 4, "PP9": (16.7, 16.7, 16.7, 50)}),
    ],
)
def test_tables_of_numbers_are_compared(figure, given):
    (chosen,) = [one for one in runner.paper("loukides2010").figures if one.key == figure]
    keys = list(chosen.quantities)[:4]
    results = {("here", x): dict(zip(keys, values, strict=True)) for x, values in given.items()}
    (claim,) = chosen.claims
    assert claim.check(Results(results))[0]
    next(iter(results.values()))[keys[3]] += 0.2
    assert not claim.check(Results(results))[0]


@pytest.mark.parametrize("algorithm", ["coat", "pcta", "apriori"])
def test_a_recoding_is_measured_by_all_losses_and_workloads(algorithm):
    measured = loukides.measure({**SMALL, "algorithm": algorithm, "m": 2, "queries": [1, 3]})
    assert measured["refused"] == 0
    assert 0 < measured["ncp"] < 1
    assert measured["ul_log2"] > 0
    assert measured["suppressed"] == 0
    assert measured["answered_record_q1"] == measured["answered_record_q3"] == 1000
    assert measured["are_record_q1"] > 0
    assert measured["answered_own_q3"] < 1000
    assert measured["checked"] == "sizes 1..2 of 2"


def test_policies_are_measured_and_what_cannot_be_is_recorded():
    coat = {**SMALL, "algorithm": "coat", "queries": [2], "max_suppressed": 0.0}
    assert loukides.measure({**coat, "privacy": "PP6"})["constraints"] == 1000
    groups = {**SMALL, "m": 2, "queries": [2], "utility": 25}
    refused = loukides.measure({**groups, "algorithm": "coat", "max_suppressed": 0.0})
    assert refused["refused"] == 1
    assert 0 < refused["needed"] <= 1
    assert loukides.measure({**groups, "algorithm": "apriori"})["utility_violated"] > 0
    kept = loukides.measure({**groups, "algorithm": "coat", "max_suppressed": refused["needed"]})
    assert kept["utility_violated"] == 0
    assert kept["suppressed"] == pytest.approx(refused["needed"], abs=1e-6)


def test_data_constraints_and_shares_are_described():
    described = loukides.measure({**SMALL, "algorithm": "describe"})
    assert described["records"] == 800
    assert described["average"] == pytest.approx(6.5, abs=0.3)
    shares = loukides.measure({**SMALL, "algorithm": "policy", "privacy": "PP9"})
    assert [round(shares[f"percent_of_{size}"]) for size in (1, 2, 3, 4)] == [17, 17, 17, 50]
    assert loukides.measure({**SMALL, "algorithm": "pgen"})["constraints"] > 300


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
