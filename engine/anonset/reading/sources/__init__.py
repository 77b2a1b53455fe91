"""The files, folders, addresses and Python objects that are read."""
