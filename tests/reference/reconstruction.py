"""All tables that a tiny disassociated publication may be reconstructed as, with their probabilities, naively."""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from math import factorial, prod

from reference.disassociation import Chunks, Item, Row, Rows, falls_on, placements

Record = frozenset[Item]


def drawn(publication: Chunks) -> Iterator[tuple[Fraction, tuple[Record, ...]]]:
    """Yield each way to put everything on the records, cluster by cluster, and its probability.

    Chunks of a cluster without terms go on as many empty records as they can.
    """
    first = [sum(cluster.n for cluster in publication.clusters[:c]) for c in range(len(publication.clusters) + 1)]
    steps: list[tuple[Rows, list[int], bool]] = []
    for c, cluster in enumerate(publication.clusters):
        places = list(range(first[c], first[c + 1]))
        steps += [(rows, places, not cluster.terms) for rows in cluster.chunks]
        steps += [((frozenset([term]),), places, False) for term in sorted(cluster.terms)]
    for chunk in publication.shared:
        steps.append(
            (chunk.rows, [p for c in falls_on(publication, chunk) for p in range(first[c], first[c + 1])], False)
        )
    yield from _go_on(Fraction(1), (frozenset[Item](),) * first[-1], steps)


def _go_on(
    chance: Fraction, records: tuple[Record, ...], steps: Sequence[tuple[Rows, list[int], bool]]
) -> Iterator[tuple[Fraction, tuple[Record, ...]]]:
    if not steps:
        yield chance, records
        return
    (rows, places, empty_first), *rest = steps
    ways = placements(rows, len(places))
    if empty_first:
        fresh = [sum(row is not None and not records[p] for p, row in zip(places, way, strict=True)) for way in ways]
        ways = [way for way, new in zip(ways, fresh, strict=True) if new == max(fresh)]
    for way in ways:
        filled = list(records)
        for place, row in zip(places, way, strict=True):
            filled[place] |= row or frozenset()
        yield from _go_on(chance / len(ways), tuple(filled), rest)


def number_drawn(publication: Chunks) -> int:
    """Return how many ways there are at most, before any is made."""
    sizes = [(len(rows), cluster.n) for cluster in publication.clusters for rows in cluster.chunks]
    sizes += [(1, cluster.n) for cluster in publication.clusters for _ in cluster.terms]
    sizes += [
        (len(chunk.rows), sum(publication.clusters[c].n for c in falls_on(publication, chunk)))
        for chunk in publication.shared
    ]
    return prod(factorial(n) // factorial(n - size) for size, n in sizes)


def expected_counts(publication: Chunks, queries: Sequence[Collection[Item]]) -> list[Fraction]:
    """Return in how many records all items of each query are expected."""
    answers = [Fraction(0)] * len(queries)
    for chance, records in drawn(publication):
        for number, query in enumerate(queries):
            answers[number] += chance * sum(set(query) <= record for record in records)
    return answers


def items_of(publication: Chunks) -> Row:
    """Return all items."""
    chunks = chain(*(cluster.chunks for cluster in publication.clusters), (chunk.rows for chunk in publication.shared))
    return frozenset(chain(*chain(*chunks), *(cluster.terms for cluster in publication.clusters)))
