"""Counts of the verifier. No other package uses these kernels, and they use no kernels of other packages."""
