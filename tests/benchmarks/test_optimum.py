"""The study of the optimal cut: measurements on small data, and claims on invented results."""

import numpy as np
import pytest
from benchmarks.experiments import runner
from benchmarks.experiments.cases import Results
from benchmarks.experiments.optimum.distances import Limits, distances, percent, summarized
from benchmarks.experiments.optimum.measurement import measure, orders

from anonset.data import Hierarchy, SetColumn

pytestmark = [pytest.mark.compiled, pytest.mark.studies]

PAPER = runner.paper("optimum")
ENOUGH = Limits(max_steps=1_000, max_sets=10**9, max_threats=10**6)


def baskets() -> SetColumn:
    """Return records for which AA's loss exceeds the optimum."""
    rows = ["bread tea", "rolls cheese", "bread tea", "pears milk", "cheese juice", "rolls cheese", "pears milk"]
    universe = ["apples", "pears", "bread", "rolls", "milk", "cheese", "tea", "juice"]
    return SetColumn.of([row.split() for row in [*rows, "bread cheese"]], universe=universe)


def test_distances_are_relative_to_the_optimal_cut():
    column = baskets()
    hierarchy = Hierarchy.balanced(column.vocabulary.labels, 2)
    result = distances(hierarchy.bind(column), hierarchy, 2, 2, ENOUGH, suppress=False)
    assert result["best"] == 0.28125
    assert (result["open"], result["apriori"], result["direct"]) == (0, percent(0.359375, 0.28125), result["apriori"])
    with_suppression = distances(hierarchy.bind(column), hierarchy, 2, 2, ENOUGH, suppress=True)
    assert with_suppression["best"] <= result["best"]
    assert min(with_suppression["hghs"], with_suppression["mhghs"]) >= 0


def test_rejected_cases_have_no_result():
    column = baskets()
    hierarchy = Hierarchy.balanced(column.vocabulary.labels, 2)
    tight = Limits(max_steps=1_000, max_sets=1, max_threats=1)
    assert "direct" not in distances(hierarchy.bind(column), hierarchy, 2, 2, tight, suppress=False)
    assert distances(hierarchy.bind(column), hierarchy, 2, 2, tight, suppress=True) == {}


def test_orders_are_permutations_of_the_items():
    column = SetColumn.of([{"10", "9"}, {"2"}, {"10"}])
    result = orders(column, 3)
    assert {name: result[name] for name in ("numeric", "lexical", "frequency")} == {
        "numeric": ["2", "9", "10"],
        "lexical": ["10", "2", "9"],
        "frequency": ["10", "2", "9"],
    }
    assert [name for name in result if name.startswith("random")] == ["random 0", "random 1", "random 2"]
    assert all(sorted(labels) == ["10", "2", "9"] for labels in result.values())
    assert "numeric" not in orders(baskets(), 0)


def test_summary_counts_proven_runs_and_shows_median_and_range():
    result = summarized([{"best": 0.1, "open": 0.0}, {"best": 0.3, "open": 2.0}, {"best": 0.2, "open": 0.0}])
    assert (result["runs"], result["proven"]) == (3, 2)
    assert (result["best_least"], result["best_median"], result["best_most"]) == (0.1, 0.2, 0.3)


@pytest.mark.parametrize("m", [2, 3])
def test_a_search_over_generated_baskets_is_measured(m):
    chosen = {"what": "search", "k": 5, "m": m, "suppress": False, "max_steps": 500}
    measured = measure({**chosen, "records": 2_000, "items": 400})
    assert (measured["open"], measured["records"]) == (0, 2_000)
    assert 0 < measured["ncp"] <= 1


def invented(figure, random):
    """Return results of a figure with random values for all quantities of the study."""
    stems = [f"m{m}{mode}" for m in (1, 2, 3) for mode in ("", "s")]
    names = ["open", "programs", "root", "apriori", "direct", "vpa", "hghs", "mhghs"]
    largest, of_random = random.choice([0.0, 1.0, 50.0]), random.choice([0.05, 0.2])

    def drawn():
        sets = {f"{stem}_{name}": float(random.choice([0, largest])) for stem in stems for name in names}
        best = {"best_least": 0.1, "best_most": 0.1 + random.choice([0, 0.2])}
        apriori = {"apriori_least": 0.0, "apriori_median": random.choice([0, largest / 2]), "apriori_most": largest}
        orders = {"best in frequency order": 0.1, "best of random orders": of_random}
        return sets | best | apriori | orders | {"open": largest, "seconds": 1.0}

    power = random.choice([0, 1, 4])
    result = {(case.series, case.x): drawn() for case in figure.cases}
    for (_, x), entry in result.items():
        entry["seconds"] = float(x) ** power if isinstance(x, int) else 1.0
    return result


def test_every_claim_can_hold_and_can_fail():
    random, answers = np.random.default_rng(0), {}
    for _ in range(200):
        for figure in PAPER.figures:
            results = Results(invented(figure, random))
            for claim in figure.claims:
                holds, shown = claim.check(results)
                assert shown
                answers.setdefault((figure.key, claim.text), set()).add(bool(holds))
    assert [claim for claim, verdicts in answers.items() if len(verdicts) < 2] == []
