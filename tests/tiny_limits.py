"""Limits so tiny that tiny data take the out-of-core path."""

import importlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

LIMIT = "64K"
"""What a run by blocks may take: an eighth of it holds some hundreds of numbers."""
LIMITS = {
    "anonset.data.spans": {"AT_ONCE": 32},
    "anonset.io.pieces": {"BYTES_AT_ONCE": 512},
    "anonset.generalization.row_order": {"ROWS_PER_BUCKET": 32},
    "anonset.data.label_order": {"PER_BUCKET": 32},
    "anonset.io.texts": {"MOST_HELD": 8},
    "anonset.verification.individuals": {"ROWS_PER_SHARE": 32},
    "anonset.verification.shares": {"ROWS_PER_SHARE": 32},
    "anonset.release.costs": {"AT_LEAST": 0},
}
"""Constants by module, and values that make tiny data too many to be held at once."""


@contextmanager
def tiny_limits() -> Iterator[None]:
    """Shrink all limits, so that tiny data take the out-of-core path."""
    with ExitStack() as stack:
        for name, values in LIMITS.items():
            module = importlib.import_module(name)
            for constant, value in values.items():
                stack.callback(setattr, module, constant, getattr(module, constant))
                setattr(module, constant, value)
        yield
