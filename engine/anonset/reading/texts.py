"""Columns of text under construction: few labels are held; many lie in files, and become codes at the end."""

from itertools import islice
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np

from anonset.data import CategoricalColumn, SetColumn, Vocabulary
from anonset.data.label_order import encode_labels
from anonset.data.spans import spans
from anonset.data.store import Closing, Store
from anonset.data.vocabulary import Labels
from anonset.errors import AnonsetError
from anonset.reading import arrow
from anonset.reading.columns import Encoder

_MOST_TEXT_HELD = 1 << 24
"""Characters of the distinct labels of a column above which none of them is held."""

_Known = TypeVar("_Known", CategoricalColumn, SetColumn)


class Categories:
    """A column of categories under construction."""

    def __init__(self, name: str, store: Store) -> None:
        self.name, self.store, self.labels = name, store, Labels()
        self.codes = store.growing("codes", np.int32)

    def add(self, part: CategoricalColumn) -> None:
        """Add the records of a batch."""
        codes = self.labels.codes_of(self.name, part.vocabulary)
        self.codes.append(codes[part.codes])

    def finished(self) -> CategoricalColumn:
        """Return the column under its vocabulary."""
        vocabulary, image, moved = self.labels.final()
        gathered = CategoricalColumn(self.name, self.codes.finished(), vocabulary)
        if not moved:
            return gathered
        recoded = gathered.recode(image, vocabulary, self.store)
        self.codes.drop()
        return recoded


class FiledTexts(Closing):
    """A column of ids, or of many categories, whose texts are never held."""

    def __init__(self, name: str, store: Store) -> None:
        super().__init__()
        self.name, self._store, self._end = name, store, 0
        scratch = self.held.enter_context(store.below())
        self._starts = self.held.enter_context(scratch.growing("starts", np.int64))
        self._text = self.held.enter_context(scratch.growing("text", np.uint8))
        self._starts.append(np.zeros(1, np.int64))

    def add(self, column: Any) -> None:
        """Add rows: their texts (``pyarrow.LargeStringArray``)."""
        bounds, text = arrow.text_of(column)
        self._starts.append(bounds[1:] - bounds[0] + self._end)
        self._text.append(text[bounds[0] : bounds[-1]])
        self._end += int(bounds[-1] - bounds[0])

    def finished(self) -> CategoricalColumn:
        """Return the column; nothing more is added."""
        codes, labels = encode_labels(self._starts.finished(), self._text.finished(), self._store)
        return CategoricalColumn(self.name, codes, Vocabulary.of_filed(labels))


class Expected(Closing, Generic[_Known]):
    """A column that must equal a known one, row by row: it is that one, and nothing of what is read is kept."""

    def __init__(self, name: str, expected: _Known) -> None:
        super().__init__()
        self.name, self._n = name, 0
        self._expected: _Known = expected

    def _next(self, n: int) -> _Known:
        """Return what the next n rows must be."""
        first, self._n = self._n, self._n + n
        if self._n > self._expected.n:
            self._refuse()
        return self._expected.slice(first, self._n)

    def finished(self) -> _Known:
        """Return the column; nothing more is added.

        Raises
        ------
        AnonsetError
            If rows are missing.
        """
        if self._n != self._expected.n:
            self._refuse()
        return self._expected

    def _refuse(self) -> NoReturn:
        msg = f"column {self.name!r}: what was read back differs from what was to be written"
        raise AnonsetError(msg)


class ExpectedTexts(Expected[CategoricalColumn]):
    """A column whose labels lie in files that must equal a known one, text by text: it gets the codes of that one."""

    def add(self, column: Any) -> None:
        """Compare further rows.

        Raises
        ------
        AnonsetError
            If one differs.
        """
        bounds, text = arrow.text_of(column)
        meant = self._next(len(column))
        labels = meant.vocabulary.filed
        if labels is None or labels.first_other(meant.codes, bounds, text) >= 0:
            self._refuse()


class KeptTexts(Closing):
    """A column of categories whose labels are held while they are few.

    What it holds, and the order of its codes, are the same either way.

    Parameters
    ----------
    expected
        The column, with labels in files, that it must equal, text by text; None: any.
    """

    def __init__(self, name: str, store: Store, expected: CategoricalColumn | None = None) -> None:
        super().__init__()
        self.name, self._store = name, store
        self._few, self._characters = Categories(name, store), 0
        self._many: FiledTexts | ExpectedTexts | None = None if expected is None else ExpectedTexts(name, expected)
        self.held.enter_context(self._few.codes)

    def add(self, encoder: Encoder, column: Any) -> None:
        """Add the records of a batch (``pyarrow.ChunkedArray``).

        Raises
        ------
        InputError
            If there is no text to be made of it, or null is refused.
        AnonsetError
            If another text was expected.
        """
        if self._many is not None:
            self._many.add(_texts(encoder, self.name, column))
            return
        before, index = len(self._few.labels.index), self._few.labels.index
        self._few.add(encoder.category(self.name, column))
        self._characters += sum(map(len, islice(index, before, None)))
        if len(index) > self._store.limits.labels_held or self._characters > _MOST_TEXT_HELD:
            self._many = self._filed()

    def _filed(self) -> FiledTexts:
        """Return the column so far with its labels in files, none of them held."""
        filed = self.held.enter_context(FiledTexts(self.name, self._store))
        codes, labels = self._few.codes.finished(), arrow.text_array(list(self._few.labels.index))
        for first, end in spans(len(codes)):
            filed.add(arrow.chosen(labels, codes[first:end]))
        self._few.codes.drop()
        self._few.labels.index.clear()
        return filed

    def finished(self) -> CategoricalColumn:
        """Return the column; nothing more is added.

        Raises
        ------
        AnonsetError
            If records that were expected are missing.
        """
        return self._few.finished() if self._many is None else self._many.finished()


def _texts(encoder: Encoder, name: str, column: Any) -> Any:
    """Return the labels of the rows of a column as text (``pyarrow.LargeStringArray``), as they would be encoded."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if (pa.types.is_string(kind) or pa.types.is_large_string(kind)) and not encoder.normalize.get(name):
        text = arrow.cast(arrow.cast(column, kind), pa.large_string())
        if not text.null_count:
            return text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    encoded = encoder.category(name, column)
    return arrow.chosen(arrow.text_array(encoded.vocabulary.labels), encoded.codes)
