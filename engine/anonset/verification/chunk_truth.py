"""Truthfulness of a disassociated publication: its chunks are what the records of its clusters hold, and all of it."""

from collections import Counter

import numpy as np

from anonset.data import Table
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization.chunks import ChunkPublication, Items, Rows, Shown, items_of
from anonset.privacy.model import Witness
from anonset.verification.disassociation import Breach

_TERM, _NOWHERE = -1, -2


def check_chunks_true(table: Table, publication: ChunkPublication) -> Witness | None:
    """Return the first cluster or chunk that is not true of the original table, or None.

    The clusters must part all records. In a cluster, every occurrence of a published item must be in its chunk, in the
    chunk that it shares, or among its terms; every chunk must hold the parts of the records that it cuts out, as often,
    and every term must occur.

    Raises
    ------
    InputError
        If nothing says which record is in which cluster, or the original has no set-valued column.
    """
    column, record, cluster = table.transactions, publication.record, publication.cluster
    if record is None or cluster is None:
        msg = (
            "a disassociated publication is compared with its original by the cluster of each record: the private "
            "directory says it, or the file that --records names"
        )
        raise InputError(msg)
    if column is None:
        msg = "the original must have a set-valued column, got none"
        raise InputError(msg)
    if (breach := _untrue_clusters(table.n, publication, record, cluster)) is not None:
        return breach
    cluster_of = np.empty(table.n, np.int64)
    cluster_of[record] = cluster
    index = publication.vocabulary.index
    code = np.array([index.get(label, _NOWHERE) for label in column.vocabulary.labels], np.int64)
    item = code[column.items] if len(code) else np.empty(0, np.int64)
    rows = np.repeat(np.arange(table.n), column.lengths)[item >= 0]
    item = item[item >= 0]
    place = _places(publication, cluster_of[rows], item)
    if (unplaced := np.flatnonzero(place == _NOWHERE)).size:
        where = int(cluster_of[rows[unplaced[0]]])
        label = publication.vocabulary.labels[item[unplaced[0]]]
        return Breach((label,), 0, 1, where, f"cluster {where} shows it nowhere, and a record of it holds it")
    return _untrue_terms(publication, cluster_of[rows], item, place) or _untrue_chunks(publication, rows, item, place)


def _untrue_clusters(n: int, publication: ChunkPublication, record: Int64, cluster: Int32) -> Breach | None:
    if not (len(record) == len(cluster) == n and np.array_equal(np.sort(record), np.arange(n))):
        return Breach((), len(record), n, 0, f"the clusters do not part the {n} records of the original")
    stated = [own.n for own in publication.clusters]
    if n and not 0 <= int(cluster.min()) <= int(cluster.max()) < len(stated):
        return Breach((), 0, 1, 0, "records are in a cluster that is not published")
    held = np.bincount(cluster, minlength=len(stated)).tolist()
    different = (number for number, (have, say) in enumerate(zip(held, stated, strict=True)) if have != say)
    if (number := next(different, None)) is not None:
        return Breach((), held[number], stated[number], number, f"cluster {number} has {held[number]} records")
    return None


def _places(publication: ChunkPublication, cluster: Int64, item: Int64) -> Int64:
    """Return where each occurrence must be: the number of a chunk, -1 for a term, -2 where nothing shows it.

    Chunks are numbered cluster by cluster, the shared ones behind. An occurrence that no cluster shows by itself is in
    the smallest shared chunk around, if that may fall on its cluster.
    """
    width, chunks = max(1, len(publication.vocabulary)), 0
    place_of: dict[int, int] = {}
    for number, own in enumerate(publication.clusters):
        place_of |= {number * width + term: _TERM for term in own.terms}
        for rows in own.chunks:
            place_of |= {number * width + one: chunks for one in items_of(rows)}
            chunks += 1
    keys, inverse = np.unique(cluster * width + item, return_inverse=True)
    place = np.array([place_of.get(key, _NOWHERE) for key in keys.tolist()], np.int64)
    in_cluster, of_item = np.divmod(keys, width)
    shown = Shown(publication)
    by_range: dict[tuple[int, int], dict[int, int]] = {}
    for number, chunk in enumerate(publication.shared):
        by_range.setdefault((chunk.first, chunk.last), {}).update(dict.fromkeys(chunk.items, number))
    for (first, last), chunk_of in sorted(by_range.items(), key=lambda entry: entry[0][1] - entry[0][0]):
        inside = slice(int(np.searchsorted(in_cluster, first)), int(np.searchsorted(in_cluster, last, side="right")))
        left = inside.start + np.flatnonzero(place[inside] == _NOWHERE)
        wanted = [chunk_of.get(one, -1) for one in of_item[left].tolist()]
        falls = {number: shown.falls_on(number) for number in set(wanted) - {-1}}
        for key, number in zip(left.tolist(), wanted, strict=True):
            if number >= 0 and falls[number][in_cluster[key] - first]:
                place[key] = chunks + number
    return place[inverse] if len(keys) else np.empty(0, np.int64)


def _untrue_terms(publication: ChunkPublication, cluster: Int64, item: Int64, place: Int64) -> Breach | None:
    terms = place == _TERM
    held = set(zip(cluster[terms].tolist(), item[terms].tolist(), strict=True))
    for number, own in enumerate(publication.clusters):
        for term in own.terms:
            if (number, term) not in held:
                label = publication.vocabulary.labels[term]
                return Breach((label,), 0, 1, number, f"it is a term of cluster {number}, and no record of it holds it")
    occurrences = Counter(item[terms].tolist())
    for term, total in publication.totals or ():
        if occurrences[term] != total:
            label = publication.vocabulary.labels[term]
            detail = f"{occurrences[term]} records hold it where it is a term, not {total}"
            return Breach((label,), occurrences[term], total, 0, detail)
    return None


def _untrue_chunks(publication: ChunkPublication, record: Int64, item: Int64, place: Int64) -> Breach | None:
    """Compare each chunk with the parts of records that it cuts out, as multisets."""
    in_chunks = np.flatnonzero(place >= 0)
    in_chunks = in_chunks[np.lexsort((item[in_chunks], record[in_chunks], place[in_chunks]))]
    cut: dict[int, Counter[Items]] = {}
    before, row = (-1, -1), list[int]()
    for where, one, which in zip(*(part[in_chunks].tolist() for part in (place, record, item)), strict=True):
        if (where, one) != before and row:
            cut.setdefault(before[0], Counter())[tuple(row)] += 1
            row = []
        before = (where, one)
        row.append(which)
    if row:
        cut.setdefault(before[0], Counter())[tuple(row)] += 1
    stated: list[tuple[int, str, Rows]] = []
    for number, own in enumerate(publication.clusters):
        stated += [(number, f"chunk {chunk} of cluster {number}", rows) for chunk, rows in enumerate(own.chunks)]
    stated += [(own.first, f"shared chunk {chunk}", own.rows) for chunk, own in enumerate(publication.shared)]
    for where, (number, name, rows) in enumerate(stated):
        if cut.get(where, Counter()) != Counter(dict(rows)):
            return Breach((), 0, 1, number, f"{name} differs from what its records hold")
    return None
