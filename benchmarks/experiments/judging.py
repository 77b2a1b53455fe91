"""Check claims in each repetition, and derive verdicts from the share of repetitions that meet the criterion.

A claim can consist of parts, such as data sets. Each part has its own verdict. If a paper does not state a claim
precisely, each of our readings is judged separately, and the best verdict counts: a claim fails only if it fails under
every reading, and a further reading never lowers a verdict.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.experiments import criteria
from benchmarks.experiments.cases import Case, Claim, Figure, Finding, Key, Measured, Paper, Repeated, Results
from benchmarks.experiments.factors import RUNS, Factor

BASES = OF_PAPER, SUBSTITUTE, TIMES = "the paper's data", "substitute data", "times"


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
    under: tuple[str, ...] = ()
    """Readings of the claim with this verdict. Empty if there is a single reading, or if all have the same verdict."""
    basis: str = ""
    """``the paper's data``, ``substitute data`` or ``times``. Empty for our own studies."""
    p: float | None = None
    """p-value of the sign test over the repetitions, corrected for the number of tests of the paper."""

    @property
    def share(self) -> str:
        """Text with the number of repetitions that meet the criterion."""
        if self.of == 0 or self.claim.factor is None:
            return ""
        named = [f"{name}: {'yes' if held else 'no'}" for name, held in self.singles.items()]
        parts = [f"{name}: {met} of {of}" for name, (met, of) in self.parts.items()]
        return "; ".join([_share(self.met, self.of), *parts, *named])

    @property
    def sentence(self) -> str:
        """The verdict with the readings under which it applies."""
        return self.verdict + (f" ({' or '.join(self.under)})" if self.under else "")

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
            "under": list(self.under),
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
    """Judge each claim of a paper. Claims with missing results get the verdict "not measured"."""
    judged = [
        replace(
            judge_claim(figure, _with_origin(chosen, claim), results_by_case), basis=basis_of(chosen, figure, claim)
        )
        for figure in chosen.figures
        for claim in figure.claims
    ]
    tested = [i for i, judgement in enumerate(judged) if judgement.p is not None]
    corrected = criteria.holm([judged[i].p or 0.0 for i in tested])
    for i, p in zip(tested, corrected, strict=True):
        judged[i] = replace(judged[i], p=p)
    return judged


def basis_of(chosen: Paper, figure: Figure, claim: Claim) -> str:
    """Return whether a claim is about times, and otherwise whether all its data are data of the paper."""
    if chosen.published_data is None:
        return ""
    if claim.factor is RUNS:
        return TIMES
    names = {name for case in cases_of(figure, claim) for name in chosen.reads(case.parameters)}
    return OF_PAPER if names <= chosen.published_data else SUBSTITUTE


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


def _singles(factor: Factor | None, findings: Mapping[str, Finding]) -> dict[str, Finding]:
    return {level: findings[level] for level in (factor.singles if factor else ()) if level in findings}


def _judged(figure: Figure, claim: Claim, draws: list[Finding], singles: dict[str, Finding], shown: str) -> Judged:
    met, of = sum(bool(finding.held) for finding in draws), len(draws)
    parts = {}
    for name in dict.fromkeys(name for finding in draws for name in finding.parts):
        answers = [finding.parts[name] for finding in draws if name in finding.parts]
        parts[name] = (sum(map(bool, answers)), len(answers))
    verdict, under = _verdict(claim, parts or {"": (met, of)}, singles)
    margins = [finding.margin for finding in draws if finding.margin is not None]
    return Judged(
        figure.key,
        figure.label,
        claim,
        verdict,
        shown,
        met,
        of,
        {level: bool(finding.held) for level, finding in singles.items()},
        parts,
        under,
        p=criteria.sign_test(margins) if len(margins) == of >= criteria.REPETITIONS else None,
    )


def _verdict(
    claim: Claim, parts: Mapping[str, tuple[int, int]], singles: Mapping[str, Finding]
) -> tuple[str, tuple[str, ...]]:
    """Return the best verdict of any reading, and the readings with this verdict unless all have it."""
    if claim.compares_times:
        return criteria.SHOWN, ()
    verdicts = {}
    for reading in dict.fromkeys(map(reading_of, parts)):
        of_reading = {part: counts for part, counts in parts.items() if reading_of(part) == reading}
        named = [all(finding.parts.get(part, finding.held) for part in of_reading) for finding in singles.values()]
        verdicts[reading] = _verdict_of_reading(claim, list(of_reading.values()), named)
    best = max(verdicts.values(), key=_rank)
    under = tuple(reading for reading, verdict in verdicts.items() if verdict == best)
    return best, under if len(under) < len(verdicts) else ()


def _verdict_of_reading(claim: Claim, parts: Sequence[tuple[int, int]], named: Sequence[bool]) -> str:
    """Return the verdict that follows from the parts of a reading, and from its outcomes at named levels."""
    verdicts = {criteria.verdict_of(met, of) for met, of in parts}
    if len(verdicts) > 1:
        holds_in_part = criteria.HOLDS_IN_WORDS in verdicts
        return criteria.DEPENDS + (claim.over or "part") if holds_in_part else criteria.UNSETTLED
    (verdict,) = verdicts
    expected = {criteria.HOLDS_IN_WORDS: True, criteria.FAILS_IN_WORDS: False}.get(verdict)
    if claim.factor and expected is not None and any(held != expected for held in named):
        return criteria.DEPENDS + claim.factor.name
    return verdict


def reading_of(part: str) -> str:
    """Return the reading that a part of a claim belongs to. Empty if its name contains none.

    >>> reading_of("q=3, own items"), reading_of("m=2")
    ('own items', '')
    """
    return ", ".join(piece for piece in part.split(", ") if piece in criteria.READINGS)


def _rank(verdict: str) -> int:
    if verdict.startswith(criteria.DEPENDS):
        return 2
    return {criteria.FAILS_IN_WORDS: 0, criteria.UNSETTLED: 1, criteria.HOLDS_IN_WORDS: 3}[verdict]
