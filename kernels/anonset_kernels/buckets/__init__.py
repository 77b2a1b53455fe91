"""Draws of buckets for anatomy and safe grouping."""
