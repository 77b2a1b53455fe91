"""Losses of a publication on disk: the job, and a file per kind of publication."""

from anonset.jobs.evaluate import buckets, chunks, records
from anonset.jobs.evaluate.base import Evaluation, flatten
from anonset.jobs.evaluate.job import evaluate

__all__ = ["Evaluation", "buckets", "chunks", "evaluate", "flatten", "records"]
