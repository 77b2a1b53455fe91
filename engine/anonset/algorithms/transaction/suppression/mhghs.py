"""Multi-round HgHs (mHgHs) of Liu and Wang, 2010, section 4.2."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.transaction.rare_sets.expanded_records import count_cut_below
from anonset.algorithms.transaction.suppression.cut_scan import Expansion, search_cut
from anonset.algorithms.transaction.suppression.hghs import ThreatBased
from anonset.algorithms.transaction.suppression.threats import MinimalThreats
from anonset.data.array_types import Int64
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import require_known
from anonset.spelling import setting


@dataclass(frozen=True)
class RoundResult(RedactedRepr):
    """Result of a round.

    Round m applies HgHs to threats of up to m items, on the taxonomy that earlier rounds reduced.
    """

    m: int
    expansions: tuple[Expansion, ...]
    cut: tuple[str, ...]
    """Nodes of the cut, published or suppressed, in preorder."""
    suppressed: tuple[str, ...]
    """Suppressed nodes of the cut, in preorder."""
    cost: int
    """Loss metric LM, multiplied by (number of leaves - 1)."""
    threats: int
    """Number of minimal threats whose nodes are left after nodes below a cut are removed from the taxonomy."""


@dataclass(frozen=True, kw_only=True)
class MHgHs(ThreatBased):
    """mHgHs: apply HgHs in rounds, for sets of up to 1, 2, ... m items.

    Guarantees k^m-anonymity after the suppressed nodes are removed. A solution always exists. Each round starts at the
    root of the taxonomy, from which the nodes below the cut of the previous round were removed. A round only mines the
    threats of the largest size, because smaller threats are known from earlier rounds.
    Cost: a run of HgHs for each round.

    References: Liu and Wang, "Anonymizing transaction data by integrating suppression and generalization", 2010,
    section 4.2.
    Deviations: suppression in a round has no effect on the next round. Costs are computed from the leaves of the
    original taxonomy, because the paper reports these losses. With `cost="reduced"`, costs are computed from the leaves
    of the reduced taxonomy, as in the text of the paper.

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
    traits: ClassVar[Traits] = Traits(memory_factor=1.3, coarsens=True, answers=("km",))

    cost: Annotated[
        str,
        "Leaves from which costs are computed: all leaves (``original``), or the leaves that remain in a round "
        "(``reduced``).",
    ] = "original"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_known(setting("cost"), self.cost, ("original", "reduced"))

    def search(self, threats: MinimalThreats, m: int, progress: Progress | None) -> Result:
        """Find the cut in rounds. `Result.trace` contains the rounds in order."""
        rounds: list[RoundResult] = []
        labels = threats.hierarchy.labels
        for i in range(1, m + 1):  # on the taxonomy reduced by the earlier rounds (H^{i-1} of the paper)
            threats.mine_next()
            scenario = search_cut(threats, self._leaves(threats), f"cuts of round {i}", progress)
            cut, suppressed = tuple(scenario.cut.labels), tuple(labels[v] for v in scenario.suppressed)
            rounds.append(RoundResult(i, scenario.expansions, cut, suppressed, scenario.cost, threats.n))
            threats.reduce(scenario.cut)
        figures = {
            "threats": float(max(r.threats for r in rounds)),
            "cuts": float(sum(len(r.expansions) for r in rounds)),
            "cost": float(rounds[-1].cost),
        }
        return Result(scenario.recoding, tuple(rounds), figures)

    def _leaves(self, threats: MinimalThreats) -> Int64:
        """Return the number of leaves below each node, as used in costs, int64 (V,)."""
        if self.cost == "original":
            return threats.hierarchy.n_leaves_below.astype(np.int64)
        return np.maximum(count_cut_below(threats.hierarchy, threats.bottom), 1)
