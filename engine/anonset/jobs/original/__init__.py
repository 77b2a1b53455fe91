"""The original of a publication, read with the same column roles: a file per kind of publication."""

from anonset.jobs.original import buckets, chunks, records
from anonset.jobs.original.base import read_original, require_possible
from anonset.jobs.original.checks import require_columns, require_same_content
from anonset.jobs.original.reading import original_and_persons

__all__ = [
    "buckets",
    "chunks",
    "original_and_persons",
    "read_original",
    "records",
    "require_columns",
    "require_possible",
    "require_same_content",
]
