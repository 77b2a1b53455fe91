"""Search for groups of items (set-based anonymization)."""
