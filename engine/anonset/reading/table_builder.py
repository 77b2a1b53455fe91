"""Build a table from batches of rows, in memory or in the files of a work directory.

Labels get provisional codes when they first occur. A single unusual item can change the canonical order, so the final
codes are known only after the last label. If a code has changed, all codes are rewritten.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.id_findings import placeholders_in, two_forms
from anonset.columns.identity import same_ids
from anonset.columns.ids import are_values, counted_in, values_of
from anonset.data import CategoricalColumn, Column, NumericColumn, SetColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import SetColumnBuilder
from anonset.data.codes import as_codes
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE
from anonset.data.labels.vocabulary import LabelCollector, Vocabulary, canonical_codes
from anonset.data.progress import Progress
from anonset.data.spans import ascending, spans
from anonset.data.storage.store import MEMORY, Store
from anonset.data.table_facts import COUNTRY, NOT_DESCRIBED, NOT_PUBLISHED, Change, PersonSign, changed_rows
from anonset.errors import Fix, InputError
from anonset.lazy_arrow import pa
from anonset.reading.batches import Batch, OpenedSource, ahead, open_source, with_more
from anonset.reading.cells.columns import Encoder, dictionary
from anonset.reading.cells.input_checks import require_no_names
from anonset.reading.cells.numbers import ONE_CURRENCY, Numbers
from anonset.reading.cells.texts import Categories, ExpectedColumn, ExpectedTexts, FiledIds, FiledTexts, KeptTexts
from anonset.reading.encoded_batches import (
    EncodedBatch,
    PartTask,
    as_run,
    encode,
    encoded_on_workers,
)
from anonset.reading.options import ReadOptions
from anonset.reading.persons.differing_rows import changes_by_first_values, changes_of_ids
from anonset.reading.persons.merging import PersonMerge, RowLayout, Rows, count_respelled
from anonset.reading.plan import Plan, encoder_of, require_values
from anonset.spelling import counted

_MOST_OF_PART = 1 << 28
"""Maximum size in bytes of a part with kept columns that a task reads."""
_NO_CODES = np.zeros(1, np.int32)
"""Codes of a column that a batch of linked tables lacks. Its rows have the code 0, which no record gets."""


def gather_files(source: Any, options: ReadOptions, store: Store, progress: Progress | None = None) -> Table:
    """Read any input that `source_of` accepts into a table.

    Raises
    ------
    InputError
        See `gather`.
    """
    return gather(open_source(source, options), options, store, progress)


def read_exactly(source: Path, **roles: Any) -> Table:
    """Read a text that anonset wrote, with commas, in UTF-8 and with significant blanks. Roles are as for `read`.

    Raises
    ------
    InputError
        If the file does not exist or has another form.
    """
    options = ReadOptions(separator=" ", exact=True, **roles)
    return gather(open_source(source, options), options, with_ids=True)


def gather(
    source: OpenedSource,
    options: ReadOptions,
    store: Store = MEMORY,
    progress: Progress | None = None,
    *,
    with_ids: bool | None = None,
    expected: Mapping[str, CategoricalColumn] = MappingProxyType({}),
    sets: SetColumn | None = None,
) -> Table:
    """Read the batches of a source into a table.

    Parameters
    ----------
    store
        Storage for the arrays.
    with_ids
        Whether the ids become columns of the table. If None, only the ids of buckets do, which repeat and are
        published.
    expected
        Expected content of id columns, or of kept columns, whose labels are stored in files.
    sets
        Expected set-valued column. It is compared row by row, and becomes the column of the table. If None, any
        content is accepted.

    Raises
    ------
    InputError
        If the data cannot be read, or contradict the options.
    """
    plan = Plan.of(source, options)
    read = partial(_gathered, source, options, plan, store, progress, with_ids, expected, sets)
    persons = plan.roles.id if options.person else ()
    head = source.head(persons) if persons else {}
    several = bool(source.tables) or (all(name in head for name in persons) and _repeat(head))
    table, split = read(whole=several)
    if options.person and split and table.n != table.source_rows:  # a cell is one item if a person has several rows
        table, _ = read(whole=True)
    elif split and options.separator is None and not options.exact:
        require_no_names(source.where, source.head(plan.roles.items))
    if not options.exact:
        require_values(source.where, table)
    return table


def _repeat(ids: ArrowColumns) -> bool:
    """Return True if the ids of two rows are equal."""
    if not ids or not all(map(are_values, ids.values())):
        return False
    rows, persons = counted_in(list(ids.values()))
    return persons < rows


def _gathered(
    source: OpenedSource,
    options: ReadOptions,
    plan: Plan,
    store: Store,
    progress: Progress | None,
    with_ids: bool | None,
    expected: Mapping[str, CategoricalColumn],
    sets: SetColumn | None,
    *,
    whole: bool,
) -> tuple[Table, bool]:
    """Return the table, and whether blanks split cells.

    Parameters
    ----------
    whole
        Whether a cell is one item, unless a separator is declared.
    """
    grouped = bool(options.person)
    if plan.roles.sensitive:  # ids next to a sensitive column are the left side of buckets
        with_ids = not grouped
    if grouped and (store.in_files or source.tables):
        with_ids = False
    unjudged: dict[str, set[str]] = {}
    signs = _signs(source, options, plan)
    encoder = replace(
        encoder_of(source, options, whole=whole), unjudged=unjudged, fills=plan.fills(source) if grouped else ()
    )
    plan = plan.with_marks(encoder, source.batches)
    plan.require_separate_answers(source.where, encoder, source.head)
    with _TableColumns(
        plan, store, expected, sets, options if with_ids else None, merges=grouped, described=source.described
    ) as gathering:
        gathering.read(source, encoder, progress)
        table = replace(gathering.table(encoder), tables=source.tables)
        first_value = options.differing == "first"
        if gathering.merge is not None:
            _require_described(source, gathering.merge.not_described.persons, options)
            differ, filled = gathering.merge.differences, gathering.merge.filled
            changed = changes_by_first_values(source.where, table, differ, filled, first_value=first_value)
            respelled = changes_of_ids(plan.roles.id, gathering.merge.respelled)
            unused = {*differ, *filled} - gathering.kept.keys()  # only other rows of the persons may have a label
            relational = tuple(
                _trimmed(x, store) if isinstance(x, CategoricalColumn) and x.name in unused else x
                for x in table.relational
            )
            kept = tuple(_trimmed(x, store) if x.name in unused else x for x in table.kept)
            changes = (*table.changes, *changed, *respelled)
            table = replace(table, relational=relational, kept=kept, changes=changes)
        else:
            of_ids = [
                changes_of_ids((column.name,), count_respelled(column.codes, gathering.spellings[column.name]))
                for column in table.ids
                if column.name in gathering.spellings
            ]
            table = replace(table, changes=(*table.changes, *chain(*of_ids)))
    split = not whole and bool(encoder.split_at_blanks)
    merged = grouped and table.n < gathering.n  # a cell is one item, also if the first rows do not show it
    if unjudged and not (split and merged):
        codes_declared = bool(plan.roles.one_code)
        cells = replace(encoder, whole=encoder.whole or codes_declared or merged, codes_declared=codes_declared)
        cells.judge(unjudged)
    left_out = (Change(name, NOT_PUBLISHED, 0, 0) for name in source.left_out)
    table = replace(
        table,
        rules=options.rules,
        signs=signs,
        mentions=() if options.exact else plan.mentions(table, source.head, options.separator, source.left_out),
        statements=replace(options.statements, has_further_columns=not plan.is_one_set),
        changes=(*gathering.skipped, *left_out, *table.changes),
        source_rows=gathering.n,
    )
    return table, split


def _signs(source: OpenedSource, options: ReadOptions, plan: Plan) -> tuple[PersonSign, ...]:
    """Return the signs that persons have several rows, and that ids of persons are placeholders."""
    grouped = bool(options.person)
    signs = () if options.exact else plan.signs(source.where, source.head, grouped=grouped)
    answered = options.resolved(source.names).rules_of_columns
    asked = [sign for sign in signs if sign.kind == COUNTRY and sign.columns[0] not in answered]
    if asked and not source.tables:  # later rows may contain further forms
        asked = [*two_forms(read_all_rows(source, plan.roles.id), plan.roles.id)]
    signs = (*(sign for sign in signs if sign.kind != COUNTRY), *asked)
    return (*placeholders_in(source.head(plan.roles.id), plan.roles.id), *signs) if grouped else signs


def _require_described(source: OpenedSource, persons: int, options: ReadOptions) -> None:
    if persons and not options.skip_undescribed:
        having = f"{counted(persons, 'person')} of other tables {'has' if persons == 1 else 'have'} no row in the table"
        msg = f"{source.where}: {having} {source.tables[0]!r}, which describes the persons; correct the data"
        skipping = {"skip_rows": [*options.skip_rows, "undescribed"]}
        raise InputError(msg, fixes=[Fix(skipping, "to publish the others")])


def _trimmed(column: CategoricalColumn, store: Store) -> CategoricalColumn:
    """Return a column without labels that no record has."""
    occurring, codes = np.flatnonzero(column.occurrences), np.zeros(len(column.vocabulary), np.int32)
    vocabulary, codes[occurring] = canonical_codes([column.vocabulary.labels[code] for code in occurring.tolist()])
    return column.recode(codes, vocabulary, store)


def read_all_rows(source: OpenedSource, names: Sequence[str]) -> ArrowColumns:
    """Return all rows of the named columns, each a ``SetColumn`` or a ``pyarrow.ChunkedArray``.

    Raises
    ------
    InputError
        If the source cannot be read.
    """
    sets, chunks = _SetColumn(MEMORY), {name: list[Any]() for name in names}
    for batch in source.batches(names):
        for name in names:
            column = batch.columns[name]
            if isinstance(column, SetColumn):
                sets.add(column)
            else:
                chunks[name] += column.chunks or [column.combine_chunks()]
    source.judge()
    if source.sets_only and not any(chunks.values()):
        return {name: sets.finished() for name in names}
    return {name: pa.chunked_array(_of_one_type(parts)) for name, parts in chunks.items()}


def _of_one_type(chunks: list[Any]) -> list[Any]:
    """Return the chunks of a column as text if their types differ. Types differ if only some chunks contain texts that
    mean null.
    """
    return (
        chunks if len({chunk.type for chunk in chunks}) == 1 else [arrow.cast(chunk, pa.string()) for chunk in chunks]
    )


class _TableColumns(ExitStack):
    def __init__(
        self,
        plan: Plan,
        store: Store,
        expected: Mapping[str, CategoricalColumn],
        sets: SetColumn | None,
        ids: ReadOptions | None,
        *,
        merges: bool,
        described: bool = False,
    ) -> None:
        super().__init__()
        roles, self.plan, self.store = plan.roles, plan, store
        self.n, self.changed_rows = 0, Counter[str]()
        self.sets = _SetColumn(store) if sets is None else _ExpectedSets(sets)
        self.numbers = {name: _Numbers(name, store) for name in roles.relational if name in plan.numbers}
        texts = [name for name in (*roles.relational, *roles.sensitive, *roles.keep) if name not in plan.numbers]
        in_files = roles.keep if store.in_files else ()
        self.texts = {name: Categories(name, store) for name in texts if name not in in_files}
        self.kept = {name: KeptTexts(name, store, expected.get(name)) for name in in_files}
        self.are_expected = any(name in expected for name in in_files)
        self.ids = {} if ids is None else {name: _ids(name, store, expected.get(name), ids) for name in roles.id}
        self.persons = () if self.ids and not merges else roles.id
        self.first_rows = [np.zeros(0, np.int64)]
        """First row of each person, if rows are merged."""
        self.merge: PersonMerge | None = None
        if merges:
            numbers, categories, kept = tuple(self.numbers), tuple(self.texts), tuple(self.kept)
            layout = RowLayout(numbers, categories, bool(roles.items or roles.wide), kept)
            self.merge = PersonMerge(store, layout, described=described)
        growing = [*(column.values for column in self.numbers.values()), *(text.codes for text in self.texts.values())]
        parts = [self.sets, *growing, *self.kept.values(), *self.ids.values()]
        for part in (*parts, self.merge):
            if part is not None:
                self.enter_context(part)

    @property
    def skipped(self) -> tuple[Change, ...]:
        persons, rows = (0, 0) if self.merge is None else self.merge.not_described
        not_described = (Change("", NOT_DESCRIBED, persons, rows),) if persons else ()
        return (*changed_rows(self.changed_rows), *not_described)

    @property
    def spellings(self) -> dict[str, Int32]:
        """Spelling of the id of each row, for each id column with several spellings of an id."""
        ids = {name: column for name, column in self.ids.items() if isinstance(column, (FiledIds, _IdColumn))}
        return {name: column.spelling for name, column in ids.items() if column.spelling is not None}

    def read(self, source: OpenedSource, encoder: Encoder, progress: Progress | None) -> None:
        """Append all rows of a source. Worker processes encode the parts of its files if it has parts."""
        names = self.plan.roles.used
        workers, of_this_process = self.store.workers, self.are_expected or self.ids
        parts = source.parts(workers) if workers.remote and not of_this_process else ()
        # the kept texts of a large part would be in memory
        if parts and not (self.kept and any(part.size > _MOST_OF_PART for part in parts)):
            for encoded in encoded_on_workers(source, parts, self.task(encoder, names), self.store):
                self.append(encoded)
                self._tell(progress)
        else:
            for batch, more in with_more(ahead(source.batches(names), self.store)):
                self.add(replace(encoder, where=batch.where, before=batch.before, more=more), batch)
                self._tell(progress)
        source.judge()

    def _tell(self, progress: Progress | None) -> None:
        if progress is not None:
            progress("read", self.n, 0)

    def task(self, encoder: Encoder, names: Sequence[str]) -> PartTask:
        expected = self.sets.require if isinstance(self.sets, _ExpectedSets) else None
        merging = None if self.merge is None else self.merge.merging
        return PartTask(self.plan, encoder, names, (*self.texts, *self.kept), expected, self.persons, merging)

    def add(self, encoder: Encoder, batch: Batch) -> None:
        if self.merge is not None:
            merging = self.merge.merging
            rows = encode(self.plan, encoder, batch, (*self.texts, *self.kept), self.persons, merging)
            self.append(as_run(rows, merging))
        else:
            self.append(encode(self.plan, encoder, batch, tuple(self.texts), self.persons))
            for name, texts in self.kept.items():
                texts.add(encoder, batch.columns[name])
        for name, column in self.ids.items():
            column.add(encoder.identifier(name, batch.columns[name]))

    def append(self, rows: EncodedBatch) -> None:
        if rows.sets is not None:
            self.sets.add(rows.sets)
        elif isinstance(self.sets, _ExpectedSets):
            self.sets.skip(rows.n)
        for name, part in rows.numbers.items():
            self.numbers[name].add(rows.where, part)
        for name, text in self.texts.items():
            if name in rows.texts:
                text.add(rows.texts[name])
        for name, kept in self.kept.items():
            if name in rows.texts:
                kept.append(rows.texts[name])
        if self.merge is not None and rows.run is not None:
            codes = [
                text.labels.codes_of(name, rows.texts[name].vocabulary) if name in rows.texts else _NO_CODES
                for name, text in self.texts.items()
            ]
            if self.merge.layout.sets and isinstance(self.sets, _SetColumn):
                sets = rows.sets
                codes.append(_NO_CODES if sets is None else self.sets.labels.codes_of(sets.name, sets.vocabulary))
            self.merge.add(rows.run, codes, rows.table)
        self.n += rows.n
        self.changed_rows.update(rows.changed_rows)

    def append_records(self, records: Rows) -> None:
        """Append records of persons. Their codes are the provisional codes of this table."""
        first_rows, *columns = records.columns
        if self.ids:
            self.first_rows.append(first_rows)
        lists = iter(records.lists)
        if isinstance(self.sets, _SetColumn) and self.merge is not None and self.merge.layout.sets:
            indptr, items = next(lists)
            self.sets.rows.append(SetColumn(self.sets.name, indptr, as_codes(items), Vocabulary(())))
        growing = (
            *(numbers.values for numbers in self.numbers.values()),
            *(text.codes for text in self.texts.values()),
        )
        for array, column in zip(growing, columns, strict=True):
            array.append(column)
        for name, texts in zip(self.kept, lists, strict=True):
            codes, labels = dictionary(arrow.of_text(*texts))
            vocabulary, image = canonical_codes(labels)
            self.kept[name].append(CategoricalColumn(name, image[codes], vocabulary))

    def table(self, encoder: Encoder) -> Table:
        roles = self.plan.roles
        if self.merge is not None:
            n_items = len(self.sets.labels.index) if isinstance(self.sets, _SetColumn) else 0
            labels = [text.labels.index for text in self.texts.values()]
            blanks = [[index[label] for label in NO_VALUE & index.keys()] for index in labels]
            values = [_values_of(list(index)) for index in labels]
            for records in self.merge.records(n_items, blanks, values):
                self.append_records(records)
        sets = self.sets.finished() if roles.items or roles.wide else None

        all_ids = [self.ids[name].finished() for name in roles.id if self.ids]

        def column(name: str) -> Column:
            return self.numbers[name].finished() if name in self.numbers else self.texts[name].finished()

        return Table(
            sets,
            tuple(column(name) for name in roles.relational),
            self.texts[roles.sensitive[0]].finished() if roles.sensitive else None,
            tuple(ids if self.merge is None else ids.take(np.concatenate(self.first_rows)) for ids in all_ids),
            tuple((self.kept or self.texts)[name].finished() for name in roles.keep),
            self.plan.order,
            self.plan.joined,
            changes=encoder.changes.list_changes(encoder.normalize, self.plan.normalized) if encoder.normalize else (),
            store=self.store,
            persons=() if self.ids else roles.id,
        )


def _values_of(labels: Sequence[str]) -> Int64 | None:
    """Return the value of each label by code (see `values_of`), or None if all labels are different values."""
    values = values_of(arrow.text_array(labels))
    return values if len(np.unique(values)) < len(values) else None


def _ids(
    name: str, store: Store, expected: CategoricalColumn | None, options: ReadOptions
) -> "FiledTexts | ExpectedTexts | _IdColumn":
    if expected is not None:
        return ExpectedTexts(name, expected)
    if store.in_files:
        return FiledTexts(name, store) if options.exact else FiledIds(name, store)
    return _IdColumn(name, fold=not options.exact)


class _SetColumn(ExitStack):
    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store, self.labels, self.name, self.in_order = store, LabelCollector(), "items", True
        self.rows = self.enter_context(SetColumnBuilder("items", store, narrow=True))

    def add(self, part: SetColumn) -> None:
        """Add the records of a batch under provisional codes. Items of a record are not sorted by provisional code.

        The items keep the order of their codes in the batch, which nearly always agrees with the order of the final
        codes.
        """
        self.name = part.name
        codes = self.labels.codes_of(part.name, part.vocabulary)
        self.in_order &= ascending(codes)
        unchanged = np.array_equal(codes, np.arange(len(codes)))
        self.rows.append(part if unchanged else replace(part, codes=codes[part.items]))

    def finished(self) -> SetColumn:
        vocabulary, image, moved = self.labels.final()
        gathered = replace(self.rows.finished(vocabulary), name=self.name)
        if not moved and self.in_order:
            return gathered
        recoded = gathered.recode(image, vocabulary, self.store, in_order=False)
        self.rows.drop_items()
        return recoded


class _ExpectedSets(ExpectedColumn[SetColumn]):
    """Set-valued column that must equal an expected column record by record. The codes may differ."""

    def __init__(self, expected: SetColumn) -> None:
        super().__init__(expected.name, expected)
        self._labels = LabelCollector()
        self._labels.codes_of(expected.name, expected.vocabulary)

    def add(self, part: SetColumn) -> None:
        """Compare the records of a batch with the expected column. Raise AnonsetError if a record differs."""
        self.require(self._n, part)
        self.skip(part.n)

    def require(self, row: int, part: SetColumn) -> None:
        """Compare the records from `row` on with the expected column. Raise AnonsetError if a record differs."""
        if row + part.n > self._expected.n:
            self._refuse()
        meant, codes = self._expected.slice(row, row + part.n), self._labels.codes_of(part.name, part.vocabulary)
        codes_found = part.recoded(codes, len(self._labels.index))
        if not (np.array_equal(part.indptr, meant.indptr) and np.array_equal(codes_found, meant.items)):
            self._refuse()


class _IdColumn(ExitStack):
    """Id column under construction, in memory. Nearly all ids differ, so they are encoded immediately.

    Parameters
    ----------
    fold
        Whether ids that differ only in spelling become equal (see `folded`). The id that occurs first then replaces the
        other spellings.
    """

    def __init__(self, name: str, *, fold: bool) -> None:
        super().__init__()
        self._name, self._parts, self._fold = name, list[Any](), fold
        self.spelling: Int32 | None = None
        """Code of the spelling of each id, int32 (n,), if an id has several spellings. Complete after `finished`."""

    def add(self, column: Any) -> None:
        self._parts.append(column)

    def finished(self) -> CategoricalColumn:
        codes, labels = dictionary(pa.concat_arrays(self._parts))
        if self._fold:
            same = same_ids(arrow.text_array(labels)).astype(np.int32)
            places = np.unique(same, return_index=True)[1]
            self.spelling = codes if len(places) < len(labels) else None
            codes, labels = same[codes], [labels[place] for place in places]
        vocabulary, image = canonical_codes(labels)
        return CategoricalColumn(self._name, image[codes], vocabulary)


class _Numbers:
    def __init__(self, name: str, store: Store) -> None:
        self.name, self.store, self.currency = name, store, ""
        self.integers = self.whole = True
        self.values = store.growing("values", np.float64)

    def add(self, where: str, part: Numbers) -> None:
        if part.currency not in ("", self.currency or part.currency):
            raise InputError(f"{where}: numeric column {self.name!r}: {ONE_CURRENCY}", column=self.name)
        self.currency = part.currency or self.currency
        self.integers, self.whole = self.integers and part.integers, self.whole and part.whole
        self.values.append(part.values)

    def finished(self) -> NumericColumn:
        values = self.values.finished()
        if not (self.integers or self.whole):
            return NumericColumn(self.name, values)
        integers = self.store.array("values", np.int64, len(values))
        for a, b in spans(len(values)):
            integers[a:b] = values[a:b]
        self.values.drop()
        return NumericColumn(self.name, integers)
