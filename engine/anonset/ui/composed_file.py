"""File next to the job file that the owner composes by search, and the number of records with each of its rows."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from anonset.ui.open_job import OpenJob
from anonset.ui.runs import CommandRun


class ComposedFile(ABC):
    """Rows in a file: constraints of a policy, or queries of a workload."""

    counts_in: ClassVar[str]
    """Name of the counts in the output of the command that checks the file."""

    def __init__(self, state: OpenJob) -> None:
        self.items: list[str] = []
        """Items of the row that is being composed."""
        self.counts: list[int] = []
        """Number of records with each row. Empty until they are counted."""
        self._state = state
        self._counting: CommandRun | None = None

    @property
    @abstractmethod
    def rows(self) -> Sequence[Any]:
        """Rows in the file."""

    @property
    @abstractmethod
    def check(self) -> list[str]:
        """Command that checks the file, without the file and the data."""

    @property
    @abstractmethod
    def _file(self) -> Path | None:
        """The file; None without a job."""

    @property
    def name(self) -> str:
        """File relative to the folder."""
        file = self._file
        return "FILE" if file is None else self._state.folder.relative(file)

    def choose(self, item: str) -> None:
        """Add an item to the row that is being composed."""
        if item not in self.items:
            self.items = [*self.items, item]

    def clear(self) -> None:
        """Forget the row that is being composed."""
        self.items = []

    def count(self) -> None:
        """Count the records with each row, in another process."""
        file = self._file
        self.counts = []
        if file is not None and file.exists():
            command, action, *options = self.check
            arguments = [command, action, str(file), *options, "--input", self._state.name, "--json"]
            self._counting = CommandRun(arguments, self._state.folder.path)
            self._state.start(self._count(self._counting))

    async def _count(self, run: CommandRun) -> None:
        await run.finish()
        if self._counting is run and run.code == 0:
            self.counts = run.result[self.counts_in]
