"""Sections of an account: a table for people with its notes, and the same as data; written once for each medium."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anonset.data.redacted_repr import Discreet
from anonset.release.statements import plain
from anonset.release.tables import html_table

if TYPE_CHECKING:
    from rich.table import Table as RichTable

LEFT = ("guaranteed",)
"""Columns of text; other columns but the first are numbers."""


@dataclass(frozen=True)
class Section(Discreet):
    """One part of an account. Without rows or notes it is data alone, and no terminal or page shows it."""

    title: str = ""
    """Text above the table."""
    head: tuple[str, ...] = ()
    """Names of the columns."""
    rows: Sequence[tuple[str, ...]] = ()
    """Texts of the cells."""
    notes: Sequence[str] = ()
    """Sentences below the table."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The same facts by name, for JSON."""


def for_terminal(sections: Iterable[Section]) -> "list[str | RichTable]":
    """Return sections as lines and tables, with an empty line between two."""
    parts: list[str | RichTable] = []
    for section in sections:
        if not (section.rows or section.notes):
            continue
        parts += [""] if parts else []
        parts += [_rich(section)] if section.rows else []
        parts += section.notes
    return parts


def for_json(sections: Iterable[Section]) -> dict[str, Any]:
    """Return the data of sections as one mapping."""
    return {name: value for section in sections for name, value in plain(section.data).items()}


def for_html(sections: Iterable[Section]) -> str:
    """Return the tables of sections as HTML, for notebooks."""
    return "".join(html_table(section.head, section.rows) for section in sections)


def _rich(section: Section) -> "RichTable":
    from rich.table import Table as RichTable

    table = RichTable(box=None, padding=(0, 2, 0, 0), title=section.title, title_justify="left")
    for position, name in enumerate(section.head):
        table.add_column(name, justify="left" if position == 0 or name in LEFT else "right")
    for row in section.rows:
        table.add_row(*row)
    return table
