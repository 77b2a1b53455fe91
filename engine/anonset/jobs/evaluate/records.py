"""Losses of published records."""

from dataclasses import replace
from functools import partial

import numpy as np

from anonset.data import Hierarchy
from anonset.generalization.recoding import SUPPRESSED
from anonset.jobs.bounds import Bounds
from anonset.jobs.evaluate.base import Evaluation, EvaluationRequest, losses, require_itemsets, with_itemsets
from anonset.jobs.workloads import QueryAnswers, answers
from anonset.measures.distinct_records import codes_of
from anonset.measures.record_utility_loss import record_utility_loss
from anonset.measures.retention import counted_levels
from anonset.measures.sensitive_values import ObservedDiversity, observed_diversity
from anonset.measures.utility_loss import ItemWeights, group_weights, utility_loss
from anonset.publications import Records
from anonset.release.published_recoding import PublishedRecoding, recoding_of
from anonset.release.published_values import published_relational_loss
from anonset.release.symbols import leave_out, spell_out


@losses.register
def _of_records(publication: Records, request: EvaluationRequest) -> Evaluation:
    require_itemsets(request.top, has_items=request.original.transactions is not None)
    spelled = replace(publication, relational=spell_out(publication.relational, publication.value_sets))
    request.require_possible(spelled)
    errors = answers(request.original, spelled, request.workload, request.hierarchies)
    evaluation = with_itemsets(_losses(publication, request, errors), publication, request, request.workload.reading)
    if not request.bound:
        return evaluation
    bounds = Bounds(request.original, request.hierarchies, progress=request.progress)
    parameters, suppression = request.opened.attested.parameters, evaluation.sizes.get("suppressed", 0) > 0
    return replace(evaluation, bound=bounds.of(parameters["k"], parameters["m"], suppression=suppression))


def _losses(publication: Records, request: EvaluationRequest, errors: QueryAnswers | None) -> Evaluation:
    original, opened, hierarchies = request.original, request.opened, request.hierarchies
    measures: dict[str, float] = {}
    sizes: dict[str, int] = {"records": original.n}
    source, column, levels = "data", original.transactions, dict[str, int]()
    if column is not None:
        hierarchy = hierarchies.get(column.name)
        way_back = partial(opened.way_back, original.store)
        recoded = recoding_of(column, publication.symbols, opened.private, way_back, hierarchy, original.store)
        measures |= _item_losses(recoded, hierarchy, request.item_weights)
        sizes |= _item_sizes(recoded, publication)
        source = recoded.source
        nodes = any(symbol.kind == "node" for symbol in publication.symbols)
        levels = counted_levels(recoded.item, recoded.size, recoded.count, hierarchy if nodes else None)
    if original.relational:
        values = spell_out(publication.relational, publication.value_sets)
        rum = published_relational_loss(original, values, hierarchies, request.relational_weights)
        tum = {} if column is None else {"tum": record_utility_loss(leave_out(publication, request.secrets))}
        measures = {"rum": rum, **tum, **measures}
    return Evaluation(measures, sizes, source, errors, levels, observed=_observed(publication))


def _observed(publication: Records) -> dict[str, ObservedDiversity]:
    if not publication.relational or not publication.n:
        return {}
    group = codes_of(publication.relational)
    return {column.name: observed_diversity(group, column, publication.store) for column in publication.kept}


def _item_losses(
    recoded: PublishedRecoding, hierarchy: Hierarchy | None, weights: str | ItemWeights | None
) -> dict[str, float]:
    column, recoding = recoded.column, recoded.recoding
    losses = {"ncp": recoded.ncp, "lm": recoded.lm}
    if recoding is not None and column.n:
        chosen = group_weights(weights, column.vocabulary, hierarchy)
        loss = utility_loss(column, recoding, chosen)
        losses |= {"ul": loss.value} | ({"log2_ul": loss.log2} if loss.log2 > float("-inf") else {})
    return losses


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
