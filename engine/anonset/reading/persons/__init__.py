"""Columns that identify people, and rows of one person."""
