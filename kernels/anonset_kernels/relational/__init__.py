"""Search for groups of relational tuples."""
