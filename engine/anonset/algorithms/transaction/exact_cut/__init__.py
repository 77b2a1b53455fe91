"""Solve the exact k^m cut as a covering problem. A clause is added to the problem when a solution violates it."""
