"""Ceilings as they are written: a column of the hierarchy's file, or a file with a node a line."""

import os
from pathlib import Path

from anonset.data import Hierarchy
from anonset.data.ceilings import Ceiling, under
from anonset.errors import HierarchyError, InputError
from anonset.io.files import read_bytes
from anonset.spelling import setting

_MOST_DIGITS = 18


def ceiling_of(given: Ceiling | os.PathLike[str]) -> Ceiling:
    """Return the ceiling that a setting names: a number, labels, or a file with one a line.

    >>> ceiling_of("2"), ceiling_of(["A", "B"])
    (2, ['A', 'B'])

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    if not isinstance(given, (str, os.PathLike)):
        return given
    text = os.fspath(given)
    if text.isdecimal() and len(text) <= _MOST_DIGITS:
        return int(text)
    if not Path(text).is_file():
        way = "a column of the hierarchy, as a number, or a file with a node a line"
        msg = f"{setting('ceiling')} must be {way}; there is no file {os.fspath(given)!r}"
        raise InputError(msg)
    try:
        lines = read_bytes(Path(text)).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        msg = f"{setting('ceiling')}: {os.fspath(given)!r} must be UTF-8 text, a node of the hierarchy a line"
        raise InputError(msg) from None
    return [line.strip() for line in lines if line.strip()]


def capped(hierarchy: Hierarchy, given: Ceiling | os.PathLike[str], name: str) -> Hierarchy:
    """Return the hierarchy of a column, of which nothing above a ceiling is published.

    Raises
    ------
    InputError
        If a tree that is made from frequencies is to end at a column, or at what is no node of it.
    """
    ceiling = ceiling_of(given)
    if isinstance(ceiling, int) and hierarchy.unnamed:
        msg = f"{setting('ceiling')} of {name!r}: the hierarchy is made, and has no columns; name nodes in a file"
        raise InputError(msg)
    try:
        return under(hierarchy, ceiling)
    except HierarchyError as error:
        msg = f"{setting('ceiling')} of {name!r}: {error}"
        raise InputError(msg) from None
