"""Query workloads from settings, which name a file of itemsets or specify random queries."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anonset.data import Hierarchy, Table
from anonset.errors import InputError
from anonset.queries.estimate import ONE_MEMBER, Reading, require_reading
from anonset.queries.workload import Workload

if TYPE_CHECKING:
    from anonset.queries.mixed_workload import QueryShape


_SPEC = re.compile(r"(record|domain|published):([0-9]{1,18})x([0-9]{1,18})(?:\+([0-9]{1,18}))?")


@dataclass(frozen=True)
class WorkloadSpec:
    """Specification of a workload."""

    queries: str | None = None
    """File with the items of one query per line, or a workload file (``.json``)."""
    random: str | None = None
    """Random queries. For example, ``record:100x2`` is 100 queries for 2 items, and ``record:100x2+1`` adds a
    relational value. ``domain`` and ``published`` are other sources. For buckets, the queries name 2 kept columns
    instead of items.
    """
    seed: int = 0
    """Seed of the random queries."""
    width: float = 0.0
    """Half width of a numeric condition, as a share of the column width, in [0, 1]."""
    reading: Reading = ONE_MEMBER
    """Interpretation of published symbols with several items: see `anonset.queries.ExpectedCounts`."""

    def __post_init__(self) -> None:
        require_reading(self.reading)
        if self.queries is not None and self.random is not None:
            raise InputError("use either --queries or --workload, not both")
        if self.random is not None and _SPEC.fullmatch(self.random) is None:
            raise InputError(
                f"--workload must be record:NxQ, domain:NxQ or published:NxQ, such as record:100x2, got {self.random!r}"
            )

    @property
    def parts(self) -> tuple[str, int, int, int]:
        """Source of a random workload, number of queries, and number of items and relational values per query."""
        match = _SPEC.fullmatch(self.random or "")
        return ("", 0, 0, 0) if match is None else (match[1], int(match[2]), int(match[3]), int(match[4] or 0))

    @property
    def shape(self) -> "QueryShape":
        """Number of items and relational values per query of a random workload."""
        from anonset.queries.mixed_workload import QueryShape

        _, _, n_items, n_values = self.parts
        return QueryShape(n_values=n_values, n_items=n_items, width=self.width)


@dataclass(frozen=True)
class QueryAnswers:
    """Accuracy of a workload's answers from a publication."""

    are: float
    """Average relative error."""
    answered: int
    """Number of queries with an exact answer above 0. Only these queries have a relative error."""
    skipped: int
    """Number of queries with the exact answer 0."""
    reading: Reading | None
    """Interpretation of symbols with several items. None for buckets and chunks, which have no such symbols."""


@contextmanager
def in_terms_of(spec: WorkloadSpec) -> Iterator[None]:
    """Name the setting of a random workload in messages, with the parameters that it contains."""
    try:
        yield
    except InputError as error:
        form = f"{spec.parts[0]}:NxQ+V with N = n_queries, Q = n_items, V = n_values"
        raise InputError(f"--workload {spec.random} ({form}): {error}") from None


def of_original(original: Table, spec: WorkloadSpec, hierarchies: Mapping[str, Hierarchy]) -> Workload | None:
    """Return a workload from a file, or drawn from the original. None if it is drawn from the publication."""
    from anonset.queries.mixed_workload import mixed_domain_workload, mixed_record_workload

    if spec.queries is not None:
        return _from_file(Path(spec.queries), original)
    source, n, _, _ = spec.parts
    with in_terms_of(spec):
        if source == "record":
            return mixed_record_workload(original, n, spec.shape, spec.seed)
        if source == "domain":
            return mixed_domain_workload(original, n, spec.shape, spec.seed, hierarchies)
    return None


def _from_file(path: Path, original: Table) -> Workload:
    from anonset.reading.policies import read_privacy_policy
    from anonset.reading.workloads import read_workload

    if path.name.removesuffix(".gz").removesuffix(".zst").endswith(".json"):
        return read_workload(path)
    column = original.transactions
    if column is None:
        raise InputError(f"{path}: the queries ask for items, but the original has no set-valued column")
    return Workload.of(read_privacy_policy(path, column.vocabulary).itemsets)
