"""Build text columns. Few labels are kept in memory. Many labels are stored in files and encoded at the end."""

from contextlib import ExitStack
from itertools import islice
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np

from anonset import arrow
from anonset.columns.identity import folded
from anonset.data import CategoricalColumn, SetColumn, Vocabulary
from anonset.data.array_types import Int32
from anonset.data.labels.label_order import encode_labels
from anonset.data.labels.vocabulary import LabelCollector
from anonset.data.spans import spans
from anonset.data.storage.store import Store
from anonset.errors import AnonsetError
from anonset.lazy_arrow import pa
from anonset.reading.cells.columns import Encoder

_MOST_TEXT_HELD = 1 << 24
"""Maximum number of characters of a column's distinct labels in memory. If there are more, no label is kept in memory.
"""

_Known = TypeVar("_Known", CategoricalColumn, SetColumn)


class Categories:
    """Categorical column under construction."""

    def __init__(self, name: str, store: Store) -> None:
        self.name, self.store, self.labels = name, store, LabelCollector()
        self.codes = store.growing("codes", np.int32)

    def add(self, part: CategoricalColumn) -> None:
        """Add the records of a batch."""
        codes = self.labels.codes_of(self.name, part.vocabulary)
        self.codes.append(codes[part.codes])

    def finished(self) -> CategoricalColumn:
        """Return the column with a vocabulary."""
        vocabulary, image, moved = self.labels.final()
        gathered = CategoricalColumn(self.name, self.codes.finished(), vocabulary)
        if not moved:
            return gathered
        recoded = gathered.recode(image, vocabulary, self.store)
        self.codes.drop()
        return recoded


class FiledTexts(ExitStack):
    """Column of ids, or of many categories, whose texts are never kept in memory."""

    def __init__(self, name: str, store: Store) -> None:
        super().__init__()
        self.name, self._store, self._end = name, store, 0
        scratch = self.enter_context(store.nested())
        self._starts = self.enter_context(scratch.growing("starts", np.int64))
        self._text = self.enter_context(scratch.growing("text", np.uint8))
        self._starts.append(np.zeros(1, np.int64))

    def add(self, column: Any) -> None:
        """Add rows, given their texts (``pyarrow.LargeStringArray``)."""
        bounds, text = arrow.text_of(column)
        self._starts.append(bounds[1:] - bounds[0] + self._end)
        self._text.append(text[bounds[0] : bounds[-1]])
        self._end += int(bounds[-1] - bounds[0])

    def finished(self) -> CategoricalColumn:
        """Return the column. No rows can be added afterwards."""
        codes, labels = encode_labels(self._starts.finished(), self._text.finished(), self._store)
        return CategoricalColumn(self.name, codes, Vocabulary.of_filed(labels))


class FiledIds(FiledTexts):
    """Column of ids in files. The id that occurs first replaces its other spellings (see `folded`)."""

    def __init__(self, name: str, store: Store) -> None:
        super().__init__(name, store)
        self._uniform = self.enter_context(FiledTexts(name, store))
        self.spelling: Int32 | None = None
        """Code of the spelling of each id, int32 (n,), if an id has several spellings. Complete after `finished`."""

    def add(self, column: Any) -> None:
        """Add rows, given their texts (``pyarrow.LargeStringArray``)."""
        super().add(column)
        self._uniform.add(folded(column))

    def finished(self) -> CategoricalColumn:
        """Return the column. No rows can be added afterwards."""
        column, persons = super().finished(), self._uniform.finished()
        if len(column.vocabulary) == len(persons.vocabulary):
            return column
        first = np.zeros(len(persons.vocabulary), np.int64)
        for a, b in reversed(list(spans(column.n))):
            first[persons.codes[a:b][::-1]] = np.arange(a, b)[::-1]
        codes, self.spelling = self._store.array("codes", np.int32, column.n), column.codes
        for a, b in spans(column.n):
            codes[a:b] = column.codes[first[persons.codes[a:b]]]
        return CategoricalColumn(self.name, codes, column.vocabulary)


class ExpectedColumn(ExitStack, Generic[_Known]):
    """Column that must equal an expected column row by row. The input is not stored, and the result is the expected
    column.
    """

    def __init__(self, name: str, expected: _Known) -> None:
        super().__init__()
        self.name, self._n = name, 0
        self._expected: _Known = expected

    def _next(self, n: int) -> _Known:
        first = self._n
        self.skip(n)
        return self._expected.slice(first, self._n)

    def skip(self, n: int) -> None:
        """Count `n` rows that were compared."""
        self._n += n
        if self._n > self._expected.n:
            self._refuse()

    def finished(self) -> _Known:
        """Return the column. No rows can be added afterwards.

        Raises
        ------
        AnonsetError
            If rows are missing.
        """
        if self._n != self._expected.n:
            self._refuse()
        return self._expected

    def _refuse(self) -> NoReturn:
        raise AnonsetError(f"column {self.name!r}: the written file differs from the result in memory")


class ExpectedTexts(ExpectedColumn[CategoricalColumn]):
    """Column with labels in files that must equal an expected column text by text. It gets the codes of the expected
    column.
    """

    def add(self, column: Any) -> None:
        """Compare more rows with the expected column.

        Raises
        ------
        AnonsetError
            If a row differs.
        """
        bounds, text = arrow.text_of(column)
        meant = self._next(len(column))
        labels = meant.vocabulary.filed
        if labels is None or labels.first_other(meant.codes, bounds, text) >= 0:
            self._refuse()


class KeptTexts(ExitStack):
    """Categorical column that keeps labels in memory if there are few.

    The content and the order of codes do not depend on the storage.

    Parameters
    ----------
    expected
        Column with labels in files that must be equal, text by text. If None, any content is accepted.
    """

    def __init__(self, name: str, store: Store, expected: CategoricalColumn | None = None) -> None:
        super().__init__()
        self.name, self._store = name, store
        self._few, self._characters = Categories(name, store), 0
        self._many: FiledTexts | ExpectedTexts | None = None if expected is None else ExpectedTexts(name, expected)
        self.enter_context(self._few.codes)

    def add(self, encoder: Encoder, column: Any) -> None:
        """Add the records of a batch (``pyarrow.ChunkedArray``).

        Raises
        ------
        InputError
            If a value cannot be converted to text, or null is rejected.
        AnonsetError
            If another text was expected.
        """
        if self._many is not None:
            self._many.add(_texts(encoder, self.name, column))
        else:
            self.append(encoder.category(self.name, column))

    def append(self, column: CategoricalColumn) -> None:
        """Add the encoded records of a batch.

        Raises
        ------
        AnonsetError
            If another text was expected.
        """
        if self._many is not None:
            self._many.add(arrow.chosen(arrow.text_array(column.vocabulary.labels), column.codes))
            return
        before, index = len(self._few.labels.index), self._few.labels.index
        self._few.add(column)
        self._characters += sum(map(len, islice(index, before, None)))
        if len(index) > self._store.limits.labels_held or self._characters > _MOST_TEXT_HELD:
            self._many = self._as_filed()

    def _as_filed(self) -> FiledTexts:
        filed = self.enter_context(FiledTexts(self.name, self._store))
        codes, labels = self._few.codes.finished(), arrow.text_array(list(self._few.labels.index))
        for first, end in spans(len(codes)):
            filed.add(arrow.chosen(labels, codes[first:end]))
        self._few.codes.drop()
        self._few.labels.index.clear()
        return filed

    def finished(self) -> CategoricalColumn:
        """Return the column. No rows can be added afterwards.

        Raises
        ------
        AnonsetError
            If expected records are missing.
        """
        return self._few.finished() if self._many is None else self._many.finished()


def _texts(encoder: Encoder, name: str, column: Any) -> Any:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if (pa.types.is_string(kind) or pa.types.is_large_string(kind)) and not encoder.normalize.get(name):
        text = arrow.cast(arrow.cast(column, kind), pa.large_string())
        if not text.null_count:
            return text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    encoded = encoder.category(name, column)
    return arrow.chosen(arrow.text_array(encoded.vocabulary.labels), encoded.codes)
