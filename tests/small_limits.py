"""Limits of a job that tiny data exceed."""

from dataclasses import replace
from typing import Any

import pytest

from anonset.data.spans import Limits


def set_limits(patch: pytest.MonkeyPatch, **fields: Any) -> None:
    """Give all jobs by blocks, however their limits are chosen, these fields of `Limits`."""
    chosen = Limits.of_process
    patch.setattr(Limits, "of_process", staticmethod(lambda *given: replace(chosen(*given), **fields)))
