"""Exact answers to COUNT queries from original records, and expected answers from published symbols.

A published symbol of s items is a set of s items or a node with s leaves. A symbol is interpreted in one of the
following ways, independently of the other symbols of the record:

* ``one-member``: the record contains exactly one item of the symbol, each with probability 1/s. Two items of a symbol
  never occur together.
* ``subsets``: the record contains a non-empty subset of the items. All 2^s - 1 subsets are equally likely (Loukides et
  al. 2010, section 6.1).
* ``subsets-apart``: like `subsets`, but the items of a symbol are treated as independent, as in the formula of the
  paper.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import expm1, fsum, ldexp, log, prod
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.array_types import Float64, Int32
from anonset.errors import InputError, datum, require_known
from anonset.publications import Records
from anonset.queries.workload import Query
from anonset.spelling import setting
from anonset.support import SupportIndex

Reading = Literal["one-member", "subsets", "subsets-apart"]
"""Interpretation of a published symbol of several items."""
READINGS: tuple[Reading, ...] = get_args(Reading)
ONE_MEMBER: Reading = "one-member"
"""Default interpretation of a published symbol in all measures."""

_LN2 = log(2)
_MOST_COMBINATIONS = 64


def presence_probability(size: int, n_items: int, reading: Reading) -> float:
    """Return the probability that a record with a symbol of `size` items contains `n_items` given items of the symbol.

    >>> [presence_probability(2, 1, reading) for reading in READINGS]
    [0.5, 0.6666666666666666, 0.6666666666666666]
    >>> [presence_probability(2, 2, reading) for reading in READINGS]
    [0.0, 0.3333333333333333, 0.4444444444444444]
    """
    if size == 1:
        return 1.0
    if reading == "one-member":
        return 1.0 / size if n_items == 1 else 0.0
    if reading == "subsets-apart":
        return presence_probability(size, 1, "subsets") ** n_items
    return ldexp(1.0, -n_items) / -expm1(-size * _LN2)


def require_reading(reading: str) -> Reading:
    """Return `reading` if it is a valid interpretation.

    Raises
    ------
    InputError
        If the interpretation is unknown. The message lists the valid names.
    """
    return cast("Reading", require_known(setting("reading"), reading, READINGS))


class TrueCounts:
    """Exact answers to queries from the original records."""

    def __init__(self, column: SetColumn) -> None:
        self.index = SupportIndex(column)

    def records(self, query: Query) -> NDArray[np.uint32]:
        """Return the records that contain all items of a query.

        Raises
        ------
        InputError
            If an item is unknown.
        """
        return self.index.records(self._codes(query))

    def count(self, query: Query) -> int:
        """Return the number of records that contain all items of a query.

        Raises
        ------
        InputError
            If an item is unknown.
        """
        return self.index.support(self._codes(query))

    def _codes(self, query: Query) -> list[int]:
        vocabulary = self.index.column.vocabulary
        if unknown := [item for item in query.items if item not in vocabulary.index]:
            raise InputError(f"query: item {datum(unknown[0])} does not occur in the data ({len(vocabulary)} items)")
        return [vocabulary.index[item] for item in query.items]


class ExpectedCounts:
    """Expected answers to queries from published records.

    A global recoding publishes an item as the same symbol in all records. A local recoding may publish an item as
    different symbols in different clusters. Within a record, at most one symbol covers an item.

    Cost of a count: one intersection of sets of records per combination of symbols that cover the items. If there are
    more than 64 combinations: the number of records with a symbol that covers an item of the query, plus O(n q^2) for q
    items.

    Parameters
    ----------
    publication
        The published records, with their codebook.
    reading
        Interpretation of a published symbol of several items.

    Raises
    ------
    InputError
        If the publication has no set-valued column, or the interpretation is unknown.

    Examples
    --------
    >>> from anonset.data import Table
    >>> from anonset.generalization import ItemGroups, apply
    >>> table = Table.from_sets([{"a", "b"}, {"a"}, {"c"}])
    >>> groups = ItemGroups(table.transactions.vocabulary, np.array([0, 0, 1], np.int32))
    >>> ExpectedCounts(apply(table, groups)).count(Query(("a",)))
    1.0
    >>> ExpectedCounts(apply(table, groups)).probabilities(("a",)).tolist()
    [0.5, 0.5, 0.0]
    >>> ExpectedCounts(apply(table, groups), reading="subsets").count(Query(("a",)))
    1.3333333333333333
    """

    def __init__(self, publication: Records, *, reading: Reading = ONE_MEMBER) -> None:
        if publication.transactions is None:
            raise InputError("queries need a set-valued column; the publication has none")
        self.index, self.reading = SupportIndex(publication.transactions), require_reading(reading)
        self.sizes = [len(symbol.members) for symbol in publication.symbols]
        self._symbols_of: dict[str, list[int]] = {}
        self._presence: dict[int, Float64] = {}
        for code in np.flatnonzero(publication.transactions.occurrences).tolist():
            for item in publication.symbols[code].members:
                self._symbols_of.setdefault(item, []).append(code)

    def count(self, query: Query) -> float:
        """Return the expected number of records that contain all items of a query.

        Conditions on columns are ignored.
        """
        symbols = [self._symbols_of.get(item, []) for item in query.items]
        if prod(map(len, symbols)) > _MOST_COMBINATIONS:
            probability = self.probabilities(query.items)
            return fsum(probability[probability > 0].tolist())
        # in a record, one symbol covers an item, so a record matches at most one combination of symbols
        return fsum(self.index.support(set(chosen)) * self._probability(chosen) for chosen in product(*symbols))

    def probabilities(self, items: Sequence[str]) -> Float64:
        """Return the probability that each record contains all items, float64 (n,). The items must be distinct."""
        symbol = [self._symbol_of(item) for item in items]
        contains = np.ones(self.index.n, np.bool_)
        for mine in symbol:
            contains &= mine >= 0
        rows = np.flatnonzero(contains)
        symbol = [mine[rows] for mine in symbol]
        chance = np.ones(len(rows))
        for j, mine in enumerate(symbol):
            alike = [other == mine for other in symbol]
            count = np.sum(alike, axis=0)
            first = ~np.any(alike[:j], axis=0) if j else np.ones(len(mine), np.bool_)
            for n_items in range(1, len(items) + 1):
                complete = first & (count == n_items)
                chance[complete] *= self._present(n_items)[mine[complete]]
        probability = np.zeros(self.index.n)
        probability[rows] = chance
        return probability

    def _symbol_of(self, item: str) -> Int32:
        """Return the symbol that covers an item in each record, int32 (n,). -1 if no symbol covers the item."""
        symbol = np.full(self.index.n, -1, np.int32)
        for code in self._symbols_of.get(item, []):
            symbol[self.index.records([code])] = code
        return symbol

    def _probability(self, chosen: Sequence[int]) -> float:
        """Return the probability that a record contains all items, from the symbol that covers each item."""
        return prod(float(self._present(n_items)[code]) for code, n_items in Counter(chosen).items())

    def _present(self, n_items: int) -> Float64:
        """Return the probability that a record with a symbol contains `n_items` given items of the symbol, float64
        (S,).
        """
        if n_items not in self._presence:
            present = [presence_probability(size, n_items, self.reading) for size in self.sizes]
            self._presence[n_items] = np.array(present or [0.0])
        return self._presence[n_items]
