"""Utility loss (UL) of published records, as defined for relational-transaction data.

References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, section 5.

Deviations: an empty record has loss 0. In the paper, its loss is 0/0. A symbol of a single item has weight 0, so
unchanged data have no loss, except with the weights ``ones``.
"""

from collections.abc import Sequence
from itertools import chain
from math import fsum

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Float64, Int64
from anonset.data.spans import spans
from anonset.errors import InputError
from anonset.measures.losses.utility_loss import GroupWeights
from anonset.publications import Records, Symbol


def record_losses(published: SetColumn, size: Int64, weight: Float64) -> Float64:
    """Return the utility loss of each published record, float64 (n,), in [0, 1].

    Parameters
    ----------
    published
        The published symbols of each record.
    size, weight
        Number of items that each symbol covers, int64, and weight of each symbol in [0, 1], float64.
    """
    from anonset_kernels.rt.record_loss import record_losses as kernel

    out = np.empty(published.n, np.float64)
    kernel(published.indptr, published.items, size, weight, out)
    return out


def record_utility_loss(publication: Records, weights: GroupWeights | None = None) -> float:
    """Return the mean utility loss of the records of a publication. Return 0 if there are no records.

    Parameters
    ----------
    weights
        Weights of the symbols, for a vocabulary that contains their items. By default, the weight of a symbol of
        several items is 1.

    Examples
    --------
    >>> from anonset.data import Hierarchy, Table
    >>> from anonset.generalization import Cut, apply
    >>> from anonset.measures.losses.utility_loss import group_weights
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"]))
    >>> table = Table.from_sets([{"a1", "b"}, {"b"}], universe=hierarchy.leaves.labels)
    >>> image = np.array([1, 1, 4], np.int32)
    >>> record_utility_loss(apply(table, Cut(hierarchy, image)))
    0.21428571428571427
    >>> record_utility_loss(apply(table, Cut(hierarchy, image)), group_weights("lca", hierarchy.leaves, hierarchy))
    0.14285714285714285

    Raises
    ------
    InputError
        If there is no set-valued column.
    """
    column = publication.transactions
    if column is None:
        raise InputError("the record utility loss needs a set-valued column; the publication has none")
    if not column.n:
        return 0.0
    size = np.array([len(symbol.members) for symbol in publication.symbols], np.int64)
    weight = (size > 1).astype(np.float64) if weights is None else _weights_of(publication.symbols, weights)
    parts = (record_losses(column.slice(*rows), size, weight).tolist() for rows in spans(column.n))
    return fsum(chain.from_iterable(parts)) / column.n


def _weights_of(symbols: Sequence[Symbol], weights: GroupWeights) -> Float64:
    code = weights.vocabulary.index
    return np.array([float(weights.of(code[member] for member in symbol.members)) for symbol in symbols], np.float64)
