"""Searching item groups that satisfy privacy constraints: the shared ground of COAT and PCTA.

Loukides, Gkoulalas-Divanis, Malin (2010), sections 3 and 4. A constraint is satisfied if every part of its image
that shows in a record shows in at least k records; a later merge can undo that, so constraints that touch a merged
group are looked at again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Progress, Result
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.discreet import Discreet
from anonset.data.exact import Written, exact, shown
from anonset.data.table import Int32, Int64
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import ItemGroups
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.item_weights import GroupWeights, ItemWeights, group_weights, require_known
from anonset.privacy import require_at_least
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy

if TYPE_CHECKING:
    from anonset_kernels._groups import Groups
    from anonset_kernels._repair import Rule, Weights

_CONSTRAINTS_PER_CALL = 16


@dataclass(frozen=True)
class Merge(Discreet):
    """One decision: two groups become one."""

    group: tuple[str, ...]
    """The group that had to be generalized."""
    partner: tuple[str, ...]
    """The group it was merged with."""
    support: int
    """Records of the merged group."""


@dataclass(frozen=True)
class Suppression(Discreet):
    """One decision: a group is taken out of every record."""

    group: tuple[str, ...]
    """Its items."""
    support: int
    """Records that lose it."""


@dataclass(frozen=True)
class Settings:
    """What COAT and PCTA have in common."""

    algorithm: str
    """``coat`` or ``pcta``."""
    model: ConstraintSet
    utility: UtilityPolicy | None = None
    weights: str | ItemWeights | None = None
    max_suppressed: Written = 0.0
    suppress_single: bool = False


def constraint_set(k: int, m: int | None, constraints: PrivacyPolicy | None) -> ConstraintSet:
    """Return the model of an algorithm's parameters.

    Raises
    ------
    InputError
        If a parameter is out of its range, or not exactly one of `m` and `constraints` is given.
    """
    require_at_least("k", k, 1)
    if m is not None:
        require_at_least("m", m, 1)
    if (m is None) == (constraints is None):
        got = "neither" if m is None else "both"
        msg = (
            f"exactly one of m (protect all itemsets of m) and constraints (a privacy policy) must be given, got {got}"
        )
        raise InputError(msg)
    return ConstraintSet(k, constraints, m)


def require_weights(weights: str | ItemWeights | None) -> None:
    """Refuse item weights of an unknown name."""
    if isinstance(weights, str):
        require_known(weights)


def set_column(table: Table, hierarchies: Mapping[str, Hierarchy]) -> tuple[SetColumn, Hierarchy | None]:
    """Return the table's set-valued column, bound to its hierarchy if it has one.

    Raises
    ------
    InputError
        If there is no set-valued column, or an item that is no leaf of the hierarchy.
    """
    column = table.transactions
    if column is None:
        msg = "the table must have a set-valued column, got none"
        raise InputError(msg)
    hierarchy = hierarchies.get(column.name)
    return (column, None) if hierarchy is None else (hierarchy.bind(column), hierarchy)


class ConstraintSearch:
    """One search over the items of one column.

    Items that never occur take no part: they are dropped from the constraints and stay groups of their own.
    """

    def __init__(self, column: SetColumn, hierarchy: Hierarchy | None, settings: Settings) -> None:
        self.column, self.settings = column, settings
        self.prepared = Prepared(column, hierarchy, settings)
        self.codes = np.flatnonzero(column.occurrences).astype(np.int32)
        """int32 (V,): the occurring items."""

    def run(self, progress: Progress | None = None) -> Result:
        """Search; the trace lists merges and suppressions in order.

        Raises
        ------
        InfeasibleError
            If the constraints cannot be satisfied within the utility constraints and the suppression bound.
        """
        groups, done = self._search(self.prepared.limit, progress)
        if not done:
            raise self._infeasible(groups)
        rep = np.arange(len(self.column.vocabulary), dtype=np.int32)
        rep[self.codes] = np.where(groups.rep < 0, SUPPRESSED, self.codes[groups.rep])
        trace = self._trace(groups)
        n_merges = sum(isinstance(step, Merge) for step in trace)
        figures = {"merges": float(n_merges), "suppressed_items": float(np.count_nonzero(rep == SUPPRESSED))}
        return Result(numbered(rep, self.column), tuple(trace), figures)

    def _search(self, limit: int, progress: Progress | None) -> tuple["Groups", bool]:
        from anonset_kernels import coat, constraints
        from anonset_kernels._groups import N_STEPS, make_groups

        code_of = np.full(len(self.column.vocabulary), -1, np.int32)
        code_of[self.codes] = np.arange(len(self.codes), dtype=np.int32)
        items = code_of[self.column.items]
        groups: Groups = make_groups(self.column.indptr, items, len(self.codes), self.prepared.utility[self.codes])
        weights, rule = self.prepared.weights(self.codes), self.prepared.rule(len(self.codes), limit)
        if self.settings.model.policy is None:
            advance = partial(coat.search, groups, weights, coat.make_roots(groups, rule), rule, _CONSTRAINTS_PER_CALL)
        else:
            listed = self._listed(self.settings.model.policy, code_of)
            policy = constraints.make_policy(groups, *listed, rule.k)
            advance = partial(constraints.search_policy, groups, weights, policy, rule, _CONSTRAINTS_PER_CALL)
        while (outcome := advance()) == coat.UNFINISHED:
            if progress is not None:
                progress("groups merged or suppressed", float(groups.state[N_STEPS]), float(len(self.codes)))
        return groups, outcome == coat.DONE

    def _listed(self, policy: PrivacyPolicy, code_of: Int32) -> tuple[Int64, Int32, Int64, Int32]:
        """Return the constraints without the items that never occur, and the constraints of each occurring item."""
        from anonset_kernels.rows import transpose

        start, items = policy.codes(self.column.vocabulary)
        codes = code_of[items]
        kept = np.concatenate([[0], np.cumsum(codes >= 0)])
        start, codes = kept[start], codes[codes >= 0]
        return start, codes, *transpose(start, codes, len(self.codes))

    def _trace(self, groups: "Groups") -> list[Merge | Suppression]:
        from anonset_kernels._groups import N_STEPS

        labels, order = self.column.vocabulary.labels, self.column.vocabulary.index
        members: dict[int, tuple[str, ...]] = {g: (labels[code],) for g, code in enumerate(self.codes.tolist())}
        steps: list[Merge | Suppression] = []
        for g, partner, support in groups.log[: int(groups.state[N_STEPS])].tolist():
            if partner < 0:
                steps.append(Suppression(members[g], support))
                continue
            steps.append(Merge(members[g], members[partner], support))
            united = sorted(members.pop(max(g, partner)) + members[min(g, partner)], key=order.__getitem__)
            members[min(g, partner)] = tuple(united)
        return steps

    def _infeasible(self, groups: "Groups") -> InfeasibleError:
        from anonset_kernels._groups import CULPRIT

        name, model = self.settings.algorithm, self.settings.model
        n_plus, n_items = self.column.n_nonempty, len(self.column.vocabulary)
        number = int(groups.utility[groups.state[CULPRIT]]) + 1
        rep = self.codes[groups.rep == groups.rep[groups.state[CULPRIT]]]
        members = (
            [self.column.vocabulary.labels[code] for code in rep] if name == "pcta" else self._trace(groups)[-1].group
        )
        named = "(" + ",".join(members[:8]) + (",…)" if len(members) > 8 else ")")
        where = f"utility constraint {number}, {named}"
        if n_plus < model.k:
            reason = f"there are {n_plus} non-empty records, at least k={model.k} are required to generalize"
        elif self.settings.suppress_single:
            reason = f"{named} has to be suppressed"
        else:
            reason = f"utility constraint {number} leaves {named} nothing to be generalized with"
        if name == "pcta":
            reason = f"{reason}, and pcta does not suppress: widen the constraint, or use coat"
            return InfeasibleError(name, reason, where)
        needed = int(np.count_nonzero(self._search(n_items, None)[0].rep < 0))
        share = -(-needed * 10**6 // n_items) / 10**6
        reason = (
            f"{reason}: {needed} of {n_items} items would have to be suppressed, "
            f"max_suppressed={shown(self.settings.max_suppressed)} allows {self.prepared.limit}; "
            f"max_suppressed={share:g} or wider utility constraints would do"
        )
        bound = float(exact(self.settings.max_suppressed))
        return InfeasibleError(name, reason, where, achieved=needed / n_items, bound=bound)


class Prepared:
    """What a search needs besides the records, made once for a column: for the whole of it, or for many parts."""

    def __init__(self, column: SetColumn, hierarchy: Hierarchy | None, settings: Settings) -> None:
        vocabulary = column.vocabulary
        self.settings = settings
        self.limit = int(exact(settings.max_suppressed) * len(vocabulary))
        """Largest number of suppressed items."""
        self.utility: Int32 = (
            np.zeros(len(vocabulary), np.int32) if settings.utility is None else settings.utility.codes(vocabulary)
        )
        """int32 (M,): utility constraint of each item."""
        self._weights = _kernel_weights(group_weights(settings.weights, vocabulary, hierarchy), settings.weights)

    def rule(self, n_occurring: int, limit: int) -> "Rule":
        """Return the parameters of a run."""
        from anonset_kernels._repair import COAT, PCTA, Rule

        model = self.settings.model
        m = 0 if model.m is None else min(model.m, n_occurring)
        algorithm = COAT if self.settings.algorithm == "coat" else PCTA
        return Rule(model.k, m, algorithm, self.settings.suppress_single, limit)

    def weights(self, codes: Int32) -> "Weights":
        """Return the weights of some occurring items, ready to be used up by one run."""
        return self._weights._replace(leaf=self._weights.leaf[codes], listed=self._weights.listed[codes])


class ClusterSearch:
    """Searches on many small parts of one column, each on its own, in k^m mode: a fraction of a millisecond each.

    >>> column = SetColumn.of([{"a", "b"}, {"a"}, {"c"}, {"c", "b"}])
    >>> search = ClusterSearch(column, None, Settings("coat", ConstraintSet(2, m=2)))
    >>> codes, image = search(np.array([0, 1]))
    >>> codes.tolist(), image.tolist()
    ([0, 1], [0, 0])
    """

    def __init__(self, column: SetColumn, hierarchy: Hierarchy | None, settings: Settings) -> None:
        model = settings.model
        if model.m is None:
            msg = f"{settings.algorithm} on clusters must be given m, not a list of constraints"
            raise InputError(msg)
        self.column, self.settings = column, settings
        prepared = Prepared(column, hierarchy, settings)
        everything = np.arange(len(column.vocabulary), dtype=np.int32)
        self._rule = prepared.rule(model.m, prepared.limit)
        self._weights, self._utility = prepared.weights(everything), prepared.utility

    def __call__(self, records: NDArray[np.integer]) -> tuple[Int32, Int32]:
        """Search on some records.

        Returns
        -------
        int32 codes of the items that occur there, ascending, and for each the smallest item of its group, or -1.

        Raises
        ------
        InfeasibleError
            If the part has no solution.
        """
        from anonset_kernels.coat import DONE, search_rows

        column = self.column
        outcome, codes, image = search_rows(
            column.indptr, column.items, records, self._utility, self._weights, self._rule
        )
        if outcome != DONE:
            taken = column.take(np.asarray(records))
            k = self.settings.model.k
            reason = f"{taken.n_nonempty} non-empty records cannot be generalized to k={k} within the bounds"
            raise InfeasibleError(self.settings.algorithm, reason, f"cluster of {taken.n} records")
        return codes, image


def numbered(rep: Int32, column: SetColumn) -> ItemGroups:
    """Return item groups from each item's smallest group member (-1: suppressed), numbered by these."""
    smallest = np.unique(rep[rep != SUPPRESSED])
    number = np.searchsorted(smallest, rep).astype(np.int32)
    number[rep == SUPPRESSED] = SUPPRESSED
    return ItemGroups(column.vocabulary, number)


def _kernel_weights(weights: GroupWeights, given: Any) -> "Weights":
    from anonset_kernels._repair import BY_ANCESTOR, CONSTANT, LISTED, Weights

    n_items, none = len(weights.vocabulary), np.empty(0, np.int32)
    leaf, listed, value = np.arange(n_items, dtype=np.int32), np.empty((n_items, 0), np.uint8), np.empty(0, np.int64)
    if weights.hierarchy is not None:
        h = weights.hierarchy
        parent, lo, hi, node = (np.array(a, np.int32) for a in (h.parent, h.leaf_lo, h.leaf_hi, h.leaf_node))
        return Weights(BY_ANCESTOR, h.n_leaves, leaf, parent, lo, hi, node, listed, value)
    if not weights.listed or not isinstance(given, ItemWeights):
        return Weights(CONSTANT, 1, leaf, none, none, none, none, listed, value)
    listed = np.zeros((n_items, len(weights.listed)), np.uint8)
    for j, (itemset, _) in enumerate(weights.listed):
        listed[list(itemset), j] = 1
    value = np.array([int(weight * given.denominator) for _, weight in weights.listed], np.int64)
    return Weights(LISTED, given.denominator, leaf, none, none, none, none, listed, value)
