"""Run tasks on the parts of a table, sequentially or on workers, and combine the results."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Protocol

import numpy as np

from anonset.algorithms.base import Result
from anonset.data import Table
from anonset.data.array_types import Int64
from anonset.data.progress import Progress, report_progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.resumption.ledger import Ledger
from anonset.data.storage.store import Store
from anonset.errors import InfeasibleError
from anonset.generalization import PerCluster, RelationalValues
from anonset.generalization.local import MappingsInParts
from anonset.generalization.recoding import Parts

MOST_MERGED = 64
"""Maximum size of joined parts, as a multiple of the maximum part size. A part that cannot be anonymized is joined with
its neighbours.
"""
_MEANS = frozenset({"rum", "rum_before", "tum", "tum_before", "ncp", "ncp_before", "w", "estimated_item_loss"})
"""Statistics that are averages per record."""
_EXTREMES = {"largest_cluster": max, "smallest_cluster": min}

Span = tuple[int, int]
"""First record and end of a part. Records are sorted by part."""


class Task(Protocol):
    """A task on a part."""

    @property
    def name(self) -> str:
        """Name that is unique among the tasks of the run."""
        ...

    def __call__(self, part: Table, records: Int64) -> Any:
        """Return the result of a part. `records` are the positions of the part's records in the complete table.

        Raises
        ------
        InfeasibleError
            If the part is infeasible.
        """
        ...


@dataclass(frozen=True)
class SolvedPart:
    """A part and its result. The result is None if the part cannot be anonymized."""

    span: Span
    found: Any
    reason: str = ""


@dataclass(frozen=True, eq=False)
class _RunOnPart(RedactedRepr):
    task: Task
    whole: Table
    record: Int64

    def __call__(self, span: Span) -> SolvedPart:
        records = np.asarray(self.record[slice(*span)])
        sets = self.whole.transactions
        part = replace(
            self.whole,
            transactions=None if sets is None else sets.take(records),
            relational=tuple(column.take(records) for column in self.whole.relational),
            kept=tuple(column.take(records) for column in self.whole.kept),
        )
        try:
            return SolvedPart(span, self.task(part, records))
        except InfeasibleError as error:
            return SolvedPart(span, None, error.reason)


@dataclass(frozen=True, eq=False)
class PartTaskRunner(RedactedRepr):
    """Runs tasks on the parts of a table.

    In this process, parts are anonymized one by one, and the algorithm uses all threads. Two parts at a time would be
    slower, because much of the work is Python code. Workers of a cluster anonymize parts in parallel, with equal
    results.
    """

    name: str
    """Name of the algorithm, for error messages."""
    whole: Table
    """The table. Numeric columns must have a value range (`with_range`)."""
    record: Int64
    """Record numbers, sorted by part and ascending within each part, int64 (n,)."""
    most: int
    """Maximum record count of a part after splitting."""
    progress: Progress | None
    ledger: Ledger

    def solve_each(self, task: Task, spans: Sequence[Span], phase: str = "parts") -> list[SolvedPart]:
        """Run a task on the given parts, and return their results. Stored results are not computed again.

        Raises
        ------
        InputError
            If a stored result is damaged, or the disk is full.
        """
        names = {span: f"{phase}-{task.name}-{span[0]}-{span[1]}" for span in spans}
        done = {span: SolvedPart(span, self.ledger.finished(name)) for span, name in names.items()}
        missing = [span for span in spans if done[span].found is None]
        on_part, total = _RunOnPart(task, self.whole, self.record), float(sum(end - first for first, end in spans))
        store = self.whole.store
        tasks = store.map(on_part, missing) if store.workers.remote else map(on_part, missing)
        reached = total - sum(end - first for first, end in missing)
        for part in tasks:
            done[part.span] = part
            if part.found is not None:
                self.ledger.finish(names[part.span], part.found)
            reached += part.span[1] - part.span[0]
            report_progress(self.progress, phase, reached, total)
        return [done[span] for span in spans]

    def solve_joining(self, task: Task, spans: Sequence[Span]) -> list[SolvedPart]:
        """Run a task on all parts. Infeasible parts are merged with neighbouring parts.

        Raises
        ------
        InfeasibleError
            If a part remains infeasible after joining neighbouring parts.
        """
        parts = self.solve_each(task, spans)
        while any(part.found is None for part in parts):
            parts = self._merged(task, parts)
        return parts

    def _merged(self, task: Task, parts: Sequence[SolvedPart]) -> list[SolvedPart]:
        """Merge each infeasible part with the next part, and run the task on the union.

        The last part is merged with the previous part.
        """
        groups: list[list[SolvedPart]] = []
        for part in parts:
            if groups and len(groups[-1]) == 1 and groups[-1][0].found is None:
                groups[-1].append(part)
            else:
                groups.append([part])
        if len(groups) > 1 and len(groups[-1]) == 1 and groups[-1][0].found is None:
            last = groups.pop()
            groups[-1] += last
        changed = []
        for group in groups:
            first, end = group[0].span[0], group[-1].span[1]
            failed = [part for part in group if part.found is None]
            if failed and (len(groups) == len(parts) or end - first > MOST_MERGED * self.most):
                reason = (
                    f"{end - first:,} of {len(self.record):,} records, in one or several parts of the data, cannot be "
                    f"anonymized: {failed[0].reason}"
                )
                raise InfeasibleError(self.name, reason)
            if failed:
                self.record[first:end] = np.sort(self.record[first:end])
                changed.append((first, end))
        solved = iter(self.solve_each(task, changed))
        return [next(solved) if len(group) > 1 else group[0] for group in groups]


def union(n: int, parts: Sequence[SolvedPart], record: Int64, store: Store) -> Result:
    """Return the recoding of all parts of n records, with combined statistics. Each part must have a result."""
    cluster, n_clusters = store.array("cluster", np.int32, n), [0]
    recodings, labels = [], dict[str, list[str]]()
    for part in parts:
        recoding = part.found.recoding
        if not isinstance(recoding, PerCluster):
            raise TypeError(
                f"an algorithm that runs part by part must return a recoding per cluster, got {type(recoding).__name__}"
            )
        cluster[record[slice(*part.span)]] = recoding.cluster + np.int32(n_clusters[-1])
        n_clusters.append(n_clusters[-1] + recoding.n_clusters)
        recodings.append(recoding)
        for values in recoding.relational:
            labels.setdefault(values.name, []).extend(values.labels)
    first = np.array([part.span[0] for part in parts] + [n], np.int64)
    items = (
        MappingsInParts(tuple(part_recoding.items for part_recoding in recodings), tuple(n_clusters))
        if recodings[0].items
        else ()
    )
    relational = tuple(RelationalValues(name, tuple(texts)) for name, texts in labels.items())
    combined = PerCluster(cluster, items, relational, Parts(record, first, np.array(n_clusters, np.int64)))
    notes = dict.fromkeys(note for part in parts for note in part.found.notes)
    return Result(combined, (), figures_of(parts), tuple(notes))


def figures_of(parts: Sequence[SolvedPart]) -> dict[str, float]:
    """Return the part sizes, and the combined value of each statistic that all parts have."""
    sizes = [part.span[1] - part.span[0] for part in parts]
    part_figures = [part.found.figures for part in parts]
    combined: dict[str, float] = {}
    for name in part_figures[0]:
        if any(name not in figures for figures in part_figures):
            continue
        values = [figures[name] for figures in part_figures]
        if name in _MEANS:
            combined[name] = fsum(size * value for size, value in zip(sizes, values, strict=True)) / sum(sizes)
        else:
            combined[name] = _EXTREMES.get(name, sum)(values)
    return {
        **combined,
        "parts": float(len(parts)),
        "smallest_part": float(min(sizes)),
        "largest_part": float(max(sizes)),
    }
