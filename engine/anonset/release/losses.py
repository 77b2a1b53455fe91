"""The losses of a publication that nobody has verified yet.

The first measure is the main loss, which ``--max-loss`` bounds: NCP of the items where they alone are recoded, the
relational loss (Rum) where there are quasi-identifiers, the grouping loss of buckets.
"""

from collections.abc import Mapping
from typing import Any

from anonset.algorithms.base import Algorithm, Result
from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Buckets, Cut, ItemGroups, PerCluster
from anonset.release.symbols import without
from anonset.strict_json import require_finite

LOSSES = {
    "ncp": "NCP of the items",
    "rum": "NCP of the relational values (Rum)",
    "tum": "utility loss of the items, per record (Tum)",
    "grouping_loss": "share of tuples starred or removed",
    "removed_for_diversity": "share of tuples removed for diversity",
    "diversity_loss": "share of tuples beyond 1/l of their group, those taken out still counted in it",
    "ul": "utility loss (UL) of the items",
    "log2_ul": "binary logarithm of UL",
    "lm": "loss metric (LM) of the items",
}
"""What each measure is."""


def measures_of(
    table: Table, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm, result: Result, publication: Any
) -> dict[str, float]:
    """Return the losses of a recoding, the main one first; the logarithm of no loss is left out.

    Raises
    ------
    InputError
        If there is nothing to measure.
    AnonsetError
        If a loss is no finite number.
    """
    recoding = result.recoding
    if isinstance(recoding, Buckets):
        from anonset.measures.grouping_loss import grouping_loss

        counts, n = result.figures, max(1, table.n)
        lost = {"removed_for_diversity": "removed_for_diversity", "diversity_loss": "too_frequent"}
        shares = {name: counts[counted] / n for name, counted in lost.items() if counted in counts}
        return {"grouping_loss": grouping_loss(recoding), **shares}
    found: dict[str, float] = {}
    if table.relational and isinstance(recoding, PerCluster):
        found["rum"] = _relational_loss(table, hierarchies, algorithm, recoding)
    if table.transactions is not None:
        if found:
            from anonset.measures.record_utility_loss import record_utility_loss

            found["tum"] = record_utility_loss(without(publication, algorithm.model.beside))
        found |= _item_losses(table.transactions, hierarchies, algorithm, recoding)
    if not found:
        msg = f"a recoding of type {type(recoding).__name__} has nothing to measure"
        raise InputError(msg)
    require_finite(found, "measures")  # no bound is kept by what is no number
    return found


def _relational_loss(
    table: Table, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm, recoding: PerCluster
) -> float:
    from anonset.data.quasi_identifiers import QuasiIdentifiers
    from anonset.measures.relational_ncp import relational_ncp

    weights = getattr(algorithm, "relational_weights", None)
    return relational_ncp(QuasiIdentifiers.of(table.relational, hierarchies, weights), recoding.cluster)


def _item_losses(
    column: SetColumn, hierarchies: Mapping[str, Hierarchy], algorithm: Algorithm, recoding: Any
) -> dict[str, float]:
    from anonset.measures.item_weights import group_weights
    from anonset.measures.lm import lm_of_sizes
    from anonset.measures.local_ncp import ncp_of_sizes
    from anonset.measures.occurrences import occurrences_by_size
    from anonset.measures.utility_loss import weighted_utility_loss

    by_size = occurrences_by_size(column, recoding)
    found = {"ncp": float(ncp_of_sizes(by_size)), "lm": float(lm_of_sizes(by_size))}
    if isinstance(recoding, (Cut, ItemGroups)) and column.n:
        tree = recoding.hierarchy if isinstance(recoding, Cut) else hierarchies.get(column.name)
        weights = group_weights(getattr(algorithm, "item_weights", None), column.vocabulary, tree)
        loss = weighted_utility_loss(column, recoding, weights)
        found |= {"ul": loss.value} | ({"log2_ul": loss.log2} if loss.log2 > float("-inf") else {})
    return found
