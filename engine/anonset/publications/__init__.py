"""The nouns of published data: one class for each kind, and the symbols that they show."""

from anonset.publications.base import Published
from anonset.publications.buckets import Buckets
from anonset.publications.chunks import Chunks
from anonset.publications.records import Records
from anonset.publications.symbols import Symbol

__all__ = ["Buckets", "Chunks", "Published", "Records", "Symbol"]
