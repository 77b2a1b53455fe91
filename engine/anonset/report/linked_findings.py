"""Text and JSON data with the findings of ``anonset inspect`` about a folder of linked tables."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table as RichTable

from anonset.columns.roles import hierarchy_for, tree_of
from anonset.jobs.findings import ITEMS_ASKED
from anonset.jobs.linked_findings import LinkedFindings, TableFindings, files_by_reason
from anonset.report.findings import problem_summary, risk_account, risk_summary, short_reason
from anonset.report.sections import as_text, facts_table, table
from anonset.settings.job_text import unit_line
from anonset.spelling import counted, listed, name_ranges, printable


def linked_summary(findings: LinkedFindings) -> dict[str, Any]:
    """Return the findings as JSON data."""
    return {
        "source": findings.source,
        "tables": [_table_summary(one) for one in findings.tables],
        "without_items": [_table_summary(one) for one in findings.without_items],
        "left_out": dict(findings.left_out),
        "persons": findings.persons,
        "k": findings.k,
        "m": findings.m,
        "joined": None
        if findings.joined is None
        else {"records": findings.joined.records, **risk_summary(findings.joined)},
        "problems": [problem_summary(problem) for problem in findings.checks],
        "question": None
        if findings.is_declared
        else {
            "setting": "unit",
            "answers": [
                {"unit": key.unit, "persons": key.persons, "tables": list(key.tables), "line": unit_line(key.unit)}
                for key in findings.keys
            ],
        },
    }


def _table_summary(one: TableFindings) -> dict[str, Any]:
    """Return the findings about a table as JSON data."""
    return {
        "name": one.name,
        "input": one.input,
        "rows": one.rows,
        "key": one.key,
        "in": one.parent or None,
        "parent_key": one.parent_key or None,
        "ids": one.ids,
        "lacking": one.lacking,
        "without_id": one.without_id,
        "options": dict(one.options),
        "item_answers": [fix.as_json() for fix in one.item_answers],
        "columns": [
            {
                "name": column.profile.name,
                "kind": column.profile.kind,
                "role": column.role,
                "reason": column.reason,
                "why": short_reason(column),
                "hierarchy": column.hierarchy,
                "hierarchies": {
                    "items": tree_of(column.profile.kind),
                    "relational": hierarchy_for(column.profile),
                },
            }
            for column in one.columns
        ],
    }


def linked_account(findings: LinkedFindings) -> list[str | RichTable]:
    """Return the findings as text and tables."""
    tables, unit = findings.tables, findings.keys[0].unit if findings.keys else ""
    linked = counted(len(tables), "table") + (f", linked by {unit}" if tables else "")
    head = ("table", "rows", "key", "ids", "unknown ids", "published")
    overview: list[str | RichTable] = [table(head, map(_row, tables), left=("key", "published")), ""] if tables else []
    dropped = [f"{one.name}: {listed(name_ranges(names))}" for one in tables if (names := one.named("drop"))]
    left_out = [f"{files}: {why}" for why, files in files_by_reason(findings.left_out).items()]
    who = 'Who is a person? Put the right line into the job file, in place of unit = "?":'
    question = [] if findings.is_declared else findings.question()
    return [
        facts_table({"data": findings.source, "linked": linked}),
        "",
        *overview,
        *_section("Not published:", dropped),
        *_section("Left out:", left_out),
        *(risk_account(findings.joined) if findings.joined is not None else ()),
        *_section(who, question, f"The tables above are for {printable(unit_line(unit))}."),
        *(line for one in tables for line in _section(f"Table {one.name}: {ITEMS_ASKED}", one.question())),
        *_section("Check:", findings.problems)[:-1],
    ]


def _section(title: str, lines: Sequence[str], *end: str) -> list[str]:
    """Return a list with a title and an empty line. Without lines, return nothing."""
    return [title, *(f"- {printable(line)}" for line in lines), *end, ""] if lines else []


def text_of_linked(findings: LinkedFindings) -> str:
    """Return the findings as plain text."""
    return as_text(linked_account(findings))


def _row(one: TableFindings) -> tuple[str, ...]:
    items = one.named("items")
    place = f" in {one.parent}" + (f".{one.parent_key}" if one.parent_key != one.key else "") if one.parent else ""
    attributes = ", ".join(name_ranges(one.named("relational")))
    what = f"attributes: {attributes}" if one.describes else "nothing; links other tables"
    what = f"items: {', '.join(items)}" if items else "items: see below" if one.item_answers else what
    return one.name, f"{one.rows:,}", f"{one.key}{place}", f"{one.ids:,}", f"{one.lacking:,}", what
