"""Verdicts from shares of repetitions, from named levels and from parts, and stale results."""

import pytest
from benchmarks.experiments import claim_counts, criteria, findings, judging, render, runner, sources, verdicts
from benchmarks.experiments.cases import JOINTLY, Case, Claim, Figure, Finding, Paper, Results
from benchmarks.experiments.checks import ordering
from benchmarks.experiments.factors import ORDERS, RUNS, SAMPLES
from benchmarks.experiments.judging import judge
from benchmarks.experiments.liu2010 import claims, measurement
from benchmarks.experiments.workers import Worker, grouped

from anonset.errors import InputError

pytestmark = pytest.mark.compiled


def judged(values, *, factor, check=None, reading=(), **more):
    """Judge "the loss is at most 1" by the loss at each level."""
    check = check or (lambda results: Finding(results.at("AA", 1, "value") <= 1, f"{results.at('AA', 1, 'value')}"))
    claim = Claim("it loses little", "low", check, factor=factor, **more)
    cases = [Case("f", "AA", 1, {"level": level}, level) for level in (factor.levels if factor else [""])]
    paper = Paper(
        "p", "A paper", [Figure("f", "Fig. 1: loss", "x", {"loss": "loss"}, cases, [claim])], dict, reading=reading
    )
    result = {
        case.key: {"measured": dict.fromkeys(("value", "loss"), values[case.repetition])}
        for case in cases
        if case.repetition in values
    }
    (judgement,) = judge(paper, result)
    return judgement


@pytest.mark.parametrize(
    ("met", "verdict"),
    [
        (20, "holds"),
        (15, "holds"),
        (14, "unsettled"),
        (6, "unsettled"),
        (5, "fails"),
        (1, "fails"),
        (0, "contradicted"),
    ],
)
def test_a_claim_is_judged_by_the_share_of_its_repetitions(met, verdict):
    values = {level: 0.5 if number < met else 2 for number, level in enumerate(SAMPLES.draws)}
    judgement = judged(values, factor=SAMPLES)
    assert (judgement.verdict, judgement.met, judgement.of) == (verdict, met, 20)
    assert float(judgement.measured) == (0.5 if met > 10 else 2), "the median is shown"


@pytest.mark.parametrize(
    ("met", "of", "verdict"),
    [
        (6, 6, "holds"),  # the interval begins at 54%
        (6, 7, "unsettled"),
        (150, 200, "unsettled"),  # above half, but certainly below 90%
        (50, 200, "unsettled"),
        (175, 200, "holds"),
        (25, 200, "fails"),
        (2, 3, "unsettled"),  # too few runs for an interval
        (0, 3, "contradicted"),
        (0, 1, "fails"),
    ],
)
def test_a_verdict_follows_from_the_interval_of_the_share(met, of, verdict):
    assert criteria.verdict_of(met, of) == verdict


def test_fewer_than_twenty_repetitions_have_no_verdict():
    values = dict.fromkeys(SAMPLES.draws[:19], 0.5)
    judgement = judged(values, factor=SAMPLES)
    assert judgement.verdict == "not measured"
    assert judgement.measured == "19 of 20 repetitions are measured; met in 19: 0.5"


def test_an_opposite_result_of_a_named_order_depends_on_the_order():
    values = dict.fromkeys(ORDERS.levels, 0.5)
    assert judged(values, factor=ORDERS).verdict == "holds"
    judgement = judged(values | {"numeric": 2}, factor=ORDERS)
    assert judgement.verdict == "depends on the leaf order"
    assert judgement.share == "20 of 20 (83% to 100%); numeric: no; lexical: yes; frequency: yes; first seen: yes"
    half = values | dict.fromkeys(ORDERS.draws[:10], 2) | {"numeric": 2}
    assert judged(half, factor=ORDERS).verdict == "unsettled", "random orders already disagree"


@pytest.mark.parametrize(
    ("a", "b_holds_in", "verdict"),
    [
        (True, 20, "holds"),
        (True, 0, "depends on the data set"),
        (True, 10, "depends on the data set"),
        (False, 10, "contradicted"),
        (False, 0, "contradicted"),
    ],
)
def test_each_part_is_judged_separately(a, b_holds_in, verdict):
    def check(results):
        holds = results.at("AA", 1, "value") <= 1
        return Finding(a and holds, "", {"A": a, "B": holds})

    values = {level: 0.5 if number < b_holds_in else 2 for number, level in enumerate(SAMPLES.draws)}
    judgement = judged(values, factor=SAMPLES, check=check, over="data set")
    assert judgement.verdict == verdict
    assert dict(judgement.parts) == {"A": (20 * a, 20), "B": (b_holds_in, 20)}
    assert judgement.readings == {}


def of_parts(parts, *, factor=SAMPLES, reading=("own items",), **more):
    """Judge a claim whose parts hold in the given number of repetitions."""
    numbers = {level: number for number, level in enumerate(factor.levels)}

    def check(results):
        holds = {part: results.at("AA", 1, "value") < n for part, n in parts.items()}
        return Finding(all(holds.values()), "", holds)

    return judged(numbers, factor=factor, check=check, over="data set", reading=dict.fromkeys(reading, ""), **more)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"records": 20}, "holds"),
        ({"records": 20, "own items": 20}, "holds"),
        ({"records": 20, "own items": 0}, "contradicted (records: holds)"),
        ({"records": 0, "own items": 20}, "holds (records: contradicted)"),
        (
            {"A, records": 20, "B, records": 16, "A, own items": 9, "B, own items": 20},
            "depends on the data set (records: holds)",
        ),
        (
            {"A, records": 20, "B, records": 0, "A, own items": 0, "B, own items": 3},
            "contradicted (records: depends on the data set)",
        ),
        ({"records": 10, "own items": 3}, "fails (records: unsettled)"),
    ],
)
def test_a_claim_is_judged_by_the_reading_of_the_paper_and_shows_the_others(parts, sentence):
    assert of_parts(parts).sentence == sentence


@pytest.mark.parametrize(
    ("holds_in", "over", "verdict"),
    [
        ({"k=2": 20, "k=5": 0}, "data set", "depends on the data set"),
        ({"k=2": 20, "k=5": 0}, "k", "contradicted"),
        ({"k=2": 20, "k=5": 3}, "k", "fails"),
        ({"k=2": 20, "k=5": 10}, "m", "unsettled"),
        ({"k=2": 20, "k=5": 19}, "m", "holds"),
    ],
)
def test_a_claim_about_all_positions_does_not_depend_on_the_position(holds_in, over, verdict):
    numbers = {level: number for number, level in enumerate(SAMPLES.levels)}

    def check(results):
        parts = {part: results.at("AA", 1, "value") < n for part, n in holds_in.items()}
        return Finding(all(parts.values()), "", parts)

    assert judged(numbers, factor=SAMPLES, check=check, over=over).verdict == verdict


@pytest.mark.parametrize(
    ("answered", "sentence"),
    [
        ({"own items": 99, "records": 1000}, "not testable here (records: holds)"),
        ({"own items": 100, "records": 1000}, "holds"),
        ({"A, own items": 99, "B, own items": 100}, "not testable here"),
        ({"A, own items": 99, "B, own items": 100, "C, own items": 100}, "depends on the data set"),
    ],
)
def test_errors_of_few_answered_queries_have_no_verdict(answered, sentence):
    def check(results):
        parts = {part: not part.startswith("C") for part in answered}
        return Finding(all(parts.values()), "AA / COAT: 2", parts, answered=answered)

    judgement = judged(
        dict.fromkeys(SAMPLES.levels, 1), factor=SAMPLES, check=check, reading={"own items": ""}, over="data set"
    )
    assert judgement.sentence == sentence
    few = [part for part, n in answered.items() if n < 100]
    assert judgement.measured == "AA / COAT: 2" + "".join(f"; queries with an answer: {part} 99" for part in few)


@pytest.mark.parametrize(("smallest", "counted"), [(1.5, "1 of them, and 0 claims with"), (0.9, "")])
def test_an_ordering_of_errors_states_their_size_under_the_reading_of_the_paper(smallest, counted):
    errors = {"own items": (smallest, 40.0), "records": (0.1, 90.0)}

    def check(results):
        parts = {key: {0: results.at("AA", 1, "value")} for key in errors}
        return ordering(parts, "AA / COAT: 2")._replace(errors=errors)

    values = dict.fromkeys(SAMPLES.levels, 1)
    judgement = judged(values, factor=SAMPLES, check=check, reading={"own items": ""}, over="items")
    assert (judgement.verdict, judgement.errors) == ("holds", (smallest, 40.0))
    assert judgement.measured == f"AA / COAT: 2; errors: {smallest} to 40"
    assert judgement.sentence.startswith("holds (errors above 1" if counted else "holds")
    assert ("errors above 1" in judgement.sentence) == bool(counted)
    assert findings._large_errors([judgement]).startswith(counted)
    assert bool(findings._large_errors([judgement])) == bool(counted)


def test_an_ordering_names_a_curve_that_loses_everything():
    check = claims._ordered(("mHgHs", "AA"))
    levels = {("mHgHs", 1): 0.1, ("mHgHs", 2): 0.2, ("AA", 1): 0.9, ("AA", 2): 0.999}
    found = check(Results({at: {"ncp": loss} for at, loss in levels.items()}))
    assert (found.held, found.lost) == (True, {"AA": 1})
    values = dict.fromkeys(SAMPLES.levels, 1)
    judgement = judged(values, factor=SAMPLES, check=lambda _: found)
    assert judgement.sentence == "holds (AA loses everything at 1 position)"


def test_a_reading_that_the_paper_does_not_fix_is_an_error():
    with pytest.raises(ValueError, match="not enough values"):
        of_parts({"records": 20, "own items": 20}, reading=("domain",))


def of_gaps(*gaps, text="it is lower"):
    """Judge an ordering by the differences in each repetition, which are repeated if there are fewer than twenty."""
    values = {level: gaps[number % len(gaps)] for number, level in enumerate(SAMPLES.draws)}
    cases = [Case("f", "AA", 1, {"level": level}, level) for level in SAMPLES.draws]
    claim = Claim(text, "lower", lambda r: ordering({"": dict(enumerate(r.at_all()))}, "-"), factor=SAMPLES)
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, [claim])], dict)
    found = {case.key: {"measured": {str(i): gap for i, gap in enumerate(values[case.repetition])}} for case in cases}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Results, "at_all", lambda self: list(self.measured["AA", 1].values()), raising=False)
        (judgement,) = judge(paper, found)
    return judgement


@pytest.mark.parametrize(
    ("gaps", "verdict", "reverse"),
    [
        ([(0.01, 0.2)], "holds", "contradicted"),
        ([(-0.01, -0.2)], "contradicted (0 of 2 comparisons hold, 2 reversed)", "holds"),
        ([(0.0, 0.0)], "equal (differences up to 0.00%)", "equal"),
        ([(0.04, 0.0)], "equal (differences up to 0.00%)", "contradicted"),  # a tie, and a comparison that holds
        (
            [(0.03, -0.04)],
            "contradicted (1 of 2 comparisons hold, 1 reversed)",
            "contradicted",
        ),  # no repetition meets it
        ([(0.03, 0.02, -0.04)], "contradicted (2 of 3 comparisons hold, 1 reversed)", "contradicted"),
        ([(0.03, -0.02)] * 19 + [(0.03, 0.02)], "mixed (1 of 2 comparisons hold, 1 reversed)", "contradicted"),
        ([(0.03, -0.02)] * 19 + [(-0.03, -0.02)], "contradicted (1 of 2 comparisons hold, 1 reversed)", "mixed"),
        ([(0.03, -0.02, -0.04)] * 19 + [(1, 1, 1)], "fails (1 of 3 comparisons hold, 2 reversed)", "contradicted"),
        ([(-0.03, -0.02)] * 19 + [(0.03, 0.02)], "fails (0 of 2 comparisons hold, 2 reversed)", "holds"),
        ([(0.009,), (-0.009,)], "equal (differences up to 0.90%)", "equal"),
        (
            [(0.03,), (-0.05,)],  # no direction in most repetitions
            "no consistent order (differences up to 4.00%)",
            "no consistent order",
        ),
        ([(0.03, 0.1), (0.03, 0.2), (0.03, 0.1), (-0.03, 0.1)], "holds", "contradicted"),  # strict in 15 of 20
    ],
)
def test_an_ordering_is_strict_and_never_holds_in_both_directions(gaps, verdict, reverse):
    judgement = of_gaps(*gaps)
    assert (judgement.sentence, judgement.reverse) == (verdict, reverse)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("it is lower for all k", "fails"), ("it is lower in all tested cases (time)", "fails"),
     ("it makes all others lower", "mixed")],
)  # fmt: skip
def test_one_reversed_comparison_contradicts_a_sentence_about_all_cases(text, verdict):
    judgement = of_gaps(*[(0.03, 0.02, -0.04)] * 19, (0.03, 0.02, 0.04), text=text)
    assert judgement.sentence == f"{verdict} (2 of 3 comparisons hold, 1 reversed)"
    assert ("one reversed comparison contradicts" in judgement.claim.criterion) == (verdict == "fails")
    assert of_gaps((0.03, 0.02), text=text).verdict == "holds"


def test_comparisons_of_equal_differences_count_separately():
    assert of_gaps((0.03, 0.03, -0.04, -0.04, -0.04)).comparisons == (2, 3, 5)


def test_the_smallest_of_several_differences_is_no_comparison_of_its_own():
    gaps = {"a": 0.03, "b": -0.04, JOINTLY: -0.04}
    claims = [Claim("it is lower", "", lambda r: ordering({"": gaps}, "-"), SAMPLES)]
    cases = SAMPLES.over([Case("f", "AA", 1, {})])
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, claims)], dict)
    (judgement,) = judge(paper, {case.key: {"measured": {"loss": 0.5}} for case in cases})
    assert judgement.sentence == "contradicted (1 of 2 comparisons hold, 1 reversed)"


def test_an_ordering_whose_comparisons_hold_in_different_repetitions_states_their_difference():
    judgement = of_gaps(*[(-0.5 if n < 5 else 0.5, -0.4 if n >= 15 else 0.4) for n in range(20)])
    assert judgement.sentence == "no consistent order (differences up to 50.00%)"
    equal = of_gaps(*[(0.0 if n < 5 else 0.001, 0.0 if n >= 15 else 0.001) for n in range(20)])
    assert equal.sentence == "equal (differences up to 0.10%)"


@pytest.mark.parametrize(
    ("printed", "published", "most", "verdict"),
    [
        ("0.5", set(), 0.6, "agrees on substitute data"),
        ("0.5", set(), 0.1, "differs on substitute data"),
        ("0.5", {"a"}, 0.6, "holds"),
        ("0.5", {"a"}, 0.1, "contradicted"),
        ("", set(), 0.6, "holds"),
        ("", set(), 0.1, "contradicted"),
    ],
)
def test_a_number_printed_for_missing_data_has_no_verdict_on_other_data(printed, published, most, verdict):
    def check(results):
        holds = results.at("AA", 1, "loss") <= most
        return Finding(holds, f"{results.at('AA', 1, 'loss')}", {"records": holds, "own items": holds})

    claims = [Claim("it is low", "", check, SAMPLES, printed=printed),
              Claim("it rises", "", lambda r: ordering({"": {"": 1.0}}, "-"), SAMPLES, printed=printed)]  # fmt: skip
    cases = SAMPLES.over([Case("f", "AA", 1, {"data": "a"})])
    reading = {"own items": ""}
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, claims)], dict, reading=reading,
                  published_data=frozenset(published))  # fmt: skip
    judgement, order = judge(paper, {case.key: {"measured": {"loss": 0.5}} for case in cases})
    assert (judgement.verdict, set(judgement.readings.values())) == (verdict, {verdict})
    assert order.verdict == "holds", "an order of substitute data is judged"
    counted = claim_counts.counts([judgement])
    assert counted["hold under the kindest reading"] == (verdict == "holds")
    assert counted["numbers printed for missing data that agree on substitute data"] == verdict.startswith("agrees")
    assert counted["numbers printed for missing data that differ on substitute data"] == verdict.startswith("differs")
    assert findings._judged_and_holding([judgement])[0] == (verdict in ("holds", "contradicted"))


def test_an_ordering_without_a_reversed_comparison_is_equal_even_if_no_repetition_meets_it():
    for gaps in ([(0.04, 0.0)], [(0.0, 0.0)]):
        judgement = of_gaps(*gaps)
        assert (judgement.verdict, judgement.met) == ("equal", 0)
        assert claim_counts.never_met([judgement], "equal") == 1
    assert claim_counts.never_met([of_gaps((0.03, -0.04))], "equal") == 0
    positions = [
        Claim("at all k", "", lambda r: ordering({"k=2": {"": 1.0}, "k=5": {"": 0.0}}, "-"), SAMPLES, over="k")
    ]
    cases = SAMPLES.over([Case("f", "AA", 1, {})])
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, positions)], dict)
    (judgement,) = judge(paper, {case.key: {"measured": {"loss": 0.5}} for case in cases})
    assert (judgement.verdict, judgement.met) == ("equal", 0), "one position holds, and the other is equal"


def test_orderings_that_only_repeat_comparisons_of_others_are_counted_separately():
    def of(*pairs):
        gaps = {("a", "b"): 0.1, ("a", "c"): 0.2, ("b", "c"): 0.3}
        return Claim(f"{pairs}", "", lambda r: ordering({"": {pair: gaps[pair] for pair in pairs}}, "-"), SAMPLES)

    def count(*claims):
        cases = SAMPLES.over([Case("f", "AA", 1, {})])
        paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, claims)], dict)
        judged = judge(paper, {case.key: {"measured": {"loss": 0.5}} for case in cases})
        assert claim_counts.counts(judged)["hold under the reading of each paper"] == len(claims) - repeated(judged)
        return repeated(judged)

    def repeated(judged):
        return [one.basis for one in judged].count(judging.DERIVED)

    lowest, highest, between = of(("a", "b"), ("a", "c")), of(("a", "c"), ("b", "c")), of(("b", "c"))
    assert count(lowest, highest) == 0
    assert count(lowest, highest, between) == count(highest, between) == 1
    assert count(lowest, lowest, lowest) == 2


def test_derived_claims_are_counted_separately():
    claim = judged(dict.fromkeys(SAMPLES.draws, 0.5), factor=SAMPLES, kind="derived")
    other = judged(dict.fromkeys(SAMPLES.draws, 0.5), factor=SAMPLES)
    assert (claim.verdict, claim_counts.holding([claim, other])) == ("holds", (1, 1, 1))
    counted = claim_counts.counts([claim, other])
    derived = "hold, but follow from the data or from other claims: not counted above"
    assert (counted["claims"], counted[derived]) == (1, 1)
    assert verdicts.totals({"p": [claim, other]}) == {"derived": {"holds": 1}, "paper": {"holds": 1}}


def test_a_claim_about_losses_has_no_verdict_if_a_publication_without_information_meets_it():
    def at_most(most):
        return lambda results: Finding(results.at("AA", 1, "loss") <= most, f"{results.at('AA', 1, 'loss')}")

    values = dict.fromkeys(SAMPLES.draws, 0.2)
    judgement = judged(values, factor=SAMPLES, check=at_most(0.5))
    assert (judgement.verdict, judgement.null) == ("holds", False)
    judgement = judged(values, factor=SAMPLES, check=at_most(1.0))
    assert (judgement.verdict, judgement.null) == ("not testable here", True)
    assert judgement.measured == "a publication without information also meets the criterion: 1.0"
    nothing = judged(dict.fromkeys(SAMPLES.draws, 1.0), factor=SAMPLES, check=at_most(1.0))
    assert nothing.verdict == "not testable here", "the measured publication itself contains no information"
    judgement = judged(values, factor=SAMPLES, check=at_most(1.0), high=True)
    assert (judgement.verdict, judgement.null) == ("holds", True)
    assert judged(values, factor=SAMPLES, check=at_most(1.0), kind="own").verdict == "holds"
    other = judged(values, factor=SAMPLES, check=lambda results: Finding(results.has("loss"), "measured"))
    assert (other.verdict, other.null) == ("holds", None), "the claim is not about the size of the loss"


def test_results_without_information_have_the_measured_errors_of_the_null_publication():
    measured = {("RM_R, AA", 1): {"are": 0.3, "ncp": 0.1, "null_own": 0.9, "own": 0.2}, ("null, AA", 1): {"are": 0.8},
                ("RM_R, COAT", 1): {"are": 0.3}}  # fmt: skip
    null = Results(measured).without_information()
    assert null.measured["RM_R, AA", 1] == {"are": 0.8, "ncp": 1.0, "null_own": 0.9, "own": 0.9}
    assert null.measured["RM_R, COAT", 1] == {"are": 1.0}, "the null publication of COAT is not measured"


def test_a_claim_that_an_error_hardly_changes_has_no_verdict_unless_it_is_contradicted():
    def flat(results):
        values = results.values("AA", "are")
        return Finding(max(values) <= 2 * min(values), f"{values}")

    def verdict(last):
        cases = [Case("f", "AA", x, {"level": level}, level) for level in SAMPLES.draws for x in (1, 2)]
        paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, [Claim("flat", "", flat, SAMPLES)])], dict)
        (judgement,) = judge(paper, {case.key: {"measured": {"are": {1: 0.2, 2: last}[case.x]}} for case in cases})
        return judgement.verdict, judgement.null

    assert verdict(0.3) == ("not testable here", True), "without information, the error does not change either"
    assert verdict(0.5) == ("contradicted", True)


def test_the_null_publication_suppresses_nothing():
    def at_most(results):
        return Finding(results.at("AA", 1, "suppressed") <= 0.1, f"{results.at('AA', 1, 'suppressed')}")

    cases = [Case("f", "AA", 1, {"level": level}, level) for level in SAMPLES.draws]
    claim = Claim("it suppresses little", "at most 0.1", at_most, factor=SAMPLES)
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, [claim])], dict)
    (judgement,) = judge(paper, {case.key: {"measured": {"suppressed": 0.05}} for case in cases})
    assert (judgement.verdict, judgement.null) == ("not testable here", True)


def test_a_main_finding_is_shown_for_all_data():
    texts = "it loses little (time)", "it loses little", "it loses much"
    claims = [Claim(text, "", None, main=text == texts[0]) for text in texts]
    own = Claim(texts[1], "", None, kind="own")
    figures = [Figure("f", "Fig. 1", "x", {}, [], claims), Figure("g", "Fig. 2", "x", {}, [], [own])]
    paper = Paper("p", "A paper", figures, dict)
    assert [one.claim.main for one in judge(paper, {})] == [True, True, False, False]


def test_the_null_publication_does_not_replace_the_optimum():
    null = Results({("OA", 1): {"ncp": 0.1}, ("AA", 1): {"ncp": 0.1}}).without_information()
    assert null.measured == {("OA", 1): {"ncp": 0.1}, ("AA", 1): {"ncp": 1.0}}


def test_a_named_order_contradicts_only_the_readings_that_it_contradicts():
    def check(results):
        holds = {"records": True, "own items": results.at("AA", 1, "value") <= 1}
        return Finding(all(holds.values()), "", holds)

    values = dict.fromkeys(ORDERS.levels, 0.5) | {"numeric": 2}
    reading = {"records": ""}
    sentence = "holds (own items: depends on the leaf order)"
    assert judged(values, factor=ORDERS, check=check, reading=reading).sentence == sentence


@pytest.mark.parametrize(("over", "verdict"), [("policy", "depends on the leaf order"), ("k", "contradicted")])
def test_a_named_order_that_meets_one_of_several_contradicted_parts_is_shown_by_part(over, verdict):
    def check(results):
        holds = {"UP1": results.at("AA", 1, "value") <= 1, "UP2": False}
        return Finding(all(holds.values()), "", holds)

    values = dict.fromkeys(ORDERS.levels, 2) | {"numeric": 0.5}
    judgement = judged(values, factor=ORDERS, check=check, over=over)
    assert judgement.verdict == verdict
    assert "; numeric: only UP1; lexical: no; " in judgement.share
    assert judgement.record["singles_met"] == {"numeric": ["UP1"]}


def test_a_named_order_that_meets_all_positions_shows_that_the_claim_depends_on_it():
    """At k=2, most draws meet the claim, and at k=5 none, so the two positions have different verdicts."""

    def check(results):
        holds = {"k=2": True, "k=5": results.at("AA", 1, "value") <= 1}
        return Finding(all(holds.values()), "", holds)

    values = dict.fromkeys(ORDERS.levels, 2)
    assert judged(values, factor=ORDERS, check=check, over="k").verdict == "contradicted"
    values |= {"numeric": 0.5}
    assert judged(values, factor=ORDERS, check=check, over="k").verdict == "depends on the leaf order"


def test_a_contradicted_claim_shows_limits_that_the_paper_does_not_print():
    def of(printed="", **more):
        criterion = "at most 1.5 times as high, and at most 9, for at least one k"
        claim = Claim("it is slightly higher", criterion, lambda r: (False, ""), SAMPLES, printed=printed, **more)
        cases = SAMPLES.over([Case("f", "AA", 1, {})])
        paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, [claim])], dict)
        (judgement,) = judge(paper, {case.key: {"measured": {"loss": 0.5}} for case in cases})
        return judgement.sentence

    assert of() == "contradicted (our limit: at most 1.5 times, at most 9)"
    assert of("9") == "contradicted (our limit: at most 1.5 times)"
    assert of(kind="own") == "contradicted"


def test_the_difference_is_that_of_the_comparisons_without_an_order_over_all_parts():
    """One part has an order in each comparison, but never in all at once. The other part has a tie."""

    def check(results):
        n = results.at("AA", 1, "n")
        first = {"a": -0.7 if n < 5 else 0.7, "b": -0.6 if n >= 15 else 0.6}
        return ordering({"AA": first, "COAT": {"a": 0.5, "b": 0.0}}, "-")

    cases = SAMPLES.over([Case("f", "AA", 1, {})])
    claims = [Claim("it is larger", "", check, SAMPLES, over="function")]
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, claims)], dict)
    (judgement,) = judge(paper, {case.key: {"measured": {"n": n}} for n, case in enumerate(cases)})
    assert judgement.sentence == "equal (differences up to 0.00%)"


def test_times_of_a_paper_have_no_verdict():
    runs = dict.fromkeys(RUNS.levels, 0.5)
    judgement = judged(runs, factor=RUNS)
    assert (judgement.verdict, judgement.share) == ("shown, not judged", "3 of 3")


@pytest.mark.parametrize(
    ("published", "factor", "basis"),
    [
        ({"a", "b"}, SAMPLES, "the paper's data"),
        ({"b"}, SAMPLES, "substitute data"),
        ({"a"}, RUNS, "times"),
        (None, RUNS, ""),
        ({"b"}, ORDERS, "follows from data or claims"),
    ],
)
def test_claims_name_the_data_on_which_they_are_judged(published, factor, basis):
    kind = "derived" if factor is ORDERS else "paper"
    claim = Claim("it loses little", "at most 1", lambda _: Finding(True, ""), factor=factor, kind=kind)
    figure = Figure("f", "Fig. 1", "x", {}, factor.over([Case("f", "AA", 1, {"data": "a"})]), [claim])
    published_data = None if published is None else frozenset(published)
    (judgement,) = judge(Paper("p", "A paper", [figure], dict, published_data=published_data), {})
    assert judgement.basis == basis


def test_the_data_of_a_claim_are_those_of_its_parts_and_of_its_repetitions():
    cases = [Case("f", "AA", name, {"data": name}) for name in ("a", "b")]
    parted = Claim("both are low", "", lambda r: Finding(True, "", {"a": r.at("AA", "a", "loss") < 1}), over="data set")
    timed = RUNS.over([Case("g", "AA", "b", {"data": "b"})], cost="time")
    claim = Claim("it is low", "", lambda r: Finding(r.at("AA", "a", "loss") < 1, ""), factor=SAMPLES)
    figures = [
        Figure("f", "Fig. 1", "x", {}, cases, [parted]),
        Figure("g", "Fig. 2", "x", {}, [*SAMPLES.over([Case("g", "AA", "a", {"data": "a"})]), *timed], [claim]),
    ]
    paper = Paper("p", "A paper", figures, dict, published_data=frozenset({"a"}))
    found = {case.key: {"measured": {"loss": 0.5}} for figure in figures for case in figure.cases}
    assert [judgement.basis for judgement in judge(paper, found)] == ["the paper's data"] * 2


def test_times_need_three_runs_and_counted_work_one():
    assert judged(dict.fromkeys(RUNS.levels, 0.5), factor=RUNS, kind="own").verdict == "holds"
    assert judged(dict.fromkeys(RUNS.levels, 0.5) | {"run 2": 3}, factor=RUNS, kind="own").verdict == "unsettled"
    once = judged({"": 0.5}, factor=None)
    assert (once.verdict, once.share) == ("holds", "")


def test_an_untestable_claim_states_the_reason():
    claim = Claim("it is fast on POS", "POS cannot be had", None)
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, [], [claim])], dict)
    (judgement,) = judge(paper, {})
    assert (judgement.verdict, judgement.measured) == ("not testable here", "POS cannot be had")
    assert verdicts.totals({"p": [judgement]}) == {"paper": {"not testable here": 1}}


def test_our_own_studies_have_no_claims_of_a_paper():
    assert {judgement.claim.kind for judgement in judge(runner.paper("optimum"), {})} == {"own"}


def test_the_sign_test_ignores_ties_and_is_corrected_for_multiple_tests():
    assert criteria.sign_test([1.0] * 9 + [-1.0] + [0.0] * 10) == pytest.approx(2 * 11 / 1024)
    claims = [Claim(f"claim {i}", "", lambda _: ordering({"": {"": 1.0}}, ""), factor=SAMPLES) for i in range(4)]
    cases = SAMPLES.over([Case("f", "AA", 1, {})])
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases, claims)], dict)
    result = {case.key: {"measured": {"loss": 1}} for case in cases}
    assert [judgement.p for judgement in judge(paper, result)] == [pytest.approx(4 * 2 / 2**20)] * 4


def test_code_is_compared_without_comments_and_docstrings():
    digest = sources.syntax_digest('"""A."""\ndef f(x):\n    """B."""\n    return x\n')
    assert digest == sources.syntax_digest("def f(x):  # changed\n    return (x)\n")
    assert digest != sources.syntax_digest("def f(x):\n    return -x\n")
    assert sources.digest(["anonset.errors"], []) != sources.digest(["anonset.data"], [])
    assert sources.code_of("anonset.never_there") == ""


def test_descriptions_of_experiments_are_not_sources():

    result = sources.imported()
    assert measurement.__name__ in result
    assert "benchmarks.experiments.searches" in result
    for module in (
        "benchmarks.experiments.liu2010",
        "benchmarks.experiments.liu2010.claims",
        "benchmarks.experiments.runner",
    ):
        assert module not in result


def test_a_data_set_is_compared_by_its_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("ANONSET_DATA", str(tmp_path))
    sources.data_of.cache_clear()  # digests of the real files
    assert sources.data_of("pos_like") == ""
    with pytest.raises(InputError, match="bms_webview1"):
        sources.data_of("bms_webview1")


def test_cases_of_equal_data_share_a_process_unless_memory_is_measured():
    cases = [
        Case("f", "a", x, {"data": data}, cost=cost)
        for x, (data, cost) in enumerate(
            [("one", ""), ("two", ""), ("one", ""), ("one", "time"), ("one", "memory"), ("one", "memory")]
        )
    ]
    paper = Paper("p", "A paper", [], dict)
    assert [[case.x for case in group] for group in grouped(paper, cases)] == [[0, 2], [1], [3], [4], [5]]


BROKEN = """
import os, sys, time
from benchmarks.experiments.cases import Case, Figure, Paper

def measure(parameters):
    print("what a case prints is no answer", flush=True)
    if parameters["n"] == 1:
        os._exit(3)
    if parameters["n"] == 2:
        sys.exit("ended in the middle")
    return {"n": parameters["n"], "process": os.getpid()}

PAPER = Paper("broken.up", "A paper", [Figure("f", "Fig. 1", "n", {}, [Case("f", "a", n, {"n": n}) for n in range(5)])],
              measure)
"""


@pytest.mark.studies
def test_a_crashed_case_is_reported_and_the_others_run(tmp_path, monkeypatch):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "up.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    worker = Worker("broken.up")
    answers = [worker.run(case, 60) for case in runner.paper("broken.up").cases]
    worker.close()
    assert answers[1]["error"] == "ended with status 3: what a case prints is no answer"
    assert answers[2]["error"] == "ended with status 1: ended in the middle"
    assert [answers[n]["measured"]["n"] for n in (0, 3, 4)] == [0, 3, 4]
    assert answers[3]["measured"]["process"] == answers[4]["measured"]["process"]


def test_cases_without_timing_can_be_measured_separately(tmp_path):
    cases = [Case("f", "a", x, {"x": x}, cost=cost) for x, cost in enumerate(("", "time", "memory"))]
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1", "x", {}, cases)], dict)
    assert [case.x for case in runner.plan(paper, results=tmp_path).due] == [0, 1, 2]
    assert [case.x for case in runner.plan(paper, untimed=True, results=tmp_path).due] == [0]


def test_a_claim_is_judged_when_all_of_its_cases_exist():
    """If other curves are missing, the page mentions it, and part of a claim is never judged."""
    cases = [Case("f", series, x, {"n": f"{series} {x}"}) for series in ("AA", "OA", "DA") for x in ("a", "b")]
    claim = Claim("AA beats OA", "less", lambda r: (r.values("AA", "n") < r.values("OA", "n"), ""), about=("AA", "OA"))
    claim_of_all = Claim("all lose", "above 0", lambda r: (min(r.values("AA", "n")) > 0, ""))
    paper = Paper("p", "A paper", [Figure("f", "Fig. 1: loss", "x", {"n": "n"}, cases, [claim, claim_of_all])], dict)
    actual = {case.key: result(case, n) for n, case in enumerate(cases[:4], 1)}
    assert [judgement.verdict for judgement in judge(paper, actual)] == ["holds", "not measured"]
    page = render.page(paper, actual, judge(paper, actual))
    assert "- **incomplete**: 2 of 6 cases are due (DA: a, b)" in page
    assert "| Fig. 1 | all lose | above 0 | **not measured** | 4 of 6 cases are measured |" in page
    del actual[cases[3].key]
    assert [judgement.verdict for judgement in judge(paper, actual)] == ["not measured", "not measured"]
    assert judge(paper, actual)[0].measured == "3 of 4 cases are measured"


def result(case, n):
    machine = {"cpu": "", "cores": 1, "memory_gib": 1, "python": "", "versions": {}, "commit": ""}
    return {"measured": {"n": n}, "machine": machine}
