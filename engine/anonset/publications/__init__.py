"""Data types of publications: records, buckets, chunks, and the symbols in them."""

from anonset.publications.base import Published
from anonset.publications.buckets import Buckets
from anonset.publications.chunks import Chunks
from anonset.publications.records import Records
from anonset.publications.symbols import Symbol

__all__ = ["Buckets", "Chunks", "Published", "Records", "Symbol"]
