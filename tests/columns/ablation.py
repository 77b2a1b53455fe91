"""Measure what each rule for columns contributes to the roles, and to the columns that are offered as the person.

Run ``python -m tests.columns.ablation``. Each rule is removed in turn. If the figures stay the same, delete it.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.columns.errors import NEVER, SETS
from tests.columns.layouts import Layout, person_headers, read_layouts
from tests.columns.tables import generate, write

from anonset.columns import persons as module
from anonset.columns.profiles import Profile, pattern, profile
from anonset.columns.rules import RULES, Rule, points_of, propose
from anonset.errors import InputError
from anonset.jobs.proposals.proposed_reading import columns_of, identifying_columns, mentioning, with_counts
from anonset.reading.sources.source import source_of
from anonset.settings.job import Job

LAYOUTS = Path(__file__).parent / "corpus" / "rules"


@dataclass(frozen=True)
class Read:
    """Columns of a layout as `inspect` reads them, and their true roles."""

    truth: Mapping[str, str]
    profiles: Sequence[Profile]
    loaded: Mapping[str, Any]
    identifying: set[str]
    mentioning: Mapping[str, str]

    def roles(self, rules: Mapping[str, Rule]) -> Mapping[str, str]:
        """Return the proposed roles."""
        found = propose(
            self.profiles, lambda name: pattern(self.loaded[name]), self.identifying, self.mentioning, rules=rules
        )
        return {name: own.role for name, own in found.items()}


def read(layout: Layout, n_rows: int) -> Read | None:
    """Return the columns of a layout. None if `inspect` needs other reading settings."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(layout, Path(folder), n_rows, 1)
        try:
            data = columns_of(source_of(str(path), None), Job({"no_header": not layout.header}))
        except InputError:
            return None
        loaded, names = data.columns, data.opened.names
        profiles = [profile(name, loaded[name]) for name in names]
        candidates, _ = with_counts(loaded, names)
        named = layout.names
        truth = {named[column.header]: column.role for column in layout.columns}
        return Read(
            truth, profiles, loaded, identifying_columns(candidates, profiles), mentioning(loaded, profiles, candidates)
        )


def role_figures(layouts: Sequence[Read], rules: Mapping[str, Rule]) -> Counter[str]:
    """Count the dangerous and the lossy proposals, before the rows of a person are merged."""
    counts = Counter({"dangerous": 0, "lossy": 0})
    for one in layouts:
        for name, role in one.roles(rules).items():
            true = one.truth.get(name, "other")
            shown = role in ("relational", "sensitive", *SETS)
            counts["dangerous"] += (true in NEVER and shown) or (true == "sensitive" and role == "relational")
            counts["lossy"] += true == "attribute" and not shown
    return counts


def figures(layouts: Sequence[tuple[Layout, Mapping[str, Any]]]) -> dict[str, int]:
    """Return the number of layouts in which the true person is offered, in which it is the first column that repeats,
    and in which no likely column is offered because each row is a person or the data do not say.
    """
    counts = {"first": 0, "shown": 0, "quiet": 0}
    for layout, columns in layouts:
        possible = [one for one in module.possible_persons(columns, list(columns)) if one.repeats]
        found = [one.columns for one in possible if one.is_likely]
        if layout.person in ("row", "unknown"):
            counts["quiet"] += not found
        else:
            true = tuple(person_headers(layout.person, list(columns)))
            counts["first"] += found[:1] == [true]
            counts["shown"] += true in [one.columns for one in possible]
    return counts


def tables(n_rows: int) -> list[tuple[Layout, Mapping[str, Any]]]:
    """Return the layouts in which a person has several rows or is no column, with their columns."""
    result = []
    for layout in read_layouts(LAYOUTS):
        if layout.person in ("row", "unknown") or "repeats" in layout.traits:
            header, rows = generate(layout, n_rows, 1)
            columns = {name: pa.chunked_array([[str(row[at]) for row in rows]]) for at, name in enumerate(header)}
            result.append((layout, columns))
    return result


def main() -> int:
    """Print the figures without each rule."""
    found = [one for layout in read_layouts(LAYOUTS) if (one := read(layout, 500)) is not None]
    measured = tables(200)
    complete = {**role_figures(found, RULES), **figures(measured)}
    sys.stdout.write(f"{len(found)} and {len(measured)} layouts: {complete}\n")
    for name in RULES:
        fewer = {other: rule for other, rule in RULES.items() if other != name}
        module.points_of = partial(points_of, rules=fewer)
        without = {**role_figures(found, fewer), **figures(measured)}
        sys.stdout.write(f"without {name!r} ({RULES[name].points:+d} points): {_changes(complete, without)}\n")
    return 0


def _changes(before: Mapping[str, int], after: Mapping[str, int]) -> str:
    return ", ".join(f"{figure} {after[figure] - count:+d}" for figure, count in before.items())


if __name__ == "__main__":
    sys.exit(main())
