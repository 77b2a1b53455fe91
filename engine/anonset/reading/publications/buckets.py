"""Read ``qit.csv`` and ``snt.csv``, including files of other programs."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn, Table, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.spans import ascending, run_spans, spans
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError, datum
from anonset.publications import Buckets
from anonset.publications.buckets import GROUP, count_values
from anonset.reading.batches import open_source
from anonset.reading.options import ReadKeywords, ReadOptions
from anonset.reading.read import read
from anonset.reading.roles import Names
from anonset.reading.sources.source import of_files
from anonset.reading.table_builder import gather, read_exactly
from anonset.spelling import counted

QIT = "qit.csv"
SNT = "snt.csv"
COUNT = "count"
"""Name of the optional column with the count of a value in the group."""
FilesOfTables = tuple[Sequence[str], Sequence[str]]
"""File names of the QIT, and of the SNT."""


def read_buckets(
    folder: str | os.PathLike[str],
    *,
    id: Names = (),  # noqa: A002
    keep: Names = (),
    reading: ReadKeywords | None = None,
    store: Store = MEMORY,
    files: FilesOfTables | None = None,
    expected: Sequence[CategoricalColumn] = (),
) -> Buckets:
    """Read ``qit.csv`` and ``snt.csv`` from a folder, including files of other programs.

    Parameters
    ----------
    id
        Columns of the QIT that together identify an individual. A hidden identity is ``*`` in each of them.
    keep
        Other columns of the QIT, except ``group``. The SNT has a column ``group``, a value column, and optionally
        ``count``.
    reading
        Further arguments of `anonset.read` for files of other programs. None if anonset wrote the files.
    store
        Storage for the columns of files that anonset wrote.
    files
        File names of both tables, if anonset wrote them. None if each table is one file of any program.
    expected
        Expected columns of the QIT with labels in files, for files that anonset wrote.

    Raises
    ------
    InputError
        If a file cannot be read, a column has no role, or a group has different row counts in the two tables.
    """
    if files is not None:
        qit, snt = ([Path(folder) / name for name in names] for names in files)
        return _read_own(qit, snt, id, keep, store, expected)
    # ids may only repeat in a table with a sensitive column, so the group is read in that role
    table = _read(Path(folder) / QIT, reading, id=id, keep=keep, sensitive=GROUP)
    group = table.sensitive
    group_of_value, value, count = _read_snt(Path(folder) / SNT, reading)
    if group is None or group.vocabulary != group_of_value.vocabulary:
        labels = set(group_of_value.vocabulary.labels) ^ set(() if group is None else group.vocabulary.labels)
        msg = f"{folder}: group {datum(min(labels))} must occur in both {QIT} and {SNT}, but occurs in one of them"
        raise InputError(msg)
    snt_group, values, counts = count_values(group_of_value.codes, value.codes, len(value.vocabulary), count)
    record = np.arange(table.n, dtype=np.int64)
    named = CategoricalColumn(value.name, values, value.vocabulary)
    return Buckets(table.ids, table.kept, group, snt_group, named, counts, record)


def _read_own(
    qit: Sequence[Path],
    snt: Sequence[Path],
    id: Names,  # noqa: A002
    keep: Names,
    store: Store,
    expected: Sequence[CategoricalColumn],
) -> Buckets:
    """Read the QIT and the SNT block by block. Groups are numbered 1, 2, ..., and the SNT is sorted by group."""
    column_of = {column.name: column for column in expected}
    table = _gathered(qit, {"relational": [GROUP], "id": id, "keep": keep}, store, column_of)
    names = [name for name in open_source(of_files(snt[:1]), ReadOptions(exact=True)).names if name != GROUP]
    values = _gathered(snt, {"relational": [GROUP], "sensitive": names[0] if names else None}, store)
    group, of_value, value = _group_codes(table, store), _group_codes(values, store), values.sensitive
    if value is None:
        raise InputError(f"{snt[0]}: must have a column of values besides {GROUP!r}")
    if not ascending(of_value):
        raise InputError(f"{snt[0]}: the groups must be in ascending order")
    counted_values = [store.growing("snt", kind) for kind in (np.int32, np.int32, np.int64)]
    for span in run_spans(of_value):
        part: tuple[Any, ...] = count_values(of_value[slice(*span)], value.codes[slice(*span)], len(value.vocabulary))
        for target, counts in zip(counted_values, part, strict=True):
            target.append(counts)
    snt_group, codes, count = (array.finished() for array in counted_values)
    n_groups = _require_every_group(qit[0], group)
    if _require_every_group(snt[0], snt_group) != n_groups:
        raise InputError(f"{snt[0]}: must have the same groups as {qit[0].name}")
    numbered = CategoricalColumn(GROUP, group, Vocabulary.numbered(n_groups))
    record = store.array("record", np.int64, table.n)
    for first, end in spans(table.n):
        record[first:end] = np.arange(first, end)
    return Buckets(
        table.ids,
        table.kept,
        numbered,
        snt_group,
        CategoricalColumn(value.name, codes, value.vocabulary),
        count,
        record,
        store,
    )


def _require_every_group(path: Path, group: Int32) -> int:
    """Return the number of groups. Reject groups without rows between others.

    Raises
    ------
    InputError
        If a group has no rows.
    """
    n_groups = 1 + max((int(group[slice(*rows)].max()) for rows in spans(len(group))), default=-1)
    if n_groups <= len(group):
        seen = np.zeros(n_groups, np.bool_)
        for rows in spans(len(group)):
            seen[group[slice(*rows)]] = True
        if seen.all():
            return n_groups
    raise InputError(f"{path}: the groups must be numbered 1, 2, ... without gaps")


def _gathered(
    paths: Sequence[Path],
    roles: ReadKeywords,
    store: Store,
    expected: Mapping[str, CategoricalColumn] = MappingProxyType({}),
) -> Table:
    own: ReadKeywords = {**roles, "numeric": roles["relational"], "separator": " "}
    options = ReadOptions(exact=True, **own)
    source = open_source(of_files(paths), options)
    return gather(source, options, store, with_ids=True, expected=expected)


def _group_codes(table: Table, store: Store) -> Int32:
    column = table.relational[0]
    codes = store.array("group", np.int32, table.n)
    for first, end in spans(table.n):
        numbers = column.values[first:end] if isinstance(column, NumericColumn) else np.zeros(0)
        if numbers.dtype != np.int64 or int(numbers.min()) < 1 or int(numbers.max()) >= 1 << 31:
            raise InputError(f"column {GROUP!r} must contain group numbers, from 1")
        codes[first:end] = numbers - 1
    return codes


def _read(path: Path, reading: ReadKeywords | None, **roles: Any) -> Table:
    return read_exactly(path, **roles) if reading is None else read(path, **roles, **reading)


def _read_snt(path: Path, reading: ReadKeywords | None) -> tuple[CategoricalColumn, CategoricalColumn, Int64]:
    names = open_source(path, ReadOptions(keep=GROUP, **({"exact": True} if reading is None else reading))).names
    value_columns = [name for name in names if name != GROUP]
    has_counts = len(value_columns) == 2 and value_columns[1] == COUNT
    if len(value_columns) == len(names) or not (has_counts or len(value_columns) == 1):
        got = (
            ", ".join(names)
            if GROUP in names
            else f"{counted(len(names), 'other column')}; check that the file has a header"
        )
        msg = f"{path}: the columns must be {GROUP!r}, a sensitive column and, optionally, {COUNT!r}, got {got}"
        raise InputError(msg)
    numeric = [COUNT] if has_counts else []
    table = _read(path, reading, keep=[GROUP, value_columns[0]], relational=numeric, numeric=numeric)
    by_name = {column.name: column for column in table.kept}
    count = np.ones(table.n, np.int64)
    for column in table.relational:
        if isinstance(column, NumericColumn):
            wrong = np.flatnonzero((column.values < 1) | (column.values.dtype != np.int64))
            if len(wrong):
                raise InputError(f"{path}: row {wrong[0] + 1}: {COUNT} must be an integer of at least 1")
            count = column.values.astype(np.int64)
    return by_name[GROUP], by_name[value_columns[0]], count
