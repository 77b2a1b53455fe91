"""The exact k^m cut as a covering problem: clauses, separation of violated clauses, relaxation, and search."""
