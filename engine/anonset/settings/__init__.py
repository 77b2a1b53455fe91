"""User settings: parameters of models and algorithms, parsed and validated."""
