"""Compiling kernels before they are needed."""

from pathlib import Path


def kernel_cache() -> Path | None:
    """Return the folder in which machine code is kept, or None where none can be written."""
    from anonset_kernels._jit import cache_directory

    return cache_directory()
