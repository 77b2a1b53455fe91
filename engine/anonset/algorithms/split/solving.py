"""Split and solve: the data are cut into parts, each part is anonymized by itself, and the parts are published as one.

What holds of the union: a record's relational tuple is shared by k records of its own part at least, and under `kkm`
those of a tuple, whatever parts they are in, are the union of sets that are k^m-anonymous each. Domains, and with them
losses and widths, are those of the whole data. Nothing of what is published tells the part: rows stand by their
content, names are given when all parts are done.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import pairwise
from math import fsum
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, Progress, Result, run_tasks
from anonset.algorithms.split.median_cuts import cut_into_parts
from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet
from anonset.data.domains import with_range
from anonset.data.mapped import space
from anonset.data.table import Int64
from anonset.errors import InfeasibleError
from anonset.generalization import PerCluster, RelationalValues
from anonset.generalization.local import MappingsInParts
from anonset.generalization.recoding import Parts

MOST_MERGED = 64
"""A part that is infeasible joins its neighbours until it is so many times as large as fits."""
_MEANS = frozenset({"rum", "rum_before", "tum", "tum_before", "ncp", "ncp_before"})
"""Figures of an average record."""
_EXTREMES = {"largest_cluster": max, "smallest_cluster": min}

Span = tuple[int, int]
"""Where the records of a part begin and end in the order of the parts."""


@dataclass(frozen=True)
class _Part:
    """A part, and what was decided of it; None: it is infeasible by itself."""

    span: Span
    result: Result | None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class _Solver(Discreet):
    """Anonymizes a part, here or on a worker."""

    algorithm: Algorithm
    table: Table
    hierarchies: Mapping[str, Hierarchy]
    record: Int64

    def __call__(self, span: Span, executor: Executor | None = None) -> _Part:
        records = np.asarray(self.record[slice(*span)])
        sets = self.table.transactions
        part = replace(
            self.table,
            transactions=None if sets is None else sets.take(records),
            relational=tuple(column.take(records) for column in self.table.relational),
        )
        try:
            found = self.algorithm.recode(part, self.hierarchies, executor=executor)
        except InfeasibleError as error:
            return _Part(span, None, error.reason)
        return _Part(span, Result(found.recoding, (), found.figures, found.notes))


def split_and_solve(
    algorithm: Algorithm,
    most: int,
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Result:
    """Cut a table into parts of at most `most` records, anonymize each, and return the recoding of all.

    A table that fits is not cut: its result is the algorithm's own. Otherwise there is no trace, and the figures are
    those of all parts together. The result does not depend on where the parts are solved. In this process they are
    solved one after the other, and the algorithm has the threads (two parts at a time were slower: much of the work is
    Python's); on workers of a cluster side by side.

    Raises
    ------
    InputError
        If the columns are not what the algorithm needs.
    InfeasibleError
        If a part stays infeasible, however many neighbours it is merged with.
    """
    if table.n <= most or not table.relational:
        return algorithm.recode(table, hierarchies, executor=executor, progress=progress)
    ranged = tuple(map(with_range, table.relational))
    whole = replace(table, relational=ranged, sensitive=None, ids=(), kept=(), work=None)
    remote = bool(getattr(executor, "remote", False))
    threads = None if remote else executor
    k = int(getattr(algorithm, "k", 1))
    cuts = cut_into_parts(ranged, hierarchies, k, most, work=table.work, executor=threads)
    solver = _Solver(algorithm, whole, hierarchies, cuts.record)

    def solve(spans: Sequence[Span]) -> list[_Part]:
        found, done = [], 0
        tasks = run_tasks(executor, solver, spans) if remote else (solver(span, executor) for span in spans)
        for part in tasks:
            found.append(part)
            done += part.span[1] - part.span[0]
            if progress is not None:
                progress("parts", float(done), float(table.n))
        return found

    ends = cuts.first.tolist()
    parts = solve(list(pairwise(ends)))
    while any(part.result is None for part in parts):
        parts = _merged(algorithm.name, parts, cuts.record, most, solve)
    return _union(table, parts, cuts.record)


def _merged(name: str, parts: Sequence[_Part], record: Int64, most: int, solve: Any) -> list[_Part]:
    """Merge each infeasible part with the next one, the last with the one before, and solve what was merged."""
    groups: list[list[_Part]] = []
    for part in parts:
        if groups and len(groups[-1]) == 1 and groups[-1][0].result is None:
            groups[-1].append(part)
        else:
            groups.append([part])
    if len(groups) > 1 and len(groups[-1]) == 1 and groups[-1][0].result is None:
        last = groups.pop()
        groups[-1] += last
    changed = []
    for group in groups:
        first, end = group[0].span[0], group[-1].span[1]
        failed = [part for part in group if part.result is None]
        if failed and (len(groups) == len(parts) or end - first > MOST_MERGED * most):
            reason = (
                f"{end - first:,} of {len(record):,} records, which are a part of the data or several that were "
                f"merged, are infeasible by themselves: {failed[0].reason}"
            )
            raise InfeasibleError(name, reason)
        if failed:
            record[first:end] = np.sort(record[first:end])
            changed.append((first, end))
    solved = iter(solve(changed))
    return [next(solved) if len(group) > 1 else group[0] for group in groups]


def _union(table: Table, parts: Sequence[_Part], record: Int64) -> Result:
    """Return the recoding of all parts, and their figures together."""
    cluster, n_clusters = space(table.work, "cluster", np.int32, table.n), [0]
    recodings, labels = [], {column.name: list[str]() for column in table.relational}
    for part in parts:
        recoding = None if part.result is None else part.result.recoding
        if not isinstance(recoding, PerCluster):
            msg = f"an algorithm that runs part by part must give a recoding per cluster, got {type(recoding).__name__}"
            raise TypeError(msg)
        cluster[record[slice(*part.span)]] = recoding.cluster + np.int32(n_clusters[-1])
        n_clusters.append(n_clusters[-1] + recoding.n_clusters)
        recodings.append(recoding)
        for values in recoding.relational:
            labels[values.name] += values.labels
    first = np.array([part.span[0] for part in parts] + [table.n], np.int64)
    items = MappingsInParts(tuple(one.items for one in recodings), tuple(n_clusters)) if recodings[0].items else ()
    relational = tuple(RelationalValues(name, tuple(texts)) for name, texts in labels.items())
    whole = PerCluster(cluster, items, relational, Parts(record, first, np.array(n_clusters, np.int64)))
    notes = dict.fromkeys(note for part in parts if part.result is not None for note in part.result.notes)
    return Result(whole, (), _figures(parts, table.n), tuple(notes))


def _figures(parts: Sequence[_Part], n: int) -> dict[str, float]:
    """Return the figures that all parts have: means by their records, extremes, or else sums; and their sizes."""
    sizes = [part.span[1] - part.span[0] for part in parts]
    each = [part.result.figures for part in parts if part.result is not None]
    found: dict[str, float] = {}
    for name in each[0]:
        if any(name not in figures for figures in each):
            continue
        values = [figures[name] for figures in each]
        if name in _MEANS:
            found[name] = fsum(size * value for size, value in zip(sizes, values, strict=True)) / n
        else:
            found[name] = _EXTREMES.get(name, sum)(values)
    return {**found, "parts": float(len(parts)), "smallest_part": float(min(sizes)), "largest_part": float(max(sizes))}
