"""Scans for values that identify persons."""
