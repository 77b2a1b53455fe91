"""The anonymization algorithms, and the registry of their names. Each algorithm has a separate file."""
