"""Frameworks for relational-transaction data. They form clusters of records with separate item mappings."""
