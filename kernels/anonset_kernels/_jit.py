"""The one JIT policy: how kernels are compiled and where their machine code is cached.

Numba keys its disk cache by path and time of the kernel's file, so a callee changed in another file (by an edit or
by an upgrade) would leave the old machine code running. The kernels of a file are therefore cached in a directory whose
name holds a hash of that file and of all that it imports from this package: change any of them and nothing old is
found, change another file and nothing is compiled anew. Where the package lies and when it was installed do not count.
"""

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config, event, sigutils, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.registry import CPUDispatcher
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


_IMPORTED = re.compile(rb"^\s*(?:from|import)\s+anonset_kernels\.(\w+)", re.MULTILINE)


def sources_of(path: Path) -> dict[Path, bytes]:
    """Return path and bytes of a file of kernels, and of all files of this package that it imports, directly or not."""
    sources: dict[Path, bytes] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in sources:
            sources[file] = _bytes_of(file)
            waiting += [path_of(name.decode()) for name in _IMPORTED.findall(sources[file])]
    return sources


def path_of(name: str) -> Path:
    """Return the path of a file of kernels of this package."""
    return Path(__file__).with_name(f"{name}.py")


@cache
def _bytes_of(path: Path) -> bytes:
    return path.read_bytes()


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
    """Return the directory of all compiled kernels, or None where none can be written, nor read.

    One that can be read alone, as in an image of a container, serves whatever was compiled into it before.
    """
    try:
        folder = _user_cache() / f"{numba.__version__}-py{sys.version_info[0]}{sys.version_info[1]}"
    except RuntimeError:  # there is no home
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return folder if _TRIED and any(folder.rglob("*.nbi")) else None


@cache
def directory_of(path: Path) -> Path | None:
    """Return the directory of the machine code of one file's kernels, which names the sources that it is made of."""
    folder = cache_directory()
    if folder is None:
        return None
    digest = hashlib.sha256()
    for file, source in sorted(sources_of(path).items(), key=lambda item: item[0].stem):
        digest.update(f"{file.stem} {len(source)}\n".encode())
        digest.update(source)
    return folder / f"{path.stem}-{digest.hexdigest()[:16]}"


@lru_cache(maxsize=1)
def cache_writable() -> bool:
    """Tell whether what is compiled now will be found by later runs."""
    folder = cache_directory()
    return folder is not None and os.access(folder, os.W_OK)


_TRIED = numba.__version__.startswith(("0.67.", "0.68."))
"""Whether `_KernelCache` is known to fit this version of Numba; with others, Numba's own cache is taken."""


class _Locator(UserProvidedCacheLocator):
    """Finds the machine code of a kernel in the directory of its file, whose name tells whether it is fresh."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: Any) -> Any:
        """Return the locator: there is one wherever `cache_directory` finds a place, whatever Numba is told."""
        return super(UserProvidedCacheLocator, cls).from_function(py_func, py_file)

    def get_cache_path(self) -> str:
        return str(directory_of(Path(self._py_file)))

    def get_source_stamp(self) -> str:
        return ""

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
    fills them first in any case. Its files are looked up on first use: most kernels are called by kernels alone.
    """

    _impl_class = _CacheImpl

    def __init__(self, function: Any) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if "_cache_file" in self.__dict__ or name == "_function":
            raise AttributeError(name)
        super().__init__(self._function)
        return getattr(self, name)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with COMPILATION.loading(), self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        if cache_writable():
            with COMPILATION.storing():
                super().save_overload(sig, data)


class _Kernel(CPUDispatcher):
    """A kernel, compiled once for arrays of the same types: numbers that it is given are 64 bits wide.

    Numba would compile it anew for each constant and for each width of a number, though all of them fit.
    """

    def compile(self, sig: Any) -> Any:
        arguments, _ = sigutils.normalize_signature(sig)
        return super().compile(tuple(map(_widened, arguments)))


class _InnerKernel(_Kernel):
    """A kernel that kernels alone call: there is no machine code by which Python could."""

    def __call__(self, *_: Any) -> Any:
        msg = f"{self.py_func.__name__} is called by kernels alone"
        raise TypeError(msg)


def _widened(argument: Any) -> Any:
    """Return the type of an argument without its value, if that is a constant; as int64, if that holds its values."""
    plain = types.unliteral(argument)
    return types.int64 if isinstance(plain, types.Integer) and plain != types.uint64 else plain


_OPTIONS = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True}


def kernel() -> Callable[[_F], _F]:
    """Compile a function with ``nogil`` and, where a cache can be written, keep its machine code on disk.

    One whose name begins with ``_`` is called by kernels alone: without what lets Python call it, it compiles sooner.
    """

    def compile_kernel(function: _F) -> _F:
        if config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        inner = function.__name__.startswith("_")
        kind, options = _InnerKernel if inner else _Kernel, {**_OPTIONS, "no_cpython_wrapper": inner}
        compiled: Any = kind(py_func=function, targetoptions=options)
        if cache_directory() is not None and _TRIED:
            compiled._cache = _KernelCache(function)
        elif (folder := directory_of(Path(function.__code__.co_filename))) is not None:
            before = config.CACHE_DIR  # type: ignore[attr-defined]
            try:
                config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
                compiled.enable_caching()
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
