"""Data sets for benchmarks: a catalogue of real data sets, and seeded generators."""
