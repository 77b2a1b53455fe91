"""Splitting of tables that exceed an algorithm's size limit into parts that do not."""
