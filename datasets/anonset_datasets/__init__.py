"""Data sets for benchmarks: a catalogue of real ones, and seeded generators."""
