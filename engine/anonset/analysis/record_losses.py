"""Losses of published records."""

from functools import partial

import numpy as np

from anonset.analysis.evaluation import Evaluation, EvaluationRequest
from anonset.data import Hierarchy
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.losses.record_utility_loss import record_utility_loss
from anonset.measures.losses.utility_loss import group_weights
from anonset.measures.retention import counted_levels
from anonset.publications import Records
from anonset.release.losses import item_losses
from anonset.release.published_recoding import PublishedRecoding, recoding_of
from anonset.release.published_values import published_relational_loss
from anonset.release.symbols import leave_out, spell_out


def losses_of_records(publication: Records, request: EvaluationRequest) -> Evaluation:
    """Return the losses of items and of relational values, without disclosures and equivalence classes."""
    original, opened, hierarchies = request.original, request.opened, request.hierarchies
    measures: dict[str, float] = {}
    sizes: dict[str, int] = {"records": original.n}
    source, column, levels = "data", original.transactions, dict[str, int]()
    if column is not None:
        hierarchy = hierarchies.get(column.name)
        way_back = partial(opened.way_back, original.store)
        recoded = recoding_of(column, publication.symbols, opened.private, way_back, hierarchy, original.store)
        measures |= item_losses(
            recoded.column, recoded.by_size, recoded.recoding, request.item_weights, hierarchy, original.store
        )
        if original.relational or recoded.recoding is None:
            tum = {"tum": _record_loss(recoded, hierarchy, request, publication)}
            measures = {**tum, **measures} if original.relational else {**measures, **tum}
        sizes |= _item_sizes(recoded, publication)
        source = recoded.source
        nodes = any(symbol.kind == "node" for symbol in publication.symbols)
        levels = counted_levels(recoded.item, recoded.size, recoded.count, hierarchy if nodes else None)
    if original.relational:
        values = spell_out(publication.relational, publication.value_sets)
        rum = published_relational_loss(original, values, hierarchies, request.relational_weights)
        measures = {"rum": rum, **measures}
    return Evaluation(measures, sizes, source, None, levels)


def _record_loss(
    recoded: PublishedRecoding, hierarchy: Hierarchy | None, request: EvaluationRequest, publication: Records
) -> float:
    given = request.item_weights
    weights = None if given is None else group_weights(given, recoded.column.vocabulary, hierarchy)
    return record_utility_loss(leave_out(publication, request.secrets), weights)


def _item_sizes(recoded: PublishedRecoding, publication: Records) -> dict[str, int]:
    column, recoding = recoded.column, recoded.recoding
    published = publication.transactions
    sizes = {
        "occurrences": len(column.codes),
        "universe": len(column.vocabulary),
        "symbols": 0 if published is None else int(np.count_nonzero(published.occurrences)),
    }
    if recoding is not None:
        group = recoding.group
        occurring = column.occurrences > 0
        members = np.bincount(group[group != SUPPRESSED], minlength=1)
        sizes["generalized"] = int(np.count_nonzero(occurring & (group != SUPPRESSED) & (members[group] > 1)))
        sizes["suppressed"] = int(np.count_nonzero(occurring & (group == SUPPRESSED)))
    return sizes
