"""Read small CSV files row by row."""

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from anonset.errors import InputError, foreign
from anonset.reading.sources.dialect import any_field_size

BYTES_AT_ONCE = 1 << 20
"""Number of characters processed at once."""
_ROWS = 4096  # rows read at once; meanwhile, the field size limit of the csv module is changed for the whole process


def header_of(path: Path) -> tuple[str, ...]:
    """Return the column names of a CSV file.

    Raises
    ------
    InputError
        If there is no such file.
    """
    if not path.is_file():
        raise InputError(f"{str(path)!r}: no such file; anonset anonymize writes it")
    with path.open(encoding="utf-8", newline="") as file, any_field_size():
        return tuple(next(csv.reader(file), []))


def rows_of(path: Path, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file with the given header.

    Raises
    ------
    InputError
        If there is no such file, or if the header or a row is invalid.
    """
    if not path.is_file():
        raise InputError(f"{str(path)!r}: no such file; anonset anonymize writes it")
    lines = _lines_of(path)
    try:
        _, header = next(lines, (1, []))
        if tuple(header) != names:
            msg = f"{str(path)!r} must have the columns {', '.join(names)}; its {len(header)} columns have other names"
            raise InputError(msg)
        for number, fields in lines:
            if len(fields) != len(names):
                msg = f"{str(path)!r}: line {number} must have {len(names)} fields, got {len(fields) or 'a blank line'}"
                raise InputError(msg)
            yield dict(zip(names, fields, strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{str(path)!r} is not valid CSV: {foreign(error)}") from None


def _lines_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, strict=True)
        rows = [(0, [""])]
        while rows:
            with any_field_size():
                rows = [(reader.line_num, row) for row in islice(reader, _ROWS)]
            yield from rows
