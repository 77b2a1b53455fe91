"""Reading the small files of a publication: the codebook, and the private mapping and records."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization import Symbol


def read_codebook(path: Path) -> tuple[Symbol, ...]:
    """Return what each published symbol stands for, from ``codebook.csv``."""
    found = []
    for row in rows_of(path, ("symbol", "kind", "members")):
        members = next(csv.reader(io.StringIO(row["members"], newline=""), delimiter=" "), [])
        found.append(Symbol(row["symbol"], row["kind"], tuple(members)))
    return tuple(found)


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
    except ValueError as error:
        msg = f"{str(path)!r} must hold whole numbers: {error}"
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
    if not path.is_file():
        msg = f"{str(path)!r} must be a file that anonset anonymize made; there is none"
        raise InputError(msg)
    with path.open(encoding="utf-8", newline="") as file:
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
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        try:
            if tuple(reader.fieldnames or ()) != names:
                found = ", ".join(reader.fieldnames or ())
                msg = f"{str(path)!r} must have the columns {', '.join(names)}, got {found}"
                raise InputError(msg)
            for row in reader:
                if None in row.values() or None in row:
                    msg = f"{str(path)!r}: line {reader.line_num} must have {len(names)} fields"
                    raise InputError(msg)
                yield row
        except (csv.Error, UnicodeDecodeError) as error:
            msg = f"{str(path)!r} is no valid CSV: {error}"
            raise InputError(msg) from None
