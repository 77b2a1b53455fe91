"""Arrow columns as encoded columns: sets, categories and numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn, SetColumn
from anonset.data.changes import Change
from anonset.data.joining import require_joinable
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.io.files import reading
from anonset.io.misreading import require_items, require_split
from anonset.io.normalizing import normalize_items
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
    separator: str | None
    """What separates the items in a cell of text; None: blanks, and what looks otherwise is refused."""
    empty_for_null: bool = False
    """Whether a null set is the empty set."""
    value_for_null: bool = False
    """Whether a null category is the category ``?``."""
    whole: bool = False
    """Whether a cell of text is one item, where nothing separates items."""
    exact: bool = False
    """Whether text is one of our own, in which blanks count, and every symbol is what it is."""
    normalize: tuple[str, ...] = ()
    """Rules of what is done to items, one after the other."""
    changes: list[Change] = field(default_factory=list)
    """What they changed so far."""
    printed: bool = False
    """Whether lists come from a text, so that empty items and the blanks around items are no part of them."""

    def sets(self, name: str, column: Any) -> SetColumn:
        """Encode a column of lists, or of text cells whose items are separated."""
        return self._sets({name: column})[0]

    def joined_sets(self, name: str, columns: dict[str, Any]) -> SetColumn:
        """Encode several columns as one of sets, their items prefixed: ``column:item``."""
        try:
            require_joinable(columns)
        except InputError as error:
            msg = f"{self.where}: {error}"
            raise InputError(msg) from None
        return SetColumn.join(self._sets(columns), name)

    def truth(self, name: str, column: Any) -> tuple[Int32, list[str]]:
        """Return the codes and the distinct values of a column of 0 and 1; null is one of them, as the empty text."""
        import pyarrow.compute as pc

        text = pc.fill_null(self._text(name, column), "")
        codes, labels = _trimmed(*_dictionary(text))
        return codes, ["0" if not label and self.empty_for_null else label for label in labels]

    def codes(self, name: str, column: Any) -> SetColumn:
        """Encode a column whose cells hold one code each, or none where they are empty or null."""
        return replace(self, whole=True, empty_for_null=True).sets(name, column)

    def _sets(self, columns: Mapping[str, Any]) -> list[SetColumn]:
        """Encode columns of sets, if they are no columns of 0 and 1, nor hold several items in one."""
        tokens = {name: self._tokens(name, column) for name, column in columns.items()}
        cells = [name for name, column in columns.items() if not is_list(column.type)]
        if not self.exact:
            require_items(self.where, [(name, tokens[name][2]) for name in cells])
        if not self.exact and not (self.whole and self.separator is None):
            for name in cells:
                require_split(f"{self.where}: column {name!r}", tokens[name][2], self.separator)
        return [self.tidy(encode_sets(name, offsets(found[0]), *found[1:])) for name, found in tokens.items()]

    def tidy(self, column: SetColumn) -> SetColumn:
        """Apply the rules to the items of a column, and note what they change."""
        column, changes = normalize_items(column, self.normalize)
        self.changes.extend(changes)
        return column

    def category(self, name: str, column: Any, *, allow_null: bool = True) -> CategoricalColumn:
        """Encode a column as categories, by its text; null (or NaN) is refused or becomes the category ``?``."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if is_list(column.type):
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

        cells = self._lists(name, column)
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
        if cells is column and not self.printed:
            return length, codes, labels
        if not self.exact:
            codes, labels = _trimmed(codes, labels)
        if "" in labels:  # empty cells, leading and doubled separators
            empty = labels.index("")
            length, codes = keep_tokens(length, codes, codes != empty)
            codes, labels = codes - (codes > empty).astype(np.int32), [label for label in labels if label]
        return length, codes, labels

    def _lists(self, name: str, column: Any) -> Any:
        """Return a column of lists: as it is, or the cells of a column of text split, or whole."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if is_list(column.type):
            return column
        text = self._text(name, column)
        if self.whole and self.separator is None:
            ends = pa.array(np.arange(len(text) + 1), pa.int64())
            return pa.LargeListArray.from_arrays(ends, text, mask=text.is_null() if text.null_count else None)
        return pc.split_pattern(text, " " if self.separator is None else self.separator)

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


def is_list(kind: Any) -> bool:
    """Tell whether a type of Arrow is one of lists."""
    import pyarrow as pa

    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def _trimmed(codes: Int32, labels: list[str]) -> tuple[Int32, list[str]]:
    """Take the blanks around labels away, and make those that are the same then one."""
    bare = [label.strip() for label in labels]
    if bare == labels:
        return codes, labels
    found = {label: code for code, label in enumerate(dict.fromkeys(bare))}
    image = np.fromiter((found[label] for label in bare), np.int32, len(bare))
    return image[codes], list(found)


def _dictionary(text: Any) -> tuple[Int32, list[str]]:
    """Return the codes and the distinct values of an array of text without nulls."""
    encoded = text.dictionary_encode()
    codes: Int32 = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    labels: Sequence[str] = encoded.dictionary.to_pylist()
    return codes, list(labels)
