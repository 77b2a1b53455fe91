"""Naive enumeration of all reconstructions of a tiny disassociated publication, with their probabilities."""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations
from math import comb, factorial, prod

from reference.disassociation import Chunks, Item, Row, Rows, falls_on, placements

Record = frozenset[Item]


Step = tuple[Rows, list[int], bool, int]
"""Rows, their candidate records, whether empty records come first, and the number of further records for a term."""


def drawn(publication: Chunks) -> Iterator[tuple[Fraction, tuple[Record, ...]]]:
    """Yield each assignment of sub-records and terms to records, cluster by cluster, with its probability.

    Chunks of a cluster without terms fill as many empty records as possible. A term is assigned to one record in each
    of its clusters, then to further records until its total is reached.
    """
    first = [sum(cluster.n for cluster in publication.clusters[:c]) for c in range(len(publication.clusters) + 1)]
    steps: list[Step] = []
    places_of: dict[Item, list[int]] = {}
    for c, cluster in enumerate(publication.clusters):
        places = list(range(first[c], first[c + 1]))
        steps += [(rows, places, not cluster.terms, 0) for rows in cluster.chunks]
        for term in sorted(cluster.terms):
            steps.append(((frozenset([term]),), places, False, 0))
            places_of.setdefault(term, []).extend(places)
    for term, total in publication.totals or ():
        more = total - sum(term in cluster.terms for cluster in publication.clusters)
        if more:
            steps.append(((frozenset([term]),), places_of[term], False, more))
    for chunk in publication.shared:
        places = [place for c in falls_on(publication, chunk) for place in range(first[c], first[c + 1])]
        steps.append((chunk.rows, places, False, 0))
    yield from _extend(Fraction(1), (frozenset[Item](),) * first[-1], steps)


def _extend(
    chance: Fraction, records: tuple[Record, ...], steps: Sequence[Step]
) -> Iterator[tuple[Fraction, tuple[Record, ...]]]:
    if not steps:
        yield chance, records
        return
    ways = _ways(records, steps[0])
    for way in ways:
        filled = list(records)
        for place, row in way:
            filled[place] |= row or frozenset()
        yield from _extend(chance / len(ways), tuple(filled), steps[1:])


def _ways(records: Sequence[Record], step: Step) -> list[list[tuple[int, Row | None]]]:
    rows, places, empty_first, more = step
    if more:
        free = [place for place in places if not rows[0] <= records[place]]
        return [[(place, rows[0]) for place in chosen_places] for chosen_places in combinations(free, more)]
    ways = [list(zip(places, way, strict=True)) for way in placements(rows, len(places))]
    if empty_first:
        fresh = [sum(row is not None and not records[place] for place, row in way) for way in ways]
        ways = [way for way, new in zip(ways, fresh, strict=True) if new == max(fresh)]
    return ways


def number_drawn(publication: Chunks) -> int:
    """Return an upper bound of the number of assignments."""
    sizes = [(len(rows), cluster.n) for cluster in publication.clusters for rows in cluster.chunks]
    sizes += [(1, cluster.n) for cluster in publication.clusters for _ in cluster.terms]
    sizes += [
        (len(chunk.rows), sum(publication.clusters[c].n for c in falls_on(publication, chunk)))
        for chunk in publication.shared
    ]
    more = 1
    for term, total in publication.totals or ():
        own = [cluster.n for cluster in publication.clusters if term in cluster.terms]
        more *= comb(sum(own) - len(own), total - len(own))
    return more * prod(factorial(n) // factorial(n - size) for size, n in sizes)


def expected_counts(publication: Chunks, queries: Sequence[Collection[Item]]) -> list[Fraction]:
    """Return the expected number of records that contain all items of each query."""
    answers = [Fraction(0)] * len(queries)
    for chance, records in drawn(publication):
        for number, query in enumerate(queries):
            answers[number] += chance * sum(set(query) <= record for record in records)
    return answers


def items_of(publication: Chunks) -> Row:
    chunks = chain(*(cluster.chunks for cluster in publication.clusters), (chunk.rows for chunk in publication.shared))
    return frozenset(chain(*chain(*chunks), *(cluster.terms for cluster in publication.clusters)))
