"""What a candidate publication is worth: its measures, and a warning where it says nothing.

The first measure is the main loss, which ``--max-loss`` bounds: NCP of the items where they alone are recoded, the
relational loss (Rum) where there are quasi-identifiers, the grouping loss of buckets.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, Result
from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Buckets, Cut, ItemGroups, PerCluster, Publication
from anonset.release.symbols import without
from anonset.strict_json import require_finite

LOSSES = {
    "ncp": "NCP of the items",
    "rum": "NCP of the relational values (Rum)",
    "tum": "utility loss of the items, per record (Tum)",
    "grouping_loss": "share of tuples starred or removed",
    "ul": "utility loss (UL) of the items",
    "log2_ul": "binary logarithm of UL",
    "lm": "loss metric (LM) of the items",
}
"""What each measure is."""

_NOTHING = (
    "the publication carries no information: {what}. Smaller parameters of the model, a hierarchy with a smaller "
    "fan-out (such as balanced:5), or leaving out rare items would help"
)


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

        return {"grouping_loss": grouping_loss(recoding)}
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
    from anonset.measures.lm import lm
    from anonset.measures.local_ncp import local_ncp
    from anonset.measures.utility_loss import weighted_utility_loss

    found = {"ncp": local_ncp(column, recoding), "lm": lm(column, recoding)}
    if isinstance(recoding, (Cut, ItemGroups)) and column.n:
        tree = recoding.hierarchy if isinstance(recoding, Cut) else hierarchies.get(column.name)
        weights = group_weights(getattr(algorithm, "item_weights", None), column.vocabulary, tree)
        loss = weighted_utility_loss(column, recoding, weights)
        found |= {"ul": loss.value} | ({"log2_ul": loss.log2} if loss.log2 > float("-inf") else {})
    return found


def no_information(table: Table, publication: Any, measures: Mapping[str, float]) -> tuple[str, ...]:
    """Return a warning where every occurring item stands behind one symbol, or everything is lost."""
    if not isinstance(publication, Publication) or not table.n:
        return ()
    what = _nothing_of_items(table, publication)
    if what is None and table.relational and all(map(_one_value, publication.relational)):
        what = None if all(_one_value(column) for column in table.relational) else "every record has the same values"
    if what is None and next(iter(measures.values())) >= 1:
        what = f"the loss ({next(iter(measures)).upper()}) is 1"
    return () if what is None else (_NOTHING.format(what=what),)


def _nothing_of_items(table: Table, publication: Publication) -> str | None:
    original, published = table.transactions, publication.transactions
    if original is None or published is None or np.count_nonzero(original.occurrences) < 2:
        return None
    symbols = np.flatnonzero(published.occurrences)
    if len(symbols) == 0:
        return "every item is suppressed"
    if len(symbols) == 1:
        return f"every item that occurs is published as {published.vocabulary.labels[symbols[0]]!r}"
    return None


def _one_value(column: Any) -> bool:
    values = column.codes if isinstance(column, CategoricalColumn) else column.values
    return bool(len(values) == 0 or (values == values[0]).all())
