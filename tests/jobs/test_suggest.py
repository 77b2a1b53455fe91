"""What is suggested for a guarantee: the candidate that loses the least, which holds, on all data."""

import random

import pytest

import anonset
from anonset.algorithms.registry import ALGORITHMS
from anonset.algorithms.relational.formations import FORMATIONS
from anonset.errors import InputError
from anonset.jobs.candidates import KNOWN, NOT_TRIED, candidates_for
from anonset.jobs.suggest import suggest

RNG = random.Random(5)
ROWS = [{f"{RNG.choice('abc')}{RNG.randrange(4)}" for _ in range(RNG.randint(1, 4))} for _ in range(120)]
TREE = {"any": {"A": [f"a{n}" for n in range(4)], "B": [f"b{n}" for n in range(4)], "C": [f"c{n}" for n in range(4)]}}
TABLE = anonset.Table.from_sets(ROWS)
MODEL = anonset.KmAnonymity(k=3, m=2)


@pytest.fixture(scope="module")
def found():
    return suggest(TABLE, MODEL, hierarchies={"items": TREE}, workers=1)


def test_the_best_is_that_of_least_loss(found):
    best = found.recommended
    held = [one for one in found.candidates if one.outcome == "holds"]
    assert best is held[0]
    assert best.loss == min(one.loss for one in held)
    assert not best.sampled
    release = anonset.anonymize(TABLE, anonset.Exact(k=3, m=2), hierarchies={"items": TREE})
    exact = next(one for one in found.candidates if dict(one.settings) == {"algorithm": "exact"})
    assert exact.measures["ncp"] == release.measures["ncp"]
    assert exact.shares["items"]["kept"] == pytest.approx(release.retention["items"]["kept"] / sum(map(len, ROWS)))
    assert sum(exact.levels.values()) == pytest.approx(1)


def test_what_limits_is_told(found):
    exact = min(one.measures["ncp"] for one in found.candidates if one.algorithm == "exact")
    assert f"no cut of it loses less than {exact:.4f}" in found.limit
    assert found.limit.startswith("the hierarchy is the limit")
    assert (found.recommended.loss < exact) == ("which forms" in found.limit or "sets of its own" in found.limit)


def test_large_data_are_sampled_first():
    found = suggest(TABLE, MODEL, hierarchies={"items": TREE}, workers=1, large=60)
    assert found.sample == 60
    assert {one.sampled for one in found.candidates} == {True, False}
    assert sum(not one.sampled for one in found.candidates) == 3
    assert found.recommended is found.candidates[0]
    assert repr(found.candidates) == repr(suggest(TABLE, MODEL, hierarchies={"items": TREE}, large=60).candidates)


def test_without_time_nothing_is_tried():
    found = suggest(TABLE, MODEL, seconds=0.0)
    assert {one.outcome for one in found.candidates} == {"too long"}
    assert (found.recommended, found.limit) == (None, "")
    assert "none of them leaves anything of use" in found.reason


def test_roles_beside_items():
    people = {"age": [str(20 + n % 30) for n in range(60)], "codes": ROWS[:60]}
    both = anonset.read(people, items="codes", relational="age", numeric="age")
    found = suggest(both, anonset.KKmAnonymity(k=3, m=1), workers=1)
    assert found.recommended.outcome == "holds"
    assert {"items", "values"} <= found.recommended.shares.keys()
    ages = anonset.read({"age": people["age"]}, relational="age", numeric="age")
    found = suggest(ages, anonset.KAnonymity(k=3), workers=1)
    assert found.recommended.kept <= 1
    assert len(found.candidates) >= 3


def test_what_is_worthless_is_never_the_best():
    rows = [{f"i{n}", f"j{n % 7}"} for n in range(40)]
    flat = {"any": sorted({item for row in rows for item in row})}
    found = suggest(anonset.Table.from_sets(rows), MODEL, hierarchies={"items": flat}, workers=1)
    assert "worthless" in {one.outcome for one in found.candidates}
    assert found.recommended.outcome == "holds"


RNG2 = random.Random(9)
AGES = [str(20 + n % 30) for n in range(60)]
BUCKETS = anonset.read(
    {"p": [f"p{n // 2}" for n in range(60)], "drug": [RNG2.choice("vwxyz") for _ in range(60)]},
    id="p",
    sensitive="drug",
)
BOTH = anonset.read({"age": AGES, "codes": ROWS[:60]}, items="codes", relational="age", numeric="age")


AGES_ALONE = anonset.read({"age": AGES}, relational="age", numeric="age")
OF_MODELS = [
    (TABLE, MODEL, "exact"),
    (AGES_ALONE, anonset.KAnonymity(2), "bottom-up"),
    (BOTH, anonset.KKmAnonymity(2, 1), "rum-bound"),
    (TABLE, anonset.LmDiversity(2, 2, 1, ("a1",)), "lm-apriori"),
    (TABLE, anonset.KLmDiversity(2, 2, 1, ("a1",)), "lm-apriori"),
    (TABLE, anonset.Coherence(h=0.9, k=2, p=1, sensitive_items=("a1",)), "coherence-suppression"),
    (TABLE, anonset.TransactionKAnonymity(2), "local-generalization"),
    (BOTH, anonset.KLmDiversity(2, 2, 1, ("a1",)), "rum-bound"),
    (BUCKETS, anonset.SafetyConstraint(2, 2), "safe-grouping"),
    (BUCKETS, anonset.AnatomyDiversity(2), "anatomy"),
]


@pytest.mark.parametrize(("table", "model", "best"), OF_MODELS)
def test_every_model_has_candidates_all_of_which_are_tried(table, model, best):
    found = suggest(table, model, workers=1)
    assert found.recommended.outcome == "holds"
    assert best in {one.algorithm for one in found.candidates if one.outcome in ("holds", "worthless")}
    assert found.recommended.loss == min(one.loss for one in found.candidates)
    tried = [dict(one.settings) for one in found.candidates]
    assert sorted(tried, key=repr) == sorted(candidates_for(table, model), key=repr)
    assert {one.outcome for one in found.candidates} <= {"holds", "worthless", "infeasible"}


def test_every_algorithm_is_a_candidate_or_it_is_said_why_not():
    tried = {one["algorithm"] for table, model, _ in OF_MODELS for one in candidates_for(table, model)}
    assert {model.name for _, model, _ in OF_MODELS} == set(KNOWN)
    assert not tried & set(NOT_TRIED)
    assert tried | set(NOT_TRIED) == set(ALGORITHMS)


@pytest.mark.parametrize("n", [50_000, 50_001])
def test_quadratic_formations_are_left_out_of_large_data(n):
    ages = anonset.Table.from_columns(age=[str(age % 70) for age in range(n)])
    left_out = set() if n == 50_000 else {"cluster", "k-member", "xu-bottom-up", "xu-top-down", "local-recoding"}
    assert {one["algorithm"] for one in candidates_for(ages, anonset.KAnonymity(2))} == set(FORMATIONS) - left_out


def test_other_models_are_refused():
    with pytest.raises(InputError, match=r"suggest knows the models km, k, .*, got partition-km"):
        suggest(TABLE, anonset.PartitionKmAnonymity(2, 2))


def test_whether_hierarchy_or_algorithm_limits():
    from anonset.jobs.suggest import Candidate, _limit

    def one(name, ncp, **more):
        return Candidate(name, {}, "holds", measures={"ncp": ncp, **more})

    exact = one("exact", 0.3, gap=0.0)
    assert _limit(one("coat", 0.1), [exact]).startswith("the hierarchy is the limit: no cut of it loses less than 0.3")
    assert _limit(exact, [exact]).startswith("the hierarchy is the limit, not the algorithm")
    assert _limit(one("apriori", 0.4), [exact]).startswith("the algorithm is the limit: a cut of the hierarchy loses")
    assert "exact came within 2.0%" in _limit(one("apriori", 0.4), [one("exact", 0.3, gap=0.02)])
    assert _limit(one("apriori", 0.4), []) == _limit(None, [exact]) == ""


def test_the_notebook_view(found):
    shown = found._repr_html_()
    assert "best" in shown
    assert not any(f">{item}<" in shown for item in ("a1", "b2", "A"))
