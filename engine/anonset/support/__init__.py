"""Supports of arbitrary itemsets, from one roaring bitmap of records per item."""

from anonset.support.index import SupportIndex

__all__ = ["SupportIndex"]
