"""Text and JSON data with the findings of ``anonset inspect``."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from rich.table import Table as RichTable

from anonset.columns.roles import ROLES
from anonset.columns.set_rules import columns_alike
from anonset.errors import Fix, Problem
from anonset.jobs.findings import ColumnFindings, Findings, Question, UnitOption, risk_table
from anonset.measures.risks.known_items import KnownItems
from anonset.release.memory import format_size
from anonset.report.sections import as_text, facts_table, table
from anonset.settings.job import Job
from anonset.settings.job_text import one_line, unit_line
from anonset.spelling import counted, printable, setting, spelled

_MOST_SHOWN = 1000
"""Maximum number of table rows, and of problems, that are printed, because printing many thousands of rows takes
minutes.
"""
_ASKED = 'Which rows belong to a person? Put one of these lines into the job file, in place of unit = "?":'
_LONG_RUN = 10
"""Maximum number of neighbouring columns with the same kind, role and fixes that are printed in rows of their own."""


def findings_summary(findings: Findings) -> dict[str, Any]:
    """Return the findings as JSON data."""
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
                "why": short_reason(column),
                "hierarchy": column.hierarchy,
                "fixes": [fix.as_json() for fix in column.proposed.fixes],
            }
            for column in findings.columns
        ],
        "alike": columns_alike([column.profile for column in findings.columns]),
        "sensitive_items": dict(findings.sensitive_items),
        **risk_summary(findings),
        "memory": findings.memory,
        "problems": [problem_summary(problem) for problem in findings.checks],
        "obstacle": None if findings.obstacle is None else str(findings.obstacle),
        "question": None if findings.question is None else _question_summary(findings.question),
    }


def risk_summary(findings: Findings) -> dict[str, Any]:
    """Return the share of records that can be singled out, as JSON data."""
    classes = findings.quasi_identifiers
    return {
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
        "items_per_person": list(findings.items_per_person),
        "joint": None if findings.joint is None else [share.value for share in findings.joint],
        "complete": None if findings.complete is None else [share.value for share in findings.complete],
        "k": findings.k,
        "m": findings.m,
    }


def problem_summary(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON data: its text, the comment about it in a job file, and its parts."""
    return {
        "text": str(problem),
        "comment": one_line(str(problem)),
        "sentence": str(replace(problem, fixes=())),
        "fixes": [fix.as_json() for fix in problem.fixes],
        "assumed": problem.assumed,
        "stops": problem.stops,
    }


def _question_summary(question: Question) -> dict[str, Any]:
    answers = [
        {
            "unit": str(answer.unit),
            "columns": list(answer.unit.columns),
            "persons": answer.persons,
            "unique": None if answer.unique is None else answer.unique.value,
            "skipped": answer.skipped,
            "differing": list(answer.differing),
            "line": unit_line(answer.unit),
        }
        for answer in question.answers
    ]
    others = [",".join(columns) for columns in question.others]
    return {"setting": "unit", "rows": question.rows, "answers": answers, "others": others}


def findings_account(findings: Findings, unit: str = "unit = ", ask: str = _ASKED) -> list[str | RichTable]:
    """Return the findings as text and tables. `ask` asks who is a person, and each answer begins with `unit`."""
    counted_as = {
        "person": f", of {counted(findings.persons or 0, 'person')}",
        "row": ", each a different person as declared",
        "unknown": "; the data do not say who is a person",
    }.get(findings.unit, "")
    open_ = "depends on who is a person; see below" if findings.question is not None else ""
    unread = findings.rows > 0 and not findings.records
    facts = {
        "data": findings.source,
        "rows": f"{findings.rows:,}",
        "records": "not counted; see Check" if unread else open_ or f"{findings.records:,}{counted_as}",
        "memory": "" if findings.memory is None else f"about {format_size(findings.memory)} for a run",
    }
    parts: list[str | RichTable] = [facts_table({name: text for name, text in facts.items() if text}), ""]
    runs = _runs(findings.columns)
    more = sum(map(len, runs[_MOST_SHOWN:]))
    parts += [_columns_table(runs[:_MOST_SHOWN]), *([f"and {more:,} more columns: --json shows all"] if more else [])]
    parts += [*_other_roles(findings.columns), ""]
    parts += risk_account(findings)
    if (question := findings.question) is not None:
        parts += [ask, *(f"- {printable(line)}".replace("unit = ", unit) for line in question.lines())]
        parts += [f"The roles above are for {_named(question.first)}.".replace("unit = ", unit), ""]
    if findings.problems:
        parts += ["Check:", *(f"- {printable(problem)}" for problem in findings.problems[:_MOST_SHOWN])]
        if (hidden := len(findings.problems) - _MOST_SHOWN) > 0:
            parts.append(f"- and {counted(hidden, 'more problem')}: --json shows all")
    return parts


def risk_account(findings: Findings) -> list[str | RichTable]:
    """Return the share of records that can be singled out, as text and a table. Empty without items and attributes."""
    if findings.quasi_identifiers is None and not findings.known_items:
        return []
    title = "Re-identification risk of the data: share of records that can be singled out"
    return [title, table(*risk_table(findings)), ""]


def text_of_findings(findings: Findings) -> str:
    """Return the findings as plain text, with settings as Python writes them."""
    return as_text(findings_account(findings, unit="unit=", ask="Which rows belong to a person? Pass one of these:"))


def _named(answer: UnitOption) -> str:
    return printable(unit_line(answer.unit))


def _columns_table(runs: Sequence[Sequence[ColumnFindings]]) -> RichTable:
    rows = []
    for run in runs:
        first, last, why = run[0].profile, run[-1].profile, short_reason(run[0])
        name = first.name if len(run) == 1 else f"{first.name} … {last.name}"
        why = why if len(run) == 1 else f"{len(run):,} columns, the first: {why}"
        distinct = _extent([column.profile.distinct for column in run])
        nulls = _extent([column.profile.nulls + column.profile.missing for column in run])
        rows.append((name, first.kind, distinct, nulls, setting(run[0].role), why))
    return table(("column", "kind", "distinct", "nulls", "role", "because"), rows, left=("kind", "role", "because"))


def _runs(columns: Sequence[ColumnFindings]) -> list[list[ColumnFindings]]:
    """Return the columns in order, with each long run of similar columns in one list."""

    def alike(column: ColumnFindings) -> tuple[str, str, str | None, tuple[str, ...]]:
        return column.profile.kind, column.role, column.hierarchy, tuple(fix.effect for fix in column.proposed.fixes)

    runs = [list(run) for _, run in groupby(columns, alike)]
    return [part for run in runs for part in ([run] if len(run) > _LONG_RUN else [[column] for column in run])]


def short_reason(column: ColumnFindings) -> str:
    """Return the reason for a role without the fixes that give the column another role."""
    own = column.proposed
    return str(Problem(own.reason, [fix for fix in own.fixes if _role_in(fix, column.profile.name) is None]))


def _role_in(fix: Fix, column: str) -> str | None:
    """Return the role that a fix gives to a column, or None if it gives none."""
    return next((role for role in ROLES if column in Job(fix.settings).names(role)), None)


def _extent(numbers: Sequence[int]) -> str:
    ends = dict.fromkeys((min(numbers), max(numbers)))
    return " to ".join(f"{number:,}" for number in ends)


def _other_roles(columns: Sequence[ColumnFindings]) -> list[str]:
    """Return a line for each other role that columns can have, with the condition and the columns."""
    names: dict[tuple[str, str, str], dict[str, None]] = {}
    more: dict[tuple[str, str, str], Job] = {}
    for column in columns:
        for fix in column.proposed.fixes:
            if (role := _role_in(fix, column.profile.name)) is not None:
                others = Job(fix.settings).without(role)
                key = (fix.effect, role, spelled(others))
                names.setdefault(key, {}).update(dict.fromkeys(Job(fix.settings).names(role)))
                more[key] = others
    lines = ["Other roles:"] if names else []
    for (effect, role, text), named in names.items():
        first, *rest = named
        chosen = [first] if role == "sensitive" else [first, *rest]
        or_another = f" (or {', '.join(rest)})" if role == "sensitive" and rest else ""
        lines.append(printable(f"- {effect}: {spelled({role: chosen, **more[effect, role, text]})}{or_another}"))
    return lines


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
