"""Frameworks for relational-transaction data: clusters of records, each with a separate item mapping."""
