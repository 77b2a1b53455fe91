"""Criteria of single claims of the papers, on invented results."""

import re

import numpy as np
import pytest
from benchmarks.experiments import judging, runner, verdict_rules
from benchmarks.experiments.albouna2013 import claims as albouna
from benchmarks.experiments.cases import NULL, SUPPRESSED, Results
from benchmarks.experiments.factors import ORDERS, TREES
from benchmarks.experiments.liu2010 import claims as liu
from benchmarks.experiments.loukides2010 import checks as loukides
from benchmarks.experiments.loukides2010 import claims as loukides_claims
from benchmarks.experiments.loukides2010.cases import DRAWN_FROM
from benchmarks.experiments.poulis2013 import claims as poulis
from benchmarks.experiments.terrovitis2008 import claims as terrovitis

pytestmark = pytest.mark.compiled


def curves(quantity, **values):
    """Return results from lists of points (x, value) by curve."""
    return Results({(series, x): {quantity: y} for series, points in values.items() for x, y in points})


def of(claims, text):
    (claim,) = [claim for claim in claims if claim.text == text]
    return claim


@pytest.mark.long
@pytest.mark.parametrize("key", sorted({*runner.papers()} - {"optimum"}))  # no power law has proven optima
def test_every_claim_can_hold_and_can_fail(key):
    """Judge measured and invented results. Derived claims need only be able to fail."""
    chosen, random, constant = runner.paper(key), np.random.default_rng(0), []
    stored = runner.results_of(chosen)
    for figure in chosen.figures:
        levels = judging.results_of_figure(figure, stored).levels
        for claim in (claim for claim in figure.claims if claim.check):
            try:
                measured = levels[next(level for level in (claim.factor.draws if claim.factor else [""])
                                       if level in levels)]  # fmt: skip
                outcomes, trials = {bool(claim.check(measured)[0])}, 0
            except KeyError:
                continue  # a compared curve is not measured
            while len(outcomes) < 2 and trials < 3000 and (claim.kind != "derived" or outcomes == {True}):
                outcomes.add(bool(claim.check(invented(measured, claim, random))[0]))
                trials += 1
            if len(outcomes) < 2 and (claim.kind != "derived" or outcomes == {True}):
                constant.append((figure.key, claim.text, outcomes))
    assert constant == []


def invented(measured, claim, random):
    """Return results whose quantities are power laws of x, with the measured size or a number of the claim's text."""
    numbers = re.findall(r"\d[\d,]*(?:\.\d+)?%?", f"{claim.printed} {claim.criterion}")
    stated = [float(n.replace(",", "").rstrip("%")) / (100 if n.endswith("%") else 1) for n in numbers]
    size = random.choice([*stated, 1.0]) or 1.0
    as_measured, flat = random.random() < 0.5, random.random() < 0.4
    zero = random.choice(["", "after the first", "all"])
    laws, of_series, of_quantity, xs = {}, random.choice(3), random.choice(3), measured.positions
    numeric = all(isinstance(x, int | float) and x > 0 for x in xs)
    place = {x: x / xs[0] if numeric else i + 1.0 for i, x in enumerate(xs)}

    def value(series, x, quantity, was):
        if isinstance(was, bool) or not isinstance(was, int | float):
            return was
        if ("violated" in quantity or quantity.startswith(SUPPRESSED)) and (zero == "all" or (zero and x != xs[0])):
            return 0.0
        alike = (series, re.split(", | ", series)[0], "")[of_series]
        key = alike, (quantity, quantity.startswith(NULL), "")[of_quantity]
        if key not in laws:
            factor = random.choice([0.001, 0.01, 0.1, 0.5, 1, 1, 1.3, 2, 4, 10, 100])
            laws[key] = factor, 0 if flat else random.choice([-2, -0.3, 0, 0, 0.3, 1, 2, 5])
        factor, power = laws[key]
        return (was if as_measured and was else size) * factor * place[x] ** power

    return Results(
        {(s, x): {q: value(s, x, q, y) for q, y in of_x.items()} for (s, x), of_x in measured.measured.items()}
    )


@pytest.mark.long
@pytest.mark.parametrize("key", runner.papers())
def test_the_outcome_of_a_claim_is_that_of_its_parts(key):
    """A claim with readings can hold under some of them. Any other claim holds if all its parts do."""
    results_by_case, wrong = runner.results_of(runner.paper(key)), []
    for figure in runner.paper(key).figures:
        results = judging.results_of_figure(figure, results_by_case)
        for claim in figure.claims:
            levels = claim.factor.levels if claim.factor else [""]
            cases = judging.cases_of(figure, claim)
            for level in judging.complete_levels(cases, results, levels) if claim.check else ():
                try:
                    finding = judging.Finding(*claim.check(results.levels[level]))
                except KeyError:
                    continue
                if finding.parts and not any(map(verdict_rules.reading_of, finding.parts)):
                    wrong += [claim.text] if finding.held != all(finding.parts.values()) else []
    assert wrong == []


@pytest.mark.parametrize(("at_ten", "at_thirty", "held"), [(0, 0, False), (5, 0, True), (0, 5, True)])
def test_anatomy_leaves_violations_if_one_of_two_shares_of_moving_tuples_has_some(at_ten, at_thirty, held):
    claim = of(albouna.VIOLATIONS, "naive Anatomy leaves violations inside groups")
    results = curves("inside", **{albouna.ANATOMY: [(2, at_ten), (3, 0)], albouna.MOVING: [(2, 0), (3, at_thirty)]})
    finding = claim.check(results)
    assert finding.held is held
    assert finding.parts == {}


@pytest.mark.parametrize(
    ("k", "l", "loss", "parts"),
    [(7, 5, 0.6, (False, True)), (7, 4, 0.6, (False, False)), (7, 6, 0.6, (True, True)), (8, 6, 0.5, (True, True))],
)
def test_utility_is_preserved_if_the_loss_is_low_for_k_above_l(k, l, loss, parts):  # noqa: E741
    claim = of(albouna.LOSS, "utility is preserved as long as k is somewhat greater than l")
    losses = {(f"k={a}", b): {"loss": 0.1, "loss_counted": 0.1} for a in albouna.KS for b in albouna.LS}
    losses[f"k={k}", l] = {"loss": 0.1, "loss_counted": loss}
    found = claim.check(Results(losses)).parts
    assert tuple(found[f"counted, k >= l + {more}"] for more in (2, 3)) == parts
    assert found["not counted, k >= l + 2"]


@pytest.mark.parametrize(("share", "held"), [(0.0, False), (0.0001, True), (0.0003, False)])
def test_items_must_be_suppressed_for_the_first_policy(share, held):
    claim = of(loukides_claims.FIGURE_13, "COAT suppresses items only for UP1, and very few")
    shares = {("COAT, BMS-1", up): {"suppressed": 0, "suppressed_occurrences": 0} for up in ("UP2", "UP3", "UP4")}
    shares = {(f"{loukides.COAT}{loukides.BMS1}", up): of_up for (_, up), of_up in shares.items()}
    first = {"suppressed": share, "suppressed_occurrences": share}
    results = Results({(f"{loukides.COAT}{loukides.BMS1}", "UP1"): first} | shares)
    assert claim.check(results).held is held


@pytest.mark.parametrize(("ratio", "held"), [(1.0, True), (1.009, True), (1.02, False), (0.98, False)])
def test_the_same_loss_differs_by_less_than_one_percent(ratio, held):
    claim = of(poulis.benefit("TM"), "TM_T and TM_RT have the same UL as their baselines")
    assert claim.check(Results({("TM_T, AA", 1): {"ul": ratio, "ul_ul": 1.0}})).held is held


@pytest.mark.parametrize(("ncp", "held"), [(0.39, True), (0.58, True), (0.59, False), (1.0, False), (0.25, False)])
def test_a_printed_high_loss_is_judged_by_its_number(ncp, held):
    claim = of(
        liu.on_aol(ORDERS, own=0.079, lg=0.12), "AA's loss on AOL is strikingly high, all around 39%, even for m=1"
    )
    assert claim.check(curves("ncp", AA=[(1, ncp)])).held is held


def test_orderings_over_another_axis_than_the_papers_are_our_own():
    kinds = {axis: {one.kind for one in liu.claims_of_order("m", ORDERS, axis=axis)} for axis in ("m", "k")}
    assert kinds == {"m": {"paper"}, "k": {"own"}}
    over_k = [figure for figure in runner.paper("liu2010").figures if figure.x_label == "k"]
    of_paper = [claim.text for figure in over_k for claim in figure.claims if claim.kind == "paper"]
    assert of_paper.count("the gap between mHgHs and LG widens as k grows") == 2
    assert [text for text in of_paper if "has the" in text] == []


def test_a_single_symbol_violates_all_constraints_of_several_groups_and_the_check_names_it():
    claim = of(loukides_claims.FIGURE_15, "AA satisfies the 20 utility constraints for no k")
    names = [f"{loukides.AA} {name}" for name in loukides_claims.WITH_TAXONOMY]
    point = {"utility_groups": 21, "utility_violated": 0, "published": 3, "ncp": 0.2}
    results = Results({(name, 5): point for name in names})
    assert not claim.check(results).held
    assert claim.check(results.without_information()).held
    single = Results({(name, 5): point | {"utility_groups": 1} for name in names})
    assert not claim.check(single.without_information()).held, "a single group allows the root"
    assert "single published symbol" not in claim.check(results).shown
    root = Results({(name, 5): point | {"published": 1} for name in names})
    assert f"a single published symbol: {names[0]}" in claim.check(root).shown
    assert claim.high


def test_a_claim_whose_figure_runs_no_search_follows_from_the_data():
    for key in runner.papers(studies=False):
        for figure in runner.paper(key).figures:
            if all("algorithm" not in case.parameters and "k" not in case.parameters for case in figure.cases):
                found = {claim.text for claim in figure.claims if claim.kind == "paper"}
                assert found == set(), (key, figure.key)


def test_lg_may_lose_more_than_aa_for_a_small_m_where_the_paper_says_so():
    """ "In some cases on POS (with a small m and a large k), LG incurs a little bit more" (section 5.1)."""
    losses = {"AA": (0.1, 0.2, 0.4), "LG": (0.3, 0.3, 0.3), "MM": (0.5, 0.6, 0.7), "mHgHs": (0.1, 0.1, 0.1)}
    results = curves("ncp", **{name: list(zip((2, 3, 7), of, strict=True)) for name, of in losses.items()})
    text = "LG has the third highest loss"
    assert of(liu.claims_of_order("m", ORDERS, lg_may_exceed=True), text).check(results).held
    assert not of(liu.claims_of_order("m", ORDERS), text).check(results).held
    above = curves("ncp", **{name: list(zip((2, 4, 7), of, strict=True)) for name, of in losses.items()})
    assert (
        not of(liu.claims_of_order("m", ORDERS, lg_may_exceed=True), text)
        .check(Results({**above.measured, ("AA", 4): {"ncp": 0.2}}))
        .held
    ), "m=4 is not small"
    (exempt,) = [
        figure.key
        for figure in runner.paper("liu2010").figures
        for claim in figure.claims
        if claim.text == text and "where the paper states" in claim.criterion
    ]
    assert exempt == "fig3a"


@pytest.mark.parametrize(
    ("key", "text", "work"),
    [
        ("terrovitis2008", "the cost of AA grows linearly with m", True),
        ("terrovitis2008", "the tree of AA scales better than the tree of DA", False),
        ("poulis2013", "RM_T is more scalable (counted work)", True),
        ("poulis2013", "RM_T is more scalable (time)", False),
        ("liu2010", "the counted work of mHgHs is quite scalable", True),
        ("liu2010", "mHgHs has the lowest loss", False),
    ],
)
def test_claims_about_time_that_counted_work_decides_are_known(key, text, work):
    claims = [claim for figure in runner.paper(key).figures for claim in figure.claims if claim.text == text]
    assert {judging.is_work(claim) for claim in claims if claim.kind == "paper"} == {work}


@pytest.mark.parametrize(("lg", "held"), [(0.9, False), (1.4, True), (1.6, False), (69, False)])
def test_a_slightly_higher_loss_has_an_upper_bound(lg, held):
    assert liu.LG_ABOVE_AA.check(curves("ncp", LG=[(1, lg / 100)], AA=[(1, 0.01)])).held is held


def test_an_ordering_without_a_compared_algorithm_is_not_measured():
    claim = of(liu.claims_of_order("m", ORDERS), "mHgHs has the lowest loss")
    there = {"mHgHs": [(2, 0.1), (5, 0.1)], "LG": [(2, 0.2), (5, 0.2)], "AA": [(2, 0.3), (5, 0.3)]}
    assert claim.check(curves("ncp", **there, MM=[(2, 0.9), (5, 0.9)])).held
    for measured in ({}, {"MM": [(2, 0.9)]}):
        with pytest.raises(KeyError, match="MM at 5" if measured else "MM"):
            claim.check(curves("ncp", **there, **measured))


def test_a_data_set_without_a_compared_algorithm_is_no_part_of_an_ordering():
    fast, slow = [(liu.POS, 1.0), (liu.KOSARAK, 2.0)], [(liu.POS, 2.0), (liu.KOSARAK, 1.0)]
    points = {"LG": fast, "mHgHs": slow, "AA": slow, "MM": slow}
    claim = of(liu.TIMES, "LG is the most efficient")
    assert claim.check(curves("seconds", **points)).parts == {liu.POS: True, liu.KOSARAK: False}
    finding = claim.check(curves("seconds", **points | {"MM": slow[:1]}))
    assert (finding.held, list(finding.gaps)) == (True, [liu.POS])


def test_unlike_counters_are_not_compared():
    claim = of(loukides_claims.FIGURE_14A, "COAT's counted work scales better with |D| than AA's")
    assert claim.check is None
    assert "unlike counters" in claim.criterion


def test_counts_that_a_smaller_count_bounds_follow_from_the_data():
    assert of(loukides_claims.FIGURE_14B, "COAT's number of merges is sub-linear in k").kind == "derived"
    assert of(poulis.FIGURE_7B, "fewer clusters are merged as k grows").kind == "derived"


@pytest.mark.parametrize(("share", "parts"), [(0.0001, (True, True)), (0.0005, (False, True))])
def test_the_printed_share_of_suppressed_items_is_less_than_one_item(share, parts):
    assert 0.0001 * 497 < 1
    claim = of(loukides_claims.FIGURE_13, "COAT suppresses items only for UP1, and very few")
    series, none = f"{loukides.COAT}{loukides.BMS1}", {"suppressed": 0.0, "suppressed_occurrences": 0.0}
    results = Results({(series, "UP1"): {"suppressed": share, "suppressed_occurrences": 0.0001}, (series, "UP2"): none})
    assert tuple(claim.check(results).parts.values()) == parts
    assert verdict_rules.reading_of("occurrences") in runner.paper("loukides2010").reading


def test_a_smaller_span_over_delta_is_not_more_scalable_if_its_factor_is_larger():
    text = "with TM_T and TM_RT, the number of applications of the transaction function depends less on delta"
    claim = of(poulis.benefit("TM"), text)
    smaller = {f"TM_{v}, AA": {0: {"unions": 100, "unions_ul": 1000}, 1: {"unions": 300, "unions_ul": 2000}}
               for v in ("T", "RT")}  # fmt: skip
    results = Results({(name, x): point for name, of_x in smaller.items() for x, point in of_x.items()})
    assert not claim.check(results).held
    flat = {key: point | {"unions": 100} for key, point in results.measured.items()}
    assert claim.check(Results(flat)).held


@pytest.mark.parametrize(
    ("text", "curve", "low", "high"),
    [
        ("the loss of MM on AOL is 46% to 96% for m >= 2", "MM", 0.46, 0.96),
        ("the loss of LG on AOL is at most 27%", "LG", None, 0.27),
        ("for m >= 5 on AOL, the loss is 0.079 with mHgHs and 0.12 with LG", "mHgHs", 0.079 / 1.5, 0.079 * 1.5),
        ("for m >= 5 on AOL, the loss is 0.079 with mHgHs and 0.12 with LG", "LG", 0.12 / 1.5, 0.12 * 1.5),
    ],
)
def test_printed_losses_are_judged_on_the_substitute_data(text, curve, low, high):
    claim, near = of(liu.on_aol(ORDERS, own=0.079, lg=0.12), text), {"mHgHs": 0.079, "LG": 0.12, "MM": 0.7}
    bounds = [(high, True), (high + 0.01, False)] + ([(low, True), (low - 0.01, False)] if low else [])
    for value, held in bounds:
        points = {name: [(5, value if name == curve else usual)] for name, usual in near.items()}
        assert claim.check(curves("ncp", **points)).held is held


def test_parts_count_the_queries_with_an_answer():
    point = {"are_own_q3": 0.1, "are_record_q3": 0.1}
    results = Results({("COAT", 2): point | {"answered_own_q3": 400}, ("AA", 2): point | {"answered_own_q3": 3}})
    assert loukides.better(loukides.READINGS_3)(results).answered["own items"] == 3


def test_the_number_of_itemsets_is_no_reading():
    assert set(runner.paper("loukides2010").reading) == {"own items", "occurrences"}
    assert verdict_rules.reading_of("1,000 itemsets, own items") == "own items"


def test_work_that_leaves_out_the_cause_that_the_paper_names_has_no_verdict():
    for figure in (poulis.FIGURE_7A, poulis.FIGURE_7B, poulis.benefit("RM"), poulis.benefit("TM")):
        texts = [one.text for one in figure]
        work = [one for one in figure if one.text.endswith("(counted work)")]
        assert work
        for one in work:
            assert one.check is None
            assert one.text.replace("(counted work)", "(time)") in texts


def test_a_satisfied_policy_is_not_violated_and_has_several_groups():
    point = {"suppressed": 0.0, "utility_violated": 0, "utility_groups": 2}
    results = Results({("COAT BMS-1", "UP1"): point, ("COAT BMS-1", "UP4"): point | {"utility_groups": 1}})
    claim = of(loukides_claims.FIGURE_13, "COAT satisfies all utility policies on BMS-1 (s=0.5%)")
    assert claim.check(results).parts == {"UP1": True}
    assert claim.check(results.without_information()).parts == {"UP1": False}, "it suppresses nothing"
    assert not claim.check(Results({("COAT BMS-1", "UP1"): point | {"suppressed": 0.006}})).held


def test_the_utility_loss_is_compared_for_all_policies_and_ways():
    claim = of(loukides_claims.FIGURE_12, "COAT outperforms AA in UL in all tested cases (stated without a figure)")
    points = {(f"{name}{data}{way}", x): {"ncp": 0.1, "ul_log2": log}
              for data in (" BMS-1", " BMS-2") for x in ("PP6", "PP7")
              for name, log, ways in (("COAT", 1.0, tuple(DRAWN_FROM)), ("AA", 2.0, ("",)))
              for way in ways}  # fmt: skip
    assert claim.check(Results(points)).held
    points["COAT BMS-2, 10,000 itemsets", "PP7"] = {"ncp": 0.1, "ul_log2": 2.0}
    found = claim.check(Results(points)).parts
    assert [part for part, held in found.items() if not held] == ["BMS-2, 10,000 itemsets"]


@pytest.mark.parametrize(("largest", "held"), [(12, True), (13, False)])
def test_a_much_lower_level_of_generalization_is_half_of_the_allowed_items(largest, held):
    claim = of(loukides_claims.FIGURE_13,
               "COAT applies a much lower level of generalization than the utility constraints specify")  # fmt: skip
    results = Results({(f"COAT BMS-{n}", "UP1"): {"largest": largest if n == 2 else 12} for n in (1, 2)})
    assert claim.check(results).parts == {"BMS-1": True, "BMS-2": held}


def test_losses_that_the_paper_prints_for_large_k_are_judged_for_each_skew():
    worst, printed, small = liu.printed_for_large_k(TREES, {"skew 2": "ncp_2", "skew 4": "ncp_4"})
    at_50 = {"mHgHs": (0.09, 0.11), "LG": (0.17, 0.28)}
    results = Results({(name, k): {"ncp_2": low, "ncp_4": high if k == 50 else 0.01}
                       for name, (low, high) in at_50.items() for k in (5, 50)})  # fmt: skip
    assert small.check(results).parts == worst.check(results).parts == {"skew 2": True, "skew 4": False}
    assert printed.check(results).parts == {"skew 2": True, "skew 4": False}


@pytest.mark.parametrize(
    ("claims", "text", "inserted", "cuts"),
    [
        (terrovitis.FIGURE_8, "the cost of OA and DA grows linearly with |D|", (1, 2, 3), (1, 2, 3)),
        (terrovitis.FIGURE_9, "the cost of OA grows exponentially with |I|", (1, 4, 16), (1, 4, 16)),
        (terrovitis.FIGURE_10, "the cost of OA and DA is exponential in m", (1, 2, 4), (1, 2, 4)),
    ],
)
def test_the_cost_of_oa_is_judged_by_both_measures_of_work(claims, text, inserted, cuts):
    claim, xs = of(claims, text), (10, 20, 30) if "|" in text else (1, 2, 3)

    def judge(inserted, cuts):
        points = zip(xs, inserted, cuts, strict=True)
        values = {x: {"inserted": 1000.0 * a, "cuts": 1000.0 * b} for x, a, b in points}
        return dict(claim.check(Results({(name, x): one for name in ("OA", "DA") for x, one in values.items()})).parts)

    assert judge(inserted, cuts) == {"itemsets inserted": True, "cuts evaluated": True}
    assert judge((1, 1, 1), cuts) == {"itemsets inserted": False, "cuts evaluated": True}
    assert judge(inserted, (1, 1, 1)) == {"itemsets inserted": True, "cuts evaluated": False}


def test_a_tree_that_falls_between_two_sizes_does_not_grow():
    claim = of(terrovitis.FIGURE_9, "the tree of OA and DA grows super-linearly with |I|")
    sizes = (40, 45, 50, 55, 60)
    rising = claim.check(curves("tree_nodes", DA=list(zip(sizes, (10, 20, 40, 80, 160), strict=True))))
    sawtooth = claim.check(curves("tree_nodes", DA=list(zip(sizes, (10, 80, 20, 160, 40), strict=True))))
    assert list(rising.parts.values()) == [True, True]
    assert list(sawtooth.parts.values()) == [True, False]
    assert claim.kind == "derived"


@pytest.mark.parametrize(
    ("claims", "aa", "da", "held"),
    [
        (terrovitis.FIGURE_9, (1, 2, 3, 4, 5), (10, 40, 90, 200, 400), True),
        (terrovitis.FIGURE_9, (5, 5, 60, 5, 5), (10, 80, 20, 160, 40), False),  # a sawtooth
        (terrovitis.FIGURE_9, (9, 8, 7, 6, 5), (10, 80, 20, 160, 40), False),  # DA does not grow
        (terrovitis.FIGURE_10, (1, 2, 30, 4, 5), (10, 80, 100, 160, 200), False),  # the ratio rises at m=3
        (terrovitis.FIGURE_10, (1, 2, 2, 3, 3), (10, 80, 100, 160, 200), True),
    ],
)
def test_a_tree_scales_better_only_if_its_share_of_the_other_falls_with_each_step(claims, aa, da, held):
    claim, xs = of(claims, "the tree of AA scales better than the tree of DA"), (40, 45, 50, 55, 60)
    if claims is terrovitis.FIGURE_10:
        xs = (1, 2, 3, 4, 5)
    points = {"AA": list(zip(xs, aa, strict=True)), "DA": list(zip(xs, da, strict=True))}
    assert claim.check(curves("tree_nodes", **points)).held is held
