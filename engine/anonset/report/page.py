"""The page for a data protection officer: what is published, what it guarantees, what is at risk, what is left."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonset.algorithms.rt.joint.pruning import Point
from anonset.data.table_facts import Change
from anonset.errors import InputError
from anonset.jobs.bucket_risk import BucketRisk, guess_table, inference_table
from anonset.jobs.chunk_risk import ChunkRisk, telling_table
from anonset.jobs.exposures import Exposure, knowledge
from anonset.jobs.report_facts import ReportFacts
from anonset.jobs.risk import Risk, outcome_table
from anonset.measures.retention import shares
from anonset.measures.shares import percent
from anonset.privacy import KAnonymity, PrivacyModel
from anonset.report.account import loss_label
from anonset.report.drawings import Bar, bars
from anonset.report.first_screen import countable_figures, protection
from anonset.report.frontier import frontier_drawing
from anonset.report.risks import persons_below_k
from anonset.report.techniques import columns_of, left_out
from anonset.strict_json import dumps

AnyRisk = Risk | BucketRisk | ChunkRisk
_TEMPLATE = Path(__file__).with_name("page.html.j2")


@dataclass(frozen=True)
class Purpose:
    """The owner's statements on the publication; none of them is computed."""

    recipient: str = ""
    """To whom it goes."""
    purpose: str = ""
    """What for."""
    title: str = "Report on a publication"
    """The title of the page."""


def internal_page(facts: ReportFacts, purpose: Purpose) -> str:
    """Return the internal page: everything that is known."""
    report = facts.private
    if report is None:
        msg = "an internal report needs the private directory"
        raise InputError(msg)
    settings = report.settings
    content = {
        **_common(facts, purpose),
        "internal": True,
        "columns": [*columns_of(facts, exactly=True), *left_out(facts, settings)],
        "drawing": _risk_drawing(facts.before, facts.after),
        "below_k": _persons_below_k(facts),
        "attack": _attack(facts.after),
        "attacks": _attacks(facts.after),
        "utility": _utility(report.retention),
        "frontier": frontier_drawing([Point(**point) for point in report.frontier], report.measures),
        "losses": [(loss_label(name), f"{value:.6g}") for name, value in report.measures.items()],
        "facts": {
            "input": f"{report.input.get('file', 'from Python')}, SHA-256 {report.input.get('sha256', 'not taken')}",
            "records": f"{report.input['records']:,}",
            "algorithm": f"{report.algorithm} {dumps(report.parameters)}",
            "seed": "none" if report.seed is None else str(report.seed),
            "verified": dumps(report.verified),
            "attestation": f"SHA-256 {report.attestation_sha256}",
            **{f"file {name}": f"SHA-256 {digest}" for name, digest in facts.attested.data.sha256.items()},
            "versions": ", ".join(f"{name} {version}" for name, version in report.versions.items()),
            "repeat it": "anonset anonymize OUT.private/report.json -o OTHER" if settings else "was run from Python",
        },
        "settings": [(name, dumps(value)) for name, value in settings.items() if value not in (None, False, [], {})],
        "notes": [*report.warnings, *(str(Change(**one)) for one in report.changes)],
    }  # fmt: skip
    return render(content)


def shareable_page(facts: ReportFacts, purpose: Purpose) -> str:
    """Return the page that goes with the data: a function of the publication and of the owner's words alone."""
    public = replace(facts, private=None, before=(), errors=None)
    content = {
        **_common(public, purpose),
        "internal": False,
        "columns": columns_of(public, exactly=False),
        "drawing": "",
        "below_k": [],
        "attack": None,
        "attacks": None,
        "utility": None,
        "frontier": "",
        "losses": [],
        "facts": {f"file {name}": f"SHA-256 {digest}" for name, digest in public.attested.data.sha256.items()},
        "settings": [],
        "notes": [],
    }
    return render(content)


def render(facts: Mapping[str, Any]) -> str:
    """Return the page of facts as HTML, which loads nothing from elsewhere.

    Raises
    ------
    InputError
        If jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        msg = "a report needs the package jinja2: pip install jinja2"
        raise InputError(msg) from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(**facts)


def _common(facts: ReportFacts, purpose: Purpose) -> dict[str, Any]:
    """Return the facts of OUT itself, and the owner's statements."""
    attested = facts.attested
    return {
        "title": purpose.title,
        "recipient": purpose.recipient,
        "purpose": purpose.purpose,
        "model": attested.model,
        "sizes": [(name, str(value)) for name, value in attested.parameters.items() if isinstance(value, int | float)],
        "plain": attested.in_plain_words,
        "statement": attested.statement,
        "limits": re.split(r"(?<=\.) (?=[A-Z])", attested.limits),
        "unit": attested.declarations.unit_in_words,
        "undecided": bool(attested.declarations.accepted_undecided),
        "counts": [(name, f"{count:,}") for name, count in attested.counts.items()],
        "questions": questions(facts.model),
        "threshold": "" if isinstance(facts.after, ChunkRisk) else f"{facts.after.threshold:g}",
        "buckets": isinstance(facts.after, BucketRisk),
        "chunks": isinstance(facts.after, ChunkRisk),
        "told": telling_table(() if isinstance(facts.after, BucketRisk) else facts.after.told),
        "before": bool(facts.before),
        "counted": getattr(facts.after, "unit", "row"),
        "after": _after(facts.before, facts.after),
        "examples": facts.summary.examples,
        "protection": protection(facts),
        "countable": countable_figures(facts),
    }


def questions(model: PrivacyModel) -> list[tuple[str, str, str]]:
    """Return the three questions of the Article 29 Working Party (WP 216), and what the model answers.

    >>> from anonset.privacy import KmAnonymity
    >>> [(name, answer) for name, answer, _ in questions(KmAnonymity(5, 2))]
    [('Singling out', 'bounded by 1/5'), ('Linkability', 'not covered'), ('Inference', 'not covered')]
    """
    k = model.k
    single = model.name not in ("lm", "safe-grouping", "anatomy") and k is not None
    answers = [
        ("Singling out", f"bounded by 1/{k}" if single else "not covered",
         model.statement if single else "The model does not speak of how many records fit."),
        ("Linkability", "not covered",
         "That records of the same person are linked with those of other publications is not excluded."),
    ]  # fmt: skip
    if model.diversity > 1:
        text = f"At most one of {model.diversity} records that fit has the same sensitive value."
        return [*answers, ("Inference", f"bounded by 1/{model.diversity}", text)]
    if isinstance(model, KAnonymity) and model.sensitive_column is not None:
        text = f"What matches holds {model.asked}. What it has in common in other columns is disclosed."
        return [*answers, ("Inference", f"bounded for {model.sensitive_column!r}", text)]
    shared = "What the records that fit have in common is disclosed, also columns that are published as they are."
    return [*answers, ("Inference", "not covered", shared)]


def _after(before: Sequence[Exposure], after: AnyRisk) -> list[tuple[str, ...]]:
    """Return the risk of persons by what is known of them; with the original, before and after."""
    if isinstance(after, BucketRisk):
        return inference_table(after)[1]
    if isinstance(after, ChunkRisk):
        return []
    earlier = {(exposure.values, exposure.items): _figures(exposure) for exposure in before}
    rows = []
    for exposure in after.exposures:
        own = _figures(exposure)
        known = earlier.get((exposure.values, exposure.items))
        cells = own if known is None else [f"{old} → {new}" for old, new in zip(known, own, strict=True)]
        rows.append((knowledge(exposure.values, exposure.items), "yes" if exposure.guaranteed else "no", *cells))
    return rows


def _figures(exposure: Exposure) -> list[str]:
    return [
        f"{exposure.smallest:,}",
        f"{exposure.mean:,.1f}",
        f"{exposure.highest:.3g}",
        str(exposure.average),
        str(exposure.above),
    ]


def _attack(after: AnyRisk) -> list[tuple[str, ...]]:
    if isinstance(after, BucketRisk):
        return guess_table(after)[1]
    if isinstance(after, ChunkRisk):
        return []
    return [
        (knowledge(one.values, one.items), f"{one.attempts:,}", percent(one.alone), f"{one.success:.2%}",
         "" if one.promised is None else f"{one.promised:.2%}")
        for one in after.attempts
    ]  # fmt: skip


def _attacks(after: AnyRisk) -> dict[str, Any] | None:
    """Return what further attacks win, and what each one knows; None where none was tried."""
    if not isinstance(after, Risk) or not (after.outcomes or after.not_tried):
        return None
    notes = [f"{one.attack}: knows {one.knowledge}." for one in after.outcomes]
    notes += [f"{name} was not tried: {why}." for name, why in after.not_tried.items()]
    return {"table": outcome_table(after.outcomes), "notes": notes}


def _persons_below_k(facts: ReportFacts) -> list[str]:
    """Say how many persons are below k before and after, where a person has several rows."""
    if not isinstance(facts.after, Risk):
        return []
    both = {"Before": facts.before, "After": facts.after.exposures}
    return [f"{when}: {line}" for when, known in both.items() for line in persons_below_k(facts.after, known)]


def _risk_drawing(before: Sequence[Exposure], after: AnyRisk) -> str:
    """Return bars of who is alone with what is known, before and after; nothing of chunks."""
    if isinstance(after, BucketRisk):
        return _inference_drawing(after)
    if isinstance(after, ChunkRisk):
        return ""
    rows: dict[str, list[Bar]] = {}
    for pattern, when, exposed in (("solid", "before", before), ("hatched", "after", after.exposures)):
        for exposure in exposed:
            bar = (pattern, exposure.alone.value, f"{percent(exposure.alone.value)} {when}")
            rows.setdefault(knowledge(exposure.values, exposure.items), []).append(bar)
    who = "records" if after.unit == "row" else "persons"
    title = f"Share of the {who} that are alone with what is known, at worst"
    return bars(title, list(rows.items())) if rows else ""


def _inference_drawing(after: BucketRisk) -> str:
    """Return bars of the probability of guessing a value: without groups, a row discloses its own."""
    rows: list[tuple[str, list[Bar]]] = []
    for inference in after.inferences:
        own: list[Bar] = [("hatched", inference.highest, f"{inference.highest:.1%} at most")]
        own.append(("light", inference.average.value, f"{inference.average.value:.1%} on average"))
        rows.append((inference.known, own))
    return bars("How surely the likeliest sensitive value is told", rows)


def _utility(retention: Mapping[str, Mapping[str, int]]) -> list[tuple[str, str]]:
    """Return bars of how many occurrences and values are kept, generalized and suppressed."""
    names = {"items": "Item occurrences", "values": "Relational values", "tuples": "Rows"}
    patterns = ("solid", "hatched", "light")
    bars_of = []
    for name, parts in shares(retention).items():
        own = [
            (fate, [(patterns[min(position, 2)], share, f"{share:.1%} ({retention[name][fate]:,})")])
            for position, (fate, share) in enumerate(parts.items())
        ]
        bars_of.append((names.get(name, name), bars(names.get(name, name), own)))
    return bars_of
