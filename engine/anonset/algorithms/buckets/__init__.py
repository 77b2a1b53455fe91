"""Algorithms that publish identities and sensitive values in separate tables, linked by groups."""
