"""Summary of disassociated publications."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from anonset.jobs.summary.base import EXAMPLES, MOST_SYMBOLS, Example, Summary, summary
from anonset.measures.terms import in_chunks
from anonset.publications import Chunks


@dataclass(frozen=True)
class ChunksSummary(Summary):
    """Summary of a disassociated publication."""

    in_chunks: int
    """Number of item occurrences shown in chunks."""
    terms: int
    """Number of terms over all clusters."""


@summary.register
def _of_chunks(publication: Chunks) -> ChunksSummary:
    terms = sum(len(cluster.terms) for cluster in publication.clusters)
    return ChunksSummary(publication.n, _examples(publication), sum(in_chunks(publication)), terms)


def _examples(publication: Chunks) -> tuple[Example, ...]:
    clusters = [
        (str(number), f"{cluster.n:,}", _text(publication, cluster.terms))
        for number, cluster in enumerate(publication.clusters[:EXAMPLES])
    ]
    examples = [Example(("cluster", "n", "terms"), tuple(clusters))]
    rows = (
        (str(number), str(chunk), _text(publication, items), f"{count:,}")
        for number, cluster in enumerate(publication.clusters)
        for chunk, rows in enumerate(cluster.chunks)
        for items, count in rows
    )
    examples.append(Example(("cluster", "chunk", "items", "count"), tuple(islice(rows, EXAMPLES))))
    shared = (
        (str(chunk.first), str(chunk.last), _text(publication, items), f"{count:,}")
        for chunk in publication.shared
        for items, count in chunk.rows
    )
    if first := tuple(islice(shared, EXAMPLES)):
        examples.append(Example(("first", "last", "items", "count"), first))
    return tuple(examples)


def _text(publication: Chunks, items: Sequence[int]) -> str:
    more = f" … ({len(items):,})" if len(items) > MOST_SYMBOLS else ""
    return " ".join(publication.vocabulary.labels[item] for item in items[:MOST_SYMBOLS]) + more
