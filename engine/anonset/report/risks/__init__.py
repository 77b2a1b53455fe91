"""Text and JSON data with the results of ``anonset risk``. Each kind of publication has a module."""

from typing import Any

from rich.table import Table as RichTable

from anonset.kinds.risk import RiskReport
from anonset.report.risks import buckets, chunks, records
from anonset.report.risks.base import PagePart, page_part, sections
from anonset.report.sections import as_text, for_html, for_json, for_terminal

__all__ = [
    "PagePart",
    "account_and_summary",
    "buckets",
    "chunks",
    "html_of",
    "page_part",
    "records",
    "sections",
    "text_of",
]


def account_and_summary(risk: RiskReport) -> tuple[list[str | RichTable], dict[str, Any]]:
    """Return the risks as text for people, and as JSON data."""
    parts = sections(risk)
    return for_terminal(parts), for_json(parts)


def html_of(risk: RiskReport) -> str:
    """Return the risk tables as HTML, for notebooks."""
    return for_html(sections(risk))


def text_of(risk: RiskReport) -> str:
    """Return the risks as plain text."""
    return as_text(for_terminal(sections(risk)))
