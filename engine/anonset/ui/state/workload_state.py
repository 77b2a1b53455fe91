"""Queries of a job, their answers from the original, and the query error of the publication."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.queries.conditions import Among, Between, Condition, with_condition
from anonset.queries.workload import Query, Workload
from anonset.reading.workloads import read_workload, write_workload
from anonset.settings.model_choices import item_trees, queried_columns
from anonset.spelling import as_typed
from anonset.ui.state.composed_file import ComposedFile
from anonset.ui.state.folder import replacement
from anonset.ui.state.open_job import OpenJob
from anonset.ui.state.runs import CommandRun


class WorkloadState(ComposedFile):
    """File with queries next to the job file."""

    counts_in = "answers"

    def __init__(self, state: OpenJob) -> None:
        super().__init__(state)
        self.conditions: list[Condition] = []
        """Conditions of the query that the owner composes."""
        self.measured: CommandRun | None = None
        """Run that measures the error of the publication."""
        self.generating: CommandRun | None = None

    @property
    def rows(self) -> tuple[Query, ...]:
        """Queries in the file."""
        file = self._file
        return read_workload(file).queries if file is not None and file.exists() else ()

    @property
    def columns(self) -> dict[str, str]:
        """Hierarchy of each column of items or attributes that a query may contain."""
        return queried_columns(self._state.stated)

    @property
    def check(self) -> list[str]:
        """Words of the command that checks the queries, without the names of the file and of the data."""
        return ["workload", "check"]

    @property
    def commands(self) -> str:
        """Commands that generate the queries, count the answers, and measure the error."""
        name = self.name
        random = "record:100x2" if self.generating is None else self.generating.arguments[-1]
        return "\n".join([
            as_typed("workload generate", self._state.name, {"out": name, "workload": random}),
            as_typed("workload check", name, {"input": self._state.name}),
            as_typed("evaluate", self._state.name, {"queries": name}),
        ])  # fmt: skip

    @property
    def published(self) -> bool:
        """True if the publication of the job exists."""
        out = self._state.raw.get("out", "")
        return bool(out) and self._state.job is not None and (self._state.job.parent / out).is_dir()

    @property
    def busy(self) -> bool:
        """True while queries are generated."""
        return self.generating is not None and self.generating.code is None

    def generate(self, random: str) -> None:
        """Replace the queries by random queries. `random` is a text such as ``record:100x2``."""
        file = self._file
        if file is not None and not self.busy:
            with ExitStack() as replacing:
                new = replacing.enter_context(replacement(file))
                arguments = ["workload", "generate", self._state.name, "--out", str(new), "--workload", random]
                self.generating = CommandRun(arguments, self._state.folder.path)
                self._state.start(self._generate(self.generating, replacing.pop_all()))

    def choose_values(self, tree: ColumnHierarchy, label: str) -> None:
        """Add an item, or the values below a node of an attribute, to the new query."""
        if tree.column in item_trees(self._state.stated):
            self.choose(label)
        else:
            self.conditions = with_condition(self.conditions, Among(tree.column, tree.values_below(label)))

    def choose_range(self, column: str, low: float, high: float) -> None:
        """Add a range of numbers to the new query.

        Raises
        ------
        InputError
            If the range is empty.
        """
        self.conditions = with_condition(self.conditions, Between(column, low, high))

    @property
    def composed(self) -> Query:
        """Query that the owner composes. The query is not yet in the file."""
        return Query(tuple(self.items), tuple(self.conditions))

    def clear(self) -> None:
        """Discard the new query."""
        super().clear()
        self.conditions = []

    def add(self) -> None:
        """Write the new query to the file."""
        self._write([*self.rows, self.composed])
        self.clear()

    def remove(self, number: int) -> None:
        """Remove a query from the file."""
        self._write([*self.rows[:number], *self.rows[number + 1 :]])

    def measure(self) -> None:
        """Measure the error of the publication for these queries."""
        file = self._file
        if file is not None and not self.busy and (self.measured is None or self.measured.code is not None):
            arguments = ["evaluate", self._state.name, "--queries", str(file), "--json"]
            self.measured = CommandRun(arguments, self._state.folder.path)
            self._state.start(self.measured.finish())

    async def _generate(self, run: CommandRun, replacing: ExitStack) -> None:
        with replacing:
            await run.finish()
        if not run.code:
            self.measured = None
            self.count()

    @property
    def _file(self) -> Path | None:
        job = self._state.job
        return None if job is None else self._state.folder.inside(job.parent / f"{job.stem}-queries.json")

    def _write(self, queries: Sequence[Query]) -> None:
        file = self._file
        if file is None:
            return
        if queries:
            with replacement(file) as new:
                write_workload(Workload(tuple(queries)), new)
        else:
            file.unlink(missing_ok=True)
        self.measured = None
        self.count()
