"""Pages with records and values of the original. They are not screens: the browser gets them on a click, and neither
the browser nor the server stores them.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape

from anonset.jobs.changed_rows import MASKED, ChangedCell
from anonset.jobs.frequent_values import FrequentValues
from anonset.measures.shares import percent
from anonset.report.symbols import symbol_html
from anonset.spelling import counted
from anonset.ui.screens.frame import STYLE

MASKED_COLUMNS = "Columns that identify a person, unpublished columns, contact data and free text are masked"

_RANGE = re.compile(r"^\[([^:]+):([^:]+)\]$")
"""Label of a published range."""


def rows_page(records: Sequence[Sequence[ChangedCell]]) -> str:
    """Return records as HTML: the published form of each below the original, with the values that changed marked."""
    first = records[0] if records else ()
    shown = [place for place, cell in enumerate(first) if cell.before != (MASKED,)]
    rows = "".join(
        _row(f"{number} {when}", map(form, (record[place] for place in shown)), kind)
        for number, record in enumerate(records, 1)
        for when, form, kind in (("before", _values, "first"), ("after", _symbols, ""))
    )
    return _page(
        "Records before and after",
        f"{len(records)} random records. “Before” is the original as the job reads it. Values that changed are "
        "<mark>underlined twice</mark>. A published value such as “a, b or 5 more” replaces one or several of these "
        "values.",
        _grid([first[place].column for place in shown], rows, [x.column for x in first if x.before == (MASKED,)]),
    )


def _grid(columns: Sequence[str], rows: str, masked: Sequence[str]) -> str:
    """Return a table with a column for each column of the data, and the names of the masked columns, folded."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    table = f"<table><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    grid = f'<div class="records" role="region" aria-label="Records" tabindex="0">{table}</div>'
    if not masked:
        return grid
    names = f"<p>{MASKED_COLUMNS}: {escape(', '.join(masked))}.</p>"
    return f"{grid}<details><summary>{counted(len(masked), 'masked column')}</summary>{names}</details>"


def _row(head: str, contents: Iterable[str], kind: str = "") -> str:
    cells = "".join(f"<td>{content}</td>" for content in contents)
    return f'<tr class="{kind}"><th scope="row">{head}</th>{cells}</tr>'


def values_page(columns: Sequence[FrequentValues]) -> str:
    """Return the most frequent values of columns as HTML, with a bar for each value."""
    return _page(
        "Most frequent values",
        "Values of the columns that the job publishes, as it reads them. Contact data, ids and free text are masked.",
        "".join(map(_frequencies, columns)),
    )


def _frequencies(column: FrequentValues) -> str:
    largest = max((count for _, count in column.values), default=1)
    rows = "".join(
        f'<tr><th scope="row">{escape(value)}</th><td><div class="figure">'
        f"<span>{count:,} ({percent(count / max(1, column.records))})</span>"
        f'<div class="bar" aria-hidden="true"><div style="width: {count / largest:.0%}"></div></div></div></td></tr>'
        for value, count in column.values
    )
    shown = f"{len(column.values)} of {counted(column.distinct, 'value')}" if column.values else "masked"
    heads = '<thead><tr><th scope="col">Value</th><th scope="col">Records</th></tr></thead>' if rows else ""
    caption = f"<caption>{escape(column.column)}: {shown}</caption>"
    return f'<table class="compared">{caption}{heads}<tbody>{rows}</tbody></table>'


def page_without_scripts(title: str, content: str) -> str:
    """Return a page in the style of the screens, with HTML as its content."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>anonset: {title.lower()}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body><main><h1>{title}</h1>{content}</main></body></html>"
    )


def _page(title: str, note: str, content: str) -> str:
    shared = "Do not share this page. It is not stored: close it to remove it."
    return page_without_scripts(title, f'<p class="lead">{note} {shared}</p>{content}')


def _values(cell: ChangedCell) -> str:
    """Return the original values, with those marked that are not published."""
    published = {symbol.label for symbol in cell.after}
    return _listed((escape(value), value in published) for value in cell.before)


def _symbols(cell: ChangedCell) -> str:
    """Return the published symbols by their members, with those marked that are not original values."""
    return _listed((_RANGE.sub(r"\1–\2", symbol_html(one)), one.label in cell.before) for one in cell.after)


def _listed(values: Iterable[tuple[str, bool]]) -> str:
    return "; ".join(shown if is_same else f"<mark>{shown}</mark>" for shown, is_same in values) or "–"
