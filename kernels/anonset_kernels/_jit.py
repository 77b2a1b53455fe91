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
from numba.core import config, event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.runtime.nrt import rtsys

from anonset_kernels._compiling import COMPILATION

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
    """Return the directory of the compiled kernels, or None where none can be written, nor read.

    One that can be read alone, as in an image of a container, serves whatever was compiled into it before.
    """
    name = f"{numba.__version__}-py{sys.version_info[0]}{sys.version_info[1]}-{source_hash(Path(__file__).parent)}"
    try:
        folder = _user_cache() / name
    except RuntimeError:  # there is no home
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return folder if _TRIED and any(folder.rglob("*.nbi")) else None


@lru_cache(maxsize=1)
def cache_writable() -> bool:
    """Tell whether what is compiled now will be found by later runs."""
    folder = cache_directory()
    return folder is not None and os.access(folder, os.W_OK)


_TRIED = numba.__version__.startswith(("0.67.", "0.68."))
"""Whether `_KernelCache` is known to fit this version of Numba; with others, Numba's own cache is taken."""


class _Locator(UserProvidedCacheLocator):
    """Finds the machine code of a kernel in `cache_directory`, which was examined once for all."""

    def ensure_cache_path(self) -> None:
        if cache_writable():
            Path(self.get_cache_path()).mkdir(exist_ok=True)


class _CacheImpl(CompileResultCacheImpl):
    """How machine code is written and read: as Numba does, but for the place."""

    _locator_classes = [_Locator]  # noqa: RUF012


class _KernelCache(FunctionCache):
    """The machine code of one kernel on disk, loaded without readying the compiler.

    Before it loads anything, Numba's own cache fills the compiler's tables of types and functions, which takes 0.2 s
    and imports SciPy. Machine code needs none of them, only the runtime that manages arrays; and whoever compiles
    fills them first in any case.
    """

    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        if cache_writable():
            with COMPILATION.storing():
                super().save_overload(sig, data)


def _keep(compiled: Any) -> None:
    """Let a kernel keep its machine code on disk."""
    if _TRIED:
        compiled._cache = _KernelCache(compiled.py_func)
    else:
        compiled.enable_caching()


def kernel() -> Callable[[_F], _F]:
    """Compile a function with ``nogil`` and, where a cache can be written, keep its machine code on disk."""

    def compile_kernel(function: _F) -> _F:
        folder = cache_directory()
        before = config.CACHE_DIR  # type: ignore[attr-defined]
        try:
            config.CACHE_DIR = "" if folder is None else str(folder)  # type: ignore[attr-defined]
            compiled: Any = njit(nogil=True)(function)
            if folder is not None and hasattr(compiled, "enable_caching"):  # a plain function where the JIT is off
                _keep(compiled)
        finally:
            config.CACHE_DIR = before  # type: ignore[attr-defined]
        return cast("_F", compiled)

    return compile_kernel


class _CompileListener(event.Listener):
    """Hears from Numba when it compiles; to load machine code from the cache is no compiling."""

    def on_start(self, _: Any) -> None:
        COMPILATION.begin()

    def on_end(self, _: Any) -> None:
        COMPILATION.end()


event.register("numba:compile", _CompileListener())
