"""Round and constants of SipHash, a hash with a secret key of 128 bits, for random draws (`_draws`) and ids (`text`).

Sums wrap around. If kernels run as plain Python, NumPy's overflow warnings must be disabled
(``np.errstate(over="ignore")``).

References: Aumasson, Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
"""

import numpy as np

from anonset_kernels._jit import kernel

_13, _16, _17, _21, _32 = np.uint64(13), np.uint64(16), np.uint64(17), np.uint64(21), np.uint64(32)
_51, _48, _47, _43 = np.uint64(51), np.uint64(48), np.uint64(47), np.uint64(43)
A, B = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
"""Initial values of the first two words of the state, before the key is added. `C` and `D` are the other two."""
C, D = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)


@kernel()
def sip_round(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the state after another round. The state is four words (v0, v1, v2, v3 in the paper). O(1)."""
    a = a + b
    b = ((b << _13) | (b >> _51)) ^ a
    a = (a << _32) | (a >> _32)
    c = c + d
    d = ((d << _16) | (d >> _48)) ^ c
    a = a + d
    d = ((d << _21) | (d >> _43)) ^ a
    c = c + b
    b = ((b << _17) | (b >> _47)) ^ c
    c = (c << _32) | (c >> _32)
    return a, b, c, d
