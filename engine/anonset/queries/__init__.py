"""Workloads of COUNT queries, exact answers from original data, and estimated answers from publications."""

from anonset.queries.estimate import ExpectedCounts, TrueCounts, presence_probability
from anonset.queries.workload import Query, Workload

__all__ = [
    "ExpectedCounts",
    "Query",
    "TrueCounts",
    "Workload",
    "presence_probability",
]
