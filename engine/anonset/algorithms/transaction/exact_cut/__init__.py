"""Solve the exact k^m cut as a covering problem. A constraint (clause) is added when a solution violates it."""
