"""Experiments on suppression with generalization: measurements of a case, repetitions, and claims."""

import json
import subprocess
import sys

import numpy as np
import pytest
from benchmarks.experiments import runner
from benchmarks.experiments.cases import Results
from benchmarks.experiments.liu2010 import measurement as liu

pytestmark = [pytest.mark.compiled, pytest.mark.studies]

SMALL = {"data": "pos_like", "records": 800, "k": 5}
BALANCED = {**SMALL, "fanout": 5, "order": "numeric"}
CHOICES = {
    "seconds": (0.01, 0.1, 1, 100),
    "threats": (10, 1000),
    "cuts": (5, 50),
    "published": (1, 20),
    "shared": (0, 0, 3),
    "suppressed": (0, 0.1),
}
NCP = (0.001, 0.03, 0.1, 0.1, 0.2, 0.4, 0.6, 0.9)
ALGORITHMS = [
    ("apriori", {"m": 2}),
    ("local-generalization", {}),
    ("lra", {"m": 2}),
    ("hghs", {"m": 2}),
    ("mhghs", {"m": 2}),
    ("coherence-suppression", {"h": 1.0, "p": 2}),
]


def test_every_claim_can_hold_and_can_fail():
    """Judge invented results, in which every quantity is a power of x: no check raises, and none is constant."""
    random, answers, orders = np.random.default_rng(0), {}, {}
    for _ in range(200):
        for figure in (figure for figure in runner.paper("liu2010").figures if figure.claims):
            results = Results(invented(figure, random))
            for claim in (claim for claim in figure.claims if claim.check):
                try:
                    verdict = claim.check(results)
                except KeyError:
                    if figure.key in ("drawn", "drawn_k"):  # MM was not run for all m there
                        continue
                    raise
                assert verdict.shown
                assert not verdict.parts or claim.over, claim.text
                answers.setdefault((figure.key, claim.text), set()).add(bool(verdict.held))
                for part, found in verdict.gaps.items():
                    for compared, gap in found.items():
                        orders.setdefault((figure.key, claim.text, part, compared), set()).add(gap > 0)
    orderings = {claim[:2] for claim in orders}  # of several comparisons: each can hold, and not hold
    found = orders | {claim: verdicts for claim, verdicts in answers.items() if claim not in orderings}
    assert [claim for claim, verdicts in found.items() if len(verdicts) < 2] == []


def invented(figure, random):
    """Invent a value of every quantity for each case: a level of the curve, times a power of the position.

    In half of the draws, all skews are alike.
    """
    alike = random.random() < 0.5
    places = {x: i + 1 for i, x in enumerate(dict.fromkeys(case.x for case in figure.cases))}
    law = {}
    for series in dict.fromkeys(case.series for case in figure.cases):
        for quantity in (*figure.quantities, "published", "shared"):
            level = random.choice(CHOICES.get(quantity, NCP))
            law[series, quantity] = float(level), float(random.choice((0, 0, 0.1, 1, 3)))
        if alike:
            law |= {(series, q): law[series, "ncp_2"] for q in figure.quantities if q.startswith("ncp_")}
    return {
        point: {
            quantity: level * places[point[1]] ** power
            for (series, quantity), (level, power) in law.items()
            if series == point[0]
        }
        for point in dict.fromkeys((case.series, case.x) for case in figure.cases)
    }


def test_a_claim_has_cases_at_every_repeated_level():
    for figure in runner.paper("liu2010").figures:
        levels = {case.repetition for case in figure.cases}
        for claim in (claim for claim in figure.claims if claim.check):
            assert set(claim.factor.levels if claim.factor else [""]) <= levels, (figure.key, claim.text)


def test_order_independent_algorithms_are_measured_once():
    (figure,) = [figure for figure in runner.paper("liu2010").figures if figure.key == "fig3b"]
    distinct = {}
    for case in figure.cases:
        distinct.setdefault((case.series, case.x), set()).add(json.dumps(case.parameters, sort_keys=True))
    assert {len(parameters) for (series, _), parameters in distinct.items() if series == "MM"} == {1}
    assert {len(parameters) for (series, _), parameters in distinct.items() if series != "MM"} == {24}


@pytest.mark.parametrize(("algorithm", "own"), ALGORITHMS)
def test_a_case_is_reproducible(algorithm, own):
    chosen = {**BALANCED, "algorithm": algorithm, **own}
    measured = liu.measure(chosen)
    assert measured["refused"] == 0
    assert 0 < measured["ncp"] < 1
    for cached in (liu._records, liu._bound):
        cached.cache_clear()
    assert liu.measure(chosen) == measured
    assert "seconds" not in measured


def test_leaf_order_affects_all_algorithms_except_pure_suppression():
    apriori = {**BALANCED, "algorithm": "apriori", "m": 2}
    assert len({liu.measure({**apriori, "order": order})["ncp"] for order in ("numeric", "random 1", "random 2")}) == 3
    alone = {"algorithm": "coherence-suppression", "h": 1.0, "p": 2}
    assert liu.measure({**SMALL, **alone})["ncp"] == liu.measure({**BALANCED, **alone})["ncp"]


def test_only_the_first_repetition_is_verified():
    chosen = {**BALANCED, "algorithm": "mhghs", "m": 2}
    assert liu.measure({**chosen, "order": "random 1"})["checked"] == "all combinations of up to 2 items"
    assert "checked" not in liu.measure({**chosen, "order": "random 2"})


def test_drawn_taxonomies_are_measured_by_their_skew():
    chosen = {**SMALL, "skews": [0, 4], "share": 0.5, "tree": "tree 3"}
    measured = liu.measure({**chosen, "algorithm": "apriori", "m": 2})
    assert measured["ncp_0"] < measured["ncp_4"]
    assert liu.bound(chosen, 4)[0].n == 400
    without = {name: value for name, value in chosen.items() if name != "tree"}
    alone = liu.measure({**without, "sample": "sample 3", "algorithm": "coherence-suppression", "h": 1.0, "p": 2})
    assert alone["ncp_0"] == alone["ncp_4"] > measured["ncp_4"]
    sampled = liu.bound({**without, "sample": "sample 3"})[0]
    assert sampled.lengths.tolist() == liu.bound(chosen, 4)[0].lengths.tolist()


def test_a_sample_is_the_same_in_another_process():
    chosen = {**SMALL, "sample": "sample 2", "share": 0.25, "algorithm": "local-generalization", "fanout": 5}
    code = f"from benchmarks.experiments.liu2010.measurement import measure; print(measure({chosen!r})['ncp'])"
    other = subprocess.run([sys.executable, "-c", code], cwd=runner.ROOT, capture_output=True, text=True, check=True)
    assert float(other.stdout) == liu.measure(chosen)["ncp"]
    assert liu.measure({**chosen, "sample": "sample 1"})["ncp"] != liu.measure(chosen)["ncp"]


def test_a_timing_run_measures_only_seconds():
    chosen = {**SMALL, "run": "run 1", "skews": [2], "tree": "tree 1", "share": 0.5}
    measured = liu.measure({**chosen, "algorithm": "mhghs", "m": 2})
    assert set(measured) == {"seconds", "records"}
    assert measured["seconds"] > 0
    assert measured["records"] == 400


def test_only_local_recoding_publishes_an_item_in_several_ways():
    shared = {}
    for name, parameters in (("local-generalization", {}), ("apriori", {"m": 2}), ("mhghs", {"m": 2})):
        chosen = {key: value for key, value in BALANCED.items() if key != "order"}
        shared[name] = liu.measure({**chosen, "algorithm": name, **parameters})["shared"]
    assert shared["local-generalization"] > 0 == shared["apriori"] == shared["mhghs"]


def test_a_search_beyond_the_memory_limit_is_recorded():
    """Rejection depends on a count, not on a time, so it is reproducible."""
    chosen = {**BALANCED, "algorithm": "hghs", "m": 2, "max_threats": 5000}
    assert liu.measure(chosen)["refused"] == 1
    assert liu.measure(chosen) == liu.measure(chosen)
