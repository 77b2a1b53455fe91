"""Measure what each observation on a column contributes to the order of the offered persons.

Run ``python -m tests.columns.ablation``. Each observation is removed in turn. An observation whose removal changes
nothing should be deleted.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.columns.layouts import Layout, person_headers, read_layouts
from tests.columns.tables import generate

from anonset.columns import persons as module

RULES = Path(__file__).parent / "corpus" / "rules"


def figures(layouts: Sequence[tuple[Layout, Mapping[str, Any]]]) -> dict[str, int]:
    """Return the number of layouts in which the true person is offered, in which it is the first column that repeats,
    and in which no column is offered because each row is a person or the data do not say.
    """
    counts = {"first": 0, "shown": 0, "quiet": 0}
    for layout, columns in layouts:
        found = [one.columns for one in module.possible_persons(columns, list(columns)) if one.repeats]
        if layout.person in ("row", "unknown"):
            counts["quiet"] += not found
        else:
            true = tuple(person_headers(layout.person, list(columns)))
            counts["first"] += found[:1] == [true]
            counts["shown"] += true in found
    return counts


def tables(n_rows: int) -> list[tuple[Layout, Mapping[str, Any]]]:
    """Return the layouts in which a person has several rows or is no column, with their columns."""
    result = []
    for layout in read_layouts(RULES):
        if layout.person in ("row", "unknown") or "repeats" in layout.traits:
            header, rows = generate(layout, n_rows, 1)
            columns = {name: pa.chunked_array([[str(row[at]) for row in rows]]) for at, name in enumerate(header)}
            result.append((layout, columns))
    return result


def main() -> int:
    """Print the figures without each observation."""
    measured = tables(200)
    whole = figures(measured)
    sys.stdout.write(f"{len(measured)} layouts: {whole}\n")
    for name, points in module._POINTS.items():
        module._POINTS[name] = 0
        without = figures(measured)
        module._POINTS[name] = points
        changes = ", ".join(f"{figure} {without[figure] - count:+d}" for figure, count in whole.items())
        sys.stdout.write(f"without {name!r} ({points:+d} points): {changes}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
