"""Multi-round HgHs (mHgHs) of Liu and Wang, 2010, section 4.2."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.transaction.base import bound_column
from anonset.algorithms.transaction.cut_scan import Expansion, search_cut
from anonset.algorithms.transaction.threats import MinimalThreats
from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.privacy import KmAnonymity, require_at_least


@dataclass(frozen=True)
class Round(Discreet):
    """The outcome of one round: HgHs for sets of up to `m` items over the taxonomy that the rounds before left."""

    m: int
    expansions: tuple[Expansion, ...]
    cut: tuple[str, ...]
    """Nodes of the cut, whether published or suppressed, in preorder."""
    suppressed: tuple[str, ...]
    """Suppressed nodes of the cut, in preorder."""
    cost: int
    """The loss metric LM, times (number of leaves - 1)."""
    threats: int
    """Minimal threats over the reduced taxonomy."""


@dataclass(frozen=True, kw_only=True)
class MHgHs(Discreet):
    """HgHs in rounds: for sets of one item, two, ... m, each below the cut of the round before.

    Guarantees k^m-anonymity once the suppressed nodes are dropped, and is always feasible. A round searches from
    the root again, over the taxonomy without what lies below the last cut, and mines only the threats of its own
    size: those of smaller ones are those of the round before. Cost per round as HgHs.

    References: Liu and Wang, "Anonymizing transaction data by integrating suppression and generalization", 2010,
    Algorithm 2.
    Deviations: what a round suppresses is not carried over. Costs count the leaves of the original taxonomy, as
    in the losses that the paper reports; `cost="reduced"` counts those of the reduced one, as its text has it.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(
    ...     ("T", [("P", [("H", ["a", "b"]), ("K", ["c", "d"])]),
    ...            ("Q", [("L", ["f", "g"]), ("M", ["x", "y", "z"])]), "e", "i"])
    ... )  # fmt: skip
    >>> rows = ["bcd", "afg", "dfyz", "cdfx", "abcfg", "ei", "e", "i"]
    >>> table = Table.from_sets(rows, universe=hierarchy.leaves.labels)
    >>> result = MHgHs(k=2, m=5).recode(table, {"items": hierarchy})
    >>> result.recoding.labels, result.recoding.suppressed, [r.cost for r in result.trace]
    (['P', 'L', 'M', 'e'], ['i'], [6, 42, 62, 62, 62])
    """

    name: ClassVar[str] = "mhghs"

    k: int
    """Smallest support of any itemset that occurs (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""
    cost: str = "original"
    """Leaves that count in the costs: ``original`` or ``reduced``."""
    max_threats: int = 30_000_000
    """Largest number of minimal threats to hold (about 50 bytes each at m=3)."""
    max_increments: int = 500_000_000_000
    """Refuse an itemset size whose mining takes more increments (about 2 * 10^8 a second and core)."""

    def __post_init__(self) -> None:
        require_at_least("max_threats", self.max_threats, 1)
        require_at_least("max_increments", self.max_increments, 1)
        if self.cost not in ("original", "reduced"):
            msg = f"cost must be 'original' or 'reduced', got {self.cost!r}"
            raise InputError(msg)
        _ = self.model

    @property
    def model(self) -> KmAnonymity:
        """k^m-anonymity."""
        return KmAnonymity(self.k, self.m)

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Find the cut and what to suppress of it; the trace lists the rounds.

        Raises
        ------
        InputError
            If there are more minimal threats in a round than `max_threats`, or mining those of its size takes more
            than `max_increments`.
        """
        column, hierarchy = bound_column(table, hierarchies)
        if self.k == 1:
            return Result(Cut.identity(hierarchy))
        threats = MinimalThreats(
            column,
            hierarchy,
            self.k,
            limit=self.max_threats,
            max_increments=self.max_increments,
            executor=executor,
            progress=progress,
        )
        rounds: list[Round] = []
        labels = hierarchy.labels
        for m in range(1, max(1, min(self.m, int(column.lengths.max(initial=0)))) + 1):
            threats.mine_next()
            found = search_cut(threats, self._leaves(threats), f"cuts of round {m}", progress)
            suppressed = tuple(labels[v] for v in found.suppressed)
            rounds.append(Round(m, found.expansions, tuple(found.cut.labels), suppressed, found.cost, threats.n))
            threats.reduce(found.cut)
        figures = {
            "threats": float(max(r.threats for r in rounds)),
            "cuts": float(sum(len(r.expansions) for r in rounds)),
            "cost": float(rounds[-1].cost),
        }
        return Result(found.recoding, tuple(rounds), figures)

    def _leaves(self, threats: MinimalThreats) -> Int64:
        hierarchy = threats.hierarchy
        if self.cost == "original":
            return hierarchy.n_leaves_below.astype(np.int64)
        bottom = np.zeros(hierarchy.n_nodes + 1, np.int64)
        bottom[np.unique(threats.bottom)] = 1
        before = np.concatenate([[0], np.cumsum(bottom[:-1])])
        leaves: Int64 = np.maximum(before[hierarchy.subtree_end] - before[:-1], 1)
        return leaves
