"""Detect columns that identify people, and merge the rows of one person."""
