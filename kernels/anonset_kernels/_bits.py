"""Bit operations on ``uint64`` words, with identical results with and without JIT."""

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from anonset_kernels._jit import kernel


def bit_count(word: np.uint64) -> int:
    return int(word).bit_count()


def trailing_zeros(word: np.uint64) -> int:
    """Return the position of the lowest set bit of a non-zero ``uint64`` word."""
    value = int(word)
    return (value & -value).bit_length() - 1


@kernel()
def bit(position: int) -> np.uint64:
    """Return the ``uint64`` word with a single set bit, at `position` (0 to 63)."""
    return np.uint64(1) << np.uint64(position)


@intrinsic
def _ctpop(typing_context: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        counted = builder.ctpop(arguments[0])
        return context.cast(builder, counted, types.uint64, types.int64)

    return types.int64(types.uint64), emit


@intrinsic
def _cttz(typing_context: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        counted = builder.cttz(arguments[0], cgutils.true_bit)
        return context.cast(builder, counted, types.uint64, types.int64)

    return types.int64(types.uint64), emit


# Numba requires an overload to have the same signature as the implementation, including annotations.
@overload(bit_count)
def _bit_count(word):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    return lambda word: _ctpop(np.uint64(word))  # type: ignore[call-arg]


@overload(trailing_zeros)
def _trailing_zeros(word):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    return lambda word: _cttz(np.uint64(word))  # type: ignore[call-arg]
