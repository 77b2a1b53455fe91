"""The verdicts on all claims as one file for machines, ``verdicts.json``."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.experiments import criteria
from benchmarks.experiments.judging import Judged, judge
from benchmarks.experiments.runner import RESULTS, paper, papers, results_of

FILE = "verdicts.json"


def judged_papers(results: Path = RESULTS) -> dict[str, list[Judged]]:
    """Judge the claims of all papers and of our own studies."""
    chosen = [paper(key) for key in papers()]
    return {one.key: judge(one, results_of(one, results)) for one in chosen}


def text(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return the file's text: the criteria, the totals by whose claim it is, and each verdict with its counts."""
    whole: dict[str, Any] = {
        "criteria": {
            "version": criteria.VERSION,
            "digest": criteria_digest(judged),
            "holds_from": criteria.HOLDS,
            "fails_to": criteria.FAILS,
            "repetitions": criteria.REPETITIONS,
        },
        "totals": totals(judged),
        "papers": {key: [one.record for one in claims] for key, claims in judged.items()},
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def totals(judged: Mapping[str, Sequence[Judged]]) -> dict[str, dict[str, int]]:
    """Count the verdicts apart for the papers' claims, for our own, and for what an algorithm enforces."""
    found: dict[str, Counter[str]] = {}
    for claims in judged.values():
        for one in claims:
            verdict = one.verdict.split(" the ")[0]
            found.setdefault(one.claim.kind, Counter())[verdict] += 1
    return {kind: dict(sorted(counts.items())) for kind, counts in sorted(found.items())}


def criteria_digest(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return a digest of all claims with their criteria: it changes with any of them."""
    lines = [
        json.dumps([key, one.key, one.claim.kind, one.claim.text, one.claim.criterion])
        for key, claims in judged.items()
        for one in claims
    ]
    return sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]
