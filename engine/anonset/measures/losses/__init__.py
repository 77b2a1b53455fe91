"""How much a publication is generalized."""
