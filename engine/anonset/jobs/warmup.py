"""The job of `anonset warmup`: every kernel is compiled before it is needed, as for an image of a container."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from anonset.algorithms.base import Progress
from anonset.errors import InputError
from anonset.jobs.annotated_kernels import all_files, compile_file


@dataclass(frozen=True)
class Warmth:
    """What was compiled, and where it lies."""

    kernels: int
    """Number of kernels compiled now; 0 where all of them were there."""
    seconds: float
    """Seconds that compiling took."""
    folder: Path
    """Where machine code is kept."""


def warm_up(*, progress: Progress | None = None) -> Warmth:
    """Compile every kernel for the types that are written beside its parameters.

    Raises
    ------
    InputError
        If machine code could not be kept: every run would compile anew, whatever was done here.
    """
    from anonset_kernels._compiling import COMPILATION
    from anonset_kernels._jit import cache_writable

    folder = kernel_cache()
    if folder is None or not cache_writable():
        msg = (
            "compiled kernels can be kept nowhere, so that to compile them now would be of no use; "
            "name a folder that can be written by the environment variable NUMBA_CACHE_DIR"
        )
        raise InputError(msg)
    kernels, seconds, names = COMPILATION.kernels, COMPILATION.seconds, all_files()
    for number, name in enumerate(names):
        if progress is not None:
            progress("warming up", number, len(names))
        compile_file(name)
    if (mark := _mark()) is not None:
        mark.touch()
    return Warmth(COMPILATION.kernels - kernels, COMPILATION.seconds - seconds, folder)


def kernel_cache() -> Path | None:
    """Return the folder in which machine code is kept, or None where there is none."""
    from anonset_kernels._jit import cache_directory

    return cache_directory()


def is_warm() -> bool:
    """Return True if `warm_up` has compiled the kernels of this version for this processor, or nothing is compiled.

    Kernels that earlier runs compiled do not count: these runs may have called a part of them only.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return True
    mark = _mark()
    return mark is not None and mark.exists()


def _mark() -> Path | None:
    """Return the file that `warm_up` leaves in the cache, or None if there is no cache."""
    import numba.core.registry as numba_registry

    from anonset_kernels import _jit

    folder = kernel_cache()
    processor = numba_registry.cpu_target.target_context.codegen().magic_tuple()
    digest = hashlib.sha256(repr(processor).encode()).hexdigest()[:16]
    return None if folder is None else folder / f"warm-{_jit.source_hash(_jit.path_of('rows').parent)}-{digest}"
