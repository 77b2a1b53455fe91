"""Rows in a store. They are written part by part, read in pieces, and deleted with the last array that uses them."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.blocks import RECORDS_PER_BLOCK, Rows, StoredRows
from anonset.data.codes import stored_codes
from anonset.data.storage.store import Store, delete_when_collected, store_of

RECORDS_PER_PIECE = RECORDS_PER_BLOCK


def pieces(rows: StoredRows) -> list[StoredRows]:
    """Return the rows in pieces. Rows in memory are a single piece."""
    indptr, items = rows
    spans = store_of(stored_codes(items)).spans(len(indptr) - 1, RECORDS_PER_PIECE)
    return [(indptr[first : end + 1], items) for first, end in spans]


def filed_rows(store: Store, parts: Iterable[Rows]) -> Rows:
    """Write the rows of all parts to a store, and return the stored rows as memory maps.

    Raises
    ------
    InputError
        If the store is full.
    """
    with store.growing("rows", np.int64) as starts, store.growing("items", np.int32) as items_file:
        starts.append(np.zeros(1, np.int64))
        for indptr, items in parts:
            starts.append(indptr[1:] + (items_file.length - int(indptr[0])))
            items_file.append(items[indptr[0] : indptr[-1]])
    return delete_when_collected(starts.finished()), delete_when_collected(items_file.finished())


def filed_values(store: Store, parts: Iterable[NDArray[Any]], dtype: DTypeLike) -> NDArray[Any]:
    """Write arrays to a store, and return their concatenation as a memory map.

    Raises
    ------
    InputError
        If the store is full.
    """
    with store.growing("values", dtype) as file:
        for values in parts:
            file.append(values)
    return delete_when_collected(file.finished())
