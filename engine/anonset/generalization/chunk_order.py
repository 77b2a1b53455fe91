"""Publication order of clusters and chunks. The order depends only on published content, so it discloses nothing more.

Clusters are sorted by content within groups of 4. These groups are sorted within groups of 16 clusters, and so on. The
clusters of a shared chunk therefore remain neighbours. Chunks are sorted by their sub-records.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import total_ordering
from itertools import pairwise
from typing import Any

import numpy as np

from anonset.data.array_types import Int64, UInt8
from anonset.data.distinct import first_of_runs
from anonset.data.spans import begins_of, gathered, spans
from anonset.generalization.recoding import GROUPED
from anonset.publications.chunk_columns import ChunkRows, ClusterColumns, SharedChunks

_END = bytes(4)
Group = tuple[list[Any], list[int], tuple[int, int]]
"""Sort keys of neighbouring clusters, the clusters in the order of these keys, and the first and last cluster."""


@total_ordering
class StoredText:
    """Bytes in a store, compared like `bytes`."""

    def __init__(self, text: UInt8) -> None:
        self._text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoredText) and np.array_equal(self._text, other._text)

    def __lt__(self, other: "StoredText") -> bool:
        shorter = min(len(self._text), len(other._text))
        for a, b in spans(shorter):
            mine, others = self._text[a:b].tobytes(), other._text[a:b].tobytes()
            if mine != others:
                return mine < others
        return len(self._text) < len(other._text)

    __hash__ = None  # type: ignore[assignment]


def in_order(
    clusters: ClusterColumns, shared: SharedChunks, widest: int
) -> tuple[Int64, ClusterColumns, SharedChunks, bytes]:
    """Sort neighbouring clusters and their shared chunks, in groups of up to `widest` clusters.

    Returns the old number of each cluster, the sorted clusters, the sorted shared chunks, and the sort key of the
    group.
    """
    chunk_texts, texts, own_chunks = contents_of(clusters.rows), list[bytes](), list[list[int]]()
    term_ends, chunk_ends = clusters.term_begins.tolist(), clusters.chunk_begins.tolist()
    for number, n in enumerate(clusters.n.tolist()):
        chunk_places = sorted(range(chunk_ends[number], chunk_ends[number + 1]), key=lambda place: chunk_texts[place])
        terms = clusters.terms[term_ends[number] : term_ends[number + 1]]
        head = np.concatenate([[n], terms + 1, [0]]).astype(">u4").tobytes()
        texts.append(b"".join([head, *(chunk_texts[place] for place in chunk_places), _END]))
        own_chunks.append(chunk_places)
    sorted_chunks, of_range = by_range(shared)
    groups: list[Group] = [([text], [number], (number, number)) for number, text in enumerate(texts)]
    key, order, _ = grouped(groups, of_range, widest, lambda text: text)
    chosen = np.array(order, np.int64)
    term_begins, places = gathered(clusters.term_begins[chosen], np.diff(clusters.term_begins)[chosen])
    in_content_order = ClusterColumns(
        clusters.n[chosen],
        term_begins,
        clusters.terms[places],
        begins_of(np.diff(clusters.chunk_begins)[chosen]),
        clusters.rows.take(np.array([chunk for number in order for chunk in own_chunks[number]], np.int64)),
    )
    return chosen, in_content_order, renumbered(shared, sorted_chunks, chosen), b"".join(key)


def contents_of(rows: ChunkRows) -> list[bytes]:
    """Return the content of each chunk as bytes that sort like its rows. No content is a prefix of another content."""
    lengths = np.diff(rows.indptr) + 2  # each item plus 1, then 0 and the count
    ends = begins_of(lengths)
    tokens = np.zeros(ends[-1], ">u4")
    token_places = np.arange(len(rows.items)) + 2 * np.repeat(np.arange(len(lengths)), lengths - 2)
    tokens[token_places] = rows.items + 1
    tokens[ends[1:] - 1] = rows.count
    text, bounds = tokens.tobytes(), (4 * ends[rows.begins]).tolist()
    return [text[a:b] + _END for a, b in pairwise(bounds)]


def by_range(shared: SharedChunks) -> tuple[Int64, dict[tuple[int, int], bytes]]:
    """Return the order of the shared chunks, and the concatenated content of the chunks of each range of clusters.

    The chunks are sorted by range of clusters, then by content.
    """
    texts, of_range = contents_of(shared.rows), dict[tuple[int, int], bytes]()
    order = np.lexsort((shared.last, shared.first))
    firsts, lasts = shared.first[order], shared.last[order]
    begins = np.flatnonzero(first_of_runs(firsts, lasts))
    sorted_chunks = list[int]()
    for first, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=False):
        chunks_of_range = sorted(order[first:end].tolist(), key=lambda chunk: texts[chunk])
        of_range[int(firsts[first]), int(lasts[first])] = b"".join(texts[chunk] for chunk in chunks_of_range)
        sorted_chunks += chunks_of_range
    return np.array(sorted_chunks, np.int64), of_range


def grouped(
    groups: Sequence[Group], of_range: Mapping[tuple[int, int], bytes], number: int, as_text: Callable[[bytes], Any]
) -> Group:
    """Merge neighbouring groups until the groups have `number` clusters. The groups are sorted at each step.

    Parameters
    ----------
    of_range
        Content of the shared chunks by the first and last cluster that share them.
    as_text
        Converts bytes into the text type of the groups.
    """
    size = 1
    while size < number:
        size *= GROUPED
        above = list[Group]()
        for first in range(0, len(groups), GROUPED):
            neighbours = groups[first : first + GROUPED]
            span = (neighbours[0][2][0], neighbours[-1][2][1])
            inside = sorted(neighbours, key=lambda group: group[0])
            chunks = of_range.get(span, b"") if len(neighbours) > 1 else b""
            key = [text for group in inside for text in group[0]]
            members = [member for group in inside for member in group[1]]
            above.append(([*key, as_text(_END + chunks + _END)], members, span))
        groups = above
    return groups[0] if groups else ([], [], (0, 0))


def renumbered(shared: SharedChunks, by_range: Int64, order: Int64) -> SharedChunks:
    """Renumber the clusters of shared chunks, and sort the chunks by the new numbers. Neighbours remain neighbours."""
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    first, last = shared.first[by_range], shared.last[by_range]
    ranges, of_range = np.unique(np.stack([first, last], axis=1), axis=0, return_inverse=True)
    new = np.array([number[a : b + 1].min() for a, b in ranges.tolist()], np.int64)[of_range.ravel()]
    new_last = new + (last - first)
    by_number = np.lexsort((new_last, new))
    return SharedChunks(new[by_number], new_last[by_number], shared.rows.take(by_range[by_number]))
