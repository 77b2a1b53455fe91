"""The published algorithms, a file each, and the registry of their names."""
