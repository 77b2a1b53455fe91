"""Workloads of queries from settings: a file of itemsets, or random ones."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError
from anonset.publications import Buckets, Chunks, Records
from anonset.queries.estimate import ONE_MEMBER, Reading, require_reading
from anonset.queries.workload import Workload
from anonset.spelling import counted

_SPEC = re.compile(r"(record|domain|published):([0-9]{1,18})x([0-9]{1,18})(?:\+([0-9]{1,18}))?")


@dataclass(frozen=True)
class WorkloadSpec:
    """Which queries to ask."""

    queries: str | None = None
    """File with the items of a query a line, or (``.json``) a workload."""
    random: str | None = None
    """``record:100x2`` (or ``domain``, ``published``): 100 random queries for 2 items; ``+1``: and 1 relational value.

    Of buckets: for 2 of the kept columns.
    """
    seed: int = 0
    """Seed of the random queries."""
    width: float = 0.0
    """A condition on a number reaches this share of the column's width to both sides, in [0, 1]."""
    reading: Reading = ONE_MEMBER
    """What a published symbol of several items is taken to stand for: see `anonset.queries.ExpectedCounts`."""

    def __post_init__(self) -> None:
        require_reading(self.reading)
        if self.queries is not None and self.random is not None:
            msg = "only one of --queries and --workload can be given"
            raise InputError(msg)
        if self.random is not None and _SPEC.fullmatch(self.random) is None:
            msg = (
                f"--workload must be record:NxQ, domain:NxQ or published:NxQ, such as record:100x2, got {self.random!r}"
            )
            raise InputError(msg)

    @property
    def parts(self) -> tuple[str, int, int, int]:
        """Source, number of queries, and items and relational values of each, of a random workload."""
        found = _SPEC.fullmatch(self.random or "")
        return ("", 0, 0, 0) if found is None else (found[1], int(found[2]), int(found[3]), int(found[4] or 0))


@dataclass(frozen=True)
class QueryAnswers:
    """How well a workload can be answered from a publication."""

    are: float
    """Average relative error."""
    answered: int
    """Queries with an error."""
    skipped: int
    """Queries whose true answer is 0."""
    reading: Reading | None
    """What symbols of several items are taken to stand for; None for buckets and chunks, which have none."""


def answers(
    original: Table, publication: Any, spec: WorkloadSpec, hierarchies: Mapping[str, Hierarchy] | None = None
) -> QueryAnswers | None:
    """Return the average relative error of a workload, or None where none is asked for.

    Parameters
    ----------
    publication
        What is published, without short codes of value sets.
    hierarchies
        Those of relational columns.

    Raises
    ------
    InputError
        If the workload is not one for this publication.
    """
    if spec.queries is None and spec.random is None:
        return None
    if isinstance(publication, Chunks):
        return _of_chunks(original, publication, spec)
    if isinstance(publication, Buckets):
        return _of_buckets(original, publication, spec)
    from anonset.measures.query_error import mixed_relative_error

    names = {column.name for column in original.relational}
    known = {name: tree for name, tree in (hierarchies or {}).items() if name in names}
    workload = _workload(original, publication, spec, known)
    found = mixed_relative_error(original, publication, workload, known, reading=spec.reading)
    return QueryAnswers(found.average, found.answered, found.skipped, spec.reading)


def _workload(
    original: Table,
    publication: Records | Chunks,
    spec: WorkloadSpec,
    hierarchies: Mapping[str, Hierarchy],
) -> Workload:
    from anonset.queries.mixed_workload import (
        QueryShape,
        mixed_domain_workload,
        mixed_published_workload,
        mixed_record_workload,
    )

    if spec.queries is not None:
        return _from_file(Path(spec.queries), original)
    source, n, n_items, n_values = spec.parts
    try:
        shape = QueryShape(n_values=n_values, n_items=n_items, width=spec.width)
        if source == "record":
            return mixed_record_workload(original, n, shape, spec.seed)
        if source == "domain":
            return mixed_domain_workload(original, n, shape, spec.seed, hierarchies)
        if isinstance(publication, Chunks):
            items = publication.vocabulary.labels
            return mixed_domain_workload(Table(SetColumn.of([items], universe=items)), n, shape, spec.seed)
        return mixed_published_workload(original, publication, n, shape, spec.seed, hierarchies)
    except InputError as error:
        why = f"{error}"
        for name, letter in (("n_queries", "N"), ("n_items", "Q"), ("n_values", "V")):
            why = why.replace(name, letter)
        msg = f"--workload {spec.random} (of the form {source}:NxQ+V): {why}"
        raise InputError(msg) from None


def _from_file(path: Path, original: Table) -> Workload:
    from anonset.io.policies import read_privacy_policy
    from anonset.io.workloads import read_workload

    if path.name.removesuffix(".gz").removesuffix(".zst").endswith(".json"):
        return read_workload(path)
    column = original.transactions
    if column is None:
        msg = f"{path}: queries for items, and the original has no set-valued column"
        raise InputError(msg)
    return Workload.of(read_privacy_policy(path, column.vocabulary).itemsets)


def _of_chunks(original: Table, publication: Chunks, spec: WorkloadSpec) -> QueryAnswers:
    from anonset.measures.query_error import relative_errors
    from anonset.queries.chunks import ChunkCounts
    from anonset.queries.relational import TrueAnswers

    workload = _workload(original, publication, spec, {})
    true, expected = TrueAnswers(original), ChunkCounts(publication)
    found = relative_errors(workload.queries, lambda query: (true.count(query), expected.count(query)))
    return QueryAnswers(found.average, found.answered, found.skipped, None)


def _of_buckets(original: Table, publication: Buckets, spec: WorkloadSpec) -> QueryAnswers:
    from anonset.queries.buckets import record_workload, relative_errors

    source, n, size, _ = spec.parts
    if source != "record":
        msg = "queries on buckets are made from records: --workload record:NxQ, with Q of the kept columns"
        raise InputError(msg)
    columns = [column.name for column in original.kept]
    if not 1 <= size <= len(columns):
        msg = f"--workload {spec.random}: the buckets have {counted(len(columns), 'kept column')}, {size} are asked for"
        raise InputError(msg)
    found = relative_errors(original, publication, record_workload(original, columns[:size], queries=n, seed=spec.seed))
    return QueryAnswers(found.are, len(found.errors), found.skipped, None)
