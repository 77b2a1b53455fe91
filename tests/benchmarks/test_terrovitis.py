"""Experiments on AA, DA and OA: measurements of a case, counted work, and claims that can fail."""

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from benchmarks.experiments import judging, runner
from benchmarks.experiments.cases import Results
from benchmarks.experiments.factors import ORDERS, RUNS, SAMPLES, factor_of
from benchmarks.experiments.terrovitis2008 import fanout_of, levels, measurement
from benchmarks.experiments.terrovitis2008.claims import FIGURE_7
from benchmarks.experiments.terrovitis2008.inserted_sets import images_of, sets_by_size

from anonset import Apriori, Table
from anonset.data import Hierarchy, SetColumn
from anonset_datasets.entries import ENTRIES

pytestmark = [pytest.mark.compiled, pytest.mark.studies]

PAPER = runner.paper("terrovitis2008")
POWERS = (-2, -1, 0, 0, 0.5, 1, 2, 5)
BASES = {"ncp": (0.001, 0.001, 0.1), "published": (1, 20)}
EMPTY = ("AA", "Ta-Feng")
"""Curves with an empty count-tree once all items are generalized to the root."""
GENERATED = {"data": "pos_like", "records": 3_000, "k": 5, "m": 3, "fanout": 5, "order": "numeric"}


def invented(figure, random):
    """Return results in which every quantity is a power of the position, per curve or common to all curves."""
    positions = list(dict.fromkeys(case.x for case in figure.cases))
    place = {x: x if isinstance(x, int) else i + 1 for i, x in enumerate(positions)}
    low, alike, law = min(place.values()), random.random() < 0.3, {}
    for quantity in (*figure.quantities, "published"):
        shared = random.choice(BASES.get(quantity, (0.001, 0.1, 1, 100))), random.choice(POWERS)
        for series in dict.fromkeys(case.series for case in figure.cases):
            base_and_power = random.choice(BASES.get(quantity, (0.001, 0.1, 1, 100))), random.choice(POWERS)
            law[series, quantity] = shared if alike else base_and_power
    empty = random.random() < 0.05
    return {
        (case.series, case.x): {
            quantity: 0.0
            if empty and quantity == "tree_nodes" and series in EMPTY
            else base * (place[case.x] / low) ** float(power)
            for (series, quantity), (base, power) in law.items()
            if series == case.series
        }
        for case in figure.cases
    }


def test_every_claim_can_hold_and_can_fail():
    random, answers = np.random.default_rng(0), {}
    for _ in range(300):
        for figure in (figure for figure in PAPER.figures[1:] if figure.claims):
            results = Results(invented(figure, random))
            for claim in (claim for claim in figure.claims if claim.check):
                holds, shown = claim.check(results)[:2]
                assert shown
                answers.setdefault((figure.key, claim.text), set()).add(bool(holds))
    assert [claim for claim, verdicts in answers.items() if len(verdicts) < 2] == []


def test_the_table_of_data_sets_is_compared_with_the_papers():
    names = ("records", "items", "longest", "average")
    printed = {"bms_webview1": (59_602, 497, 267, 2.5), "bms_webview2": (77_512, 3_340, 161, 5.0)}
    results = {("here", x): dict(zip(names, values, strict=True)) for x, values in printed.items()}
    (claim,) = FIGURE_7
    assert claim.check(Results(results)).held
    results["here", "bms_webview2"]["average"] = 4.62
    verdict = claim.check(Results(results))
    assert (verdict.held, verdict.parts) == (False, {"bms_webview1": True, "bms_webview2": False})


def test_converging_means_a_small_final_difference():
    (figure,) = [figure for figure in PAPER.figures if figure.key == "fig8"]
    (claim,) = [claim for claim in figure.claims if claim.text.startswith("AA costs much less")]
    for last, expected in ((0.85, True), (0.7, False)):
        points = {("DA", x): {"inserted": 100} for x in (1, 2, 3)}
        points |= {("AA", x): {"inserted": 100 * part} for x, part in ((1, 0.3), (2, 0.6), (3, last))}
        assert claim.check(Results(points)).held == expected


def test_fan_outs_follow_from_the_tree_height():
    assert [(height, fanout_of(height, 1_657)) for height in (4, 5, 6, 7, 8)] == [
        (4, 12),
        (5, 7),
        (6, 5),
        (7, 4),
        (8, 3),
    ]
    assert levels(fanout_of(5, 2_012), 2) == 4
    with pytest.raises(ValueError, match="no fan-out gives 4 levels over 4 leaves"):
        fanout_of(4, 4)
    shown = [case for case in PAPER.cases if case.figure == "fig11c"]
    assert {case.x for case in shown} == {4, 5, 6, 7}
    for case in shown:
        assert levels(ENTRIES[case.parameters["data"]].n_items, case.parameters["fanout"]) == case.x


def test_arbitrary_choices_are_repeated_and_timings_have_three_runs():
    for figure in PAPER.figures:
        position = {level: [case for case in figure.cases if case.repetition == level] for level in ORDERS.levels}
        assert len({len(cases) for cases in position.values()}) == 1, figure.key
        for case in figure.cases:
            factor = factor_of(case.repetition)
            assert (case.cost == "time") == (factor is RUNS)
            assert factor is None or case.parameters[factor.parameter] == case.repetition
            assert case.parameters["what"] == {"time": "time", "memory": "memory"}.get(
                case.cost, case.parameters["what"]
            )
    assert {case.repetition for case in PAPER.cases if case.figure == "fig8_samples"} == set(SAMPLES.levels)


def test_the_case_of_several_figures_is_measured_once():
    once = {str(sorted(case.parameters.items())) for case in PAPER.cases if case.repetition == "random 1"}
    assert len(once) < 0.8 * sum(case.repetition == "random 1" for case in PAPER.cases)


@pytest.mark.parametrize("algorithm", ["optimal", "direct", "apriori"])
def test_losses_and_work_are_reproducible(monkeypatch, algorithm):
    monkeypatch.setattr(measurement, "load_whole", lambda name, records: of_random_records())
    case = {"data": "made", "algorithm": algorithm, "k": 4, "m": 2, "fanout": 3, "what": "losses"}
    result = {order: measurement.measure({**case, "order": order}) for order in ("numeric", "random 1")}
    assert measurement.measure({**case, "order": "random 1"}) == result["random 1"]
    assert result["numeric"]["ncp"] != result["random 1"]["ncp"]
    for entry in result.values():
        assert "seconds" not in entry
        assert entry["checked"] == "all combinations of up to 2 items"
        assert entry["height"] == 4
        assert 0 < entry["ncp"] < 1
        assert entry["inserted"] > entry["tree_nodes"] > 0
    assert ("cuts" in result["numeric"]) == (algorithm == "optimal")
    if algorithm == "optimal":
        assert result["numeric"]["lattice"] == result["random 1"]["lattice"] > result["numeric"]["cuts"]
    assert "tree_nodes" not in measurement.measure({**case, "order": "numeric", "tree": False})


def test_costs_are_measured_by_separate_cases():
    case = {**GENERATED, "algorithm": "apriori"}
    assert measurement.measure({**case, "what": "time"}).keys() == {"seconds"}
    assert measurement.measure({**case, "what": "memory"})["peak_mib"] > 1
    assert measurement.measure({"data": "pos_like", "records": 800, "what": "shape"})["records"] == 800


@pytest.mark.data
def test_a_sample_is_the_same_in_another_process():
    case = {"data": "bms_webview2", "records": 50, "items": 10, "sample": "sample 3"}
    first = measurement.load({name: value for name, value in case.items() if name != "sample"})
    drawn = measurement.load(case)
    assert drawn.n == first.n == 50
    assert drawn.items.tolist() != first.items.tolist()
    program = (
        f"from benchmarks.experiments.terrovitis2008.measurement import load\nprint(load({case!r}).items.tolist())"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], cwd=runner.ROOT, capture_output=True, text=True, check=True
    )
    assert output.stdout.strip() == str(drawn.items.tolist())


def of_random_records(seed: int = 0, n: int = 60, items: int = 14) -> SetColumn:
    random, domain = np.random.default_rng(seed), [str(item) for item in range(items)]
    rows = [[domain[i] for i in random.choice(items, random.integers(0, 5), replace=False)] for _ in range(n)]
    return SetColumn.of([*rows, domain[:9]], universe=domain)


@pytest.mark.parametrize("seed", range(4))
def test_sets_are_counted_as_they_are_put_into_the_tree(seed):
    hierarchy = Hierarchy.balanced([str(item) for item in range(14)], 3)
    column = hierarchy.bind(of_random_records(seed))
    result = Apriori(k=4, m=3).recode(Table(column), {column.name: hierarchy})
    images = images_of(result.trace, hierarchy, 3)
    assert np.array_equal(images[-1], result.recoding.image)
    for m in (1, 2):
        before = Apriori(k=4, m=m).recode(Table(column), {column.name: hierarchy}).recoding
        assert np.array_equal(images[m], before.image)
    for image in images:
        assert sets_by_size(column, hierarchy, 4, image).tolist() == naive(column, hierarchy, 4, image)
    assert sets_by_size(column, hierarchy, 3)[1:].sum() == sum(naive(column, hierarchy, 3, hierarchy.leaf_node)[1:])


def naive(column, hierarchy, most, image) -> list[int]:
    """Count sets of unrelated nodes at or above a cut, as sets of each record's nodes."""
    above = {node: set(hierarchy.ancestors(node)) for node in range(hierarchy.n_nodes)}
    counts = [0] * (most + 1)
    for first, end in zip(column.indptr[:-1].tolist(), column.indptr[1:].tolist(), strict=True):
        entries = {int(image[item]) for item in column.items[first:end].tolist()}
        nodes = entries.union(*(above[node] for node in entries)) - {0}
        for size in range(most + 1):
            counts[size] += sum(
                not any(b in above[a] or a in above[b] for a, b in combinations(chosen, 2))
                for chosen in combinations(sorted(nodes), size)
            )
    return counts


def test_claims_without_results_are_not_judged():
    judged = judging.judge(PAPER, {})
    assert {judgement.verdict for judgement in judged} == {"not measured", "not testable here"}
    assert {judgement.claim.kind for judgement in judged} == {"paper", "derived", "own", "enforced"}
