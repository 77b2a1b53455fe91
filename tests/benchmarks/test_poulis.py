"""Inputs, measurements and claims of the experiments on RT-datasets. Each claim can hold and can fail."""

import subprocess
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from benchmarks.experiments import criteria, runner
from benchmarks.experiments.cases import Results
from benchmarks.experiments.poulis2013 import checks, claims, jobs, merging, query_errors
from benchmarks.experiments.poulis2013.measurement import counting, measure

from anonset import Table
from anonset.errors import InputError
from anonset.generalization import apply
from anonset.measures.query_error import mixed_relative_error
from anonset.queries.conditions import Among, Between
from anonset.queries.mixed_workload import QueryShape, mixed_record_workload
from anonset.queries.workload import Query, Workload

pytestmark = [pytest.mark.compiled, pytest.mark.studies]

SMALL = {"data": "youtube_like", "records": 400, "k": 10, "framework": "rum", "merge": "rt", "share": 0.4}
POWERS = (-2, -1, 0, 0, 1, 2, 5)
BASES = (0.001, 0.01, 0.1, 1, 100)


def test_every_claim_can_hold_and_can_fail():
    """Judge invented results, in which every quantity is a power of x: no check raises, and none is constant."""
    random, answers, orders, gaps = np.random.default_rng(0), {}, {}, set()
    figures = runner.paper("poulis2013").figures
    kinds = [
        (figure, factor) for figure in figures for factor in dict.fromkeys(claim.factor for claim in figure.claims)
    ]
    levels = {(f.key, factor): cases_of(f, factor) for f, factor in kinds}
    for _ in range(100):
        for figure, factor in kinds:
            results = Results(invented(figure, levels[figure.key, factor], random))
            for claim in (claim for claim in figure.claims if claim.factor == factor and claim.check):
                verdict = claim.check(results)
                assert verdict.shown
                assert verdict.parts == {} or claim.over, claim.text
                answers.setdefault((figure.key, claim.text), set()).add(bool(verdict.held))
                for part, found in verdict.gaps.items():
                    for compared, gap in found.items():
                        orders.setdefault((figure.key, claim.text, part, compared), set()).add(gap > 0)
                gaps.add(bool(verdict.gaps))
    assert gaps == {True, False}
    orderings = {claim[:2] for claim in orders}  # of several comparisons: each can hold, and not hold
    found = orders | {claim: verdicts for claim, verdicts in answers.items() if claim not in orderings}
    assert [claim for claim, verdicts in found.items() if len(verdicts) < 2] == []


def cases_of(figure, factor):
    """Return the cases at a level: those repeated over a factor, or those without repetitions."""
    level = factor.draws[0] if factor else ""
    return [case for case in figure.cases if case.repetition == level]


def invented(figure, chosen, random):
    positions = list(dict.fromkeys(case.x for case in chosen))
    place = {x: x / positions[0] if isinstance(x, int) and positions[0] else i + 1 for i, x in enumerate(positions)}
    quantities, law = [*figure.quantities, "delta"], {}
    kind = random.choice(["alike", "by variant", "any", "tiny"])
    for q in quantities:
        shared, by_variant = (random.choice(BASES), random.choice(POWERS)), {}
        for s in dict.fromkeys(case.series for case in chosen):
            drawn = random.choice(BASES), random.choice(POWERS)
            law[s, q] = {
                "alike": shared,
                "tiny": (1.0 if s.startswith("null") else BASES[0], 0),
                "by variant": by_variant.setdefault(s.split(",")[0], drawn),
            }.get(kind, drawn)
    return {
        (c.series, c.x): {q: law[c.series, q][0] * place[c.x] ** float(law[c.series, q][1]) for q in quantities}
        for c in chosen
    }


def test_a_claim_states_its_function_and_reading():
    position = {"are_domain_0_2": 1.0, "are1s_domain_0_2": 2.0, "are_0_2": 1.0, "are1s_0_2": 1.0}
    better = {"are_domain_0_2": 0.5, "are1s_domain_0_2": 2.5, "are_0_2": 1.0, "are1s_0_2": 1.0}
    results = Results(
        {
            ("RM_R, AA", 0.5): position,
            ("RM_T, AA", 0.5): better,
            ("RM_R, COAT", 0.5): position,
            ("RM_T, COAT", 0.5): position,
        }
    )
    result = checks.ordered(("RM_T", "RM_R"), of=checks.ITEMS)(results)
    assert not result.held
    assert {part for part, held in result.parts.items() if held} == {"AA, domain, 1/2"}
    gaps = {part: found["RM_T", "RM_R", 0] for part, found in result.gaps.items()}
    readings = [f"{origin}, {sets}" for origin in ("domain", "records") for sets in ("1/2", "1/s")]
    unequal = {"AA, domain, 1/2": 0.5, "AA, domain, 1/s": -0.2}
    assert gaps == {f"{name}, {reading}": 0 for name in ("AA", "COAT") for reading in readings} | unequal
    assert result.errors["AA, domain, 1/s"] == (2, 2.5)
    assert result.errors["AA, records, 1/s"] == (1, 1)
    with pytest.raises(KeyError):
        checks.ordered(("RM_T", "RM_R"), of=checks.VALUES)(results)


@pytest.mark.parametrize(
    ("lower", "parts"),
    [("TM_R", {"domain, same letters": True, "domain, swapped letters": False}),
     ("TM_T", {"domain, same letters": False, "domain, swapped letters": True})],
)  # fmt: skip
def test_a_claim_on_tum_bound_that_is_only_called_similar_is_also_judged_with_swapped_letters(lower, parts):
    claim = claims._by_letters("TM", ("TM_R", "TM_T"), of=checks.VALUES)
    values = {("TM_R", 1): 2.0, ("TM_T", 1): 2.0} | {(lower, 1): 1.0}
    found = claim(Results({at: {"are_domain_2_0": value} for at, value in values.items()}))
    assert (found.parts, found.held) == (parts, parts["domain, same letters"])
    assert all(one.text.endswith(criteria.SIMILAR) for one in claims.trade_off("TM"))
    assert not any(one.text.endswith(criteria.SIMILAR) for one in claims.trade_off("RM"))


@pytest.mark.parametrize("function", ["aa", "coat"])
def test_a_run_measures_losses_and_errors(function):
    case = {**SMALL, "kind": "run", "function": function}
    measured = measure(case)
    assert measured["ncp_before"] < measured["ncp"] <= measured["delta"] < 1
    assert measured["delta"] == pytest.approx(0.6 * measured["ncp_before"] + 0.4)
    assert measured["ul"] < measured["ul_before"]
    assert measured["checked"] == "all combinations of up to 2 items"
    assert measured["are_0_2"] != measured["are1s_0_2"]
    assert measured["are_2_0"] == measured["are1s_2_0"] > 0
    assert measure(case) == measured
    assert "are_2_0" not in measure({**case, "queries": False})
    assert "checked" not in measure({**case, "seed": "seed 2"})


@pytest.mark.parametrize("function", ["aa", "coat"])
@pytest.mark.parametrize("values", [None, "plain"])
def test_errors_of_all_queries_equal_single_queries(function, values, monkeypatch):
    monkeypatch.setattr(query_errors, "QUERIES", 60)
    query_errors._drawn.cache_clear()
    job = jobs.Job.of({**SMALL, "function": function, "values": values, "seed": "seed 3"})
    table, hierarchies = job.records.bound, job.records.relational
    publication = apply(table, job.search().recoding)
    result = query_errors.errors(job, publication)
    query_errors._drawn.cache_clear()
    for n_values, n_items in ((2, 0), (2, 2)):
        workload = mixed_record_workload(table, 60, QueryShape(n_values=n_values, n_items=n_items), 3)
        slow = mixed_relative_error(table, publication, workload, hierarchies, reading="subsets").average
        assert result[f"are_{n_values}_{n_items}"] == pytest.approx(slow, rel=1e-12)
    for (n_values, n_items), asked in query_errors._asked(job, "domain_").items():
        workload = Workload(tuple(query_of(table, asked, q) for q in range(60)), "domain", 3)
        slow = mixed_relative_error(table, publication, workload, hierarchies, reading="subsets")
        assert slow.skipped == 0
        assert result[f"are_domain_{n_values}_{n_items}"] == pytest.approx(slow.average, rel=1e-12)
    query_errors._drawn.cache_clear()
    assert len(result) == 16


def query_of(table, asked, q):
    labels = table.transactions.vocabulary.labels
    items = () if asked.items is None else tuple(labels[item] for item in sorted(asked.items[q]))
    return Query(items, tuple(
        Among(name, (value,)) if isinstance(value, str) else Between(name, float(value), float(value))
        for name, value in asked.values[q].items()
    ))  # fmt: skip


def test_queries_of_the_domain_are_all_that_have_an_answer_and_equally_likely(monkeypatch):
    monkeypatch.setattr(query_errors, "QUERIES", 4000)
    items = [{"a", "b"}] * 50 + [{"a", "b", "c"}, {"c"}, set()]
    table = Table.from_columns({"items": items}, age=[*(["30"] * 51), "40", "50"], sex=[*("f" * 52), "m"])
    drawn = query_errors._from_domain(table, 1)

    def shares(shape):
        pairs, values = drawn[shape]
        asked = [()] * 4000 if pairs is None else map(tuple, pairs.tolist())
        found = Counter((pair, *sorted(one.items())) for pair, one in zip(asked, values, strict=True))
        return {query: count / 4000 for query, count in found.items()}

    alike = {(0, 1), (0, 2), (1, 2)}
    assert shares((0, 2)) == {(pair,): pytest.approx(1 / 3, abs=0.03) for pair in alike}
    assert shares((2, 0)) == {
        ((), ("age", age), ("sex", sex)): pytest.approx(1 / 3, abs=0.03)
        for age, sex in (("30", "f"), ("40", "f"), ("50", "m"))
    }
    assert shares((1, 2)).keys() == {(pair, one) for pair in alike for one in (("age", "30"), ("sex", "f"))}


def test_errors_without_information_equal_those_of_a_single_cluster_of_roots():
    """With k equal to the number of records, all records have the root in each column, and the root as item."""
    case = {**SMALL, "k": 400, "function": "aa", "delta": 1.0, "seed": "seed 3"}
    job = jobs.Job.of(case)
    publication = apply(job.records.bound, job.search().recoding)
    expected = query_errors.errors(job, publication)
    assert query_errors.errors_without_information(job) == pytest.approx(expected, rel=1e-12)
    assert measure({**case, "kind": "null"}).keys() == expected.keys()


def test_utility_is_judged_against_the_null_publication():
    null = {"are_domain_0_2": 3.0, "are1s_domain_0_2": 0.8, "are_0_2": 0.8, "are1s_0_2": 0.8}
    check = checks.useful(checks.ITEMS)
    for value, held in ((0.4, True), (0.45, False)):
        results = Results({("RM_R, AA", 0.5): dict.fromkeys(null, value), ("null, AA", 0.1): null})
        readings = {"AA, domain, 1/s": held, "AA, records, 1/2": held, "AA, records, 1/s": held}
        assert check(results).parts == {"AA, domain, 1/2": True, **readings}
        assert not any(check(results.without_information()).parts.values())
    with pytest.raises(KeyError, match="null"):
        check(Results({("RM_R, AA", 0.5): null}))


def test_a_symbol_counts_equally_for_each_of_its_items():
    """Three records show {a,b}, one shows c: by 1/s, a and b are expected in 3 * 1/4 records together."""
    from anonset.data import CategoricalColumn
    from anonset.generalization import ItemGroups, PerCluster, RelationalValues

    table = Table.from_columns({"items": [{"a", "b"}, {"a"}, {"b"}, {"c"}]}, sex=["f", "f", "f", "f"])
    groups = ItemGroups(table.transactions.vocabulary, np.array([0, 0, 1], np.int32))
    recoding = PerCluster(np.zeros(4, np.int32), (groups,), (RelationalValues("sex", ("f",)),))
    assert isinstance(table.relational[0], CategoricalColumn)
    published = query_errors._Published(jobs.Records(table, table, None, {}), apply(table, recoding))
    items = np.array([[0, 1], [0, 2]])
    assert published.with_items(items)["one"].tolist() == [[0.75], [0.0]]
    assert published.with_items(items)["half"].tolist() == [[pytest.approx(1.0)], [0.0]]
    assert published.relational([{"sex": "f"}]).tolist() == [[1.0]]


def test_levels_enter_a_case():
    case = {**SMALL, "kind": "run", "function": "aa"}
    result = {
        name: measure({**case, **level})
        for name, level in {
            "first": {"seed": "seed 1"},
            "seed": {"seed": "seed 2"},
            "order": {"order": "random 2"},
            "workload": {"workload": "workload 2"},
        }.items()
    }
    first = result["first"]
    assert first == measure(case)
    assert result["seed"]["ncp_before"] != first["ncp_before"]
    assert result["order"]["ul"] != first["ul"]
    assert result["workload"]["ul"] == first["ul"]
    assert result["workload"]["are_0_2"] != first["are_0_2"]


def test_the_bound_of_tum_is_between_one_cluster_and_all():
    case = {**SMALL, "kind": "work", "function": "coat", "framework": "tum", "merge": "t"}
    least, most = measure({**case, "share": 0.0}), measure({**case, "share": 1.0})
    assert most["merges"] == 0
    assert most["ul"] == most["ul_before"] == pytest.approx(most["delta"])
    assert least["ul"] <= least["delta"] < measure(case)["delta"] < most["delta"]


def test_work_is_counted():
    job = jobs.Job.of({**SMALL, "function": "aa", "kind": "work"})
    measured = measure(job.parameters)
    trace = job.search().trace
    assert measured["merges"] == len(trace)
    tried = len(trace) + 1
    assert measured["ranked"] == 2 * sum(measured["clusters_before"] - 1 - i for i in range(tried))
    with counting() as counted:
        job.search()
    assert counted["unions"] == measured["clusters_before"] * 2 - measured["merges"]


@pytest.mark.parametrize(("framework", "bound"), [("rum", {"delta": 1.0}), ("tum", {"share": 0.0})])
def test_the_loss_is_followed_merge_by_merge(framework, bound):
    case = {**SMALL, **bound, "function": "coat", "framework": framework, "merge": "t"}
    complete = measure({**case, "kind": "work"})
    first, last = (measure({**case, "kind": "merges", "percent": percent}) for percent in (0, 100))
    curve = merging.losses_as_clusters_merge(jobs.Job.of(case))
    assert len(curve) - 1 == last["merges"] == complete["merges"] > 0
    assert last["ul"] == pytest.approx(complete["ul"])
    assert first["ul"] == pytest.approx(complete["ul_before"])
    assert last["ul_after_each_merge"] == pytest.approx(curve, rel=1e-4)
    assert last["rises"] == sum(b > a + 1e-12 for a, b in pairwise(curve))
    assert last["checked"] == "all combinations of up to 2 items"


def test_both_orders_are_counted_and_timed():
    jobs._reach.cache_clear()
    counted = measure({**SMALL, "kind": "orders", "function": "aa"})
    assert counted["unions"] < counted["unions_ul"]
    assert measure({**SMALL, "kind": "orders", "function": "aa"})["unions"] == counted["unions"], "of the case alone"
    assert counted["ncp_ul"] <= 1
    assert set(measure({**SMALL, "kind": "orders_time", "function": "aa"})) == {"seconds", "seconds_ul"}


def test_each_kind_of_case_measures_its_quantities():
    timed = measure({**SMALL, "kind": "time", "function": "aa", "verify": True, "run": "run 1"})
    assert timed["checked"] == "all combinations of up to 2 items"
    assert timed["microseconds_per_record"] == pytest.approx(timed["seconds"] / 400 * 1e6)
    assert measure({**SMALL, "kind": "memory", "function": "aa"})["peak_mib"] > 0
    assert measure({**SMALL, "kind": "formation"})["seconds"] > 0
    assert measure({"kind": "shape", "data": "youtube_like", "records": 400})["longest"] == 37


def test_numbers_are_categories_below_a_balanced_hierarchy():
    job = jobs.Job.of({**SMALL, "function": "aa"})
    age = job.records.relational["age"]
    numbers = [float(label) for label in age.leaves.labels]
    assert len(numbers) > 100
    assert numbers == sorted(numbers)
    assert list(job.records.relational["category"].leaves.labels) != sorted(
        job.records.relational["category"].leaves.labels
    )
    assert jobs.Job.of({**SMALL, "function": "aa", "values": "plain"}).records.relational == {}


def test_diagnoses_of_mental_disorders_are_sensitive():
    assert [code for code in ("289", "290", "319", "320", "V29", "E300") if jobs.is_sensitive(code)] == ["290", "319"]


def test_only_the_first_sample_and_order_is_verified():
    assert jobs.is_first({})
    assert jobs.is_first({"sample": "sample 1", "order": "random 1"})
    assert not jobs.is_first({"sample": "sample 11"})
    assert not jobs.is_first({"order": "numeric"})


@pytest.mark.data
def test_a_sample_is_the_same_in_another_process():
    options = {"kind": "work", "data": "informs2005", "records": 1000, "k": 25, "framework": "rum", "merge": "r"}
    options |= {"function": "aa", "delta": 0.9, "sample": "sample 7"}
    program = f"from benchmarks.experiments.poulis2013.measurement import measure; print(measure({options!r}))"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == str(measure(options))
    assert measure({**options, "sample": "sample 8"}) != measure(options)


@pytest.mark.data
def test_diversity_is_measured_for_incomes_spelled_like_codes():
    case = {"data": "informs2005", "records": 1000, "k": 10, "framework": "rum", "merge": "r", "function": "lm"}
    measured = measure({**case, "kind": "run", "share": 0.5, "sample": "sample 1"})
    assert measured["checked"]
    curve = merging.losses_as_clusters_merge(jobs.Job.of({**case, "delta": 1.0, "sample": "sample 1"}))
    assert 0 < curve[-1] < curve[0]


def test_a_missing_icd_9_taxonomy_fails():
    with pytest.raises((RuntimeError, InputError)):
        measure({**SMALL, "kind": "run", "function": "icd9"})
