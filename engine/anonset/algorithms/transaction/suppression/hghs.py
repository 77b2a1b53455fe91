"""Heuristic generalization with heuristic suppression (HgHs) of Liu and Wang, 2010, sections 3 and 4.1.

A threat is a set of nodes that occurs in 1 to k - 1 records. The paper has no numbered lines. Steps and their
implementation::

    4.1  mine the minimal threats of all cuts                    HgHs.search; MinimalThreats
    3.1  from the root, expand the node that lowers the cost     cut_scan.search_cut; kernel hghs.step
         most, until none does
    3.2  select the nodes to suppress: a scan by falling         kernels hghs.begin, and hghs.expand, which
         cost that excludes nodes which complete a threat        updates it for an expanded node
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count
from anonset.algorithms.transaction.base import MOST_INCREMENTS, KmAlgorithm, MaxIncrements, bind_to_hierarchy
from anonset.algorithms.transaction.suppression.cut_scan import search_cut
from anonset.algorithms.transaction.suppression.threats import MinimalThreats
from anonset.data import Hierarchy, Table
from anonset.data.progress import Progress
from anonset.generalization import Cut


@dataclass(frozen=True, kw_only=True)
class ThreatBased(KmAlgorithm, ABC):
    """Base class of HgHs and mHgHs, which find a cut and suppressed nodes by minimal threats."""

    max_threats: Annotated[Count, "Maximum number of rare itemsets (about 50 bytes each at m=3)."] = 30_000_000
    max_increments: MaxIncrements = MOST_INCREMENTS

    @abstractmethod
    def search(self, threats: MinimalThreats, m: int, progress: Progress | None) -> Result:
        """Find the cut by the minimal threats of up to m nodes (m >= 1). `threats` must be empty before the call."""

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find the cut and the suppressed nodes. `search` documents `Result.trace`.

        Raises
        ------
        InputError
            If there are more minimal threats than `max_threats`, or counting a set size needs more than
            `max_increments` steps.
        """
        column, hierarchy = bind_to_hierarchy(table, hierarchies)
        if self.k == 1:
            return Result(Cut.identity(hierarchy))
        threats = MinimalThreats(
            column,
            hierarchy,
            self.k,
            limit=self.max_threats,
            max_increments=self.max_increments,
            store=table.store,
            progress=progress,
        )
        return self.search(threats, max(1, min(self.m, int(column.lengths.max(initial=0)))), progress)


@dataclass(frozen=True, kw_only=True)
class HgHs(ThreatBased):
    """HgHs: combine generalization and suppression, by finding a cut top-down and suppressing some of its nodes.

    Guarantees k^m-anonymity after the suppressed nodes are removed. A solution always exists, because all nodes may be
    suppressed.
    Cost: for each set of up to m nodes whose members except the last form a frequent set, a counting step for each
    record that contains the set. If records are dense, a few counting steps per set suffice. Each search step evaluates
    each node of a cut once. The search fails if there are more than `max_threats` threats, or if a set size needs more
    than `max_increments` counting steps. MHgHs has fewer threats and needs fewer counting steps. Memory: the minimal
    threats.

    References: Liu and Wang, "Anonymizing transaction data by integrating suppression and generalization", 2010,
    sections 3 and 4.1.
    Deviations: a threat must occur in a record. By the paper's definition, sets that occur in no record are also
    threats. Costs are compared as integers. The nodes to suppress are not selected again for each cut, but updated from
    the previous cut, with the same result.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(
    ...     ("T", [("P", [("H", ["a", "b"]), ("K", ["c", "d"])]),
    ...            ("Q", [("L", ["f", "g"]), ("M", ["x", "y", "z"])]), "e", "i"])
    ... )  # fmt: skip
    >>> rows = ["bcd", "afg", "dfyz", "cdfx", "abcfg", "ei", "e", "i"]
    >>> table = Table.from_sets(rows, universe=hierarchy.leaves.labels)
    >>> result = HgHs(k=2, m=5).recode(table, {"items": hierarchy})
    >>> result.recoding.labels, result.recoding.suppressed, result.figures["cost"]
    (['P', 'f', 'g', 'M', 'e'], ['i'], 56.0)
    """

    name: ClassVar[str] = "hghs"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.3,
        coarsens=True,
        answers=("km",),
        not_tried="mhghs continues in the same way",
    )

    def search(self, threats: MinimalThreats, m: int, progress: Progress | None) -> Result:
        """Find the cut. `Result.trace` contains the expansions in order."""
        for _ in range(m):
            threats.mine_next()
        leaves = threats.hierarchy.n_leaves_below.astype(np.int64)
        scenario = search_cut(threats, leaves, "cuts", progress)
        figures = {"threats": float(threats.n), "cuts": float(scenario.evaluated), "cost": float(scenario.cost)}
        return Result(scenario.recoding, scenario.expansions, figures)
