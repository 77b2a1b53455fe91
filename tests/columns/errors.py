"""Measure how often `anonset inspect` is wrong on the labelled layouts.

Run ``python -m tests.columns.errors measure``. Each layout is generated and inspected. The answers that `inspect`
offers are compared with the true person, and the roles that it proposes for the true person with the true roles.

* *dangerous*: an identifier, a name, a text or a sensitive value would be published, a line that is no record counts as
  one, or the true person is not offered;
* *lossy*: a useful column is dropped, or items are read wrongly.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scipy.stats import beta
from tests.columns.dead_ends import MANY_DECISIONS, MOST_STEPS, Walk, figures, walk_all
from tests.columns.folders import NEVER, PERSONS, folder_section
from tests.columns.layouts import CORPUS, Layout, on_all_processors, person_headers, read_layouts
from tests.columns.tables import generate, write

import anonset
from anonset.errors import AnonsetError
from anonset.jobs.findings import Findings
from anonset.reading.roles import expanded
from anonset.settings.job import Job

SETS = ("items", "one_hot", "one_code")
PUBLISHED = ("relational", "keep", "sensitive", *SETS)


@dataclass(frozen=True)
class Mistake:
    """One error of a layout."""

    layout: str
    kind: str
    column: str
    detail: str


@dataclass
class Measured:
    """Figures of one layout."""

    layout: str
    language: str
    domain: str
    columns: int
    person: str
    answers: list[str] = field(default_factory=list)
    first: bool = False
    """Whether the true person is offered before all other columns."""
    shown: bool = False
    """Whether the true person is offered."""
    items: dict[str, bool] = field(default_factory=dict)
    """Whether the first answer about the items contains only items and all of them, and all answers together do. Empty
    if no column is labelled as items.
    """
    mistakes: list[Mistake] = field(default_factory=list)


def measure(layout: Layout, n_rows: int, seed: int = 1) -> Measured:
    """Inspect the generated table of a layout, and compare the findings with the truth."""
    header, rows = generate(layout, n_rows, seed)
    result = Measured(layout.name, layout.language, layout.domain, len(layout.columns), layout.person)
    with tempfile.TemporaryDirectory() as folder:
        path = write(layout, Path(folder), n_rows, seed)
        try:
            found = anonset.inspect(str(path))
        except AnonsetError as error:
            result.mistakes.append(Mistake(layout.name, "unreadable", "", str(error).replace(folder, "")))
            return result
        _compare_persons(layout, header, rows, found, result)
        unit = layout.unit
        try:
            answered = anonset.inspect(str(path), unit=unit, **_detected(found))
        except AnonsetError as error:
            result.mistakes.append(Mistake(layout.name, "unreadable", unit, str(error).replace(folder, "")))
            return result
    result.items = _compared_items(layout, answered)
    result.mistakes += _wrong_roles(layout, answered)
    result.mistakes += _wrong_records(layout, header, rows, answered)
    return result


def _detected(found: Findings) -> dict[str, Any]:
    """Return the settings of the file that `inspect` detected, which its complete commands contain."""
    return {
        name: found.settings[name] for name in ("no_header", "header_line", "input_format") if name in found.settings
    }


def _compare_persons(
    layout: Layout, header: Sequence[str], rows: Sequence[Sequence[Any]], found: Findings, result: Measured
) -> None:
    if found.question is None:
        result.first = result.shown = len(header) == 1
    else:
        keys = [str(answer.unit) for answer in found.question.answers]
        keys += [",".join(one) for one in found.question.others]
        result.answers = keys
        true = layout.unit
        equal = [key for key in keys if _is_same(key, true, layout, rows)]
        result.shown = bool(equal)
        before = keys[: keys.index(equal[0])] if equal else keys
        result.first = bool(equal) and not [key for key in before if key != "row" or true != "unknown"]
    if not result.shown:
        result.mistakes.append(Mistake(layout.name, "dangerous", layout.person, f"not offered: {result.answers}"))


def _compared_items(layout: Layout, found: Findings) -> dict[str, bool]:
    names, header = layout.names, [column.profile.name for column in found.columns]
    true = {names[column.header] for column in layout.columns if column.role == "items"}
    proposed = {column.profile.name for column in found.columns if column.role in SETS}
    asked = [
        {*expanded(header, [name for role in SETS for name in Job(fix.settings).names(role)])}
        for fix in found.item_answers
    ]
    answers = asked or [proposed]
    facts = {
        "items first": bool(answers[0]) and answers[0] <= true,
        "all items first": answers[0] == true,
        "items shown": true <= set().union(*answers),
    }
    return facts if true else {}


def _is_same(key: str, true: str, layout: Layout, rows: Sequence[Sequence[Any]]) -> bool:
    """Return True if two answers divide the rows into the same persons."""
    if key == true or "unknown" in (key, true):
        return key == true
    place = {name: number for number, name in enumerate(layout.names.values())}
    if "row" in (key, true):
        columns = person_headers(key if true == "row" else true, list(place))
        values = (
            [tuple(str(row[place[name]]) for name in columns) for row in rows] if set(columns) <= set(place) else []
        )
        return len(set(values)) == len(rows)
    named = [person_headers(one, list(place)) for one in (key, true)]
    if not all(name in place for names in named for name in names):
        return False
    parts = [[place[name] for name in names] for names in named]
    pairs = {tuple(tuple(str(row[at]) for at in part) for part in parts) for row in rows}
    return len(pairs) == len({pair[0] for pair in pairs}) == len({pair[1] for pair in pairs})


def _wrong_roles(layout: Layout, found: Findings) -> Iterator[Mistake]:
    role_of = {column.profile.name: column for column in found.columns}
    names = layout.names
    wrong_sets = not any(
        role_of[names[column.header]].role in SETS
        for column in layout.columns
        if column.role == "items" and names[column.header] in role_of
    )
    for column in layout.columns:
        proposal = role_of.get(names[column.header])
        if proposal is None:
            yield Mistake(layout.name, "lossy", column.header, "not read as a column")
            continue
        role = proposal.role
        detail = f"{column.role} as {role}: {proposal.reason}"
        full_birth = column.role == "birth" and (
            role in ("keep", *SETS) or (role == "relational" and "from-" not in str(proposal.hierarchy))
        )
        if (
            (column.role in NEVER and role in PUBLISHED)
            or (column.role == "sensitive" and role in ("relational", "keep"))
            or (full_birth and str(proposal.hierarchy) != "range" and "year" not in str(proposal.hierarchy))
            or role == "keep"
        ):
            yield Mistake(layout.name, "dangerous", column.header, detail)
        elif (column.role == "attribute" and role not in ("relational", "sensitive")) or (
            column.role == "items" and (role in ("relational", "sensitive") or wrong_sets)
        ):
            yield Mistake(layout.name, "lossy", column.header, detail)
        elif column.role == "items" and role == "items" and layout.format in ("csv", "tsv"):
            true = None if column.set is None else column.set[0].strip() or " "
            if proposal.profile.separator != true:
                detail = f"separator {proposal.profile.separator!r}, not {true!r}"
                yield Mistake(layout.name, "lossy", column.header, detail)


def _wrong_records(
    layout: Layout, header: Sequence[str], rows: Sequence[Sequence[Any]], found: Findings
) -> Iterator[Mistake]:
    if layout.person not in ("row", "unknown") or not found.records:
        return
    if found.records > len(rows):
        yield Mistake(layout.name, "dangerous", "", f"{found.records - len(rows)} lines count as records")
    elif found.records < len(rows):
        yield Mistake(layout.name, "lossy", "", f"{len(rows) - found.records} of {len(rows)} records are not read")


def bound(errors: int, n: int) -> float:
    """Return the upper end of the one-sided 95 % interval of an error rate (Clopper and Pearson)."""
    return 1.0 if errors >= n else float(beta.ppf(0.95, errors + 1, n - errors))


def summary(measured: Sequence[Measured]) -> dict[str, Any]:
    """Return the figures of several layouts."""
    kinds = Counter(mistake.kind for one in measured for mistake in one.mistakes)
    unreadable = {mistake.layout for one in measured for mistake in one.mistakes if mistake.kind == "unreadable"}
    columns, n = sum(one.columns for one in measured if one.layout not in unreadable), len(measured)
    persons = [one for one in measured if one.person != "unknown"]
    items = [one.items for one in measured if one.items]
    return {
        "layouts": n,
        "columns": columns,
        "dangerous": kinds["dangerous"],
        "dangerous, at most (95 %)": round(bound(kinds["dangerous"], columns), 4),
        "lossy": kinds["lossy"],
        "unreadable layouts": len(unreadable),
        "first": round(sum(one.first for one in measured) / max(1, n), 3),
        "first, if the data contain the person": round(sum(one.first for one in persons) / max(1, len(persons)), 3),
        "shown": round(sum(one.shown for one in measured) / max(1, n), 3),
        **{key: round(sum(one[key] for one in items) / len(items), 3) for key in (items or [{}])[0]},
    }


def page(
    halves: Mapping[str, Sequence[Measured]], walks: Mapping[str, Mapping[str, Sequence[Walk]]], n_rows: int
) -> str:
    """Return the page of the documentation with the figures of both halves."""
    lines = [
        "# How often inspect is wrong",
        "",
        "`anonset inspect` proposes a role for each column and orders the possible answers to the question who is a",
        "person. The tables state how often this is wrong on labelled layouts: generated tables modelled on public",
        f"data models and exports, with {n_rows:,} rows. Some headers are from documentation, others from general",
        "knowledge of these formats. Half of the layouts serve to write rules. The other half only measures: it was",
        "written by other people than the rules, before them, and only its totals are read. `make columns` repeats the",
        "measurement and writes this page.",
        "",
        "* *Dangerous*: an identifier, a name, a free text or a sensitive value would be published, a line that is no",
        "  record counts as one, or the true person is not offered.",
        "* *Lossy*: a useful column is dropped, or items are read wrongly.",
        "* *First*: the true person is offered before all other columns. *First of persons*: the same for layouts",
        "  whose data contain the person. *Shown*: the true person is offered, or named among further columns.",
        "",
        "The last table of each half follows the printed commands: `anonset inspect FILE -o job.toml`, the true person",
        "in the job file, and `anonset anonymize job.toml`. If a command fails, the commands that it prints follow.",
        "",
        f"* *Dead end*: no publication after {MOST_STEPS} further commands.",
        "* *Rejected*: a printed command exits with 2. On every fourth small table, the commands for all other persons",
        "  also run.",
        "* *Decisions*: median number of answers that the commands need: who is a person, problems that would stop the",
        "  run, and a choice between further commands. The last column is the share of layouts with more than "
        f"{MANY_DECISIONS}.",
        "",
    ]
    for half, measured in halves.items():
        title = "Layouts that only measure" if half == "measure" else "Layouts for writing rules"
        lines += [f"## {title}", "", *_table("all layouts", {"all layouts": list(measured)})]
        if half == "measure":
            lines += ["By language of the headers:", "", *_table("language", _grouped(measured, "language"))]
            lines += ["By origin:", "", *_table("origin", _grouped(measured, "domain"))]
        lines += ["From `inspect` to a publication:", "", *figures(walks[half])]
    return "\n".join([*lines, *folder_section(PERSONS)])


def _grouped(measured: Sequence[Measured], by: str) -> dict[str, list[Measured]]:
    names = sorted({getattr(one, by) for one in measured})
    return {name: [one for one in measured if getattr(one, by) == name] for name in names}


def _table(head: str, groups: Mapping[str, Sequence[Measured]]) -> list[str]:
    columns = ("layouts", "columns", "dangerous", "at most (95 %)", "lossy", "first", "first of persons", "shown")
    columns += ("unreadable",)
    lines = [f"| {head} | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name, group in groups.items():
        facts = summary(group)
        cells = [
            *(f"{facts[key]:,}" for key in ("layouts", "columns", "dangerous")),
            f"{facts['dangerous, at most (95 %)']:.2%}",
            f"{facts['lossy']:,}",
            *(f"{facts[key]:.0%}" for key in ("first", "first, if the data contain the person", "shown")),
            f"{facts['unreadable layouts']:,}",
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [*lines, ""]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the layouts of a folder and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=["rules", "measure", "both"])
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--only", default="", help="part of the layout name")
    parser.add_argument("--details", help="file with the mistakes, one JSON line each (only for layouts in rules)")
    parser.add_argument("--page", help="file of the documentation to write")
    options = parser.parse_args(arguments)
    if options.details and options.half != "rules":
        parser.error("the layouts that measure are not looked at one by one")
    halves, walks = {}, {}
    for half in ["measure", "rules"] if options.half == "both" else [options.half]:
        layouts = [layout for layout in read_layouts(CORPUS / half) if options.only in layout.name]
        halves[half] = on_all_processors(lambda _, layout: measure(layout, options.rows), layouts)
        sys.stdout.write(f"{half}: {json.dumps(summary(halves[half]))}\n")
        walks[half] = walk_all(layouts, options.rows) if options.page else {}
    if options.details:
        lines = [json.dumps(asdict(one), ensure_ascii=False) for one in halves["rules"]]
        Path(options.details).write_text("\n".join(lines) + "\n", encoding="utf-8")
    if options.page:
        Path(options.page).write_text(page(halves, walks, options.rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
