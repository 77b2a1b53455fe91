"""Write the verdicts on all claims to the machine-readable file ``verdicts.json``."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.experiments import criteria, sources
from benchmarks.experiments.judging import Judged, judge
from benchmarks.experiments.runner import RESULTS, paper, papers, results_of

from anonset.jobs.trials.growth import Line

FILE = "verdicts.json"
DIGEST = "2115bbeb51b12cfd"
"""Digest of all claims and criteria, and of the code of their rules (`criteria_digest`). A test fails if one of them
changes without this digest.
"""


def judged_papers(results: Path = RESULTS) -> dict[str, list[Judged]]:
    """Judge the claims of all papers and of our own studies."""
    chosen = [paper(key) for key in papers()]
    return {paper_.key: judge(paper_, results_of(paper_, results)) for paper_ in chosen}


def text(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the text of the file, with criteria, totals by origin of the claim, and each verdict with counts."""
    document: dict[str, Any] = {
        "criteria": {
            "version": criteria.VERSION,
            "digest": criteria_digest(),
            "holds_from": criteria.HOLDS,
            "fails_to": criteria.FAILS,
            "most": criteria.MOST,
            "confidence": criteria.CONFIDENCE,
            "repetitions": criteria.REPETITIONS,
        },
        "totals": totals(judged),
        "papers": {key: [judgement.record for judgement in claims] for key, claims in judged.items()},
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def totals(judged: Mapping[str, Sequence[Judged]]) -> dict[str, dict[str, int]]:
    """Count the verdicts separately for the papers' claims, our own, and enforced properties."""
    counts_by_kind: dict[str, Counter[str]] = {}
    for claims in judged.values():
        for judgement in claims:
            verdict = in_short(judgement.verdict)
            counts_by_kind.setdefault(judgement.claim.kind, Counter())[verdict] += 1
    return {kind: dict(sorted(counts.items())) for kind, counts in sorted(counts_by_kind.items())}


def in_short(verdict: str) -> str:
    """Return a verdict without the condition that it depends on.

    >>> in_short("depends on the leaf order"), in_short("holds")
    ('depends on', 'holds')
    """
    return verdict.split(" the ")[0]


def criteria_digest() -> str:
    """Return a digest of all claims with their criteria, and of the code that checks and judges them."""
    claims = [(key, figure.key, claim) for key in papers() for figure in paper(key).figures for claim in figure.claims]
    lines = [json.dumps([key, figure, one.kind, one.text, one.criterion]) for key, figure, one in claims]
    return sha256("\n".join([*sorted(lines), *map(sources.code_of, rules())]).encode()).hexdigest()[:16]


def rules() -> list[str]:
    """Return the modules whose code decides on verdicts: modules of claims and checks, and `judging` with its rules."""
    described = {f"{paper(key).measure.__module__.rpartition('.')[0]}.claims" for key in papers()}
    checks = {claim.check.__module__ for key in papers() for figure in paper(key).figures for claim in figure.claims
              if claim.check is not None}  # fmt: skip
    deciding = sources.reached({judge.__module__, *described, *checks}) - sources.measuring()
    return sorted(deciding | checks | {Line.__module__})
