"""Number of random examples of a test, and the files of a store.

Kernels run a few hundred times slower as plain Python, so that run uses a quarter of the examples.
"""

import gc
import os
from pathlib import Path


def examples(compiled: int) -> int:
    """Return the number of examples of this run.

    Parameters
    ----------
    compiled
        Number of examples if kernels are compiled.
    """
    return compiled // 4 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else compiled


def file_names(folder: Path, expected: set[str]) -> set[str]:
    """Return the names of the files in a folder; collect garbage first if they differ from `expected`."""
    if {path.name for path in folder.iterdir()} != expected:
        gc.collect()
    return {path.name for path in folder.iterdir()}
