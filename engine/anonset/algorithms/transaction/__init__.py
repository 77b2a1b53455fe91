"""Algorithms that anonymize a set-valued column."""
