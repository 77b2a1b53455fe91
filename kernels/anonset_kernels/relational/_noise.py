"""Tolerance for comparing sums of fractions that are added in a different order."""

NOISE = 1e-12
"""Losses are equal if they differ by at most this value."""
