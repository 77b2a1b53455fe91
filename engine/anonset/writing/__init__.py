"""Write publications, codebooks and mappings."""
