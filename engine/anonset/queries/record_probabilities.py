"""Probability that a published record contains the items of a query, computed for all records in one pass."""

from collections.abc import Sequence

import numpy as np

from anonset.data.quasi_identifiers import Float64
from anonset.data.table import Int32
from anonset.errors import InputError
from anonset.publications import Records
from anonset.queries.estimate import ONE_MEMBER, Reading, presence_probability, require_reading
from anonset.support import SupportIndex


class RecordProbabilities:
    """Probability of each record as in `ExpectedCounts`. This class is faster for publications in which many symbols
    cover an item.

    Cost: number of records with a symbol that covers an item of the query, plus O(n q^2) for q items.

    Parameters
    ----------
    publication
        The published records, with their codebook.
    reading
        See `ExpectedCounts`.

    Raises
    ------
    InputError
        If the publication has no set-valued column, or the reading is unknown.

    Examples
    --------
    >>> from anonset.data import Table
    >>> from anonset.generalization import ItemGroups, apply
    >>> table = Table.from_sets([{"a", "b"}, {"a"}, {"c"}])
    >>> groups = ItemGroups(table.transactions.vocabulary, np.array([0, 0, 1], np.int32))
    >>> RecordProbabilities(apply(table, groups)).of(("a",)).round(3).tolist()
    [0.5, 0.5, 0.0]
    """

    def __init__(self, publication: Records, *, reading: Reading = ONE_MEMBER) -> None:
        if publication.transactions is None:
            msg = "queries need a set-valued column; the publication has none"
            raise InputError(msg)
        self.index, self.reading = SupportIndex(publication.transactions), require_reading(reading)
        self.sizes = [len(symbol.members) for symbol in publication.symbols]
        self._symbols_of: dict[str, list[int]] = {}
        self._presence: dict[int, Float64] = {}
        for code in np.flatnonzero(publication.transactions.occurrences).tolist():
            for item in publication.symbols[code].members:
                self._symbols_of.setdefault(item, []).append(code)

    def of(self, items: Sequence[str]) -> Float64:
        """Return the probability that each record contains all the items, float64 (n,). `items` are distinct."""
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
        """Return the symbol that covers an item in each record, int32 (n,). -1 means that no symbol does."""
        symbol = np.full(self.index.n, -1, np.int32)
        for code in self._symbols_of.get(item, []):
            symbol[self.index.records([code])] = code
        return symbol

    def _present(self, n_items: int) -> Float64:
        """Return the probability that a record with a symbol contains `n_items` given items of it, for each symbol,
        float64 (S,).
        """
        if n_items not in self._presence:
            present = [presence_probability(size, n_items, self.reading) for size in self.sizes]
            self._presence[n_items] = np.array(present or [0.0])
        return self._presence[n_items]
