"""Workloads of COUNT queries, exact answers from original data, and estimated answers from publications."""

from anonset.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(globals())
