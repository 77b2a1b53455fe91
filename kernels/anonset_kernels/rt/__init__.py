"""Distances and losses of clusters of relational-transaction records."""
