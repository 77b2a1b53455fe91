"""How often a disassociated publication shows each item."""

from anonset.generalization.chunks import ChunkPublication


def in_chunks(publication: ChunkPublication) -> list[int]:
    """Return how many sub-records hold each item.

    >>> from anonset.data import Vocabulary
    >>> from anonset.generalization.chunks import Cluster
    >>> cluster = Cluster(3, (1,), ((((0,), 2), ((0, 2), 1)),))
    >>> publication = ChunkPublication("items", Vocabulary(("a", "b", "c")), (cluster,), ())
    >>> in_chunks(publication), in_terms(publication)
    ([3, 0, 1], [0, 1, 0])
    """
    counts = [0] * len(publication.vocabulary)
    chunks = [rows for cluster in publication.clusters for rows in cluster.chunks]
    for rows in (*chunks, *(chunk.rows for chunk in publication.shared)):
        for items, count in rows:
            for item in items:
                counts[item] += count
    return counts


def in_terms(publication: ChunkPublication) -> list[int]:
    """Return how many records each item is in as a term: the published total, or one for each cluster."""
    counts = [0] * len(publication.vocabulary)
    for cluster in publication.clusters:
        for term in cluster.terms:
            counts[term] += 1
    for term, total in publication.totals or ():
        counts[term] = total
    return counts
