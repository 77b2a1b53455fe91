"""How much a thorough test does: how many random examples it looks at, and when it collects garbage.

All examples are looked at compiled, a quarter of them as plain Python.

The plain run takes some hundred times as long for each; what it could find beyond the compiled one is found in the
first of them.
"""

import gc
import os
from pathlib import Path


def examples(compiled: int) -> int:
    """Return the number of examples of this run.

    Parameters
    ----------
    compiled
        Number of examples where kernels are compiled.
    """
    return compiled // 4 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else compiled


def files_kept(folder: Path, wanted: set[str]) -> set[str]:
    """Return the names of the files in a folder; if they are not as wanted, once garbage has let go of others.

    To collect garbage takes 25 ms and more, which is most of what a small example takes.
    """
    if {path.name for path in folder.iterdir()} != wanted:
        gc.collect()
    return {path.name for path in folder.iterdir()}
