"""Solution of the exact k^m cut as a covering problem, with clauses that are added when they are violated."""
