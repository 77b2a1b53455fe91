"""The file ``codebook.csv``: what each published symbol stands for."""

import csv
import io
from pathlib import Path

from anonset.errors import InputError
from anonset.generalization import Publication, Symbol
from anonset.io.delimited import any_field_size
from anonset.io.files import write_file
from anonset.io.lines import csv_bytes, text_array
from anonset.io.rows import rows_of

HEADER = ("symbol", "kind", "members")


def write_codebook(publication: Publication, path: str | Path, separator: str = " ") -> Path:
    """Write what each published symbol stands for: ``symbol,kind,members``.

    Where several set-valued columns were joined, members are prefixed (``column:item``), and a symbol has one line by
    its full label, whatever columns it stands in. What stands as ``x`` in a column `c` is found as ``c:x``, or if that
    is none as ``x``; a set ``(a,b)`` as ``(c:a,c:b)``.

    Parameters
    ----------
    path
        File, or the folder of ``codebook.csv``.
    separator
        What joins the members. A member that holds it is quoted in the way of CSV.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    where = Path(path)
    columns = (
        [symbol.label for symbol in publication.symbols],
        [symbol.kind for symbol in publication.symbols],
        [separator.join(_member(m, separator) for m in symbol.members) for symbol in publication.symbols],
    )
    where = where / "codebook.csv" if where.is_dir() else where
    return write_file(where, csv_bytes(HEADER, [text_array(column) for column in columns]))


def _member(label: str, separator: str) -> str:
    if label and not any(mark in label for mark in (separator, '"', "\r", "\n")):
        return label
    return '"' + label.replace('"', '""') + '"'


def read_codebook(path: Path) -> tuple[Symbol, ...]:
    """Return what each published symbol stands for, from ``codebook.csv``.

    Raises
    ------
    InputError
        If it explains a symbol twice.
    """
    found: dict[tuple[str, bool], Symbol] = {}
    for row in rows_of(path, HEADER):
        symbol = Symbol(row["symbol"], row["kind"], _members_read(path, row["members"]))
        if found.setdefault((symbol.label, symbol.kind == "values"), symbol) is not symbol:
            msg = f"{str(path)!r} must explain symbol {symbol.label!r} once, but does so twice"
            raise InputError(msg)
    return tuple(found.values())


def _members_read(path: Path, text: str) -> tuple[str, ...]:
    try:
        with any_field_size():
            return tuple(next(csv.reader(io.StringIO(text, newline=""), delimiter=" ", strict=True), []))
    except csv.Error as error:
        msg = f"{str(path)!r}: members must be separated by blanks, and quoted as in CSV: {error}"
        raise InputError(msg) from None
