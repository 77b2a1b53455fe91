"""Experiments on COAT: measurements of a case, random draws, and claims."""

import json
from collections import Counter

import numpy as np
import pytest
from benchmarks.experiments import runner
from benchmarks.experiments.cases import Finding, Results
from benchmarks.experiments.factors import ORDERS, POLICIES, RUNS, SAMPLES, WORKLOADS
from benchmarks.experiments.loukides2010 import cases, measurement, policies

from anonset import SetColumn
from anonset.errors import InfeasibleError

pytestmark = [pytest.mark.compiled, pytest.mark.studies]

PAPER = runner.paper("loukides2010")
FIGURES = {figure.key: figure for figure in PAPER.figures}
SMALL = {"data": "pos_like", "records": 800, "fanout": 5, "k": 5, "order": "random 1", "workload": "workload 1"}
TIMES = ("seconds", "peak_mib")
CHOICES = {
    "suppressed": (0, 0, 0.0001, 0.2),
    "suppressed_occurrences": (0, 0, 0.0001, 0.2),
    "suppressed_occurring": (0, 0, 0.2),
    "utility_violated": (0, 0, 1),
    "utility_groups": (1, 1, 20),
    "ncp": (0.02, 0.3, 0.6, 0.9),
    "ul_log2": (-8, 3, 12, 120),
    "largest": (2, 5, 20, 120),
    "are_frequent": (0.01, 0.3, 2),
    "peak_mib": (300, 2000),
}
NULL = ("null_are_frequent", "null_are_record_q2", "null_are_own_q2")
FIXED = {name for name in CHOICES if name.startswith(("suppressed", "utility", "peak"))}
BASES, FACTORS = (0.01, 0.1, 1, 100), (0.02, 0.5, 1, 1, 2, 6, 25)


def invented(figure, random):
    """Return values for all points of a figure: a base per curve, growing or constant, or a choice of few values.

    Often all curves are equal except for a factor on AA and on the last point, so that each claim fails in some draw.
    """
    points = list(dict.fromkeys((case.series, case.x) for case in figure.cases))
    positions = list(dict.fromkeys(x for _, x in points))
    quantities = [*figure.quantities, *CHOICES, "are_record_q2", "are_own_q2", *NULL]
    alike, values = random.random() < 0.6, {}

    def bases():
        return {q: float(random.choice(CHOICES.get(q, BASES))) for q in quantities}

    shared, lead, last = bases(), float(random.choice(FACTORS)), float(random.choice(FACTORS))
    base_of = {name: shared if alike else bases() for name in dict.fromkeys(name for name, _ in points)}
    power = {name: float(random.choice((-2, 0, 0, 0.2, 1, 4))) for name in base_of}
    for name, x in points:
        place = float(positions.index(x) + 1)
        factor = (lead * (last if x == positions[-1] else 1.0)) if alike and not name.startswith("COAT") else 1.0
        grown = {q: value * place ** power[name] for q, value in base_of[name].items() if q not in FIXED}
        values[name, x] = base_of[name] | {q: value * factor for q, value in grown.items()}
        if last > 1 and x != positions[0]:
            values[name, x] |= {q: 0.0 for q in FIXED if q.startswith("suppressed")}
    return Results(values)


def test_every_claim_can_hold_and_can_fail():
    random, answers = np.random.default_rng(0), {}
    for _ in range(250):
        for figure in (figure for figure in PAPER.figures if figure.claims):
            results = invented(figure, random)
            for claim in () if figure.key.startswith("table") else [claim for claim in figure.claims if claim.check]:
                result = Finding(*claim.check(results))
                assert result.shown
                assert not result.parts or result.held == all(result.parts.values())
                answers.setdefault((figure.key, claim.text), set()).add(bool(result.held))
    never_both = [(*claim, verdicts) for claim, verdicts in answers.items() if len(verdicts) < 2]
    assert never_both == []


@pytest.mark.parametrize(
    ("figure", "given"),
    [
        ("table1", {"bms_webview1": (59_602, 497, 267, 2.5), "bms_webview2": (77_512, 3_340, 161, 5.0)}),
        ("table2", {"PP6": (33, 33, 33, 1), "PP7": (30, 30, 30, 10), "PP8": (25,) * 4, "PP9": (16.7, 16.7, 16.7, 50)}),
    ],
)
def test_tables_of_numbers_are_compared(figure, given):
    keys = [key for key in FIGURES[figure].quantities if key != "domain"][:4]
    results = {("here", x): dict(zip(keys, values, strict=True)) for x, values in given.items()}
    (claim,) = FIGURES[figure].claims
    assert claim.check(Results(results))[0]
    next(iter(results.values()))[keys[3]] += 0.2
    assert not claim.check(Results(results))[0]


def test_every_case_has_a_unique_name_that_lists_its_draws():
    assert max(Counter(case.slug for case in PAPER.cases).values()) == 1
    for case in PAPER.cases:
        drawn = case.parameters
        if case.repetition in ORDERS.levels:
            assert drawn["order"] == case.repetition
            assert drawn["workload"].split()[1] == (
                case.repetition.split()[-1] if case.repetition in ORDERS.draws else "1"
            )
        if case.repetition in SAMPLES.levels:
            assert drawn["sample"] == case.repetition
        assert drawn.get("privacy", "pgen") == "pgen" or "policy" in drawn
        assert (case.cost == "time") == (case.repetition in RUNS.levels)
        assert ("run" in drawn, bool(drawn.get("memory"))) == (case.cost == "time", case.cost == "memory")


def test_everything_that_is_drawn_has_twenty_repetitions():
    for figure in PAPER.figures:
        levels = {case.repetition for case in figure.cases}
        for claim in figure.claims:
            if claim.check is not None:
                assert levels.issuperset(claim.factor.levels if claim.factor else [""]), claim.text
                assert claim.factor in (None, ORDERS, SAMPLES, WORKLOADS, POLICIES, RUNS)


def test_aa_is_the_same_for_all_policies_and_measured_once():
    parameters = {
        json.dumps(dict(case.parameters), sort_keys=True)
        for case in FIGURES["fig11"].cases
        if case.series.startswith("AA") and case.repetition == "random 3"
    }
    assert len(parameters) == 2, "one a data set"
    there = {
        json.dumps(dict(case.parameters), sort_keys=True) for case in (*FIGURES["fig8"].cases, *FIGURES["fig10a"].cases)
    }
    assert parameters <= there, "the same as for k=5"


@pytest.mark.parametrize("algorithm", ["coat", "pcta", "apriori"])
def test_a_recoding_is_measured_by_all_losses_and_workloads(algorithm):
    chosen = {**SMALL, "algorithm": algorithm, "m": 2}
    measured = measurement.measure(chosen)
    assert 0 < measured["ncp"] < 1
    assert measured["ul_log2"] > 0
    assert measured["largest"] > 1
    assert measured["suppressed"] == measured["suppressed_occurrences"] == 0
    assert measured["answered_record_q1"] == measured["answered_record_q3"] == 1000
    assert measured["are_record_q1"] > 0
    assert measured["answered_own_q3"] < 1000
    assert measured["checked"] == "all combinations of up to 2 items"
    assert measured["increments" if algorithm == "apriori" else "merges"] > 0
    assert not [name for name in measured if name.startswith(TIMES)]
    assert measured == measurement.measure(chosen)


def test_the_leaf_order_changes_a_recoding_but_no_query_and_no_policy():
    chosen = {**SMALL, "algorithm": "coat", "m": 2}
    first, other = (measurement.measure({**chosen, "order": order}) for order in ("random 1", "lexical"))
    assert first["ncp"] != other["ncp"]
    column = measurement.records_of(SMALL)
    policy = policies.privacy_policy({"privacy": "PP2", "policy": "policy 4"}, column)
    assert policy != policies.privacy_policy({"privacy": "PP2", "policy": "policy 5"}, column)
    queries = measurement.measure({**chosen, "workload": "workload 2"})
    assert queries["ncp"] == first["ncp"]
    assert queries["are_record_q2"] != first["are_record_q2"]


def test_policies_of_pairs_are_nested_or_drawn_independently():
    column = measurement.records_of({"data": "pos_like", "records": 800})

    def items(name, **more):
        policy = policies.privacy_policy({"privacy": name, "policy": "policy 2", **more}, column)
        return {item for pair in policy.itemsets for item in pair}

    assert items("PP1") < items("PP2") < items("PP5")
    assert not items("PP1", apart=True) <= items("PP2", apart=True)


def test_itemsets_are_drawn_from_all_items_or_from_records():
    column = measurement.records_of({"data": "pos_like", "records": 800})
    rows = [set(row) for row in column.rows()]

    def occurring(**more):
        policy = policies.privacy_policy({"privacy": "PP8", "policy": "policy 2", **more}, column)
        return len(policy), sum(any(row.issuperset(itemset) for row in rows) for itemset in policy.itemsets)

    complete, there = occurring()
    assert complete == 1000
    assert there < 600
    several, all_there = occurring(drawn_from="records")
    assert 700 < several == all_there
    assert occurring(itemsets=200)[0] == 200


def test_suppression_without_a_bound_is_the_required_bound():
    groups = {**SMALL, "m": 2, "utility": 25, "algorithm": "coat"}
    free = measurement.measure({**groups, "max_suppressed": 1.0})
    assert 0 < free["suppressed"] < 1
    assert free["suppressed_occurrences"] > 0
    assert free["utility_violated"] == 0
    enough = free["suppressed"] + 1e-9
    assert measurement.measure({**groups, "max_suppressed": enough}) == free
    with pytest.raises(InfeasibleError):
        measurement.measure({**groups, "max_suppressed": free["suppressed"] / 2})
    assert measurement.measure({**SMALL, "m": 2, "utility": 25, "algorithm": "apriori"})["utility_violated"] > 0


def test_a_timing_run_measures_time_once_and_memory_separately():
    chosen = {**SMALL, "algorithm": "coat", "m": 2, "max_suppressed": 0.005}
    assert list(measurement.measure({**chosen, "run": "run 1"})) == ["seconds"]
    assert list(measurement.measure({**chosen, "memory": True})) == ["peak_mib"]
    pgen = {"data": "pos_like", "records": 800, "algorithm": "pgen", "k": 5}
    assert list(measurement.measure({**pgen, "run": "run 2"})) == ["seconds"]
    assert measurement.measure({**pgen, "memory": True})["constraints"] > 300


def test_data_and_shares_are_described():
    described = measurement.measure({**SMALL, "algorithm": "describe"})
    assert described["records"] == 800
    assert described["items"] <= described["domain"]
    assert described["average"] == pytest.approx(6.5, abs=0.3)
    shares = measurement.measure({**SMALL, "algorithm": "policy", "privacy": "PP9", "policy": "policy 1"})
    assert [round(shares[f"percent_of_{size}"]) for size in (1, 2, 3, 4)] == [17, 17, 17, 50]


def test_records_are_thinned_to_an_average_and_keep_an_item_each():
    column = SetColumn.of([[str(i + j) for j in range(1 + i % 9)] for i in range(200)])
    result = measurement.thinned(column, 2.5, 3)
    assert result.n == 200
    assert result.lengths.mean() == pytest.approx(2.5, abs=0.01)
    assert result.lengths.min() == 1
    assert all(set(few) <= set(many) for few, many in zip(result.rows(), column.rows(), strict=True))
    assert result.vocabulary == column.vocabulary
    assert np.array_equal(result.items, measurement.thinned(column, 2.5, 3).items)
    assert not np.array_equal(result.items, measurement.thinned(column, 2.5, 4).items)


@pytest.mark.data
@pytest.mark.parametrize("name", ["SynPUF, sub-chapters", "diabetes, sub-chapters", "masked 6 years"])
def test_disorders_are_measured_on_a_sample_of_a_hospital(name):
    shared = {"records": 400, "fanout": None, "frequent": True, "sample": "sample 2", "workload": "workload 2", "k": 5}
    chosen = {**cases.HOSPITALS[name], **shared, "algorithm": "coat", "privacy": "pgen", "max_suppressed": 1.0}
    measured = measurement.measure(chosen)
    assert measured["utility_groups"] == policies.DISORDERS + 1
    assert measured["utility_violated"] == 0
    assert measured["suppressed"] < measured["suppressed_occurring"]
    other = measurement.measure({**chosen, "sample": "sample 3"})
    assert (other["constraints"], other["ncp"]) != (measured["constraints"], measured["ncp"])
