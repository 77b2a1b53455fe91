"""Data sets for benchmarks. The package contains a catalogue of real data sets, and seeded generators."""
