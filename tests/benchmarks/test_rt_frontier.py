"""The study of RT-datasets: measurements on small data, and claims on invented results."""

import random

import numpy as np
import pytest
from benchmarks.experiments import criteria, rt_frontier, runner
from benchmarks.experiments.cases import Results
from benchmarks.experiments.judging import judge
from benchmarks.experiments.poulis2013 import jobs
from benchmarks.experiments.rt_frontier import claims, measurement

from anonset.data import SetColumn, Table
from anonset.data.table import CategoricalColumn, NumericColumn

pytestmark = [pytest.mark.compiled, pytest.mark.studies]

PAPER = runner.paper("rt_frontier")
PAPER_POINTS = rt_frontier.POINTS
DRAW = random.Random(5)
ROWS = [{f"i{int(12 * DRAW.random() ** 2)}" for _ in range(DRAW.randint(1, 5))} for _ in range(240)]
TABLE = Table(
    SetColumn.of(ROWS),
    (
        NumericColumn("age", np.array([DRAW.randint(18, 90) for _ in ROWS], np.int64)),
        CategoricalColumn.of("place", [DRAW.choice("abcd") for _ in ROWS]),
    ),
)
ASKED = {"what": "whole", "data": "small", "k": 3, "m": 2}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    measurement._reach.cache_clear()
    monkeypatch.setattr(jobs, "_whole", lambda _: TABLE)
    job = jobs.Job.of({"data": "small", "values": "plain"})
    monkeypatch.setattr(measurement, "_job", lambda _: job)


@pytest.mark.parametrize(
    "more",
    [
        {"framework": "joint-split", "function": "set-search", "point": "items"},
        {"framework": "rum-bound", "function": "coat", "merge": "rt", "bound": 0.3},
        {"framework": "tum-bound", "function": "apriori", "merge": "r", "bound": 0.5},
        {"framework": "rfirst", "function": "coat"},
        {"framework": "tfirst", "function": "apriori"},
    ],
)
def test_a_framework_is_measured(more: dict[str, object]) -> None:
    measured = measurement.measure({**ASKED, **more})
    assert {"rum", "tum", "items_error", "pairs_error", "usefulness", "kept", "are_1_2", "are1s_2_2"} <= measured.keys()
    assert 0 <= measured["rum"] <= 1
    assert 0 < measured["items_error"] < 2


def test_points_allow_different_losses() -> None:
    options = {**ASKED, "framework": "joint-split", "function": "set-search"}
    losses = [measurement.measure({**options, "point": point})["rum"] for point in PAPER_POINTS]
    assert losses == sorted(losses)
    assert losses[0] < losses[-1]
    assert losses[-1] <= PAPER_POINTS["items"]


def test_a_search_beyond_its_time_limit_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "LIMIT", 1e-3)
    measured = measurement.measure({**ASKED, "framework": "joint-split", "function": "set-search", "point": "items"})
    assert measured == {"did_not_end_within": 1e-3}


def test_a_bound_below_the_first_clusters_is_a_result() -> None:
    measured = measurement.measure(
        {**ASKED, "framework": "rum-bound", "function": "coat", "merge": "r", "bound": 0.001}
    )
    assert measured.keys() == {"infeasible_below"}
    assert measured["infeasible_below"] > 0.001


def test_a_weight_is_learned_on_one_half() -> None:
    measured = measurement.measure({**ASKED, "what": "halves", "halves": 2})
    assert 0 < measured["w"] <= 0.5
    assert 0 < measured["learned_rum"] < 1
    assert measured["learned_rum"] != measured["rum"]


def results(values: dict[tuple[str, float], dict[str, float]]) -> Results:
    return Results(dict(values))


def test_the_best_variant_at_each_bound_is_compared() -> None:
    points = {("joint-split", 0.1): {"rum": 0.1, "e": 0.2}, ("RM_R", 0.1): {"e": 0.5}, ("RM_T", 0.1): {"e": 0.3}}
    assert claims._best_at_bounds("e", "RM")(results(points)) == (True, "0.1: 0.2 / 0.3 (RM_T)")
    assert not claims._best_at_bounds("e", "RM")(results({**points, ("RM_RT", 0.1): {"e": 0.1}}))[0]
    with pytest.raises(KeyError):
        claims._best_at_bounds("e", "TM")(results(points))


def test_points_that_are_out_of_reach_are_named() -> None:
    points = {("joint-split", 0.1): {"rum": 0.1, "items_error": 0.2}, ("rfirst", 0.1): {"rum": 0.1, "items_error": 0.2}}
    assert claims._not_dominated("rfirst")(results(points)) == (True, "of 1 points: 0 not")
    holds, shown = claims._not_dominated("rfirst")(
        results({**points, ("rfirst, AA", 0.1): {"rum": 0.05, "items_error": 0.9}})
    )
    assert (holds, shown) == (False, "of 2 points: 1 not; rfirst, AA (0.05, 0.9)")
    assert not claims._not_dominated("tfirst")(results(points))[0]


def test_a_quantity_is_compared_with_its_position_or_another_quantity() -> None:
    points = {("joint-split", 0.1): {"rum": 0.12, "e": 0.3, "f": 0.2}}
    assert claims._each_within("rum", 0.1, 1.25)(results(points))[0]
    assert not claims._each_within("rum", 0.1, 1.1)(results(points))[0]
    assert not claims._each_within("e", "f", 1.25)(results(points))[0]
    assert claims._each_within("e", "f", 1.25, 0.05)(results(points))[0]
    assert not claims._each_within("e", "f", 2)(results({}))[0]


def test_points_differ_if_the_error_is_a_quarter_smaller_on_half_of_the_data() -> None:
    bounds = {"fine": 0.1, "coarse": 0.3}
    check = claims.differs("fine", "coarse", bounds).check
    assert check is not None
    points = {("a", 0.1): {"items_error": 0.4}, ("a", 0.3): {"items_error": 0.3}}
    points |= {("b", 0.1): {"items_error": 0.4}, ("b", 0.3): {"items_error": 0.31}}
    assert check(results(points)) == (True, "1 of 2 data sets: a 0.3 / 0.4; b 0.31 / 0.4")
    assert not check(results({**points, ("c", 0.1): {"items_error": 0.4}, ("c", 0.3): {"did_not_end_within": 120}}))[0]


def test_the_recorded_results_support_the_points() -> None:
    verdicts = [one.verdict for one in judge(PAPER, runner.results_of(PAPER)) if one.key == "points"]
    assert verdicts == [criteria.HOLDS_IN_WORDS] * 2


def test_each_declared_case_names_its_algorithm() -> None:
    for case in PAPER.cases:
        if case.parameters["what"] == "whole":
            assert measurement.algorithm_of(case.parameters).model.k == case.parameters["k"]
