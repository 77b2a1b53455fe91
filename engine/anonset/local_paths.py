"""Check of output paths, and errors of writing to files."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anonset.errors import AnonsetError, InputError

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # `Path` turns s3://bucket into s3:/bucket


def require_local(*paths: str | os.PathLike[str] | None) -> None:
    """Reject an address such as ``s3://bucket/out`` as an output path.

    >>> require_local("out", "/data/out", None)
    >>> require_local("s3://bucket/out")
    Traceback (most recent call last):
        ...
    anonset.errors.InputError: 's3://bucket/out' is not a local path: write to a local path, then upload the result

    Raises
    ------
    InputError
        If a path is an address.
    """
    for path in paths:
        if path is not None and _ADDRESS.match(os.fspath(path)):
            raise InputError(f"{os.fspath(path)!r} is not a local path: write to a local path, then upload the result")


@contextmanager
def writing(path: Path, what: str = "cannot be written") -> Iterator[None]:
    """Convert an operating system error into a one-line error that names the file."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: {what}: {error.strerror or type(error).__name__}") from error


def name_in(error: BaseException | None, written: Path, meant: object) -> None:
    """Replace the temporary path in the message of an error by the user's path."""
    old, new = str(written), str(meant)
    if isinstance(error, OSError) and isinstance(error.filename, (str, os.PathLike)):
        error.filename = str(error.filename).replace(old, new)
    elif isinstance(error, AnonsetError):
        error.name_path(old, new)
    elif error is not None:
        error.args = tuple(part.replace(old, new) if isinstance(part, str) else part for part in error.args)
