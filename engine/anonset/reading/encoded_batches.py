"""Batches of a source as encoded columns. Parts of a source can be read by tasks of a cluster."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.codes import MOST_CODES, as_codes
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.store import Store
from anonset.errors import InputError
from anonset.reading.batches import Batch, OpenedSource, SourcePart
from anonset.reading.columns import Encoder
from anonset.reading.numbers import Numbers
from anonset.reading.plan import Plan

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class EncodedBatch(RedactedRepr):
    """Encoded rows of a batch. Id columns are not included, and kept columns are included only in tasks of workers."""

    where: str
    """Name of the file, for messages."""
    n: int
    """Number of rows."""
    sets: SetColumn | None
    numbers: Mapping[str, Numbers]
    """Numeric columns by name."""
    texts: Mapping[str, CategoricalColumn]
    """Categorical columns by name."""


def encode(plan: Plan, encoder: Encoder, batch: Batch, texts: Sequence[str]) -> EncodedBatch:
    """Encode the sets, the numbers, and the columns `texts` of a batch."""
    sets = plan.sets(encoder, batch.columns)
    numeric = [name for name in plan.roles.relational if name in plan.numbers]
    numbers = {name: encoder.numbers(name, batch.columns[name]) for name in numeric}
    categories = {name: encoder.category(name, batch.columns[name]) for name in texts}
    first = next(iter(batch.columns.values()))
    return EncodedBatch(batch.where, first.n if isinstance(first, SetColumn) else len(first), sets, numbers, categories)


def with_more(batches: Iterator[_T]) -> Iterator[tuple[_T, bool]]:
    """Yield each element, and True if another element follows."""
    batch = next(batches)
    for following in batches:
        yield batch, True
        batch = following
    yield batch, False


@dataclass(frozen=True)
class PartTask(RedactedRepr):
    """Task that reads and encodes a part of a source."""

    plan: Plan
    encoder: Encoder
    names: Sequence[str]
    """Columns to read."""
    texts: Sequence[str]
    """Categorical columns."""
    require_expected: Callable[[int, SetColumn], None] | None
    """Function that compares sets with expected sets from a given row on, and rejects different sets. The task then
    does not return the sets. The function is not called for parts whose first row is unknown. None if any sets are
    accepted.
    """

    def __call__(self, task: tuple[SourcePart, bool]) -> tuple[list[EncodedBatch], dict[str, set[str]], set[str], Any]:
        """Read and encode a part of the source. Return its batches, the distinct items of each column that still need a
        check, the columns with several items in a cell, and the facts about the text.
        """
        (part, more), encoded, facts = task, list[EncodedBatch](), None
        encoder, row = replace(self.encoder, unjudged={}, several=set()), part.row
        for batch, follows in with_more(part.batches(self.names)):
            before = batch.before + (part.before or 0)
            now = replace(encoder, where=batch.where, before=before, more=follows or more)
            rows = encode(self.plan, now, batch, self.texts)
            if self.require_expected is not None and row is not None and rows.sets is not None:
                self.require_expected(row, rows.sets)
                rows = replace(rows, sets=None)
            rows = rows if rows.sets is None else replace(rows, sets=_narrow(rows.sets))
            encoded.append(_with_labels_of(encoded[-1], rows) if encoded else rows)
            row, facts = None if row is None else row + rows.n, batch.facts
        return encoded, encoder.unjudged or {}, encoder.several, facts


def _narrow(sets: SetColumn) -> SetColumn:
    fits = len(sets.vocabulary) <= MOST_CODES
    return replace(sets, codes=as_codes(sets.items.astype(np.uint16))) if fits else sets


def _with_labels_of(before: EncodedBatch, rows: EncodedBatch) -> EncodedBatch:
    """Share the vocabulary of the previous batch if the labels are equal, so that the vocabulary is sent only once."""
    if before.sets is None or rows.sets is None or before.sets.vocabulary.labels != rows.sets.vocabulary.labels:
        return rows
    return replace(rows, sets=replace(rows.sets, vocabulary=before.sets.vocabulary))


def parts_for_workers(source: OpenedSource, encoder: Encoder, store: Store) -> Sequence[SourcePart]:
    """Return the parts of a source that workers in other processes can read. Empty if this process reads it."""
    if not store.workers.remote or encoder.normalize:
        return ()
    return source.parts(store.workers)


def encoded_on_workers(
    source: OpenedSource, parts: Sequence[SourcePart], task: PartTask, store: Store
) -> Iterator[EncodedBatch]:
    """Yield the encoded batches of all parts, in order. Collect the items that need a check in the encoder of
    the task, and the facts in the source.
    """
    tasks = [(part, number + 1 < len(parts)) for number, part in enumerate(parts)]
    results, rows = store.map(task, tasks), Counter[str]()
    for part, more in tasks:
        try:
            batches, unjudged, several, facts = next(results)
        except InputError:
            if part.before is None:  # reads the part again to report the row of the file
                task((replace(part, before=rows[part.path]), more))
            raise
        source.merge(facts)
        task.encoder.several.update(several)
        for name, labels in unjudged.items():
            (task.encoder.unjudged or {}).setdefault(name, set()).update(labels)
        rows[part.path] += sum(batch.n for batch in batches)
        yield from batches
