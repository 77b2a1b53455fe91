"""Query workload of a job: its file, the answers from the original, and the error of a publication."""

from collections.abc import Sequence
from pathlib import Path

from anonset.queries.workload import Query, Workload
from anonset.reading.workloads import read_workload, write_workload
from anonset.spelling import as_typed
from anonset.ui.open_job import OpenJob
from anonset.ui.runs import CommandRun


class WorkloadState:
    """Queries in a file next to the job file."""

    def __init__(self, state: OpenJob) -> None:
        self.chosen: list[str] = []
        """Items of the query that is being composed."""
        self.answers: list[int] = []
        """Number of records that match each query. Empty until they are counted."""
        self.measured: CommandRun | None = None
        """Run that measures the error of the publication."""
        self.generating: CommandRun | None = None
        self._state = state
        self._counting: CommandRun | None = None

    @property
    def queries(self) -> tuple[Query, ...]:
        """Queries in the file."""
        file = self._file
        return read_workload(file).queries if file is not None and file.exists() else ()

    @property
    def commands(self) -> str:
        """Commands that generate the queries, count the answers, and measure the error."""
        name = self._name
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
        """Replace the queries by random queries, such as ``record:100x2``."""
        file = self._file
        if file is not None and not self.busy:
            new = file.with_name(f".{file.name.removesuffix('.json')}.new.json")
            new.unlink(missing_ok=True)
            arguments = ["workload", "generate", self._state.name, "--out", str(new), "--workload", random]
            self.generating = CommandRun(arguments, self._state.folder.path)
            self._state.start(self._generate(self.generating, new, file))

    def choose(self, label: str) -> None:
        """Add an item to the query that is being composed."""
        if label not in self.chosen:
            self.chosen = [*self.chosen, label]

    def add(self) -> None:
        """Add the chosen items as a query."""
        self._write([*self.queries, *Workload.of([self.chosen]).queries])
        self.chosen = []

    def remove(self, number: int) -> None:
        """Remove a query."""
        self._write([*self.queries[:number], *self.queries[number + 1 :]])

    def measure(self) -> None:
        """Measure the error of the publication for these queries."""
        file = self._file
        if file is not None and (self.measured is None or self.measured.code is not None):
            arguments = ["evaluate", self._state.name, "--queries", str(file), "--json"]
            self.measured = CommandRun(arguments, self._state.folder.path)
            self._state.start(self.measured.finish())

    def count(self) -> None:
        """Count the records that match each query, in another process."""
        file = self._file
        self.answers = []
        if file is not None and file.exists():
            arguments = ["workload", "check", str(file), "--input", self._state.name, "--json"]
            self._counting = CommandRun(arguments, self._state.folder.path)
            self._state.start(self._count(self._counting))

    async def _count(self, run: CommandRun) -> None:
        await run.finish()
        if self._counting is run and run.code == 0:
            self.answers = run.result["answers"]

    async def _generate(self, run: CommandRun, new: Path, file: Path) -> None:
        try:
            if not await run.finish():
                new.replace(file)
                self.measured = None
                self.count()
        finally:
            new.unlink(missing_ok=True)

    @property
    def _name(self) -> str:
        file = self._file
        return "FILE" if file is None else self._state.folder.relative(file)

    @property
    def _file(self) -> Path | None:
        job = self._state.job
        return None if job is None else self._state.folder.inside(job.parent / f"{job.stem}-queries.json")

    def _write(self, queries: Sequence[Query]) -> None:
        file = self._file
        if file is None:
            return
        if queries:
            new = file.with_name(f".{file.name.removesuffix('.json')}.new.json")
            write_workload(Workload(tuple(queries)), new)
            new.replace(file)
        else:
            file.unlink(missing_ok=True)
        self.measured = None
        self.count()
