"""Limits so tiny that tiny data take the out-of-core path."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from anonset.data.spans import Limits

LIMIT = "64K"
"""What a run by blocks may take: an eighth of it holds some hundreds of numbers."""
CONSTANTS = {
    "anonset.data.spans.AT_ONCE": 32,
    "anonset.reading.formats.text_chunks.BYTES_AT_ONCE": 512,
    "anonset.release.memory.AT_LEAST": 0,
    "anonset.release.memory.COMPILING_TAKES": 0,
}
"""Constants that are no limits of a run, and values that make tiny data too many to be held at once."""


@contextmanager
def tiny_limits() -> Iterator[None]:
    """Shrink all limits, so that tiny data take the out-of-core path."""
    with pytest.MonkeyPatch.context() as patch:
        set_limits(patch, rows_per_bucket=32, labels_held=8)
        for name, value in CONSTANTS.items():
            patch.setattr(name, value)
        yield


def set_limits(patch: pytest.MonkeyPatch, **fields: Any) -> None:
    """Give all jobs by blocks, however their limits are chosen, these fields of `Limits`."""
    chosen = Limits.of_process
    patch.setattr(Limits, "of_process", staticmethod(lambda *given: replace(chosen(*given), **fields)))
