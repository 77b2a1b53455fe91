"""The suggested candidate satisfies the guarantee on all data and has the highest utility."""

import random
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from string import ascii_lowercase
from typing import ClassVar

import pytest
from tests.facts import names, refused

import anonset
from anonset.algorithms.base import Traits
from anonset.algorithms.registry import ALGORITHMS, OFFERED, with_traits
from anonset.algorithms.relational.formations import FORMATIONS
from anonset.analysis.base import analysis_of
from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.data.table_facts import OwnerStatements
from anonset.errors import InputError
from anonset.jobs.trials import suggest as suggesting
from anonset.jobs.trials.candidate import Candidate
from anonset.jobs.trials.candidates import BY_FREQUENCY, candidates_for
from anonset.jobs.trials.ranking import (
    best_of,
    explain_failure,
    grounds,
    limit,
    made_from_data,
    ranked,
    reason,
    warning,
)
from anonset.jobs.trials.suggest import FINALISTS, suggest
from anonset.measures.countable import CountAccuracy, FrequentItems, accuracy_of
from anonset.privacy.k import KAnonymity
from anonset.privacy.kkm import KKmAnonymity
from anonset.settings.commands import SUGGESTED
from anonset_kernels._compiling import COMPILATION

RNG = random.Random(5)
ROWS = [{f"{RNG.choice('abc')}{RNG.randrange(4)}" for _ in range(RNG.randint(1, 4))} for _ in range(120)]
TREE = {"any": {"A": [f"a{n}" for n in range(4)], "B": [f"b{n}" for n in range(4)], "C": [f"c{n}" for n in range(4)]}}
TABLE = anonset.Table.from_sets(ROWS)
MODEL = anonset.KmAnonymity(k=3, m=2)
BY_ROW = OwnerStatements("row")


def accuracy(release):
    frequent = FrequentItems.of(TABLE.transactions)
    return accuracy_of(frequent, *analysis_of(release.publication).expected_counts(frequent))


@pytest.fixture(scope="module")
def found():
    return suggest(TABLE, MODEL, hierarchies={"items": TREE}, workers=1)


@pytest.mark.long
def test_the_best_candidate_has_the_highest_usefulness(found):
    best = found.recommended
    valid = [candidate for candidate in found.candidates if candidate.outcome == "holds" and not candidate.beside]
    assert best is valid[0]
    assert best.usefulness == max(candidate.usefulness for candidate in valid)
    assert not best.sampled
    release = anonset.anonymize(TABLE, anonset.Exact(k=3, m=2), hierarchies={"items": TREE})
    exact = next(candidate for candidate in found.candidates if candidate.asked == {"algorithm": "exact"})
    assert exact.measures["ncp"] == release.measures["ncp"]
    assert exact.countable == accuracy(release)
    assert exact.shares["items"]["kept"] == pytest.approx(release.retention["items"]["kept"] / sum(map(len, ROWS)))
    assert sum(exact.levels.values()) == pytest.approx(1)


def test_the_limiting_factor_is_stated(found):
    exact = min(
        candidate.measures["ncp"]
        for candidate in found.candidates
        if candidate.algorithm == "exact" and candidate.nodes
    )
    assert names(found.limit, f"{exact:.1%}")
    assert names(found.limit, "hierarchy limits")
    assert (found.recommended.measures["ncp"] < exact) == names(found.limit, "unrelated")


def test_large_data_are_sampled_first():
    suggestion = suggest(TABLE, MODEL, hierarchies={"items": TREE}, workers=1, large=60)
    assert suggestion.sample == 60
    assert {candidate.sampled for candidate in suggestion.candidates} == {True, False}
    on_all = [candidate for candidate in suggestion.candidates if not candidate.sampled]
    assert len(on_all) == FINALISTS + 2  # the best with the owner's hierarchy, and the best for another guarantee
    assert suggestion.beside is on_all[-1]
    assert suggestion.recommended is suggestion.candidates[0]
    assert repr(suggestion.candidates) == repr(suggest(TABLE, MODEL, hierarchies={"items": TREE}, large=60).candidates)


def test_without_time_no_candidate_runs():
    suggestion = suggest(TABLE, MODEL, seconds=0.0)
    assert {candidate.outcome for candidate in suggestion.candidates} == {"too long"}
    assert (suggestion.recommended, suggestion.limit) == (None, "")
    assert names(suggestion.reason, "time seconds 50")


def test_loading_and_compiling_take_none_of_the_time(monkeypatch):
    began = suggesting._now()
    monkeypatch.setattr(COMPILATION, "loaded", COMPILATION.loaded + 1000)
    assert suggesting._now() < began


@dataclass(frozen=True, kw_only=True)
class OfAPlugIn:
    name: ClassVar[str] = "of-a-plug-in"
    traits: ClassVar[Traits] = Traits(also_answers=("km",))


def test_third_party_algorithms_are_candidates(monkeypatch):
    assert "of-a-plug-in" not in {candidate.algorithm for candidate in candidates_for(TABLE, MODEL)}
    monkeypatch.setitem(OFFERED, "of-a-plug-in", OfAPlugIn)
    attempted = [candidate.algorithm for candidate in candidates_for(TABLE, MODEL)]
    assert (attempted.count("apriori"), attempted.count("of-a-plug-in")) == (1, 1)


def of_figures(pairs, items, kept, lost):
    shares = {"items": {"kept": kept, "generalized": 1 - kept}}
    return Candidate("x", {}, "holds", shares, measures={"rum": lost}, countable=CountAccuracy(items, pairs, 2.0))


def test_the_grounds_name_a_figure_in_which_the_best_exceeds_a_result_that_is_better_in_others():
    best, alike, other = (
        of_figures(0.396, 0.047, 0.615, 0.007),
        of_figures(0.4, 0.05, 0.61, 0.007),
        of_figures(0.424, 0.043, 0.621, 0),
    )
    order = ranked([other, alike, best])
    assert order == [best, alike, other]
    assert grounds(best, order) == (
        "best balance of 3 candidates; error of frequent pairs: 39.6%, against 42.4% of result 3"
    )
    assert grounds(best, order[:2]) == "best balance of 2 candidates"
    for _ in range(200):
        order = ranked([of_figures(*(RNG.randrange(0, 101) / 100 for _ in range(4))) for _ in range(3)])
        _, _, figures = grounds(order[0], order).partition("; ")
        if figures:
            own, others = [float(figure) for figure in re.findall(r"([\d.]+)%", figures)]
            assert own < others if "error" in figures else own > others, figures


def test_insufficient_time_is_reported_with_the_time_needed(monkeypatch):
    clock = [0.0]

    def now():
        clock[0] += 30
        return clock[0]

    monkeypatch.setattr("anonset.jobs.trials.suggest._now", now)
    suggestion = suggest(TABLE, MODEL, workers=1, seconds=20.0)
    assert {candidate.outcome for candidate in suggestion.candidates} == {"too long"}
    assert names(suggestion.reason, "time seconds 80")


def ended(outcome, note=""):
    return Candidate("x", {}, outcome, note=note)


@pytest.mark.parametrize(
    ("found", "told", "smaller"),
    [
        ([ended("too long")], "time seconds 80", False),
        ([ended("worthless"), ended("too long")], "symbol", False),
        ([ended("worthless"), ended("too long")], "time seconds 80", False),
        ([ended("infeasible", "2 records")], "'2 records'", True),
        ([ended("refused", "no tree"), ended("refused", "else")], "'no tree'", False),
        ([ended("infeasible", "2 records"), ended("disclosing", "column x")], "'column x'", False),
        ([ended("undecided", "too many sets")], "'too many sets'", False),
    ],
)
def test_a_useless_result_is_explained_with_remedies(found, told, smaller):
    message = explain_failure(found, MODEL, 80)
    assert names(message, told)
    assert names(message, "k m") == smaller


@pytest.mark.long
def test_the_best_candidate_with_the_owners_hierarchy_is_listed(found):
    best_own_hierarchy = found.with_own_hierarchy
    assert best_own_hierarchy is next(
        candidate for candidate in found.candidates if candidate.outcome == "holds" and candidate.nodes
    )
    assert not any(candidate.nodes for candidate in found.candidates if candidate.algorithm == "coat")
    made = suggest(TABLE, MODEL, hierarchies={"items": "balanced:3"}, workers=1)
    assert made.with_own_hierarchy is suggest(TABLE, MODEL, workers=1).with_own_hierarchy is None


def test_a_generated_hierarchy_competes_with_the_owners_hierarchy(monkeypatch):
    attempted = [
        candidate
        for candidate in candidates_for(TABLE, MODEL)
        if candidate.algorithm == "exact" and "suppress" not in candidate.settings
    ]
    monkeypatch.setattr("anonset.jobs.trials.suggest.candidates_for", lambda table, model: attempted)
    frequent, rare = [f"f{n}" for n in range(5)], [f"r{n}" for n in range(5)]
    rows = [{x} for x in frequent for _ in range(50)] + [{x} for x in rare for _ in range(2)]
    pairs = {"any": {f"p{n}": [f"f{n}", f"r{n}"] for n in range(5)}}
    suggestion = suggest(anonset.Table.from_sets(rows), MODEL, hierarchies={"items": pairs}, workers=1)
    best, best_own_hierarchy = suggestion.recommended, suggestion.with_own_hierarchy
    assert best.settings["hierarchy"] == BY_FREQUENCY
    assert (best.nodes, best_own_hierarchy.nodes, "hierarchy" in best_own_hierarchy.settings) == (False, True, False)
    assert best.countable.items_error < best_own_hierarchy.countable.items_error
    assert names(made_from_data(best), "halves:frequency items")
    sets = Candidate("set-search", {}, "holds")
    assert names(made_from_data(sets), "set-search items")
    clusters = Candidate("rfirst", {"transaction": "set-search"}, "holds")
    assert names(made_from_data(clusters), "set-search items")
    by_default = Candidate("joint-split", {"point": "items"}, "holds")
    assert names(made_from_data(by_default), "set-search items")
    assert made_from_data(Candidate("coat", {}, "holds")) == made_from_data(None) == ""
    assert made_from_data(best_own_hierarchy) == made_from_data(None) == ""
    assert names(suggestion.limit, "nodes hierarchy")


def test_no_hierarchy_runs_twice():
    suggestion = suggest(TABLE, MODEL, hierarchies={"items": BY_FREQUENCY}, workers=1, seconds=0.0)
    assert not any("hierarchy" in candidate.settings for candidate in suggestion.candidates)
    assert len(suggest(TABLE, MODEL, hierarchies={"items": TREE}, workers=1, seconds=0.0).candidates) > len(
        suggestion.candidates
    )


def figures(items, pairs, kept, **more):
    counted = CountAccuracy(items, pairs, None)
    return Candidate("x", {}, "holds", {"items": {"kept": kept}}, countable=counted, measures=more)


def shares_of_items(kept, suppressed):
    shares = {"items": {"kept": kept, "suppressed": suppressed}}
    return Candidate("x", {}, "holds", shares, countable=CountAccuracy(1.0, 1.0, None))


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (figures(0.25, 0.5, 0.35), Fraction(8, 15)),
        (figures(3.0, 1.5, 0.0), Fraction(0)),
        (shares_of_items(0.8, 0.2), Fraction(1, 5)),
        (shares_of_items(0.1, 0.9), Fraction(0)),
        (figures(0.25, None, 0.35), Fraction(11, 20)),
        (figures(None, None, 0.0), Fraction(0)),
        (figures(0.25, 0.5, 0.35, ncp=0.3, rum=0.2), Fraction(8, 15)),
        (figures(0.25, 0.5, 0.35, ncp=0.3, rum=0.6), Fraction(2, 5)),
        (Candidate("x", {}, "holds", {"values": {"kept": 0.1}}, measures={"rum": 0.25}), Fraction(3, 4)),
        (Candidate("x", {}, "holds", {"tuples": {"kept": 0.1}}, measures={"grouping_loss": 0.1}), Fraction(9, 10)),
        (Candidate("x", {}, "worthless", measures={"rum": 0.25}), Fraction(0)),
    ],
)
def test_usefulness_equals_the_value_computed_by_hand(one, expected):
    assert one.exact_usefulness == expected


def test_of_equally_useful_candidates_that_of_less_loss_is_first():
    more, less = figures(0.1, 0.1, 0.5, ncp=0.3), figures(0.10000001, 0.1, 0.5, ncp=0.2)
    assert ranked([more, less]) == [less, more]


def test_a_best_with_hardly_an_item_as_itself_is_warned_of():
    assert names(warning(figures(0.1, 0.1, 0.049)), "4.9 occurrences")
    assert str(warning(figures(0.1, 0.1, 0.05))) == str(warning(None)) == ""
    assert names(warning(figures(0.1, 0.1, 0.5, rum=0.96)), "4.0 detail")
    assert str(warning(Candidate("x", {}, "holds", {"values": {"kept": 0.0}}))) == ""


def test_a_best_whose_counts_are_of_little_use_is_warned_of():
    assert str(warning(figures(0.25, 0.9, 0.5))) == ""
    assert names(warning(figures(0.251, 0.9, 0.5)), "25.1 25%")
    assert "km" not in str(warning(figures(0.251, 0.9, 0.5)))
    assert names(warning(figures(0.251, 0.9, 0.5, rum=0.1)), "25.1 25% km")


def test_retention_is_described_in_a_sentence():
    candidate = Candidate(
        "exact",
        {},
        "holds",
        {"items": {"kept": 0.118, "generalized": 0.882, "suppressed": 0.0}},
        measures={"ncp": 0.5, "rum": 0.25},
        countable=CountAccuracy(0.21, 0.04, 29.2),
    )
    assert names(
        reason(candidate, [candidate] * 7), "7 exact 21.0% items 4.0% pairs 11.8% 88.2% generalized 29 75.0% attributes"
    )


@pytest.mark.long
def test_candidates_cover_relational_columns_with_and_without_items():
    people = {"age": [str(20 + n % 30) for n in range(60)], "codes": ROWS[:60]}
    both = anonset.read(people, items="codes", relational="age", numeric="age", unit="row")
    suggestion = suggest(both, anonset.KKmAnonymity(k=3, m=1), workers=1)
    assert suggestion.recommended.outcome == "holds"
    assert {"items", "values"} <= suggestion.recommended.shares.keys()
    ages = anonset.read({"age": people["age"]}, relational="age", numeric="age", unit="row")
    suggestion = suggest(ages, anonset.KAnonymity(k=3), workers=1)
    assert suggestion.recommended.kept <= 1
    assert len(suggestion.candidates) >= 3


def test_worthless_candidates_are_never_the_best():
    rows = [{f"i{n}", f"j{n % 7}"} for n in range(40)]
    flat = {"any": sorted({item for row in rows for item in row})}
    suggestion = suggest(anonset.Table.from_sets(rows), MODEL, hierarchies={"items": flat}, workers=1)
    assert "worthless" in {candidate.outcome for candidate in suggestion.candidates}
    assert suggestion.recommended.outcome == "holds"


RNG2 = random.Random(9)
AGES = [str(20 + n % 30) for n in range(60)]
BUCKETS = anonset.read(
    {"p": [f"p{n // 2}" for n in range(60)], "drug": [RNG2.choice("vwxyz") for _ in range(60)]},
    id="p",
    sensitive="drug",
)
BOTH = anonset.read({"age": AGES, "codes": ROWS[:60]}, items="codes", relational="age", numeric="age", unit="row")


AGES_ALONE = anonset.read({"age": AGES}, relational="age", numeric="age", unit="row")
AGES_AND_DRUG = anonset.read(
    {"age": AGES, "drug": list("vwx") * 20}, relational="age", numeric="age", keep="drug", unit="row"
)
OF_MODELS = [
    (TABLE, MODEL, "exact"),
    (AGES_AND_DRUG, anonset.KLDiversity(2, 2, "drug"), "mondrian"),
    (AGES_AND_DRUG, anonset.KTCloseness(2, 0.4, "drug"), "cluster"),
    (AGES_ALONE, anonset.KAnonymity(2), "bottom-up"),
    (BOTH, anonset.KKmAnonymity(2, 1), "joint-split"),
    (TABLE, anonset.LmDiversity(2, 2, 1, ("a1",)), "lm-apriori"),
    (TABLE, anonset.KLmDiversity(2, 2, 1, ("a1",)), "lm-apriori"),
    (TABLE, anonset.Coherence(h=0.9, k=2, p=1, sensitive_items=("a1",)), "coherence-suppression"),
    (TABLE, anonset.RhoUncertainty("0.9", 1, ("a1",)), "suppress-control"),
    (TABLE, anonset.TransactionKAnonymity(2), "local-generalization"),
    (BOTH, anonset.KLmDiversity(2, 2, 1, ("a1",)), "joint-split"),
    (BUCKETS, anonset.SafetyConstraint(2, 2), "safe-grouping"),
    (BUCKETS, anonset.AnatomyDiversity(2), "anatomy"),
]


@pytest.mark.parametrize(("table", "model", "best"), OF_MODELS)
def test_all_candidates_of_every_model_run(table, model, best):
    suggestion = suggest(table, model, workers=1)
    assert suggestion.recommended.outcome == "holds"
    assert best in {
        candidate.algorithm for candidate in suggestion.candidates if candidate.outcome in ("holds", "worthless")
    }
    assert suggestion.recommended.usefulness == max(
        candidate.usefulness for candidate in suggestion.candidates if not candidate.beside
    )
    attempted = [candidate.asked for candidate in suggestion.candidates]
    expected = [
        candidate.asked for candidate in candidates_for(table, model) if "hierarchy" not in candidate.settings
    ]  # which is the default
    assert len(attempted) == len(expected)
    assert all(attempted.count(asked) == expected.count(asked) for asked in expected)
    assert {candidate.outcome for candidate in suggestion.candidates} <= {"holds", "worthless", "infeasible"}


@pytest.mark.long
def test_three_points_of_joint_split_are_candidates():
    suggestion = suggest(BOTH, anonset.KKmAnonymity(2, 1), workers=1)
    valid = [
        candidate
        for candidate in suggestion.candidates
        if candidate.algorithm == "joint-split" and candidate.outcome == "holds"
    ]
    assert {candidate.settings["point"] for candidate in valid} == {"items", "balanced", "attributes"}


def test_another_guarantee_is_an_alternative_and_never_the_best(found):
    other = found.beside
    assert (other.algorithm, other.beside, other.outcome) == ("disassociation", "disassociation", "holds")
    assert found.candidates[-1] is other
    assert other.usefulness > found.recommended.usefulness
    assert names(found.reason, f"{len(found.candidates) - 1} candidates")
    release = anonset.anonymize(TABLE, anonset.Disassociation(k=3, m=2), workers=1)
    assert other.countable == accuracy(release)
    assert other.kept == 1 - release.unverified.measures["not_in_chunks"]
    one_item = candidates_for(TABLE, anonset.KmAnonymity(3, 1))
    assert "disassociation" not in {candidate.algorithm for candidate in one_item}
    assert "disassociation" not in {candidate.algorithm for candidate in candidates_for(BOTH, MODEL)}


def test_another_guarantee_is_no_way_out():
    other = Candidate("disassociation", {}, "holds", beside="disassociation")
    nothing = Candidate("exact", {}, "worthless")
    assert best_of([other]) is None
    assert best_of(ranked([other, nothing])) is None
    assert names(explain_failure([other, nothing], MODEL, 9), "symbol")


def test_items_that_chunks_cannot_contain_exclude_only_disassociation():
    table = anonset.Table.from_sets([["a 1", "b"], ["a 1"], ["b"]] * 4)
    suggestion = suggest(table, anonset.KmAnonymity(3, 2), workers=1)
    assert suggestion.recommended.outcome == "holds"
    assert suggestion.beside is None
    assert [candidate.outcome for candidate in suggestion.candidates if candidate.beside] == ["refused"]


def test_every_algorithm_is_a_candidate_or_has_a_documented_reason():
    attempted = {candidate.algorithm for table, model, _ in OF_MODELS for candidate in candidates_for(table, model)}
    assert {model.name for _, model, _ in OF_MODELS} == set(SUGGESTED)
    assert attempted == set(with_traits(lambda traits: not traits.not_tried))


def test_no_candidate_is_tried_twice():
    for table, model, _ in OF_MODELS:
        result = candidates_for(table, model)
        assert all(result.count(entry) == 1 for entry in result), model.name


@pytest.mark.parametrize("n", [50_000, 50_001])
def test_quadratic_formations_are_left_out_of_large_data(n):
    ages = anonset.Table.from_columns(age=[str(age % 70) for age in range(n)])
    left_out = set() if n == 50_000 else {"cluster", "k-member", "xu-bottom-up", "xu-top-down", "local-recoding"}
    assert {candidate.algorithm for candidate in candidates_for(ages, anonset.KAnonymity(2))} == set(
        FORMATIONS
    ) - left_out


def test_other_models_are_refused():
    with refused(InputError, "suggest km k partition-km"):
        suggest(TABLE, anonset.PartitionKmAnonymity(2, 2))


def test_whether_hierarchy_or_algorithm_limits():
    def one(name, ncp, **more):
        return Candidate(name, {}, "holds", measures={"ncp": ncp, **more}, nodes=name != "coat")

    exact = one("exact", 0.3, gap=0.0)
    assert names(limit(one("coat", 0.1), [exact]), "hierarchy 30.0%")
    assert names(limit(exact, [exact]), "hierarchy not algorithm")
    assert names(limit(one("apriori", 0.4), [exact]), "hierarchy 30.0% apriori 40.0%")
    assert names(limit(one("apriori", 0.4), [one("exact", 0.3, gap=0.02)]), "exact 2.0")
    assert limit(one("apriori", 0.4), []) == limit(None, [exact]) == ""


@pytest.mark.long
def test_rare_items_within_clusters_are_stated_as_the_limit():
    rows = [{f"i{n // 8}", f"j{n % 7}"} for n in range(56)]
    table = Table(
        SetColumn.of(rows), (CategoricalColumn.of("place", [f"p{n % 8}" for n in range(56)]),), statements=BY_ROW
    )
    suggestion = suggest(table, KKmAnonymity(5, 2), seconds=20)
    rare = {
        candidate.algorithm: candidate.measures["rare_in_clusters"]
        for candidate in suggestion.candidates
        if candidate.measures
    }
    assert 0.9 < rare["rfirst"] <= 1
    best = Candidate("rfirst", {}, "holds", measures={"rare_in_clusters": 0.5})
    assert "50.0% of the item occurrences" in limit(best, [best])
    assert limit(replace(best, measures={"rare_in_clusters": 0.49}), [best]) == ""


def test_the_notebook_view_shows_no_item(found):
    shown = found._repr_html_()
    assert "best" in shown
    assert not any(f">{item}<" in shown for item in ("a1", "b2", "A"))


def half(items_error, rum, **more):
    """Return a candidate whose two halves are as good as the ranges."""
    counted = CountAccuracy(items_error, 1.0 - (1.0 - rum) * 2 + (1.0 - items_error), None)
    shares = {"items": {"kept": 1.0 - rum}}
    return Candidate("x", more, "holds", shares, countable=counted, measures={"rum": rum})


@pytest.mark.parametrize(("rum", "first"), [(0.55, True), (0.6, True), (0.61, False)])
def test_counting_frequent_items_outranks_slightly_higher_usefulness(rum, first):
    more, less = half(0.26, 0.5), half(0.25, rum)
    assert more.usefulness > less.usefulness
    assert ranked([more, less]) == ([less, more] if first else [more, less])
    best = ranked([more, less])[0]
    assert names(reason(best, [more, less]), "items 25%") == first
    counting = half(0.25, 0.5)  # if it counts items itself, it is the most useful
    assert ranked([less, counting, more])[0] is counting


@pytest.mark.long
def test_candidates_stopped_by_the_disclosure_scan_are_not_recommended():
    columns = {"place": [f"place {n}" for n in range(60)], "sex": list("fm") * 30}
    table = replace(Table.from_columns(**columns), statements=BY_ROW)
    suggestion = suggest(table, KAnonymity(5), workers=1)
    assert {candidate.outcome for candidate in suggestion.candidates} >= {"disclosing"}
    for entry in suggestion.candidates:
        assert (entry.outcome == "holds") == _publishes(table, entry.algorithm), entry
    declared = suggest(table, KAnonymity(5), workers=1, publish_as_is="place")
    assert declared.recommended is not None
    assert not any(candidate.outcome == "disclosing" for candidate in declared.candidates)


def _publishes(table, name):
    try:
        anonset.anonymize(table, ALGORITHMS[name](k=5), workers=1, accept="worthless").to_arrow()
    except anonset.AnonsetError:
        return False
    return True


def test_a_scan_that_stops_all_candidates_names_the_remedy():
    table = Table.from_columns(place=[f"place {n}" for n in range(60)], sex=["f"] * 60)
    table = replace(table, statements=BY_ROW)
    suggestion = suggest(table, KAnonymity(5), workers=1)
    assert suggestion.recommended is None
    assert names(suggestion.reason, "'place' 60 5 publish_as_is")


def test_columns_that_spoil_the_counts_are_named(monkeypatch):
    only = Candidate("rfirst", {"transaction": "apriori", "on_infeasible": "merge"})
    monkeypatch.setattr(suggesting, "candidates_for", lambda *_: [only])
    rng = random.Random(3)
    baskets = [rng.sample("aaaabbbcdefgh", 3) for _ in range(300)]
    columns = {"sex": "fm", "zip": ascii_lowercase, "ward": ascii_lowercase}
    relational = tuple(CategoricalColumn.of(name, rng.choices(values, k=300)) for name, values in columns.items())
    table = Table(SetColumn.of(baskets), relational, statements=BY_ROW)

    def warned(table):
        suggestion = suggest(table, KKmAnonymity(k=5, m=2), hierarchies={"items": "balanced:2"}, workers=1)
        return suggestion.warning, [set(fix.settings["drop"]) for fix in suggestion.fixes if "drop" in fix.settings]

    assert warned(table)[1] == [{"zip", "ward"}]
    without, fixes = warned(replace(table, relational=relational[:2]))
    assert ("zip" in without, fixes) == (True, [{"zip"}])
    assert "km" not in without
    assert "little use" not in warned(replace(table, relational=relational[:1]))[0]
    one_column = replace(table, relational=relational[1:2])
    weaker = suggest(one_column, KKmAnonymity(k=3, m=2), hierarchies={"items": "balanced:2"}, workers=1)
    assert not weaker.warning
    found = suggest(one_column, KKmAnonymity(k=5, m=2), hierarchies={"items": "balanced:2"}, workers=1)
    assert [fix.settings for fix in found.fixes] == [{"k": 3}]
    assert f"with k=3 the error is {weaker.recommended.countable.items_error:.1%}" in found.warning
    monkeypatch.setattr(suggesting, "_CLEARLY", 0.0)
    assert "km" in warned(one_column)[0]
    assert "drop" not in warned(one_column)[0]
