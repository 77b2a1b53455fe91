"""Exact answers to COUNT queries from original records, and expected answers from published symbols.

A published symbol of s items is a set of s items or a node with s leaves. A symbol is interpreted in one of the
following ways, independently of the other symbols of the record:

* ``one-member``: the record contains exactly one item of the symbol, each with probability 1/s. Two items of a symbol
  never occur together.
* ``subsets``: the record contains a non-empty subset of the items. All 2^s - 1 subsets are equally likely (Loukides et
  al. 2010, section 6.1).
* ``subsets-apart``: as `subsets`, but the items of a symbol are treated as independent, as in the formula of the paper.
"""

from collections.abc import Sequence
from itertools import product
from math import expm1, fsum, ldexp, log, prod
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.errors import InputError, datum
from anonset.publications import Records
from anonset.queries.workload import Query
from anonset.spelling import require_known, setting
from anonset.support import SupportIndex

Reading = Literal["one-member", "subsets", "subsets-apart"]
"""Interpretation of a published symbol of several items."""
READINGS: tuple[Reading, ...] = get_args(Reading)
ONE_MEMBER: Reading = "one-member"
"""Default interpretation of all measures."""
Probabilities = tuple[NDArray[np.uint32], NDArray[np.float64]]
"""Records that may match a query, in ascending order, and the probability that each record matches."""

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
            msg = f"query: item {datum(unknown[0])} does not occur in the data ({len(vocabulary)} items)"
            raise InputError(msg)
        return [vocabulary.index[item] for item in query.items]


class ExpectedCounts:
    """Expected answers to queries from published records.

    A global recoding publishes an item as the same symbol in all records. A local recoding may publish an item as
    different symbols in different clusters. Within a record, at most one symbol covers an item.

    Parameters
    ----------
    publication
        The published records, with their codebook.
    reading
        Interpretation of a published symbol of several items.

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
    >>> ExpectedCounts(apply(table, groups)).count(Query(("a",)))
    1.0
    >>> ExpectedCounts(apply(table, groups), reading="subsets").count(Query(("a",)))
    1.3333333333333333
    """

    def __init__(self, publication: Records, *, reading: Reading = ONE_MEMBER) -> None:
        if publication.transactions is None:
            msg = "queries need a set-valued column; the publication has none"
            raise InputError(msg)
        self.index, self.reading = SupportIndex(publication.transactions), require_reading(reading)
        self.sizes = [len(symbol.members) for symbol in publication.symbols]
        self._symbols_of: dict[str, list[int]] = {}
        for code, symbol in enumerate(publication.symbols):
            if self.index.support_of_item(code):
                for item in symbol.members:
                    self._symbols_of.setdefault(item, []).append(code)

    def count(self, query: Query) -> float:
        """Return the expected number of records that contain all items of a query. Ignores conditions."""
        symbols = [self._symbols_of.get(item, []) for item in query.items]
        if prod(len(choices) for choices in symbols) > _MOST_COMBINATIONS:
            return fsum(self.probabilities(query)[1])
        # a record has one symbol for an item, so it matches at most one combination of symbols
        return fsum(self.index.support(set(chosen)) * self._probability(chosen) for chosen in product(*symbols))

    def probabilities(self, query: Query) -> Probabilities:
        """Return the records that may contain all items of a query, and the probability that each record contains them.

        To include conditions on other columns, multiply these probabilities by the probabilities of the conditions in
        each record.
        """
        chosen_of: dict[int, list[int]] | None = None
        for item in query.items:
            code_of: dict[int, int] = {}
            for code in self._symbols_of.get(item, []):
                code_of.update(dict.fromkeys(self.index.records([code]).tolist(), code))
            if chosen_of is None:
                chosen_of = {record: [code] for record, code in code_of.items()}
            else:
                chosen_of = {r: [*codes, code_of[r]] for r, codes in chosen_of.items() if r in code_of}
        if chosen_of is None:
            return np.arange(self.index.n, dtype=np.uint32), np.ones(self.index.n)
        probability_of: dict[tuple[int, ...], float] = {}
        records = np.array(sorted(chosen_of), np.uint32)
        probability = np.empty(len(records))
        for i, record in enumerate(records.tolist()):
            key = tuple(chosen_of[record])
            if key not in probability_of:
                probability_of[key] = self._probability(key)
            probability[i] = probability_of[key]
        return records, probability

    def _probability(self, chosen: Sequence[int]) -> float:
        """Return the probability that a record contains all query items, given the symbol that covers each item."""
        numbers = {code: chosen.count(code) for code in chosen}
        return prod(presence_probability(self.sizes[code], number, self.reading) for code, number in numbers.items())
