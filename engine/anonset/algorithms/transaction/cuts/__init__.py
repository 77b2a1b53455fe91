"""Algorithms that generalize all records by one hierarchy cut."""
