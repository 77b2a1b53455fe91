"""Paths to write to. They must be on this machine: Python would make a local folder ``s3:`` of an address."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anonset.errors import InputError

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # `Path` turns s3://bucket into s3:/bucket


def require_local(*paths: str | os.PathLike[str] | None) -> None:
    """Refuse to write to an address such as ``s3://bucket/out``.

    >>> require_local("out", "/data/out", None)
    >>> require_local("s3://bucket/out")
    Traceback (most recent call last):
        ...
    anonset.errors.InputError: 's3://bucket/out' must be a local directory or file: write it here, then upload it

    Raises
    ------
    InputError
        With the address.
    """
    for path in paths:
        if path is not None and _ADDRESS.match(os.fspath(path)):
            msg = f"{os.fspath(path)!r} must be a local directory or file: write it here, then upload it"
            raise InputError(msg)


@contextmanager
def writing(path: Path, what: str = "cannot be written") -> Iterator[None]:
    """Convert an operating system error into a one-line error that names the file."""
    try:
        yield
    except OSError as error:
        msg = f"{path}: {what}: {error.strerror or type(error).__name__}"
        raise InputError(msg) from error
