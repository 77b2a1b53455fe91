"""Reading the small files of a publication: the codebook, and the private mapping and records."""

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization import Symbol

_ROWS = 4096  # read at once, under a limit of the field size that is not the process's own


def read_codebook(path: Path) -> tuple[Symbol, ...]:
    """Return what each published symbol stands for, from ``codebook.csv``.

    Raises
    ------
    InputError
        If it explains a symbol twice.
    """
    found: dict[tuple[str, bool], Symbol] = {}
    for row in rows_of(path, ("symbol", "kind", "members")):
        symbol = Symbol(row["symbol"], row["kind"], _members(path, row["members"]))
        if found.setdefault((symbol.label, symbol.kind == "values"), symbol) is not symbol:
            msg = f"{str(path)!r} must explain symbol {symbol.label!r} once, but does so twice"
            raise InputError(msg)
    return tuple(found.values())


def _members(path: Path, text: str) -> tuple[str, ...]:
    from anonset.io.delimited import any_field_size

    try:
        with any_field_size():
            return tuple(next(csv.reader(io.StringIO(text, newline=""), delimiter=" ", strict=True), []))
    except csv.Error as error:
        msg = f"{str(path)!r}: members must be separated by blanks, and quoted as in CSV: {error}"
        raise InputError(msg) from None


def read_mapping(path: Path) -> dict[str, str]:
    """Return how each item of the universe is published, from ``mapping.csv``; the empty text: suppressed.

    Raises
    ------
    InputError
        If it is that of a local recoding.
    """
    if header_of(path) == ("cluster", "item", "published"):
        msg = f"{str(path)!r} maps the items of each cluster by themselves; one mapping of all is required"
        raise InputError(msg)
    return {row["item"]: row["published"] for row in rows_of(path, ("item", "published"))}


def read_records(path: Path) -> tuple[Int64, Int32 | None]:
    """Return the input record of each published row, and its cluster where all rows have one, from ``records.csv``.

    Raises
    ------
    InputError
        If the rows are not numbered 0, 1, 2, ...
    """
    rows = list(rows_of(path, ("published_row", "input_record", "cluster")))
    try:
        numbers = [int(row["published_row"]) for row in rows]
        record = np.array([int(row["input_record"]) for row in rows], np.int64)
        local = all(row["cluster"] for row in rows)
        cluster = np.array([int(row["cluster"]) for row in rows], np.int32) if local else None
    except (ValueError, OverflowError) as error:
        msg = f"{str(path)!r} must hold whole numbers of at most 64 bits, and clusters of 32: {error}"
        raise InputError(msg) from None
    if numbers != list(range(len(rows))):
        msg = f"{str(path)!r} must number the published rows 0, 1, 2, ... in their order"
        raise InputError(msg)
    return record, cluster


def header_of(path: Path) -> tuple[str, ...]:
    """Return the names of the columns of a CSV file.

    Raises
    ------
    InputError
        If there is no such file.
    """
    from anonset.io.delimited import any_field_size

    if not path.is_file():
        msg = f"{str(path)!r} must be a file that anonset anonymize made; there is none"
        raise InputError(msg)
    with path.open(encoding="utf-8", newline="") as file, any_field_size():
        return tuple(next(csv.reader(file), []))


def rows_of(path: Path, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file with the given header.

    Raises
    ------
    InputError
        If there is no such file, or it is not what it must be.
    """
    if not path.is_file():
        msg = f"{str(path)!r} must be a file that anonset anonymize made; there is none"
        raise InputError(msg)
    lines = _lines_of(path)
    try:
        _, header = next(lines, (1, []))
        if tuple(header) != names:
            msg = f"{str(path)!r} must have the columns {', '.join(names)}, got {', '.join(header)}"
            raise InputError(msg)
        for number, fields in lines:
            if fields and len(fields) != len(names):
                msg = f"{str(path)!r}: line {number} must have {len(names)} fields"
                raise InputError(msg)
            if fields:
                yield dict(zip(names, fields, strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        msg = f"{str(path)!r} is no valid CSV: {error}"
        raise InputError(msg) from None


def _lines_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    from anonset.io.delimited import any_field_size

    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, strict=True)
        rows = [(0, [""])]
        while rows:
            with any_field_size():
                rows = [(reader.line_num, row) for row in islice(reader, _ROWS)]
            yield from rows
