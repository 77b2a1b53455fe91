"""Report for a data protection officer, as one HTML page."""

from pathlib import Path

from anonset.errors import InputError
from anonset.jobs.report_facts import ReportFacts
from anonset.report.chapters import chapters
from anonset.report.conclusion import conclusion
from anonset.report.doubts import doubts
from anonset.report.risks import page_part
from anonset.settings.publication import ReportSettings

_TEMPLATE = Path(__file__).with_name("page.html.j2")


def report_page(facts: ReportFacts, typed: ReportSettings) -> str:
    """Return a report as one HTML file without links to other files. Without a private report among the facts, it is
    the shareable report.

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
    part = page_part(facts)
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        title=typed.title,
        internal=facts.private is not None,
        doubts=doubts(facts),
        conclusion=conclusion(facts, part),
        chapters=chapters(facts, part, typed.statements()),
    )
