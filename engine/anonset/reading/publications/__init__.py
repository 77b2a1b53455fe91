"""Read publications, one file per kind."""
