"""A set-valued column under construction, part by part."""

from types import TracebackType
from typing import Self

import numpy as np

from anonset.data.store import MEMORY, Store
from anonset.data.table import SetColumn
from anonset.data.vocabulary import Vocabulary


class GrowingSets:
    """A set-valued column of unknown length, whose vocabulary is known at the end.

    >>> with GrowingSets("items") as sets:
    ...     sets.append(SetColumn.of([{"a"}, {"b"}]))
    ...     sets.append(SetColumn.of([set(), {"a", "b"}]))
    >>> list(sets.finished(Vocabulary(("a", "b"))).rows())
    [['a'], ['b'], [], ['a', 'b']]
    """

    def __init__(self, name: str, store: Store = MEMORY) -> None:
        self.name = name
        self._end = 0
        self._indptr, self._items = store.growing("indptr", np.int64), store.growing("items", np.int32)
        self._indptr.append(np.zeros(1, np.int64))

    def append(self, part: SetColumn) -> None:
        """Add records at the end; of the part's vocabulary nothing is kept.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        self._indptr.append(part.indptr[1:] + self._end)
        self._items.append(part.items)
        self._end += len(part.items)

    def finished(self, vocabulary: Vocabulary) -> SetColumn:
        """Return the column under its vocabulary; nothing more is added."""
        return SetColumn(self.name, self._indptr.finished(), self._items.finished(), vocabulary)

    def drop_items(self) -> None:
        """Forget the items, but not where those of each record began."""
        self._items.drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for array in (self._indptr, self._items):
            array.__exit__(kind, error, at)
