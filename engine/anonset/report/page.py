"""Report for a data protection officer, as one HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.jobs.report_facts import ReportFacts
from anonset.report.chapters import chapters, release_in_words, signed
from anonset.report.conclusion import conclusion, parameters_in_words, plain_words, with_groups
from anonset.report.doubts import SIGNERS, Doubt, doubts
from anonset.report.risks import page_part
from anonset.settings.publication import ReportSettings

_TEMPLATE = Path(__file__).with_name("page.html.j2")


@dataclass(frozen=True)
class ReportPage(RedactedRepr):
    """Report as one HTML file without links to other files, and the texts that it shows first."""

    html: str
    risk: str
    """Single figure of the risk, and for whom it holds."""
    doubts: Sequence[Doubt]
    """Doubts, the most harmful first."""


def report_page(facts: ReportFacts, typed: ReportSettings) -> ReportPage:
    """Return a report. It is internal if the facts are from the private directory, and shareable otherwise.

    Raises
    ------
    InputError
        If jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise InputError("a report needs the package jinja2: pip install jinja2") from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    part = page_part(facts)
    risk, doubtful = plain_words(f"{part.risk[0].upper()}{part.risk[1:]}.", facts), doubts(facts, typed)
    statements = typed.statements(is_shareable=facts.private is None)
    html = environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        title=typed.title,
        internal=facts.private is not None,
        risk=risk,
        doubts=doubtful,
        parameters=[with_groups(f"{name}: {text}") for name, text in parameters_in_words(facts.model)],
        conclusion=conclusion(facts, part, statements),
        signers=(*SIGNERS, *sorted({one.who for one in doubtful} - {*SIGNERS})),
        chapters=chapters(facts, part, statements),
        release=release_in_words(facts, typed.date),
        signed=signed(facts, typed.date),
    )
    return ReportPage(html, risk, doubtful)
