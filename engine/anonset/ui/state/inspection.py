"""Findings about the data of the job, and the warnings that the owner has checked."""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from anonset.columns.headers import is_sensitive
from anonset.columns.roles import CODE_LEVELS, GIVEN, SETS
from anonset.errors import Fix, InputError, Problem
from anonset.privacy.model import PrivacyModel
from anonset.reading.linked import column_of
from anonset.report.doubts import unknown_persons, unprotected_items, unprotected_sensitive, weak_guarantee
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.job_changes import changed_job, checks_in, completing, with_check
from anonset.settings.job_files import read_job
from anonset.settings.job_text import CHECK, CHECKED
from anonset.spelling import arguments_of, listed
from anonset.ui.state.command_runs import Commands
from anonset.ui.state.folder import JOB
from anonset.ui.state.open_job import OpenJob
from anonset.ui.state.setting_words import CHOOSE

_KEPT = ("k", "m", "out")
"""Settings of a job that do not depend on who is a person."""


class Inspection(Commands):
    """Runs of ``anonset inspect`` about a job or a data set, and their findings.

    Parameters
    ----------
    data
        Data set or job file that the page has opened, or None.
    """

    def __init__(self, state: OpenJob, data: Path | None = None) -> None:
        super().__init__(state.folder)
        self.data = data
        self.findings: Mapping[str, Any] | None = None
        """Output of the command about a single table."""
        self.linked: Mapping[str, Any] | None = None
        """Output of the command about linked tables."""
        self.proposed: dict[str, str] = {}
        """Reason for the role of each column that the first run proposes."""
        self.comments: dict[str, str] = {}
        """Comment of a job file about each warning."""
        self.assumed: Mapping[str, Problem] = {}
        """Warnings about settings that the first run wrote to the job file, by their text. Later runs take these
        settings for the owner's.
        """
        self.answers: list[Mapping[str, Any]] = []
        """Possible units that count as a person, with the number of persons for each unit."""
        self.others: list[str] = []
        """Less likely units."""
        self.fixes: Sequence[Fix] = ()
        """Settings that the error of the last run recommends."""
        self.failure = ""
        """Message of a run without findings."""
        self.asked_unit = ""
        """Declared person for whom the data cannot be read yet. Empty if there is none."""
        self._state = state

    @property
    def exposed(self) -> Mapping[str, Any] | None:
        """Findings with the risk of the records. None if the job cannot read them."""
        return self.findings if self.linked is None else self.linked["joined"]

    @property
    def warnings(self) -> dict[str, Problem]:
        """All warnings about the data and the roles, by their text. If the job contains a remedy, the warning is
        settled, unless the first run assumed the remedy for a column that the job publishes.
        """
        job, errors = self._state.stated, self.errors
        doubts = () if errors else self.doubts()
        found = {
            **self.assumed,
            **_problems_in(self.findings or self.linked),
            **{one.sentence: one for one in doubts},
        }
        return {
            text: problem
            for text, problem in found.items()
            if (problem.assumed and not self._is_about(problem, job.names("drop")))
            or text in errors
            or not any(contains(job, fix) for fix in problem.fixes)
        }

    def _is_about(self, problem: Problem, names: Sequence[str]) -> bool:
        """Return True if a problem names columns, all of which are among the given ones."""
        named = {column["name"] for column in self.columns if repr(column["name"]) in problem.sentence}
        return bool(named) and named <= {*names}

    def doubts(self, model: PrivacyModel | None = None) -> Iterator[Problem]:
        """Yield the doubts of the report that are known before the publication, in its order: those about the roles,
        which have a remedy, and those about the model of the job, if it is given.
        """
        job, found = self._state.stated, self.findings or self.linked or {}
        yield from map(Problem, unknown_persons(self._state.unit) if model else ())
        yield from unprotected_sensitive(job.names("relational", "keep"))
        if model is not None:
            records = self.exposed or {"records": found.get("persons"), "items_per_person": ()}
            typical = next(iter(records["items_per_person"]), 0)
            yield from map(Problem, weak_guarantee(model, records["records"], typical))
        linked = [one for of in (self.linked or {"tables": ()})["tables"] for one in _columns_of(of)]
        kinds = {one["name"]: one.get("items") or one["kind"] for one in (*self.columns, *linked)}
        known = {name: f"look like {kind}" for name, kind in kinds.items() if kind in CODE_LEVELS}
        known |= found.get("sensitive_items", {})
        wide, secrets = job.names(*SETS[1:]), job.names("sensitive_items")
        named = [name for name in wide if is_sensitive(name) and name not in secrets]
        seem = f"seem sensitive ({listed([repr(one) for one in named], 'and')})" if named else ""
        items = {name: known.get(name, "") for name in job.names(SETS[0])}
        items |= {"items": seem or next((known[name] for name in wide if name in known), "")} if wide else {}
        for problem in unprotected_items(items, () if named else secrets):
            secret = named if seem and seem in problem.sentence else CHOOSE
            yield replace(problem, fixes=[Fix({"sensitive_items": secret})])

    @property
    def columns(self) -> Sequence[Mapping[str, Any]]:
        """Columns of a single table."""
        return self.findings["columns"] if self.findings is not None else ()

    @property
    def errors(self) -> list[str]:
        """Messages because of which the job cannot run: the problem with which no record can be read, or the message of
        a failed run, then the other problems whose remedies the job does not contain.
        """
        found = self.findings
        unread = self.failure if found is None else found["obstacle"]
        stops = {text: one.fixes for text, one in _problems_in(found or self.linked).items() if one.stops}
        try:
            job = self._state.stated
        except InputError:  # the page shows this error
            job = Job()
        open_ = [text for text, fixes in stops.items() if not any(contains(job, fix) for fix in fixes)]
        return [*dict.fromkeys(filter(None, (unread, *open_)))]

    @property
    def error(self) -> str:
        """First of the errors. Empty if there is none."""
        return next(iter(self.errors), "")

    @property
    def unchecked(self) -> list[str]:
        """Warnings that apply and that the owner has not checked. An error is not a warning."""
        job = self._state.file
        known = [*self.errors, *([] if job is None else checks_in(job.read_text(encoding="utf-8"), CHECKED))]
        return [one for one in self.warnings if not {one, self.comments.get(one, one)}.intersection(known)]

    @property
    def checked(self) -> list[str]:
        """Sentences of the warnings that the owner has checked."""
        open_ = (*self.unchecked, *self.errors)
        return [problem.sentence for text, problem in self.warnings.items() if text not in open_]

    def check(self, *warnings: str, checked: bool = True) -> None:
        """Store in the job file whether the owner has checked warnings."""
        self._state.require_not_publishing()
        self._write_checks(dict.fromkeys(warnings, CHECKED if checked else CHECK))

    def settle(self, chosen: Sequence[Fix]) -> None:
        """Forget the warnings that one of the fixes remedies, because the owner has chosen."""
        known = [fix.settings for fix in chosen]
        self.assumed = {
            text: one for text, one in self.assumed.items() if not any(fix.settings in known for fix in one.fixes)
        }

    def propose(self, data: Path, *options: str) -> None:
        """Write a job file for a data set, with settings that options state."""
        self.failure, self.assumed = "", {}
        self.start(partial(self._inspect, self.folder.relative(data), "--out", self._state.name, *options))

    def propose_unit(self, unit: str, edits: Job | None = None) -> None:
        """Replace the job file by the proposal for another person, with edits without which it cannot be made."""
        self.proposed, self.asked_unit = {}, unit
        self.start(partial(self._propose_unit, unit, edits or Job()))

    def repeat(self) -> None:
        """Inspect the data with the job file, and add missing settings to the job file."""
        state, self.asked_unit = self._state, ""
        if state.tables:
            self.start(partial(self._inspect_tables, state.unit if state.answered else "", Job()))
        else:
            self.start(partial(self._inspect_job, is_first=self._task is None))

    async def _inspect(self, *arguments: str) -> None:
        """Run the command, and store its findings."""
        run = await self.execute("inspect", *arguments, "--json")
        self.failure = run.errors[0] if run.errors else ""  # then follow commands for a terminal
        self.fixes = run.fixes
        if (found := run.result) is None:
            return
        question = found["question"] or {}
        self.answers = question.get("answers") or self.answers
        self.comments |= {one["text"]: one["comment"] for one in found["problems"]}
        if "tables" in found:
            self.linked = found
            return
        self.findings = found
        self.assumed = {**self.assumed, **{text: one for text, one in _problems_in(found).items() if one.assumed}}
        self.others = question.get("others") or self.others
        self.proposed = self.proposed or {
            column["name"]: column["why"] for column in found["columns"] if column["reason"] != GIVEN
        }

    async def _inspect_job(self, *, is_first: bool) -> None:
        state = self._state
        with tempfile.TemporaryDirectory(prefix="anonset-ui-") as place:
            proposal = Path(place) / "proposal.toml"
            await self._inspect(state.name, "--out", str(proposal))
            if proposal.exists():
                if not state.publishing and state.answered:
                    completed = completing(state.stated, read_job(str(proposal), unanswered=True))
                    state.write(state.stated.changes(completed))
                self._follow_checks(is_first=is_first)

    async def _inspect_tables(self, unit: str, edits: Job, *options: str) -> None:
        """Inspect linked tables: all files of the opened folder, or the tables of the job."""
        state = self._state
        source = state.name if self.data is None or not self.data.is_dir() else self.folder.relative(self.data)
        declared = edited(Job().with_(skip_rows=state.stated.settings.get("skip_rows"), unit=unit), edits)
        await self._inspect(source, *arguments_of(declared.settings), *options)
        if source != state.name and not options:
            await self._inspect_joined()

    async def _inspect_joined(self) -> None:
        """Inspect the records of the job file, because a folder, or a job before its replacement, has other roles."""
        if self.linked is not None and self._state.answered:
            run = await self.execute("inspect", self._state.name, "--json")
            self.linked = {**self.linked, "joined": (run.result or {}).get("joined")}

    async def _propose_unit(self, unit: str, edits: Job) -> None:
        """Replace the job file. Keep the sizes of the promise and the name of the publication."""
        job = self._state.file
        if job is None:
            return
        proposal = job.with_name(f".{token_urlsafe(12)}{JOB}")  # paths in it are relative to this folder
        kept = self._state.raw.only(_KEPT)
        try:
            await self._inspect_tables(unit, edits, "--out", str(proposal))
            if proposal.exists():
                self.asked_unit = ""
                self._state.require_not_publishing()
                self._state.store(changed_job(proposal.read_text(encoding="utf-8"), kept))
                await self._inspect_joined()
        finally:
            proposal.unlink(missing_ok=True)

    def _follow_checks(self, *, is_first: bool) -> None:
        """Show the warnings of an earlier time that nobody has checked. Later, remove the comments about warnings that
        no longer apply.
        """
        job = self._state.file
        if is_first and job is not None:
            text, known = job.read_text(encoding="utf-8"), {*self.comments.values(), *self.warnings}
            named = [one for mark in (CHECK, CHECKED) for one in checks_in(text, mark) if one not in known]
            self.assumed = {**self.assumed, **{one: Problem(one, assumed=True) for one in named}}
        else:
            self._write_checks(dict.fromkeys(self.comments.keys() - self.warnings.keys(), ""))

    def _write_checks(self, marks: Mapping[str, str]) -> None:
        """Write the comments about warnings to the job file, or remove those without a mark."""
        job = self._state.file
        if job is None or self._state.publishing:
            return
        text = before = job.read_text(encoding="utf-8")
        for warning, mark in marks.items():
            text = with_check(text, self.comments.get(warning, warning), mark)
        if text != before:
            self._state.store(text)


def _columns_of(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the columns of an inspected linked table, with the name of the table."""
    return [{**one, "name": column_of(table["name"], one["name"])} for one in table["columns"]]


def without_numbers(sentence: str) -> str:
    """Return a sentence for a comparison with the same one about other records.

    >>> without_numbers("67 rows without an id.") == without_numbers("1,067 rows without an id")
    True
    """
    return re.sub(r"\d[\d,.]*", "#", sentence).removesuffix(".").casefold()


def _problems_in(found: Mapping[str, Any] | None) -> dict[str, Problem]:
    """Return the problems of findings by their text."""
    return {
        one["text"]: Problem(one["sentence"], [Fix(**fix) for fix in one["fixes"]], one["assumed"], one["stops"])
        for one in (found or {"problems": ()})["problems"]
    }


def contains(job: Job, fix: Fix) -> bool:
    """Return True if a job contains the settings of a fix."""
    return bool(fix.settings) and edited(job, Job(fix.settings)) == job
