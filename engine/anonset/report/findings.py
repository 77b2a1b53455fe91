"""The account of an inspection of data before anything is published."""

from typing import Any

from rich.table import Table as RichTable

from anonset.jobs.findings import Findings, risk_table
from anonset.measures.known_items import KnownItems
from anonset.measures.shares import Share
from anonset.release.memory import format_size
from anonset.report.account import facts_table
from anonset.spelling import printable

_MOST_SHOWN = 1000
"""Columns that people are shown: a line for each of many thousands takes minutes, and nobody reads them."""


def findings_summary(found: Findings) -> dict[str, Any]:
    """Return the findings as what JSON knows."""
    classes = found.quasi_identifiers
    return {
        "source": found.source,
        "rows": found.rows,
        "records": found.records,
        "persons": found.persons,
        "columns": [
            {
                "name": one.profile.name,
                "kind": one.profile.kind,
                "items": one.profile.items_kind or None,
                "distinct": one.profile.distinct,
                "nulls": one.profile.nulls,
                "missing": one.profile.missing,
                "entropy": one.profile.entropy,
                "role": one.role,
                "reason": one.reason,
                "hierarchy": one.hierarchy,
            }
            for one in found.columns
        ],
        "quasi_identifiers": None
        if classes is None
        else {
            "columns": list(classes.columns),
            "classes": classes.classes,
            "smallest": classes.smallest,
            "unique": classes.unique.value,
            "below_k": classes.below_k.value,
        },
        "known_items": {str(one.size): _known_summary(one, found.k) for one in found.known_items},
        "k": found.k,
        "m": found.m,
        "memory": found.memory,
        "seconds": found.seconds,
        "problems": list(found.problems),
    }


def findings_account(found: Findings) -> list[str | RichTable]:
    """Return the findings for people, as text and tables."""
    persons = "as many rows, each taken for a person" if found.persons is None else f"of {found.persons:,} persons"
    unread = found.rows > 0 and not found.records
    facts = {
        "data": found.source,
        "rows": f"{found.rows:,}",
        "records": "none: the rows cannot be read as they are" if unread else f"{found.records:,}, {persons}",
        "memory": "" if found.memory is None else f"about {format_size(found.memory)} for a run",
        "time": "" if found.seconds is None else f"about {_rounded(found.seconds)} for a run",
    }
    parts: list[str | RichTable] = [facts_table({name: text for name, text in facts.items() if text}), ""]
    more = len(found.columns) - _MOST_SHOWN
    parts += [_columns_table(found), *([f"and {more:,} more columns: --json shows all"] if more > 0 else []), ""]
    if found.quasi_identifiers is not None or found.known_items:
        parts += ["Who is at risk as the data are: share of records that others can tell", _risk_table(found), ""]
    if found.problems:
        parts += ["Look at:", *(f"- {printable(problem)}" for problem in found.problems)]
    return parts


def _columns_table(found: Findings) -> RichTable:
    table = RichTable(box=None, padding=(0, 2, 0, 0))
    for name in ("column", "kind", "distinct", "nulls", "role", "because"):
        table.add_column(name, justify="right" if name in ("distinct", "nulls") else "left", overflow="fold")
    for one in found.columns[:_MOST_SHOWN]:
        look, nulls = one.profile, one.profile.nulls + one.profile.missing
        role = f"--{one.role.replace('_', '-')}"
        row = (look.name, look.kind, f"{look.distinct:,}", f"{nulls:,}", role, one.reason)
        table.add_row(*map(printable, row))
    return table


def _risk_table(found: Findings) -> RichTable:
    table = RichTable(box=None, padding=(0, 2, 0, 0))
    head, rows = risk_table(found)
    for at, name in enumerate(head):
        table.add_column(name, justify="right" if at else "left")
    for row in rows:
        table.add_row(*row)
    return table


def _known_summary(one: KnownItems, k: int) -> dict[str, Any]:
    figures = {
        "worst": one.worst(2),
        "average": one.average_unique,
        "worst_below_k": one.worst(k),
        "average_below_k": one.average_below,
    }
    summary: dict[str, Any] = {name: share.value for name, share in figures.items()}
    if not one.exact:
        summary["intervals"] = {name: _interval(share) for name, share in figures.items()}
    return summary


def _interval(share: Share) -> list[float | None]:
    return [share.low, share.high]


def _rounded(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{round(seconds / 60)} min"
