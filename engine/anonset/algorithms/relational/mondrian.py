"""Strict Mondrian of LeFevre, DeWitt, Ramakrishnan, ICDE 2006."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Traits
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.relational.base import OF_CLASSES, Formation
from anonset.data.array_types import Int32
from anonset.data.class_rules import ClassRule
from anonset.data.distinct import positions
from anonset.data.progress import Progress
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.spans import begins_of
from anonset.data.table import CategoricalColumn
from anonset_kernels.relational._kinds import SET


@dataclass(frozen=True, kw_only=True)
class Mondrian(Formation):
    """Mondrian: split by the widest attribute that allows at least k records on each side, until no split is possible.

    Guarantees k-anonymity. If there is a sensitive column, both sides of a split must also satisfy l-diversity or
    t-closeness. Cost: O(v n log^2 n). Suitable for millions of records.

    References: LeFevre, DeWitt, Ramakrishnan, ICDE 2006 (strict partitioning).
    Deviations: the width of an attribute is the loss (NCP). A category with a hierarchy is split into the children of
    the node. Categories without a hierarchy are ordered by descending frequency in the input and split at the median,
    because the order of labels has no meaning. Each part publishes its narrowest ranges.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "1", "1", "1"])
    >>> Mondrian(k=2).recode(table, {}).recoding.relational[0].labels
    ('f', 'm')
    """

    name: ClassVar[str] = "mondrian"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.0,
        split_records=1 << 17,
        tight=True,
        keeps_more=True,
        answers=OF_CLASSES,
    )

    def form(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Int32:
        """Return the cluster of each record, int32 (n,). Clusters are numbered by first record."""
        from anonset_kernels.relational.mondrian import Shares, mondrian

        plain = QuasiIdentifiers(qi.columns, qi.domains, (1.0,) * len(qi.columns))
        kind, slot, _, _, width, cost_at, cost, parent, subtree_end = plain.space
        share_at = cost_at + begins_of(kind == 0)  # a range has one more element, which contains its width
        share = np.empty(int(share_at[-1]), np.float64)
        parents, ends = np.zeros(len(share), np.int32), np.zeros(len(share), np.int32)
        for a in range(len(kind)):
            into, source = slice(share_at[a], share_at[a + 1]), slice(cost_at[a], cost_at[a + 1])
            if kind[a] == 0:
                share[into] = width[a]
            else:
                share[into], parents[into], ends[into] = cost[source], parent[source], subtree_end[source]
        cluster = np.empty(qi.n, np.int32)
        tuples = qi.tuples._replace(codes=_by_frequency(qi))
        rule = qi.rule or ClassRule.none()
        space = Shares(kind, slot, share_at, share, parents, ends)
        mondrian(space, tuples, qi.tuple_of, self.k, rule.packed, cluster)
        return renumber_clusters(cluster)[0]


def _by_frequency(qi: QuasiIdentifiers) -> Int32:
    """Return the codes of the distinct tuples. Values without a hierarchy are coded by descending frequency."""
    codes = qi.tuples.codes.copy()
    for column, kind, slot in zip(qi.columns, qi.kind, qi.slot, strict=True):
        if kind == SET and isinstance(column, CategoricalColumn):
            counts = np.bincount(column.codes, minlength=len(column.vocabulary))
            codes[slot] = positions(np.argsort(-counts, kind="stable"), len(counts))[codes[slot]]
    return codes
