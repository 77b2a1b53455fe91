"""Joint top-down splitting of RT-datasets, step by step: regions, scores, growth, pruning."""
