"""The experiments on RT-datasets: what a case measures, and that every claim can fail."""

import numpy as np
import pytest
from benchmarks.experiments import runner
from benchmarks.experiments.cases import Results
from benchmarks.experiments.poulis2013 import measurement as poulis

pytestmark = pytest.mark.compiled

POWERS = (-2, -1, 0, 0, 1, 2, 5)
BASES = (0.001, 0.01, 0.1, 1, 100)


@pytest.mark.parametrize("key", ["poulis2013"])
def test_every_claim_can_hold_and_can_fail(key):
    """Judge invented results, where every quantity is some power of x: no check raises, none always says the same."""
    random, answers = np.random.default_rng(0), {}
    for _ in range(200):
        for figure in runner.paper(key).figures:
            results = Results(invented(figure, random))
            for claim in figure.claims:
                held, shown = claim.check(results)
                assert shown
                answers.setdefault((figure.key, claim.text), set()).add(bool(held))
    assert [claim for claim, found in answers.items() if len(found) < 2] == []


def invented(figure, random):
    positions = list(dict.fromkeys(case.x for case in figure.cases))
    place = {x: x if isinstance(x, int) else i + 1 for i, x in enumerate(positions)}
    low = min(place.values())
    alike = random.random() < 0.3
    law = {}
    for q in figure.quantities:
        shared = random.choice(BASES), random.choice(POWERS)
        for s in dict.fromkeys(case.series for case in figure.cases):
            law[s, q] = shared if alike else (random.choice(BASES), random.choice(POWERS))
    return {
        (c.series, c.x): {
            q: law[c.series, q][0] * (place[c.x] / low) ** float(law[c.series, q][1]) for q in figure.quantities
        }
        for c in figure.cases
    }


SMALL = {"data": "youtube_like", "records": 400, "k": 10, "framework": "rum", "merge": "rt", "delta": 0.6}


@pytest.mark.parametrize("function", ["aa", "coat"])
def test_a_run_measures_losses_and_errors(function):
    measured = poulis.measure({**SMALL, "kind": "run", "function": function})
    assert measured["records"] == 400
    assert measured["ncp_before"] < measured["ncp"] <= 0.6
    assert measured["ul"] < measured["tum_before"]
    assert measured["checked"] == "sizes 1..2 of 2"
    assert measured["are_2_0"] > 0
    assert measured["are_0_2"] > 0
    assert "are_2_0" not in poulis.measure({**SMALL, "kind": "run", "function": function, "queries": False})


def test_the_loss_is_followed_merge_by_merge():
    first = poulis.measure({**SMALL, "kind": "merges", "function": "coat", "merges": 0})
    last = poulis.measure({**SMALL, "kind": "merges", "function": "coat", "merges": 39})
    assert (first["clusters"], last["clusters"]) == (40, 1)
    whole = poulis.measure({**SMALL, "kind": "run", "function": "coat", "delta": 1.0, "queries": False})
    assert last["ul"] == pytest.approx(whole["ul"])
    assert first["ul"] == pytest.approx(whole["tum_before"])
    assert (first["rises"], first["largest_rise"]) == (0, 0)


def test_both_orders_and_the_formation_are_measured():
    orders = poulis.measure({**SMALL, "kind": "orders", "function": "aa"})
    assert 0 < orders["ul_ul"] <= 1
    assert orders["ncp_ul"] <= 0.6
    assert poulis.measure({**SMALL, "kind": "formation"})["clusters"] == 40
    assert poulis.measure({"kind": "shape", "data": "youtube_like", "records": 400})["longest"] == 37


def test_mental_disorders():
    assert [code for code in ("289", "290", "319", "320", "V29", "E300") if poulis.is_sensitive(code)] == ["290", "319"]
