"""Frameworks for relational-transaction data: clusters of records, each with a mapping of its own."""
