"""Read originals, and write lines and tables as in the data folder."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

from anonset.errors import InputError


def lines_of_sets(sets: Iterable[Iterable[str]]) -> str:
    r"""Return one line per set, with blanks between items. Repeated items and empty sets are removed.

    >>> lines_of_sets([["b", "a", "b"], []])
    'b a\n'
    """
    unique = (dict.fromkeys(items) for items in sets)
    return "".join(f"{' '.join(items)}\n" for items in unique if items)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""Return a CSV table.

    >>> table(["a", "b"], [[1, "x,y"]])
    'a,b\n1,"x,y"\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def label(text: str) -> str:
    """Return a label without blanks and commas.

    >>> label("Bone, Skin,  And Breast")
    'Bone-Skin-And_Breast'
    """
    return re.sub(" +", "_", re.sub(", *", "-", text))


def rows_of(file: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """Return the rows of a CSV file with a header, by column name."""
    with file.open(encoding="utf-8-sig", newline="") as source:
        return list(csv.DictReader(source, delimiter=delimiter))


def rows_in_zip(file: Path, member: str) -> list[dict[str, str]]:
    """Return the rows of the first CSV file in an archive whose name ends in `member`.

    Raises
    ------
    InputError
        If the archive contains no such file.
    """
    with ZipFile(file) as archive:
        names = [name for name in archive.namelist() if name.endswith(member)]
        if not names:
            msg = f"{file.name} must contain {member}"
            raise InputError(msg)
        with archive.open(names[0]) as source:
            return list(csv.DictReader(_text(source)))


def _text(source: IO[bytes]) -> io.TextIOWrapper:
    return io.TextIOWrapper(source, encoding="utf-8-sig", newline="")


def r_data(file: Path) -> dict[str, Any]:
    """Return the objects of an R data file. Data frames are pandas tables.

    Raises
    ------
    InputError
        If the package rdata is not installed.
    """
    try:
        import rdata  # type: ignore[import-not-found]
    except ImportError:
        msg = f"{file.name} needs the package rdata: pip install rdata"
        raise InputError(msg) from None
    found: dict[str, Any] = rdata.read_rda(str(file), default_encoding="utf8")
    return found
