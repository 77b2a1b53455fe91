"""Remaining risks of a publication: the job, and a file per kind of publication."""

from anonset.jobs.risk.base import RiskReport
from anonset.jobs.risk.buckets import BucketRisk
from anonset.jobs.risk.chunks import ChunkRisk
from anonset.jobs.risk.job import risk
from anonset.jobs.risk.records import Risk

__all__ = ["BucketRisk", "ChunkRisk", "Risk", "RiskReport", "risk"]
