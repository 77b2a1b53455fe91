"""Checking a disassociated publication from what is published alone, rule by rule; it shares nothing with the search.

What is checked: a cluster has at least k records, and shows an item at one place; every chunk is k^m-anonymous and has
no more sub-records than places; the ranges of shared chunks are nested or apart, and their sub-records have room on the
clusters that show none of their items at an inner place; a cluster without terms is covered by its own chunks, with
room for k matches of every set of items of several chunks, or for none; a sensitive item has chunks of its own, which
fill at most the share `cap` of their places; a total is of a term, and of no sensitive item.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonset.data import SetColumn, Vocabulary
from anonset.errors import foreign
from anonset.generalization.chunks import ChunkPublication, Rows, Shown, items_of
from anonset.privacy import DisassociationModel, KmAnonymity, Verdict, Witness
from anonset.verification.counting import Progress
from anonset.verification.itemsets import check_km


@dataclass(frozen=True)
class Breach(Witness):
    """A rule of a disassociated publication that is broken, in its detail; `record` is the cluster."""

    def __format__(self, _: str) -> str:
        items = f"{{{foreign(', '.join(self.what))}}}: " if self.what else ""
        return f"{items}{foreign(self.detail)}"


def check_disassociation(
    publication: ChunkPublication, model: DisassociationModel, budget: int, progress: Progress | None
) -> Verdict:
    """Check a publication; the witness is the first breach in the order of the rules above, then the first rare set.

    Examples
    --------
    >>> from anonset.generalization.chunks import Cluster
    >>> chunk, items = (((0,), 2), ((0, 1), 1)), Vocabulary(("a", "b"))
    >>> publication = ChunkPublication("items", items, (Cluster(4, (), (chunk,)),), ())
    >>> print(check_disassociation(publication, DisassociationModel(1, 2), 1000, None))
    disassociation with k=1, m=2 holds
    >>> print(check_disassociation(publication, DisassociationModel(2, 2), 1000, None))
    disassociation with k=2, m=2 fails: cluster 0 has no terms, and its chunks do not cover its records safely
    """
    chunks = sum(len(cluster.chunks) for cluster in publication.clusters)
    sizes = {"clusters": len(publication.clusters), "chunks": chunks, "shared_chunks": len(publication.shared)}
    breach = next(_breaches(publication, model), None)
    if breach is not None:
        return Verdict(False, model, sizes, breach)
    places, column = _sub_records(publication)
    counted = check_km(column, KmAnonymity(model.k, model.m), budget, progress)
    witness = None
    if counted.witness is not None:
        symbols = [int(label) - 1 for label in counted.witness.what]
        labels = tuple(publication.vocabulary.labels[places[symbol][1]] for symbol in symbols)
        where = places[symbols[0]][0]
        witness = Witness(labels, counted.witness.support, model.k, counted.witness.record, f"sub-records of {where}")
    return Verdict(counted.holds, model, {**sizes, **counted.checked}, witness)


def _breaches(publication: ChunkPublication, model: DisassociationModel) -> Iterator[Breach]:
    """Yield what is wrong beside sets of items that are too rare."""
    labels, capped = publication.vocabulary.labels, _Capped(publication, model)
    for number, cluster in enumerate(publication.clusters):
        if cluster.n < model.k:
            yield Breach((), cluster.n, model.k, number, f"cluster {number} has {cluster.n} records of {model.k}")
        seen: set[int] = set()
        for items in (cluster.terms, *map(items_of, cluster.chunks)):
            if twice := seen.intersection(items):
                yield Breach((labels[min(twice)],), 2, 1, number, f"cluster {number} shows it at two places")
            seen.update(items)
        for rows in cluster.chunks:
            if (filled := _size(rows)) > cluster.n:
                detail = f"a chunk of cluster {number} has {filled} sub-records on {cluster.n} places"
                yield Breach((), filled, cluster.n, number, detail)
            yield from capped.breaches(rows, cluster.n, number, f"a chunk of cluster {number}")
        if not cluster.terms and not _is_covered([*map(_size, cluster.chunks)], cluster.n, model):
            detail = f"cluster {number} has no terms, and its chunks do not cover its records safely"
            yield Breach((), cluster.n, model.k, number, detail)
    yield from _of_shared(publication, capped)
    if publication.totals is not None:
        yield from _of_totals(publication, model.sensitive_items)


def _of_totals(publication: ChunkPublication, sensitive: Collection[str]) -> Iterator[Breach]:
    """Yield what is wrong with the totals of terms."""
    labels, clusters, places = publication.vocabulary.labels, Counter[int](), Counter[int]()
    for cluster in publication.clusters:
        clusters.update(cluster.terms)
        places.update(dict.fromkeys(cluster.terms, cluster.n))
    for item, total in publication.totals or ():
        least = clusters[item]
        if not least:
            yield Breach((labels[item],), 0, 1, 0, "a total is published of it, and it is no term")
        elif labels[item] in sensitive:
            yield Breach((labels[item],), total, 0, 0, "a total is published of it, and it is sensitive")
        elif not least <= total <= places[item]:
            several = f"a term of {least} clusters"
            detail = f"the total of {several} must be from {least} to {places[item]}, got {total}"
            yield Breach((labels[item],), total, least, 0, detail)


class _Capped:
    """The sensitive items of a publication, and how many places of a chunk they may fill."""

    def __init__(self, publication: ChunkPublication, model: DisassociationModel) -> None:
        self._labels = publication.vocabulary.labels
        index = publication.vocabulary.index
        self._items = {index[label] for label in model.sensitive_items if label in index}
        self._share = model.share

    def breaches(self, rows: Rows, places: int, number: int, where: str) -> Iterator[Breach]:
        """Yield the sensitive items of a chunk that stand beside others there, or on too many places."""
        items = items_of(rows)
        for item in sorted(self._items.intersection(items)):
            if len(items) > 1:
                yield Breach((self._labels[item],), len(items), 1, number, f"{where} shows it beside other items")
            elif (filled := _size(rows)) > self._share * places:
                detail = f"{where} shows it on {filled} of {places} places, above the cap"
                yield Breach((self._labels[item],), filled, places, number, detail)


def _of_shared(publication: ChunkPublication, capped: _Capped) -> Iterator[Breach]:
    """Yield what is wrong with the chunks that clusters share."""
    labels, last = publication.vocabulary.labels, len(publication.clusters) - 1
    around: list[int] = []
    for a, b in sorted({(chunk.first, -chunk.last) for chunk in publication.shared}):
        if not 0 <= a < -b <= last:
            yield Breach((), 0, 1, a, f"a shared chunk has the clusters {a} to {-b} of {last + 1}")
            return
        while around and around[-1] < a:
            around.pop()
        if around and around[-1] < -b:
            yield Breach((), 0, 1, a, f"the range {a} to {-b} of a shared chunk crosses that of another one")
            return
        around.append(-b)
    seen: set[tuple[int, int, int]] = set()
    for chunk in publication.shared:
        own = {(chunk.first, chunk.last, item) for item in chunk.items}
        if twice := seen & own:
            detail = f"two chunks of the clusters {chunk.first} to {chunk.last} show it"
            yield Breach((labels[min(twice)[2]],), 2, 1, chunk.first, detail)
        seen |= own
    sizes = np.array([cluster.n for cluster in publication.clusters], np.int64)
    shown = Shown(publication)
    for number, chunk in enumerate(publication.shared):
        room = int(sizes[chunk.first : chunk.last + 1][shown.falls_on(number)].sum())
        if (filled := _size(chunk.rows)) > room:
            where = f"the clusters {chunk.first} to {chunk.last} share"
            detail = f"a chunk that {where} has {filled} sub-records on {room} places that show none of its items"
            yield Breach(tuple(labels[item] for item in chunk.items), filled, room, chunk.first, detail)
        where = f"a chunk that the clusters {chunk.first} to {chunk.last} share"
        yield from capped.breaches(chunk.rows, room, chunk.first, where)


def _size(rows: Rows) -> int:
    return sum(count for _, count in rows)


def _is_covered(filled: list[int], n: int, model: DisassociationModel) -> bool:
    """Tell whether chunks alone cover a cluster, with room for k matches of sets over several chunks, or for none.

    A cluster without chunks, too, is one of empty records alone.
    """
    if model.k == 1 or not filled:
        return True
    more = sum(filled) - n
    chunks = min(model.m, len(filled))
    return more == 0 or (more > 0 and chunks == 1) or more >= model.k * (chunks - 1) > 0


def _sub_records(publication: ChunkPublication) -> tuple[list[tuple[str, int]], SetColumn]:
    """Return all sub-records as one column, in which each chunk has symbols of its own: its name and an item each."""
    named: list[tuple[str, Rows]] = []
    for number, cluster in enumerate(publication.clusters):
        named += [(f"chunk {place} of cluster {number}", rows) for place, rows in enumerate(cluster.chunks)]
    named += [(f"shared chunk {place}", chunk.rows) for place, chunk in enumerate(publication.shared)]
    symbols: list[tuple[str, int]] = []
    lengths: list[int] = []
    codes: list[int] = []
    for name, rows in named:
        items = items_of(rows)
        code = {item: len(symbols) + place for place, item in enumerate(items)}
        symbols += [(name, item) for item in items]
        for row, count in rows:
            lengths += [len(row)] * count
            codes += [code[item] for item in row] * count
    indptr: Any = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return symbols, SetColumn("items", indptr, np.array(codes, np.int32), Vocabulary.numbered(len(symbols)))
