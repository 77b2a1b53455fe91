"""Normalized certainty penalty (NCP) of relational values. It measures the information loss by generalization.

References: Xu et al., KDD 2006; Poulis et al., ECML/PKDD 2013, section 5. Deviations: the loss of a range depends on
its width, not on the number of values in the range. The width is divided by the width of the column in all records.
"""

from math import fsum

import numpy as np

from anonset.data import Hierarchy
from anonset.data.array_types import Float64, Int32, Int64
from anonset.data.distinct import distinct
from anonset.data.domains import Range, ValueSet
from anonset.data.quasi_identifiers import QuasiIdentifiers


def value_losses(qi: QuasiIdentifiers, cluster: Int32) -> Float64:
    """Return the loss of each column in each cluster without column weights, float64 (v, C), in [0, 1].

    An unchanged value has loss 0. The loss of a node is the share of all leaves that are below the node. The loss of a
    set is its share of all values. The loss of a range is its share of the width of the column. Cost: O(n log n) for
    each column.

    >>> from anonset.data import Table
    >>> qi = QuasiIdentifiers.of(Table.from_columns(sex=["f", "m", "f"], race=["1", "2", "2"]).relational, {})
    >>> value_losses(qi, np.array([0, 0, 1], np.int32)).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    n_clusters = int(cluster.max(initial=-1)) + 1
    losses = np.zeros((len(qi.columns), n_clusters))
    order = np.argsort(cluster, kind="stable")
    start = np.searchsorted(cluster[order], np.arange(n_clusters))
    numbers, codes = qi.tuples
    for a, domain in enumerate(qi.domains):
        if isinstance(domain, Range):
            values = numbers[qi.slot[a]][qi.tuple_of][order]
            if n_clusters and domain.high > domain.low:
                spread = np.maximum.reduceat(values, start) - np.minimum.reduceat(values, start)
                losses[a] = spread / (domain.high - domain.low)
            continue
        of_record = codes[qi.slot[a]][qi.tuple_of]
        if isinstance(domain, ValueSet):
            pairs = distinct(cluster.astype(np.int64) * len(domain.vocabulary) + of_record)
            sizes = np.bincount(pairs // max(1, len(domain.vocabulary)), minlength=n_clusters)
            losses[a] = np.where(sizes > 1, sizes / max(1, len(domain.vocabulary)), 0.0)
        elif n_clusters:
            losses[a] = _node_losses(domain, of_record[order], start)
    return losses


def relational_ncp(qi: QuasiIdentifiers, cluster: Int32) -> float:
    """Return the mean weighted loss of the records. Return 0 for an empty table."""
    if not qi.n:
        return 0.0
    per_cluster = np.array(qi.weights) @ value_losses(qi, cluster)
    return fsum((np.bincount(cluster) * per_cluster).tolist()) / qi.n


def _node_losses(hierarchy: Hierarchy, nodes: Int32, start: Int64) -> Float64:
    lowest = hierarchy.leaf_lo[nodes]
    first, last = np.minimum.reduceat(lowest, start), np.maximum.reduceat(lowest, start)
    node = hierarchy.leaf_node[first].copy()
    while bool(np.any(outside := hierarchy.leaf_hi[node] <= last)):
        node[outside] = hierarchy.parent[node[outside]]
    below = hierarchy.n_leaves_below[node]
    share: Float64 = np.where(below > 1, below / hierarchy.n_leaves, 0.0)
    return share
