"""The whole run: read, search, apply, write, read back, verify, publish."""
