"""Text and JSON data with the results of ``anonset risk``. Each kind of publication has a module with the functions
`sections` and `page_part`.
"""

from importlib import import_module
from typing import Any

from rich.table import Table as RichTable

from anonset.analysis.risk import RiskReport
from anonset.jobs.report_facts import ReportFacts
from anonset.report.risks.base import PagePart
from anonset.report.sections import Section, as_text, for_html, for_json, for_terminal


def _of_kind(risk: RiskReport) -> Any:
    """Return the module for the kind of publication."""
    return import_module(f"{__name__}.{risk.model.kind}")


def sections(risk: RiskReport, facts: ReportFacts | None = None) -> list[Section]:
    """Return the sections of the text about the risks."""
    made: list[Section] = _of_kind(risk).sections(risk, facts)
    return made


def page_part(facts: ReportFacts) -> PagePart:
    """Return the parts of the report that depend on the kind of publication."""
    made: PagePart = _of_kind(facts.after).page_part(facts.after, facts)
    return made


def account_and_summary(risk: RiskReport, facts: ReportFacts) -> tuple[list[str | RichTable], dict[str, Any]]:
    """Return the risks as text for people, and as JSON data."""
    parts = sections(risk, facts)
    return for_terminal(parts), for_json(parts)


def html_of(risk: RiskReport) -> str:
    """Return the risk tables as HTML, for notebooks."""
    return for_html(sections(risk))


def text_of(risk: RiskReport) -> str:
    """Return the risks as plain text."""
    return as_text(for_terminal(sections(risk)))
