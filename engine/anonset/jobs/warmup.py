"""Compile every kernel in advance, for example for a container image. This is the job of `anonset warmup`."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.jobs.annotated_kernels import all_files, compile_file


@dataclass(frozen=True)
class CompilationResult:
    """Result of a kernel compilation."""

    kernels: int
    """Number of kernels compiled now. 0 if all were cached."""
    seconds: float
    """Compilation time in seconds."""
    folder: Path
    """Folder of the compiled machine code."""


def warm_up(*, progress: Progress | None = None) -> CompilationResult:
    """Compile every kernel for the types in its parameter annotations.

    Raises
    ------
    InputError
        If there is no writable cache. Every run would then compile the kernels again.
    """
    from anonset_kernels._compiling import COMPILATION
    from anonset_kernels._jit import cache_writable

    folder = kernel_cache()
    if folder is None or not cache_writable():
        raise InputError(
            "no writable cache directory for compiled kernels; set the environment variable NUMBA_CACHE_DIR to a "
            "writable directory"
        )
    kernels, seconds, names = COMPILATION.kernels, COMPILATION.seconds, all_files()
    for number, name in enumerate(names):
        if progress is not None:
            progress("warming up", number, len(names))
        compile_file(name)
    if (mark := _mark()) is not None:
        mark.touch()
    return CompilationResult(COMPILATION.kernels - kernels, COMPILATION.seconds - seconds, folder)


def kernel_cache() -> Path | None:
    """Return the folder of the compiled machine code. None if there is no cache."""
    from anonset_kernels._jit import cache_directory

    return cache_directory()


def is_warm() -> bool:
    """Return True if all kernels of this version are compiled, or the JIT is disabled.

    They are compiled by `warm_up` for this processor, or belong to the package anonset-compiled. Kernels compiled by
    earlier runs do not count, because these runs may have called only some of the kernels.
    """
    from anonset_kernels._jit import packaged_directory

    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return True
    packaged = packaged_directory()
    if packaged is not None and any(packaged.glob(f"{_mark_of_sources()}-*")):
        return True
    mark = _mark()
    return mark is not None and mark.exists()


def _mark() -> Path | None:
    """Return the marker file that `warm_up` writes into the cache. None if there is no cache."""
    import numba.core.registry as numba_registry

    folder = kernel_cache()
    processor = numba_registry.cpu_target.target_context.codegen().magic_tuple()
    digest = hashlib.sha256(repr(processor).encode()).hexdigest()[:16]
    return None if folder is None else folder / f"{_mark_of_sources()}-{digest}"


def _mark_of_sources() -> str:
    from anonset_kernels._jit import FOLDER, source_hash

    return f"warm-{source_hash(FOLDER)}"
