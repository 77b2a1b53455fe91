"""Check claims in each repetition, and derive verdicts from the share of repetitions that meet the criterion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.experiments import criteria
from benchmarks.experiments.cases import Case, Claim, Figure, Finding, Key, Measured, Paper, Repeated, Results
from benchmarks.experiments.factors import Factor


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
    parts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Number of repetitions that meet the criterion, and number of all repetitions, for each part of the claim."""
    p: float | None = None
    """p-value of the sign test over the repetitions, corrected for the number of tests of the paper."""

    @property
    def share(self) -> str:
        """Text with the number of repetitions that meet the criterion."""
        if self.of == 0 or self.claim.factor is None:
            return ""
        named = [f"{name}: {'yes' if held else 'no'}" for name, held in self.singles.items()]
        parts = [f"{name}: {met} of {of}" for name, (met, of) in self.parts.items()]
        return "; ".join([f"{self.met} of {self.of}", *parts, *named])

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
            "parts": {name: list(counts) for name, counts in self.parts.items()},
            "p": self.p,
            "measured": self.measured,
            "printed": self.claim.printed,
        }


def judge(chosen: Paper, results_by_case: Mapping[Key, Mapping[str, Any]]) -> list[Judged]:
    """Judge each claim of a paper. Claims with missing results get the verdict "not measured"."""
    judged = [
        judge_claim(figure, _with_origin(chosen, claim), results_by_case)
        for figure in chosen.figures
        for claim in figure.claims
    ]
    tested = [i for i, judgement in enumerate(judged) if judgement.p is not None]
    corrected = criteria.holm([judged[i].p or 0.0 for i in tested])
    for i, p in zip(tested, corrected, strict=True):
        judged[i] = replace(judged[i], p=p)
    return judged


def _with_origin(chosen: Paper, claim: Claim) -> Claim:
    """Mark a claim as our own if it belongs to a study."""
    return replace(claim, kind="own") if chosen.study else claim


def results_of_figure(figure: Figure, results_by_case: Mapping[Key, Mapping[str, Any]]) -> Repeated:
    """Return the results of a figure by level, without failed cases."""
    levels: dict[str, dict[tuple[str, float | str], Measured]] = {}
    for case in figure.cases:
        measured = results_by_case.get(case.key, {}).get("measured")
        if measured is not None:
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


def judge_claim(figure: Figure, claim: Claim, results_by_case: Mapping[Key, Mapping[str, Any]]) -> Judged:
    """Judge a claim by the results of its figure."""
    if claim.check is None:
        return Judged(figure.key, figure.label, claim, criteria.NOT_TESTABLE, claim.criterion)
    results = results_of_figure(figure, results_by_case)
    draws = list(claim.factor.draws) if claim.factor else [""]
    cases = cases_of(figure, claim)
    levels = complete_levels(cases, results, [*draws, *(claim.factor.singles if claim.factor else ())])
    drawn = [level for level in levels if level in draws]
    wanted = claim.factor.least if claim.factor else 1
    try:
        findings = {level: Finding(*claim.check(results.levels[level])) for level in levels}
        shown = Finding(*claim.check(results.median(drawn))).shown if drawn else ""
    except KeyError as missing:
        return Judged(figure.key, figure.label, claim, criteria.NOT_MEASURED, f"a case lacks {missing}")
    if len(drawn) < wanted:
        met = sum(findings[level].held for level in drawn)
        so_far = f"{len(drawn)} of {wanted} repetitions are measured"
        if claim.factor is None:
            measured = sum("measured" in results_by_case.get(case.key, {}) for case in cases)
            so_far = f"{measured} of {len(cases)} cases are measured"
        if drawn and claim.factor:
            so_far += f"; met in {met}: {shown}"
        return Judged(figure.key, figure.label, claim, criteria.NOT_MEASURED, so_far)
    return _judged(figure, claim, [findings[level] for level in drawn], _singles(claim.factor, findings), shown)


def _singles(factor: Factor | None, findings: Mapping[str, Finding]) -> dict[str, bool]:
    return {level: bool(findings[level].held) for level in (factor.singles if factor else ()) if level in findings}


def _judged(figure: Figure, claim: Claim, draws: list[Finding], singles: dict[str, bool], shown: str) -> Judged:
    met, of = sum(bool(finding.held) for finding in draws), len(draws)
    parts = {}
    for name in dict.fromkeys(name for finding in draws for name in finding.parts):
        answers = [finding.parts[name] for finding in draws if name in finding.parts]
        parts[name] = (sum(map(bool, answers)), len(answers))
    margins = [finding.margin for finding in draws if finding.margin is not None]
    return Judged(
        figure.key,
        figure.label,
        claim,
        _verdict(claim, met, of, singles, parts),
        shown,
        met,
        of,
        singles,
        parts,
        criteria.sign_test(margins) if len(margins) == of >= criteria.REPETITIONS else None,
    )


def _verdict(claim: Claim, met: int, of: int, singles: Mapping[str, bool], parts: Mapping[str, tuple[int, int]]) -> str:
    """Return the verdict that follows from the outcomes.

    The verdict is "depends on the …" only if all contradictory outcomes belong to a named level or a part of the claim.
    """
    verdicts = {criteria.verdict_of(part_met, part_of) for part_met, part_of in parts.values()}
    if claim.over and verdicts == {criteria.HOLDS_IN_WORDS, criteria.FAILS_IN_WORDS}:
        return criteria.DEPENDS + claim.over
    verdict = criteria.verdict_of(met, of)
    expected = {criteria.HOLDS_IN_WORDS: True, criteria.FAILS_IN_WORDS: False}.get(verdict)
    if claim.factor and expected is not None and any(held != expected for held in singles.values()):
        return criteria.DEPENDS + claim.factor.name
    return verdict
