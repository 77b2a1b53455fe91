"""Solve the exact k^m cut as a covering problem. Clauses are added to the problem when a solution violates them."""
