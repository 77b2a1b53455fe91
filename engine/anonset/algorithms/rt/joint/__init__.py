"""Steps of the algorithm joint-split."""
