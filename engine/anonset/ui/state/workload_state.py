"""Queries of a job, their answers from the original, and the query error of the publication."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.queries.conditions import Among, Between, Condition, with_condition
from anonset.queries.workload import Query, Workload
from anonset.reading.workloads import read_workload, write_workload
from anonset.settings.model_choices import item_trees
from anonset.spelling import as_typed
from anonset.ui.state.command_runs import Commands
from anonset.ui.state.composed_file import ComposedFile
from anonset.ui.state.folder import replacement
from anonset.ui.state.open_job import OpenJob


class WorkloadState(ComposedFile):
    """File with queries next to the job file."""

    counts_in = "answers"

    def __init__(self, state: OpenJob) -> None:
        super().__init__(state)
        self.conditions: list[Condition] = []
        """Conditions of the query that the owner composes."""
        self.measured = Commands(state.folder)
        """Command that measures the error of the publication."""
        self.generating = Commands(state.folder)
        """Command that generates the queries."""

    @property
    def rows(self) -> tuple[Query, ...]:
        """Queries in the file."""
        file = self._file
        return read_workload(file).queries if file is not None and file.exists() else ()

    @property
    def columns(self) -> dict[str, str]:
        """Hierarchy of each column of items or attributes that a query may contain."""
        return item_trees(self._state.stated, "relational")

    @property
    def check(self) -> list[str]:
        """Words of the command that checks the queries, without the names of the file and of the data."""
        return ["workload", "check"]

    @property
    def commands(self) -> str:
        """Commands that generate the queries, count the answers, and measure the error."""
        name = self.name
        random = "record:100x2" if self.generating.last is None else self.generating.last.arguments[-1]
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

    def generate(self, random: str) -> None:
        """Replace the queries by random queries. `random` is a text such as ``record:100x2``."""
        if not self.generating.busy:
            self.generating.start(partial(self._generate, random))

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
        if not self.generating.busy and not self.measured.busy:
            arguments = ["evaluate", self._state.name, "--queries", str(self._file), "--json"]
            self.measured.start(partial(self.measured.execute, *arguments))

    async def _generate(self, random: str) -> None:
        if (file := self._file) is None:
            return
        with replacement(file) as new:
            arguments = ["workload", "generate", self._state.name, "--out", str(new), "--workload", random]
            run = await self.generating.execute(*arguments)
        if not run.code:
            self._follow_rows()

    def _follow_rows(self) -> None:
        """Forget the error of other queries, and count the records that match each query."""
        self.measured = Commands(self.folder)
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
        self._follow_rows()
