"""The exact k^m cut as a covering problem: its clauses, what violates them, its relaxation, and the search."""
