"""The anonymization algorithms, each in a separate file, and the registry of their names."""
