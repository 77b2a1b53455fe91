"""Progress of a run."""

from collections.abc import Callable

Progress = Callable[[str, float, float], None]
"""Function that reports progress. It receives the phase, the amount done and the total amount."""
