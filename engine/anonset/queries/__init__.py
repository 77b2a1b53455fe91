"""Workloads of COUNT queries, exact answers from original data, and estimated answers from publications."""

from anonset.queries.estimate import ExpectedCounts, TrueCounts, presence_probability
from anonset.queries.workload import Query, Workload, domain_workload, published_workload, record_workload

__all__ = [
    "ExpectedCounts",
    "Query",
    "TrueCounts",
    "Workload",
    "domain_workload",
    "presence_probability",
    "published_workload",
    "record_workload",
]
