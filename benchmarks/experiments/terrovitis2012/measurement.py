"""Measure which sets, pairs and items a disassociated publication preserves."""

from itertools import combinations
from typing import TYPE_CHECKING

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.searches import algorithm_of, fresh, load, warm_up

if TYPE_CHECKING:
    from anonset import SetColumn
    from anonset.publications import Chunks

TOP = 1_000
"""Number of most frequent sets to count."""
RANKS = (200, 220)
"""Half-open range of item ranks. Pairs of the items with these ranks are counted."""
BUDGET = 10**11
"""Limit of itemset occurrences that verification counts."""


def measure(parameters: Parameters) -> Measured:
    """Publish a data set, verify it, and measure tKd, re and tlost."""
    import anonset
    from anonset.analysis.base import analysis_of
    from anonset.measures.top_itemsets import lost_items, top_itemsets

    column = load(parameters["data"])
    own = {name: parameters[name] for name in ("k", "m", "cluster_size", "clustering")}
    algorithm = algorithm_of("disassociation", own)
    release = anonset.anonymize(fresh(column), algorithm, budget=BUDGET, accept="worthless")
    found = top_itemsets(column, analysis_of(release.publication).supports(), TOP)
    return {
        "tkd": found.tkd,
        "re": found.re,
        "re_of_ranks": error_of_pairs(column, release.publication),
        "tlost": lost_items(column, release.publication, parameters["k"]),
        "clusters": len(release.publication.clusters),
    }


def error_of_pairs(column: "SetColumn", publication: "Chunks") -> float:
    """Return re of all pairs of the items with ranks `RANKS`. Pairs that never occur together are ignored.

    >>> from anonset import SetColumn
    >>> from anonset.publications import Chunks
    >>> from anonset.data import Vocabulary
    >>> error_of_pairs(SetColumn.of([["a", "b"]]), Chunks("items", Vocabulary(()), (), ()))
    0.0
    """
    import numpy as np

    from anonset.queries import Query, TrueCounts
    from anonset.queries.chunks import ChunkCounts

    ranked = np.argsort(-column.occurrences.astype(np.int64), kind="stable")[slice(*RANKS)].tolist()
    labels = [column.vocabulary.labels[code] for code in ranked]
    true, expected = TrueCounts(column), ChunkCounts(publication)
    errors = []
    for pair in combinations(labels, 2):
        counts = true.count(Query(pair)), expected.count(Query(pair))
        if sum(counts):
            errors.append(2 * abs(counts[0] - counts[1]) / sum(counts))
    return float(np.mean(errors)) if errors else 0.0


def compile_kernels() -> None:
    """Fill the cache of compiled kernels."""
    for clustering in ("gray", "horpart"):
        warm_up(algorithm_of("disassociation", {"k": 3, "m": 2, "clustering": clustering}))
