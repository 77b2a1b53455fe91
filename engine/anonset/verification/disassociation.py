"""Check of a disassociated publication from the published files only, independent of the algorithm.

Rules:

* A cluster has at least k records, and contains an item at most once.
* Every chunk is k^m-anonymous, and has at most as many sub-records as its clusters have records.
* Ranges of shared chunks are nested or disjoint. A shared chunk has at most as many sub-records as the clusters that
  may contain its sub-records have records.
* If a cluster has no terms, its chunks can give every record an item. A set of items of several chunks can occur in at
  least k records, or in none.
* A chunk with a sensitive item contains no other item. At most the share `cap` of its records have a sub-record in the
  chunk.
* A published total belongs to a term that is not sensitive.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from anonset.data import SetColumn, Vocabulary
from anonset.data import spans as limits
from anonset.data.array_types import Bools, Int64
from anonset.data.distinct import distinct
from anonset.data.spans import begins_of, gathered, spans, spans_up_to
from anonset.errors import data_list, foreign
from anonset.privacy import DisassociationModel, KmAnonymity, Verdict, Witness
from anonset.publications import Chunks
from anonset.publications.chunk_columns import ChunkRows, ClusterColumns, SharedChunks, items_of
from anonset.publications.chunks import ChunkWindow, ItemPlaces
from anonset.spelling import counted
from anonset.verification.counting import Resources
from anonset.verification.itemsets import check_km, sizes_covered, stopped_at, too_large

if TYPE_CHECKING:
    from anonset_kernels.verification.chunks import Ranges, ShownItems


@dataclass(frozen=True)
class Breach(Witness):
    """A violated rule of a disassociated publication, described by `detail`. `record` is the cluster."""

    def __format__(self, _: str) -> str:
        items = f"{{{data_list(self.what)}}}: " if self.what else ""
        return f"{items}{foreign(self.detail)}"


def check_disassociation(publication: Chunks, model: DisassociationModel, resources: Resources) -> Verdict:
    """Check a publication. The witness is the first violation in the order of the rules. The k^m-anonymity of chunks is
    checked last.

    Examples
    --------
    >>> from anonset.publications.chunk_columns import PublishedCluster
    >>> from anonset.verification.counting import Resources
    >>> chunk, items = (((0,), 2), ((0, 1), 1)), Vocabulary(("a", "b"))
    >>> publication = Chunks("items", items, (PublishedCluster(4, (), (chunk,)),), ())
    >>> print(check_disassociation(publication, DisassociationModel(1, 2), Resources(1000)))
    disassociation with k=1, m=2 holds
    >>> print(check_disassociation(publication, DisassociationModel(2, 2), Resources(1000)))
    disassociation with k=2, m=2 fails: cluster 0 has no terms, and its chunks cannot give every record an item
    """
    clusters, shared = publication.columns
    sizes = {"clusters": len(clusters), "chunks": len(clusters.rows), "shared_chunks": len(shared)}
    broken: dict[int, Breach] = {}
    for rule, breach in _breaches(publication, model):
        broken.setdefault(rule, breach)
    if broken:
        return Verdict(False, model, sizes, broken[min(broken)])
    counted = _check_sub_records(publication, model, resources)
    return Verdict(counted.holds, model, {**sizes, **counted.checked}, counted.witness)


_SMALL, _TWICE, _TOO_MANY, _CAP, _COVER, _RANGES, _SHARED_TWICE, _ROOM, _SHARED_CAP, _TOTAL = range(10)
_Broken = Iterator[tuple[int, Breach]]
"""Violations, each with the number of its rule."""


def _breaches(publication: Chunks, model: DisassociationModel) -> _Broken:
    """Yield the violations of all rules except k^m-anonymity of chunks, in blocks of clusters."""
    capped, totals = _CappedItems(publication, model), _Totals(publication)
    crossing = _crossing(publication)
    if crossing is not None:
        yield _RANGES, crossing
    n_places = np.zeros(len(publication.columns[1]), np.int64)
    for window in publication.windows():
        yield from _of_clusters(publication, window, model, capped)
        totals.add(window.clusters)
        if crossing is None:
            yield from _shown_twice(publication, window)
            n_places[window.number] += _free_places(publication, window)
    if crossing is None:
        yield from _of_shared(publication, n_places, capped)
    yield from totals.breaches(model.sensitive_items)


def _of_clusters(
    publication: Chunks, window: ChunkWindow, model: DisassociationModel, capped: "_CappedItems"
) -> _Broken:
    """Yield the violations inside clusters."""
    labels, clusters = publication.vocabulary.labels, window.clusters
    n, cluster, filled = clusters.n, clusters.cluster_of_chunk, clusters.rows.sizes
    for cluster_index in np.flatnonzero(n < model.k).tolist():
        number = cluster_index + window.first
        yield (
            _SMALL,
            Breach(
                (),
                int(n[cluster_index]),
                model.k,
                number,
                f"cluster {number} has {n[cluster_index]} records, at least {model.k} are required",
            ),
        )
    (chunk, item), width = clusters.rows.domains, max(1, len(labels))
    keys = np.sort(np.append(cluster[chunk] * width + item, clusters.cluster_of_term * width + clusters.terms))
    for key in keys[1:][keys[1:] == keys[:-1]].tolist():
        number = key // width + window.first
        yield _TWICE, Breach((labels[key % width],), 2, 1, number, f"cluster {number} contains this item twice")
    for chunk_index in np.flatnonzero(filled > n[cluster]).tolist():
        number, most = int(cluster[chunk_index]) + window.first, int(n[cluster[chunk_index]])
        detail = (
            f"a chunk of cluster {number} has {filled[chunk_index]} sub-records, but the cluster has {most} records"
        )
        yield _TOO_MANY, Breach((), int(filled[chunk_index]), most, number, detail)
    numbers = cluster + window.first
    for breach in capped.breaches(
        clusters.rows, n[cluster], numbers, lambda chunk_index: f"a chunk of cluster {numbers[chunk_index]}"
    ):
        yield _CAP, breach
    for cluster_index in np.flatnonzero(~_are_covered(clusters, model)).tolist():
        number = cluster_index + window.first
        detail = f"cluster {number} has no terms, and its chunks cannot give every record an item"
        yield _COVER, Breach((), int(n[cluster_index]), model.k, number, detail)


def _are_covered(clusters: ClusterColumns, model: DisassociationModel) -> Bools:
    """Return True for each cluster that has terms or is covered by its chunks, bool (clusters,).

    The chunks must be able to give every record an item. For each set of items of several chunks, either at least k
    records can contain the set, or no record can. A cluster without chunks contains only empty records and is safe.
    """
    chunks = np.diff(clusters.chunk_begins)
    done = begins_of(clusters.rows.sizes)[clusters.chunk_begins]
    more, sets = np.diff(done) - clusters.n, np.minimum(model.m, chunks)
    covered = (more == 0) | ((more > 0) & (sets == 1)) | ((more >= model.k * (sets - 1)) & (sets > 1))
    safe: Bools = covered | (chunks == 0) | (np.diff(clusters.term_begins) > 0) | (model.k == 1)
    return safe


class _Totals:
    """Record counts of terms, which are compared with the published totals."""

    def __init__(self, publication: Chunks) -> None:
        self._totals, self._labels = publication.totals or (), publication.vocabulary.labels
        self._clusters, self._places = np.zeros((2, len(self._labels)), np.int64)

    def add(self, clusters: ClusterColumns) -> None:
        """Count the clusters in which each item is a term, and the records of these clusters."""
        self._clusters += np.bincount(clusters.terms, minlength=len(self._labels))
        np.add.at(self._places, clusters.terms, clusters.n[clusters.cluster_of_term])

    def breaches(self, sensitive: Collection[str]) -> _Broken:
        """Yield published totals that are wrong or not allowed."""
        for item, total in self._totals:
            label, least, most = self._labels[item], int(self._clusters[item]), int(self._places[item])
            if not least:
                yield _TOTAL, Breach((label,), 0, 1, 0, "the item has a published total, but is not a term")
            elif label in sensitive:
                yield _TOTAL, Breach((label,), total, 0, 0, "the item has a published total, but is sensitive")
            elif not least <= total <= most:
                shown = f"the item is a term in {counted(least, 'cluster')} of {counted(most, 'record')}"
                detail = f"{shown}, so its published total must be from {least} to {most}, got {total}"
                yield _TOTAL, Breach((label,), total, least, 0, detail)


class _CappedItems:
    """Sensitive items of a publication, and the maximum share of records with a sensitive item."""

    def __init__(self, publication: Chunks, model: DisassociationModel) -> None:
        self._labels = publication.vocabulary.labels
        index = publication.vocabulary.index
        self._items = [index[label] for label in model.sensitive_items if label in index]
        self._share = model.share

    def breaches(self, rows: ChunkRows, places: Int64, cluster: Int64, name: Callable[[int], str]) -> Iterator[Breach]:
        """Yield sensitive items that share a chunk with other items, or exceed the cap."""
        (chunk, item), filled = rows.domains, rows.sizes
        in_chunk = np.bincount(chunk, minlength=len(rows))
        for pair in np.flatnonzero(np.isin(item, self._items)).tolist():
            number, label = int(chunk[pair]), self._labels[item[pair]]
            if in_chunk[number] > 1:
                detail = f"{name(number)} contains the sensitive item together with other items"
                yield Breach((label,), int(in_chunk[number]), 1, int(cluster[number]), detail)
            elif int(filled[number]) > self._share * int(places[number]):
                detail = (
                    f"{name(number)} contains the sensitive item in {filled[number]} of {places[number]} records; the "
                    f"cap allows a share of at most {self._share}"
                )
                yield Breach((label,), int(filled[number]), int(places[number]), int(cluster[number]), detail)


def _crossing(publication: Chunks) -> Breach | None:
    """Return the first range of a shared chunk that is invalid, or overlaps another range without being nested. None if
    all ranges are valid.
    """
    (clusters, shared), around, keys = publication.columns, list[int](), [np.empty(0, np.int64)]
    for a, b in spans(len(shared)):
        first, last = shared.first[a:b], shared.last[a:b]
        outside = (first < 0) | (first >= last) | (last >= len(clusters))
        for invalid in np.flatnonzero(outside).tolist():
            detail = f"a shared chunk has the clusters {first[invalid]} to {last[invalid]} of {len(clusters)}"
            return Breach((), 0, 1, int(first[invalid]), detail)
        keys.append(distinct((first + 1) * len(clusters) - last))  # sorts wide ranges first
    for key in distinct(np.concatenate(keys)).tolist():
        first_one, back = divmod(key - 1, len(clusters))
        begin, end = first_one, len(clusters) - back - 1
        while around and around[-1] < begin:
            around.pop()
        if around and around[-1] < end:
            return Breach(
                (),
                0,
                1,
                begin,
                f"the range {begin} to {end} of a shared chunk crosses the range of another shared chunk",
            )
        around.append(end)
    return None


def _shown_twice(publication: Chunks, window: ChunkWindow) -> _Broken:
    """Yield a violation for each item that occurs in two shared chunks of the same range."""
    labels, shared = publication.vocabulary.labels, window.shared
    chunk, item = shared.rows.domains
    order = np.lexsort((item, shared.last[chunk], shared.first[chunk]))
    first, last, item = shared.first[chunk[order]], shared.last[chunk[order]], item[order]
    same = (first[1:] == first[:-1]) & (last[1:] == last[:-1]) & (item[1:] == item[:-1])
    for i in np.flatnonzero(same).tolist():
        detail = f"two chunks of the clusters {first[i]} to {last[i]} show it"
        yield _SHARED_TWICE, Breach((labels[item[i]],), 2, 1, int(first[i]), detail)


def _free_places(publication: Chunks, window: ChunkWindow) -> Int64:
    """Return the number of records in a block of clusters that may have a sub-record of each shared chunk of the
    window, int64.
    """
    from anonset_kernels.verification.chunks import free_places

    return free_places(*shown_in(publication, window), begins_of(window.clusters.n), window.first)


def _of_shared(publication: Chunks, n_places: Int64, capped: "_CappedItems") -> _Broken:
    """Yield the violations of shared chunks. `n_places` is the number of records that may have a sub-record in each
    chunk.
    """
    labels, shared = publication.vocabulary.labels, publication.columns[1]
    for a, b in spans(len(shared)):
        part, places = shared.slice(a, b), n_places[a:b]
        filled = part.rows.sizes

        def name(chunk: int, part: SharedChunks = part) -> str:
            return f"a chunk that the clusters {part.first[chunk]} to {part.last[chunk]} share"

        for chunk in np.flatnonzero(filled > places).tolist():
            detail = (
                f"{name(chunk)} has {filled[chunk]} sub-records, but only {places[chunk]} records of these clusters "
                "may have one; the other clusters contain an item of the chunk in another chunk"
            )
            items = tuple(labels[code] for code in items_of(part.rows[chunk]))
            yield _ROOM, Breach(items, int(filled[chunk]), int(places[chunk]), int(part.first[chunk]), detail)
        for breach in capped.breaches(part.rows, places, part.first, name):
            yield _SHARED_CAP, breach


def shown_in(publication: Chunks, window: ChunkWindow) -> "tuple[ShownItems, Ranges]":
    """Return the positions of items, and the ranges of shared chunks, for the kernels of `chunks`."""
    from anonset_kernels.verification.chunks import Ranges, ShownItems

    shown = ItemPlaces(window.clusters, window.shared, len(publication.vocabulary), window.first)
    places = ShownItems(shown.cluster_begins, shown.cluster, shown.range_begins, shown.first, shown.last)
    return places, Ranges(shown.shared.first, shown.shared.last, shown.item_begins, shown.item)


def _check_sub_records(publication: Chunks, model: DisassociationModel, resources: Resources) -> Verdict:
    """Check that every chunk is k^m-anonymous, in blocks of chunks. The witness is the smallest rare set. Ties are
    resolved by position.

    Itemsets of different chunks are counted separately. The number of itemsets is therefore known in advance, and
    determines which sizes the budget allows to check.
    """
    longest, least, totals = _occurrences(publication, model.m)
    reach = sum(done <= resources.budget for done in accumulate(totals))
    counts: dict[str, Any] = dict.fromkeys(("rows", "distinct_rows", "symbols"), 0)
    distinct_sets = dict.fromkeys(range(1, reach + 1), 0)
    by_rows = reach < len(totals) and least >= model.k
    most, witness = 0 if by_rows else reach, None
    for first, rows, of_shared in _spans_of_rows(publication):
        column = _sub_records(rows)
        if most:
            part = check_km(column, KmAnonymity(model.k, most), Resources(sum(totals), resources.progress))
            for size, number in part.checked["distinct_itemsets"].items():
                distinct_sets[size] += number
            if part.witness is not None:
                witness = _witness(publication, (first, rows, of_shared), part.witness, counts["rows"])
                most = len(witness.what) - 1
        for name, number in zip(counts, (column.n, len(rows.count), len(rows.domains[0])), strict=True):
            counts[name] += number
    if by_rows:
        detail = f"{sizes_covered(model.m, model.m)}: every record occurs at least {model.k} times"
        return Verdict(True, model, {**counts, "covered": detail})
    counts["itemset_occurrences"] = dict(enumerate(totals[: reach + 1], 1))
    counts["distinct_itemsets"] = {
        size: distinct_sets[size] for size in distinct_sets if witness is None or size <= most
    }
    if witness is not None:
        return Verdict(False, model, {**counts, "covered": stopped_at(most + 1, model.m)}, witness)
    if reach < len(totals):
        return Verdict(
            None, model, {**counts, "covered": too_large(reach + 1, model.m, totals[reach], resources.budget)}
        )
    longer = f" (no part of a record has more than {counted(longest, 'item')})" if model.m > longest else ""
    return Verdict(True, model, {**counts, "covered": f"{sizes_covered(reach, model.m)}{longer}"})


def _occurrences(publication: Chunks, m: int) -> tuple[int, int, list[int]]:
    """Return the length of the longest sub-record, the smallest number of equal sub-records, and the number of itemset
    occurrences for each size up to `m`. Occurrences are counted in distinct sub-records.
    """
    n_of_length, least = Counter[int](), 0
    for part in publication.columns:
        for a, b in spans(len(part.rows.count)):
            lengths, numbers = np.unique(np.diff(part.rows.indptr[a : b + 1]), return_counts=True)
            n_of_length.update(dict(zip(lengths.tolist(), numbers.tolist(), strict=True)))
            rarest = int(part.rows.count[a:b].min())
            least = min(least or rarest, rarest)
    longest = max(n_of_length, default=0)
    sizes = range(1, min(m, longest) + 1)
    return longest, least, [sum(n * comb(length, size) for length, n in n_of_length.items()) for size in sizes]


def _spans_of_rows(publication: Chunks) -> Iterator[tuple[int, ChunkRows, bool]]:
    """Yield one or more blocks of chunk rows. For each block, yield the number of its first chunk, the rows, and True
    if its chunks are shared. All rows of a chunk are in the same block.
    """
    clusters, shared = publication.columns
    for rows, of_shared in ((clusters.rows, False), (shared.rows, True)):
        at_once = max(1, 2 * limits.AT_ONCE * len(rows.count) // max(1, rows.occurrences))
        for first, end in spans_up_to(rows.begins, at_once):
            yield first, rows.slice(first, end), of_shared
    if not len(clusters.rows) + len(shared.rows):
        yield 0, clusters.rows, False


def _sub_records(rows: ChunkRows) -> SetColumn:
    """Return all sub-records as one column. A symbol is a pair of chunk and item."""
    chunk, item = rows.domains
    width = int(rows.items.max(initial=0)) + 1
    key = np.repeat(rows.chunk, np.diff(rows.indptr)) * width + rows.items
    symbol = np.searchsorted(chunk * width + item, key).astype(np.int32)
    sub_record = np.repeat(np.arange(len(rows.count)), rows.count)
    indptr, places = gathered(rows.indptr[sub_record], np.diff(rows.indptr)[sub_record])
    return SetColumn("items", indptr, symbol[places], Vocabulary.numbered(len(chunk)))


def _witness(publication: Chunks, where: tuple[int, ChunkRows, bool], violation: Witness, before: int) -> Witness:
    """Convert the witness of a block of chunks to a witness of the publication. `before` is the number of earlier
    sub-records.
    """
    (first, rows, of_shared), labels = where, publication.vocabulary.labels
    chunk, item = rows.domains
    symbols = [int(label) - 1 for label in violation.what]
    name = named_chunk(publication, first + int(chunk[symbols[0]]), of_shared)[1]
    items = tuple(labels[item[symbol]] for symbol in symbols)
    return Witness(items, violation.support, violation.required, violation.record + before, f"sub-records of {name}")


def named_chunk(publication: Chunks, chunk: int, of_shared: bool) -> tuple[int, str]:
    """Return the first cluster of a chunk or shared chunk, and the name of the chunk in messages."""
    clusters, shared = publication.columns
    if of_shared:
        return int(shared.first[chunk]), f"shared chunk {chunk}"
    number = int(np.searchsorted(clusters.chunk_begins, chunk, side="right")) - 1
    return number, f"chunk {chunk - clusters.chunk_begins[number]} of cluster {number}"
