"""Order and local generalization of similar records."""
