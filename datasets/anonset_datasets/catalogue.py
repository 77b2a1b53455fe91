"""Catalogue of real data sets, with functions that find, read and check the data.

Real data are not distributed with anonset. They are read from the folder in the environment variable ``ANONSET_DATA``
and checked against their published characteristics.
"""

import os
from pathlib import Path

from anonset.data import Table
from anonset.errors import InputError
from anonset_datasets.entries import ENTRIES, Entry

VARIABLE = "ANONSET_DATA"
"""Environment variable that names the data folder."""


def entries() -> tuple[Entry, ...]:
    """Return all entries of the catalogue.

    >>> [entry.name for entry in entries() if entry.kind == "relational"]
    ['adult']
    """
    return tuple(ENTRIES.values())


def entry(name: str) -> Entry:
    """Return the entry with a name.

    >>> entry("bms_webview1").n
    59602

    Raises
    ------
    InputError
        If there is no such entry.
    """
    found = ENTRIES.get(name)
    if found is None:
        raise InputError(f"data set must be one of {', '.join(ENTRIES)}, got {name!r}")
    return found


def path(name: str) -> Path:
    """Return the path of a data set's file in the folder ``ANONSET_DATA``.

    Raises
    ------
    InputError
        If there is no such entry, the variable is not set, or the file does not exist.
    """
    known = entry(name)
    folder = _folder(name)
    names = (known.file, *known.other_files)
    for candidate in names:
        if (folder / candidate).is_file():
            return folder / candidate
    raise InputError(
        f"data set {name!r}: {VARIABLE}={folder} must contain {' or '.join(names)}; real data do not ship with anonset"
    )


def hierarchy(name: str) -> Path | None:
    """Return the taxonomy file of a data set's items, or None if it has no taxonomy (see `Entry.default_hierarchy`).

    Raises
    ------
    InputError
        If there is no such entry, the variable is not set, or the file does not exist.
    """
    taxonomy = entry(name).taxonomy
    return None if taxonomy is None else _taxonomy(name, taxonomy)


def relational_hierarchies(name: str) -> dict[str, Path]:
    """Return the hierarchy file of each relational column that has a hierarchy.

    Raises
    ------
    InputError
        If there is no such entry, the variable is not set, or a file does not exist.
    """
    return {column: _taxonomy(name, file) for column, file in entry(name).relational_hierarchies}


def load(name: str) -> Table:
    """Read a data set with its default roles, and compare it with its published characteristics.

    Raises
    ------
    InputError
        If the data cannot be found or differ from the published data. The message lists expected and actual values.
    """
    from anonset.reading.read import read

    known = entry(name)
    source = path(name)
    if known.kind == "transactions":
        table = read(source)
    else:
        table = read(
            source,
            items=known.items or (),
            relational=list(known.relational),
            numeric=list(known.numeric),
            keep=list(known.keep),
            drop=list(known.drop),
        )
    check(known, table)
    return table


def check(known: Entry, table: Table) -> None:
    """Reject a table that differs from the published characteristics of its data set.

    Raises
    ------
    InputError
        The message lists every characteristic that differs, with the expected and the actual value.
    """
    expected: dict[str, float] = {"records": known.n}
    found: dict[str, float] = {"records": table.n}
    if known.items is not None:
        expected |= {"items": known.n_items, "longest record": known.max_length, "average length": known.avg_length}
        column = table.transactions
        lengths = None if column is None or column.n == 0 else column.lengths
        found |= {
            "items": 0 if column is None else int((column.occurrences > 0).sum()),
            "longest record": 0 if lengths is None else int(lengths.max()),
            "average length": 0.0 if lengths is None else round(int(lengths.sum()) / len(lengths), known.avg_digits),
        }
    differing = [
        f"{what} {value:,} expected, {found[what]:,} found" for what, value in expected.items() if found[what] != value
    ]
    if differing:
        raise InputError(f"data set {known.name!r} is not the published one: {'; '.join(differing)}")


def _folder(name: str) -> Path:
    chosen = os.environ.get(VARIABLE, "")
    if not chosen:
        raise InputError(
            f"data set {name!r}: the environment variable {VARIABLE} must name the data folder, but is not set; "
            "real data do not ship with anonset"
        )
    folder = Path(chosen)
    if not folder.is_dir():
        msg = f"data set {name!r}: {VARIABLE} must name a folder, got {chosen!r}; real data do not ship with anonset"
        raise InputError(msg)
    return folder


def _taxonomy(name: str, file: str) -> Path:
    folder = _folder(name)
    found = folder / file
    if not found.is_file():
        raise InputError(
            f"data set {name!r}: {VARIABLE}={folder} must contain the hierarchy {file}; real data do not ship with "
            "anonset"
        )
    return found
