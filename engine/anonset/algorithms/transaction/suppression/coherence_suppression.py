"""Greedy suppression for (h, k, p)-coherence (MM) after Xu, Wang, Fu and Yu, KDD 2008.

A mole is a set of public items that violates coherence. Steps of the algorithm and their implementation::

    suppress the items that are moles by themselves              CoherenceSuppression._single_moles
    mine the minimal moles of 2 to p remaining items             CoherenceSuppression._minimal_moles; StoredRecords.mine
    while moles remain, suppress the item with the most          kernel coherence.suppress_greedily
    moles per unit of loss
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count, Parameters
from anonset.algorithms.transaction.base import bind_items, without_items
from anonset.algorithms.transaction.rare_sets.expanded_records import room_for
from anonset.algorithms.transaction.suppression.threats import StoredRecords
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.decimals import Written, exact, floor_fraction
from anonset.data.distinct import positions
from anonset.data.progress import Progress
from anonset.data.storage.store import Store
from anonset.errors import InputError, datum
from anonset.measures.losses.item_weights import MAX_DENOMINATOR
from anonset.privacy.coherence import Coherence
from anonset.spelling import setting
from anonset_kernels._arrays import ExpandedCodes, Intervals


@dataclass(frozen=True, kw_only=True)
class CoherenceSuppression(Parameters):
    """Suppress public items until each set of public items is frequent and discloses no private item.

    A mole is a set of public items that violates coherence. Guarantees (h, k, p)-coherence, which is k^m-anonymity with
    m = p if there are no private items. A solution always exists. Private items are never suppressed. Items that are
    moles by themselves are suppressed first. Then the minimal moles of two to p items are mined once, and the item with
    the most moles per unit of loss is suppressed until no mole remains. Suppressing an item creates no new mole. The
    loss of an item is its number of occurrences, or a value set by the owner. Cost: mining the minimal moles once, and
    O(items) for each suppressed item.

    References: Xu, Wang, Fu, Yu, "Anonymizing transaction databases for publication", KDD 2008; as described by Liu
    and Wang, 2010.
    Deviations: if several items are equally good, the last item is suppressed, as in HgHs.

    >>> table = Table.from_sets([["a", "b"], ["a", "b"], ["a", "c"], ["b"]])
    >>> result = CoherenceSuppression(h=1, k=2, p=2).recode(table, {})
    >>> result.trace, result.recoding.labels
    (('c',), [('a',), ('b',)])
    """

    name: ClassVar[str] = "coherence-suppression"
    traits: ClassVar[Traits] = Traits(memory_factor=1.3, coarsens=True, answers=("coherence",))

    h: Annotated[
        Written,
        "Maximum share of the matching records with the same private item (0 < h <= 1). The value is used without "
        "rounding.",
    ] = 1.0
    k: Annotated[int, "Minimum support of each set of public items that occurs in a record (>= 1)."]
    p: Annotated[int, "Maximum number of public items that the attacker knows (>= 1)."]
    sensitive_items: Annotated[tuple[str, ...], "Private items. All other items are public."] = ()
    item_loss: Annotated[
        Mapping[str, Written] | None,
        "Loss of suppressing each item, above 0 and at most 1. An item without an entry has loss 1. If None, the "
        "loss of an item is its number of occurrences.",
    ] = None
    max_threats: Annotated[Count, "Maximum number of minimal moles in memory."] = 30_000_000

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "h", self.model.h)
        _ = self._losses

    @property
    def model(self) -> Coherence:
        """The (h, k, p)-coherence model."""
        return Coherence(self.h, self.k, self.p, self.sensitive_items)

    @property
    def _losses(self) -> dict[str, Fraction]:
        """Exact losses set by the owner. A float has the value of its printed decimal number."""
        losses = {}
        for item, loss in (self.item_loss or {}).items():
            try:
                losses[item] = exact(loss)
            except ValueError:
                losses[item] = Fraction(0)
            if not 0 < losses[item] <= 1:
                msg = f"{setting('item_loss')} of {datum(item)} must be a number above 0 and at most 1, got {loss!r}"
                raise InputError(msg)
        if (common := lcm(*(loss.denominator for loss in losses.values()))) > MAX_DENOMINATOR:
            bound = f"a common denominator of at most {MAX_DENOMINATOR:,}"
            raise InputError(f"{setting('item_loss')} must have {bound}, got {common:,}")
        return losses

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find the items to suppress.

        `Result.trace` contains the items that are moles by themselves, then the greedy choices.

        The recoding is a cut if the column has a hierarchy, otherwise single-item groups.

        Raises
        ------
        InputError
            If there are more minimal moles than `max_threats`, the set-valued column is missing, or `item_loss`
            contains an unknown item.
        """
        column, hierarchy = bind_items(table, hierarchies)
        index = column.vocabulary.index
        sensitive_codes = [index[label] for label in self.sensitive_items if label in index]
        private = np.full(len(column.vocabulary), -1, np.int32)
        private[sensitive_codes] = np.arange(len(sensitive_codes), dtype=np.int32)
        cost = self._costs(column)
        single = self._single_moles(column, private)
        moles = self._minimal_moles(column, private, single, table.store, progress)
        suppressed = [*np.flatnonzero(single).tolist(), *_suppress(moles, cost)]
        labels = column.vocabulary.labels
        recoding = without_items(column, hierarchy, suppressed)
        figures = {"threats": float(sum(map(len, moles))), "suppressed": float(len(suppressed))}
        return Result(recoding, tuple(labels[item] for item in suppressed), figures)

    def _costs(self, column: SetColumn) -> Int64:
        """Loss of suppressing each item, int64 (M,), scaled to integers."""
        if self.item_loss is None:
            return column.occurrences
        losses, index = self._losses, column.vocabulary.index
        if unknown := next((item for item in losses if item not in index), None):
            msg = f"{setting('item_loss')}: item {datum(unknown)} must be one of the {len(index)} items of the data"
            raise InputError(msg)
        unit = lcm(*(loss.denominator for loss in losses.values()))
        cost = np.full(len(index), unit, np.int64)
        for item, loss in losses.items():
            cost[index[item]] = int(loss * unit)
        return cost

    def _single_moles(self, column: SetColumn, private: Int32) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        from anonset_kernels.records.rows import transpose
        from anonset_kernels.suppression.coherence import worst_disclosure

        support, share = column.occurrences, floor_fraction(self.model.share, max(1, column.n))
        worst = np.zeros_like(support)
        if bool(np.any(private >= 0)):
            start, records = transpose(column.indptr, column.items, len(private))
            worst = worst_disclosure(column.indptr, column.items, private, start, records)
        too_much = worst * share.denominator > support * share.numerator
        return np.asarray((support > 0) & (private < 0) & ((support < self.k) | too_much))

    def _minimal_moles(
        self,
        column: SetColumn,
        private: Int32,
        single: np.ndarray[tuple[int], np.dtype[np.bool_]],
        store: Store,
        progress: Progress | None,
    ) -> list[Int32]:
        from anonset_kernels.suppression.coherence import store_records
        from anonset_kernels.suppression.threats import DisclosureRule

        support, share = column.occurrences, floor_fraction(self.model.share, max(1, column.n))
        items = np.flatnonzero((support > 0) & ~single & (private < 0))
        items = items[np.lexsort((items, -support[items]))]
        code = positions(items, len(private))
        start, position = room_for(support[items], column.n + int(support[private >= 0].sum()))
        codes = store_records(column.indptr, column.items, code, private, start, position)
        codes_of_items = np.arange(len(items), dtype=np.int32)
        private_items = DisclosureRule(int(np.count_nonzero(private >= 0)), share.numerator, share.denominator)
        records = StoredRecords(
            ExpandedCodes(codes, start, position),
            Intervals(codes_of_items, codes_of_items + np.int32(1)),
            self.k,
            private_items,
            store=store,
            progress=progress,
        )
        moles_by_size: list[Int32] = []
        for size in range(2, min(self.p, int(column.lengths.max(initial=0))) + 1):
            moles = records.mine(size, moles_by_size, self.max_threats - sum(map(len, moles_by_size)))
            if moles is None:
                more = setting("max_threats", option="max_work")
                problem = f"there are more than {self.max_threats:,} minimal moles"
                raise InputError(f"{problem}: use a p below {size}, a smaller k, or a larger {more}")
            moles_by_size.append(moles)
        return [items[moles].astype(np.int32) for moles in moles_by_size]


def _suppress(moles: list[Int32], cost: Int64) -> list[int]:
    from anonset_kernels.suppression.coherence import suppress_greedily

    padded = np.full((sum(map(len, moles)), max([1, *(m.shape[1] for m in moles)])), -1, np.int32)
    filled = 0
    for of_size in moles:
        padded[filled : filled + len(of_size), : of_size.shape[1]] = of_size
        filled += len(of_size)
    chosen: list[int] = suppress_greedily(padded, cost).tolist()
    return chosen
