"""Read files of SPSS (.sav, .zsav), Stata (.dta) and SAS (.sas7bdat, .xpt) in blocks of rows, with pyreadstat.

A value with a label is read as its label, or as its code if the owner wishes. If labels of a column are equal, the code
is part of them. User-defined missing values are null. A
multiple-response set of SPSS is a column of lists, in addition to its variables.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from anonset.arrow import ArrowColumns
from anonset.errors import InputError
from anonset.lazy_arrow import pa
from anonset.reading.batches import Batch, OpenedSource, first_rows, with_keys
from anonset.reading.cells.input_checks import require_exact_ids
from anonset.reading.options import ReadOptions
from anonset.reading.sources.files import STATISTICS, reading
from anonset.reading.sources.source import DataFile, Source

_ROWS, _HEAD = 1 << 17, 1 << 12
"""Number of rows of a block, and of the first rows."""
_XPT_RECORD = 80
"""Size of a record of the transport format of SAS, in bytes. Complete files consist of records."""
_DICHOTOMIES = "D"
"""Type of a multiple-response set in which each variable stands for an item."""


def open_statistics(source: Source, options: ReadOptions) -> OpenedSource:
    """Open files of a statistics program.

    Raises
    ------
    InputError
        If pyreadstat is not installed, a file cannot be read, or the columns of the files differ.
    """
    files = [_File.of(file, source.format, options) for file in source.files]
    for file in files:
        if file.names != files[0].names:
            msg = f"{file.file.where}: must have the same columns as {files[0].file.where}, in the same order"
            raise InputError(msg)

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        for file in files:
            yield from file.batches(names)

    def head(names: Sequence[str]) -> ArrowColumns:
        return first_rows(one.columns([name for name in names if name in one.names], 0, _HEAD) for one in files)

    return OpenedSource(source.where, files[0].names, batches, head=head)


@dataclass(frozen=True)
class _File:
    """A file with its metadata."""

    file: DataFile
    read: Callable[..., tuple[Mapping[str, list[Any]], Any]]
    """Function of pyreadstat that reads the format."""
    variables: tuple[str, ...]
    labels: Mapping[str, Mapping[Any, str]]
    """Label of each labelled value, by variable. Empty if codes are read."""
    sets: Mapping[str, Mapping[str, Any]]
    """Multiple-response sets by name: type, counted value and variables. A set with the name of a variable has the name
    that SPSS shows, with a dollar sign.
    """
    titles: Mapping[str, str | None]
    """Label of each variable."""
    encoding: str | None
    ids: Sequence[str]
    """Id columns."""

    @classmethod
    def of(cls, file: DataFile, format: str, options: ReadOptions) -> "_File":  # noqa: A002
        try:
            import pyreadstat
        except ImportError:
            needs = "files of statistics programs need pyreadstat: pip install 'anonset[stat]'"
            raise InputError(f"{file.where}: {needs}, or save the table as CSV (UTF-8)") from None
        read, encoding = getattr(pyreadstat, STATISTICS[format]), options.dialect.encoding
        with file.opened() as opened, reading(file.where, f"not a valid .{format} file", values=True):
            _, found = read(_place(file, opened), metadataonly=True, output_format="dict", encoding=encoding)
        size = file.size if format == "xpt" else 0
        if None in found.column_names or size % _XPT_RECORD:
            raise InputError(f"{file.where}: not a valid .{format} file: it is damaged or incomplete")
        labelled = {} if options.value_codes else found.variable_value_labels
        labels = {variable: _distinct(of_values) for variable, of_values in labelled.items()}
        sets = {f"${name}" if name in found.column_names else name: one for name, one in found.mr_sets.items()}
        return cls(
            file, read, tuple(found.column_names), labels, sets, found.column_names_to_labels, encoding, options.ids
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Variables and multiple-response sets."""
        return (*self.variables, *self.sets)

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """Yield the named columns in blocks. A file without rows is one block."""
        present, before = [name for name in names if name in self.names], 0
        while True:
            columns = self.columns(present or list(self.variables[:1]), before, _ROWS)
            n = len(next(iter(columns.values())))
            if n or not before:
                yield with_keys(self.file, before, n, {name: columns[name] for name in present}, names)
            if n < _ROWS:
                return
            before += n

    def columns(self, names: Sequence[str], first: int, most: int) -> ArrowColumns:
        """Return at most `most` rows of columns, from row `first` on, as ``pyarrow.ChunkedArray`` of texts or lists."""
        wanted = list(dict.fromkeys(v for name in names for v in self.variables_of(name)))
        if not wanted:
            return {}
        with self.file.opened() as opened, reading(self.file.where, values=True):
            where = _place(self.file, opened)
            cells, _ = self.read(
                where, output_format="dict", encoding=self.encoding, usecols=wanted, row_offset=first, row_limit=most
            )
        return {name: self._column(name, cells) for name in names}

    def variables_of(self, name: str) -> Sequence[str]:
        """Return the variables of a column."""
        return [name] if name in self.variables else self.sets[name]["variable_list"]

    def _column(self, name: str, cells: Mapping[str, list[Any]]) -> Any:
        if name in self.variables:
            labels = self.labels.get(name, {})
            if name in self.ids:
                floats = [cell for cell in cells[name] if isinstance(cell, float)]
                require_exact_ids(self.file.where, name, np.array(floats), "double")
            return pa.chunked_array([pa.array([_text(cell, labels) for cell in cells[name]], pa.large_string())])
        of_variables = [list(self._items(name, variable, cells[variable])) for variable in self.variables_of(name)]
        rows = [[item for item in row if item is not None] for row in zip(*of_variables, strict=True)]
        return pa.chunked_array([pa.array(rows, pa.large_list(pa.large_string()))])

    def _items(self, name: str, variable: str, cells: Sequence[Any]) -> Iterator[str | None]:
        """Yield the item of a multiple-response set in each cell of a variable, or None."""
        if self.sets[name]["type"] == _DICHOTOMIES:
            counted, item = _text(self.sets[name]["counted_value"], {}), self.titles.get(variable) or variable
            yield from (item if _text(cell, {}) == counted else None for cell in cells)
        else:
            labels = self.labels.get(variable, {})
            yield from (_text(cell, labels) or None for cell in cells)


def _distinct(labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return the labels of values. Values remain distinct: a label ends with the value if another value has the same
    label, or if the label is a number and may be another value. A value with a blank label has none.

    >>> _distinct({1: "yes", 2: "no", 3: "no ", 4: " ", 5: "7", 6: "6"})
    {1: 'yes', 2: 'no (2)', 3: 'no (3)', 5: '7 (5)', 6: '6'}
    """
    given = {value: label for value, label in labels.items() if label.strip()}
    times = Counter(label.strip() for label in given.values())
    texts = {value: str(_text(value, {})) for value in given}
    return {
        value: f"{label.strip()} ({texts[value]})"
        if times[label.strip()] > 1 or (_is_number(label) and label.strip() != texts[value])
        else label
        for value, label in given.items()
    }


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def _place(file: DataFile, opened: Any) -> Any:
    """Return the path of a local file, which pyreadstat reads faster, or the open file."""
    return file.path if file.system is None else opened


def _text(cell: Any, labels: Mapping[Any, str]) -> str | None:
    """Return a cell as text, or None if it is missing.

    >>> _text(2.0, {2: "m"}), _text(30.0, {}), _text(1.5, {}), _text(datetime(2020, 1, 2), {}), _text(None, {})
    ('m', '30', '1.5', '2020-01-02 00:00:00', None)
    """
    if cell is None or cell != cell:  # NaN
        return None
    if (label := labels.get(cell)) is not None:
        return label
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1 << 53 else repr(cell)
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d %H:%M:%S}"
    return cell.isoformat() if isinstance(cell, date) else str(cell)
