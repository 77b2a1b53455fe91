"""Algorithms that replace items by sets of items, without a hierarchy."""
