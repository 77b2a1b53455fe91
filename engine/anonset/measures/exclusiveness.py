"""Domain exclusiveness of published symbols. Symbols are exclusive if they cover disjoint sets of items.

In a local recoding, symbols may overlap, because an item is published unchanged in some records and generalized in
other records. A standard mining tool then counts only the records in which the item is unchanged (Liu and Wang 2010,
section 1).
"""

from dataclasses import dataclass, field

import numpy as np

from anonset.data.distinct import distinct
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.errors import InputError
from anonset.publications import Records


@dataclass(frozen=True)
class Overlap(RedactedRepr):
    """A published symbol that shares items with other symbols."""

    symbol: str = field(repr=False)
    records: int
    """Number of records with the symbol. At least this many records contain an item that the symbol covers."""
    records_with_others: int
    """Number of records with the symbol or an overlapping symbol. At most this many records contain an item that the
    symbol covers.
    """
    others: tuple[str, ...]
    """Symbols that share items with the symbol, in canonical order."""


@dataclass(frozen=True)
class Exclusiveness(RedactedRepr):
    """Overlaps between the published symbols."""

    symbols: int
    """Number of symbols that occur."""
    overlaps: tuple[Overlap, ...]
    """Symbols that share items with other symbols, in canonical order."""
    ambiguous_items: int
    """Number of items that more than one occurring symbol covers."""

    @property
    def exclusive(self) -> bool:
        """True if no two symbols overlap. This is always the case for a global recoding."""
        return not self.overlaps


def exclusiveness(publication: Records) -> Exclusiveness:
    """Return the overlaps between published symbols.

    Cost: the number of members of all symbols, plus the number of records with a symbol of each overlapping pair.

    >>> from anonset.data import Hierarchy, Table
    >>> from anonset.generalization import PerCluster, apply
    >>> from anonset.generalization.local import ClusterCuts
    >>> h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"]))
    >>> table = Table.from_sets([["a1"], ["a2"], ["a1", "b"]], universe=h.leaves.labels)
    >>> cuts = ClusterCuts(h, (np.array([h.node_of["A"]], np.int32), np.empty(0, np.int32)))
    >>> report = exclusiveness(apply(table, PerCluster(np.array([0, 0, 1], np.int32), cuts)))
    >>> report.overlaps[1].symbol, report.overlaps[1].others
    ('a1', ('A',))

    Raises
    ------
    InputError
        If the publication has no set-valued column.
    """
    column = publication.transactions
    if column is None:
        msg = "the publication must have a set-valued column, got none"
        raise InputError(msg)
    standing = _covering_symbols(publication)
    others: dict[int, set[int]] = {}
    for codes in standing.values():
        if len(codes) > 1:
            for code in codes:
                others.setdefault(code, set()).update(codes)
    record = np.repeat(np.arange(column.n), column.lengths)
    order = np.argsort(column.items, kind="stable")
    ends = begins_of(column.occurrences)
    labels = column.vocabulary.labels
    overlaps = []
    for code in sorted(others):
        together = [record[order[ends[c] : ends[c + 1]]] for c in others[code]]
        shared = tuple(labels[c] for c in sorted(others[code] - {code}))
        n_together = len(distinct(np.concatenate(together)))
        overlaps.append(Overlap(labels[code], int(column.occurrences[code]), n_together, shared))
    n_occurring = int(np.count_nonzero(column.occurrences))
    return Exclusiveness(n_occurring, tuple(overlaps), sum(len(codes) > 1 for codes in standing.values()))


def ambiguous_items(publication: Records) -> int:
    """Count the items that more than one occurring symbol covers. The count is 0 for a global recoding.

    The result equals `Exclusiveness.ambiguous_items`. Cost: number of members of all symbols.
    """
    return sum(len(codes) > 1 for codes in _covering_symbols(publication).values())


def _covering_symbols(publication: Records) -> dict[str, list[int]]:
    standing: dict[str, list[int]] = {}
    if publication.transactions is not None:
        for code in np.flatnonzero(publication.transactions.occurrences).tolist():
            for item in publication.symbols[code].members:
                standing.setdefault(item, []).append(code)
    return standing
