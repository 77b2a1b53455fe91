"""Checking a disassociated publication from what is published alone, rule by rule; it shares nothing with the search.

What is checked: a cluster has at least k records, and shows an item at one place; every chunk is k^m-anonymous and has
no more sub-records than places; the ranges of shared chunks are nested or apart, and their sub-records have room on the
clusters that show none of their items at an inner place; a cluster without terms is covered by its own chunks, with
room for k matches of every set of items of several chunks, or for none; a sensitive item has chunks of its own, which
fill at most the share `cap` of their places; a total is of a term, and of no sensitive item.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn, Vocabulary
from anonset.data.table import Int32, Int64
from anonset.errors import foreign
from anonset.generalization.chunk_columns import ChunkRows, Clusters, begins_of, gathered
from anonset.generalization.chunks import ChunkPublication, Shown
from anonset.privacy import DisassociationModel, KmAnonymity, Verdict, Witness
from anonset.verification.counting import Progress
from anonset.verification.itemsets import check_km

if TYPE_CHECKING:
    from anonset_kernels.chunk_check import Ranges, ShownItems


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
    clusters, shared = publication.columns
    sizes = {"clusters": len(clusters), "chunks": len(clusters.rows), "shared_chunks": len(shared)}
    breach = next(_breaches(publication, model), None)
    if breach is not None:
        return Verdict(False, model, sizes, breach)
    column = _sub_records([clusters.rows, shared.rows])
    counted = check_km(column, KmAnonymity(model.k, model.m), budget, progress)
    witness = None
    if counted.witness is not None:
        where, labels = _named(publication, [int(label) - 1 for label in counted.witness.what])
        witness = Witness(labels, counted.witness.support, model.k, counted.witness.record, f"sub-records of {where}")
    return Verdict(counted.holds, model, {**sizes, **counted.checked}, witness)


def _breaches(publication: ChunkPublication, model: DisassociationModel) -> Iterator[Breach]:
    """Yield what is wrong beside sets of items that are too rare."""
    labels, clusters = publication.vocabulary.labels, publication.columns[0]
    n, cluster, filled = clusters.n, clusters.cluster_of_chunk, clusters.rows.sizes
    for number in np.flatnonzero(n < model.k).tolist():
        yield Breach((), int(n[number]), model.k, number, f"cluster {number} has {n[number]} records of {model.k}")
    (chunk, item), width = clusters.rows.domains, max(1, len(labels))
    keys = np.sort(np.append(cluster[chunk] * width + item, clusters.cluster_of_term * width + clusters.terms))
    for key in keys[1:][keys[1:] == keys[:-1]].tolist():
        number = key // width
        yield Breach((labels[key % width],), 2, 1, number, f"cluster {number} shows it at two places")
    for one in np.flatnonzero(filled > n[cluster]).tolist():
        number = int(cluster[one])
        detail = f"a chunk of cluster {number} has {filled[one]} sub-records on {n[number]} places"
        yield Breach((), int(filled[one]), int(n[number]), number, detail)
    capped = _Capped(publication, model)
    yield from capped.breaches(clusters.rows, n[cluster], cluster, lambda one: f"a chunk of cluster {cluster[one]}")
    for number in np.flatnonzero(~_are_covered(clusters, model)).tolist():
        detail = f"cluster {number} has no terms, and its chunks do not cover its records safely"
        yield Breach((), int(n[number]), model.k, number, detail)
    yield from _of_shared(publication, capped)
    yield from _of_totals(publication, model.sensitive_items)


def _are_covered(clusters: Clusters, model: DisassociationModel) -> NDArray[np.bool_]:
    """Tell of each cluster, bool (clusters,), whether it has terms, or is covered by its chunks.

    These must have room for k matches of sets over several of them, or for none. A cluster without chunks, too, is one
    of empty records alone.
    """
    chunks = np.diff(clusters.chunk_begins)
    done = begins_of(clusters.rows.sizes)[clusters.chunk_begins]
    more, sets = np.diff(done) - clusters.n, np.minimum(model.m, chunks)
    covered = (more == 0) | ((more > 0) & (sets == 1)) | ((more >= model.k * (sets - 1)) & (sets > 1))
    safe: NDArray[np.bool_] = covered | (chunks == 0) | (np.diff(clusters.term_begins) > 0) | (model.k == 1)
    return safe


def _of_totals(publication: ChunkPublication, sensitive: Collection[str]) -> Iterator[Breach]:
    """Yield what is wrong with the totals of terms."""
    labels, clusters = publication.vocabulary.labels, publication.columns[0]
    places_of = np.zeros(len(labels), np.int64)
    np.add.at(places_of, clusters.terms, clusters.n[clusters.cluster_of_term])
    clusters_of = np.bincount(clusters.terms, minlength=len(labels))
    for item, total in publication.totals or ():
        least, most = int(clusters_of[item]), int(places_of[item])
        if not least:
            yield Breach((labels[item],), 0, 1, 0, "a total is published of it, and it is no term")
        elif labels[item] in sensitive:
            yield Breach((labels[item],), total, 0, 0, "a total is published of it, and it is sensitive")
        elif not least <= total <= most:
            detail = f"the total of a term of {least} clusters must be from {least} to {most}, got {total}"
            yield Breach((labels[item],), total, least, 0, detail)


class _Capped:
    """The sensitive items of a publication, and how many places of a chunk they may fill."""

    def __init__(self, publication: ChunkPublication, model: DisassociationModel) -> None:
        self._labels = publication.vocabulary.labels
        index = publication.vocabulary.index
        self._items = [index[label] for label in model.sensitive_items if label in index]
        self._share = model.share

    def breaches(self, rows: ChunkRows, places: Int64, cluster: Int64, name: Callable[[int], str]) -> Iterator[Breach]:
        """Yield the sensitive items of chunks that stand beside others there, or on too many places."""
        (chunk, item), filled = rows.domains, rows.sizes
        in_chunk = np.bincount(chunk, minlength=len(rows))
        for pair in np.flatnonzero(np.isin(item, self._items)).tolist():
            one, label = int(chunk[pair]), self._labels[item[pair]]
            if in_chunk[one] > 1:
                detail = f"{name(one)} shows it beside other items"
                yield Breach((label,), int(in_chunk[one]), 1, int(cluster[one]), detail)
            elif int(filled[one]) > self._share * int(places[one]):
                detail = f"{name(one)} shows it on {filled[one]} of {places[one]} places, above the cap"
                yield Breach((label,), int(filled[one]), int(places[one]), int(cluster[one]), detail)


def _of_shared(publication: ChunkPublication, capped: _Capped) -> Iterator[Breach]:
    """Yield what is wrong with the chunks that clusters share."""
    labels, (clusters, shared) = publication.vocabulary.labels, publication.columns
    if breach := _crossing(
        sorted(set(zip(shared.first.tolist(), (-shared.last).tolist(), strict=True))), len(clusters)
    ):
        yield breach
        return
    (chunk, item), filled = shared.rows.domains, shared.rows.sizes
    order = np.lexsort((item, shared.last[chunk], shared.first[chunk]))
    first, last, shown_item = shared.first[chunk[order]], shared.last[chunk[order]], item[order]
    same = (first[1:] == first[:-1]) & (last[1:] == last[:-1]) & (shown_item[1:] == shown_item[:-1])
    for at in np.flatnonzero(same).tolist():
        detail = f"two chunks of the clusters {first[at]} to {last[at]} show it"
        yield Breach((labels[shown_item[at]],), 2, 1, int(first[at]), detail)
    from anonset_kernels.chunk_check import free_places

    room = free_places(*shown_in(publication), begins_of(clusters.n))
    names = [f"the clusters {a} to {b} share" for a, b in zip(shared.first.tolist(), shared.last.tolist(), strict=True)]
    for one in np.flatnonzero(filled > room).tolist():
        detail = (
            f"a chunk that {names[one]} has {filled[one]} sub-records on {room[one]} places that show none of its items"
        )
        items = tuple(labels[code] for code in item[chunk == one].tolist())
        yield Breach(items, int(filled[one]), int(room[one]), int(shared.first[one]), detail)
    yield from capped.breaches(shared.rows, room, shared.first, lambda one: f"a chunk that {names[one]}")


def _crossing(ranges: list[tuple[int, int]], n_clusters: int) -> Breach | None:
    """Return a range, (first, -last) ascending, that is none of clusters, or neither inside nor outside of another."""
    around: list[int] = []
    for a, b in ranges:
        if not 0 <= a < -b < n_clusters:
            return Breach((), 0, 1, a, f"a shared chunk has the clusters {a} to {-b} of {n_clusters}")
        while around and around[-1] < a:
            around.pop()
        if around and around[-1] < -b:
            return Breach((), 0, 1, a, f"the range {a} to {-b} of a shared chunk crosses that of another one")
        around.append(-b)
    return None


def shown_in(publication: ChunkPublication) -> "tuple[ShownItems, Ranges]":
    """Return where items are shown, and the shared chunks, for the kernels of `chunk_check`."""
    from anonset_kernels.chunk_check import Ranges, ShownItems

    shown = Shown(publication)
    places = ShownItems(shown.cluster_begins, shown.cluster, shown.range_begins, shown.first, shown.last)
    return places, Ranges(shown.shared.first, shown.shared.last, shown.item_begins, shown.item)


def _named(publication: ChunkPublication, symbols: list[int]) -> tuple[str, tuple[str, ...]]:
    """Return the name of the chunk of some symbols of `_sub_records`, and the labels of their items."""
    (clusters, shared), labels = publication.columns, publication.vocabulary.labels
    chunk, item = clusters.rows.domains
    own = len(item)
    if symbols[0] >= own:
        chunk, item = shared.rows.domains
        return f"shared chunk {chunk[symbols[0] - own]}", tuple(labels[item[symbol - own]] for symbol in symbols)
    one = int(chunk[symbols[0]])
    number = int(clusters.cluster_of_chunk[one])
    name = f"chunk {one - clusters.chunk_begins[number]} of cluster {number}"
    return name, tuple(labels[item[symbol]] for symbol in symbols)


def _sub_records(parts: list[ChunkRows]) -> SetColumn:
    """Return all sub-records as one column, in which each chunk has symbols of its own: the pairs of its domain."""
    lengths, codes, n_symbols = list[Int64](), list[Int32](), 0
    for rows in parts:
        chunk, item = rows.domains
        width = int(rows.items.max(initial=0)) + 1
        wanted = np.repeat(rows.chunk, np.diff(rows.indptr)) * width + rows.items
        symbol = (np.searchsorted(chunk * width + item, wanted) + n_symbols).astype(np.int32)
        each = np.repeat(np.arange(len(rows.count)), rows.count)
        lengths.append(np.diff(rows.indptr)[each])
        codes.append(symbol[gathered(rows.indptr, each)])
        n_symbols += len(chunk)
    return SetColumn("items", begins_of(np.concatenate(lengths)), np.concatenate(codes), Vocabulary.numbered(n_symbols))
