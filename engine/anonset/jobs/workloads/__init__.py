"""Query workloads from settings: a file of itemsets, or random queries; a file per kind of publication."""

from anonset.jobs.workloads import buckets, chunks, records
from anonset.jobs.workloads.base import QueryAnswers, WorkloadSpec, answers

__all__ = ["QueryAnswers", "WorkloadSpec", "answers", "buckets", "chunks", "records"]
