"""Rows in files of a work directory: written part by part, gone through in pieces, removed with their last array."""

import secrets
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.blocks import RECORDS_PER_BLOCK, Rows
from anonset.data.mapped import WorkFolder, backing, folder_of

RECORDS_PER_PIECE = RECORDS_PER_BLOCK


def pieces(rows: Rows) -> list[Rows]:
    """Return rows some at a time, as they lie there; those in memory at once."""
    indptr, items = rows
    if folder_of(items) is None:
        return [rows]
    firsts = range(0, len(indptr) - 1, RECORDS_PER_PIECE)
    return [(indptr[first : first + RECORDS_PER_PIECE + 1], items) for first in firsts]


def filed_rows(work: WorkFolder, parts: Iterable[Rows]) -> Rows:
    """Write the rows of parts, one after the other, and return them mapped.

    Raises
    ------
    InputError
        If there is no room for them.
    """
    token = secrets.token_hex(8)
    begins, codes = f"rows-{token}", f"rows-{token}-items"
    with work.growing(begins, np.int64) as starts, work.growing(codes, np.int32) as held:
        starts.append(np.zeros(1, np.int64))
        for indptr, items in parts:
            starts.append(indptr[1:] + (held.length - int(indptr[0])))
            held.append(items[indptr[0] : indptr[-1]])
    return released(work, begins, np.int64), released(work, codes, np.int32)


def filed_values(work: WorkFolder, parts: Iterable[NDArray[Any]], dtype: DTypeLike) -> NDArray[Any]:
    """Write arrays, one after the other, and return them mapped.

    Raises
    ------
    InputError
        If there is no room for them.
    """
    name = f"values-{secrets.token_hex(8)}"
    with work.growing(name, dtype) as held:
        for values in parts:
            held.append(values)
    return released(work, name, dtype)


def filed_room(work: WorkFolder, dtype: DTypeLike, length: int) -> NDArray[Any]:
    """Return an array of zeros in a file, to be written in any order.

    Raises
    ------
    InputError
        If there is no room for it.
    """
    name = f"room-{secrets.token_hex(8)}"
    return _until_let_go(work, name, work.room(name, dtype, length))


def released(work: WorkFolder, name: str, dtype: DTypeLike) -> NDArray[Any]:
    """Return a finished array, whose file is removed when nothing refers to it any more."""
    return _until_let_go(work, name, work.mapped(name, dtype))


def _until_let_go(work: WorkFolder, name: str, array: NDArray[Any]) -> NDArray[Any]:
    file = backing(array)
    if file is None:  # an empty array is not mapped
        work.drop(name)
    else:
        weakref.finalize(file, work.drop, name)
    return array
