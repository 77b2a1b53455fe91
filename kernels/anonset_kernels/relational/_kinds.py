"""Constants of the kernels of relational tuples."""

RANGE, NODE, SET = 0, 1, 2
"""What an attribute publishes for a cluster: a range of numbers, a node of its hierarchy, or a set of values."""
NOISE = 1e-12
"""Losses are equal if they differ by at most this value. Sums of fractions may be added in a different order."""
