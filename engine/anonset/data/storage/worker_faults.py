"""Errors of single workers of a cluster. Messages name the worker, its host and the file."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from anonset.errors import AnonsetError, InputError
from anonset.spelling import setting


@contextmanager
def named_worker(version: str) -> Iterator[None]:
    """Add the name of this worker to errors of the operating system. Reject a task of another version of anonset.

    Raises
    ------
    InputError
        If the worker runs another version than `version`, lacks memory, or cannot read or write a file.
    """
    if version_here() != version:
        versions = f"({version_here()}, needed {version})"
        raise InputError(f"worker {_address()} on {socket.gethostname()} runs another version of anonset {versions}")
    try:
        yield
    except (OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or ("out of memory" if isinstance(error, MemoryError) else f"{error}")
        where = f"{error.filename}: " if isinstance(error, OSError) and error.filename is not None else ""
        raise InputError(f"worker {_address()} on {socket.gethostname()}: {where}{reason}") from None
    except AnonsetError as error:
        if isinstance(error.__cause__, OSError):
            raise InputError(f"worker {_address()} on {socket.gethostname()}: {error}") from None
        raise


def require_importable(answers: Mapping[str, Any]) -> None:
    """Reject a cluster with a worker that cannot import this version of anonset. `answers` are the answers by worker.

    Raises
    ------
    InputError
        The message names the worker.
    """
    for worker, answer in sorted(answers.items()):
        if isinstance(answer, (ImportError, AttributeError, TypeError)):
            msg = f"{setting('cluster')}: worker {worker} cannot run this version of anonset ({type(answer).__name__})"
            raise InputError(msg)


@cache
def version_here() -> str:
    """Return the version of anonset as hashes of its source files."""
    import anonset_kernels
    from anonset_kernels._jit import source_hash

    folders = Path(__file__).parents[2], Path(anonset_kernels.__file__).parent
    return "-".join(source_hash(folder) for folder in folders)


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)
