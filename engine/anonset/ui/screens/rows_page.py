"""Pages with records and values of the original. They are not screens: the browser gets them on a click, and neither
the browser nor the server stores them.
"""

from collections.abc import Sequence
from html import escape

from anonset.jobs.changed_rows import ChangedCell
from anonset.jobs.frequent_values import FrequentValues
from anonset.measures.shares import percent
from anonset.spelling import counted

_STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1d2733, #eef3f2); --line: light-dark(#b7c6c2, #4d6268);
  --mark: light-dark(#00695c, #80cbc4); --back: light-dark(#ffffff, #10181c); }
body { color: var(--ink); background: var(--back); font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; table-layout: fixed; }
caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem .25rem 0; }
th, td { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.bar { display: inline-block; height: .8rem; background: var(--mark); margin-right: .4rem; }
mark { color: inherit; background: none; border-bottom: 3px double var(--mark); font-weight: 600; }
"""
_HEADS = ("Column", "Before", "After")


def rows_page(records: Sequence[Sequence[ChangedCell]]) -> str:
    """Return records as HTML: each as a table, with the values that changed marked."""
    tables = "".join(_table(number, record) for number, record in enumerate(records, 1))
    return _page(
        "Records before and after",
        f"{len(records)} random records. “Before” is the original as the job reads it. Values that changed are "
        "<mark>underlined twice</mark>. Columns that identify a person, unpublished columns, contact data and free "
        "text are masked.",
        tables,
    )


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
        f'<tr><th scope="row">{escape(value)}</th><td><span class="bar" style="width: {count / largest * 50:.0f}%">'
        f"</span>{count:,} ({percent(count / max(1, column.records))})</td></tr>"
        for value, count in column.values
    )
    shown = f"{len(column.values)} of {counted(column.distinct, 'value')}" if column.values else "masked"
    heads = '<thead><tr><th scope="col">Value</th><th scope="col">Records</th></tr></thead>' if rows else ""
    return f"<table><caption>{escape(column.column)}: {shown}</caption>{heads}<tbody>{rows}</tbody></table>"


def _page(title: str, note: str, content: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>anonset: {title.lower()}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><main><h1>{title}</h1>"
        f"<p>{note} Do not share this page. It is not stored: close it to remove it.</p>{content}</main></body></html>"
    )


def _table(number: int, record: Sequence[ChangedCell]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEADS)
    rows = "".join(
        f'<tr><th scope="row">{escape(cell.column)}</th><td>{_values(cell.before, cell.after)}</td>'
        f"<td>{_values(cell.after, cell.before)}</td></tr>"
        for cell in record
    )
    return f"<table><caption>Record {number}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _values(values: Sequence[str], others: Sequence[str]) -> str:
    """Return values, with those marked that do not occur in `others`."""
    shown = (escape(value) if value in others else f"<mark>{escape(value)}</mark>" for value in values)
    return " ".join(shown) or "–"
