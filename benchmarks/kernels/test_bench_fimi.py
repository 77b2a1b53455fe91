"""Benchmark of the kernel that splits FIMI text into tokens."""

from typing import Any

import numpy as np
import pytest

from anonset.data import SetColumn
from anonset.reading.formats.fimi import tokenize

pytestmark = pytest.mark.benchmark(group="fimi")


def test_bench_tokenize(benchmark: Any, column: SetColumn) -> None:
    text = "".join(f"{' '.join(row)}\n" for row in column.rows()).encode()
    indptr, codes, starts, _ = benchmark(tokenize, text)
    benchmark.extra_info["bytes"] = len(text)
    assert np.array_equal(indptr, column.indptr)
    assert len(starts) == np.count_nonzero(column.occurrences)
    assert codes.max() + 1 == len(starts)
