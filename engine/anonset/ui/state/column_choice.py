"""Columns that the owner has chosen to give them one role, and the number of people who are unique by them."""

import asyncio
from collections.abc import Sequence
from typing import Any

from anonset.reading.file_options import Unit
from anonset.spelling import arguments_of, counted, short_names
from anonset.ui.state.open_job import OpenJob
from anonset.ui.state.runs import CommandRun

_PAUSE = 0.5
"""Seconds without another click before the count starts."""


class ColumnChoice:
    """Columns of a single table that get their role together."""

    def __init__(self, state: OpenJob) -> None:
        self.names: list[str] = []
        """Chosen columns, in the order of the data."""
        self.count: CommandRun | None = None
        """Inspection that counts who is unique if others know the chosen columns and nothing else."""
        self._state = state

    @property
    def groups(self) -> list[list[str]]:
        """Groups of columns with the same values, without columns that identify the person."""
        found, unit = self._state.inspection.findings, Unit.of(self._state.unit)
        groups = [] if found is None else [[name for name in names if name not in unit] for names in found["alike"]]
        return [names for names in groups if len(names) > 1]

    def choose(self, names: Sequence[str], *, chosen: bool = True) -> None:
        """Add columns to the choice, or remove them, and count who is unique by the chosen columns."""
        now = {*self.names, *names} if chosen else {*self.names} - {*names}
        self.names = [name for name in self._columns() if name in now]
        self._state.start(self._count())

    def clear(self) -> None:
        """Choose no column."""
        self.names = []

    @property
    def words(self) -> str:
        """Consequence in words if others know the chosen columns, or an empty text if none is chosen."""
        if not self.names:
            return ""
        known = f"If others know {short_names(self.names)} and nothing else"
        if self.count is None or self.count.code is None:
            return f"{known}: counting …"
        found: Any = self.count.result
        if found is None or found["quasi_identifiers"] is None:
            problems = {} if found is None else dict(enumerate(found["problems"]))
            reasons = self.count.errors if found is None else [problems[n] for n in problems if n == found["obstacle"]]
            return f"{known}, the people who are unique cannot be counted{f': {reasons[0]}' if reasons else ''}"
        classes = found["quasi_identifiers"]
        unique, few = (round(classes[share] * found["records"]) for share in ("unique", "below_k"))
        people = counted(found["records"], "record")
        return f"{known}: {unique:,} of {people} are unique, and {few:,} have fewer than {found['k']} matches."

    async def _count(self) -> None:
        """Count who is unique by the chosen columns, unless the choice changes in the meantime."""
        names, before, self.count = self.names, self.count, None
        if before is not None:
            await before.cancel()
        await asyncio.sleep(_PAUSE)
        if not names or self.names is not names:
            return
        barred = {*names, *Unit.of(self._state.unit)}
        roles = {"relational": names, "drop": [name for name in self._columns() if name not in barred]}
        run = CommandRun(["inspect", self._state.name, *arguments_of(roles), "--json"], self._state.folder.path)
        self.count = run
        await run.finish()

    def _columns(self) -> list[str]:
        return [column["name"] for column in self._state.inspection.columns]
