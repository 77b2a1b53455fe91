"""A cache of compiled kernels that lacks the kernels of a file."""

import shutil
from pathlib import Path

from anonset.jobs.annotated_kernels import all_files
from anonset_kernels import _jit


def cache_without(name: str, folder: Path) -> dict[str, str]:
    """Copy the compiled kernels into a folder, except the kernels of a file.

    Returns
    -------
    dict of str
        Environment variable that names the folder.
    """
    for file in all_files():
        compiled = _jit.directory_of(_jit.path_of(file))
        assert compiled is not None
        if file != name and compiled.exists():
            shutil.copytree(compiled, folder / compiled.parent.name / compiled.name)
    return {"NUMBA_CACHE_DIR": str(folder)}
