"""Write publications, one file per kind."""
