"""anonset: anonymize transaction, relational and relational-transaction data."""
