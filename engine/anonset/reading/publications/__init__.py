"""Publications read back, one file per kind."""
