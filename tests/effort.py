"""Number of random examples of a test, and the files of a store.

``ANONSET_EXAMPLES=all`` runs all random examples. Without it, tests run a quarter of them, because `make test` should
be fast, and kernels as plain Python are a few hundred times slower.
"""

import gc
import os
from pathlib import Path


def examples(number: int) -> int:
    """Return the number of examples of this run: all, or a quarter of them."""
    return number if os.environ.get("ANONSET_EXAMPLES") == "all" else number // 4


def file_names(folder: Path, expected: set[str]) -> set[str]:
    """Return the names of the files in a folder. Collect garbage first if they differ from `expected`."""
    if {path.name for path in folder.iterdir()} != expected:
        gc.collect()
    return {path.name for path in folder.iterdir()}
