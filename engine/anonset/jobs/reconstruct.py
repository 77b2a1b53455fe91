"""Random reconstruction of a table that is consistent with a disassociated publication."""

import os
from collections.abc import Iterable, Iterator

import numpy as np

from anonset.data import SetColumn, Table
from anonset.data.array_types import Int64
from anonset.data.spans import begins_of
from anonset.data.split_mix import SplitMix
from anonset.publications import Chunks
from anonset.publications.base import require_kind
from anonset.publications.chunk_columns import PublishedCluster, Rows
from anonset.release.opened import open_publication
from anonset.release.publishing.publish import require_decided
from anonset.release.release import Release
from anonset.verification import verify


def reconstruct(published: Release | str | os.PathLike[str], *, seed: int = 0) -> Table:
    """Return a random table that is consistent with a disassociated publication.

    Items of one chunk occur together as often as published. Items of different chunks are combined at random, so
    associations within a cluster are underestimated. A term is assigned to one record of its cluster. If the total of
    the term is published, the term is assigned to that many records of its clusters. In clusters without terms no
    record stays empty. The table contains no more information than the publication and no data of real persons.

    Parameters
    ----------
    published
        A release, or the directory of a publication.
    seed
        Random seed. Means over several seeds have a smaller variance.

    Raises
    ------
    InputError
        If the publication is not disassociated, or the seed is negative.
    VerificationError
        If the publication does not satisfy the privacy model.

    Examples
    --------
    >>> import anonset
    >>> table = Table.from_sets([["a", "b"], ["a"], ["a"], ["b"], ["b", "c"], ["c"]])
    >>> release = anonset.anonymize(table, anonset.Disassociation(k=2, m=2))
    >>> made = reconstruct(release, seed=1)
    >>> made.n, made.transactions.occurrences.tolist()
    (6, [3, 3, 2])
    """
    return next(possible_tables(published, [seed]))


def possible_tables(published: Release | str | os.PathLike[str], seeds: Iterable[int]) -> Iterator[Table]:
    """Yield a reconstructed table for each seed (see `reconstruct`). The publication is read and verified only once."""
    if isinstance(published, Release):
        publication, model = published.publication, published.verdict.model
    else:
        with open_publication(published, with_private=False) as opened:
            publication, model = opened.publication, opened.model
    chunks = require_kind(publication, Chunks, "reconstruct needs a disassociated publication (--model disassociation)")
    require_decided(verify(chunks, model), accept_undecided=True)
    for seed in seeds:
        yield _drawn(chunks, SplitMix(seed))


def _drawn(publication: Chunks, random: SplitMix) -> Table:
    records: list[list[int]] = [[] for _ in range(publication.n)]
    first = begins_of([cluster.n for cluster in publication.clusters])
    for number, cluster in enumerate(publication.clusters):
        _place_cluster(records, int(first[number]), cluster, random)
    for term, total in publication.totals or ():
        numbers = [number for number, cluster in enumerate(publication.clusters) if term in cluster.terms]
        of_term = [place for number in numbers for place in range(first[number], first[number + 1])]
        _place_more(records, term, of_term, total, random)
    shown = publication.shown()
    for number, chunk in enumerate(publication.shared):
        clusters = chunk.first + np.flatnonzero(shown.falls_on(number))
        places = np.concatenate([np.arange(first[c], first[c + 1]) for c in clusters.tolist()])
        _put(records, chunk.rows, places[_shuffled(len(places), random)], random)
    column = SetColumn.of(
        ([publication.vocabulary.labels[item] for item in record] for record in records),
        name=publication.name,
        universe=publication.vocabulary.labels,
    )
    return Table(column)


def _place_cluster(records: list[list[int]], first: int, cluster: PublishedCluster, random: SplitMix) -> None:
    """Assign the chunks and terms of a cluster to its records. In a cluster without terms, fill empty records first."""
    for rows in cluster.chunks:
        places = first + _shuffled(cluster.n, random)
        if not cluster.terms:
            filled = np.array([bool(records[place]) for place in places.tolist()])
            places = places[np.argsort(filled, kind="stable")]
        _put(records, rows, places, random)
    for term in cluster.terms:
        records[first + random.below(cluster.n)].append(term)


def _place_more(records: list[list[int]], term: int, places: list[int], total: int, random: SplitMix) -> None:
    """Assign a term to random records among `places` until it occurs in `total` of them."""
    free = np.array([place for place in places if term not in records[place]], np.int64)
    more = total - (len(places) - len(free))
    for place in free[_shuffled(len(free), random)][:more].tolist():
        records[place].append(term)


def _put(records: list[list[int]], rows: Rows, places: Int64, random: SplitMix) -> None:
    """Assign sub-records in random order to the first records of `places`. The number of places must be at least the
    number of sub-records.
    """
    sub_records = [items for items, count in rows for _ in range(count)]
    for place, row in zip(places.tolist(), _shuffled(len(sub_records), random).tolist(), strict=False):
        records[place] += sub_records[row]


def _shuffled(n: int, random: SplitMix) -> Int64:
    return np.argsort(random.words(n), kind="stable").astype(np.int64)
