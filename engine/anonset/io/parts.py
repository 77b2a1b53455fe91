"""Reading our own publications back, part by part, into one table: in memory, or in a work directory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, SetColumn, Table, Vocabulary
from anonset.data.growing import Growing, GrowingSets
from anonset.data.mapped import WorkFolder
from anonset.data.table import Int32
from anonset.io.files import reading, require_file
from anonset.io.publish import read_published
from anonset.io.read import read_exactly
from anonset.io.sources import Source


def read_parts(
    paths: Sequence[Path],
    *,
    items: Sequence[str],
    relational: Sequence[str],
    keep: Sequence[str],
    separator: str,
    work: WorkFolder | None = None,
) -> Table:
    """Read the files of a publication that we wrote ourselves, one after the other, as one table.

    All values are text: a published range or set is a symbol like any other. The column of a FIMI file has no name of
    its own: it is called as `items` says.

    Parameters
    ----------
    work
        Where the columns are to lie; None: in memory. Then no more than a file of text, or a row group of Parquet, is
        held at a time.

    Raises
    ------
    InputError
        If a file cannot be read, or holds other columns than are named.
    """

    def tables() -> Iterator[Table]:
        given: dict[str, Any] = {"items": items, "relational": relational, "keep": keep, "separator": separator}
        for path in paths:
            if path.suffix == ".parquet" and work is not None:
                yield from (read_exactly(group, **given) for group in _row_groups(path))
            else:
                yield read_published(path, **given)

    return next(tables()) if work is None and len(paths) == 1 else united(tables(), work)


def _row_groups(path: Path) -> Iterator[Source]:
    """Yield the row groups of a Parquet file, each as a source by itself."""
    from pyarrow import parquet

    require_file(path)
    with reading(path, "not valid Parquet"), parquet.ParquetFile(path) as file:
        names = tuple(file.schema_arrow.names)
        for group in range(max(1, file.num_row_groups)):

            def load(chosen: Sequence[str], groups: Sequence[int] = range(group, group + 1)) -> Mapping[str, Any]:
                present = [at for at in groups if at < file.num_row_groups]
                table = file.read_row_groups(present, columns=list(chosen))
                return {name: table.column(name) for name in chosen}

            yield Source(str(path), names, load)


def united(tables: Iterable[Table], work: WorkFolder | None) -> Table:
    """Return tables of the same columns, one after the other, as one: its labels in canonical order.

    Raises
    ------
    InputError
        If the disk is full, or fails.
    """
    first: Table | None = None
    with ExitStack() as stack:
        growing: dict[str, _Growing] = {}
        for table in tables:
            if first is None:
                first = table
                growing = {column.name: stack.enter_context(_Growing(column, work)) for column in table.columns}
            for column in table.columns:
                growing[column.name].append(column)
    if first is None:
        return Table(work=work)
    done = {name: column.finished() for name, column in growing.items()}
    return replace(
        first,
        transactions=None if first.transactions is None else done[first.transactions.name],
        relational=tuple(done[column.name] for column in first.relational),
        kept=tuple(done[column.name] for column in first.kept),
        work=work,
    )


class _Growing:
    """A column of sets or of categories under construction, with the labels that were met so far."""

    def __init__(self, like: Any, work: WorkFolder | None) -> None:
        self.name, self.work = like.name, work
        self.codes: dict[str, int] = {}
        self._sets = GrowingSets(like.name, work) if isinstance(like, SetColumn) else None
        self._plain = Growing(work, "codes", np.int32) if self._sets is None else None

    def append(self, column: Any) -> None:
        """Add the records of a column at the end."""
        known, labels = self.codes, column.vocabulary.labels
        image = np.fromiter((known.setdefault(label, len(known)) for label in labels), np.int32, len(labels))
        if self._sets is not None:
            self._sets.append(replace(column, items=column.recoded(image, len(known))))
        elif self._plain is not None:
            self._plain.append(image[column.codes])

    def finished(self) -> Any:
        """Return the column, its vocabulary the labels in canonical order."""
        met = tuple(self.codes)
        column: SetColumn | CategoricalColumn | None = None
        if self._sets is not None:
            column = self._sets.finished(Vocabulary(met))
        elif self._plain is not None:
            column = CategoricalColumn(self.name, self._plain.finished(), Vocabulary(met))
        ordered = Vocabulary.of(met)
        if column is None or ordered.labels == met:
            return column
        image: Int32 = np.fromiter((ordered.index[label] for label in met), np.int32, len(met))
        return column.recode(image, ordered, self.work)

    def __enter__(self) -> "_Growing":
        for array in (self._sets, self._plain):
            if array is not None:
                array.__enter__()
        return self

    def __exit__(self, *failure: Any) -> None:
        for array in (self._sets, self._plain):
            if array is not None:
                array.__exit__(*failure)
