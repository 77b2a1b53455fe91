"""Count or list the records that contain given code sets, in a single pass over the records."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Csr, Int32Array, Int32Matrix, Int64Array, UInt64Array, UInt64Matrix
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import first_at_least
from anonset_kernels.rare_sets._prefix import with_room
from anonset_kernels.rare_sets._record_codes import Ancestors, Record, room_for_record, take_record
from anonset_kernels.rare_sets._set_index import SetIndex


class RareSetCounts(NamedTuple):
    """Sets of an index that were counted in fewer than k records. These are the *wanted* sets."""

    pairs: UInt64Matrix
    """Bitmap of the second last codes of wanted sets, for each last code from the lowest on, uint64 (L, W)."""
    thirds: UInt64Matrix
    """Bitmap of the third last codes of wanted sets, for each pair of last codes, uint64 (P, W)."""
    triples_left: Int32Array
    """Number of wanted triples of each pair, int32 (P,)."""
    order: Int32Array
    """Sets of each triple, with the wanted sets first, int32 (T,)."""
    left: Int32Array
    """Number of wanted sets of each triple, int32 (Q,)."""
    met: Int32Array
    """Number of records that contain each set, up to k, int32 (T,)."""


@kernel(allocates=True)
def count_sets(rows: Csr, ancestors: Ancestors, k: int, index: SetIndex, counts: RareSetCounts) -> None:
    """Count the records that contain each set in ``counts.met``, up to `k`.

    Cost: a read per word of a record's bitmap, for each code of the record and for each pair of its codes that ends a
    wanted set.
    """
    indptr, items = rows
    size, record = index.sets.shape[1], room_for_record(len(index.begin) - 1)
    words, used = record.words, record.place
    for record_number in range(len(indptr) - 1):
        if indptr[record_number + 1] - indptr[record_number] < size:  # a set never contains two codes of the same item
            continue
        n, n_words = take_record(items[indptr[record_number] : indptr[record_number + 1]], ancestors, record)
        for j in range(size - 1, n):
            last = record.codes[j]
            if index.begin[last] == index.begin[last + 1]:
                continue
            row = counts.pairs[last - index.lowest]
            for w in range(n_words):
                if used[w] > last >> 6:
                    break
                common = words[used[w]] & row[used[w]]
                while common != 0:
                    low = common & (~common + np.uint64(1))
                    common ^= low
                    before = used[w] * 64 + trailing_zeros(low)
                    pair = first_at_least(index.partner, index.begin[last], index.begin[last + 1], before)
                    _count_pair(pair, record, w, k, index, counts)
                    if counts.triples_left[pair] == 0:
                        row[used[w]] ^= low
        for w in range(n_words):
            words[used[w]] = np.uint64(0)


@kernel()
def _count_pair(pair: int, record: Record, last_word: int, k: int, index: SetIndex, counts: RareSetCounts) -> None:
    """Count a record that contains a pair, for the wanted sets that end with the pair."""
    thirds = counts.thirds[pair]
    for w in record.place[: last_word + 1]:
        common = record.words[w] & thirds[w]
        while common != 0:
            low = common & (~common + np.uint64(1))
            common ^= low
            code = w * 64 + trailing_zeros(low)
            triple = first_at_least(index.third, index.first[pair], index.first[pair + 1], code)
            _count_triple(triple, record.words, k, index, counts)
            if counts.left[triple] == 0:
                thirds[w] ^= low
                counts.triples_left[pair] -= 1


@kernel()
def _count_triple(triple: int, words: UInt64Array, k: int, index: SetIndex, counts: RareSetCounts) -> None:
    """Count a record for the wanted sets that end with a triple.

    The bitmap `words` contains the codes of the record.
    """
    place = index.bounds[triple]
    end = place + counts.left[triple]
    while place < end:
        t = counts.order[place]
        if _holds_others(words, index.sets, t):
            counts.met[t] += 1
            if counts.met[t] == k:
                end -= 1
                counts.order[place], counts.order[end] = counts.order[end], t
                counts.left[triple] -= 1
                continue
        place += 1


@kernel()
def _holds_others(words: UInt64Array, sets: Int32Matrix, t: int) -> bool:
    """Return True if a record contains all codes of a set except the last three.

    The bitmap `words` contains the codes of the record.
    """
    for j in range(sets.shape[1] - 3):
        code = sets[t, j]
        if words[code >> 6] & bit(code & 63) == 0:
            return False
    return True


@kernel(allocates=True)
def holders(
    rows: Csr, chosen: UInt64Array, first: int, ancestors: Ancestors, index: SetIndex, pairs: UInt64Matrix
) -> tuple[Int32Array, Int64Array]:
    """Return the sets of an index that each chosen record contains, record by record.

    Parameters
    ----------
    chosen
        uint64 ((n + 63) // 64,): bitmap of the records to process.
    first
        Number of the first record.
    pairs
        uint64 (L, W): for each last code, from the lowest on, a bitmap of the second last codes of sets.

    Returns
    -------
    int32 (F,) and int64 (F,)
        Sets, as positions in the index, and record numbers.

    Cost: a read per word of a record's bitmap for each of its codes, and the sets of each pair of codes that ends a
    set. Use this for sets that occur in few records.
    """
    indptr, items = rows
    size, record = index.sets.shape[1], room_for_record(len(index.begin) - 1)
    words, used = record.words, record.place
    sets, records, n_found = np.empty(1024, np.int32), np.empty(1024, np.int64), 0
    for record_number in range(len(indptr) - 1):
        if (
            chosen[record_number >> 6] & bit(record_number & 63) == 0
            or indptr[record_number + 1] - indptr[record_number] < size
        ):
            continue
        n, n_words = take_record(items[indptr[record_number] : indptr[record_number + 1]], ancestors, record)
        for j in range(size - 1, n):
            last = record.codes[j]
            if index.begin[last] == index.begin[last + 1]:
                continue
            row = pairs[last - index.lowest]
            for w in range(n_words):
                if used[w] > last >> 6:
                    break
                common = words[used[w]] & row[used[w]]
                while common != 0:
                    before = used[w] * 64 + trailing_zeros(common)
                    common &= common - np.uint64(1)
                    pair = first_at_least(index.partner, index.begin[last], index.begin[last + 1], before)
                    for triple in range(index.first[pair], index.first[pair + 1]):
                        third = index.third[triple]
                        if words[third >> 6] & bit(third & 63) == 0:
                            continue
                        for t in range(index.bounds[triple], index.bounds[triple + 1]):
                            if _holds_others(words, index.sets, t):
                                sets = with_room(sets, n_found, n_found + 1)
                                records = with_room(records, n_found, n_found + 1)
                                sets[n_found], records[n_found] = t, first + record_number
                                n_found += 1
        for w in range(n_words):
            words[used[w]] = np.uint64(0)
    return sets[:n_found], records[:n_found]
