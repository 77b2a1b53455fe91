"""Report for a data protection officer: published data, guarantee, remaining risk and utility."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.algorithms.rt.joint.pruning import Pruning
from anonset.data.table_facts import Change
from anonset.errors import InputError
from anonset.jobs.report_facts import ReportFacts
from anonset.measures.retention import PRINTED_FATES, coarsened_text, loss_relative_to, relative_to, shares
from anonset.measures.shares import percent
from anonset.privacy import PrivacyModel
from anonset.release.documents import Report
from anonset.release.guarantee_limits import ranked_limits
from anonset.report.account import loss_label
from anonset.report.conclusion import conclusion, persons, sensitive
from anonset.report.drawings import bars
from anonset.report.first_screen import countable_figures, protection
from anonset.report.frontier import frontier_drawing
from anonset.report.risks import page_part
from anonset.report.symbols import symbols_html
from anonset.report.techniques import columns_of, left_out
from anonset.settings.publication import ReportSettings
from anonset.spelling import listed
from anonset.strict_json import dumps

_HUNDRED = 100
_TEMPLATE = Path(__file__).with_name("page.html.j2")
_NOT_COVERED = {
    "Singling out": "The model does not bound the number of matching records.",
    "Linkability": "An attacker may be able to link a person's records with other publications.",
    "Inference": "A value or item that all matching records share is disclosed, including values published unchanged.",
}
"""Consequence of each risk, if the model does not bound the risk."""


_MEANINGS = {
    "ncp": "NCP (normalized certainty penalty): how many of all items a symbol covers. 0: unchanged; 1: all items are "
    "suppressed, or published as a single symbol.",
    "rum": "RUM: how much of its column a published value or range covers. 0: unchanged; 1: suppressed, or one range.",
    "tum": "TUM: UL (utility loss) of the items of each record, on average. 0: unchanged; 1: one symbol for all items.",
    "lm": "LM (loss metric): as NCP, but a symbol for n of N items costs (n - 1)/(N - 1).",
    "ul": "UL (utility loss): grows with the items of a symbol, their dissimilarity, and the rows with the symbol.",
    "log2_ul": "Binary logarithm of UL: a difference of 10 is a factor of about 1,000.",
    "grouping_loss": "Share of the rows with a hidden identity, or removed.",
    "removed_for_diversity": "Share of the rows that were removed because a value was too frequent.",
    "diversity_loss": "Share of the rows with a value that is too frequent in its group.",
    "not_in_chunks": "Share of the item occurrences that are published as terms, or suppressed.",
}
"""Meaning of each loss. Without anonymization, all losses are 0."""


def internal_page(facts: ReportFacts, typed: ReportSettings) -> str:
    """Return the internal report as HTML. It contains facts from the private directory."""
    report = facts.private
    if report is None:
        msg = "an internal report needs the private directory"
        raise InputError(msg)
    settings = report.settings
    content = {
        **_common(facts, typed),
        "internal": True,
        "columns": [*columns_of(facts, exactly=True), *left_out(facts, settings)],
        "utility": _utility(report),
        "frontier": frontier_drawing([Pruning(**point) for point in report.frontier], report.measures),
        "losses": [
            (
                loss_label(name),
                f"{two_digits(value)}{loss_relative_to(name, report.coarsened)}",
                _MEANINGS.get(name, "a measure of a plug-in"),
            )
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


def two_digits(value: float) -> str:
    """Return a number with two significant digits, or as an integer if it has more.

    >>> two_digits(0.15306), two_digits(3.04), two_digits(1234.5), two_digits(0.0)
    ('0.15', '3.0', '1,234', '0')
    """
    if abs(value) >= _HUNDRED:
        return f"{value:,.0f}"
    return f"{value:#.2g}".rstrip(".") if value else "0"


def shareable_page(facts: ReportFacts, typed: ReportSettings) -> str:
    """Return the shareable report as HTML. It uses only the publication and the statements of the owner."""
    public = replace(facts, private=None, before=(), errors=None)
    content = {
        **_common(public, typed),
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


def _common(facts: ReportFacts, typed: ReportSettings) -> dict[str, Any]:
    attested = facts.attested
    part = page_part(facts.after, facts.before, attested)
    return {
        "title": typed.title,
        "statements": typed.statements(),
        "conclusion": conclusion(facts, part),
        "persons": persons(facts),
        "sensitive": sensitive(facts),
        "attacked": [(each.attack, each.knowledge, each.verdict) for each in part.verdicts],
        "model": attested.model,
        "sizes": [(name, str(value)) for name, value in attested.parameters.items() if isinstance(value, int | float)],
        "statement": attested.statement,
        "limits": ranked_limits(facts.model, [attested.limits]),
        "undecided": bool(attested.declarations.accepted_undecided),
        "counts": [(name, f"{count:,}") for name, count in attested.counts.items()],
        "questions": questions(facts.model),
        "before": bool(facts.before),
        "unit": attested.declarations.unit,
        "steps": [*raw_step(facts), *part.steps],
        "coarsened": "" if facts.private is None else coarsened_text(facts.private.coarsened),
        "part": part,
        "examples": [
            {"head": one.head, "rows": [[*map(symbols_html, row)] for row in one.rows]}
            for one in facts.summary.examples
        ],
        "protection": protection(facts, part),
        "countable": countable_figures(facts),
    }


def raw_step(facts: ReportFacts) -> list[tuple[str, str]]:
    """Return the risk of the original before reading coarsened it, as a step, if it is known."""
    if facts.raw is None or facts.private is None:
        return []
    names = listed(facts.private.coarsened["values"], "and")
    return [(f"in the original, before {names} was coarsened while reading", percent(facts.raw.alone.value))]


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
