"""Steps for the data sets of item sets without attributes."""

import gzip
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.originals.formats import label, lines_of_sets, r_data, table


def fimi(file: Path) -> str:
    """Return the records of a FIMI or SPMF file. Blanks or commas separate items, and -1 ends an itemset of SPMF."""
    lines = file.read_text(encoding="ascii").splitlines()
    return lines_of_sets(
        [item for item in line.replace(",", " ").split() if not item.startswith("-")] for line in lines
    )


def simplices(folder: Path, name: str) -> str:
    """Return the sets of a ScHoLP data set: a file of set sizes, and a file of the nodes of all sets."""
    nodes = iter(_numbers(folder / f"{name}-simplices.txt.gz"))
    sizes = _numbers(folder / f"{name}-nverts.txt.gz")
    return lines_of_sets([next(nodes) for _ in range(int(size))] for size in sizes)


def _numbers(file: Path) -> list[str]:
    with gzip.open(file, "rt", encoding="ascii") as source:
        return source.read().split()


def transactions_of_arules(file: Path, name: str) -> str:
    """Return the records of an R object of class `transactions`. Items are numbered from 1."""
    matrix: Any = r_data(file)[name].data  # a column per record: compressed sparse columns
    ends = [int(end) for end in matrix.p]
    items = [str(int(item) + 1) for item in matrix.i]
    return lines_of_sets(items[first:end] for first, end in pairwise(ends))


def groceries_taxonomy(file: Path) -> str:
    """Return the taxonomy of Groceries with the two levels of the R package arules."""
    info: Any = r_data(file)["Groceries"].itemInfo
    rows = [
        [i, f"L2:{label(level2)}", f"L1:{label(level1)}", "ALL"]
        for i, (level2, level1) in enumerate(zip(info["level2"], info["level1"], strict=True), 1)
    ]
    return table(["leaf", "level2", "level1", "root"], rows)


def msweb(folder: Path) -> str:
    """Return the visited areas of each user, first of the training part, then of the test part."""
    return lines_of_sets(visits for part in ("data", "test") for visits in _visits(folder / f"anonymous-msweb.{part}"))


def _visits(file: Path) -> Iterator[list[str]]:
    visits: list[str] = []
    for line in file.read_text(encoding="latin-1").splitlines():
        kind, *fields = line.split(",")
        if kind == "C":
            yield visits
            visits = []
        elif kind == "V":
            visits.append(fields[0])
    yield visits


def masked_codes(file: Path, name: str) -> str:
    """Return the codes of each patient of the R package ludic, as numbers of the masked codes."""
    matrix: Any = r_data(file)[name]
    codes = [int(str(label).rsplit("_", 1)[1]) for label in matrix.coords[matrix.dims[1]].values]
    return lines_of_sets(map(str, sorted(codes[column] for column in row.nonzero()[0])) for row in matrix.values)


def even_taxonomy(file: Path) -> str:
    """Return the even taxonomy of BMS-WebView-2. Each line contains a leaf and its ranges up to the root."""
    levels = 5
    rows = []
    for line in file.read_text(encoding="ascii").split():
        leaf, *ranges = line.split(";")
        rows.append(
            [leaf, *(f"N{i}_{low_high.replace(',', '-')}" for i, low_high in enumerate(ranges[:levels], 1)), "ALL"]
        )
    return table(["leaf", *(f"level{i}" for i in range(1, levels + 1)), "root"], rows)
