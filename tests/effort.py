"""How many random examples a thorough test looks at: all of them compiled, a quarter of them as plain Python.

The plain run, which owns the coverage, takes some hundred times as long for each; what it could find beyond the
compiled one is found in the first of them.
"""

import os


def examples(compiled: int) -> int:
    """Return the number of examples of this run.

    Parameters
    ----------
    compiled
        Number of examples where kernels are compiled.
    """
    return compiled // 4 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else compiled
