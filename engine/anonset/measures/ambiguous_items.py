"""Items that a local recoding publishes as several symbols.

A standard mining tool then counts only the records in which the item is unchanged (Liu and Wang 2010, section 1).
"""

from collections import Counter

import numpy as np

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
    covering = Counter[str]()
    if publication.transactions is not None:
        for code in np.flatnonzero(publication.transactions.occurrences).tolist():
            covering.update(publication.symbols[code].members)
    return sum(n_symbols > 1 for n_symbols in covering.values())
