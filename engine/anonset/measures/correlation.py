"""Disclosure by correlations in a bucketized table. An attacker infers values from several tuples of an individual.

Rows with a hidden identity are included in group sizes and values, but belong to no individual.

References: Al Bouna, Clifton, Malluhi, "Using safety constraint for transactional dataset anonymization", DBSec 2013,
sections 5 and 8.2.1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from anonset.data.array_types import Int64
from anonset.data.distinct import first_of_runs
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import gathered
from anonset.errors import InputError
from anonset.measures.visible_individuals import VisibleIndividuals
from anonset.privacy.model import require_at_least

_PAIRS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class IntraGroupViolation(RedactedRepr):
    """An individual in a group, and a value that at least one of the individual's tuples must have.

    The group has too few tuples without the value for all tuples of the individual.
    """

    group: str = field(repr=False)
    individual: tuple[str, ...]
    value: str = field(repr=False)
    """Sensitive value at risk."""
    tuples: int
    """Number of tuples of the individual in the group."""
    count: int
    """Number of tuples of the group with the value."""
    size: int
    """Number of tuples of the group."""
    row: int
    """First QIT row of the individual in the group (0-based)."""

    @property
    def certain(self) -> int:
        """Minimum number of tuples of the individual that must have the value."""
        return self.tuples + self.count - self.size


@dataclass(frozen=True)
class InterGroupViolation(RedactedRepr):
    """A value that occurs in more than 1/l of the groups of an individual. See `inter_group_violations`."""

    individual: tuple[str, ...]
    value: str = field(repr=False)
    """Sensitive value at risk."""
    groups_with: int
    """Number of the individual's groups that contain the value."""
    groups: int
    """Number of groups of the individual."""
    common: int
    """Number of values that occur in all groups of the individual."""
    row: int
    """QIT row of the individual (0-based)."""


def intra_group_violations(publication: VisibleIndividuals) -> list[IntraGroupViolation]:
    """Find values of individuals that the tuple counts of a group disclose.

    The result contains an individual and a value if the tuples of the individual plus the tuples with the value exceed
    the group size. The condition is sufficient for a disclosure, but not necessary. Results are sorted by group,
    individual and value.

    >>> from anonset.data import CategoricalColumn, Table
    >>> from anonset.generalization import Bucketized
    >>> from anonset.generalization.bucketizing import bucketize
    >>> ids = CategoricalColumn.of("patient", ["P1", "P1", "P2"])
    >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "a"]), ids=(ids,))
    >>> publication = bucketize(table, Bucketized(np.zeros(3, np.int32), np.zeros(3, bool)))
    >>> [(v.individual, v.value, v.certain) for v in intra_group_violations(publication)]
    [(('P1',), 'a', 1)]

    Raises
    ------
    InputError
        If the publication has no id column.
    """
    incidence = _Incidence(publication)
    most_tuples, most_alike = np.zeros((2, publication.n_groups), np.int64)
    np.maximum.at(most_tuples, incidence.group, incidence.tuples)
    np.maximum.at(most_alike, publication.snt_group, publication.snt_count)
    flagged = most_tuples + most_alike > publication.sizes
    at_risk = flagged[incidence.group] & (
        incidence.tuples + most_alike[incidence.group] > publication.sizes[incidence.group]
    )
    pairs = np.flatnonzero(at_risk)
    pairs = pairs[np.lexsort((incidence.person[pairs], incidence.group[pairs]))]
    violations = []
    for pair in pairs.tolist():
        group, tuples = int(incidence.group[pair]), int(incidence.tuples[pair])
        size = int(publication.sizes[group])
        for entry in range(int(incidence.snt_start[group]), int(incidence.snt_start[group + 1])):
            count = int(publication.snt_count[entry])
            if tuples + count > size:
                label = publication.group.vocabulary.labels[group]
                individual, row = incidence.individual(pair), int(incidence.row[pair])
                violations.append(
                    IntraGroupViolation(label, individual, incidence.value(entry), tuples, count, size, row)
                )
    return violations


def inter_group_violations(
    publication: VisibleIndividuals,
    l: int,  # noqa: E741
    *,
    alpha: int = 3,
) -> list[InterGroupViolation]:
    """Find individuals with a value that occurs in more than 1/l of their groups, if fewer than l values are common to
    all these groups.

    Results are sorted by individual and value.

    Parameters
    ----------
    publication
        The published QIT and SNT.
    l
        A value is frequent for an individual if more than 1/l of the individual's groups contain it (>= 1).
    alpha
        Minimum number of groups of an individual (>= 2). The paper requires more than 2.

    Raises
    ------
    InputError
        If a parameter is out of range, or the publication has no id column.
    """
    require_at_least("l", l, 1)
    require_at_least("alpha", alpha, 2)
    incidence = _Incidence(publication)
    n_groups_of = np.bincount(incidence.person) if len(incidence.person) else np.zeros(0, np.int64)
    pairs = np.flatnonzero(n_groups_of[incidence.person] >= alpha)
    violations: list[InterGroupViolation] = []
    for part in incidence.parts(pairs):
        violations += _inter_group(incidence, part, l)
    return violations


class _Incidence:
    """Sorted pairs of an individual and a group, and the values of each group."""

    def __init__(self, publication: VisibleIndividuals) -> None:
        if not publication.ids:
            raise InputError("correlations need an id column; the publication has none")
        self.publication = publication
        rows = np.flatnonzero(~publication.starred)
        codes = [column.codes[rows] for column in publication.ids]
        order = np.lexsort((publication.group.codes[rows], *codes[::-1]))
        rows = rows[order]
        group = publication.group.codes[rows]
        persons = [code[order] for code in codes]
        new_person, begin = first_of_runs(*persons), np.flatnonzero(first_of_runs(*persons, group))
        self.row = rows[begin]
        self.person: Int64 = (np.cumsum(new_person)[begin] - 1).astype(np.int64)
        self.group: Int64 = group[begin].astype(np.int64)
        self.tuples: Int64 = np.diff(np.append(begin, len(rows))).astype(np.int64)
        self.snt_start = np.searchsorted(publication.snt_group, np.arange(publication.n_groups + 1))

    def individual(self, pair: int) -> tuple[str, ...]:
        row = int(self.row[pair])
        return tuple(column.vocabulary.labels[column.codes[row]] for column in self.publication.ids)

    def value(self, entry: int) -> str:
        values = self.publication.snt_value
        return values.vocabulary.labels[int(values.codes[entry])]

    def parts(self, pairs: Int64) -> Iterator[Int64]:
        """Split the pairs into parts that fit in memory. All pairs of an individual are in the same part."""
        n_values = np.cumsum(self.snt_start[self.group[pairs] + 1] - self.snt_start[self.group[pairs]])
        person = self.person[pairs]
        begin = 0
        while begin < len(pairs):
            done = int(n_values[begin - 1]) if begin else 0
            last = min(int(np.searchsorted(n_values, done + _PAIRS_AT_ONCE)), len(pairs) - 1)
            end = int(np.searchsorted(person, person[last], side="right"))
            yield pairs[begin:end]
            begin = end


def _inter_group(
    incidence: _Incidence,
    pairs: Int64,
    l: int,  # noqa: E741
) -> list[InterGroupViolation]:
    """Find the violations of individuals. `pairs` must contain all groups of each individual."""
    vocabulary = incidence.publication.snt_value.vocabulary
    person, first, n_groups = np.unique(incidence.person[pairs], return_index=True, return_counts=True)
    start = incidence.snt_start[incidence.group[pairs]]
    n_values = incidence.snt_start[incidence.group[pairs] + 1] - start
    _, rows = gathered(start, n_values)
    local = np.repeat(np.repeat(np.arange(len(person)), n_groups), n_values)
    meets, times = np.unique(local * len(vocabulary) + incidence.publication.snt_value.codes[rows], return_counts=True)
    individual, value = np.divmod(meets, len(vocabulary))
    common = np.bincount(individual[times == n_groups[individual]], minlength=len(person))
    violates = (l * times > n_groups[individual]) & (common[individual] < l)
    flagged = pairs[first]
    return [
        InterGroupViolation(
            incidence.individual(int(flagged[a])),
            vocabulary.labels[v],
            t,
            int(n_groups[a]),
            int(common[a]),
            int(incidence.row[flagged[a]]),
        )
        for a, v, t in zip(
            individual[violates].tolist(), value[violates].tolist(), times[violates].tolist(), strict=True
        )
    ]
