"""Publications written, one file per kind."""
