"""Hierarchy of a column that the page shows and edits."""

import asyncio
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from anonset.data import Hierarchy
from anonset.data.array_types import Int64
from anonset.data.hierarchies.hierarchy_rules import RANGE, VALUES, is_coarser
from anonset.data.hierarchies.tree_edits import delete_group, rename_node
from anonset.errors import InputError
from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.reading.hierarchies.files import read_hierarchy, write_hierarchy
from anonset.reading.hierarchies.specs import split_spec
from anonset.settings.edits import QUESTIONS, edited
from anonset.settings.job import Job
from anonset.settings.job_changes import hierarchy_choices
from anonset.settings.job_files import column_settings
from anonset.settings.model_choices import item_trees
from anonset.spelling import as_typed
from anonset.ui.state.command_runs import CommandRun, Commands
from anonset.ui.state.folder import replacement
from anonset.ui.state.history import History
from anonset.ui.state.open_job import OpenJob

_WITHOUT_TREE = (RANGE, VALUES)
_UNKNOWN = -1
"""Number of records below a node before they are counted."""
_NAMED = 3
"""Maximum number of vanished groups that a sentence names."""


class TreeState(Commands):
    """Hierarchy of the chosen column, which a command in another process reads."""

    def __init__(self, state: OpenJob) -> None:
        super().__init__(state.folder)
        self.column = ""
        self.tree: ColumnHierarchy | None = None
        self.faults: list[str] = []
        """Faults of the hierarchy, one on each line."""
        self.effect = ""
        """Effect of the last edit in words."""
        self._history = History()
        self._state = state
        self._shown: object = None
        """Column, specification and number of records of the tree that was read last."""

    @property
    def columns(self) -> list[str]:
        """Columns with a hierarchy."""
        return [*self._state.stated.entries("hierarchy")]

    @property
    def spec(self) -> str:
        """Specification of the hierarchy in the job file."""
        return str(_hierarchies(self._state).get(self.column, ""))

    @property
    def choices(self) -> dict[str, str]:
        """Rules and hierarchy files that the owner can choose for the column, each with a description."""
        findings: Mapping[str, Any] = self._state.findings or {}
        proposed = {column["name"]: column["hierarchy"] for column in findings.get("columns", ())}
        choices = hierarchy_choices(self._state.stated, self.column, proposed.get(self.column))
        data = str(self._state.raw.get("input", ""))
        files = {name: "hierarchy file" for name in self._state.folder.data() if name != data}
        return {**{spec: choices.get(spec, "in the job file") for spec in [self.spec] if spec}, **choices, **files}

    @property
    def is_file(self) -> bool:
        """True if the hierarchy is a file."""
        prefix, path = split_spec(self.spec)
        return bool(path) and not prefix

    @property
    def is_edited(self) -> bool:
        """True if the hierarchy is a file with a name that `start_editing` gives. The page changes no other files."""
        return self.is_file and re.fullmatch(rf"{re.escape(self._stem)}-hierarchy(-\d+)?\.csv", self.spec) is not None

    @property
    def why_not_editable(self) -> str:
        """Reason why the tree cannot become a file. Empty if it can."""
        if not is_coarser(self.spec):
            return ""
        return (
            f"The rule {self.spec} never publishes full values. A hierarchy file could publish them. To edit the "
            "groups by hand, first choose a rule without “from-”, if full values may be published."
        )

    @property
    def has_tree(self) -> bool:
        """True if the hierarchy is a tree."""
        return self.spec not in ("", *_WITHOUT_TREE)

    @property
    def undoable(self) -> str:
        """Last edit of this hierarchy in words. Empty if there is none to undo."""
        edit = self._history.last(self._edited)
        return "" if edit is None else edit.words

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
        items = [column for column in self.columns if column in item_trees(self._state.stated)]
        self.choose(items[0] if items else self.column)

    def choose(self, column: str) -> None:
        """Choose a column, and read its hierarchy."""
        self.column, self.effect = column, ""
        self.follow()

    def read(self) -> None:
        """Start to read the hierarchy of the column."""
        self.tree = None
        self._start_reading()

    def _start_reading(self) -> None:
        self.faults = []
        self.start(self._read)

    async def choose_spec(self, spec: str) -> None:
        """Change the hierarchy of the column.

        Raises
        ------
        InputError
            If a publication is being made, the file is outside of the folder, or the rule does not fit the column.
        """
        prefix, path = split_spec(spec)
        is_file = bool(path) and self._in_job_folder(path).exists() and not prefix  # the screen lists its faults
        if not is_file and spec not in _WITHOUT_TREE:
            with tempfile.TemporaryDirectory(prefix="anonset-ui-") as place:
                await self._build(spec, Path(place) / "hierarchy.csv")
        self.effect = ""
        self._state.change(edited(self._state.stated, Job({"hierarchy": {self.column: spec}})))

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
        file = self._in_job_folder(f"{self._stem}-ceiling.txt")
        if labels:
            file.write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
        self._state.change(self._state.stated.with_entry("ceiling", self.column, file.name if labels else None))
        if not labels:
            file.unlink(missing_ok=True)

    async def start_editing(self) -> None:
        """Write the tree to a new file next to the job file, and use this file as the hierarchy.

        Raises
        ------
        InputError
            If a publication is being made, or the hierarchy is invalid, or its rule never publishes full values.
        """
        self._state.require_not_publishing()
        if self.why_not_editable:
            raise InputError(self.why_not_editable)
        names = (f"{self._stem}-hierarchy{'' if number == 1 else f'-{number}'}.csv" for number in count(1))
        file = next(path for path in map(self._in_job_folder, names) if not path.exists())
        spec = self.spec
        if spec == VALUES and self.tree is not None:
            spec = f"balanced:{max(2, self.tree.hierarchy.n_leaves)}"
        await self._build(spec, file)
        before = self._state.stated
        ceiling = before.entries("ceiling").get(self.column)  # the nodes keep their names
        after = edited(before, Job({"hierarchy": {self.column: file.name}}))
        self._state.change(after.with_entry("ceiling", self.column, ceiling))
        self.effect = f"Changes are saved in {self._state.folder.relative(file)}."

    def rename(self, old: str, new: str) -> None:
        """Rename a group.

        Raises
        ------
        InputError
            If a publication is being made, or the label is invalid.
        """
        if new != old:
            self.edit(f"“{old}” renamed to “{new}”.", rename_node, old, new, renamed=(old, new))

    def edit(
        self, words: str, change: Callable[..., Hierarchy], *arguments: Any, renamed: tuple[str, str] = ("", "")
    ) -> None:
        """Change the hierarchy file.

        Parameters
        ----------
        words
            Effect of the edit, for the owner.
        change
            Function of `anonset.data.hierarchies.tree_edits`.
        arguments
            Further arguments of `change`.
        renamed
            Old and new label of a renamed group.

        Raises
        ------
        InputError
            If a publication is being made, or the edit is refused.
        """
        self._state.require_not_publishing()
        file, ceilings = self._in_job_folder(self.spec), self._ceilings()
        tree = read_hierarchy(file)
        made = change(tree, *arguments)
        with self._history.edit(words, file, ceilings), replacement(file) as new:
            write_hierarchy(made, new)
        self.effect = f"{words}{'' if change is delete_group else _vanished(tree, made, arguments)}"
        self._show(made, [renamed[1] if label == renamed[0] else label for label in ceilings])

    def undo(self) -> None:
        """Undo the last edit of this hierarchy.

        Raises
        ------
        InputError
            If a publication is being made, or another program changed the file.
        """
        self._state.require_not_publishing()
        if (file := self._edited) is None or (edit := self._history.undo(file)) is None:
            return
        self.effect = f"Undone: {edit.words}"
        self._show(read_hierarchy(file), edit.shown)

    @property
    def _edited(self) -> Path | None:
        """Path of the hierarchy file that the page may change, or None."""
        return self._in_job_folder(self.spec) if self.is_edited else None

    @property
    def _has_numbered_ceiling(self) -> bool:
        """True if the ceiling is a column of the hierarchy file, which edits do not change."""
        return str(self._state.stated.entries("ceiling").get(self.column, "")).isdecimal()

    def _ceilings(self) -> list[str]:
        return [] if self.tree is None else [self.tree.hierarchy.labels[node] for node in sorted(self.tree.ceilings)]

    def _show(self, hierarchy: Hierarchy, ceilings: list[str]) -> None:
        """Show an edited hierarchy, and start to count the records of its groups.

        A ceiling whose group vanished, or that is now below another ceiling, is removed.
        """
        nodes = {hierarchy.node_of[label] for label in ceilings if label in hierarchy.node_of}
        highest = frozenset(node for node in nodes if nodes.isdisjoint(hierarchy.ancestors(node)))
        if self.tree is not None:
            records = _known_records(self.tree, hierarchy)
            labels = [hierarchy.labels[node] for node in sorted(highest)]
            if labels != self._ceilings() and not self._has_numbered_ceiling:
                self._write_ceilings(labels)
                if lost := [label for label in ceilings if label not in labels]:
                    self.effect += f" Ceilings removed: {', '.join(lost)}."
            self.tree = replace(self.tree, hierarchy=hierarchy, records=records, ceilings=highest)
        self._start_reading()

    async def _build(self, spec: str, file: Path) -> None:
        """Write the hierarchy of the column by a specification to a file.

        Raises
        ------
        InputError
            If the specification does not fit the column.
        """
        prefix, path = split_spec(spec)
        spec, column = f"{prefix}{self._in_job_folder(path)}" if path else prefix, self.column
        arguments = ["hierarchy", "build", self._state.name, "--column", column, "--spec", spec, "-o", str(file)]
        run = CommandRun(arguments, self._state.folder.path)
        if await run.finish():
            raise InputError(" ".join(run.errors))

    @property
    def _stem(self) -> str:
        job = self._state.job
        return re.sub(r"[^\w-]", "_", f"{'' if job is None else job.stem}-{self.column}")

    def _in_job_folder(self, name: str) -> Path:
        job = self._state.job
        return self._state.folder.inside(name if job is None else job.parent / name)

    async def _read(self) -> None:
        if self.spec in ("", RANGE):
            return
        run = await self.execute("hierarchy", "print", self._state.name, "--column", self.column, "--json")
        if run.result is not None and not run.code:
            tree, shown = await asyncio.to_thread(ColumnHierarchy.of_contents, run.result), self.tree
            if shown is not None and _is_same(shown.hierarchy, tree.hierarchy):
                tree = replace(tree, hierarchy=shown.hierarchy)  # the page replaces a tree only if it changed
            self.tree = tree
            return
        faults = run.errors or [f"The command failed (exit code {run.code})."]
        if self.is_file:
            check = await self.execute("hierarchy", "check", str(self._in_job_folder(self.spec)), "--json")
            if check.code and check.result is not None:
                faults = [fault["fault"] for fault in check.result["faults"]]
        self.faults = faults
        if self.is_edited and self.tree is None:
            self.tree = await asyncio.to_thread(_uncounted, self.column, self._in_job_folder(self.spec))


def _uncounted(column: str, file: Path) -> ColumnHierarchy | None:
    """Return the hierarchy in a file without record counts, so that the owner can edit it although values of the data
    are missing. None if the file is invalid.
    """
    try:
        hierarchy = read_hierarchy(file)
    except InputError:
        return None
    return ColumnHierarchy(column, hierarchy, np.full(hierarchy.n_nodes, _UNKNOWN, np.int64))


def _vanished(before: Hierarchy, after: Hierarchy, named: tuple[Any, ...]) -> str:
    """Return a sentence about the groups that an edit removed because they had fewer than two members left."""
    left = [label for label in before.labels if label not in after.node_of and label not in named]
    if not left:
        return ""
    if len(left) == 1:
        return f" The group “{left[0]}” vanished: it had fewer than two members."
    more = f" and {len(left) - _NAMED:,} more" if len(left) > _NAMED else ""
    return f" The groups {', '.join(left[:_NAMED])}{more} vanished: they had fewer than two members."


def _is_same(one: Hierarchy, other: Hierarchy) -> bool:
    return one.labels == other.labels and bool((one.parent == other.parent).all())


def _known_records(shown: ColumnHierarchy, edited: Hierarchy) -> Int64:
    """Return the number of records of each node of an edited tree, int64 (V,). It is `_UNKNOWN` if the leaves of a node
    changed.
    """
    known = dict(zip(_identities(shown.hierarchy), shown.records.tolist(), strict=True))
    return np.array([known.get(node, _UNKNOWN) for node in _identities(edited)], np.int64)


def _identities(tree: Hierarchy) -> list[tuple[str, int]]:
    """Return the label of each node with a number for the set of its leaves."""
    numbers = np.array([hash(label) for label in tree.leaves.labels], np.int64)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(numbers)])
    return list(zip(tree.labels, (ends[tree.leaf_hi] - ends[tree.leaf_lo]).tolist(), strict=True))


def _hierarchies(state: OpenJob) -> dict[str, str]:
    """Return the hierarchies as written in the job file, with relative paths."""
    answer = Job(state.raw.get(QUESTIONS["unit"], {}).get(state.unit, {}))
    return dict(column_settings({**state.raw.entries("hierarchy"), **answer.entries("hierarchy")}))
