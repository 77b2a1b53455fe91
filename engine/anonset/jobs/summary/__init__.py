"""Summary of a publication: a file per kind."""

from anonset.jobs.summary.base import Example, Summary, summary
from anonset.jobs.summary.buckets import BucketsSummary
from anonset.jobs.summary.chunks import ChunksSummary
from anonset.jobs.summary.records import RecordsSummary

__all__ = ["BucketsSummary", "ChunksSummary", "Example", "RecordsSummary", "Summary", "summary"]
