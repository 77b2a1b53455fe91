"""Encode Arrow columns as sets, categories and numbers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns, is_list
from anonset.columns.cells import LIST, NoListError, items_of_lists
from anonset.columns.identity import are_given
from anonset.columns.missing import NULLS
from anonset.data import CategoricalColumn, SetColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import encode_sets, keep_tokens
from anonset.data.hierarchies.hierarchy_rules import MISSING_VALUE
from anonset.data.joining import require_joinable
from anonset.data.labels.vocabulary import canonical_codes
from anonset.data.spans import begins_of
from anonset.errors import Fix, InputError, Problem, typed
from anonset.lazy_arrow import pa
from anonset.reading.cells.input_checks import (
    require_exact_ids,
    require_items,
    require_short_ids,
    require_split,
    require_whole,
)
from anonset.reading.cells.normalizing import Changes, normalize_items, normalize_values
from anonset.reading.cells.numbers import Numbers, others, read_numbers
from anonset.reading.sources.files import reading
from anonset.spelling import setting


@dataclass(frozen=True)
class Encoder:
    """Encoder of a source's columns."""

    where: str
    """Name of the source, for messages."""
    separator: str | None
    """Separator of the items in a cell of text. If None, blanks separate items, and text that seems to use another
    separator is rejected.
    """
    empty_for_null: bool = False
    """True if a null set is read as the empty set."""
    value_for_null: bool = False
    """True if a null category is read as the category ``?``."""
    whole: bool = False
    """True if a cell of text without a declared separator is one item."""
    codes_declared: bool = False
    """True if the owner declares that each cell contains one item."""
    exact: bool = False
    """True if anonset wrote the text. Blanks are then significant, and labels are not changed."""
    normalize: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Rules for the values of each column, applied in order. The empty name has the rules for all items."""
    changes: Changes = field(default_factory=Changes)
    """Counts of the labels that the rules in `normalize` have changed."""
    printed: bool = False
    """True if the cells contain printed lists, such as ``['a', 'b']``. Empty items, and blanks around items, are then
    removed.
    """
    fills: Sequence[Fix] = ()
    """Settings that read the ids of rows without one."""
    decimal: str = ""
    """Decimal sign of numbers. Empty if it is a point."""
    before: int = 0
    """Number of rows of the source before the current batch, for messages."""
    more: bool = False
    """True if more rows of the source may follow."""
    unjudged: dict[str, set[str]] | None = None
    """Distinct items of the cells of each column, collected for one check after the last batch. None if each batch is
    checked separately.
    """
    separators: Mapping[str, str] = field(default_factory=dict)
    """Separators declared for single columns."""
    several: set[str] = field(default_factory=set)
    """Columns in which a cell contains several items."""
    present: str | None = None
    """Declared value that marks an item as present, or ``filled``. None if only evident values are accepted."""
    with_header: bool = False
    """True if items of columns with one code per cell are ``header=value``."""

    def normalized(self, column: SetColumn) -> SetColumn:
        """Apply the rules for items to a set-valued column."""
        return normalize_items(column, self.normalize, self.changes)

    def sets(self, name: str, column: Any) -> SetColumn:
        """Encode a column of lists, or of text cells with separated items."""
        return self._sets({name: column})[0]

    def joined_sets(self, columns: ArrowColumns) -> SetColumn:
        """Join several columns into the column ``items`` with items ``column:item``."""
        try:
            require_joinable(columns)
        except InputError as error:
            raise InputError(f"{self.where}: {error}") from None
        return SetColumn.join(self._sets(columns), "items")

    def truth(self, name: str, column: Any) -> tuple[Int32, list[str]]:
        """Return the codes and the distinct values of a 0/1 column. Null is read as the empty text."""
        codes, labels = self.marks(name, column)
        return codes, ["0" if not label and self.empty_for_null else label for label in labels]

    def marks(self, name: str, column: Any) -> tuple[Int32, list[str]]:
        """Return the codes and the distinct values of a column that marks an item, with null as the empty text."""
        return _trimmed(*dictionary(arrow.fill_null(self._text(name, column), "")))

    def codes(self, name: str, column: Any) -> SetColumn:
        """Encode a column with a single code per cell. Empty and null cells contain no code."""
        return replace(self, whole=True, codes_declared=True, empty_for_null=True).sets(name, column)

    def _sets(self, columns: ArrowColumns) -> list[SetColumn]:
        """Encode set-valued columns. Reject columns of 0 and 1, and items that look like several items."""
        tokens = {name: self._tokens(name, column) for name, column in columns.items()}
        cells = {name: tokens[name][2] for name, column in columns.items() if not is_list(column.type)}
        self.several.update(name for name in cells if tokens[name][0].max(initial=0) > 1)
        if self.unjudged is None:
            self.judge(cells)
        else:
            for name, labels in cells.items():
                self.unjudged.setdefault(name, set()).update(labels)
        sets = (encode_sets(name, begins_of(tokenized[0]), *tokenized[1:]) for name, tokenized in tokens.items())
        return [self.normalized(column) for column in sets]

    def judge(self, cells: Mapping[str, Collection[str]]) -> None:
        """Reject columns whose cells were probably split into items in the wrong way. `cells` contains the distinct
        items of each column.

        Raises
        ------
        InputError
            The message names the column, and the option that would help.
        """
        if self.exact:
            return
        require_items(self.where, [(name, labels) for name, labels in cells.items() if name not in self.several])
        for name, labels in cells.items():
            mark = self._mark(name)
            if mark == LIST:
                continue
            if not self.whole or mark is not None:
                unsplit = name not in self.several and not self.codes_declared
                require_split(f"{self.where}: column {name!r}", labels, mark, one_code=name if unsplit else "")
                if unsplit and mark is not None:
                    require_whole(self.where, name, labels, mark)
            elif not self.codes_declared:
                require_whole(self.where, name, labels)

    @property
    def split_at_blanks(self) -> list[str]:
        """Columns in which blanks split cells into several items, because no separator is declared."""
        return [name for name in self.several if self._mark(name) is None]

    def _mark(self, name: str) -> str | None:
        return self.separators.get(name, self.separator)

    def category(self, name: str, column: Any) -> CategoricalColumn:
        """Encode the texts of a column as categories. Null and NaN are rejected unless they are read as the category
        ``?``.
        """
        text = self._values(name, column, allow_null=True)
        codes, labels = dictionary(text)
        vocabulary, image = canonical_codes(labels)
        encoded = CategoricalColumn(name, image[codes], vocabulary)
        return normalize_values(encoded, self.normalize.get(name, ()), self.changes)

    def identifier(self, name: str, column: Any) -> Any:
        """Return an id column as text (``pyarrow.LargeStringArray``). Null, empty, blank and long ids are rejected, and
        floats so large that different ids would be equal.

        Raises
        ------
        InputError
            The message names the column and the row.
        """
        if pa.types.is_floating(column.type):
            floats = arrow.fill_null(arrow.cast(column, pa.float64()), "nan")
            require_exact_ids(self.where, name, arrow.to_numpy(floats), str(column.type))
        text = self._values(name, column, allow_null=False)
        if pa.types.is_dictionary(text.type):
            text = self._text(name, text)
        require_short_ids(self.where, name, text, self.before)
        rows = np.flatnonzero(~are_given(text))
        if len(rows):
            alike = others(len(rows), self.last_row(text))
            raise InputError(empty_id(self.where, name, self.before + int(rows[0]), alike, self.fills))
        return text

    def numbers(self, name: str, column: Any) -> Numbers:
        """Read the numbers of a column or of a batch."""
        if column.null_count:
            self._refuse_null(name, column, [Fix({"drop": [name]}, "fill in a number, or drop the column")])
        kind = column.type
        plain = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        values = column if plain else self._text(name, column)
        return read_numbers(self.where, name, values, self.before, self.last_row(values), self.decimal)

    def last_row(self, column: Any) -> int | None:
        """Return the number (from 1) of the last row of a batch. Return None if no rows follow the batch."""
        return self.before + len(column) if self.more else None

    def _values(self, name: str, column: Any, *, allow_null: bool) -> Any:
        """Return a column of plain values as text or as codes of text. Null is rejected unless it is read as the
        category ``?``.
        """
        if is_list(column.type):
            msg = f"{self.where}: column {name!r} contains lists; declare it as {setting('items')} or drop it"
            raise InputError(msg)
        if pa.types.is_floating(column.type):  # NaN is null
            column = arrow.if_else(arrow.is_nan(column), arrow.null(column.type), column)
        text = column if _is_dictionary_of_text(column) else self._text(name, column)
        if text.null_count:
            if not (self.value_for_null and allow_null):
                fix = Fix(self.null_as("value"), "to make null the category '?'")
                self._refuse_null(name, text, [fix if allow_null else _WITHOUT_IDS])
            text = arrow.fill_null(text, MISSING_VALUE)
        return text

    def null_as(self, way: str) -> dict[str, str]:
        """Return the setting that treats null as ``empty`` or ``value``. The setting also contains the current
        treatment of null.
        """
        current = {"empty": self.empty_for_null, "value": self.value_for_null}
        return {"missing": ",".join(name for name in current if current[name] or name == way)}

    def _tokens(self, name: str, column: Any, *, any_blank: bool = False) -> tuple[Int64, Int32, list[str]]:
        """Return the item count of each row, the codes of the items, and the distinct items."""
        cells = self._lists(name, column, any_blank=any_blank)
        if cells.null_count and not self.empty_for_null:
            self._refuse_null(name, cells, [Fix(self.null_as("empty"), "if null means no items")])
        chunks = cells.chunks if isinstance(cells, pa.ChunkedArray) else [cells]
        # list_value_length and flatten respect slices, and skip child values of null lists
        none = arrow.number_array([0])[0]
        lengths = [arrow.to_numpy(arrow.coalesce(arrow.list_value_length(chunk), none)) for chunk in chunks]
        length = np.concatenate([np.zeros(0, np.int64), *lengths]).astype(np.int64)
        values = pa.chunked_array([arrow.list_flatten(chunk) for chunk in chunks], cells.type.value_type)
        if values.null_count:
            first = _first_null(values)
            row = self.before + int(np.searchsorted(np.cumsum(length), first, side="right")) + 1
            msg = f"{self.where}: column {name!r}: the set in row {row} contains null; items must be text"
            raise InputError(msg, column=name, row=row)
        codes, labels = dictionary(values if _is_dictionary_of_text(values) else self._text(name, values, items=True))
        printed = self.printed or self._mark(name) == LIST
        if cells is column and not printed:
            return length, codes, labels
        if not self.exact:
            codes, labels = _trimmed(codes, labels)
        if not self.exact and not printed:
            if any(len(label.split()) > 1 for label in labels) and not self.whole and self._mark(name) is None:
                return self._tokens(name, column, any_blank=True)
            if NULLS.intersection(labels):
                length, codes = self._without_nulls(name, length, codes, labels)
        if "" in labels:  # empty items come from empty cells and superfluous separators
            empty = labels.index("")
            length, codes = keep_tokens(length, codes, codes != empty)
            codes, labels = codes - (codes > empty).astype(np.int32), [label for label in labels if label]
        return length, codes, labels

    def _without_nulls(self, name: str, length: Int64, codes: Int32, labels: list[str]) -> tuple[Int64, Int32]:
        """Reject cells that contain only a word for null, or read them as empty sets if this is declared."""
        if self.value_for_null:
            return length, codes
        null = np.array([label in NULLS for label in labels], bool)[codes] & (np.repeat(length, length) == 1)
        if null.any() and not self.empty_for_null:
            first = int(np.flatnonzero(null)[0])
            row = self.before + int(np.searchsorted(np.cumsum(length), first, side="right")) + 1
            fixes = [
                Fix({"missing": "empty"}, "if it means no items"),
                Fix({"missing": "value"}, "if it is an item"),
            ]
            cell = f"row {row} contains {typed(labels[codes[first]])}, which many programs write for a missing value"
            raise InputError(f"{self.where}: column {name!r}: {cell}", fixes=fixes, column=name, row=row)
        return keep_tokens(length, codes, ~null)

    def _lists(self, name: str, column: Any, *, any_blank: bool) -> Any:
        """Return a column of lists unchanged. Cells of a text column become lists of items, or lists of one item.

        Cells are split at the blank. Other blanks (line ends, no-break spaces) are separators only if some cell
        contains them.
        """
        if is_list(column.type):
            return column
        text = self._text(name, column)
        mark = self._mark(name)
        if mark == LIST:
            try:
                return items_of_lists(text)
            except NoListError as error:
                row = self.before + error.row + 1
                msg = f"{self.where}: column {name!r}: row {row} is not a list such as ['a', 'b'] or {{a,b}}"
                raise InputError(msg, column=name, row=row) from None
        if self.whole and mark is None:
            ends = arrow.number_array(np.arange(len(text) + 1))
            return pa.LargeListArray.from_arrays(ends, text, mask=arrow.is_null(text) if text.null_count else None)
        if any_blank:
            return arrow.utf8_split_whitespace(text)
        return arrow.split(text, " " if mark is None else mark)

    def _text(self, name: str, column: Any, *, items: bool = False) -> Any:
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        textual = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
        if items and not (textual or pa.types.is_integer(kind) or pa.types.is_null(kind)):
            raise InputError(f"{self.where}: column {name!r}: items must be text or integers, got {kind}")
        with reading(self.where, f"column {name!r} of type {column.type} cannot be read as text", values=True):
            if pa.types.is_binary(kind) or pa.types.is_nested(kind):
                raise InputError(f"{self.where}: column {name!r} must be text or a plain value, got {kind}")
            plain = arrow.cast(column, kind) if pa.types.is_dictionary(column.type) else column
            text = arrow.cast(plain, pa.large_string())
        return text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text

    def _refuse_null(self, name: str, column: Any, fixes: Sequence[Fix]) -> None:
        row = self.before + _first_null(column) + 1
        raise InputError(f"{self.where}: column {name!r}: row {row} is null", fixes=fixes, column=name, row=row)


def _first_null(values: Any) -> int:
    return int(np.argmax(arrow.to_numpy(arrow.is_null(values))))


_WITHOUT_IDS = Fix({"skip_rows": ["no-id"]}, "to lose these rows, and persons without other rows")


def empty_id(where: str, name: str, first: int, alike: str, fills: Sequence[Fix]) -> Problem:
    """Return the problem of empty ids. `first` is the first row with an empty id, counted from 0. `fills` read ids of
    other rows.
    """
    problem = f"{where}: id column {name!r}: row {first + 1} is empty{alike}; give each row an id"
    return Problem(problem, [*fills, _WITHOUT_IDS])


def with_nulls(columns: ArrowColumns, words: Collection[str], never: Collection[str] = ()) -> ArrowColumns:
    """Replace values by null if they are in `words`, ignoring blanks around a value. The columns `never` stay."""

    def cleared(name: str, column: Any) -> Any:
        if isinstance(column, SetColumn) or name in never:
            return column
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            return column
        text = arrow.cast(column, pa.large_string())
        of_column = {word.removeprefix(f"{name}=") for word in words if word.startswith(f"{name}=")}
        null = arrow.is_in(arrow.utf8_trim_whitespace(text), sorted(of_column.union(words)))
        return arrow.if_else(null, arrow.null(text.type), text) if arrow.any(null).as_py() else column

    return {name: cleared(name, column) for name, column in columns.items()}


def _trimmed(codes: Int32, labels: list[str]) -> tuple[Int32, list[str]]:
    bare = [label.strip() for label in labels]
    if bare == labels:
        return codes, labels
    code_of = {label: code for code, label in enumerate(dict.fromkeys(bare))}
    image = np.fromiter((code_of[label] for label in bare), np.int32, len(bare))
    return image[codes], list(code_of)


def _is_dictionary_of_text(column: Any) -> bool:
    kind = column.type
    if not pa.types.is_dictionary(kind) or not isinstance(column, pa.ChunkedArray) or column.null_count:
        return False
    text = pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)
    return text and not any(chunk.dictionary.null_count for chunk in column.chunks)


def dictionary(text: Any) -> tuple[Int32, list[str]]:
    """Return the codes and the distinct values of a text array without nulls. The array is plain or
    dictionary-encoded.
    """
    if pa.types.is_dictionary(text.type):
        return _united(text)
    encoded = arrow.dictionary_encode(text)
    codes: Int32 = arrow.to_numpy(encoded.indices).astype(np.int32)
    return codes, list(encoded.dictionary.to_pylist())


def _united(column: Any) -> tuple[Int32, list[str]]:
    code_of: dict[str, int] = {}
    parts = [np.empty(0, np.int32)]
    for chunk in column.chunks:
        labels = chunk.dictionary.to_pylist()
        image = np.fromiter((code_of.setdefault(label, len(code_of)) for label in labels), np.int32, len(labels))
        parts.append(image[arrow.to_numpy(chunk.indices)])
    codes = np.concatenate(parts)
    used = np.bincount(codes, minlength=len(code_of)) > 0
    if used.all():
        return codes, list(code_of)
    place = (np.cumsum(used) - 1).astype(np.int32)
    return place[codes], [label for label, is_used in zip(code_of, used.tolist(), strict=True) if is_used]
