"""Hierarchies, and the rules that build them."""
