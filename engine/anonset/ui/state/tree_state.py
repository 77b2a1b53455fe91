"""Hierarchy of a column that the page shows and edits."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.reading.hierarchies.specs import split_spec
from anonset.settings.binding import RANGE, VALUES
from anonset.settings.job_changes import hierarchy_choices, with_hierarchy
from anonset.settings.job_files import column_settings
from anonset.settings.model_choices import item_trees
from anonset.spelling import as_typed
from anonset.ui.state.folder import replacement
from anonset.ui.state.open_job import OpenJob
from anonset.ui.state.runs import CommandRun

_WITHOUT_TREE = (RANGE, VALUES)


class TreeState:
    """Hierarchy of the chosen column, which a command in another process reads."""

    def __init__(self, state: OpenJob) -> None:
        self.column = ""
        self.tree: ColumnHierarchy | None = None
        self.faults: list[str] = []
        """Faults of the hierarchy, one on each line."""
        self._state = state
        self._shown: object = None
        """Column, specification and number of records of the tree that was read last."""
        self._run: CommandRun | None = None

    @property
    def columns(self) -> list[str]:
        """Columns with a hierarchy."""
        return [*self._state.settings.get("hierarchy", {})]

    @property
    def spec(self) -> str:
        """Specification of the hierarchy in the job file."""
        return str(_hierarchies(self._state).get(self.column, ""))

    @property
    def choices(self) -> dict[str, str]:
        """Rules and hierarchy files that the owner can choose for the column, each with a description."""
        findings: Mapping[str, Any] = self._state.findings or {}
        proposed = {column["name"]: column["hierarchy"] for column in findings.get("columns", ())}
        choices = hierarchy_choices(self._state.settings, self.column, proposed.get(self.column))
        data = str(self._state.raw.get("input", ""))
        files = {name: "hierarchy file" for name in self._state.folder.data() if name != data}
        return {**{spec: choices.get(spec, "in the job file") for spec in [self.spec] if spec}, **choices, **files}

    @property
    def is_reading(self) -> bool:
        """True while the tree is read."""
        return self._run is not None and self._run.code is None

    @property
    def is_file(self) -> bool:
        """True if the hierarchy is a file. Only nodes of files can be renamed."""
        prefix, path = split_spec(self.spec)
        return bool(path) and not prefix

    @property
    def has_tree(self) -> bool:
        """True if the hierarchy is a tree."""
        return self.spec not in ("", *_WITHOUT_TREE)

    @property
    def command(self) -> str:
        """Command that prints the tree."""
        return as_typed("hierarchy print", self._state.name, {"column": self.column} if self.column else {})

    def follow(self) -> None:
        """Read the tree again if the column or its specification changed."""
        columns, findings = self.columns, self._state.findings or {}
        if self.column not in columns:
            self.column = columns[0] if columns else ""
        if self._shown != (wanted := (self.column, self.spec, findings.get("records"))):
            self.read()
            self._shown = wanted

    def choose_items(self) -> None:
        """Choose the first column of items, and read its tree."""
        items = [column for column in self.columns if column in item_trees(self._state.settings)]
        self.choose(items[0] if items else self.column)

    def choose(self, column: str) -> None:
        """Choose a column, and read its hierarchy."""
        self.column = column
        self.follow()

    def read(self) -> None:
        """Start to read the hierarchy of the column."""
        self.tree, self.faults, run = None, [], None
        if self.spec not in ("", RANGE):
            arguments = ["hierarchy", "print", self._state.name, "--column", self.column, "--json"]
            run = CommandRun(arguments, self._state.folder.path)
            self._state.start(self._read(run, self._run))
        self._run = run

    def choose_spec(self, spec: str) -> None:
        """Change the hierarchy of the column.

        Raises
        ------
        InputError
            If a publication is being made, or the file is outside of the folder.
        """
        if path := split_spec(spec)[1]:
            self._beside(path)
        self._state.change(with_hierarchy(self._state.settings, self.column, spec))

    def click(self, node: int) -> None:
        """Set or remove a ceiling at a node.

        Raises
        ------
        InputError
            If a publication is being made.
        """
        if self.tree is not None:
            labels = self.tree.with_ceiling(node)
            self._write_ceilings(labels)
            nodes = self.tree.hierarchy.node_of
            self.tree = replace(self.tree, ceilings=frozenset(nodes[label] for label in labels))

    def _write_ceilings(self, labels: list[str]) -> None:
        self._state.require_not_publishing()
        file = self._beside(f"{self._stem}-ceiling.txt")
        if labels:
            file.write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
        self._state.change({"ceiling": {self.column: file.name if labels else None}})
        if not labels:
            file.unlink(missing_ok=True)

    async def rename(self, node: int, label: str) -> None:
        """Rename a node in the hierarchy file.

        Raises
        ------
        InputError
            If a publication is being made, or the label is invalid.
        """
        self._state.require_not_publishing()
        if self.tree is None:
            return
        old = self.tree.hierarchy.labels[node]
        ceilings = [self.tree.hierarchy.labels[one] for one in sorted(self.tree.ceilings)]
        file = self._beside(self.spec)
        with replacement(file) as new:
            await self._run_quietly("rename", "--", str(file), old, label, str(new))
        if old in ceilings:
            self._write_ceilings([label if one == old else one for one in ceilings])
        self.read()

    async def write_to_file(self) -> None:
        """Write the tree of a rule to a file, and use this file as the hierarchy, so that its nodes can be renamed."""
        names = (f"{self._stem}-hierarchy{'' if number == 1 else f'-{number}'}.csv" for number in count(1))
        file = next(path for path in map(self._beside, names) if not path.exists())
        rule = ("--column", self.column, "--spec", self.spec)
        await self._run_quietly("build", self._state.name, *rule, "-o", str(file))
        self.choose_spec(file.name)

    async def _run_quietly(self, *arguments: str) -> None:
        """Run a command that writes a hierarchy file.

        Raises
        ------
        InputError
            If the command fails.
        """
        run = CommandRun(["hierarchy", *arguments], self._state.folder.path)
        if await run.finish():
            raise InputError(" ".join(run.errors))

    @property
    def _stem(self) -> str:
        job = self._state.job
        return re.sub(r"[^\w-]", "_", f"{'' if job is None else job.stem}-{self.column}")

    def _beside(self, name: str) -> Path:
        job = self._state.job
        return self._state.folder.inside(name if job is None else job.parent / name)

    async def _read(self, run: CommandRun, before: CommandRun | None) -> None:
        if before is not None:
            await before.cancel()
        await run.finish()
        if self._run is not run:
            return
        if run.result is not None and not run.code:
            self.tree = await asyncio.to_thread(ColumnHierarchy.of_contents, run.result)
            return
        faults = run.errors or [f"The command failed (exit code {run.code})."]
        if self.is_file:
            check = CommandRun(["hierarchy", "check", str(self._beside(self.spec)), "--json"], self._state.folder.path)
            await check.finish()
            if check.code and check.result is not None:
                faults = [fault["fault"] for fault in check.result["faults"]]
        if self._run is run:
            self.faults = faults


def _hierarchies(state: OpenJob) -> Mapping[str, Any]:
    """Return the hierarchies as written in the job file, with relative paths."""
    raw = state.raw
    answers: Mapping[str, Any] = raw.get("unit_is", {}).get(state.unit, {})
    return dict(column_settings({**raw.get("hierarchy", {}), **answers.get("hierarchy", {})}))
