"""Rows, labels and texts of records: order, input and output."""
