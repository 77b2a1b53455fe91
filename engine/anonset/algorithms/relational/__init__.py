"""Algorithms that form clusters of records by their relational values."""
