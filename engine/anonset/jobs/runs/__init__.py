"""A run from a table or files to a publication."""
