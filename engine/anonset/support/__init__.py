"""Supports of arbitrary itemsets, computed from a roaring bitmap of records for each item."""

from anonset.support.index import SupportIndex

__all__ = ["SupportIndex"]
