"""Disassociation of real data: closed-form query answers compared with random reconstructions."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import anonset
from anonset.queries import Query, TrueCounts
from anonset.queries.chunks import ChunkCounts
from anonset_datasets import catalogue

pytestmark = [pytest.mark.data, pytest.mark.long]
DRAWS = 5


@pytest.mark.parametrize(("name", "m"), [("groceries", 2), ("groceries", 3)])
def test_the_closed_form_agrees_with_draws_within_sampling(name, m):
    """Over 300 pairs and triples, the mean of the draws differs from it within sampling error."""
    column = catalogue.load(name).transactions
    release = anonset.anonymize(anonset.Table(column), anonset.Disassociation(k=5, m=m), workers=1)
    pairs = Counter(pair for row in column.rows() for pair in combinations(sorted(row), 2))
    frequent = [pair for pair, _ in pairs.most_common(200)]
    triples = {
        tuple(sorted({*first, *other})) for first, other in combinations(frequent[:20], 2) if set(first) & set(other)
    }
    queries = [Query(items) for items in (*frequent, *sorted(triples)[:100])]
    counts = ChunkCounts(release.publication)
    expected = np.array([counts.count(query) for query in queries])
    tables = [TrueCounts(anonset.reconstruct(release, seed=seed).transactions) for seed in range(DRAWS)]
    drawn = np.array([[table.count(query) for query in queries] for table in tables])
    scatter = drawn.var(axis=0, ddof=1).sum() / DRAWS
    apart = ((drawn.mean(axis=0) - expected) ** 2).sum()
    assert 0.3 * scatter < apart < 3 * scatter
