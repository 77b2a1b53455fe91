"""Formats of input: text, Parquet, workbooks, objects in memory."""
