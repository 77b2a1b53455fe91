"""Change a cell of a publication."""

import copy
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from fuzz.published import Records, Tables, write_lines


def with_another_cell(published: Records, rng: random.Random) -> Records:
    """Return a copy of the published records in which a cell has another value."""
    changed = copy.deepcopy(published)
    name = rng.choice([*published.sets, *published.relational, *published.keep])
    cells, position = changed.columns[name], rng.randrange(published.n)
    if name not in published.sets:
        others = sorted({*cells, "else"} - {cells[position]})
        cells[position] = rng.choice(others)
        return changed
    here = list(cells[position])
    others = sorted({symbol for cell in cells for symbol in cell} | {"else"} - set(here))
    others = [symbol for symbol in others if symbol not in here]
    if here and rng.random() < 0.6:
        here.pop(rng.randrange(len(here)))
    if not (here != cells[position] and rng.random() < 0.5):
        here.append(rng.choice(others))
    cells[position] = here
    return changed


def write(published: Records, path: Path, separator: str) -> None:
    if path.suffix == ".parquet":
        kinds = {name: pa.list_(pa.string()) if name in published.sets else pa.string() for name in published.columns}
        parquet.write_table(pa.table({name: pa.array(published.columns[name], kinds[name]) for name in kinds}), path)
        return
    if path.suffix == ".dat":
        path.write_text("".join(f"{' '.join(row)}\n" for row in published.columns["items"]), encoding="utf-8")
        return
    text = {
        name: [separator.join(cell) for cell in cells] if name in published.sets else cells
        for name, cells in published.columns.items()
    }
    rows = [dict(zip(text, row, strict=True)) for row in zip(*text.values(), strict=True)]
    write_lines(path, rows)


def buckets_with_another_cell(tables: Tables, data: dict[str, Any], rng: random.Random) -> Tables:
    """Return a copy of the published buckets in which an identity, group or value differs."""
    changed = copy.deepcopy(tables)
    rows, name = rng.choice([(changed.qit, data["id"][0]), (changed.qit, "group"), (changed.snt, data["sensitive"])])
    row = rng.choice(rows)
    row[name] = rng.choice(sorted({"else", *(other[name] for other in rows)} - {row[name]}))
    return changed
