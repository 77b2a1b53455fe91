"""Lists that programs print into cells, such as ``['a', 'b']``, ``["a", "b"]`` and ``{a,"b c"}``."""

import ast
import json
import re
from collections.abc import Collection
from itertools import chain
from typing import Any

import numpy as np

from anonset import arrow
from anonset.data.spans import begins_of

LIST = "list"
"""Value of the setting ``separator`` for cells that contain printed lists."""
_ENDS = {"[": "]", "{": "}", "(": ")"}
_NO_ITEMS = ("", "set()", "frozenset()")
_ELEMENT = re.compile(
    r"""\s*(?:(?P<double>"(?:[^"\\]|\\.)*")|(?P<single>'(?:[^'\\]|\\.)*')|(?P<bare>[^\s,"'\[\]{}()](?:[^,"\[\]{}()]*[^\s,"'\[\]{}()])?))\s*(?P<end>,|$)""",
    re.DOTALL,
)
_NULLS = frozenset({"null", "none", "nan", "<na>"})


def listed_items(cell: str) -> list[str | None] | None:
    """Return the items of a printed list, with None for null. Return None if the cell is not a list of plain values.

    JSON, Python and PostgreSQL arrays are recognized. Numbers keep their spelling.

    >>> listed_items("['E10', 'I10', 3]"), listed_items('["E10", null]'), listed_items('{a,"b, c"}')
    (['E10', 'I10', '3'], ['E10', None], ['a', 'b, c'])
    >>> listed_items("[]"), listed_items("('a',)")
    ([], ['a'])
    >>> listed_items("a, b"), listed_items("['a' 'b']"), listed_items("[[1]]")
    (None, None, None)
    """
    text = cell.strip()
    if text in _NO_ITEMS:
        return []
    if _ENDS.get(text[0]) != text[-1] or len(text) < 2:
        return None
    inner = text[1:-1].strip().removesuffix("," if text[0] == "(" else "")
    items, place, more = list[str | None](), 0, bool(inner)
    while more:
        match = _ELEMENT.match(inner, place)
        if match is None:
            return None
        try:
            item = _item(match)
            (item or "").encode()  # a lone surrogate is no text
        except (ValueError, SyntaxError):
            return None
        items.append(item)
        place, more = match.end(), match["end"] == ","
    return items


def _item(match: re.Match[str]) -> str | None:
    if (bare := match["bare"]) is not None:
        return None if bare.strip().casefold() in _NULLS else bare.strip()
    if (double := match["double"]) is not None:
        try:
            return str(json.loads(double, strict=False))
        except ValueError:
            return str(ast.literal_eval(double))
    return str(ast.literal_eval(match["single"]))


def are_printed_lists(texts: Collection[str]) -> bool:
    """Return True if most texts are lists that a program printed.

    A list in brackets without quotes is recognized only if some list has several items.

    >>> are_printed_lists(['["a", "b"]', "['c']", "d"]), are_printed_lists(["{a,b}", "{}"])
    (True, True)
    >>> are_printed_lists(["[a]", "b"])
    False
    """
    lists = [text for text in texts if text[:1] in ("[", "{") and listed_items(text) is not None]
    if 2 * len(lists) <= len(texts):
        return False
    return any(text[1:2] in ("'", '"') or "," in text for text in lists)


def items_of_lists(texts: Any) -> Any:
    """Return printed lists as lists of text (``pyarrow.LargeListArray``). Null remains null.

    Raises
    ------
    NoListError
        If a text is not a printed list.
    """
    import pyarrow as pa

    whole = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    coded = whole if pa.types.is_dictionary(whole.type) else arrow.dictionary_encode(whole)
    parsed = [listed_items(cell) for cell in coded.dictionary.to_pylist()]
    wrong = [code for code, items in enumerate(parsed) if items is None]
    rows = np.flatnonzero(np.isin(arrow.to_numpy(arrow.coalesce(coded.indices, arrow.number_array([-1])[0])), wrong))
    if len(rows):
        raise NoListError(int(rows[0]))
    begins = arrow.number_array(begins_of([len(items or ()) for items in parsed]))
    values = pa.array(list(chain.from_iterable(items or () for items in parsed)), pa.large_string())
    return arrow.take(pa.LargeListArray.from_arrays(begins, values), coded.indices)


class NoListError(ValueError):
    """A cell is not a printed list."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row
        """Number of the row, from 0."""
