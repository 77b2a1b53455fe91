"""Threats and inferences that suppression removes."""
