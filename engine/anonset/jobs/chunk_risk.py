"""What is at risk after chunks are published: how surely they tell other items of a person, beside their guarantee."""

from collections.abc import Sequence
from dataclasses import dataclass

from anonset.data import Table
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError
from anonset.measures.shares import percent
from anonset.measures.told_items import LIKELY, SURE, Telling, told_items
from anonset.measures.top_itemsets import ChunkSupports
from anonset.privacy import PrivacyModel
from anonset.publications import Chunks
from anonset.release.tables import html_table
from anonset.spelling import setting

_SOURCES = {"publication": "what is published", "frequencies": "how often items occur", "original": "the original"}


@dataclass(frozen=True)
class ChunkRisk(Discreet):
    """What is at risk after chunks are published."""

    records: int
    """Published records."""
    clusters: int
    """Their clusters."""
    smallest: int
    """Records of the smallest cluster; 0 without clusters."""
    model: PrivacyModel
    """What was promised: of links, and nothing of what is told."""
    told: tuple[Telling, ...] = ()
    """How surely other items of persons are told, where the original was there."""

    def _repr_html_(self) -> str:
        """Return what is told as a table, for notebooks."""
        return html_table(*telling_table(self.told))


def telling_table(told: Sequence[Telling]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return how surely other items are told: the headings, and a row of text by what tells it."""
    bounds = (f"by {LIKELY:g} or more", f"by {SURE:g} or more")
    head = ("told by", "rows", "other items", *bounds, "rare ones", *bounds)
    return head, [
        (_SOURCES[one.source], f"{one.persons:,}", f"{one.items:,}", percent(one.likely), percent(one.sure),
         f"{one.rare_items:,}", percent(one.rare_likely), percent(one.rare_sure))
        for one in told
    ]  # fmt: skip


def chunk_risk(
    publication: Chunks, model: PrivacyModel, original: Table | None, *, attempts: int, seed: int
) -> ChunkRisk:
    """Count how surely a disassociated publication tells the other items of random rows of the original."""
    sizes = [cluster.n for cluster in publication.clusters]
    told = tuple[Telling, ...]()
    if original is not None and original.transactions is not None:
        told = told_items(original.transactions, ChunkSupports(publication), attempts, seed)
    return ChunkRisk(publication.n, len(sizes), min(sizes, default=0), model, told)


def require_about_chunks(**given: object) -> None:
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
