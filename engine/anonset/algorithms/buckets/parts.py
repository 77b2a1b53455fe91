"""Safe grouping in parts. A keyed hash of the complete id assigns each individual to a part.

Nobody can compute the part of an individual without the key. A publication does not show the part of a group, because
the groups of all parts are numbered at random.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonset.algorithms.buckets.draws import Draws
from anonset.data import CategoricalColumn
from anonset.data.array_types import Bools, Int32, UInt64
from anonset.data.division import Division
from anonset.data.progress import Progress, report_progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.generalization.recoding import SUPPRESSED

TUPLES_PER_PART = 1 << 21
"""Approximate tuple count of a part. All tuples of an individual are in one part."""
MOST_MERGED = 16
"""Maximum size of joined parts, as a multiple of the part size. A part without valid groups is joined with
a neighbour.
"""
SPLIT = "safe grouping: who is in which part"


@dataclass(frozen=True, eq=False)
class PartOfTuples(RedactedRepr):
    """The tuples of a subset of the individuals."""

    rows: Int32
    """Tuple numbers, ascending, int32 (r,)."""
    name: str
    """Suffix that distinguishes the random draws of this part. Empty if there is a single part."""


@dataclass(frozen=True, eq=False)
class GroupedTuples(RedactedRepr):
    """Groups of a part's tuples."""

    part: PartOfTuples
    group: Int32
    """Group of each tuple, numbered within the part, int32 (r,). -1 if the tuple is removed."""
    starred: Bools
    """True for tuples with a hidden identity, bool (r,)."""
    figures: dict[str, int]


Solve = Callable[[PartOfTuples], GroupedTuples]


def split_individuals(
    ids: Sequence[CategoricalColumn], draws: Draws, most: int, store: Store
) -> Iterator[PartOfTuples]:
    """Yield parts of about `most` tuples each. If there are at most `most` tuples, yield a single part.

    Parameters
    ----------
    ids
        Columns that together identify an individual. All tuples of an individual are in the same part.
    store
        Store that contains the parts. The caller removes it.
    """
    n = ids[0].n
    count = -(-n // most)
    if count < 2:
        yield PartOfTuples(np.arange(n, dtype=np.int32), "")
        return
    with Division(store, count, np.int32) as division:
        for first, end in spans(n):
            division.add(_keys(ids, draws, first, end), np.arange(first, end))
        for number, rows in enumerate(division.shares(dropped=False)):
            yield PartOfTuples(rows, f", part {number}")


def _keys(ids: Sequence[CategoricalColumn], draws: Draws, first: int, end: int) -> UInt64:
    """Return the keys that assign the tuples of a block to parts. A key is a secret hash of the complete id."""
    from anonset_kernels.buckets.buckets import draw_again

    words = np.zeros(end - first, np.uint64)
    with np.errstate(over="ignore"):  # the overflow is intended: see `random_by_code`
        for column in ids:
            draw_again(words, column.codes[first:end], draws.key(SPLIT))
    return words


@dataclass(frozen=True, eq=False)
class _GroupOnWorker(RedactedRepr):
    """Groups the tuples of a part on a worker. Results are stored in files, because they grow with the tuple count."""

    solve: Solve
    store: Store

    def names(self, number: int) -> tuple[str, str]:
        return f"group-{number}", f"starred-{number}"

    def __call__(self, numbered: tuple[int, PartOfTuples]) -> GroupedTuples:
        number, part = numbered
        grouped, (group, starred) = self.solve(part), self.names(number)
        return replace(
            grouped, group=self.store.keep(group, grouped.group), starred=self.store.keep(starred, grouped.starred)
        )


def _solved(parts: Iterator[PartOfTuples], solve: Solve, store: Store) -> Iterator[GroupedTuples]:
    """Yield the groups of each part. On a cluster, `store` must be in files."""
    if not store.workers.remote:
        yield from store.map(solve, parts)
        return
    on_worker = _GroupOnWorker(solve, store)
    for number, grouped in enumerate(store.map(on_worker, enumerate(parts))):
        store.drop(*on_worker.names(number))
        yield grouped


def group_parts(
    parts: Iterator[PartOfTuples],
    solve: Solve,
    largest: int,
    progress: Progress | None,
    n: int,
    store: Store,
) -> Iterator[GroupedTuples]:
    """Yield the groups of each part. A part without groups is joined with the next part, or the last part with groups.

    Joined parts are yielded without groups if they have more than `largest` tuples, or if no other part remains.
    `store` contains the parts.
    """
    waiting: GroupedTuples | None = None
    last: GroupedTuples | None = None
    done = 0
    for grouped in _solved(parts, solve, store):
        done += len(grouped.part.rows)
        report_progress(progress, "parts", done, n)
        solved = grouped
        if waiting is not None:
            solved, waiting = solve(_joined(waiting.part, grouped.part)), None
        if not solved.figures["groups"] and len(solved.part.rows) <= largest:
            waiting = solved
            continue
        if last is not None:
            yield last
        last = solved
    if waiting is not None:
        last = waiting if last is None else solve(_joined(last.part, waiting.part))
    if last is not None:
        yield last


def _joined(first: PartOfTuples, second: PartOfTuples) -> PartOfTuples:
    return PartOfTuples(np.sort(np.concatenate([first.rows, second.rows])), f"{first.name}{second.name}")


@dataclass(frozen=True, eq=False)
class CollectedGroups(RedactedRepr):
    """The groups of all parts, collected into one table."""

    group: Int32
    starred: Bools
    first: list[int]
    """Number of the first group of each part. The last element is the total group count."""

    @classmethod
    def of(cls, n: int, store: Store) -> "CollectedGroups":
        """Allocate arrays for n tuples in the store."""
        return cls(store.array("group", np.int32, n), store.array("starred", np.bool_, n), [0])

    def add(self, grouped: GroupedTuples) -> None:
        """Append the groups of a part."""
        rows = grouped.part.rows
        self.group[rows] = np.where(grouped.group == SUPPRESSED, SUPPRESSED, grouped.group + np.int32(self.first[-1]))
        self.starred[rows] = grouped.starred
        self.first.append(self.first[-1] + grouped.figures["groups"])

    def number(self, number_of: Int32) -> None:
        """Replace each group number by its element in `number_of`, int32 (groups,)."""
        for first, end in spans(len(self.group)):
            group = self.group[first:end]
            is_grouped = group != SUPPRESSED
            group[is_grouped] = number_of[group[is_grouped]]
