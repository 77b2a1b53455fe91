"""Supports of any itemset: the records of each item as a roaring bitmap."""

from anonset.support.index import SupportIndex

__all__ = ["SupportIndex"]
