"""Safe grouping of Al Bouna, Clifton and Malluhi, DBSec 2013, sections 6 and 7."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.buckets.base import id_columns, require_eligible, sensitive_column, sorted_rows
from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet
from anonset.data.table import Int32, Int64
from anonset.errors import InfeasibleError
from anonset.generalization import Buckets
from anonset.privacy.safe_grouping import SafetyConstraint


@dataclass(frozen=True, kw_only=True)
class SafeGrouping(Discreet):
    """Safe grouping: all tuples of an individual in one l-diverse group of k or more, as many visible as the others'.

    Individuals stand by falling number of tuples; each k in turn form a group, and fewer than k that are left join
    the last one. A group loses tuples of its most frequent value until it is l-diverse, and all its tuples if fewer
    than k individuals remain; then the identities of tuples are starred until all individuals show equally many.

    Cost: O(n), and in groups that lose tuples O(size (log(size) + l)); about 35 bytes a tuple.

    References: Al Bouna, Clifton, Malluhi, "Using safety constraint for transactional dataset anonymization",
    DBSec 2013, Algorithm 1.
    Deviations: the individuals left over join the last group, and a group that fails is taken out, without which
    the paper's loop does not end. Starring leaves the values in place, so it is by removal that diversity is
    enforced. A table of which a value has more than 1/l is refused. minConf, maxConf and exp have no use.

    >>> from anonset.data import CategoricalColumn, Table
    >>> ids = CategoricalColumn.of("patient", ["P1", "P1", "P2", "P1"])
    >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "c", "d"]), ids=(ids,))
    >>> recoding = SafeGrouping(k=2, l=2).recode(table, {}).recoding
    >>> recoding.group.tolist(), recoding.starred.tolist()
    ([0, 0, 0, 0], [False, True, False, True])
    """

    name: ClassVar[str] = "safe-grouping"

    k: int
    """Smallest number of individuals in a group (>= l)."""
    l: int  # noqa: E741
    """No sensitive value may have more than 1/l of the tuples of its group (>= 1)."""

    def __post_init__(self) -> None:
        _ = self.model

    @property
    def model(self) -> SafetyConstraint:
        """The safety constraint."""
        return SafetyConstraint(self.k, self.l)

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Form the groups; hierarchies and executor are not used.

        Raises
        ------
        InputError
            If the sensitive column, the id columns or one of their values is missing.
        InfeasibleError
            If a value has more than 1/l of the tuples, there are fewer than k individuals, or nothing would be left.
        """
        sensitive, ids = sensitive_column(table), id_columns(table)
        require_eligible(self.name, sensitive, self.l)
        if table.n == 0:
            return Result(Buckets(np.zeros(0, np.int32), np.zeros(0, np.bool_)), figures={"groups": 0})
        by_id, runs = sorted_rows(ids)
        n_persons = len(runs) - 1
        if n_persons < self.k:
            reason = f"at least k={self.k} individuals are required, the table has {n_persons:,}"
            raise InfeasibleError(self.name, reason)
        identity = _by_falling_count(np.diff(runs))
        bounds = np.append(np.arange(n_persons // self.k) * self.k, n_persons)
        return self._grouped(sensitive.codes, len(sensitive.vocabulary), by_id, runs, identity, bounds)

    def _grouped(
        self, values: Int32, n_values: int, by_id: Int32, runs: Int64, identity: Int32, bounds: Int64
    ) -> Result:
        """Enforce diversity and equal visibility in the groups of individuals that `bounds` cuts off."""
        from anonset_kernels.buckets import diversify, gather_runs, settle

        tuples, start = gather_runs(by_id, runs, identity)
        person = np.repeat(np.arange(len(identity), dtype=np.int32), np.diff(start))
        kept = diversify(values[tuples], person, identity, start[bounds], n_values, self.l)
        group_of, hidden, n_dropped = settle(kept, start, bounds, self.k)
        group, starred = np.empty_like(group_of), np.empty_like(hidden)
        group[tuples], starred[tuples] = group_of, hidden
        buckets = Buckets(group, starred)
        if buckets.n_groups == 0:
            reason = (
                f"no group keeps k={self.k} individuals when no value may have more than 1/l = 1/{self.l} of it, so "
                "nothing would be published; a smaller l, or a k larger in proportion to l, may help"
            )
            raise InfeasibleError(self.name, reason)
        figures = {
            "individuals": len(identity),
            "groups": buckets.n_groups,
            "starred": int(starred.sum()),
            "removed_for_diversity": int(len(kept) - kept.sum()),
            "removed_with_groups": int(n_dropped),
        }
        return Result(buckets, figures=figures)


def _by_falling_count(counts: Int64) -> Int32:
    """Return int32 (persons,): the ranks of the individuals' ids, by falling number of tuples, then by id."""
    from anonset_kernels.buckets import counting_order

    most = int(counts.max())
    fewer = (most - counts).astype(np.int32)
    return counting_order(fewer, most, np.arange(len(counts), dtype=np.int32))  # type: ignore[no-any-return]
