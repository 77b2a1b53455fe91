"""Naive implementation of disassociation, and enumeration of all possible worlds of a tiny publication."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any

Item = str
Row = frozenset[Item]
Rows = tuple[Row, ...]


@dataclass(frozen=True)
class Shared:
    """Shared chunk with the range of its clusters and the sub-records."""

    first: int
    last: int
    rows: Rows


@dataclass(frozen=True)
class Cluster:
    """Published cluster with record count, term items, and the sub-records of each chunk."""

    n: int
    terms: Row
    chunks: tuple[Rows, ...]


@dataclass(frozen=True)
class Chunks:
    clusters: tuple[Cluster, ...]
    shared: tuple[Shared, ...] = ()
    totals: tuple[tuple[Item, int], ...] | None = None


def domain(rows: Rows) -> Row:
    """Return the items of some rows."""
    return frozenset(chain.from_iterable(rows))


def in_order(rows: Iterable[Row]) -> Rows:
    """Return the non-empty rows in the order of their sorted items."""
    return tuple(sorted(filter(None, rows), key=sorted))


def is_km(rows: Collection[Row], k: int, m: int) -> bool:
    """Return True if every set of at most m items occurs in k rows or in none."""
    return all(sum(part <= row for row in rows) >= k for row in rows for part in parts(row, m))


def parts(items: Collection[Item], most: int) -> Iterator[Row]:
    """Yield the sets of 1 to `most` items."""
    sizes = range(1, min(most, len(items)) + 1)
    return (frozenset(part) for size in sizes for part in combinations(sorted(items), size))


def items_of(publication: Chunks) -> Row:
    clusters = (row for cluster in publication.clusters for row in (cluster.terms, *map(domain, cluster.chunks)))
    return frozenset(chain(*clusters, *(domain(chunk.rows) for chunk in publication.shared)))


def covers(cluster: Cluster, k: int, m: int) -> bool:
    """Return True if a cluster needs no term items (rule 4): its chunks cover it, with k possible matches."""
    if k < 2 or not cluster.chunks:
        return k < 2 or not cluster.terms
    spare = sum(map(len, cluster.chunks)) - cluster.n
    sets = min(m, len(cluster.chunks))
    return spare >= 0 and (sets == 1 or spare == 0 or spare >= k * (sets - 1))


def falls_on(publication: Chunks, chunk: Shared) -> list[int]:
    """Return the clusters in a shared chunk's range that have none of its items in an inner chunk or term."""
    items = domain(chunk.rows)
    free = []
    for c in range(chunk.first, chunk.last + 1):
        cluster = publication.clusters[c]
        inner = [domain(rows) for rows in cluster.chunks] + [cluster.terms]
        inner += [
            domain(other.rows)
            for other in publication.shared
            if other.first <= c <= other.last and other.last - other.first < chunk.last - chunk.first
        ]
        if not any(items & shown for shown in inner):
            free.append(c)
    return free


# -- the algorithm ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """Parameters of a disassociation."""

    k: int
    m: int
    size: int = 60
    secrets: Row = frozenset()
    cap: Fraction = Fraction(1, 2)
    counts: bool = False
    clustering: str = "gray"


def disassociate(records: Sequence[Collection[Item]], asked: Asked) -> tuple[Chunks, list[int]]:
    """Return a publication, and the cluster of each record."""
    k = asked.k
    support = Counter(chain.from_iterable(map(set, records)))
    rows = [frozenset(item for item in record if support[item] >= k) for record in records]
    size = max(asked.size, 2 * k)
    order = gray_order(rows, support)
    groups = pieces(order, size) if asked.clustering == "gray" else horpart(order, rows, k, size, frozenset())
    state = [_with_chunks([rows[i] for i in group], asked) for group in groups]
    terms = [set(cluster.terms) for cluster in state]
    shared = _refined([[rows[i] for i in group] for group in groups], state, terms, asked)
    clusters = [
        replace(cluster, terms=frozenset(cluster_terms)) for cluster, cluster_terms in zip(state, terms, strict=True)
    ]
    order = _sorted_clusters(clusters, shared)
    new = {old: number for number, old in enumerate(order)}
    placed = []
    for chunk in shared:
        spots = [new[c] for c in range(chunk.first, chunk.last + 1)]
        placed.append(Shared(min(spots), max(spots), chunk.rows))
    cluster_of = [0] * len(rows)
    for number, group in enumerate(groups):
        for i in group:
            cluster_of[i] = new[number]
    placed.sort(key=lambda chunk: (chunk.first, chunk.last, _key(chunk.rows)))
    totals = None
    if asked.counts:
        groups_with = {item: [c for c in range(len(groups)) if item in terms[c]] for item in set().union(*terms)}
        totals = tuple(
            (item, sum(item in rows[i] for c in groups_with[item] for i in groups[c]))
            for item in sorted(groups_with.keys() - asked.secrets)
        )
    return Chunks(tuple(clusters[c] for c in order), tuple(placed), totals), cluster_of


def gray_order(rows: Sequence[Row], support: Counter[Item]) -> list[int]:
    """Return the records in the order of the reflected Gray code of their bits."""
    bits = sorted(support, key=lambda item: (-support[item], item))

    def rank(i: int) -> list[int]:
        ones = [item in rows[i] for item in bits]
        return [sum(ones[: j + 1]) % 2 for j in range(len(ones))]

    return sorted(range(len(rows)), key=lambda i: (rank(i), i))


def pieces(order: Sequence[int], size: int) -> list[list[int]]:
    """Split records into pieces of a size. The last pieces share the remainder evenly."""
    complete, rest = divmod(len(order), size)
    ends = [size * (j + 1) for j in range(complete)]
    if rest:
        last = size * (complete - 1) if complete else 0
        ends = ends[: max(0, complete - 1)] + ([last + (size + rest) // 2] if complete else []) + [len(order)]
    return [list(order[a:b]) for a, b in zip([0, *ends], ends, strict=False)]


def horpart(records: Sequence[int], rows: Sequence[Row], k: int, size: int, used: Row) -> list[list[int]]:
    """Split records by their most frequent unused item, as in the paper. Skip an item if either part has 1 to k - 1
    records.
    """
    if len(records) <= size:
        return [list(records)] if records else []
    support = Counter(chain.from_iterable(rows[i] - used for i in records))
    for item in sorted(support, key=lambda item: (-support[item], item)):
        used |= {item}
        if k <= support[item] <= len(records) - k:
            having = [i for i in records if item in rows[i]]
            lacking = [i for i in records if item not in rows[i]]
            return horpart(having, rows, k, size, used) + horpart(lacking, rows, k, size, used)
    return pieces(records, size)


def _with_chunks(rows: Sequence[Row], asked: Asked) -> Cluster:
    """Divide the items of a cluster into chunks and terms."""
    k, m = asked.k, asked.m
    support = Counter(chain.from_iterable(rows))
    terms = {item for item in support if support[item] < k}
    terms |= {item for item in support.keys() & asked.secrets if support[item] > asked.cap * len(rows)}
    frequent = sorted(support.keys() - terms, key=lambda item: (-support[item], item))
    domains: list[set[Item]] = []
    for item in frequent:
        for known in domains:
            if not asked.secrets & {*known, item} and is_km([row & {*known, item} for row in rows], k, m):
                known.add(item)
                break
        else:
            domains.append({item})
    made = _cluster(rows, terms, domains)
    if not terms and frequent and not covers(made, k, m):
        last = frequent[-1]
        return _cluster(rows, {last}, [known - {last} for known in domains])
    return made


def _cluster(rows: Sequence[Row], terms: Collection[Item], domains: Iterable[set[Item]]) -> Cluster:
    chunks = (in_order(row & known for row in rows) for known in domains)
    return Cluster(len(rows), frozenset(terms), tuple(sorted(filter(None, chunks), key=_key)))


def _key(rows: Rows) -> list[tuple[list[Item], int]]:
    return sorted((sorted(row), count) for row, count in Counter(rows).items())


def _refined(
    records: Sequence[Sequence[Row]], state: Sequence[Cluster], terms: list[set[Item]], asked: Asked
) -> list[Shared]:
    """Move terms into chunks shared by groups of 4, 16, 64, ... clusters."""
    shown = [set(chain.from_iterable(map(domain, cluster.chunks))) for cluster in state]
    may_empty = [bool(cluster.chunks) and covers(cluster, asked.k, asked.m) for cluster in state]
    shared: list[Shared] = []
    width = 1
    while width < len(state):
        width *= 4
        for first in range(0, len(state), width):
            group = range(first, min(first + width, len(state)))
            if len(group) > width // 4:  # otherwise it equals a group of the level below
                shared += _shared_by(group, records, terms, shown, may_empty, asked)
    return shared


def _shared_by(
    group: range,
    records: Sequence[Sequence[Row]],
    terms: list[set[Item]],
    shown: list[set[Item]],
    may_empty: Sequence[bool],
    asked: Asked,
) -> list[Shared]:
    def support(item: Item, clusters: Iterable[int]) -> int:
        return sum(item in row for c in clusters for row in records[c])

    k = asked.k
    sources = {item: [c for c in group if item in terms[c] - shown[c]] for item in chain(*(terms[c] for c in group))}
    candidates = [
        (-support(item, clusters), item, clusters)
        for item, clusters in sources.items()
        if len(clusters) >= 2 and support(item, clusters) >= k
    ]
    domains: list[dict[Item, list[int]]] = []
    alone: list[dict[Item, list[int]]] = []
    for _, item, clusters in sorted(candidates):
        leaving = [c for c in clusters if may_empty[c] or len(terms[c]) > 1]
        if support(item, leaving) < k:
            continue
        if item in asked.secrets and support(item, leaving) > asked.cap * sum(len(records[c]) for c in leaving):
            continue
        elsewhere = any(item in terms[c] | shown[c] for c in group if c not in leaving) or item in asked.secrets
        target = None if elsewhere else _first_fit(group, records, domains, item, leaving, asked)
        if elsewhere:
            alone.append({item: leaving})
        elif target is None:
            domains.append({item: leaving})
        else:
            target[item] = leaving
        for c in leaving:
            terms[c].discard(item)
    for known in [*domains, *alone]:
        for c in group:
            shown[c] |= known.keys()
    return [Shared(group[0], group[-1], in_order(_parted(group, records, known))) for known in [*domains, *alone]]


def _first_fit(
    group: range,
    records: Sequence[Sequence[Row]],
    domains: list[dict[Item, list[int]]],
    item: Item,
    leaving: list[int],
    asked: Asked,
) -> dict[Item, list[int]] | None:
    for known in domains:
        if is_km(_parted(group, records, {**known, item: leaving}), asked.k, asked.m):
            return known
    return None


def _parted(group: range, records: Sequence[Sequence[Row]], known: dict[Item, list[int]]) -> list[Row]:
    """Return the part of each record of a group that moves to a shared chunk."""
    return [frozenset(item for item in row if c in known.get(item, ())) for c in group for row in records[c]]


def _sorted_clusters(clusters: Sequence[Cluster], shared: Sequence[Shared]) -> list[int]:
    """Sort clusters by their published contents within each group of 4, these groups within each group of 16, and so
    on.
    """
    nodes: list[tuple[Any, list[int]]] = [
        ((c.n, sorted(c.terms), list(map(_key, c.chunks))), [number]) for number, c in enumerate(clusters)
    ]
    while len(nodes) > 1:
        above: list[tuple[Any, list[int]]] = []
        for first in range(0, len(nodes), 4):
            group = sorted(nodes[first : first + 4], key=lambda node: node[0])
            members = [c for _, members in group for c in members]
            span = (min(members), max(members))
            chunks = sorted(_key(chunk.rows) for chunk in shared if (chunk.first, chunk.last) == span)
            above.append((([key for key, _ in group], chunks if len(group) > 1 else []), members))
        nodes = above
    return nodes[0][1] if nodes else []


# -- all possible worlds -----------------------------------------------------------------------------------------------


Source = tuple[Rows | None, list[int], list[tuple[Row | None, ...]]]


def placements(rows: Rows, places: int) -> list[tuple[Row | None, ...]]:
    """Return the distinct ways to assign rows to places, at most a row per place."""
    if len(rows) > places:
        return []
    result: list[tuple[Row | None, ...]] = []

    def put(left: Counter[Row | None], so_far: tuple[Row | None, ...]) -> None:
        if len(so_far) == places:
            result.append(so_far)
            return
        for row in [row for row, count in left.items() if count]:
            put(left - Counter([row]), (*so_far, row))

    put(Counter([*rows, *[None] * (places - len(rows))]), ())
    return result


def sources_of(publication: Chunks, *, anywhere: bool = False) -> list[Source]:
    """Return the rows of each source (None for a term item), its places, and the possible assignments.

    A shared chunk may fall on any cluster in its range (`anywhere`, as in the paper), or only on clusters without its
    items.
    """
    first = [sum(cluster.n for cluster in publication.clusters[:c]) for c in range(len(publication.clusters) + 1)]
    sources: list[Source] = []
    for c, cluster in enumerate(publication.clusters):
        places = list(range(first[c], first[c + 1]))
        sources += [(rows, places, placements(rows, len(places))) for rows in cluster.chunks]
        for item in sorted(cluster.terms):
            ways: list[tuple[Row | None, ...]] = list(product((None, frozenset([item])), repeat=len(places)))
            sources.append((None, places, ways[1:]))
    for chunk in publication.shared:
        clusters = range(chunk.first, chunk.last + 1) if anywhere else falls_on(publication, chunk)
        places = [place for c in clusters for place in range(first[c], first[c + 1])]
        sources.append((chunk.rows, places, placements(chunk.rows, len(places))))
    return sources


def number_of_worlds(publication: Chunks) -> int:
    """Count the worlds, including worlds with empty records."""
    number = 1
    for _, _, ways in sources_of(publication):
        number *= len(ways)
    return number


def worlds(publication: Chunks, *, empty: bool, anywhere: bool = False) -> Iterator[list[list[Row | None]]]:
    """Yield each world as the sources' rows by place. Worlds with empty records are omitted unless `empty`.

    No record has an item from two sources.
    """
    n = sum(cluster.n for cluster in publication.clusters)
    sources = sources_of(publication, anywhere=anywhere)
    for chosen in product(*(ways for _, _, ways in sources)):
        world: list[list[Row | None]] = [[None] * len(sources) for _ in range(n)]
        for number, ((_, places, _), way) in enumerate(zip(sources, chosen, strict=True)):
            for place, row in zip(places, way, strict=True):
                world[place][number] = row
        if anywhere and any(_has_twice(record) for record in world):
            continue
        if any(_total(sources, world, item) != total for item, total in publication.totals or ()):
            continue
        if empty or all(any(record) for record in world):
            yield world


def _total(sources: Sequence[Source], world: Sequence[Sequence[Row | None]], item: Item) -> int:
    """Count the places with a term item."""
    terms = [number for number, (rows, _, _) in enumerate(sources) if rows is None]
    return sum(record[number] == frozenset([item]) for record in world for number in terms)


def _has_twice(record: Sequence[Row | None]) -> bool:
    items = Counter(chain.from_iterable(filter(None, record)))
    return max(items.values(), default=0) > 1


def surest_link(publication: Chunks, m: int, *, empty: bool, anywhere: bool = False) -> Fraction:
    """Return the largest probability of linking a sub-record of a chunk to a person (guarantee B).

    All worlds are equally likely. An attacker knows at most m items of the person.
    """
    sources = sources_of(publication)
    items = items_of(publication)
    possible = [
        [(frozenset(chain.from_iterable(filter(None, record))), _in_chunks(sources, record)) for record in world]
        for world in worlds(publication, empty=empty, anywhere=anywhere)
    ]
    surest = Fraction(0)
    for known in [frozenset[Item](), *parts(items, m)]:
        shown: dict[tuple[int, Row], Counter[int]] = defaultdict(Counter)  # occurrences by number of matching records
        matching, matched = 0, 0
        for world in possible:
            matches = [rows for complete, rows in world if known <= complete]
            matching += len(matches)
            matched += bool(matches)
            for source_and_row in chain.from_iterable(matches):
                shown[source_and_row][len(matches)] += 1
        for (number, row), counts in shown.items():
            alike = (sources[number][0] or ()).count(row)
            by_world = sum(Fraction(count, n_matches) for n_matches, count in counts.items())
            surest = max(surest, Fraction(counts.total(), matching * alike), by_world / (matched * alike))
    return surest


def _in_chunks(sources: Sequence[Source], record: Sequence[Row | None]) -> list[tuple[int, Row]]:
    """Return the record's part in each chunk, as (source number, row)."""
    return [(number, row) for number, row in enumerate(record) if row and sources[number][0] is not None]


def some_world_shows_k(publication: Chunks, k: int, m: int) -> bool:
    """Return True if k records of some world contain each itemset of at most m items that any world contains (guarantee
    A).

    No record of a world is empty.
    """
    most: Counter[Row] = Counter()
    any_world = False
    for world in worlds(publication, empty=False):
        any_world = True
        records = [frozenset(chain.from_iterable(filter(None, record))) for record in world]
        for known, count in Counter(part for record in records for part in parts(record, m)).items():
            most[known] = max(most[known], count)
    return any_world and all(count >= k for count in most.values())


def surest_conclusion(publication: Chunks, secret: Item, m: int, *, empty: bool) -> Fraction:
    """Return the largest probability that a person has a secret item, given other items of the person.

    All worlds are equally likely. At most m items are known.
    """
    possible = [
        [frozenset(chain.from_iterable(filter(None, record))) for record in world]
        for world in worlds(publication, empty=empty)
    ]
    surest = Fraction(0)
    for known in [frozenset[Item](), *parts(items_of(publication) - {secret}, m)]:
        matches = [record for world in possible for record in world if known <= record]
        if matches:
            surest = max(surest, Fraction(sum(secret in record for record in matches), len(matches)))
    return surest


def is_capped(rows: Rows, places: int, secrets: Row, cap: Fraction) -> bool:
    """Return True if a chunk contains only secret items, in at most a given share of its places."""
    return not secrets & domain(rows) or (len(domain(rows)) == 1 and len(rows) <= cap * places)


def holds(publication: Chunks, k: int, m: int, secrets: Row = frozenset(), cap: Fraction = Fraction(1, 2)) -> bool:
    """Return True if a publication satisfies every rule."""
    for cluster in publication.clusters:
        places = [cluster.terms, *map(domain, cluster.chunks)]
        if cluster.n < k or not (cluster.terms or covers(cluster, k, m)):
            return False
        if any(first & other for first, other in combinations(places, 2)):
            return False
        if not all(len(rows) <= cluster.n and is_km(rows, k, m) for rows in cluster.chunks):
            return False
        if not all(is_capped(rows, cluster.n, secrets, cap) for rows in cluster.chunks):
            return False
    ranges = [set(range(chunk.first, chunk.last + 1)) for chunk in publication.shared]
    if any(len(range_pair) < 2 or not range_pair <= set(range(len(publication.clusters))) for range_pair in ranges):
        return False
    if any(first & other not in (set(), first, other) for first, other in combinations(ranges, 2)):
        return False
    for chunk in publication.shared:
        room = sum(publication.clusters[c].n for c in falls_on(publication, chunk))
        if len(chunk.rows) > room or not is_km(chunk.rows, k, m) or not is_capped(chunk.rows, room, secrets, cap):
            return False
    for item, total in publication.totals or ():
        sizes = [cluster.n for cluster in publication.clusters if item in cluster.terms]
        if not sizes or item in secrets or not len(sizes) <= total <= sum(sizes):
            return False
    return not any(
        (first.first, first.last) == (other.first, other.last) and domain(first.rows) & domain(other.rows)
        for first, other in combinations(publication.shared, 2)
    )
