"""The published algorithms, one a file, and the registry of their names."""
