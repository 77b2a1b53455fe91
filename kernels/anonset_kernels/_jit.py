"""The one JIT policy: how kernels are compiled and where their machine code is cached.

Numba keys its disk cache by the file of the kernel alone, so a callee changed in another file (by an edit or
by an upgrade) would leave the old machine code running. Every kernel is therefore cached in a directory whose
name holds the version of Numba and a hash of all kernel sources: change any of them and nothing old is found.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit
from numba.core import config

_F = TypeVar("_F", bound=Callable[..., Any])


def source_hash(folder: Path) -> str:
    """Hash the names and the bytes of all Python sources below `folder` (16 hex digits)."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(b"\0")
        digest.update(path.read_bytes())
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    """Return the folder under which this user's caches live (NUMBA_CACHE_DIR wins)."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "anonset"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "anonset"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "anonset"


@lru_cache(maxsize=1)
def cache_directory() -> Path | None:
    """Return the directory of the compiled kernels, or None where none can be written."""
    name = f"{numba.__version__}-py{sys.version_info[0]}{sys.version_info[1]}-{source_hash(Path(__file__).parent)}"
    try:
        folder = _user_cache() / name
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):
        return None


def kernel() -> Callable[[_F], _F]:
    """Compile a function with ``nogil`` and, where a cache can be written, keep its machine code on disk."""

    def compile_kernel(function: _F) -> _F:
        folder = cache_directory()
        before = config.CACHE_DIR  # type: ignore[attr-defined]
        try:
            config.CACHE_DIR = "" if folder is None else str(folder)  # type: ignore[attr-defined]
            compiled: Any = njit(nogil=True, cache=folder is not None)(function)
        finally:
            config.CACHE_DIR = before  # type: ignore[attr-defined]
        return cast("_F", compiled)

    return compile_kernel


def compiled_before() -> bool:
    """Tell whether the cache holds machine code of these kernels already (else the first run compiles)."""
    folder = cache_directory()
    return folder is not None and any(folder.rglob("*.nbi"))
