"""Algorithms that cluster records by their relational values."""
