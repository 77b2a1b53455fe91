"""Text and JSON data with the findings of ``anonset inspect``."""

from typing import Any

from rich.table import Table as RichTable

from anonset.jobs.findings import Findings, Question, UnitOption, risk_table
from anonset.measures.known_items import KnownItems
from anonset.reading.file_options import person_columns
from anonset.release.memory import format_size
from anonset.report.sections import as_text, facts_table, table
from anonset.settings.job_text import unit_line
from anonset.spelling import counted, printable, setting

_MOST_SHOWN = 1000
"""Maximum number of columns that are printed, because printing many thousands of columns takes minutes."""


def findings_summary(findings: Findings) -> dict[str, Any]:
    """Return the findings as JSON data."""
    classes = findings.quasi_identifiers
    return {
        "source": findings.source,
        "rows": findings.rows,
        "records": findings.records,
        "persons": findings.persons,
        "columns": [
            {
                "name": column.profile.name,
                "kind": column.profile.kind,
                "items": column.profile.items_kind or None,
                "distinct": column.profile.distinct,
                "nulls": column.profile.nulls,
                "missing": column.profile.missing,
                "entropy": column.profile.entropy,
                "frequencies": list(column.profile.frequencies),
                "role": column.role,
                "reason": column.reason,
                "hierarchy": column.hierarchy,
                "fixes": [fix.as_json() for fix in column.fixes],
            }
            for column in findings.columns
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
        "known_items": {str(known.size): _known_summary(known, findings.k) for known in findings.known_items},
        "k": findings.k,
        "m": findings.m,
        "memory": findings.memory,
        "problems": list(findings.problems),
        "fixes": [[fix.as_json() for fix in problem.fixes] for problem in findings.checks],
        "question": None if findings.question is None else _question_summary(findings.question),
    }


def _question_summary(question: Question) -> dict[str, Any]:
    answers = [
        {
            "unit": answer.key,
            "columns": list(person_columns(answer.unit)),
            "persons": answer.persons,
            "unique": None if answer.unique is None else answer.unique.value,
            "skipped": answer.skipped,
            "line": unit_line(answer.key),
        }
        for answer in question.answers
    ]
    others = [",".join(columns) for columns in question.others]
    return {"setting": "unit", "rows": question.rows, "answers": answers, "others": others}


def findings_account(findings: Findings) -> list[str | RichTable]:
    """Return the findings as text and tables."""
    unit = {
        "person": f", of {counted(findings.records, 'person')}",
        "row": ", each a different person as declared",
        "unknown": "; the data do not say who is a person",
    }.get(findings.unit, "")
    open_ = "depends on who is a person; see below" if findings.question is not None else ""
    unread = findings.rows > 0 and not findings.records
    facts = {
        "data": findings.source,
        "rows": f"{findings.rows:,}",
        "records": "not counted; see Check" if unread else open_ or f"{findings.records:,}{unit}",
        "memory": "" if findings.memory is None else f"about {format_size(findings.memory)} for a run",
    }
    parts: list[str | RichTable] = [facts_table({name: text for name, text in facts.items() if text}), ""]
    more = len(findings.columns) - _MOST_SHOWN
    parts += [_columns_table(findings), *([f"and {more:,} more columns: --json shows all"] if more > 0 else []), ""]
    if findings.quasi_identifiers is not None or findings.known_items:
        risk = table(*risk_table(findings))
        parts += ["Re-identification risk of the data: share of records that can be singled out", risk, ""]
    if (question := findings.question) is not None:
        parts += ['Which rows belong to a person? Put one of these lines into the job file, in place of unit = "?":']
        parts += [f"- {printable(line)}" for line in question.lines()]
        parts += [f"The roles above are for {_named(question.first)}.", ""]
    if findings.problems:
        parts += ["Check:", *(f"- {printable(problem)}" for problem in findings.problems)]
    return parts


def text_of_findings(findings: Findings) -> str:
    """Return the findings as plain text."""
    return as_text(findings_account(findings))


def _named(answer: UnitOption) -> str:
    return printable(unit_line(answer.key))


def _columns_table(findings: Findings) -> RichTable:
    rows = []
    for column in findings.columns[:_MOST_SHOWN]:
        look, nulls = column.profile, column.profile.nulls + column.profile.missing
        role = setting(column.role)
        rows.append((look.name, look.kind, f"{look.distinct:,}", f"{nulls:,}", role, column.reason))
    return table(("column", "kind", "distinct", "nulls", "role", "because"), rows, left=("kind", "role", "because"))


def _known_summary(result: KnownItems, k: int) -> dict[str, Any]:
    figures = {
        "worst": result.worst(2),
        "average": result.average_unique,
        "worst_below_k": result.worst(k),
        "average_below_k": result.average_below,
    }
    summary: dict[str, Any] = {name: share.value for name, share in figures.items()}
    if not result.exact:
        summary["intervals"] = {name: [share.low, share.high] for name, share in figures.items()}
    return summary
