"""Tiny limits, so that tiny data are processed out of core."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from anonset.data.spans import Limits

LIMIT = "64K"
"""Memory limit of a run out of core; an eighth of it is room for some hundred numbers."""
CONSTANTS = {
    "anonset.data.spans.AT_ONCE": 32,
    "anonset.reading.formats.text_chunks.BYTES_AT_ONCE": 512,
    "anonset.release.memory.AT_LEAST": 0,
    "anonset.release.memory.COMPILING_TAKES": 0,
}
"""Tiny values of the constants that are not fields of `Limits`."""


@contextmanager
def tiny_limits() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        set_limits(patch, rows_per_bucket=32, labels_held=8)
        for name, value in CONSTANTS.items():
            patch.setattr(name, value)
        yield


def set_limits(patch: pytest.MonkeyPatch, **fields: Any) -> None:
    """Override fields of `Limits` for all jobs that run out of core."""
    chosen = Limits.of_process
    patch.setattr(Limits, "of_process", staticmethod(lambda *given: replace(chosen(*given), **fields)))
