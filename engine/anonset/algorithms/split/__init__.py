"""Splitting of tables that exceed an algorithm's size limit into smaller parts."""
