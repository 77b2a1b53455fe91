"""Checks of publications, with a file for each kind of publication."""

from anonset.jobs.check import buckets, chunks, records
from anonset.jobs.check.base import PublicationCheck
from anonset.jobs.check.buckets import MOST_CORRELATED
from anonset.jobs.check.job import check_publication

__all__ = ["MOST_CORRELATED", "PublicationCheck", "buckets", "check_publication", "chunks", "records"]
