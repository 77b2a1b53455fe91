"""Remaining risks of chunks outside their guarantee: confidence about other items of a person."""

from dataclasses import dataclass

from anonset.errors import InputError
from anonset.jobs.risk.base import RiskContext, RiskReport, risk_of
from anonset.measures.item_inference import ItemInference, infer_items
from anonset.measures.item_supports import supports_of
from anonset.publications import Chunks
from anonset.spelling import setting


@dataclass(frozen=True)
class ChunkRisk(RiskReport):
    """Remaining risks of chunks. The model limits re-identification, but not the inference of items."""

    clusters: int
    """Number of clusters."""
    smallest: int
    """Number of records in the smallest cluster. 0 if there are no clusters."""
    told: tuple[ItemInference, ...] = ()
    """Success of an attacker who knows the two rarest items of a person and infers the other items. Empty without
    original.
    """


@risk_of.register
def _of_chunks(publication: Chunks, context: RiskContext) -> ChunkRisk:
    context.require_no_attacks()
    _require_about_chunks(population=context.population, sensitive=context.sensitive, persons=context.persons)
    sizes = [cluster.n for cluster in publication.clusters]
    inferences, original = tuple[ItemInference, ...](), context.original
    if original is not None and original.transactions is not None:
        inferences = infer_items(original.transactions, supports_of(publication), context.attempts, context.seed)
    return ChunkRisk(publication.n, context.model, len(sizes), min(sizes, default=0), inferences)


def _require_about_chunks(**arguments: object) -> None:
    """Reject settings that need complete records, because a disassociated publication contains only parts of
    records.
    """
    for name, value in arguments.items():
        if value is not None:
            msg = f"{setting(name)} needs published records; a disassociated publication has none"
            raise InputError(msg)
