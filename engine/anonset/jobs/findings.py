"""Findings of `inspect` before anonymization, such as columns, proposed roles, and uniqueness."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from anonset.columns.profiles import Profile
from anonset.columns.roles import ROLES, SETS, ProposedRole, tree_of
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table_facts import UnitKind
from anonset.errors import Fix, InputError, Problem
from anonset.measures.risks.known_items import KnownItems
from anonset.measures.shares import Share
from anonset.reading.file_options import NONE, OPEN, ROW, UNKNOWN, Unit
from anonset.reading.roles import expanded
from anonset.release.tables import html_table
from anonset.settings.binding import HierarchySpec
from anonset.settings.edits import answer_in, edited
from anonset.settings.job import Job
from anonset.settings.job_text import answer_text, job_text, relative_to, toml_of, unit_line
from anonset.settings.model_choices import guarantee_for
from anonset.settings.paths import with_path
from anonset.spelling import counted, setting


@dataclass(frozen=True)
class ColumnFindings(RedactedRepr):
    """Column with the given or proposed role."""

    profile: Profile
    """Column statistics."""
    proposed: ProposedRole
    """Role, with its reason in a few words. In a linked table, the role may also be ``key``."""

    @property
    def role(self) -> str:
        """Role, named as a setting."""
        return self.proposed.role

    @property
    def hierarchy(self) -> str | None:
        """Possible hierarchy specification."""
        return self.proposed.hierarchy

    @property
    def reason(self) -> str:
        """Reason for the role, followed by the settings that give the column another role."""
        return str(Problem(self.proposed.reason, self.proposed.fixes))


@dataclass(frozen=True)
class ClassFindings(RedactedRepr):
    """Equivalence classes of the records by their quasi-identifiers."""

    columns: tuple[str, ...]
    """Quasi-identifiers."""
    classes: int
    """Number of distinct value combinations."""
    smallest: int
    """Number of records in the smallest equivalence class."""
    unique: Share
    """Share of records in classes of size 1."""
    below_k: Share
    """Share of records in classes smaller than k."""


@dataclass(frozen=True)
class UnitOption(RedactedRepr):
    """Possible unit of privacy, with the settings that follow from it."""

    unit: Unit
    """Columns that identify the person, ``row`` or ``unknown``."""
    persons: int | None
    """Number of persons under this unit. None if the data do not say who is a person."""
    unique: Share | None
    """Share of records that are unique by their quasi-identifiers under this unit. None without quasi-identifiers."""
    settings: Job
    """Settings with which a job runs for this unit."""
    combinations: int
    """Number of distinct quasi-identifier combinations."""
    skipped: int
    """Number of rows that are skipped, because they have no value in the columns of the unit."""
    reasons: Mapping[str, list[str]]
    """Columns and the reasons of their roles, by role."""
    doubt: str = ""
    """Facts which show that a person may be counted several times, or that several may count as one. Empty if none."""
    problem: str = ""
    """Reason why a job cannot run for this unit unless the owner names other columns. Empty if it can run."""
    differing: tuple[str, ...] = ()
    """Columns that are dropped because their values differ between rows of a person."""
    item_answers: tuple[Fix, ...] = field(default=(), repr=False)
    """Possible answers to the question which columns contain the items (see `Findings`)."""


ITEMS_ASKED = 'What are the items? Replace items = "?" by one of these lines; until then, the job does not run.'
_OTHER_ITEMS = f"Other columns, or several: inspect again with {setting('items', 'COLUMN,COLUMN')}."
_OTHERS = "Another column or several columns may identify the person: inspect again with"


@dataclass(frozen=True)
class Question(RedactedRepr):
    """Open question about the columns that identify a person. The owner must answer it, because the data do not show
    the answer.
    """

    rows: int
    """Number of rows."""
    answers: tuple[UnitOption, ...]
    """Possible answers, most likely first."""
    others: tuple[tuple[str, ...], ...] = ()
    """Further columns that may identify the person, without settings."""

    def lines(self) -> list[str]:
        """Return one job file line per answer, with the number of persons, and a line with the other columns."""
        lines = [f"{unit_line(answer.unit)} # {self.describe(answer)}" for answer in self.answers]
        others = f"{_OTHERS} {setting('unit', 'COLUMN')} or {setting('unit', 'COLUMN,COLUMN')}"
        named = ", ".join(setting("unit", ",".join(columns)) for columns in self.others)
        return [*lines, f"{others}; less likely: {named}" if named else f"{others}."]

    def describe(self, answer: UnitOption) -> str:
        """Return the meaning of an answer as text."""
        lacking = "; other column roles are needed" if answer.problem and not answer.skipped else ""
        if answer.persons is None:
            return f"the data do not say who is a person; a person with several rows is not protected as one{lacking}"
        unit = "each row is a different person: " if answer.unit == (ROW,) else ""
        lost = "would be lost; fill in their ids in the file" if answer.problem else "skipped"
        skipped = f"; {counted(answer.skipped, 'row')} without an id {lost}" if answer.skipped else ""
        doubt = f", {answer.doubt}" if answer.doubt else ""
        return f"{unit}{counted(self.rows, 'row')}, {counted(answer.persons, 'person')}{doubt}{skipped}{lacking}"

    @property
    def able(self) -> list[UnitOption]:
        """Answers for which a job can run."""
        return [answer for answer in self.answers if not answer.problem]

    @property
    def first(self) -> UnitOption:
        """First answer for which a job can run."""
        return next(iter(self.able), self.answers[0])


@dataclass(frozen=True)
class Findings(RedactedRepr):
    """Findings about the content and risks of data before anonymization. They contain no value of the data."""

    source: str
    """Name of the source."""
    columns: tuple[ColumnFindings, ...]
    """Columns in data order."""
    rows: int
    """Number of rows."""
    records: int
    """Number of records. With grouping, the rows of a person form one record."""
    persons: int | None
    """Number of persons. None if the owner has not declared who is a person, or the data do not say."""
    unit: UnitKind
    """Declared unit of privacy. Empty if it is not declared."""
    k: int
    """Equivalence classes and groups below this size count as small."""
    m: int
    """Number of known items that the guarantee should cover."""
    quasi_identifiers: ClassFindings | None
    """Equivalence classes by quasi-identifiers."""
    known_items: tuple[KnownItems, ...]
    """Sizes of the groups of records that share 1, …, m + 1 known items."""
    items_per_person: tuple[int, ...]
    """Median and 95th percentile of the items of a record (`typical_sizes`). Empty without items."""
    sensitive_items: Mapping[str, str]
    """What the items are by column, for items that may be sensitive (`sensitive_items`)."""
    checks: tuple[Problem, ...] = field(repr=False)
    """Errors that would stop a run, and warnings, with the settings that remedy them."""
    memory: int | None
    """Estimated memory of a run, in bytes."""
    settings: Job
    """Settings with which a job runs. If there is a question, they apply to its first answer."""
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    """Given hierarchies, also those of columns that may contain the items."""
    given: Job = field(default_factory=Job)
    """Column roles and reading options that the owner stated."""
    recognised: Job = field(default_factory=Job)
    """Those reading options among the settings that were not declared, and without which the data cannot be read."""
    question: Question | None = None
    """Open question about the columns that identify a person. None if the owner declared them, or if the data consist
    of one set-valued column.
    """
    possible_items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Dropped columns that may contain items, by the setting that publishes them."""
    possible_roles: Mapping[str, list[str]] = field(default_factory=dict)
    """Settings that publish columns chosen by their values only. Empty if a column is recognized."""
    joint: tuple[Share, Share] | None = field(default=None, repr=False)
    """Shares of records that are unique, and in groups of fewer than k, if an attacker knows all quasi-identifiers and
    the `m` most identifying items. None without quasi-identifiers or items.
    """
    complete: tuple[Share, Share] | None = field(default=None, repr=False)
    """The same shares if an attacker knows all quasi-identifiers and all items of a person. None without items."""
    obstacle: Problem | None = field(default=None, repr=False)
    """Element of `checks` with which no record can be read, or None if records can be read."""
    item_answers: tuple[Fix, ...] = field(default=(), repr=False)
    """Possible answers to the question which columns contain the items, first the proposed columns. Empty if no
    question is open. With an open question about persons, its answers have their own.
    """
    rejected: bool = False
    """True if one of the problems would stop a run."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Errors that would stop a run, and warnings, as text."""
        return tuple(map(str, self.checks))

    @property
    def ways_to_read(self) -> list[Fix]:
        """Fixes of the obstacle, without those that give a column a role if there are others, and paths into nested
        columns that may be the items.
        """
        fixes = [] if self.obstacle is None else self.obstacle.fixes
        nested = [column.profile.fixes for column in self.columns if column.profile.kind == "nested values"]
        stated = [fix for fix in fixes if fix.settings]
        plain = [fix for fix in stated if {*ROLES}.isdisjoint(fix.settings)]
        return [*(plain or stated), *(fix for own in nested for fix in own)]

    def job_text(self, folder: str | Path = ".") -> str:
        """Return the text of a job file in `folder` for the inspected files. Paths are relative to `folder`.

        Raises
        ------
        InputError
            If a problem prevents the job, or the data or a hierarchy are objects of Python.
        """
        if self.obstacle is not None:
            raise InputError(self.obstacle.sentence)
        if self.memory is None:
            raise InputError(f"{self.source}: the data are not in files, so no job file can name them")
        folder, common, answers = Path(folder), self.settings, dict[str, str]()
        if self.question is None:
            tuples = 0 if self.quasi_identifiers is None else self.quasi_identifiers.classes
            roles = reasons_of_roles(self.columns)
            part = self._part(common, self.item_answers, tuples, roles, _SETTING_COMMENTS, folder)
        else:
            own = [answer for answer in self.question.able if answer.unit != (UNKNOWN,)]
            alike = [n for n, v in common.items() if all(one.settings.get(n) == v for one in own)]
            common = common.only(alike).without(*({*_OF_ANSWERS} - {*self.given.without(*ROLES, "numeric")}))
            given = self._given_roles()
            reasons = reasons_of_roles(column for column in self.columns if column.proposed.is_given)
            part = Job({**given, **common}), {}, {**reasons, **_SETTING_COMMENTS}, {}
            notes = {"differing": _SETTING_COMMENTS["differing"]}
            for one in own:
                base, must, comments, edits = self._part(
                    one.settings, one.item_answers, one.combinations, one.reasons, notes, folder
                )
                lists = given.without("sensitive")
                left = {n: [one for one in base.names(n) if one not in columns] for n, columns in lists.items()}
                own_settings = base.with_(**left).without("unit", *common, *given.only(["sensitive"]))
                answers[str(one.unit)] = answer_text(str(one.unit), own_settings, must, comments, edits)
        settings, guarantee, reasons, items = part
        input_, source = relative_to(folder, self.source), Path(self.source).absolute()
        out = f"{source.name.partition('.')[0]}-safe"
        if folder.absolute().is_relative_to(source):  # the next run would read the publication as data
            out = Path(os.path.relpath(source.parent / out, folder)).as_posix()
        question = [] if self.question is None else self.question.lines()
        return job_text(input_, out, settings, guarantee, reasons, self._unasked(), question, answers, items)

    def _given_roles(self) -> Job:
        """Return the given roles of columns. They apply to each answer to the question who is a person."""
        names = [column.profile.name for column in self.columns]
        lists = [role for role in ROLES if role not in ("unit", "sensitive")]
        of_role = {n: [*expanded(names, self.given.names(n, header=names))] for n in lists}
        return Job().with_(**of_role, sensitive=self.given.text("sensitive"))

    def _unasked(self) -> list[str]:
        """Return the problems whose remedies are not all answers to the question which columns contain the items."""
        units = () if self.question is None else self.question.able
        answers = [*self.item_answers, *(fix for unit in units for fix in unit.item_answers)]
        asked = [Job(fix.settings).only(SETS).settings for fix in answers]
        return [
            str(one)
            for one in self.checks
            if not one.fixes or any(Job(fix.settings).only(SETS).settings not in asked for fix in one.fixes)
        ]

    def _part(
        self,
        settings: Job,
        answers: Sequence[Fix],
        tuples: int,
        reasons: Mapping[str, list[str]],
        notes: Mapping[str, list[str]],
        folder: Path,
    ) -> tuple[Job, dict[str, str | int], dict[str, list[str]], dict[str, Job]]:
        """Return the settings of a job or of an answer, its guarantee, the comments above settings, and the edits of
        the settings for each answer if the items are open.
        """
        base, edits = self._open_items(settings, answers, tuples)
        must = {} if edits else guarantee_for(settings, self.k, self.m, tuples=tuples)
        comments = {**_with_way_to_publish(reasons), **notes, **_items_comments(answers, edits)}
        return _placed(base, folder), must, comments, {answer: _placed(own, folder) for answer, own in edits.items()}

    def _open_items(self, settings: Job, answers: Sequence[Fix], tuples: int) -> tuple[Job, dict[str, Job]]:
        """Return settings in which the items are open, and their edits for each answer. Without answers, the settings
        are returned unchanged, with no edits.
        """
        if not answers:
            return settings, {}
        kinds = {column.profile.name: column.profile.kind for column in self.columns}
        named = {role: list(expanded([*kinds], settings.names(role))) for role in SETS if settings.get(role)}
        settings, trees = settings.with_(**named), {**self.hierarchies, **settings.entries("hierarchy")}
        sets, names = settings.only(_OF_ITEMS), [name for columns in named.values() for name in columns]
        base = edited(settings, Job({"drop": names})).without(*_OF_ITEMS) if names else settings
        edits = dict[str, Job]()
        for answer in answers:
            role, columns = next(iter(answer.settings)), Job(answer.settings).names(*SETS)
            own = columns if role == "items" else ["items"]
            specs = {name: trees.get(name) or tree_of(kinds.get(name, "")) for name in own}
            own_sets = sets if {*sets.names(role)} & {*columns} else Job()
            secret = [name for name in base.names("sensitive") if name not in columns]
            stated = Job({**own_sets, **answer.settings, **Job().with_(drop=secret), "hierarchy": specs})
            edits[",".join(answer_in("items", Job(answer.settings)))] = stated
        if base.names("relational") or base.names("sensitive"):
            edits[NONE] = Job()
        for key, own_edits in edits.items():
            must = guarantee_for(edited(base, own_edits), self.k, self.m, tuples=tuples)
            edits[key] = Job({**own_edits.without("hierarchy"), **must, **own_edits.only(("hierarchy",))})
        return Job({"items": OPEN, **base}), edits

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as JSON data, as ``anonset inspect --json`` prints them.

        Texts spell remedies as Python arguments, not as flags.
        """
        data: dict[str, Any] = resolve_name("anonset.report.findings:findings_summary")(self)
        return data

    def __str__(self) -> str:
        text: str = resolve_name("anonset.report.findings:text_of_findings")(self)
        return text

    def _repr_html_(self) -> str:
        rows = [(c.profile.name, c.profile.kind, f"{c.profile.distinct:,}", c.role, c.reason) for c in self.columns]
        return "".join(
            [
                html_table(("column", "kind", "distinct", "role", "because"), rows),
                html_table(*risk_table(self)),
                html_table(
                    ("who is a person?",), [] if self.question is None else [(x,) for x in self.question.lines()]
                ),
                html_table(("problems",), [(f"{len(self.problems)}, listed in .problems",)] if self.problems else []),
            ]
        )


def reasons_of_roles(columns: Iterable[ColumnFindings]) -> dict[str, list[str]]:
    """Return the columns of each role with the reasons of their roles."""
    reasons: dict[str, list[str]] = {}
    for column in columns:
        reasons.setdefault(column.role, []).append(f"{column.profile.name}: {column.reason}")
    return reasons


def _items_comments(answers: Sequence[Fix], edits: Mapping[str, Job]) -> dict[str, list[str]]:
    """Return the comments above the open items of a job: the possible lines. Empty if the items are not open."""
    effects = [*(answer.effect for answer in answers), "no column contains items"]
    lines = [f"items = {toml_of(key)} # {effect}" for key, effect in zip(edits, effects, strict=False)]
    return {"items": [ITEMS_ASKED, *lines, _OTHER_ITEMS]} if edits else {}


def _placed(settings: Job, folder: Path) -> Job:
    """Return settings in which the hierarchies have paths relative to a folder. Reject objects of Python, which a job
    file cannot name.
    """
    specs: Mapping[str, HierarchySpec] = settings.get("hierarchy", {})
    placed = dict[str, str]()
    for name, spec in specs.items():
        if not isinstance(spec, (str, os.PathLike)):
            raise InputError(f"{setting('hierarchy')}: {name!r}: a job file names files and rules; pass one of them")
        placed[name] = with_path(os.fspath(spec), lambda path: relative_to(folder, path))
    return Job({**settings, "hierarchy": placed}) if "hierarchy" in settings else settings


def _with_way_to_publish(reasons: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Add a line that explains how to publish dropped columns."""
    way = "not published; to publish a column, move its name to relational, or to sensitive"
    return {**reasons, **({"drop": [way, *reasons["drop"]]} if "drop" in reasons else {})}


_OF_ITEMS = (*SETS, "present", "with_header", "separator")
"""Settings that state which columns contain the items."""
_OF_ANSWERS = (
    "items", "one_hot", "present", "one_code", "with_header", "relational", "sensitive", "id", "keep", "drop",
    "numeric", "unit", "differing", "separator", "skip_rows", "hierarchy", "publish_as_is",
)  # fmt: skip
"""Settings that the job file repeats for each possible answer to `unit = "?"`, even if all answers have the same value.
"""


_SETTING_COMMENTS: dict[str, list[str]] = {
    "numeric": ["quasi-identifiers that contain numbers"],
    "present": ["value that marks an item; filled: any cell that is not empty, the item is then its only label"],
    "with_header": ["items are header=value, because the same value means something else in another column"],
    "null": ['texts that probably mean "no value"; remove texts that are real values'],
    "decimal": ["the decimal sign of the numbers"],
    "missing": ["treatment of null"],
    "normalize": ["rules applied to codes in this order, so that they match the hierarchy"],
    "inner_items": ["codes that are inner nodes of the hierarchy: a leaf for the code is added below the node"],
    "unknown": ["treatment of codes that the hierarchy does not contain; better: add them to the hierarchy"],
    "unit": ["who is a person: rows with the same value of the columns are one record; row, unknown: each row is one"],
    "differing": ["if the rows of a person differ in a column without items, the value of the first row is published"],
    "hierarchy": [
        "Generalization of each column. To group items by meaning, use a file with a line item,parent,...,root per",
        "item. halves:frequency groups items of similar frequency; the attestation states that the tree was made from",
        "the data. Others: balanced:5 prefix:1,3 mask:3,1 bins:0,18,65 range",
    ],
}
"""Comments above settings in a job file."""


def further_roles(
    possible_items: Mapping[str, Sequence[str]], possible_roles: Mapping[str, Sequence[str]]
) -> tuple[list[dict[str, list[str]]], str]:
    """Return alternative settings that publish unrecognized columns, and the condition under which to use them.

    >>> further_roles({"items": ("codes", "drugs")}, {})
    ([{'items': ['codes']}, {'items': ['drugs']}], '')
    """
    if possible_roles:
        of_columns = possible_roles.keys() - {"differing"}
        condition = (
            ", if these columns may be published" if of_columns else ", to use the values of each person's first row"
        )
        return [{name: list(values) for name, values in possible_roles.items()}], condition
    sets = [{"items": [name]} for name in possible_items.get("items", ())]
    return sets + [{name: list(columns)} for name, columns in possible_items.items() if name == "one_hot"], ""


def risk_table(findings: Findings) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return a table with the share of re-identifiable records. It consists of headings, and a row of text for each
    attacker knowledge.
    """
    head = ("attacker knows", "unique, worst case", f"fewer than {findings.k} matches", "unique, on average")
    rows: list[tuple[str, ...]] = []
    if (classes := findings.quasi_identifiers) is not None:
        knowledge = "all quasi-identifiers" if len(classes.columns) > 1 else "the quasi-identifier"
        rows.append((knowledge, str(classes.unique), str(classes.below_k), str(classes.unique)))
    for known in findings.known_items:
        knowledge = f"{known.size} item{'s' if known.size > 1 else ''}"
        rows.append((knowledge, str(known.worst(2)), str(known.worst(findings.k)), str(known.average_unique)))
    return head, rows
