"""Report for a data protection officer: published data, guarantee, remaining risk and utility."""

import re
from collections.abc import Mapping
from dataclasses import replace
from inspect import get_annotations
from pathlib import Path
from typing import Any

from anonset.algorithms.rt.joint.pruning import Pruning
from anonset.errors import InputError
from anonset.jobs.report_facts import RareValues, ReportFacts
from anonset.measures.retention import (
    PRINTED_FATES,
    PRINTED_PARTS,
    coarsened_text,
    loss_relative_to,
    relative_to,
    shares,
)
from anonset.measures.shares import percent
from anonset.privacy import PrivacyModel
from anonset.release.documents import ATTESTATION, CODEBOOK, Report
from anonset.release.guarantee_limits import ranked_limits
from anonset.release.statements import parameters_of, versions
from anonset.report.account import loss_label
from anonset.report.conclusion import checked, conclusion, persons, protection, sensitive
from anonset.report.contents import contents
from anonset.report.countable import countable_figures
from anonset.report.doubts import doubts
from anonset.report.drawings import bars
from anonset.report.frontier import frontier_drawing
from anonset.report.risks import page_part
from anonset.report.symbols import symbols_html
from anonset.report.techniques import left_out
from anonset.settings.parameters import type_and_text
from anonset.settings.publication import ReportSettings
from anonset.spelling import listed
from anonset.strict_json import dumps

_HUNDRED = 100
_BOUND = re.compile(r" \([^()]*[<>]=[^()]*\)")
"""Bound of a parameter in its text, which only the owner needs."""
_TEMPLATE = Path(__file__).with_name("page.html.j2")
_NOT_COVERED = {
    "Singling out": "The model does not bound the number of matching records.",
    "Linkability": "An attacker may be able to link a person's records with other publications.",
    "Inference": "A value or item that all matching records share is disclosed, including values published unchanged.",
}
"""Consequence of each risk, if the model does not bound the risk."""


_FATES = {
    "kept": "Kept: published unchanged.",
    "generalized": "Generalized: replaced by a symbol for several values.",
    "in_chunks": "In chunks: published together with the other items of a part of the record.",
    "terms": "Terms: published as an item that occurs in the cluster.",
    "starred": "With a hidden identity: published without the identifying values.",
    "suppressed": "Suppressed: not published.",
    "removed": "Removed: the row is not published.",
}
"""Meaning of each outcome of items, values and rows."""
_MEANINGS = {
    "ncp": ("Share of all items that a symbol covers (NCP)", "0: unchanged; 1: all items are suppressed, or published "
            "as a single symbol"),
    "rum": ("Share of its column that a published value or range covers (RUM)", "0: unchanged; 1: suppressed, or one "
            "range"),
    "tum": ("Loss of the items per record (TUM)", "mean of UL over the records; 0: unchanged; 1: one symbol for all "
            "items"),
    "lm": ("Share of the other items that a symbol covers (LM)", "as NCP, but 0 for a symbol of one item"),
    "ul": ("Loss of the items (UL)", "grows with the items of a symbol, their dissimilarity, and the rows with the "
           "symbol"),
    "log2_ul": ("Binary logarithm of UL", "a difference of 10 is a factor of about 1,000"),
    "grouping_loss": ("Rows with a hidden identity, or removed", "share of the rows"),
    "removed_for_diversity": ("Rows removed because a value was too frequent", "share of the rows"),
    "diversity_loss": ("Rows with a value that is too frequent in its group", "share of the rows"),
    "not_in_chunks": ("Items published as terms, or suppressed", "share of the item occurrences"),
}  # fmt: skip
"""Name and meaning of each loss. Without anonymization, all losses are 0."""


def internal_page(facts: ReportFacts, typed: ReportSettings) -> str:
    """Return the internal report as HTML. It contains facts from the private directory."""
    report = facts.private
    if report is None:
        msg = "an internal report needs the private directory"
        raise InputError(msg)
    settings, common = report.settings, _common(facts, typed)
    content = {
        **common,
        "internal": True,
        "columns": [*common["columns"], *left_out(facts, settings)],
        "utility": _utility(report),
        "rare": [(values.column, *_rare(values)) for values in facts.rare],
        "fates": [text for fate, text in _FATES.items() if any(fate in counts for counts in report.retention.values())],
        "frontier": frontier_drawing([Pruning(**point) for point in report.frontier], report.measures),
        "losses": [
            (label, f"{two_digits(value)}{loss_relative_to(name, report.coarsened)}", meaning)
            for name, value in report.measures.items()
            for label, meaning in (_MEANINGS.get(name, (loss_label(name), "a measure of a plug-in")),)
        ],
        "facts": {
            "date of the run": report.date or "not recorded",
            "input": f"{report.input.get('file', 'from Python')}, SHA-256 {report.input.get('sha256', 'not computed')}",
            "algorithm": f"{report.algorithm} {dumps(report.parameters)}",
            "seed": "none" if report.seed is None else str(report.seed),
            **common["facts"],
            "versions of the run": ", ".join(f"{name} {version}" for name, version in report.versions.items()),
            "command to repeat": "anonset anonymize OUT.private/report.json -o OTHER" if settings else "none: run "
            "in Python",
        },
        "settings": [(name, dumps(value)) for name, value in settings.items() if value not in (None, False, [], {})],
        "notes": report.warnings,
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
    public = replace(facts, private=None, before=(), raw=None, errors=None, rare=())
    content = {
        **_common(public, typed),
        "internal": False,
        "utility": [],
        "rare": [],
        "fates": [],
        "frontier": "",
        "losses": [],
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
    attested, model = facts.attested, facts.model
    part = page_part(facts)
    statements, about, secrets = typed.statements(), persons(facts), sensitive(facts)
    ranked, countable = ranked_limits(model, [attested.limits]), countable_figures(facts)
    verdicts = [(each.attack, each.knowledge, each.verdict, each.succeeds is not None) for each in part.verdicts]
    return {
        "title": typed.title,
        "statements": statements,
        "doubts": doubts(facts),
        "conclusion": conclusion(facts, part),
        "contents": contents(facts, part, statements, about, secrets, ranked, countable),
        "persons": about,
        "sensitive": secrets,
        "attacked": [verdict for *verdict, was_run in verdicts if was_run],
        "not_run": [(attack, why) for attack, _, why, was_run in verdicts if not was_run],
        "model": str(model),
        "sizes": parameters_in_words(model),
        "terms": _terms(facts),
        "statement": attested.statement,
        "limits": ranked,
        "k": model.k,
        "codebook": CODEBOOK if CODEBOOK in attested.data.sha256 else "",
        "undecided": bool(attested.declarations.accepted_undecided),
        "joint": attested.declarations.together_with is not None,
        "checked": checked(facts),
        "questions": questions(model),
        "before": bool(facts.before),
        "unit": attested.declarations.unit,
        "coarsened": "" if facts.private is None else coarsened_text(facts.private.coarsened),
        "part": part,
        "columns": part.columns,
        "examples": [
            {"head": one.head, "rows": [[*map(symbols_html, row)] for row in one.rows]}
            for one in facts.summary.examples
        ],
        "protection": protection(facts, part),
        "countable": countable,
        "details": [(column.name, str(column)) for column in facts.summary.columns],
        "facts": _origin(facts),
    }


def _origin(facts: ReportFacts) -> dict[str, str]:
    """Return the program of the report, the way to verify the publication, and the digests of its files."""
    files = facts.attested.data.sha256
    return {
        "report by": f"anonset {versions()['anonset']}",
        "to verify": "anonset verify OUT, where OUT is the published directory. The result must name the same model, "
        "and the attestation must have the digest below.",
        "attestation": f"{ATTESTATION}, SHA-256 {facts.sha256}",
        **({"meaning of the published symbols": f"{CODEBOOK} in OUT"} if CODEBOOK in files else {}),
        **{f"file {name}": f"SHA-256 {digest}" for name, digest in files.items()},
    }


def _terms(facts: ReportFacts) -> list[str]:
    """Return an explanation of each technical term in the statement of the guarantee."""
    known = ", ".join(facts.attested.data.quasi_identifiers)
    terms = {
        "quasi-identifier": f"Quasi-identifiers are the columns that others may know: {known}.",
        "equivalence class": "An equivalence class consists of the records with equal quasi-identifiers.",
    }
    return [text for term, text in terms.items() if term in facts.attested.statement]


def parameters_in_words(model: PrivacyModel) -> list[tuple[str, str]]:
    """Return each numeric parameter of a model with its value, and its meaning.

    >>> from anonset.privacy import KmAnonymity
    >>> parameters_in_words(KmAnonymity(5, 2))[1]
    ('m = 2', 'Maximum number of items that the attacker knows.')
    """
    texts = {
        name: type_and_text(kind)[1] for one in type(model).__mro__[::-1] for name, kind in get_annotations(one).items()
    }
    return [
        (f"{name} = {value}", _BOUND.sub("", texts.get(name, "")))
        for name, value in parameters_of(model).items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]


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


_MOST_RARE = 12
"""Maximum number of rare values of a column that the report names."""


def _rare(values: RareValues) -> tuple[str, str]:
    """Return the number of rare values, and the rarest values, each with its number of records."""
    named = [f"{value} ({n})" for value, n in values.occurrences.items()]
    return f"{len(named):,} of {values.distinct:,}", listed(named, "and", _MOST_RARE)


def _utility(report: Report) -> list[tuple[str, str]]:
    patterns, drawings = ("solid", "hatched", "light"), []
    for name, parts in shares(report.retention).items():
        rows = [
            (
                PRINTED_FATES.get(fate, fate),
                [(patterns[min(position, 2)], share, f"{percent(share)} ({report.retention[name][fate]:,})")],
            )
            for position, (fate, share) in enumerate(parts.items())
        ]
        drawings.append((f"{PRINTED_PARTS[name].capitalize()}{relative_to(name, report.coarsened)}", rows))
    return [(head, bars(head, rows)) for head, rows in drawings]
