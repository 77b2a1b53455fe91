"""Chunks that stay k^m-anonymous: each item goes into the first one that it fits."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from anonset.data.redacted_repr import Discreet

Posting = dict[int, list[int]]
"""The records that hold each item."""
Known = tuple[int, ...]
"""Items of a record that are in one chunk, fewer than m."""


@dataclass(frozen=True)
class Fitted(Discreet):
    """A cluster of records, its items parted."""

    chunks: list[list[int]]
    """The items of each chunk."""
    terms: Posting
    """The other items, each with the records that hold it, numbered over all clusters."""
    must_keep_one: bool
    """Whether a term must stay, since the chunks alone would say too much (`needs_term`)."""
    n: int
    """Number of its records."""


@dataclass(frozen=True)
class Capped(Discreet):
    """Items that have chunks of their own, in which at most a share of the records stand."""

    items: frozenset[int] = frozenset()
    share: Fraction = Fraction(1)

    def allows(self, item: int, records: int, n: int) -> bool:
        """Tell whether a chunk may show an item in so many of n records.

        >>> capped = Capped(frozenset([7]), Fraction(1, 2))
        >>> capped.allows(7, 3, 6), capped.allows(7, 4, 6), capped.allows(1, 6, 6)
        (True, False, True)
        """
        return item not in self.items or records <= self.share * n


def first_fit(postings: Iterable[tuple[int, list[int]]], k: int, m: int) -> list[list[int]]:
    """Put each item into the first chunk that stays k^m-anonymous with it, or into a new one.

    Cost: for each occurrence, the sets of fewer than m items that its record has in chunks before.

    >>> first_fit([(0, [0, 1, 2, 3]), (1, [0, 1, 2]), (2, [1, 3])], k=2, m=2)
    [[0, 1], [2]]

    Parameters
    ----------
    postings
        The items, each with the records that hold it, at least k of them, in the order in which they are put.
    """
    chunks: list[list[int]] = []
    chunk_of: dict[int, int] = {}
    known: dict[int, list[Known]] = {}
    for item, records in postings:
        together = Counter(chain.from_iterable(known.get(record, ()) for record in records))
        unfit = {chunk_of[items[0]] for items, count in together.items() if count < k}
        chunk = next((number for number in range(len(chunks)) if number not in unfit), len(chunks))
        if chunk == len(chunks):
            chunks.append([])
        chunks[chunk].append(item)
        chunk_of[item] = chunk
        if m > 1:
            for record in records:
                before = known.setdefault(record, [])
                own = [items for items in before if chunk_of[items[0]] == chunk and len(items) < m - 1]
                before += [(item,), *((*items, item) for items in own)]
    return chunks


def needs_term(n: int, covered: list[int], k: int, m: int) -> bool:
    """Tell whether a cluster must have a term beside its chunks.

    Without terms the chunks cover all records. Sets of items of several chunks then need room to stand in k records, or
    none to stand in any. Exact for a cluster by itself.

    >>> needs_term(4, [3, 3], k=2, m=2), needs_term(4, [2, 2], k=2, m=2), needs_term(4, [3, 2], k=2, m=2)
    (False, False, True)

    Parameters
    ----------
    covered
        Non-empty sub-records of each chunk.
    """
    if k == 1:
        return False
    spare, several = sum(covered) - n, min(m, len(covered)) - 1
    return not covered or spare < 0 or (several > 0 and 0 < spare < k * several)
