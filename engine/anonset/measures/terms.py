"""How often a disassociated publication shows each item, and tlost: the items that it shows as terms alone.

References: Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012, section 6 (tlost).
"""

from collections.abc import Mapping

from anonset.generalization.chunks import ChunkPublication


def in_chunks(publication: ChunkPublication) -> list[int]:
    """Return how many sub-records hold each item.

    >>> from anonset.data import Vocabulary
    >>> from anonset.generalization.chunks import Cluster
    >>> cluster = Cluster(3, (1,), ((((0,), 2), ((0, 2), 1)),))
    >>> publication = ChunkPublication("items", Vocabulary(("a", "b", "c")), (cluster,), ())
    >>> in_chunks(publication), in_terms(publication), lost_terms(publication, {"a": 3, "b": 3, "c": 1, "d": 2}, 2)
    ([3, 0, 1], [0, 1, 0], 0.3333333333333333)
    """
    counts = [0] * len(publication.vocabulary)
    chunks = [rows for cluster in publication.clusters for rows in cluster.chunks]
    for rows in (*chunks, *(chunk.rows for chunk in publication.shared)):
        for items, count in rows:
            for item in items:
                counts[item] += count
    return counts


def in_terms(publication: ChunkPublication) -> list[int]:
    """Return among the terms of how many clusters each item is."""
    counts = [0] * len(publication.vocabulary)
    for cluster in publication.clusters:
        for term in cluster.terms:
            counts[term] += 1
    return counts


def lost_terms(publication: ChunkPublication, support: Mapping[str, int], k: int) -> float | None:
    """Return tlost: the share of the items of at least k records that are terms alone; None where there are none.

    Parameters
    ----------
    support
        How many records of the original hold each item.
    """
    shown = dict(zip(publication.vocabulary.labels, in_chunks(publication), strict=True))
    frequent = [label for label, records in support.items() if records >= k]
    return sum(not shown.get(label) for label in frequent) / len(frequent) if frequent else None
