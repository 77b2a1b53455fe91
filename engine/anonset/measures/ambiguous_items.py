"""Items that a local recoding publishes as several symbols, and items that no published symbol covers.

A standard mining tool counts only the records in which an item is unchanged (Liu and Wang 2010, section 1).
"""

from collections import Counter

import numpy as np

from anonset.data import SetColumn
from anonset.publications import Records


def ambiguous_items(publication: Records) -> int:
    """Count the items that more than one occurring symbol covers. The count is 0 for a global recoding.

    Cost: number of members of all symbols.

    >>> from anonset.data import Hierarchy, Table
    >>> from anonset.generalization import PerCluster, apply
    >>> from anonset.generalization.local import ClusterCuts
    >>> h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"]))
    >>> table = Table.from_sets([["a1"], ["a2"], ["a1", "b"]], universe=h.leaves.labels)
    >>> cuts = ClusterCuts(h, (np.array([h.node_of["A"]], np.int32), np.empty(0, np.int32)))
    >>> ambiguous_items(apply(table, PerCluster(np.array([0, 0, 1], np.int32), cuts)))
    1
    """
    return sum(n_symbols > 1 for n_symbols in _covering(publication).values())


def vanished_items(original: SetColumn | None, publication: Records) -> list[str]:
    """Return the items of the original that no published record shows, alone or in a group, the most frequent first.

    >>> from anonset.data import Table
    >>> from anonset.generalization import ItemGroups, apply
    >>> table = Table.from_sets([["a", "b"], ["b", "c"]])
    >>> groups = ItemGroups(table.transactions.vocabulary, np.array([0, 0, -1], np.int32))
    >>> vanished_items(table.transactions, apply(table, groups))
    ['c']
    """
    if original is None or publication.transactions is None:
        return []
    covering, occurrences = _covering(publication), original.occurrences
    order = np.argsort(-occurrences.astype(np.int64), kind="stable")
    labels = (original.vocabulary.labels[code] for code in order[occurrences[order] > 0])
    return [label for label in labels if label not in covering]


def _covering(publication: Records) -> Counter[str]:
    """Return the number of occurring symbols that cover each item."""
    covering = Counter[str]()
    if publication.transactions is not None:
        for code in np.flatnonzero(publication.transactions.occurrences).tolist():
            covering.update(publication.symbols[code].members)
    return covering
