"""Findings of `inspect` about a folder of linked tables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from anonset.columns.roles import tree_of
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix, InputError, Problem
from anonset.jobs.findings import ITEMS_ASKED, ColumnFindings, Findings
from anonset.reading.file_options import OPEN
from anonset.reading.linked import column_of
from anonset.release.tables import html_table
from anonset.settings.binding import numeric_columns
from anonset.settings.job import Job
from anonset.settings.job_text import answer_text, job_text, relative_to, table_header, toml_of, unit_line
from anonset.settings.model_choices import guarantee_for
from anonset.spelling import counted, listed

_MOST_NAMED = 5


@dataclass(frozen=True)
class TableFindings(RedactedRepr):
    """Table with its key and the proposed roles of its columns."""

    name: str
    input: str
    """Path of the table."""
    rows: int
    key: str
    """Column that identifies the person or, with `parent`, a row of the table `parent`."""
    parent: str
    """Table that says to which person the key belongs. Empty if the key identifies the person."""
    parent_key: str
    """Column of the table `parent` that contains the key."""
    ids: int
    """Number of distinct ids in the key."""
    lacking: int
    """Number of these ids that the table of persons, or the table `parent`, does not contain."""
    without_id: int
    """Number of rows without an id."""
    columns: tuple[ColumnFindings, ...]
    """Columns in data order. The role is ``key``, ``items``, ``relational`` or ``drop``."""
    options: Job = field(default_factory=Job)
    """Reading options of this table."""
    item_answers: tuple[Fix, ...] = field(default=(), repr=False)
    """Possible answers to the question which column contains the items. Empty if no question is open."""

    def named(self, role: str) -> list[str]:
        """Return the columns with a role."""
        return [column.profile.name for column in self.columns if column.role == role]

    @property
    def describes(self) -> bool:
        """True if the table has a row of attributes for each person."""
        return bool(self.named("relational"))

    def question(self) -> list[str]:
        """Return a job file line for each column that may contain the items. Empty if no question is open."""
        lines = [(*Job(fix.settings).names("items"), fix.effect) for fix in self.item_answers]
        return [f"items = {toml_of(column.partition('.')[2])} # {effect}" for column, effect in lines]

    @property
    def hierarchies(self) -> dict[str, str]:
        """Proposed hierarchies of the published columns, and of those that may contain the items."""
        asked = {name.partition(".")[2] for fix in self.item_answers for name in Job(fix.settings).names("items")}
        trees = {one.profile.name: one.hierarchy for one in self.columns if one.hierarchy and one.role != "drop"}
        return trees | {n: tree_of(one.profile.kind) for one in self.columns if (n := one.profile.name) in asked}


@dataclass(frozen=True)
class KeyOption(RedactedRepr):
    """Key that may identify the persons."""

    unit: str
    """Value of the setting `unit`."""
    persons: int
    """Number of distinct ids in all tables."""
    tables: tuple[str, ...]
    """Tables that contain the key."""

    @property
    def description(self) -> str:
        """Meaning of the key as a person, as text."""
        more = [f"{hidden:,} more"] if (hidden := len(self.tables) - _MOST_NAMED) > 0 else []
        names = ", ".join([*self.tables[:_MOST_NAMED], *more])
        return f"{counted(self.persons, 'person')}; in {counted(len(self.tables), 'table')}: {names}"


@dataclass(frozen=True)
class LinkedFindings(RedactedRepr):
    """Tables of a folder that share a key, with proposed roles. They contain no value of the data."""

    source: str
    tables: tuple[TableFindings, ...]
    """Linked tables, first the table of persons. Empty if no tables share a key."""
    left_out: Mapping[str, str]
    """Files that no table of the proposal reads, with the reason."""
    keys: tuple[KeyOption, ...]
    """Keys that may identify the persons, most likely first. The proposal is for the first."""
    is_declared: bool
    """Whether the owner declared the key."""
    k: int
    m: int
    settings: Job
    """Settings of all tables together."""
    checks: tuple[Problem, ...] = field(repr=False)
    """What the owner should check first, with the settings that remedy it."""
    without_items: tuple[TableFindings, ...] = ()
    """Left out tables that share a key with the tables of the proposal. The owner can publish a column of them."""
    joined: Findings | None = None
    """Findings about the records of the persons, if a job file that can run joins the tables."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What the owner should check first, as text."""
        return tuple(map(str, self.checks))

    @property
    def persons(self) -> int | None:
        """Number of persons that a run publishes if the key of the proposal identifies them. None without a key."""
        described = next((table.ids for table in self.tables if table.describes), None)
        is_part = described is not None and "undescribed" in self.settings.get("skip_rows", ())
        return described if is_part else next((key.persons for key in self.keys), None)

    @property
    def can_run(self) -> bool:
        """True if the proposal contains items, or columns that may be the items."""
        return any(table.named("items") or table.item_answers for table in self.tables)

    def question(self) -> list[str]:
        """Return a job file line for each key that may identify the persons."""
        return [f"{unit_line(key.unit)} # {key.description}" for key in self.keys]

    def _settings_of(self, one: TableFindings, folder: Path) -> Job:
        """Return the settings of a table in a job file in `folder`."""
        place = one.parent if one.parent_key == one.key else column_of(one.parent, one.parent_key)
        settings = {
            "input": relative_to(folder, one.input),
            "key": one.key if one.parent or one.key != self.keys[0].unit else "",
            "in": place if one.parent else "",
            "items": next(iter(one.named("items")), OPEN if one.item_answers else ""),
            "relational": one.named("relational"),
            "numeric": numeric_columns(one.hierarchies) if one.describes else [],
            "drop": one.named("drop") if one.describes else [],
        }
        return Job({**Job().with_(**settings), **one.options})

    def job_text(self, folder: str | Path = ".") -> str:
        """Return the text of a job file in `folder` with these tables. Paths are relative to `folder`.

        Raises
        ------
        InputError
            If no table has items.
        """
        if not self.can_run:
            raise InputError("no linked table has a column that is recognized as items")
        unit, declared, own = self.keys[0].unit, self.is_declared, [(one, one.hierarchies) for one in self.tables]
        trees = {"hierarchy": {column_of(one.name, name): spec for one, specs in own for name, spec in specs.items()}}
        relational = [column for one in self.tables for column in one.named("relational")]
        tables = {table_header(one.name): self._settings_of(one, Path(folder)) for one in self.tables}
        reasons = {
            table_header(one.name): [f"{column.profile.name}: {column.reason}" for column in one.columns]
            for one in self.tables
        }
        reasons |= {
            f"{table_header(one.name)}.items": [ITEMS_ASKED, *lines] for one in self.tables if (lines := one.question())
        }
        left_out = [f"left out: {files}: {why}" for why, files in files_by_reason(self.left_out).items()]
        of_unit = "-".join(["", *re.findall(r"\w+", unit)]) if declared else ""  # each key has its own publication
        return job_text(
            None,
            f"{Path(self.source).stem or 'tables'}{of_unit}-safe",
            {"unit": unit, **self.settings, **tables, **trees} if declared else {**self.settings, **tables},
            guarantee_for(Job({"items": ["items"], "relational": relational}), self.k, self.m, tuples=0),
            reasons,
            [*self.problems, *left_out],
            question=[] if declared else self.question(),
            answers={} if declared else {unit: answer_text(unit, trees, {}, {})},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON data, as ``anonset inspect --json`` prints them.

        Texts spell remedies as Python arguments, not as flags.
        """
        data: dict[str, Any] = resolve_name("anonset.report.linked_findings:linked_summary")(self)
        return data

    def __str__(self) -> str:
        text: str = resolve_name("anonset.report.linked_findings:text_of_linked")(self)
        return text

    def _repr_html_(self) -> str:
        rows = [
            (one.name, column.profile.name, column.profile.kind, column.role, column.reason)
            for one in self.tables
            for column in one.columns
        ]
        return "".join(
            [
                html_table(("table", "column", "kind", "role", "because"), rows),
                html_table(
                    ("left out", "because"), [(files, why) for why, files in files_by_reason(self.left_out).items()]
                ),
                html_table(("who is a person?",), [] if self.is_declared else [(line,) for line in self.question()]),
                html_table(("problems",), [(f"{len(self.problems)}, listed in .problems",)] if self.problems else []),
            ]
        )


def files_by_reason(left_out: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the first left out files, and the number of others, for each reason.

    >>> files_by_reason({"data/a.csv": "empty", "b.txt": "not a table", "c.csv": "empty"})
    {'empty': 'a.csv and c.csv', 'not a table': 'b.txt'}
    """
    files = dict[str, list[str]]()
    for file, why in left_out.items():
        files.setdefault(why, []).append(Path(file).name)
    return {why: listed(names, most=_MOST_NAMED) for why, names in files.items()}
