"""Report for a data protection officer: published data, guarantee, remaining risk and utility."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonset.algorithms.rt.joint.pruning import Pruning
from anonset.data.table_facts import Change
from anonset.errors import InputError
from anonset.jobs.report_facts import ReportFacts
from anonset.measures.retention import PRINTED_FATES, coarsened_text, loss_relative_to, relative_to, shares
from anonset.privacy import PrivacyModel
from anonset.release.documents import UNITS_IN_WORDS, Report
from anonset.release.guarantee_limits import sentences
from anonset.report.account import loss_label
from anonset.report.drawings import bars
from anonset.report.first_screen import countable_figures, protection
from anonset.report.frontier import frontier_drawing
from anonset.report.risks import page_part
from anonset.report.techniques import columns_of, left_out
from anonset.strict_json import dumps

_TEMPLATE = Path(__file__).with_name("page.html.j2")
_NOT_COVERED = {
    "Singling out": "The model does not bound the number of matching records.",
    "Linkability": "An attacker may be able to link a person's records with other publications.",
    "Inference": "A value or item that all matching records share is disclosed, including values published unchanged.",
}
"""Consequence of each risk, if the model does not bound the risk."""


@dataclass(frozen=True)
class PublicationPurpose:
    """Statements of the owner about the publication, which the report prints unchanged."""

    recipient: str = ""
    purpose: str = ""
    title: str = "Report on a publication"


def internal_page(facts: ReportFacts, purpose: PublicationPurpose) -> str:
    """Return the internal report as HTML. It contains facts from the private directory."""
    report = facts.private
    if report is None:
        msg = "an internal report needs the private directory"
        raise InputError(msg)
    settings = report.settings
    content = {
        **_common(facts, purpose),
        "internal": True,
        "columns": [*columns_of(facts, exactly=True), *left_out(facts, settings)],
        "utility": _utility(report),
        "frontier": frontier_drawing([Pruning(**point) for point in report.frontier], report.measures),
        "losses": [
            (loss_label(name), f"{value:.6g}{loss_relative_to(name, report.coarsened)}")
            for name, value in report.measures.items()
        ],
        "facts": {
            "input": f"{report.input.get('file', 'from Python')}, SHA-256 {report.input.get('sha256', 'not computed')}",
            "records": f"{report.input['records']:,}",
            "algorithm": f"{report.algorithm} {dumps(report.parameters)}",
            "seed": "none" if report.seed is None else str(report.seed),
            "verified": dumps(report.verified),
            "attestation": f"SHA-256 {report.attestation_sha256}",
            **{f"file {name}": f"SHA-256 {digest}" for name, digest in facts.attested.data.sha256.items()},
            "versions": ", ".join(f"{name} {version}" for name, version in report.versions.items()),
            "command to repeat": "anonset anonymize OUT.private/report.json -o OTHER" if settings else "none: run "
            "in Python",
        },
        "settings": [(name, dumps(value)) for name, value in settings.items() if value not in (None, False, [], {})],
        "notes": [*report.warnings, *(str(Change(**change)) for change in report.changes)],
    }  # fmt: skip
    return render(content)


def shareable_page(facts: ReportFacts, purpose: PublicationPurpose) -> str:
    """Return the shareable report as HTML. It uses only the publication and the statements of the owner."""
    public = replace(facts, private=None, before=(), errors=None)
    content = {
        **_common(public, purpose),
        "internal": False,
        "columns": columns_of(public, exactly=False),
        "utility": None,
        "frontier": "",
        "losses": [],
        "facts": {f"file {name}": f"SHA-256 {digest}" for name, digest in public.attested.data.sha256.items()},
        "settings": [],
        "notes": [],
    }
    return render(content)


def render(facts: Mapping[str, Any]) -> str:
    """Return a report as one HTML file without links to other files.

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


def _common(facts: ReportFacts, purpose: PublicationPurpose) -> dict[str, Any]:
    attested = facts.attested
    part = page_part(facts.after, facts.before, attested)
    return {
        "title": purpose.title,
        "recipient": purpose.recipient,
        "purpose": purpose.purpose,
        "model": attested.model,
        "sizes": [(name, str(value)) for name, value in attested.parameters.items() if isinstance(value, int | float)],
        "statement": attested.statement,
        "limits": sentences(attested.limits),
        "unit": UNITS_IN_WORDS[attested.declarations.unit],
        "undecided": bool(attested.declarations.accepted_undecided),
        "counts": [(name, f"{count:,}") for name, count in attested.counts.items()],
        "questions": questions(facts.model),
        "before": bool(facts.before),
        "coarsened": "" if facts.private is None else coarsened_text(facts.private.coarsened),
        "part": part,
        "examples": facts.summary.examples,
        "protection": protection(facts, part),
        "countable": countable_figures(facts),
    }


def questions(model: PrivacyModel) -> list[tuple[str, str, str]]:
    """Return the name, the short answer and the explanation of each risk of WP 216 (Article 29 Working Party).

    >>> from anonset.privacy import KmAnonymity
    >>> [(name, answer) for name, answer, _ in questions(KmAnonymity(5, 2))]
    [('Singling out', 'at most 1/5'), ('Linkability', 'not covered'), ('Inference', 'not covered')]
    """
    risk = "bounded" if model.k is None else f"at most 1/{model.k}"
    answers = {
        "Singling out": (risk if model.k != 1 else "", model.singling_out),
        "Linkability": ("", ""),
        "Inference": ("bounded", model.inference),
    }
    return [
        (name, answer, bound) if answer and bound else (name, "not covered", _NOT_COVERED[name])
        for name, (answer, bound) in answers.items()
    ]


def _utility(report: Report) -> list[tuple[str, str]]:
    names = {"items": "Item occurrences", "values": "Relational values", "tuples": "Rows"}
    patterns = ("solid", "hatched", "light")
    bars_of = []
    for name, parts in shares(report.retention).items():
        rows = [
            (
                PRINTED_FATES.get(fate, fate),
                [(patterns[min(position, 2)], share, f"{share:.1%} ({report.retention[name][fate]:,})")],
            )
            for position, (fate, share) in enumerate(parts.items())
        ]
        head = f"{names.get(name, name)}{relative_to(name, report.coarsened)}"
        bars_of.append((head, bars(head, rows)))
    return bars_of
