"""Parse published files without the library."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyarrow import parquet


@dataclass
class Records:
    """Cells and codebook of published records."""

    columns: dict[str, list[Any]]
    """Cells by column; each cell of a set-valued column is a list of symbols."""
    book: dict[str, tuple[str, list[str]]]
    """Kind and members of each symbol, except sets of values."""
    value_sets: dict[str, list[str]]
    sets: list[str]
    relational: list[str]
    keep: list[str]

    @property
    def n(self) -> int:
        """Number of published rows."""
        return len(next(iter(self.columns.values())))

    @property
    def rows(self) -> list[set[str]]:
        """Codebook labels of each record's symbols, over all set-valued columns."""
        return [
            {self.symbol(name, text) for name in self.sets for text in self.columns[name][i]} for i in range(self.n)
        ]

    def symbol(self, column: str, text: str) -> str:
        """Return the codebook symbol of a column's text, or the text itself if the codebook lacks it."""
        if len(self.sets) == 1:
            return text
        inner = ",".join(f"{column}:{part}" for part in text.removeprefix("(").removesuffix(")").split(","))
        return next((x for x in (f"{column}:{text}", text, f"({inner})") if x in self.book), f"{column}:{text}")

    @property
    def tuples(self) -> list[tuple[str, ...]]:
        """Relational values of each record."""
        return [tuple(self.columns[name][i] for name in self.relational) for i in range(self.n)]


@dataclass
class Tables:
    """Tables of published buckets."""

    qit: list[dict[str, str]]
    snt: list[dict[str, str]]

    def values(self, sensitive: str) -> dict[str, list[str]]:
        """Return the sensitive values of each group."""
        result: dict[str, list[str]] = {}
        for row in self.snt:
            result.setdefault(row["group"], []).extend([row[sensitive]] * int(row.get("count", 1)))
        return result


def attestation_of(out: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((out / "attestation.json").read_text(encoding="utf-8"))
    return data


def records_of(path: Path, data: Mapping[str, Any], book: Path) -> Records:
    """Read published records by the format in their attestation."""
    explained = [(row["symbol"], row["kind"], _members(row["members"])) for row in lines_of(book)]
    return Records(
        _columns(path, data),
        {symbol: (kind, members) for symbol, kind, members in explained if kind != "values"},
        {symbol: members for symbol, kind, members in explained if kind == "values"},
        list(data["items"]),
        list(data["relational"]),
        list(data["keep"]),
    )


def tables_of(out: Path) -> Tables:
    return Tables(lines_of(out / "qit.csv"), lines_of(out / "snt.csv"))


def lines_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file as dictionaries by column."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, strict=True)
    return [dict(zip(header, row or [""], strict=True)) for row in rows]


def write_lines(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(rows[0])
        writer.writerows(row.values() for row in rows)


def _members(text: str) -> list[str]:
    return next(csv.reader(io.StringIO(text, newline=""), delimiter=" ", strict=True), [])


def _columns(path: Path, data: Mapping[str, Any]) -> dict[str, list[Any]]:
    if data["format"] == "parquet":
        result: dict[str, list[Any]] = parquet.read_table(path).to_pydict()
        return result
    if data["format"] == "dat":
        return {"items": [line.split(" ") if line else [] for line in path.read_text("utf-8").split("\n")[:-1]]}
    rows, mark = lines_of(path), data["separator"]

    def cell(name: str, text: str) -> Any:
        if name not in data["items"]:
            return text
        return [] if not text else text.split(mark) if mark else [text]

    return {name: [cell(name, row[name]) for row in rows] for name in rows[0]} if rows else {}
