"""Tables of layouts: draw the rows of each person, the values of each column, and write them in the format."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tests.columns.drawing import LayoutError, Texts, by_frequency, distinct, texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.columns.layouts import Layout, LayoutColumn

Cells = NDArray[np.object_]
SUFFIXES = {"csv": "csv", "tsv": "tsv", "jsonl": "jsonl", "fimi": "dat", "baskets": "csv"}


def generate(layout: Layout, n_rows: int, seed: int) -> tuple[list[str], list[list[Any]]]:
    """Return the header and the rows of a table.

    Cells are texts; a cell of a set is a list of texts in the formats `fimi` and `baskets`, and if its separator is
    `list`. The result depends on the name of the layout, its columns, `n_rows` and `seed` only.
    """
    table = _Table(layout, n_rows, seed)
    columns = [table.cells(column.header).tolist() for column in layout.columns]
    return [column.header for column in layout.columns], [list(row) for row in zip(*columns, strict=True)]


def write(layout: Layout, folder: Path, n_rows: int, seed: int) -> Path:
    """Write a table in the format of the layout to ``folder/NAME.SUFFIX``, and return the path."""
    header, rows = generate(layout, n_rows, seed)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{layout.name}.{SUFFIXES[layout.format]}"
    try:
        write_rows(layout, path, header, rows)
    except UnicodeEncodeError as error:
        message = f"encoding {layout.encoding!r} has no {error.object[error.start : error.end]!r}"
        raise LayoutError(message) from error
    return path


def write_rows(layout: Layout, path: Path, header: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", encoding=layout.encoding, newline="") as file:
        if layout.format == "jsonl":
            numeric = [column.generator.numeric for column in _origins(layout)]
            file.writelines(json.dumps(_nested(header, row, numeric), ensure_ascii=False) + "\n" for row in rows)
            return
        file.writelines(f"{line}\n" for line in layout.above)
        lines = csv.writer(file, delimiter=layout.delimiter, lineterminator="\n")
        if layout.header:
            lines.writerow(header)
        lines.writerows(_padded(layout.before, len(header)))
        lines.writerows(rows if layout.format in ("csv", "tsv") else map(_items, rows))
        lines.writerows(_padded(layout.after, len(header)))


def _padded(lines: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    return [[*line, *[""] * (width - len(line))] for line in lines]


def _items(row: Sequence[Any]) -> list[str]:
    """Return the non-empty cells of a row, each value of a set as a cell."""
    cells = [value for cell in row for value in (cell if isinstance(cell, list) else [cell])]
    return [cell for cell in cells if cell]


def _origins(layout: Layout) -> list[LayoutColumn]:
    """Return for each column the column from which its values are copied, or itself."""
    result = []
    for column in layout.columns:
        while column.generator.column:
            column = layout.column(column.generator.column)
        result.append(column)
    return result


def _nested(header: Sequence[str], row: Sequence[Any], numeric: Sequence[bool]) -> dict[str, Any]:
    """Return a row as a JSON object. A dot in a header separates the levels, and ``[]`` is a list of one object."""
    result: dict[str, Any] = {}
    for name, cell, number in zip(header, row, numeric, strict=True):
        *levels, last = name.split(".")
        place = result
        for level in levels:
            place = place.setdefault(level[:-2], [{}])[0] if level.endswith("[]") else place.setdefault(level, {})
        cells = [_json(x, number) for x in cell] if isinstance(cell, list) else _json(cell, number)
        place[last] = cells
    return result


def _json(cell: str, numeric: bool) -> Any:
    if not cell:
        return None
    if numeric:
        try:
            return float(cell) if "." in cell else int(cell)
        except ValueError:
            return cell
    return cell


@dataclass
class _Table:
    """Values of one table, column by column in the order in which they depend on each other."""

    layout: Layout
    n_rows: int
    seed: int

    def __post_init__(self) -> None:
        rng = self._rng("rows")
        self.person = _groups(rng, self.layout.rows, np.zeros(self.n_rows, dtype=np.int64))
        self.episode = _groups(rng, self.layout.episodes or "1", self.person)
        self._clean: dict[str, tuple[Texts, NDArray[np.int64]]] = {}
        self._cells: dict[str, Cells] = {}
        self._keys: dict[str, Texts] | None = None

    def _rng(self, purpose: str) -> np.random.Generator:
        text = f"{self.layout.name}\n{self.seed}\n{self.n_rows}\n{purpose}"
        return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()))

    def cells(self, header: str) -> Cells:
        """Return the cells of a column, (n_rows,)."""
        if header not in self._cells:
            self._cells[header] = self._finished(self.layout.column(header))
        return self._cells[header]

    def _finished(self, column: LayoutColumn) -> Cells:
        rng = self._rng(f"cells {column.header}")
        if column.generator.column:
            cells, scope = self._repeated(column), np.arange(self.n_rows)
        else:
            cells, scope = self._values(column.header)
            if column.per not in ("person", "row", "episode"):
                cells, scope = cells[scope], np.arange(self.n_rows)  # gaps and errors occur row by row
            cells = _misspelt(rng, column, cells)
        cells, is_value = _with_gaps(rng, column, cells)
        cells, is_value = cells[scope], is_value[scope]
        if column.variants:
            cells = _respelt(rng, column.variants, cells, is_value)
        if column.odd:
            rows = rng.permutation(self.n_rows)
            for value, number in column.odd.items():
                chosen, rows = np.split(rows, [min(number, max(1, self.n_rows // 10))])
                cells[chosen] = value
        if column.set:
            cells = texts_of_sets(cells, column.set[0], as_list=self.layout.format in ("fimi", "baskets"))
        return cells

    def _repeated(self, column: LayoutColumn) -> Cells:
        cells = self.cells(str(column.generator.column)).copy()
        if column.generator.previous:
            first = np.diff(self.person, prepend=-1) != 0
            cells[1:] = cells[:-1].copy()
            cells[first] = ""
        return cells

    def _values(self, header: str) -> tuple[Cells, NDArray[np.int64]]:
        """Return the values of a column without missing and misspelt ones, per scope, and the scope of each row.

        A value of a column with `set` is a tuple of texts.
        """
        if header not in self._clean:
            column = self.layout.column(header)
            if column.generator.column:
                self._clean[header] = self.cells(header), np.arange(self.n_rows)
            elif header in self.layout.person_columns:
                self._clean[header] = self._person_keys()[header], self.person
            else:
                scope = self._scope(column.per)
                rng = self._rng(f"values {header}")
                self._clean[header] = _draw(rng, column, int(scope.max(initial=-1)) + 1), scope
        return self._clean[header]

    def _scope(self, per: str) -> NDArray[np.int64]:
        if per == "row":
            return np.arange(self.n_rows)
        if per in ("person", "episode"):
            return self.person if per == "person" else self.episode
        values, scope = self._values(per)
        return _codes(values)[scope]

    def _person_keys(self) -> dict[str, Texts]:
        """Return the values of each person column per person: distinct together."""
        if self._keys is None:
            rng = self._rng("persons")
            *leading, last = (self.layout.column(name) for name in self.layout.person_columns)
            n = int(self.person.max(initial=-1)) + 1
            self._keys = {}
            place = np.zeros(n, dtype=np.int64)
            if leading:
                largest = int(min(5, last.generator.capacity))
                group = np.repeat(np.arange(n), rng.integers(1, largest + 1, n))[:n]
                for column in leading:
                    self._keys[column.header] = _draw(rng, column, n)[group]
                    place = _codes(texts(map(repr, zip(place, self._keys[column.header], strict=True))))
            order = np.argsort(place, kind="stable")
            starts = np.searchsorted(place[order], place[order])
            number = np.empty(n, dtype=np.int64)
            number[order] = np.arange(n) - starts
            self._keys[last.header] = _distinct(rng, last, int(number.max(initial=-1)) + 1)[number]
        return self._keys


def _groups(rng: np.random.Generator, rows: str, within: NDArray[np.int64]) -> NDArray[np.int64]:
    """Divide rows into consecutive groups of random sizes that do not cross the groups of `within`; number them."""
    n = len(within)
    match rows.split("|"):
        case ["geometric", mean]:
            sizes = rng.geometric(1 / float(mean), n)
        case ["uniform", low, high]:
            sizes = rng.integers(int(low), int(high) + 1, n)
        case _:
            sizes = np.full(n, int(rows))
    ends = np.searchsorted(within, within, side="right").tolist()
    starts = np.zeros(n, dtype=np.int64)
    at = 0
    for size in sizes.tolist():
        if at == n:
            break
        starts[at] = 1
        at = min(at + size, ends[at])
    return np.cumsum(starts) - 1


def _codes(values: Cells) -> NDArray[np.int64]:
    """Number the distinct values in the order of their first occurrence."""
    numbers: dict[Any, int] = {}
    return np.fromiter((numbers.setdefault(x, len(numbers)) for x in values.tolist()), np.int64, len(values))


def _distinct(rng: np.random.Generator, column: LayoutColumn, n: int, *, fewer: bool = False) -> Texts:
    if column.generator.draw is None:
        message = f"column {column.header!r}: values of another column cannot be distinct"
        raise LayoutError(message)
    try:
        return distinct(column.generator.draw, rng, n, fewer=fewer)
    except LayoutError as error:
        message = f"column {column.header!r}: {error}"
        raise LayoutError(message) from error


def _draw(rng: np.random.Generator, column: LayoutColumn, n: int) -> Cells:
    """Draw n values of a column: texts, or tuples of texts if it has `set`."""
    sizes = 1 + rng.poisson(column.set[1] - 1, n) if column.set else np.ones(n, dtype=np.int64)
    total = int(sizes.sum())
    if column.pool:
        drawn = by_frequency(rng, _distinct(rng, column, column.pool, fewer=True), total)
    else:
        assert column.generator.draw is not None  # values of other columns are not drawn
        drawn = column.generator.draw(rng, total)
    if not column.set:
        return drawn
    listed, ends = drawn.tolist(), np.cumsum(sizes).tolist()
    cells = np.empty(n, dtype=object)
    cells[:] = [
        _Values(dict.fromkeys(listed[end - size : end])) for size, end in zip(sizes.tolist(), ends, strict=True)
    ]
    return cells


class _Values(tuple[str, ...]):
    """Values of one cell."""

    __slots__ = ()


def texts_of_sets(cells: Cells, separator: str, *, as_list: bool) -> Cells:
    """Join the values of each cell with a separator, or make lists of them."""
    as_list = as_list or separator == "list"
    result = np.empty(len(cells), dtype=object)
    joined = list if as_list else separator.join
    result[:] = [joined(cell) if isinstance(cell, _Values) else cell for cell in cells.tolist()]
    return result


def _misspelt(rng: np.random.Generator, column: LayoutColumn, cells: Cells) -> Cells:
    """Replace the share `rare` of the values by misspelt and unusual ones."""
    if not column.rare:
        return cells
    chosen = np.flatnonzero(rng.random(len(cells)) < column.rare)
    cells = cells.copy()
    for at, kind, place in zip(chosen, rng.integers(0, 6, len(chosen)), rng.random(len(chosen)), strict=True):
        cell = cells[at]
        if isinstance(cell, _Values):
            cells[at] = _Values((misspelt(cell[0], int(kind), float(place)), *cell[1:]))
        else:
            cells[at] = misspelt(cell, int(kind), float(place))
    return cells


def misspelt(text: str, kind: int, place: float) -> str:
    """Return a text with one error: a letter missing, doubled or exchanged, other case, or an addition."""
    at = int(place * max(len(text) - 1, 1))
    if len(text) < 3 or kind == 5:
        return f"{text}{(' ?', '*', ' (old)', '.', ' NOS')[int(place * 5)]}"
    match kind:
        case 0:
            return text[:at] + text[at + 1 :]
        case 1:
            return text[: at + 1] + text[at:]
        case 2:
            return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        case 3:
            return text.swapcase()
    return f"{text[:at]} {text[at:]}"


def _with_gaps(rng: np.random.Generator, column: LayoutColumn, cells: Cells) -> tuple[Cells, NDArray[np.bool_]]:
    """Replace values by codes of missing values, and empty cells; return also which cells still contain values."""
    is_value = np.ones(len(cells), dtype=bool)
    cells = cells.copy()
    if column.missing:
        bounds = np.cumsum([0.0, *column.missing.values()])
        drawn = rng.random(len(cells))
        for code, low, high in zip(column.missing, bounds[:-1], bounds[1:], strict=True):
            chosen = (low <= drawn) & (drawn < high)
            cells[chosen] = code
            is_value[chosen] = False
    if column.filled < 1:
        chosen = rng.random(len(cells)) >= column.filled
        cells[chosen] = ""
        is_value[chosen] = False
    return cells, is_value


def _respelt(rng: np.random.Generator, variants: Sequence[str], cells: Cells, chosen: NDArray[np.bool_]) -> Cells:
    """Write half of the chosen cells in another spelling."""
    cells = cells.copy()
    rows = np.flatnonzero(chosen & (rng.random(len(cells)) < 0.5))
    for at, kind, place in zip(rows, rng.integers(0, len(variants), len(rows)), rng.random(len(rows)), strict=True):
        cells[at] = respelt(str(cells[at]), variants[kind], float(place))
    return cells


def respelt(text: str, variant: str, place: float = 0.0) -> str:
    """Return an id in another spelling.

    >>> [respelt("ab-012", x) for x in ("case", "zeros", "blanks", "hyphens")], respelt("012", "zeros")
    (['AB-012', '00ab-012', 'ab-012 ', 'ab012'], '12')
    """
    match variant:
        case "case":
            return text.swapcase()
        case "zeros":
            return text.lstrip("0") if text.startswith("0") and text.strip("0") else f"00{text}"
        case "blanks":
            return f"{text} " if place < 0.3 else f" {text}" if place < 0.6 else f"{text[:3]} {text[3:]}"
        case "hyphens":
            return text.replace("-", "") if "-" in text else f"{text[:3]}-{text[3:]}"
    return f"{text.lstrip('0') or '0'}.0" if text.isdigit() else text
