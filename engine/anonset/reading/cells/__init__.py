"""Encode the cells of columns as items, categories and numbers."""
