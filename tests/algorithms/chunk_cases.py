"""Convert publications of chunks between the engine's format and the naive implementation's."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from anonset.algorithms.transaction.disassociation.disassociation import Disassociation
from anonset.data import Table, Vocabulary
from anonset.generalization import Disassociated
from anonset.generalization.chunk_cutting import disassociate
from anonset.publications import Chunks
from anonset.publications.chunk_columns import PublishedCluster, Rows, SharedChunk
from reference import disassociation as twin

RECORDS = st.lists(st.sets(st.sampled_from("aaabbcdefgh"), max_size=5), min_size=1, max_size=60)


def disassociated(records: Sequence[Collection[str]], k: int, m: int, size: int, **more: Any) -> Chunks:
    """Run the algorithm and apply the recoding."""
    table = Table.from_sets(records)
    recoding = Disassociation(k=k, m=m, cluster_size=size, **more).recode(table, {}).recoding
    assert isinstance(recoding, Disassociated)
    return disassociate(table, recoding)


def as_in_twin(publication: Chunks) -> twin.Chunks:
    """Return a publication in the format of the naive implementation."""
    labels = publication.vocabulary.labels

    def row(items: Iterable[int]) -> frozenset[str]:
        return frozenset(labels[item] for item in items)

    def rows(chunk: Rows) -> tuple[frozenset[str], ...]:
        return tuple(row(items) for items, count in chunk for _ in range(count))

    clusters = tuple(twin.Cluster(c.n, row(c.terms), tuple(map(rows, c.chunks))) for c in publication.clusters)
    shared = tuple(twin.Shared(c.first, c.last, rows(c.rows)) for c in publication.shared)
    totals = None if publication.totals is None else tuple((labels[item], total) for item, total in publication.totals)
    return twin.Chunks(clusters, shared, totals)


def publication_of(
    clusters: Sequence[tuple[int, str, Sequence[Sequence[str]]]],
    shared: Sequence[tuple[int, int, Sequence[str]]] = (),
    totals: Mapping[str, int] | None = None,
) -> Chunks:
    """Return a publication: clusters of (n, terms, chunks) and shared chunks (first, last, rows). Items are letters."""
    letters = {item for _, terms, chunks in clusters for item in "".join([terms, *(r for c in chunks for r in c)])}
    letters |= {item for _, _, rows in shared for row in rows for item in row} | set(totals or ())
    vocabulary = Vocabulary.of(letters)

    def codes(text: str) -> tuple[int, ...]:
        return tuple(sorted(vocabulary.index[item] for item in text))

    def rows_of(texts: Sequence[str]) -> Rows:
        return tuple(sorted(Counter(map(codes, texts)).items()))

    made = (PublishedCluster(n, codes(terms), tuple(sorted(map(rows_of, chunks)))) for n, terms, chunks in clusters)
    return Chunks(
        "items",
        vocabulary,
        tuple(made),
        tuple(SharedChunk(first, last, rows_of(rows)) for first, last, rows in shared),
        totals=None if totals is None else tuple(sorted((codes(item)[0], n) for item, n in totals.items())),
    )
