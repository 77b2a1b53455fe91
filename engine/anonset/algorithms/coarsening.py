"""Continue the recoding of an earlier release. Items that share a symbol in the earlier release are published as this
symbol or as a coarser symbol.

An algorithm that accepts an initial cut starts from the earlier cut. For any other algorithm with a single recoding of
all records, one item represents all items that the earlier release publishes as the same symbol. The support of this
representative is the support of the symbol, so the guarantee also covers the symbols. Finally, each item is published
like its representative.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np

from anonset.algorithms.base import Algorithm, Result, traits_of
from anonset.algorithms.registry import with_traits
from anonset.algorithms.transaction.base import bind_items
from anonset.algorithms.transaction.item_sets.set_based import SetBased
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Int32
from anonset.data.decimals import exact
from anonset.data.distinct import first_of_runs
from anonset.data.progress import Progress
from anonset.data.storage.store import Store
from anonset.errors import InfeasibleError, InputError, datum
from anonset.generalization import Cut, ItemGroups
from anonset.generalization.recoding import SUPPRESSED
from anonset.privacy.policies import PrivacyPolicy
from anonset.publications.symbols import set_label
from anonset.spelling import setting

_OF_A_PROOF = ("lower_bound", "gap", "suppression")


@runtime_checkable
class InitialCutAlgorithm(Protocol):
    """Algorithm that accepts an initial cut."""

    def coarsen(self, column: SetColumn, start: Cut, *, store: Store, progress: Progress | None = None) -> Result:
        """Find a cut at or above `start`.

        The item codes of the column must be leaf positions, and the column must not contain the items that `start`
        suppresses.
        """
        ...


def require_coarsening(algorithm: Algorithm) -> None:
    """Reject an algorithm that cannot continue an earlier recoding.

    Raises
    ------
    InputError
        The message lists the algorithms that can continue an earlier recoding.
    """
    if not traits_of(algorithm).coarsens:
        others = ", ".join(with_traits(lambda traits: traits.coarsens))
        raise InputError(
            f"{setting('recoding')}: {algorithm.name} does not publish a single recoding of all records, so it cannot "
            f"continue a release; use {others}"
        )


def coarsened(
    algorithm: Any,
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    start: Cut | ItemGroups,
    *,
    progress: Progress | None,
) -> Result:
    """Find a recoding at or above `start`. Items that `start` suppresses remain suppressed.

    The statistics of the result do not contain a lower bound of the loss.

    Raises
    ------
    InfeasibleError
        If no recoding at or above `start` satisfies the guarantee.
    InputError
        If `start` suppresses a sensitive item of the algorithm, or publishes it together with other items.
    """
    column, _ = bind_items(table, hierarchies)
    image = start.image if isinstance(start, Cut) else start.group
    _require_bare(algorithm, column, image)
    if (
        isinstance(algorithm, InitialCutAlgorithm)
        and isinstance(start, Cut)
        and not getattr(algorithm, "suppress", False)
    ):
        representative = np.where(image == SUPPRESSED, SUPPRESSED, np.arange(len(image))).astype(np.int32)
        shown = replace(start, image=np.where(image == SUPPRESSED, start.hierarchy.leaf_node, image).astype(np.int32))
        result = algorithm.coarsen(_shown_as(column, representative), shown, store=table.store, progress=progress)
    else:
        representative = _representatives(column, image)
        bare = replace(table, transactions=_shown_as(column, representative))
        changed = _for_representatives(algorithm, column, representative)
        result = changed.recode(bare, hierarchies, progress=progress)
    recoding = _joined(start, result.recoding, representative)
    _require_share(algorithm, recoding)
    figures = {name: figure for name, figure in result.figures.items() if name not in _OF_A_PROOF}
    return replace(result, recoding=recoding, figures=figures)


def _representatives(column: SetColumn, image: Int32) -> Int32:
    """Return the representative of each item, int32 (M,). -1 for suppressed items.

    If any item of a symbol occurs in the data, the representative occurs.
    """
    order = np.lexsort((np.arange(len(image)), column.occurrences == 0, image))
    first = first_of_runs(image[order])
    first_of_group = np.empty(len(image), np.int32)
    first_of_group[order] = order[np.flatnonzero(first)[np.cumsum(first) - 1]]
    return np.where(image == SUPPRESSED, SUPPRESSED, first_of_group).astype(np.int32)


def _shown_as(column: SetColumn, representative: Int32) -> SetColumn:
    from anonset_kernels.records.rows import map_rows

    indptr, items = map_rows(column.indptr, column.items, representative, len(representative))
    return SetColumn(column.name, indptr, items, column.vocabulary)


def _joined(start: Cut | ItemGroups, recoding: Any, representative: Int32) -> Cut | ItemGroups:
    suppressed = representative == SUPPRESSED
    if isinstance(recoding, Cut) and isinstance(start, Cut):
        tree, before, after = start.hierarchy, start.image, recoding.image[representative]
        inside = (tree.leaf_lo[after] >= tree.leaf_lo[before]) & (tree.leaf_hi[after] <= tree.leaf_hi[before])
        image = np.where(inside & (after != SUPPRESSED), before, after)
        return Cut(tree, np.where(suppressed, SUPPRESSED, image).astype(np.int32))
    group = np.where(suppressed, SUPPRESSED, recoding.group[representative])
    smallest: dict[int, int] = {}
    numbers = [SUPPRESSED if g == SUPPRESSED else smallest.setdefault(g, item) for item, g in enumerate(group.tolist())]
    return ItemGroups(recoding.vocabulary, np.array(numbers, np.int32))


def _require_bare(algorithm: Any, column: SetColumn, image: Int32) -> None:
    index = column.vocabulary.index
    for label in algorithm.model.secrets:
        if (item := index.get(label)) is not None and (
            image[item] == SUPPRESSED or np.count_nonzero(image == image[item]) > 1
        ):
            msg = f"{setting('recoding')}: sensitive item {datum(label)} was suppressed or published with others"
            raise InputError(msg)


def _for_representatives(algorithm: Any, column: SetColumn, representative: Int32) -> Any:
    if not isinstance(algorithm, SetBased):
        return algorithm
    labels = column.vocabulary.labels
    if algorithm.utility is not None:
        together = algorithm.utility.codes(column.vocabulary)
        apart = np.flatnonzero((representative != SUPPRESSED) & (together != together[representative]))
        if len(apart):
            members = tuple(
                labels[item] for item in np.flatnonzero(representative == representative[apart[0]]).tolist()
            )
            problem = f"{datum(set_label(members))} was published as a set"
            raise InputError(f"{setting('recoding')}: {problem}, and no utility constraint contains all its items")
    if algorithm.constraints is None:
        return algorithm
    start, items = algorithm.constraints.codes(column.vocabulary)
    stood = [representative[items[low:high]] for low, high in pairwise(start.tolist())]
    itemsets = (
        tuple(dict.fromkeys(labels[x] for x in items_of[items_of != SUPPRESSED].tolist())) for items_of in stood
    )
    return replace(algorithm, constraints=PrivacyPolicy(tuple(itemset for itemset in itemsets if itemset)))


def _require_share(algorithm: Any, recoding: Cut | ItemGroups) -> None:
    allowed, of = getattr(algorithm, "max_suppressed", None), len(recoding.suppressed)
    if allowed is None or not isinstance(recoding, ItemGroups):
        return
    n_items = len(recoding.vocabulary)
    if of > exact(allowed) * n_items:
        reason = f"{of} of {n_items} items are suppressed, including the suppressed items of the earlier release"
        raise InfeasibleError(algorithm.name, f"{reason}; {setting('max_suppressed', allowed)} allows fewer")
