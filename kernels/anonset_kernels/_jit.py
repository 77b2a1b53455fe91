"""Compiler options of the kernels, and the disk cache of their machine code.

Numba keys its disk cache by path and modification time of a kernel's file. If an edit or upgrade changed a callee in
another file, the old machine code would still run. The kernels of a file are therefore cached in a directory whose name
contains a hash of the file and of all files that it imports from this package. If any of these files changes, the
kernels are compiled again. Other files have no influence. The location and installation time of the package have no
effect.
"""

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config, event, sigutils, types
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys

from anonset_kernels._compiling import COMPILATION

_F = TypeVar("_F", bound=Callable[..., Any])

FOLDER = Path(__file__).parent
"""Folder of this package."""
_VERSIONS = f"{numba.__version__}-py{sys.version_info[0]}{sys.version_info[1]}"
"""Name of the cache folder of these versions of Numba and Python."""
_TRIED = numba.__version__.startswith(("0.67.", "0.68."))
"""True if `_KernelCache` was tested with this Numba version. Other versions use Numba's own cache."""


def source_hash(folder: Path) -> str:
    """Return a hash of the names and bytes of all Python sources below `folder` (16 hex digits)."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(b"\0")
        digest.update(path.read_bytes())
        digest.update(b"\0")
    return digest.hexdigest()[:16]


_IMPORTED = re.compile(rb"^\s*(?:from|import)\s+anonset_kernels\.([\w.]+)", re.MULTILINE)


def sources_of(path: Path) -> dict[Path, bytes]:
    """Return the path and bytes of a kernel file and of all package files that it imports, directly or indirectly."""
    sources: dict[Path, bytes] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in sources:
            sources[file] = _bytes_of(file)
            waiting += [path_of(name.decode()) for name in _IMPORTED.findall(sources[file])]
    return sources


def path_of(name: str) -> Path:
    """Return the file of a module of this package, for example ``cuts.fix``."""
    return FOLDER.joinpath(*name.split(".")).with_suffix(".py")


def name_of(path: Path) -> str:
    """Return the name of a module of this package, for example ``cuts.fix``."""
    return ".".join(path.relative_to(FOLDER).with_suffix("").parts)


@cache
def _bytes_of(path: Path) -> bytes:
    return path.read_bytes()


def _user_cache() -> Path:
    """Return the parent folder of this user's caches (NUMBA_CACHE_DIR if set)."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "anonset"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "anonset"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "anonset"


@lru_cache(maxsize=1)
def cache_directory() -> Path | None:
    """Return the cache directory of all compiled kernels. None if it is not writable and contains no kernels.

    A read-only directory, as in a container image, is used if it contains compiled kernels.
    """
    try:
        folder = _user_cache() / _VERSIONS
    except RuntimeError:  # no home directory
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return folder if _TRIED and any(folder.rglob("*.nbi")) else None


@lru_cache(maxsize=1)
def packaged_directory() -> Path | None:
    """Return the folder of machine code in the package ``anonset_compiled``. None if it has none for these versions."""
    package = find_spec("anonset_compiled") if _TRIED else None
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / _VERSIONS
    return folder if folder.is_dir() else None


@cache
def directory_of(path: Path) -> Path | None:
    """Return the cache directory of a file's kernels, named after a hash of the sources. None if there is no cache."""
    folder = cache_directory()
    return None if folder is None else folder / _directory_name(path)


@cache
def _directory_name(path: Path) -> str:
    digest = hashlib.sha256()
    sources = {Path(os.path.relpath(file, FOLDER)).as_posix(): source for file, source in sources_of(path).items()}
    for name, source in sorted(sources.items()):
        digest.update(f"{name} {len(source)}\n".encode())
        digest.update(source)
    return f"{path.stem}-{digest.hexdigest()[:16]}"


@lru_cache(maxsize=1)
def cache_writable() -> bool:
    """Return True if the machine code of kernels is stored for later runs."""
    folder = cache_directory()
    return folder is not None and os.access(folder, os.W_OK)


class _Locator(UserProvidedCacheLocator):
    """Finds a kernel's machine code in the cache directory of its file.

    The directory name contains a hash of the sources, so the code is always current.
    """

    @classmethod
    def from_function(cls, py_func: Any, py_file: Any) -> Any:
        """Return a locator. Numba's own settings are ignored."""
        return super(UserProvidedCacheLocator, cls).from_function(py_func, py_file)

    def get_cache_path(self) -> str:
        folder = cast("Path", cache_directory() or packaged_directory())
        return str(folder / _directory_name(Path(self._py_file)))

    def get_source_stamp(self) -> str:
        return ""

    def ensure_cache_path(self) -> None:
        if cache_writable():
            Path(self.get_cache_path()).mkdir(exist_ok=True)


class _CacheImpl(CompileResultCacheImpl):
    """Reads and writes machine code as Numba does, but in the directory returned by `directory_of`."""

    _locator_classes = [_Locator]  # noqa: RUF012


class _KernelCache(FunctionCache):
    """Machine code of a kernel on disk, loaded without initializing the compiler.

    Before loading, Numba's own cache fills the compiler's tables of types and functions, which takes 0.2 s and imports
    SciPy. Machine code only needs the array runtime, and every compilation fills the tables first. The cache files are
    located on first use, because most kernels are only called by other kernels.
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
            return self._load_packaged(sig, target_context) or self._load_overload(sig, target_context)

    def _load_packaged(self, sig: Any, target_context: Any) -> Any:
        """Load machine code for a generic processor of this architecture. None if it was not compiled in advance."""
        folder = packaged_directory()
        if folder is None:
            return None
        signature, (architecture, *_), code = self._index_key(sig, target_context.codegen())
        directory = folder / _directory_name(Path(self._function.__code__.co_filename))
        file = IndexDataCacheFile(str(directory), self._impl.filename_base, "")
        data = file.load((signature, (architecture, "generic", ""), code))
        return None if data is None else self._impl.rebuild(target_context, data)

    def save_overload(self, sig: Any, data: Any) -> None:
        if cache_writable():
            with COMPILATION.storing():
                super().save_overload(sig, data)


class _Kernel(CPUDispatcher):
    """Kernel that is compiled once per combination of array types: integer arguments are always 64 bits wide.

    Numba would compile another version for each constant and each integer width.
    """

    def compile(self, sig: Any) -> Any:
        arguments, _ = sigutils.normalize_signature(sig)
        return super().compile(tuple(map(_widened, arguments)))


class _InnerKernel(_Kernel):
    """Kernel that only other kernels call. It cannot be called from Python when compiled."""

    def __call__(self, *_: Any) -> Any:
        raise TypeError(f"only other kernels may call {self.py_func.__name__}")


def _widened(argument: Any) -> Any:
    """Return the compiled type of an argument.

    Literals become their plain type, and integers other than uint64 become int64.
    """
    plain = types.unliteral(argument)
    return types.int64 if isinstance(plain, types.Integer) and plain != types.uint64 else plain


_OPTIONS = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True}


def kernel(*, allocates: bool = False, inlined: bool = False) -> Callable[[_F], _F]:
    """Compile a function to machine code that runs without the GIL.

    If the cache directory is writable, the machine code is stored on disk. A kernel whose name begins with ``_`` can
    only be called by other kernels: it has no wrapper for calls from Python, so it compiles faster.

    Parameters
    ----------
    allocates
        True if the kernel creates an array, or calls a kernel that returns one. Such a kernel counts the references to
        its arrays, so that they are freed. Other kernels do not count references, which saves two atomic operations per
        array in each call. Numba rejects a new array in a kernel without this option. It does not reject an array that
        another kernel returns, which would then never be freed; a test finds such kernels.
    inlined
        True to copy the kernel into each kernel that calls it. Calls are slow for a short kernel with many arrays in an
        inner loop, because each array is passed as seven words. The calling kernels take longer to compile.
    """

    def compile_kernel(function: _F) -> _F:
        if config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        inner = function.__name__.startswith("_")
        options = {**_OPTIONS, "no_cpython_wrapper": inner, "_nrt": allocates, "forceinline": inlined}
        kind = _InnerKernel if inner else _Kernel
        compiled: Any = kind(py_func=function, targetoptions=options)
        if (cache_directory() or packaged_directory()) is not None and _TRIED:
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
    """Receives Numba's compilation events. Loading machine code from the cache is not a compilation."""

    def on_start(self, _: Any) -> None:
        COMPILATION.begin()

    def on_end(self, _: Any) -> None:
        COMPILATION.end()


event.register("numba:compile", _CompileListener())
