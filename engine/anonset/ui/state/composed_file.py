"""File of constraints or queries next to the job file. The owner adds each row by search and click."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from anonset.ui.state.command_runs import Commands
from anonset.ui.state.open_job import OpenJob


class ComposedFile(Commands, ABC):
    """File whose rows are the constraints of a policy or the queries of a workload."""

    counts_in: ClassVar[str]
    """Key of the record counts in the JSON output of the check."""

    def __init__(self, state: OpenJob) -> None:
        super().__init__(state.folder)
        self.items: list[str] = []
        """Items of the row that the owner composes."""
        self.counts: list[int] = []
        """Number of records that match each row. The list is empty until the records are counted."""
        self._state = state

    @property
    @abstractmethod
    def rows(self) -> Sequence[Any]:
        """Rows in the file."""

    @property
    @abstractmethod
    def check(self) -> list[str]:
        """Words of the command that checks the file, without the names of the file and of the data."""

    @property
    @abstractmethod
    def _file(self) -> Path | None:
        """Path of the file, or None if no job is open."""

    @property
    def name(self) -> str:
        """Path of the file, relative to the folder."""
        file = self._file
        return "FILE" if file is None else self._state.folder.relative(file)

    def choose(self, item: str) -> None:
        """Add an item to the new row."""
        if item not in self.items:
            self.items = [*self.items, item]

    def clear(self) -> None:
        """Discard the new row."""
        self.items = []

    def count(self) -> None:
        """Start to count the records that match each row."""
        self.counts = []
        self.start(self._count)

    async def _count(self) -> None:
        if (file := self._file) is not None and file.exists():
            command, action, *options = self.check
            run = await self.execute(command, action, str(file), *options, "--input", self._state.name, "--json")
            self.counts = [] if run.code else run.result[self.counts_in]
