"""Query workloads from settings, which name a file of itemsets, or random queries. Each kind of publication has a
module.
"""

from anonset.jobs.workloads import buckets, chunks, records
from anonset.jobs.workloads.base import QueryAnswers, WorkloadSpec, answers

__all__ = ["QueryAnswers", "WorkloadSpec", "answers", "buckets", "chunks", "records"]
