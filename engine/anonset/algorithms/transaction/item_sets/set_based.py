"""Shared parameters and steps of COAT and PCTA."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Parameters
from anonset.algorithms.transaction.base import bind_items
from anonset.algorithms.transaction.cluster_mappings import ClusterSearch
from anonset.algorithms.transaction.item_sets.constraint_search import (
    ConstraintSearch,
    GroupsOnClusters,
    MergeTerms,
    Suppression,
)
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.progress import Progress
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InfeasibleError, InputError, data_list, require_known
from anonset.measures.losses.item_weights import KINDS, WEIGHTS, ItemWeights
from anonset.privacy import require_at_least
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from anonset.spelling import setting

if TYPE_CHECKING:
    from anonset_kernels.item_sets._repair import RepairRule

_ITEMS_NAMED = 8


@dataclass(frozen=True, kw_only=True)
class SetBased(Parameters, ABC):
    """Base class of algorithms that satisfy privacy constraints by merging items into sets."""

    name: ClassVar[str]
    traits: ClassVar[Traits] = Traits(
        forms_sets=True,
        coarsens=True,
        by_blocks=True,
        where="m is set, not a list of privacy constraints",
        undivided="each merge depends on the previous merge, so it uses a single thread",
        keeps_more=True,
        answers=("constraints",),
        also_answers=("km",),
    )

    k: Annotated[int, "Minimum support of each occurring subset of a protected itemset (>= 1)."]
    m: Annotated[int | None, "Size of the protected itemsets (>= 1). All itemsets of this size are protected."] = None
    constraints: Annotated[
        PrivacyPolicy | None, "Protected itemsets. Exactly one of `constraints` and `m` must be set."
    ] = None
    utility: Annotated[
        UtilityPolicy | None,
        "Groups of items that may be generalized together. If None, all items may be generalized together.",
    ] = None
    item_weights: Annotated[
        str | ItemWeights | None,
        "Weights of the utility loss (``lca``, ``uniform``, ``ones`` or custom weights). The default is ``lca`` if "
        "there is a hierarchy, otherwise ``uniform``.",
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.item_weights, str):
            require_known(WEIGHTS, self.item_weights, KINDS)

    @property
    def own_traits(self) -> Traits:
        """Traits of the algorithm. A list of privacy constraints requires all records, excludes processing in
        blocks, and does not protect all itemsets of m items.
        """
        return self.traits if self.constraints is None else replace(self.traits, by_blocks=False, also_answers=())

    @property
    def model(self) -> ConstraintSet:
        """The privacy constraints."""
        require_at_least("k", self.k, 1)
        if self.m is not None:
            require_at_least("m", self.m, 1)
        if (self.m is None) == (self.constraints is None):
            got = "neither" if self.m is None else "both"
            policy = f"{setting('constraints', option='privacy_constraints')} (a privacy policy)"
            msg = f"exactly one of {setting('m')} (for all itemsets of size m) and {policy} must be given, got {got}"
            raise InputError(msg)
        return ConstraintSet(self.k, self.constraints, self.m)

    @abstractmethod
    def rule(self, n_items: int) -> "RepairRule":
        """Return the kernel parameters for a search over `n_items` items."""

    @abstractmethod
    def infeasible(self, search: ConstraintSearch) -> InfeasibleError:
        """Return an error with the reason why a search cannot satisfy a constraint."""

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find the item groups. `Result.trace` contains merges and suppressions in order.

        Raises
        ------
        InfeasibleError
            If the privacy constraints cannot be satisfied within the utility constraints and the limit on
            suppression.
        InputError
            If a constraint contains unknown items, the utility constraints are not a partition of the items, the
            records exceed the limit, or the work directory is full.
        """
        column, hierarchy = bind_items(table, hierarchies)
        terms, rule = self._terms(column, hierarchy), self.rule(len(column.vocabulary))
        with ExitStack() as stack:
            store = stack.enter_context(table.store.nested())
            search = ConstraintSearch(column, self.constraints, terms, rule, store)
            if not search.run(progress):
                raise self.infeasible(search)
            steps, groups = search.steps, search.item_groups
        n_suppressions = sum(isinstance(step, Suppression) for step in steps)
        figures = {"merges": float(len(steps) - n_suppressions), "suppressed_items": float(len(groups.suppressed))}
        return Result(groups, tuple(steps), figures)

    def on_clusters(
        self, column: SetColumn, hierarchy: Hierarchy | None = None, store: Store = MEMORY
    ) -> ClusterSearch:
        """Return a search that anonymizes each cluster of a column's records separately.

        Raises
        ------
        InputError
            If the constraints are a list.
        """
        if self.m is None:
            raise InputError(f"{self.name} on clusters requires m, not a list of constraints")
        terms = self._terms(column, hierarchy)
        return GroupsOnClusters(self.name, column, terms, self.rule(len(column.vocabulary)))

    def _terms(self, column: SetColumn, hierarchy: Hierarchy | None) -> MergeTerms:
        return MergeTerms(column.vocabulary, hierarchy, self.utility, self.item_weights)

    def _dead_end(self, search: ConstraintSearch, named: str) -> tuple[str, str]:
        """Return the reason why a group cannot be generalized, with the items of the group and the constraint."""
        number, n_plus = search.stuck_constraint, search.column.n_nonempty
        reason = f"utility constraint {number} allows no generalization of {named}"
        if n_plus < self.k:
            reason = f"there are {n_plus} non-empty records, at least k={self.k} are required to generalize"
        return reason, f"utility constraint {number}, {named}"


def group_text(group: Sequence[str]) -> str:
    """Return the items of a group for a message: shortened if there are many, and hidden if they may identify a person.

    >>> from anonset.errors import plain_text
    >>> plain_text(group_text(["a", "Ann Lee"])), plain_text(group_text("abcdefghi"))
    ('(a,[hidden: like a name])', '(a,b,c,d,e,f,g,h,…)')
    """
    return f"({data_list(group[:_ITEMS_NAMED], ',')}{',…' if len(group) > _ITEMS_NAMED else ''})"
