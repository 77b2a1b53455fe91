"""Sections of a text about a run. A section is a table with notes. It also contains the facts of the table as JSON
data.

This module formats sections for terminals, JSON and notebooks.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rich.table import Table as RichTable

from anonset.data.redacted_repr import RedactedRepr
from anonset.release.tables import html_table
from anonset.spelling import printable

LEFT = ("guaranteed",)
"""Headings of columns that contain text, in addition to the first column. All other columns contain numbers."""


@dataclass(frozen=True)
class Fact(RedactedRepr):
    """Fact about a run, as text for people and as JSON data."""

    name: str = ""
    text: str = ""
    """Text for people. If it is empty, only the JSON output contains the fact."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The fact, by its name in the JSON output. If it is empty, only people see the fact."""


@dataclass(frozen=True)
class Section(RedactedRepr):
    """Part of a text about a run. If a section has no facts, rows and notes, only the JSON output contains it."""

    title: str = ""
    head: tuple[str, ...] = ()
    rows: Sequence[tuple[str, ...]] = ()
    notes: Sequence[str] = ()
    """Sentences below the table."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """Facts of the section, by their name in the JSON output."""
    facts: Sequence[Fact] = ()
    """Facts above the table."""
    drawing: str = ""
    """Drawing in the report, as SVG."""
    form: Literal["", "list", "plain", "folded"] = ""
    """Form of the section in the report: with the notes as a list, in large letters, or folded behind the title."""

    @property
    def is_empty(self) -> bool:
        """True if the report does not show the section."""
        return not (self.rows or self.drawing or (self.notes and not self.head))


def for_terminal(sections: Iterable[Section]) -> list[str | RichTable]:
    """Return sections as lines and tables, separated by blank lines."""
    parts: list[str | RichTable] = []
    for section in sections:
        texts = {fact.name: fact.text for fact in section.facts if fact.text}
        if not (texts or section.rows or section.notes):
            continue
        parts += [""] if parts else []
        parts += [facts_table(texts)] if texts else []
        parts += [table(section.head, section.rows, left=LEFT, title=section.title)] if section.rows else []
        parts += section.notes
    return parts


def for_json(sections: Iterable[Section]) -> dict[str, Any]:
    """Return the data of sections as one mapping."""
    from anonset.release.statements import plain

    found: dict[str, Any] = {}
    for section in sections:
        for data in (*(fact.data for fact in section.facts), section.data):
            found |= plain(data)
    return found


def for_html(sections: Iterable[Section]) -> str:
    """Return the tables of sections as HTML, for notebooks."""
    return "".join(html_table(section.head, section.rows) for section in sections if section.head)


_WIDTH = 160
"""Width of tables in characters."""


def as_text(parts: Iterable[str | RichTable]) -> str:
    """Return lines and tables as plain text."""
    from rich.console import Console

    console = Console(width=_WIDTH, color_system=None, markup=False, highlight=False, emoji=False)
    with console.capture() as captured:
        for part in parts:
            console.print(part, soft_wrap=isinstance(part, str))
    return "\n".join(line.rstrip() for line in captured.get().rstrip().split("\n"))


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, left: Collection[str] = (), title: str = ""
) -> RichTable:
    """Return a table without frames. The first column and the columns in `left` are aligned to the left."""
    made = RichTable(box=None, padding=(0, 2, 0, 0), title=title or None, title_justify="left")
    for position, name in enumerate(head):
        made.add_column(name, justify="left" if position == 0 or name in left else "right", overflow="fold")
    for row in rows:
        made.add_row(*map(printable, row))
    return made


def facts_table(facts: Mapping[str, str]) -> RichTable:
    """Return names and values as a table without frames."""
    made = RichTable(show_header=False, box=None, padding=(0, 2, 0, 0))
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for name, text in facts.items():
        made.add_row(name, printable(text))
    return made
