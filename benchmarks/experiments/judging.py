"""Check claims in each repetition, and derive verdicts from the share of repetitions that meet the criterion.

A claim can consist of parts, such as data sets. Each part has its own verdict. If a paper does not state a claim
precisely, each of our readings is judged separately. The verdict is that of the reading that the paper's words fix
(`Paper.reading`), and the others show how much depends on it.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean
from typing import Any

from benchmarks.experiments import criteria
from benchmarks.experiments.cases import (
    ONLY,
    Case,
    Claim,
    Figure,
    Finding,
    Key,
    Measured,
    Paper,
    Repeated,
    Results,
)
from benchmarks.experiments.factors import RUNS
from benchmarks.experiments.verdict_rules import (
    count_comparisons,
    difference_without_order,
    differences_of,
    is_about_all,
    meets,
    own_limits,
    queries_answered,
    reading_of,
    reversed_findings,
    sentence_of,
    testable_parts,
    times_met,
    verdict_of_reading,
)

from anonset.spelling import counted

OF_PAPER, SUBSTITUTE, DERIVED, TIMES = "the paper's data", "substitute data", "follows from data or claims", "times"
BASES = OF_PAPER, SUBSTITUTE, DERIVED, TIMES


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict."""

    key: str
    """Key of the figure."""
    figure: str
    """Label of the figure in the paper."""
    claim: Claim
    verdict: str
    """A verdict of `criteria`, or "depends on the ..."."""
    measured: str
    """Measured figures that the verdict is based on, as medians over repetitions. Without a verdict, the reason."""
    met: int = 0
    """Number of repetitions that meet the criterion."""
    of: int = 0
    """Number of repetitions (drawn levels or runs). 1 if the figure is measured once."""
    singles: Mapping[str, bool] = field(default_factory=dict)
    """Outcome at each named level."""
    singles_met: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Parts that are met at each named level at which some are met, but not all."""
    parts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Number of repetitions that meet the criterion, and number of all repetitions, for each part of the claim."""
    reading: str = ""
    """Reading by which the claim is judged. Empty if there is only one."""
    readings: Mapping[str, str] = field(default_factory=dict)
    """Verdict under each reading. Empty if there is only one."""
    reverse: str = ""
    """Verdict on the reversed ordering. Empty if the claim is not an ordering."""
    difference: float | None = None
    """The largest relative difference of two compared values whose order is not the same in enough repetitions, as a
    median over repetitions, over the parts that are equal or have no consistent order. If each comparison of them has
    the same order in enough repetitions, the largest of those without it in all. None if there are no such parts.
    """
    null: bool | None = None
    """True if a publication without information meets the criterion, for any part of the claim. None if the claim is
    not a claim of a paper about the size of losses or errors.
    """
    basis: str = ""
    """One of `BASES`. Empty for our own studies."""
    errors: tuple[float, float] | None = None
    """Smallest and largest error of queries that the ordering compares under the reading, of the medians over the
    repetitions. None if the claim does not compare errors.
    """
    lost: Mapping[str, int] = field(default_factory=dict)
    """Number of positions at which a compared curve loses everything, as a median over the repetitions."""
    comparisons: tuple[int, int, int] | None = None
    """Comparisons of the ordering under the reading: how many hold in enough repetitions, how many are reversed in
    enough repetitions, and all. None if the claim is not an ordering.
    """
    compared: frozenset[tuple[float, ...]] = frozenset()
    """Comparisons that the ordering consists of under the reading, each by its differences over the repetitions."""
    p: float | None = None
    """p-value of the sign test over the repetitions, corrected for the number of tests of the paper."""

    @property
    def share(self) -> str:
        """Text with the number of repetitions that meet the criterion."""
        if self.of == 0 or self.claim.factor is None:
            return ""
        only = {name: f"only {', '.join(parts)}" for name, parts in self.singles_met.items()}
        named = [f"{name}: {only.get(name, 'yes' if held else 'no')}" for name, held in self.singles.items()]
        parts = [f"{name}: {met} of {of}" for name, (met, of) in self.parts.items()]
        return "; ".join([_share(self.met, self.of), *parts, *named])

    @property
    def sentence(self) -> str:
        """The verdict, with the largest difference if there is no order, the numbers of comparisons if some are
        reversed, a word on useless answers and publications, our limits, and other verdicts of other readings.
        """
        others = [f"{reading}: {verdict}" for reading, verdict in self.readings.items() if verdict != self.verdict]
        undecided = self.verdict in (criteria.EQUAL, criteria.NO_ORDER)
        differ = [f"differences up to {self.difference:.2%}"] if undecided else []
        numbers = []
        if self.comparisons and self.verdict in criteria.NOT_MET:
            hold, against, of = self.comparisons
            numbers = [f"{hold} of {of} comparisons hold, {against} reversed"]
        large = ["errors above 1"] if self.answers_are_useless else []
        large += [f"{name} loses everything at {counted(n, 'position')}" for name, n in self.lost.items()]
        limits = own_limits(self.claim) if self.of else []
        limited = [f"our limit: {', '.join(limits)}"] if limits else []
        notes = "; ".join([*differ, *numbers, *large, *limited, *others])
        return self.verdict + (f" ({notes})" if notes else "")

    @property
    def answers_are_useless(self) -> bool:
        """True if the ordering compares only errors above 1, the error of always answering 0."""
        return self.errors is not None and self.errors[0] > 1

    @property
    def record(self) -> dict[str, Any]:
        """The verdict as a record of `verdicts.json`."""
        return {
            "figure": self.key,
            "claim": self.claim.text,
            "kind": self.claim.kind,
            "main": self.claim.main,
            "criterion": self.claim.criterion,
            "factor": self.claim.factor.name if self.claim.factor else "",
            "verdict": self.verdict,
            "met": self.met,
            "of": self.of,
            "singles": dict(self.singles),
            "singles_met": {name: list(parts) for name, parts in self.singles_met.items()},
            "parts": {name: list(counts) for name, counts in self.parts.items()},
            "reading": self.reading,
            "readings": dict(self.readings),
            "reverse": self.reverse,
            "null": self.null,
            "difference": self.difference,
            "comparisons": self.comparisons and list(self.comparisons),
            "errors": self.errors and list(self.errors),
            "lost": dict(self.lost),
            "basis": self.basis,
            "p": self.p,
            "measured": self.measured,
            "printed": self.claim.printed,
        }


def _share(met: int, of: int) -> str:
    """Return a share, with the interval if the repetitions suffice."""
    if of < criteria.REPETITIONS:
        return f"{met} of {of}"
    low, high = criteria.interval(met, of)
    return f"{met} of {of} ({low:.0%} to {high:.0%})"


def judge(chosen: Paper, results_by_case: Mapping[Key, Mapping[str, Any]]) -> list[Judged]:
    """Judge each claim of a paper. Claims with missing results get the verdict "not measured".

    If a claim is a main finding, so are all claims of the paper with the same sentence, such as those on other data.
    """
    judged = []
    main = {sentence_of(claim) for figure in chosen.figures for claim in figure.claims if claim.main}
    for figure in chosen.figures:
        for claim in figure.claims:
            marked = replace(_with_origin(chosen, claim), main=claim.kind == "paper" and sentence_of(claim) in main)
            judgement = judge_claim(figure, marked, results_by_case, chosen.reading)
            basis = basis_of(chosen, figure, claim, list(judgement.parts))
            judged.append(_without_printed_data(replace(judgement, basis=basis)))
    tested = [i for i, judgement in enumerate(judged) if judgement.p is not None]
    corrected = criteria.holm([judged[i].p or 0.0 for i in tested])
    for i, p in zip(tested, corrected, strict=True):
        judged[i] = replace(judged[i], p=p)
    return _with_derived(judged)


def _with_derived(judged: Sequence[Judged]) -> list[Judged]:
    """Mark orderings of a paper that hold, and of which each comparison is part of another ordering that holds."""
    marked = list(judged)
    for i, one in enumerate(judged):
        of_paper = [other for other in marked if (other.claim.kind, other.key) == ("paper", one.key)]
        holding = [other for other in of_paper if other.verdict == criteria.HOLDS_IN_WORDS]
        compared = [other.compared for other in holding if other is not one]
        if one.compared and one in holding and one.compared <= frozenset().union(*compared):
            told = f"each comparison is part of another claim that holds; {one.measured}"
            marked[i] = replace(one, claim=replace(one.claim, kind="derived"), basis=DERIVED, measured=told)
    return marked


def _without_printed_data(judged: Judged) -> Judged:
    """Return a claim without a verdict if it is about a number that the paper prints, and its data are substitutes.

    Other data can neither confirm nor contradict the number. An ordering is judged, even if its values are printed.
    """
    if not judged.claim.printed or judged.claim.kind != "paper" or judged.reverse or judged.basis != SUBSTITUTE:
        return judged
    differs = criteria.DIFFERS
    names = {criteria.HOLDS_IN_WORDS: criteria.AGREES} | dict.fromkeys(criteria.NOT_MET, differs)
    if not judged.met:
        names[criteria.DEPENDS + (judged.claim.factor.name if judged.claim.factor else "")] = differs
    readings = {reading: names.get(verdict, verdict) for reading, verdict in judged.readings.items()}
    return replace(judged, verdict=names.get(judged.verdict, judged.verdict), readings=readings)


def basis_of(chosen: Paper, figure: Figure, claim: Claim, parts: Collection[str] = ()) -> str:
    """Return whether a claim is about times or derived, or whether all its data are data of the paper.

    If the judged parts are positions of the figure, such as data sets, the data are those of these positions.
    """
    if chosen.published_data is None:
        return ""
    if claim.factor is RUNS:
        return TIMES
    if claim.kind == "derived":
        return DERIVED
    names = {name for case in judged_cases(figure, claim, parts) for name in chosen.reads(case.parameters)}
    return OF_PAPER if names <= chosen.published_data else SUBSTITUTE


def judged_cases(figure: Figure, claim: Claim, parts: Collection[str] = ()) -> list[Case]:
    """Return the cases by which a claim is judged: those of the judged parts, if parts are positions of the figure."""
    levels = claim.factor.levels if claim.factor else [""]
    cases = [case for case in cases_of(figure, claim) if claim.check is None or case.repetition in levels]
    return [case for case in cases if str(case.x) in parts] or cases


def _with_origin(chosen: Paper, claim: Claim) -> Claim:
    """Mark a claim as our own if it belongs to a study."""
    return replace(claim, kind="own") if chosen.study else claim


def results_of_figure(figure: Figure, results_by_case: Mapping[Key, Mapping[str, Any]]) -> Repeated:
    """Return the results of a figure by level, without failed cases and without the pilot run."""
    levels: dict[str, dict[tuple[str, float | str], Measured]] = {}
    for case in figure.cases:
        measured = results_by_case.get(case.key, {}).get("measured")
        if measured is not None and case.repetition not in figure.pilot:
            levels.setdefault(case.repetition, {})[case.series, case.x] = measured
    return Repeated({level: Results(measured) for level, measured in levels.items()})


def cases_of(figure: Figure, claim: Claim) -> list[Case]:
    """Return the cases that a claim needs."""
    return [case for case in figure.cases if not claim.about or case.series in claim.about]


def complete_levels(cases: Sequence[Case], results: Repeated, levels: Sequence[str]) -> list[str]:
    """Return the levels at which all cases have a result."""
    wanted: dict[str, list[Case]] = {level: [] for level in levels}
    for case in cases:
        if case.repetition in wanted:
            wanted[case.repetition].append(case)
    measured = {level: at_level.measured for level, at_level in results.levels.items()}
    return [
        level
        for level, level_cases in wanted.items()
        if level_cases and all((case.series, case.x) in measured.get(level, {}) for case in level_cases)
    ]


def judge_claim(
    figure: Figure, claim: Claim, results_by_case: Mapping[Key, Mapping[str, Any]], reading: Collection[str] = ()
) -> Judged:
    """Judge a claim by the results of its figure, under the reading that `reading` selects."""
    if claim.check is None:
        return Judged(figure.key, figure.label, claim, criteria.NOT_TESTABLE, claim.criterion)
    results = results_of_figure(figure, results_by_case)
    draws = list(claim.factor.draws) if claim.factor else [""]
    singles = list(claim.factor.singles) if claim.factor else []
    cases = cases_of(figure, claim)
    levels = complete_levels(cases, results, [*draws, *singles])
    drawn = [level for level in levels if level in draws]
    wanted = claim.factor.least if claim.factor else 1
    try:
        findings = {level: Finding(*claim.check(results.levels[level])) for level in levels}
        medians = Finding(*claim.check(results.median(drawn))) if drawn else Finding(False, "")
        null = _without_information(claim, results.median(drawn), medians) if drawn else None
    except KeyError as missing:
        return Judged(figure.key, figure.label, claim, criteria.NOT_MEASURED, f"a case lacks {missing}")
    if len(drawn) < wanted:
        met = sum(findings[level].held for level in drawn)
        so_far = f"{len(drawn)} of {wanted} repetitions are measured"
        if claim.factor is None:
            measured = sum("measured" in results_by_case.get(case.key, {}) for case in cases)
            so_far = f"{measured} of {len(cases)} cases are measured"
        if drawn and claim.factor:
            so_far += f"; met in {met}: {medians.shown}"
        return Judged(figure.key, figure.label, claim, criteria.NOT_MEASURED, so_far)
    named = {level: findings[level] for level in singles if level in findings}
    judged = _judged(claim, [findings[level] for level in drawn], named, reading)
    meets = None if null is None else bool(null.held or any(null.parts.values()))
    if null and meets and not claim.high and judged.verdict not in criteria.AGAINST:
        reason = f"a publication without information also meets the criterion: {null.shown}"
        return Judged(figure.key, figure.label, claim, criteria.NOT_TESTABLE, reason, null=meets)
    few = {
        part: number
        for part in judged.parts
        if (number := queries_answered([findings[level] for level in drawn], part)) < criteria.ANSWERED
    }
    few_answers = f"; queries with an answer: {', '.join(f'{part} {number:g}' for part, number in few.items())}"
    errors = [found for part, found in medians.errors.items() if reading_of(part) == judged.reading]
    extent = (min(low for low, _ in errors), max(high for _, high in errors)) if errors else None
    told = medians.shown + (f"; errors: {extent[0]:,.3g} to {extent[1]:,.3g}" if extent else "")
    told += few_answers if few else ""
    if judged.comparisons and is_about_all(claim):
        judged = replace(judged, claim=replace(claim, criterion=f"{claim.criterion}. {_ABOUT_ALL}"))
    return replace(
        judged, key=figure.key, figure=figure.label, measured=told, null=meets, errors=extent, lost=medians.lost
    )


def _without_information(claim: Claim, results: Results, found: Finding) -> Finding | None:
    """Return the outcome of the null publication. None if the claim is not a paper's about losses: it ignores them."""
    if claim.check is None or claim.kind != "paper":
        return None
    null, half = (Finding(*claim.check(results.without_information(share))) for share in (1.0, 0.5))
    return null if len({null.shown, half.shown, found.shown}) > 1 else None


def _judged(claim: Claim, draws: Sequence[Finding], singles: Mapping[str, Finding], reading: Collection[str]) -> Judged:
    named = list(singles.values())
    by_reading: dict[str, list[str]] = {}
    for part in dict.fromkeys(part for finding in draws for part in finding.parts or [ONLY]):
        by_reading.setdefault(reading_of(part), []).append(part)
    verdicts = {name: verdict_of_reading(claim, draws, named, parts) for name, parts in by_reading.items()}
    chosen = _chosen(list(by_reading), reading)
    parts = testable_parts(draws, by_reading[chosen]) or by_reading[chosen]
    met = sum(meets(finding, parts) for finding in draws)
    compared = any(finding.gaps for finding in draws)
    reverse = ""
    if compared:
        reverse = verdict_of_reading(claim, reversed_findings(draws), reversed_findings(named), parts)
    margins = [mean([*(gap for part in parts for gap in f.gaps.get(part, {}).values())] or [0.0]) for f in draws]
    return Judged(
        "",
        "",
        claim,
        criteria.SHOWN if is_time(claim) else verdicts[chosen],
        "",
        met,
        len(draws),
        {level: meets(finding, parts) for level, finding in singles.items()},
        {level: some for level, finding in singles.items() if 0 < len(some := _met(finding, parts)) < len(parts)},
        parts={part: times_met(draws, part) for part in dict.fromkeys(p for f in draws for p in f.parts)},
        reading=chosen,
        readings=verdicts if len(verdicts) > 1 and not is_time(claim) else {},
        reverse="" if is_time(claim) else reverse,
        difference=difference_without_order(draws, parts),
        comparisons=count_comparisons(draws, parts) if compared else None,
        compared=frozenset(tuple(gaps) for part in parts for gaps in differences_of(draws, part)),
        p=criteria.sign_test(margins) if compared and len(draws) >= criteria.REPETITIONS else None,
    )


def _met(finding: Finding, parts: Sequence[str]) -> list[str]:
    return [part for part in parts if meets(finding, [part])]


_ABOUT_ALL = "The sentence is about all cases, so one reversed comparison contradicts it"


def is_time(claim: Claim) -> bool:
    """Return True if a paper's claim is about times. Times are shown and not judged."""
    return claim.factor is RUNS and claim.kind == "paper"


def is_work(claim: Claim) -> bool:
    """Return True if a paper's claim about time is judged by counted work."""
    about = re.search(r"\b(counted work|costs?)\b", claim.text)
    return about is not None and claim.factor is not RUNS and claim.kind == "paper"


def _chosen(readings: Sequence[str], wanted: Collection[str]) -> str:
    """Return the reading that consists of `wanted` readings."""
    if len(readings) == 1:
        return readings[0]
    (chosen,) = [name for name in readings if set(name.split(", ")) <= set(wanted)]
    return chosen
