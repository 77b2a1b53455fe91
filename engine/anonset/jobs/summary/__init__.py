"""Summary of a publication, with one module for each kind of publication."""

from anonset.jobs.summary.base import Example, Summary, summary
from anonset.jobs.summary.buckets import BucketsSummary
from anonset.jobs.summary.chunks import ChunksSummary
from anonset.jobs.summary.records import RecordsSummary

__all__ = ["BucketsSummary", "ChunksSummary", "Example", "RecordsSummary", "Summary", "summary"]
