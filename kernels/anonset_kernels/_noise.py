"""How much sums of the same fractions may differ that are added in another order."""

NOISE = 1e-12
"""Losses that differ by no more are equal."""
