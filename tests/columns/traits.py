"""Traits of layouts: facts for which a layout is an example, and checks that they are true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.columns.layouts import Layout, LayoutColumn

HARD_TRAITS = ("no-person", "spellings", "unique-contact", "unique-row-key")
TRAITS = (*HARD_TRAITS, "repeats", "labels", "totals", "two-valued", "free-text", "chained-ids", "dummy-id")
TRAITS += ("wide-codes", "genotypes", "no-header", "nested")
GENOTYPES = {"0", "1", "2", "0/0", "0/1", "1/1", "0|0", "0|1", "1|0", "1|1", "./.", ".|.", "--", "00", "NN", "NA", ""}
STRUCTURAL_TRAITS: dict[str, Callable[[Layout], bool]] = {
    "no-person": lambda layout: layout.person == "unknown",
    "labels": lambda layout: bool(layout.before),
    "totals": lambda layout: bool(layout.after),
    "two-valued": lambda layout: layout.present is not None,
    "no-header": lambda layout: not layout.header,
}
"""Traits that the keys of a layout decide: declared if and only if they are true."""


def broken_traits(layout: Layout, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Yield one line for each declared trait that is not true of a generated table."""
    for trait in layout.traits:
        check = CHECKS.get(trait)
        if check is not None and not check(Sample(layout, header, rows)):
            yield f"trait {trait!r} is not true of a table of {len(rows)} rows"


class Sample:
    """A generated table: its layout and the cells of its columns."""

    def __init__(self, layout: Layout, header: Sequence[str], rows: Sequence[Sequence[object]]):
        self.layout = layout
        self.rows = rows
        self.cells = {name: [_hashable(row[at]) for row in rows] for at, name in enumerate(header)}

    @property
    def persons(self) -> list[tuple[object, ...]]:
        """Key of the true person in each row, as written."""
        return list(zip(*(self.cells[name] for name in self.layout.person_columns), strict=True))

    def columns(self, role: str) -> list[LayoutColumn]:
        """Return the columns of a role."""
        return [column for column in self.layout.columns if column.role == role]


def _hashable(cell: object) -> object:
    return tuple(cell) if isinstance(cell, list) else cell


def repeats(sample: Sample) -> bool:
    """Return True if a person has several rows."""
    persons = sample.persons
    return 0 < len(set(persons)) < len(persons)


def unique_column(role: str) -> Callable[[Sample], bool]:
    """Return a check that a column of this role differs in every row, although persons repeat or are unknown."""

    def check(sample: Sample) -> bool:
        unique = any(len(set(sample.cells[column.header])) == len(sample.rows) for column in sample.columns(role))
        return unique and (sample.layout.person == "unknown" or repeats(sample))

    return check


def spellings(sample: Sample) -> bool:
    """Return True if a person is written in several ways."""
    persons = sample.persons
    return len(set(persons)) > len({tuple(map(canonical, key)) for key in persons})


def canonical(text: object) -> str:
    """Return an id without case, leading zeros, blanks, hyphens and ``.0``."""
    bare = str(text).strip().casefold().removesuffix(".0").replace("-", "").replace(" ", "")
    return bare.lstrip("0")


def dummy_id(sample: Sample) -> bool:
    """Return True if the person column contains ids that are no person's."""
    columns = [sample.layout.column(name) for name in sample.layout.person_columns]
    return any(value in sample.cells[column.header] for column in columns for value in column.odd)


def genotypes(sample: Sample) -> bool:
    """Return True if at least three columns contain alleles or counts of alleles only."""
    return sum(all(is_genotype(str(x)) for x in cells) for cells in sample.cells.values()) >= 3


def is_genotype(text: str) -> bool:
    """Return True for ``0/1``, ``AG``, ``A/G`` and the like."""
    bases = text.replace("/", "").replace("|", "").replace(" ", "")
    return text in GENOTYPES or (1 <= len(bases) <= 2 and set(bases) <= set("ACGTID-"))


def nested(sample: Sample) -> bool:
    """Return True if JSON lines contain objects or lists."""
    columns = sample.layout.columns
    return sample.layout.format == "jsonl" and any("." in x.header or (x.set and x.set[0] == "list") for x in columns)


def two_valued(sample: Sample) -> bool:
    """Return True if a column of items has two values: `present`, and another one or empty cells."""
    present = sample.layout.present
    values = [set(sample.cells[column.header]) for column in sample.columns("items")]
    if present == "filled":
        return any("" in cells and len(cells) > 1 for cells in values)
    return any(present in cells and len(cells - {""}) <= 2 for cells in values)


CHECKS: dict[str, Callable[[Sample], bool]] = {
    "repeats": repeats,
    "unique-contact": unique_column("contact"),
    "unique-row-key": unique_column("key"),
    "spellings": spellings,
    "free-text": lambda sample: bool(sample.columns("text")),
    "chained-ids": lambda sample: any(
        column.values.startswith("previous|") and any(sample.cells[column.header]) for column in sample.layout.columns
    ),
    "dummy-id": dummy_id,
    "wide-codes": lambda sample: len(sample.columns("items")) >= 3,
    "genotypes": genotypes,
    "nested": nested,
    "two-valued": two_valued,
}
