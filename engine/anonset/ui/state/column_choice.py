"""Columns that the owner has chosen to give them one role, and the number of people who are unique by them."""

import asyncio
from collections.abc import Iterable
from typing import Any

from anonset.reading.file_options import Unit
from anonset.spelling import arguments_of, counted, short_names
from anonset.ui.state.command_runs import Commands
from anonset.ui.state.open_job import OpenJob

_PAUSE = 0.5
"""Seconds without another click before the count starts."""


class ColumnChoice(Commands):
    """Columns of a single table that get their role together. An inspection counts who is unique if others know the
    chosen columns and nothing else.
    """

    def __init__(self, state: OpenJob) -> None:
        super().__init__(state.folder)
        self.names: list[str] = []
        """Chosen columns, in the order of the data."""
        self._state = state

    @property
    def groups(self) -> list[list[str]]:
        """Groups of columns with the same values, without columns that identify the person."""
        found, unit = self._state.findings, Unit.of(self._state.unit)
        groups = [] if found is None else [[name for name in names if name not in unit] for names in found["alike"]]
        return [names for names in groups if len(names) > 1]

    def toggle(self, name: str) -> None:
        """Add a column to the choice, or remove it, and count who is unique by the chosen columns."""
        self.choose({*self.names} ^ {name})

    def choose(self, names: Iterable[str]) -> None:
        """Choose these columns only, and count who is unique by them."""
        wanted = {*names}
        self.names = [name for name in self._columns() if name in wanted]
        self.start(self._count)

    @property
    def words(self) -> str:
        """Consequence in words if others know the chosen columns, or an empty text if none is chosen."""
        if not self.names:
            return ""
        known = f"If others know {short_names(self.names)} and nothing else"
        if self.last is None or self.last.code is None:
            return f"{known}: counting …"
        found: Any = self.last.result
        if found is None or found["quasi_identifiers"] is None:
            reason = next(iter(self.last.errors), "") if found is None else found["obstacle"]
            return f"{known}, the people who are unique cannot be counted{f': {reason}' if reason else ''}"
        classes = found["quasi_identifiers"]
        unique, few = (round(classes[share] * found["records"]) for share in ("unique", "below_k"))
        people = counted(found["records"], "record")
        return f"{known}: {unique:,} of {people} are unique, and {few:,} have fewer than {found['k']} matches."

    async def _count(self) -> None:
        """Count who is unique by the chosen columns, after a pause."""
        await asyncio.sleep(_PAUSE)
        if self.names:
            barred = {*self.names, *Unit.of(self._state.unit)}
            roles = {"relational": self.names, "drop": [name for name in self._columns() if name not in barred]}
            await self.execute("inspect", self._state.name, *arguments_of(roles), "--json")

    def _columns(self) -> list[str]:
        return [column["name"] for column in (self._state.findings or {"columns": ()})["columns"]]
