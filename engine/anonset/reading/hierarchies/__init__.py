"""Hierarchies from files, objects and frequencies."""
