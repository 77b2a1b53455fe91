"""State of the page, which all browser tabs share: the job file, the last findings and the running commands."""

import asyncio
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anonset.columns.roles import OF_PERSONS, ROLES
from anonset.errors import AnonsetError, Fix, InputError, plain_text
from anonset.jobs.frequent_values import first_rows
from anonset.privacy.model import PrivacyModel
from anonset.reading.file_options import OPEN, Unit
from anonset.reading.linked import LinkedTables, without_open
from anonset.reading.sources.place import Place
from anonset.settings.edits import QUESTIONS, make_settings
from anonset.settings.job import Job
from anonset.settings.job_changes import changed_job, reasons_in
from anonset.settings.job_files import item_fixes, read_job
from anonset.settings.model_choices import candidate_of, item_trees, model_of
from anonset.settings.settings import Settings
from anonset.spelling import StatedSettings, as_typed, spelled_by
from anonset.ui.state.column_choice import ColumnChoice
from anonset.ui.state.folder import JOB, Folder, require_data, settings_in, tables_of
from anonset.ui.state.history import History
from anonset.ui.state.inspection import Inspection
from anonset.ui.state.open_job import JobReader
from anonset.ui.state.policy_state import KINDS, PolicyState
from anonset.ui.state.publication import Publications
from anonset.ui.state.setting_words import ITEMS, UNIT, in_words
from anonset.ui.state.table_roles import Inspected, inspected_tables
from anonset.ui.state.tree_state import TreeState
from anonset.ui.state.trial import Trial
from anonset.ui.state.workload_state import WorkloadState


class PageState:
    """Open job file, and the output of the commands that use it."""

    def __init__(self, folder: Folder, *, is_local: bool = False) -> None:
        self.folder = folder
        self.is_local = is_local
        """Whether only this machine can open the page."""
        self.reader = JobReader()
        self._trials: dict[Path | None, Trial] = {}
        self.close()

    def close(self) -> None:
        """Close the job file, and cancel running commands."""
        for task in self.folder.tasks:
            task.cancel()
        self.job: Path | None = None
        self.inspection = Inspection(self)
        self.publications = Publications(self)
        self.chosen = ColumnChoice(self)
        self.history = History()
        """Choices of the owner that changed the job file."""
        self.tree = TreeState(self)
        self.policies = {kind: PolicyState(self, kind) for kind in KINDS}
        self.workload = WorkloadState(self)
        self.seen: set[str] = set()
        """Addresses of the screens that the owner has seen since the job file was opened."""
        self.checked_doubts: set[str] = set()
        """Doubts about the promise and the result that the owner has checked since then."""

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
    def trial(self) -> Trial | None:
        """Last trial of the job, also if the page has opened other data since then. None if there is none."""
        return self._trials.get(self.job)

    @trial.setter
    def trial(self, trial: Trial) -> None:
        self._trials[self.job] = trial

    @property
    def raw(self) -> Job:
        """Settings as written in the job file."""
        return Job() if self.file is None else self.reader.settings(settings_in, self.file)

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
        return Job() if self.file is None else self.reader.settings(_read, self.file)

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
    def publishing(self) -> bool:
        """True while the publication is made."""
        new = self.publications.new
        return new is not None and new.run.code is None

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
        self.history.clear()

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
            self.history.replace(job, text.encode())
            self.reader.forget()

    def require_not_publishing(self) -> None:
        """Reject changes of the job while it is running.

        Raises
        ------
        InputError
            If the job is running.
        """
        if self.publishing:
            raise InputError("the job is running; cancel the run before you change settings")

    def reasons(self, columns: Sequence[str]) -> dict[str, str]:
        """Return the reasons for the roles of columns that are proposed and that nobody has chosen."""
        if self.file is None or not self.answered:
            return self.inspection.proposed
        found = reasons_in(self.file.read_text(encoding="utf-8"), self.unit, columns)
        return {name: reason.partition("; ")[0] for name, reason in found.items()}

    def try_candidates(self) -> None:
        """Start a trial of the algorithms for the model of the job.

        Raises
        ------
        InputError
            If the job would be rejected.
        """
        self.model()
        if self.trial is None or not self.trial.busy:
            self.trial = trial = Trial(self.name, self.tried, self.folder)
            trial.start(trial.finish)

    @property
    def candidate(self) -> Job:
        """Algorithm and parameters of the job, in the format of ``anonset suggest --json``.

        Raises
        ------
        InputError
            If the job has no valid model.
        """
        job = self.tried
        return candidate_of(job, item_trees(job) if self.trial is None else self.trial.trees)

    @property
    def used_result(self) -> Mapping[str, Any] | None:
        """Result of the trial that the job uses, or None if it is not measured."""
        tried = [] if self.trial is None or not self.trial.suits(self.stated) else self.trial.candidates
        return next((one for one in tried if Job(one["settings"]) == self.candidate), None)

    @property
    def unused_recommendation(self) -> Job | None:
        """Algorithm and parameters that the trial recommends, or None if the job uses them."""
        if self.trial is None or not self.trial.suits(self.stated):
            return None
        recommended = self.trial.recommended
        return None if recommended == self.candidate else recommended

    def publish(self) -> None:
        """Start to publish the data of the job.

        Raises
        ------
        InputError
            If the job would be rejected.
        """
        model = self.model()
        if not self.publishing:
            self.publications.publish(model, self.trial)

    @property
    def rows_report(self) -> Path | None:
        """Path of the private report that leads to records before and after anonymization, or None if there is no
        publication yet, or if other machines can open the page.
        """
        made = self.publications.made
        path = None if not self.is_local or made is None else self.folder.inside(made.subject)
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
        others = () if self.answered else self.inspection.others
        units = [self.unit, *others, *(answer["unit"] for answer in self.inspection.answers)]
        published = stated.names(*(one for one in ROLES if one not in (*OF_PERSONS, "drop"))) if self.answered else ()
        persons = {name for unit in units for name in Unit.of(unit)}
        return first_rows(str(self.folder.complete(data)), stated.without("unit"), persons, published)

    @property
    def values_job(self) -> Path | None:
        """Path of the job file whose data the page may show, or None if the job is incomplete, or if other machines can
        open the page.
        """
        if not self.is_local or self.first_step or self.job is None:
            return None
        self._require_inside(self.job)
        return self.job

    def command(self, command: str) -> str:
        """Return a command line that reads the job file, or the data if there is no job file."""
        return as_typed(command, self.source)

    @property
    def tried(self) -> Job:
        """Settings of the job for a command in the folder."""
        return self.folder.with_relative_paths(self.stated)

    def _require_inside(self, job: Path) -> None:
        self.folder.require_tables_inside(job)  # reading the job opens the tables
        self.folder.require_inside(_read(job))

    def inspect_again(self) -> None:
        """Repeat the inspection with the settings of the job."""
        if (job := self.file) is not None:
            self._require_inside(job)
            self.inspection.repeat()


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
