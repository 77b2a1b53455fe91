"""Batches of a source as encoded columns. Parts of a source can be read by tasks of a cluster."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset import arrow
from anonset.data import CategoricalColumn, SetColumn
from anonset.data.array_types import UInt64
from anonset.data.codes import MOST_CODES, as_codes, stored_codes
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import Store
from anonset.data.table_facts import WITHOUT_ID
from anonset.errors import InputError
from anonset.reading.batches import Batch, OpenedSource, SourcePart, with_more
from anonset.reading.cells.columns import Encoder
from anonset.reading.cells.normalizing import Changes
from anonset.reading.cells.numbers import Numbers
from anonset.reading.persons.id_hashes import hash_ids
from anonset.reading.persons.merging import Merging, Rows, SortedRun, write_run
from anonset.reading.plan import Plan


@dataclass(frozen=True, eq=False)
class EncodedBatch(RedactedRepr):
    """Encoded rows of a batch. Kept columns are included only in tasks of workers, and if rows are merged."""

    where: str
    """Name of the file, for messages."""
    n: int
    """Number of rows."""
    sets: SetColumn | None
    numbers: Mapping[str, Numbers]
    """Numeric columns by name."""
    texts: Mapping[str, CategoricalColumn]
    """Categorical columns by name."""
    changed_rows: Mapping[str, int] = field(default_factory=dict)
    """Numbers of changed rows, as in `Batch`."""
    hashes: UInt64 | None = None
    """Hashes of the ids and of their spelling, uint64 (n, 3). None if rows are not merged."""
    run: SortedRun | None = None
    """Rows in a file. The columns of this object then contain labels, but no rows. None if rows are not merged."""
    table: int = 0
    """Number of the linked table of the rows."""


def encode(
    plan: Plan,
    encoder: Encoder,
    batch: Batch,
    texts: Sequence[str],
    ids: Sequence[str] = (),
    merging: Merging | None = None,
) -> EncodedBatch:
    """Encode the sets, the numbers, and the columns `texts` of a batch, and check the ids in the columns `ids`. If rows
    are merged, hash the ids. A batch of linked tables may lack columns.
    """
    sets = plan.sets(encoder, batch.columns)
    numeric = [name for name in plan.roles.relational if name in plan.numbers and name in batch.columns]
    numbers = {name: encoder.numbers(name, batch.columns[name]) for name in numeric}
    categories = {name: encoder.category(name, batch.columns[name]) for name in texts if name in batch.columns}
    first = next(iter(batch.columns.values()))
    n = first.n if isinstance(first, SetColumn) else len(first)
    identifiers = [encoder.identifier(name, batch.columns[name]) for name in ids]
    hashes = None if merging is None else hash_ids(merging.key, identifiers)
    return EncodedBatch(batch.where, n, sets, numbers, categories, batch.changed_rows, hashes, table=batch.table)


def as_run(batch: EncodedBatch, merging: Merging) -> EncodedBatch:
    """Write the rows of a batch to a file, so that rows with the same id can be merged."""
    layout, n = merging.layout, batch.n
    lists = list[tuple[Any, NDArray[Any]]]()
    if layout.sets:
        no_items = np.zeros(n + 1, np.int64), np.empty(0, np.uint16)
        lists.append(no_items if batch.sets is None else (batch.sets.indptr, stored_codes(_narrow(batch.sets).codes)))
    for name in layout.texts:
        column = batch.texts.get(name)
        labels = arrow.text_array([""] if column is None else column.vocabulary.labels)
        lists.append(arrow.text_of(arrow.chosen(labels, np.zeros(n, np.int32) if column is None else column.codes)))
    columns: list[NDArray[Any]] = [
        *(batch.numbers[name].values if name in batch.numbers else np.zeros(n) for name in layout.numbers),
        *(batch.texts[name].codes if name in batch.texts else np.zeros(n, np.int32) for name in layout.categories),
    ]
    assert batch.hashes is not None
    sets = batch.sets
    return replace(
        batch,
        sets=None if sets is None else replace(sets, indptr=np.zeros(1, np.int64), codes=np.empty(0, np.int32)),
        numbers={name: replace(batch.numbers[name], values=np.empty(0)) for name in batch.numbers},
        texts={
            name: replace(batch.texts[name], codes=np.empty(0, np.int32))
            for name in layout.categories
            if name in batch.texts
        },
        hashes=None,
        run=write_run(batch.hashes, Rows(columns, lists), layout, merging.store),
    )


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
    ids: Sequence[str] = ()
    """Id columns that are checked, and hashed if rows are merged."""
    merging: Merging | None = None
    """Files of the rows, if rows with the same id are merged."""

    def __call__(self, task: tuple[SourcePart, bool]) -> "EncodedPart":
        """Read and encode a part of the source."""
        (part, more), encoded, facts = task, list[EncodedBatch](), None
        encoder, row = replace(self.encoder, unjudged={}, several=set(), changes=Changes()), part.row
        for batch, follows in with_more(part.batches(self.names)):
            before = batch.before + (part.before or 0)
            now = replace(encoder, where=batch.where, before=before, more=follows or more)
            rows = encode(self.plan, now, batch, self.texts, self.ids, self.merging)
            if self.require_expected is not None and row is not None and rows.sets is not None:
                self.require_expected(row, rows.sets)
                rows = replace(rows, sets=None)
            if self.merging is not None:
                rows = as_run(rows, self.merging)
            rows = rows if rows.sets is None else replace(rows, sets=_narrow(rows.sets))
            encoded.append(_with_labels_of(encoded[-1], rows) if encoded else rows)
            row, facts = None if row is None else row + rows.n, batch.facts
        return EncodedPart(encoded, encoder.unjudged or {}, encoder.several, encoder.changes, facts)


class EncodedPart(NamedTuple):
    """Part of a source that a task has read."""

    batches: list[EncodedBatch]
    unjudged: dict[str, set[str]]
    """Distinct items of each column that still need a check."""
    several: set[str]
    """Columns with several items in a cell."""
    changes: Changes
    """Labels that rules have changed."""
    facts: Any
    """Facts about the text."""


def _narrow(sets: SetColumn) -> SetColumn:
    fits = len(sets.vocabulary) <= MOST_CODES
    return replace(sets, codes=as_codes(sets.items.astype(np.uint16))) if fits else sets


def _with_labels_of(before: EncodedBatch, rows: EncodedBatch) -> EncodedBatch:
    """Share the vocabulary of the previous batch if the labels are equal, so that the vocabulary is sent only once."""
    if before.sets is None or rows.sets is None or before.sets.vocabulary.labels != rows.sets.vocabulary.labels:
        return rows
    return replace(rows, sets=replace(rows.sets, vocabulary=before.sets.vocabulary))


def encoded_on_workers(
    source: OpenedSource, parts: Sequence[SourcePart], task: PartTask, store: Store
) -> Iterator[EncodedBatch]:
    """Yield the encoded batches of all parts, in order. Collect the items that need a check and the changes by rules
    in the encoder of the task, and the facts in the source.
    """
    tasks = [(part, number + 1 < len(parts)) for number, part in enumerate(parts)]
    results, rows = store.map(task, tasks), Counter[str]()
    for part, more in tasks:
        try:
            read = next(results)
        except InputError:
            if part.before is None:  # reads the part again to report the row of the file
                task((replace(part, before=rows[part.path]), more))
            raise
        source.merge(read.facts, read.batches[-1].table)
        task.encoder.several.update(read.several)
        task.encoder.changes.add(read.changes)
        for name, labels in read.unjudged.items():
            (task.encoder.unjudged or {}).setdefault(name, set()).update(labels)
        rows[part.path] += sum(batch.n + batch.changed_rows.get(WITHOUT_ID, 0) for batch in read.batches)
        yield from read.batches
