"""Data types of publications: records, buckets, chunks, and the symbols in them."""

from anonset.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(globals())
