"""State of the page, which all browser tabs share: the job file, the last findings and the running commands."""

import asyncio
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from anonset.data.hierarchies.hierarchy_rules import RANGE
from anonset.errors import AnonsetError, Fix, InputError, Problem, plain_text
from anonset.jobs.frequent_values import first_rows
from anonset.privacy.model import PrivacyModel
from anonset.reading.file_options import NONE, OPEN, Unit
from anonset.reading.linked import LinkedTables, without_open
from anonset.reading.sources.place import Place
from anonset.settings.edits import QUESTIONS, edited, make_settings
from anonset.settings.job import Job
from anonset.settings.job_changes import changed_job, reasons_in
from anonset.settings.job_files import item_fixes, read_job
from anonset.settings.model_choices import (
    candidate_of,
    fitting_model,
    item_trees,
    model_of,
    with_candidate,
    with_model,
    with_sensitive_items,
)
from anonset.settings.settings import Settings
from anonset.spelling import StatedSettings, arguments_of, as_typed, spelled_by
from anonset.ui.state.column_choice import ColumnChoice
from anonset.ui.state.examination import Examination
from anonset.ui.state.folder import JOB, Folder, replacement, require_data, settings_in, tables_of
from anonset.ui.state.inspection import Inspection, without_numbers
from anonset.ui.state.policy_state import KINDS, PolicyState
from anonset.ui.state.publication import Publication
from anonset.ui.state.setting_words import ITEMS, UNIT, fix_in_words, in_words, keep_in_words
from anonset.ui.state.table_roles import Inspected, inspected_tables, with_columns
from anonset.ui.state.tree_state import TreeState
from anonset.ui.state.trial import Trial
from anonset.ui.state.workload_state import WorkloadState


class PageState:
    """Open job file, and the output of the commands that use it."""

    def __init__(self, folder: Folder, *, is_local: bool = False) -> None:
        self.folder = folder
        self.is_local = is_local
        """Whether only this machine can open the page."""
        self.close()

    def close(self) -> None:
        """Close the job file, and cancel running commands."""
        for task in self.folder.tasks:
            task.cancel()
        self.job: Path | None = None
        self.inspection = Inspection(self)
        self.trial: Trial | None = None
        self.publication: Publication | None = None
        self.earlier: Examination | None = None
        """Publication of the job that existed before the page was started."""
        self.examined: Examination | None = None
        self.chosen = ColumnChoice(self)
        self._done: list[_Before] = []
        """Choices that the owner can undo, the last one last."""
        self._stored = ""
        """Job file as the page stored it last."""
        self.tree = TreeState(self)
        self.policies = {kind: PolicyState(self, kind) for kind in KINDS}
        self.workload = WorkloadState(self)
        self.seen: set[str] = set()
        """Addresses of the screens that the owner has seen since the job file was opened."""

    async def end(self) -> None:
        """Cancel all commands, and wait until all commands have ended."""
        tasks = [*self.folder.tasks]
        self.close()
        await asyncio.gather(*tasks, return_exceptions=True)

    def open(self, name: str) -> None:
        """Open a data set, a folder of linked tables or a job file of the folder, and inspect it.

        Raises
        ------
        InputError
            If the file is outside of the folder, of another kind, or not a valid job.
        """
        path = self.folder.complete(name)
        if not path.exists():
            raise InputError(f"{name}: no such file or directory")
        job = path if path.suffix.lower() == JOB else self.folder.inside(self.folder.job_of(path))
        if job.exists():
            self._require_inside(job)
            if path != job and not self.folder.reads(job, path):
                raise InputError(f"{job.name} is the job file of other data; rename {job.name} or {path.name}")
        elif not path.is_dir():
            require_data(path)
        self.close()
        self.job, self.inspection = job, Inspection(self, path)
        if job.exists():
            self.inspection.repeat()
        else:
            self.inspection.propose(path)

    @property
    def name(self) -> str:
        """Path of the job file, relative to the folder."""
        return "" if self.job is None else self.folder.relative(self.job)

    @property
    def file(self) -> Path | None:
        """Path of the job file, or None if it does not exist."""
        return self.job if self.job is not None and self.job.exists() else None

    @property
    def source(self) -> str:
        """Name of the job file, of the data if there is no job file, or ``FILE`` if no data are open."""
        path = self.file or self.inspection.data
        return "FILE" if path is None else self.folder.relative(path)

    @property
    def raw(self) -> Job:
        """Settings as written in the job file."""
        return Job() if self.file is None else settings_in(self.file)

    @property
    def tables(self) -> dict[str, Job]:
        """Settings of each linked table by name. Empty if the job reads a single table."""
        return tables_of(self.raw)

    @property
    def inspected(self) -> Inspected:
        """Findings about each linked table by name, and about tables that the job does not publish."""
        return (
            {}
            if self.job is None
            else inspected_tables(self.tables, self.inspection.linked, self.folder.path, self.job)
        )

    @property
    def findings(self) -> Mapping[str, Any] | None:
        """Findings of the inspection about a single table."""
        return self.inspection.findings

    @property
    def stated(self) -> Job:
        """Settings of the job for the declared unit.

        Settings that depend on the unit are omitted until the unit is declared.
        """
        return Job() if self.file is None else _read(self.file)

    @property
    def unit(self) -> str:
        """Unit in the job file: ``row``, ``unknown``, columns that identify a person, or ``?`` if the owner has not
        declared it yet. Empty if the job does not state it. If the data cannot be read for the person that the owner
        declared last, this person.
        """
        return self.inspection.asked_unit or str(Unit.of(self.raw.get("unit")))

    @property
    def answered(self) -> bool:
        """True if the job declares who is a person, or if no declaration is needed."""
        if self.unit not in ("", OPEN):
            return not self.inspection.asked_unit
        is_asked = self.inspection.findings is None or self.inspection.findings["question"] is not None
        return not is_asked and not self.raw.keys() & {"unit", QUESTIONS["unit"]}

    @property
    def item_answers(self) -> list[Fix]:
        """Possible answers to the question which columns contain the items of the declared person. Empty if it is not
        open.
        """
        answers = self.raw.get(QUESTIONS["unit"], {})
        asked = [name for name, table in self.tables.items() if table.names("items") == [OPEN] and self.answered]
        if asked:
            return [
                Fix(**fix) for name in asked for fix in self.inspected.get(name, {"item_answers": ()})["item_answers"]
            ]
        return item_fixes(Job({**self.raw, **answers.get(Unit.of(self.unit).key_in(answers), {})}))

    @property
    def first_step(self) -> str:
        """Step on the screen Data that the other screens require, or an empty text if no step is missing."""
        if self.raw:
            asked = ([] if self.answered else [UNIT]) or [ITEMS for _ in self.item_answers[:1]]
            return "".join(f"First answer the question “{question}” on the screen Data." for question in asked)
        if self.job is None:
            return "First choose the data on the screen Data."
        if self.inspection.findings is None:
            known = "are not inspected yet" if self.inspection.linked is None else "cannot be published as they are"
            return f"The data {known}. See the screen Data."
        return "First choose the columns to publish on the screen Data."

    @property
    def made(self) -> Examination | None:
        """Risk and reports of the publication of this job, or None before it exists."""
        return self.earlier if self.publication is None else self.publication.examined

    def find_publication(self) -> None:
        """Verify the publication in the folder that the job names, if there is one."""
        out = self._tried.text("out")
        if self.publication is None and self.earlier is None and out in self.folder.publications():
            self.earlier = Examination(out, self.folder)
            self.earlier.start(self.earlier.finish)

    @property
    def new_out(self) -> str:
        """Folder for the next publication: that of the job, with a number if it exists. The next number replaces a
        number that this property added.
        """
        out, place = str(self.raw.get("out", "")), self.folder.path if self.job is None else self.job.parent

        def exists(name: str) -> bool:
            return name != "" and (place / name).exists()

        base, _, number = out.rpartition("-")
        was_added = number.isdecimal() and all(map(exists, [base, *(f"{base}-{n}" for n in range(2, int(number)))]))
        names = chain([out], (f"{base if was_added else out}-{n}" for n in count(2)))
        return next(name for name in names if self.publishing or not exists(name))

    @property
    def run_warnings(self) -> list[str]:
        """Warnings of the run that are not among those of the screen Data, which the owner checks there."""
        warnings = [] if self.publication is None else self.publication.run.warnings
        shown = {without_numbers(one) for one in self.inspection.warnings}
        return [one for one in warnings if without_numbers(one) not in shown]

    @property
    def publishing(self) -> bool:
        """True while the publication is made."""
        return self.publication is not None and self.publication.run.code is None

    def validated(self) -> Settings:
        """Return the validated settings.

        Raises
        ------
        InputError
            If the job would be rejected. The message contains every error.
        """
        if (job := self.file) is None:
            raise InputError("there is no job file yet")
        self._require_inside(job)
        with spelled_by(in_words):
            return make_settings({}, read_job(str(job)))

    def model(self) -> PrivacyModel:
        """Return the model of the job.

        Raises
        ------
        InputError
            If the job would be rejected.
        """
        return model_of(self.validated())

    def change(self, after: Job, tables: Mapping[str, Job] | None = None) -> None:
        """Write the settings in which another job differs to the job file. Earlier choices cannot be undone any more.

        Parameters
        ----------
        tables
            Settings of the linked tables. None if they do not change.

        Raises
        ------
        InputError
            If the job is running, or linked tables cannot have these roles.
        """
        changes = self.stated.changes(after)
        if tables is not None:
            own = {name: table.settings for name, table in self.tables.items()}
            new = {name: table.settings for name, table in tables.items()}
            changes = Job({**changes, **Job({"tables": own}).changes(Job({"tables": new}))})
        self.write(changes)
        self._done = []

    def write(self, changes: StatedSettings) -> None:
        """Write settings to the job file.

        Raises
        ------
        InputError
            If the job is running, or linked tables cannot have these roles.
        """
        if (job := self.file) is None or not changes:
            return
        self.require_not_publishing()
        text = changed_job(job.read_text(encoding="utf-8"), changes)
        if "tables" in changes:
            tables = without_open(tomllib.loads(text).get("tables", {}))
            LinkedTables.of(tables, self.unit, self.name, Place(str(job.parent)))
        self.store(text)
        self.inspection.failure = ""

    def store(self, text: str) -> None:
        """Replace the job file."""
        if (job := self.file) is not None:
            with replacement(job) as new:
                new.write_text(text, encoding="utf-8", newline="")
            self._stored = text

    def require_not_publishing(self) -> None:
        """Reject changes of the job while it is running.

        Raises
        ------
        InputError
            If the job is running.
        """
        if self.publishing:
            raise InputError("the job is running; cancel the run before you change settings")

    def answer(self, unit: str) -> None:
        """Declare who is a person, and repeat the inspection.

        Columns get the roles that the inspection proposes for this person, unless the job contains roles for it.
        """
        answers, self._done = self.raw.get(QUESTIONS["unit"], {}), []
        if Unit.of(unit).key_in(answers) not in answers and (answers or self.inspection.linked is not None):
            self.require_not_publishing()
            self.inspection.propose_unit(unit)
            return
        if self._propose_again(["--unit", unit]):
            return
        self.chosen.choose(())
        self.change(self.stated.with_(unit=list(Unit.of(unit))))
        self._inspect_again()

    def give_role(self, columns: Sequence[str], role: str) -> None:
        """Change the role of columns, and repeat the inspection.

        The model also changes if it does not fit the new roles. The inspection writes the job file if there is none
        yet. If the columns identify the person, they become the declared unit.
        """
        if role == "unit":
            self.answer(",".join(columns))
            return
        added = Job({role: list(columns)})
        with self._undoable(fix_in_words(added.settings)):
            is_proposed = self._add(added)
            self.change(fitting_model(self.stated))
        if not (is_proposed or self.tables):  # findings about linked tables do not depend on roles
            self._inspect_again()

    def apply_fix(self, fix: Fix) -> None:
        """Write recommended settings to the job file, and repeat the inspection.

        Without a job file, repeat the first inspection with the recommended settings.
        """
        answers, asked = self.item_answers, self.inspection.asked_unit
        if fix.settings.keys() == {"unit"}:
            self.answer(",".join(Job(fix.settings).names("unit")))
        elif asked and not self.inspection.busy:
            self.require_not_publishing()
            self.inspection.propose_unit(asked, Job(fix.settings))
        else:
            with self._undoable(fix_in_words(fix.settings)):
                if self._add(Job(fix.settings)):
                    return
                if "sensitive_items" in fix.settings:
                    self.change(fitting_model(self.stated))
                self._propose_trees_again(Job(fix.settings).names("null"))
                self.inspection.settle(answers if fix in answers else [fix])
            self._inspect_again()

    def keep_values(self, fix: Fix) -> None:
        """Remove the values of a fix from the lists in the job file, and repeat the inspection."""
        values = {name: {*Job(fix.settings).names(name)} for name in fix.settings}
        with self._undoable(keep_in_words(fix.settings)):
            kept = {name: [one for one in self.stated.names(name) if one not in of] for name, of in values.items()}
            self.change(self.stated.with_(**kept))
        self._inspect_again()

    def _propose_trees_again(self, nulls: Sequence[str]) -> None:
        """Remove the ranges of columns in which a value becomes a missing one, ``COLUMN=VALUE``, because ranges need a
        number in each row. The next inspection proposes another hierarchy.
        """
        job = self.stated
        named, trees = {null.partition("=")[0] for null in nulls if "=" in null}, job.entries("hierarchy")
        for name in [one for one in named & trees.keys() if trees[one] == RANGE]:
            numeric = [one for one in job.names("numeric") if one != name]
            job = job.with_entry("hierarchy", name, None).with_(numeric=numeric)
        self.change(job)

    @contextmanager
    def _undoable(self, words: str) -> Iterator[None]:
        """Let the owner undo what the code in the ``with`` block changes."""
        before = "" if self.file is None else self.file.read_text(encoding="utf-8")
        done = [*self._done, _Before(words, before, self.inspection.assumed)] if before else []
        yield
        self._done = done

    @property
    def undoable(self) -> str:
        """Last choice that the owner can undo, in words. Empty if there is none."""
        return self._done[-1].words if self._done else ""

    def undo(self) -> None:
        """Restore the job file before the last choice, and repeat the inspection.

        Raises
        ------
        InputError
            If the job is running, or another program changed the job file.
        """
        self.require_not_publishing()
        if self._done and (job := self.file) is not None:
            if job.read_text(encoding="utf-8") != self._stored:
                raise InputError(f"another program changed {job.name}, so the choice cannot be undone")
            last = self._done.pop()
            self.store(last.text)
            self.inspection.assumed = last.assumed
            self._inspect_again()

    def reasons(self, columns: Sequence[str]) -> dict[str, str]:
        """Return the reasons for the roles of columns that are proposed and that nobody has chosen."""
        if self.file is None or not self.answered:
            return self.inspection.proposed
        found = reasons_in(self.file.read_text(encoding="utf-8"), self.unit, columns)
        return {name: reason.partition("; ")[0] for name, reason in found.items()}

    def _add(self, added: Job) -> bool:
        """Add settings to the job file. Without a job file, repeat the first inspection with them, and return True."""
        if self._propose_again(arguments_of(added.settings)):
            return True
        if added.names("items") == [NONE]:
            self.write(added.settings)
        elif self.tables:
            self.change(*with_columns(self.stated, self.tables, self.inspected, self.unit, added))
        else:
            self.change(edited(self.stated, added))
        return False

    def _propose_again(self, options: Sequence[str]) -> bool:
        """Repeat the first inspection with options, and return True. If there is a job file, do nothing and return
        False.
        """
        if self.file is not None or self.inspection.data is None:
            return False
        self.inspection.propose(self.inspection.data, *options)
        return True

    def choose_model(self, model: str) -> None:
        """Change the privacy model."""
        self.change(with_model(self.stated, model))

    def choose_sensitive_items(self, items: Sequence[str]) -> None:
        """Change the items that must not be inferred, and the privacy model with them."""
        self.change(with_sensitive_items(self.stated, list(dict.fromkeys(items))))

    def try_candidates(self) -> None:
        """Start a trial of the algorithms for the model of the job.

        Raises
        ------
        InputError
            If the job would be rejected.
        """
        self.model()
        if self.trial is None or not self.trial.busy:
            self.trial = Trial(self.name, self._tried, self.folder)
            self.trial.start(self.trial.finish)

    @property
    def candidate(self) -> Job:
        """Algorithm and parameters of the job, in the format of ``anonset suggest --json``.

        Raises
        ------
        InputError
            If the job has no valid model.
        """
        job = self._tried
        return candidate_of(job, item_trees(job) if self.trial is None else self.trial.trees)

    @property
    def unused_recommendation(self) -> Job | None:
        """Algorithm and parameters that the trial recommends, or None if the job uses them."""
        if self.trial is None or not self.trial.suits(self.stated):
            return None
        recommended = self.trial.recommended
        return None if recommended == self.candidate else recommended

    def choose_candidate(self, chosen: Job) -> None:
        """Change the algorithm to a candidate of the trial."""
        if self.trial is not None:
            changes = self._tried.changes(with_candidate(self._tried, chosen, self.trial.trees))
            if self.tables:  # a default of linked tables applies only to jobs without an algorithm
                changes = Job({**chosen.with_(hierarchy=None), **changes})
            self.write(changes)

    def publish(self) -> None:
        """Start to publish the data of the job. A running trial is cancelled: it would slow the publication.

        Raises
        ------
        InputError
            If the job would be rejected.
        """
        model = self.model()
        if not self.publishing:
            statements = {} if self.made is None else self.made.statements
            out = self.stated.text("out")
            self.publication = Publication(self.name, out, self.folder, model, statements)
            self.publication.start(partial(self._publish, self.publication))

    async def _publish(self, publication: Publication) -> None:
        if self.trial is not None and self.trial.busy:
            await self.trial.cancel()
        await publication.finish()

    @property
    def rows_report(self) -> Path | None:
        """Path of the private report that leads to records before and after anonymization, or None if there is no
        publication yet, or if other machines can open the page.
        """
        path = None if not self.is_local or self.made is None else self.folder.inside(self.made.subject)
        if path is not None:
            self.folder.require_inside(read_job(str(path)))
        return path

    def first_rows(self, stated: Job) -> dict[str, list[str]]:
        """Return the first rows of a table, or of the opened data, by column. Masked columns have no values.

        Parameters
        ----------
        stated
            Input and reading options.

        Raises
        ------
        InputError
            If the data cannot be read, are outside of the folder, or if other machines can open the page.
        """
        data = self.inspection.data if self.job is None or "input" not in stated else self.job.parent / stated["input"]
        if not self.is_local or data is None:
            raise InputError("the page shows rows only on the machine of the data")
        units = [self.unit, *self.inspection.others, *(answer["unit"] for answer in self.inspection.answers)]
        persons = {name for unit in units for name in Unit.of(unit)}
        return first_rows(str(self.folder.complete(data)), stated.without("unit"), persons)

    @property
    def values_job(self) -> Path | None:
        """Path of the job file whose data the page may show, or None if the job is incomplete, or if other machines can
        open the page.
        """
        if not self.is_local or self.first_step or self.job is None:
            return None
        self._require_inside(self.job)
        return self.job

    def examine(self, name: str) -> None:
        """Verify a publication of the folder, and compute its risk."""
        self.examined = Examination(name, self.folder)
        self.examined.start(self.examined.finish)

    def command(self, command: str) -> str:
        """Return a command line that reads the job file, or the data if there is no job file."""
        return as_typed(command, self.source)

    @property
    def _tried(self) -> Job:
        return self.folder.with_relative_paths(self.stated)

    def _require_inside(self, job: Path) -> None:
        self.folder.require_tables_inside(job)  # reading the job opens the tables
        self.folder.require_inside(_read(job))

    def _inspect_again(self) -> None:
        """Repeat the inspection with the settings of the job."""
        if (job := self.file) is not None:
            self._require_inside(job)
            self.inspection.repeat()


class _Before(NamedTuple):
    """Choice of the owner in words, and the job file and the warnings before it."""

    words: str
    text: str
    assumed: Mapping[str, Problem]


def _read(job: Path) -> Job:
    """Return the settings of a job for the declared unit. Linked tables have settings of their own, and cannot be read
    before the owner declares the unit and the items.
    """
    raw = settings_in(job)
    tables = tables_of(raw)
    if tables and (raw.get("unit", OPEN) == OPEN or not any("items" in one for one in without_open(tables).values())):
        return raw.without("unit", "tables", QUESTIONS["unit"])
    return read_job(str(job), unanswered=True)


def message_of(error: AnonsetError) -> str:
    """Return the message of an error for the page."""
    return plain_text(f"{error}")
