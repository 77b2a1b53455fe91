"""Arrow columns as encoded columns: sets, categories and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn, SetColumn
from anonset.data.joining import require_joinable
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.io.files import reading
from anonset.io.numbers import number_column
from anonset.io.sets import canonical_codes, encode_sets, keep_tokens, offsets
from anonset.spelling import setting

MISSING_CATEGORY = "?"
"""The category that stands for null where nulls are let in as a value."""


@dataclass(frozen=True)
class Encoder:
    """How the columns of one source are encoded."""

    where: str
    """Name of the source, for messages."""
    separator: str
    """What separates the items in a cell of text."""
    empty_for_null: bool
    """Whether a null set is the empty set."""
    value_for_null: bool
    """Whether a null category is the category ``?``."""

    def sets(self, name: str, column: Any) -> SetColumn:
        """Encode a column of lists, or of text cells whose items are separated."""
        lengths, codes, labels = self._tokens(name, column)
        return encode_sets(name, offsets(lengths), codes, labels)

    def joined_sets(self, name: str, columns: dict[str, Any]) -> SetColumn:
        """Encode several columns as one of sets, their items prefixed: ``column:item``."""
        try:
            require_joinable(columns)
        except InputError as error:
            msg = f"{self.where}: {error}"
            raise InputError(msg) from None
        return SetColumn.join([self.sets(column, cells) for column, cells in columns.items()], name)

    def category(self, name: str, column: Any, *, allow_null: bool = True) -> CategoricalColumn:
        """Encode a column as categories, by its text; null (or NaN) is refused or becomes the category ``?``."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if _is_list(column.type):
            msg = f"{self.where}: column {name!r} holds lists; only the set-valued column ({setting('items')}) may"
            raise InputError(msg)
        if pa.types.is_floating(column.type):  # what is no number is no value either
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        text = self._text(name, column)
        if text.null_count:
            if not (self.value_for_null and allow_null):
                self._refuse_null(
                    name, text, f"{setting('missing', 'value')} takes it as the category '?'" if allow_null else ""
                )
            text = pc.fill_null(text, MISSING_CATEGORY)
        codes, labels = _dictionary(text)
        vocabulary, image = canonical_codes(labels)
        return CategoricalColumn(name, image[codes], vocabulary)

    def number(self, name: str, column: Any) -> NumericColumn:
        """Encode a column of numbers: int64 if every value is an integer, else float64."""
        import pyarrow as pa

        if column.null_count:
            self._refuse_null(name, column, "give a number, or drop the column")
        kind = column.type
        plain = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        return number_column(self.where, name, column if plain else self._text(name, column))

    def _tokens(self, name: str, column: Any) -> tuple[Int64, Int32, list[str]]:
        """Return the number of items of each row, the items' codes, and the distinct items."""
        import pyarrow as pa
        import pyarrow.compute as pc

        cells = column if _is_list(column.type) else pc.split_pattern(self._text(name, column), self.separator)
        if cells.null_count and not self.empty_for_null:
            way_out = f"{setting('missing', 'empty')} takes it as the empty set"
            self._refuse_null(name, cells, f"null is not the empty set; {way_out}")
        chunks = cells.chunks if isinstance(cells, pa.ChunkedArray) else [cells]
        # list_value_length and flatten obey slices, and leave out what a null list may own in the child array.
        lengths = [pc.fill_null(pc.list_value_length(chunk), 0).to_numpy(zero_copy_only=False) for chunk in chunks]
        length = np.concatenate([np.zeros(0, np.int64), *lengths]).astype(np.int64)
        values = pa.chunked_array([chunk.flatten() for chunk in chunks], cells.type.value_type)
        if values.null_count:
            first = pc.index(values.is_null(), True).as_py()
            row = int(np.searchsorted(np.cumsum(length), first, side="right")) + 1
            msg = f"{self.where}: column {name!r}: the set of row {row} holds null; items must be text"
            raise InputError(msg)
        codes, labels = _dictionary(self._text(name, values, items=True))
        if cells is not column and "" in labels:  # empty cells, leading and doubled separators
            empty = labels.index("")
            length, codes = keep_tokens(length, codes, codes != empty)
            codes, labels = codes - (codes > empty).astype(np.int32), [label for label in labels if label]
        return length, codes, labels

    def _text(self, name: str, column: Any, *, items: bool = False) -> Any:
        """Return the column as one array of text; items must be text or integers already."""
        import pyarrow as pa

        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        textual = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        if items and not (textual or pa.types.is_integer(kind) or pa.types.is_null(kind)):
            msg = f"{self.where}: column {name!r}: items must be text or integers, got {kind}"
            raise InputError(msg)
        with reading(self.where, f"column {name!r} of type {column.type} cannot be read as text", values=True):
            if pa.types.is_binary(kind) or pa.types.is_nested(kind):
                msg = f"{self.where}: column {name!r} must be text or a plain value, got {kind}"
                raise InputError(msg)
            plain = column.cast(kind) if pa.types.is_dictionary(column.type) else column
            text = plain.cast(pa.large_string())
        return text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text

    def _refuse_null(self, name: str, column: Any, way_out: str) -> None:
        import pyarrow.compute as pc

        row = pc.index(pc.is_null(column), True).as_py() + 1
        msg = f"{self.where}: column {name!r}: row {row} is null" + (f"; {way_out}" if way_out else "")
        raise InputError(msg)


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def _dictionary(text: Any) -> tuple[Int32, list[str]]:
    """Return the codes and the distinct values of an array of text without nulls."""
    encoded = text.dictionary_encode()
    codes: Int32 = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    labels: Sequence[str] = encoded.dictionary.to_pylist()
    return codes, list(labels)
