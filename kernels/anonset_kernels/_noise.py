"""Tolerance for sums of the same fractions added in different order."""

NOISE = 1e-12
"""Losses are equal if they differ by at most this value."""
