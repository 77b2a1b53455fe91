"""Columns of a data set, their proposed roles, and the table read with them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.ids import given_texts
from anonset.columns.kinds import MOST_LOOKED_AT
from anonset.data import Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix, Problem
from anonset.jobs.findings import ColumnFindings
from anonset.reading.batches import OpenedSource, Transform
from anonset.reading.cells.columns import with_nulls
from anonset.reading.options import ReadOptions
from anonset.reading.sources.source import Source
from anonset.reading.table_builder import gather
from anonset.settings.binding import with_as_is
from anonset.settings.job import Job


@dataclass(frozen=True)
class AllColumns(RedactedRepr):
    """All columns of a data set in memory, and the settings with which they were read."""

    source: Source
    opened: OpenedSource
    columns: ArrowColumns
    declared: Job
    """Declared and recognized settings without None and without an open unit. All column names are lists.
    """

    def with_nulls(self, words: Collection[str]) -> "AllColumns":
        """Return the columns in which further texts are null."""
        if not words:
            return self
        declared = self.declared.with_(null=[*self.declared.names("null"), *words])
        return replace(self, columns=with_nulls(self.columns, words), declared=declared)

    @cached_property
    def loaded(self) -> OpenedSource:
        """The source with these columns. It is not read again."""
        return self.opened.with_columns(self.columns)


@dataclass(frozen=True)
class Proposal(RedactedRepr):
    """Columns with roles, and the table read with them."""

    source: Source | None
    """Source of the columns. None if the source is a table."""
    rows: int
    person: tuple[str, ...] = ()
    """Columns that identify the person. Empty if each row is a person."""
    columns: tuple[ColumnFindings, ...] = ()
    settings: Job = field(default_factory=Job)
    """Settings with which a job runs: roles, hierarchies, and reading options."""
    problems: tuple[Problem, ...] = ()
    table: Table | None = None
    """Table read with the settings. None if no record can be read."""
    doubt: str = ""
    """Facts against the unit: a column that may identify the persons, whom the unit then counts several times (see
    `PossiblePerson`), or facts of a person that differ.
    """
    persons: int = 0
    """Number of persons, if the owner must choose the unit."""
    skipped: int = 0
    """Number of rows that are skipped, because they have no value in the columns of the unit."""
    possible_items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Dropped columns that may contain items, by the setting that publishes them."""
    possible_roles: Mapping[str, list[str]] = field(default_factory=dict)
    """Roles derived from values only, which the owner must check. Empty if a column is recognized."""
    answers: "tuple[Proposal, ...]" = ()
    """Proposals for all possible units if the owner must choose the unit. This proposal is the first that reads
    records.
    """
    item_answers: tuple[Fix, ...] = ()
    """Possible answers to the question which columns contain the items, first the proposed columns. Empty if there is
    no other answer.
    """
    obstacle: Problem | None = None
    """Problem with which no record can be read. It applies if `table` is None."""
    others: tuple[tuple[str, ...], ...] = ()
    """Further columns that may identify the person, without proposals."""
    recognised: Job = field(default_factory=Job)
    """Reading options that were not declared, and without which the data cannot be read."""


def distinct_texts(column: Any) -> list[str]:
    """Return the first distinct values of a column as text."""
    values: list[str] = arrow.unique(given_texts(column))[:MOST_LOOKED_AT].to_pylist()
    return values


def read_with_settings(source: OpenedSource, settings: Job) -> Table:
    """Read the table of a proposal with its settings."""
    given = settings.without("labels", "hierarchy", "publish_as_is")
    if given.names("relational") and given.names("sensitive"):  # published classes show the sensitive column
        given = given.with_(keep=[*given.names("keep"), given["sensitive"]], sensitive=None)
    options = ReadOptions(**given)
    if options.skip_without_id and options.ids:
        source = source.changed(Transform(ids=options.ids))
    return with_as_is(gather(source, options, with_ids=True), settings.get("publish_as_is"))
