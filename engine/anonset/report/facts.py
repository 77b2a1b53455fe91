"""Facts for people: names and values, which need no library for tables where they are written to a file or a pipe."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonset.spelling import printable

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_GAP = 2
"""Blanks behind a column of a table."""


@dataclass(frozen=True)
class Facts:
    """Names and values, shown as a table without frames."""

    rows: Mapping[str, str]

    def in_lines(self, width: int) -> str | None:
        """Return the table as plain text, a line a row; None where a text is not printable ASCII, or is too long."""
        named = max(map(len, self.rows), default=0) + _GAP
        longest = max(map(len, self.rows.values()), default=0)
        plain = "".join(f"{name}{text}" for name, text in self.rows.items())
        if named + longest + _GAP > width or not (plain.isascii() and plain.isprintable()):
            return None
        return "".join(f"{name:<{named}}{text:<{longest + _GAP}}\n" for name, text in self.rows.items())

    def __rich__(self) -> "RichTable":
        from rich.table import Table

        table = Table(show_header=False, box=None, padding=(0, _GAP, 0, 0))
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for name, text in self.rows.items():
            table.add_row(name, text)
        return table


def facts_table(facts: Mapping[str, str]) -> Facts:
    """Return names and values as a table without frames."""
    return Facts({name: printable(text) for name, text in facts.items()})
