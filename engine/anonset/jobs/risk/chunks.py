"""What is at risk after chunks are published: how surely they tell other items of a person, beside their guarantee."""

from dataclasses import dataclass

from anonset.errors import InputError
from anonset.jobs.risk.base import RiskContext, RiskReport, risk_of
from anonset.measures.item_supports import supports_of
from anonset.measures.told_items import Telling, told_items
from anonset.publications import Chunks
from anonset.spelling import setting


@dataclass(frozen=True)
class ChunkRisk(RiskReport):
    """What is at risk after chunks are published; the model bounds links, and nothing of what is told."""

    clusters: int
    """Number of clusters."""
    smallest: int
    """Records of the smallest cluster; 0 without clusters."""
    told: tuple[Telling, ...] = ()
    """How surely other items of persons are told, where the original was there."""


@risk_of.register
def _of_chunks(publication: Chunks, context: RiskContext) -> ChunkRisk:
    """Count how surely a disassociated publication tells the other items of random rows of the original."""
    context.require_no_attacks()
    _require_about_chunks(population=context.population, sensitive=context.sensitive, persons=context.persons)
    sizes = [cluster.n for cluster in publication.clusters]
    told, original = tuple[Telling, ...](), context.original
    if original is not None and original.transactions is not None:
        told = told_items(original.transactions, supports_of(publication), context.attempts, context.seed)
    return ChunkRisk(publication.n, context.model, len(sizes), min(sizes, default=0), told)


def _require_about_chunks(**given: object) -> None:
    """Refuse what speaks of records that can be told apart, of which chunks have none.

    Raises
    ------
    InputError
        With the setting.
    """
    for name, value in given.items():
        if value is not None:
            msg = f"{setting(name)} is about records that fit what is known; a disassociated publication has none"
            raise InputError(msg)
