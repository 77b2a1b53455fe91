"""Trials of several settings on the same table: `suggest` and `compare`."""
