"""Item counts in a disassociated publication."""

import numpy as np

from anonset.publications import Chunks


def in_chunks(publication: Chunks) -> list[int]:
    """Return the number of sub-records that contain each item.

    >>> from anonset.data import Vocabulary
    >>> from anonset.publications.chunk_columns import PublishedCluster
    >>> cluster = PublishedCluster(3, (1,), ((((0,), 2), ((0, 2), 1)),))
    >>> publication = Chunks("items", Vocabulary(("a", "b", "c")), (cluster,), ())
    >>> in_chunks(publication), in_terms(publication)
    ([3, 0, 1], [0, 1, 0])
    """
    counts = np.zeros(len(publication.vocabulary), np.int64)
    for part in publication.columns:
        np.add.at(counts, part.rows.items, np.repeat(part.rows.count, np.diff(part.rows.indptr)))
    totals: list[int] = counts.tolist()
    return totals


def in_terms(publication: Chunks) -> list[int]:
    """Return the number of records in which each item is published as a term (in no chunk).

    If no totals are published, one record per cluster is counted.
    """
    clusters, n_items = publication.columns[0], len(publication.vocabulary)
    counts: list[int] = np.bincount(clusters.terms, minlength=n_items).tolist()
    for term, total in publication.totals or ():
        counts[term] = total
    return counts
