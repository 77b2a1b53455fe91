"""Profiles of columns that have no role. A profile contains the number and kind of the values, and whether they are
sets.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from anonset import arrow
from anonset.arrow import is_list
from anonset.columns.cells import (
    LIST,
    NoListError,
    are_printed_lists,
    are_titles,
    combine_words,
    count_bound,
    items_of_lists,
    mark_of_fields,
    other_marks,
    separator_of_items,
)
from anonset.columns.headers import (
    ATTRIBUTES,
    PERSON_IDS,
    is_about,
    is_about_a_person,
    is_about_an_agent,
    is_known,
    is_numbered,
    meaning_of,
    names_items,
)
from anonset.columns.ids import UNKNOWN, texts_of, values_of
from anonset.columns.kinds import (
    MARKS,
    MOST_LOOKED_AT,
    ValueFormat,
    are_results,
    contains_date,
    is_time,
    kind_of_values,
    look_at,
)
from anonset.columns.marks import words_for_marks
from anonset.columns.missing import (
    MISSING,
    NULLS,
    PROBABLE_NULLS,
    SIGNS_OF_NULL,
    missing_codes,
    words_for_no_item,
)
from anonset.columns.personal_values import (
    are_capitalised,
    are_keys,
    are_names,
    are_word_sets,
    attribute_of,
    contains_contact,
    identifying,
    is_free_text,
    nearly_all,
)
from anonset.data import SetColumn
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.hierarchies.hierarchy_rules import NO_VALUE
from anonset.errors import Fix
from anonset.lazy_arrow import pa
from anonset.spelling import listed

_SOME = 500
"""Number of distinct values that are searched for personal contact data."""
_MISSING = MISSING | PROBABLE_NULLS

_ROWS_OF_A_DATE = 100
"""A text column is a column of dates if at least one in this many labels contains a date."""
_FEW_ROWS = 16
_MOST_VALUES_OF_LIST = 10
MOST_SHARED_VALUES = 20
"""Maximum number of distinct values in columns with answers from one list."""
_MOST_FREQUENT = 12
_MOST_SEXES = 4
_NEARLY_ALL, _DIGITS_OF_A_KEY = 0.9, 4
_ROWS_OF_A_PERSON, _MOST_QUANTITIES, _EVEN = 3, 100, 0.97
"""Limits for ids that recur evenly: the minimum number of rows per value, the largest number of distinct ages, days and
other quantities, and the minimum ratio of the entropy to that of equal frequencies.
"""
_YEAR = re.compile(r"(19|20)\d\d").fullmatch
FREE_TEXT = "free text"
"""Reason why a column of sentences may mention persons."""


@dataclass(frozen=True, kw_only=True)
class Profile(ValueFormat):
    """What the values and the header of a column show, and what the other columns show about it. A finding contains no
    values: only the columns that may be the person have labels and codes, while they are compared.

    The kind is that of `ValueFormat`, or ``sets``.
    """

    name: str
    """Name of the column."""
    records: int
    """Number of rows."""
    distinct: int = 0
    """Number of distinct values. For sets, number of distinct items."""
    nulls: int = 0
    """Number of nulls."""
    missing: int = 0
    """Number of values that mean null, such as the empty text, ``?`` or ``NA``."""
    entropy: float = 0.0
    """Entropy of the value of a random row, in bits. For sets, entropy of the item of a random occurrence."""
    largest: int = 0
    """Number of rows with the most frequent value. For sets, number of rows with the most frequent item."""
    rarest: int = 0
    """Number of rows with the rarest value. 0 for sets."""
    frequencies: tuple[int, ...] = ()
    """Number of rows of each of the 12 most frequent values, in descending order. For sets, number of rows of the
    items.
    """
    occurrences: int = 0
    """Number of items in all rows of sets. 0 for other columns."""
    separator: str | None = None
    """Separator of items for sets in text cells. None for other columns."""
    other_separators: tuple[tuple[str, int], ...] = ()
    """Characters that probably separate further items within the items, each with the number of rows that contain it.
    """
    bound_items: int = 0
    """Number of items of sets that occur only directly after one other item."""
    fields_by: str = ""
    """Character that joins the fields of values or of items, such as ``name:tea|quantity:2``. Empty for others."""
    no_item: tuple[str, ...] = ()
    """Values, or items of sets, from a fixed list that may state that a person has no item."""
    words: bool = False
    """True if each cell is read as one value, although its words may be items."""
    items_kind: str = ""
    """Kind of the items of sets. Empty for other columns."""
    item_codes: bool = False
    """True if the items of sets are letters with digits, like codes."""
    null_words: tuple[str, ...] = ()
    """Texts from a fixed list that occur in the column and probably mean null."""
    missing_codes: tuple[str, ...] = ()
    """Numbers from a fixed list, such as -99, that differ from all other numbers and may mean a missing value."""
    reaches: str = ""
    """Kind of nearly all values if they are names or contact data of people, as returned by `identifying`. Empty for
    other values. For sets, ``name`` if the items are names of persons.
    """
    capitalised: bool = False
    """True if nearly all values are capitalised words without digits, like names."""
    commas: bool = False
    """True if a value contains a comma or begins with a parenthesis, like published sets of values."""
    keys: bool = False
    """True if all values are letters with digits, or long numbers of the same width, like keys."""
    prose: str = ""
    """Reason why the values, or the items, are text that may mention persons. Empty for other values."""
    may_be_words: bool = False
    """True if the values may be sets of words that blanks separate."""
    results: bool = False
    """True if values are test results, or measurements with limits."""
    label_is_name: bool = False
    """True if the only value equals the column name."""
    attribute: str = ""
    """``sex`` or ``birth`` if the values, but not the header, may show such an attribute of persons."""
    times: bool = False
    """True if nearly all values are times of the day."""
    marks: tuple[str, str] | None = None
    """Words from a fixed list that mark an item as chosen and not chosen. A word that does not occur is empty. None if
    the values are not a pair of such words.
    """
    coded_pair: tuple[str, ...] = ()
    """The two values of a column, if both are single digits. Empty for other columns."""
    shared_values: frozenset[int] = field(default=frozenset(), repr=False)
    """Hashes of the distinct values, which compare columns within one process. Empty if there are more than 10 values.
    """
    labels: tuple[str, ...] = field(default=(), repr=False)
    """Some distinct values. Empty if only the role of the column is asked."""
    codes: Int64 = field(default_factory=lambda: np.empty(0, np.int64), repr=False, compare=False)
    """Value of each of the first rows, int64 (n,), folded. -1 if it is missing. Empty if only the role is asked."""
    agreement: int = UNKNOWN
    """Whether birth or sex agree within the values: `AGREE`, `UNKNOWN` or `DIFFER`."""
    identifies: bool = False
    """Whether the column may identify the person of each row."""
    mentions: str = ""
    """Column with the names or ids that this column mentions. Empty if it mentions none."""
    has_persons: bool = False
    """Whether another column names persons or their attributes."""

    @property
    def given(self) -> int:
        """Number of rows with a value."""
        return self.records - self.nulls - self.missing

    @property
    def uniqueness(self) -> float:
        """Ratio of the number of distinct values to the number of rows with a value."""
        return self.distinct / max(1, self.given)

    @property
    def header(self) -> str:
        """Meaning of the header."""
        return meaning_of(self.name)

    @property
    def meaning(self) -> str:
        """Meaning of the header, or of the values if these are clearer."""
        by_values = self.reaches
        if by_values in ("e-mail", "IBAN", "network") or (by_values == "name" and self.header in ("person id", "id")):
            return by_values
        is_unnamed = self.name.isdecimal()  # columns without a header; things have keys like those of devices
        return self.header or ("" if by_values == "account" and is_unnamed else by_values)

    @property
    def is_single(self) -> bool:
        """Whether the column contains one value per row, which neither marks an item nor is an attribute."""
        return self.kind not in (*MARKS, "sets") and self.header not in ATTRIBUTES

    @property
    def is_numbered(self) -> bool:
        """Whether the header names an id or a number of a person or of an unknown thing."""
        return self.header in PERSON_IDS or is_numbered(self.name)

    @property
    def are_numbers(self) -> bool:
        """Whether all labels consist of digits."""
        return all(map(str.isdecimal, self.labels))

    @property
    def are_serial(self) -> bool:
        """Whether nearly all numbers have the same number of digits, as ids have, and are no years."""
        if not self.labels or all(map(_YEAR, self.labels)):
            return False
        counts = (Counter(map(len, labels)) for labels in (self.labels, [label.lstrip("0") for label in self.labels]))
        (width, most), (_, others) = (one.most_common(1)[0] for one in counts)
        return width >= _DIGITS_OF_A_KEY and max(most, others) >= _NEARLY_ALL * len(self.labels)

    @property
    def recurs_evenly(self) -> bool:
        """Whether keys or many different integers occur in several rows each, and about equally often. Ids of persons
        do, in contrast to items and quantities.
        """
        several = self.distinct > 1 and self.given >= _ROWS_OF_A_PERSON * self.distinct
        many = self.keys or (self.kind in ("integers", "zip codes") and self.distinct > _MOST_QUANTITIES)
        return several and many and self.entropy >= _EVEN * float(np.log2(self.distinct))

    @property
    def is_key(self) -> bool:
        """Whether the values look like keys, and not like codes of diagnoses, drugs or places."""
        return self.keys and not self.kind.endswith("codes")


def profile(column: str, loaded: Any, separator: str | None = None) -> Profile:
    """Return the profile of a loaded column. `separator` is the declared separator of items."""
    if isinstance(loaded, SetColumn):
        nnz = len(loaded.items)
        return _of_sets(column, loaded.n, 0, loaded.vocabulary.labels, loaded.occurrences, nnz, None)
    type_, n, nulls = loaded.type, len(loaded), int(loaded.null_count)
    lists, coded_ = is_list(type_), pa.types.is_dictionary(type_)
    kind = type_.value_type if lists or coded_ else type_
    kind = kind.value_type if lists and pa.types.is_dictionary(kind) else kind
    if pa.types.is_binary(kind):
        return _unsupported(column, "bytes", n, nulls, "convert them to plain values")
    if pa.types.is_nested(kind):
        paths = [f"{column}{path}" for path in arrow.leaf_paths(type_)]
        named = paths[:_MOST_PATHS] or [f"{column}{'[]' if lists else ''}.MEMBER"]
        nested = _unsupported(column, "nested values", n, nulls, f"read a path, such as {listed(named, 'or')}")
        able = [path for path in paths if not _is_of_one(path)]
        offered = sorted(able, key=lambda path: not names_items(path.replace("[]", "")))[:_MOST_PATHS]
        return replace(nested, fixes=tuple(Fix({"items": [path]}, f"if {path} contains the items") for path in offered))
    if lists:
        return _of_lists(column, loaded, n, nulls, None)
    if coded_ and any(chunk.dictionary.null_count for chunk in loaded.chunks):
        # The null count of a dictionary array ignores codes that refer to null values.
        loaded = arrow.cast(loaded, kind)
        nulls = int(loaded.null_count)
    values = _few_values(loaded) if n <= _FEW_ROWS else _values(loaded) if n <= MOST_LOOKED_AT else None
    first = _first_values(loaded) if values is None else values.given
    if are_printed_lists(first):
        try:
            printed = items_of_lists(arrow.cast(arrow.cast(loaded, kind), pa.large_string()))
        except NoListError as error:
            way = f"row {error.row + 1} is not a list; correct it, or write the items with a separator"
            return _unsupported(column, "printed lists", n, nulls, way)
        return _of_lists(column, printed, n, nulls, LIST)
    fields = mark_of_fields(first) if separator is None else ""
    mark = None if fields else separator_of_items(column, first, separator)
    of_words = mark == " " and separator is None and not combine_words(first)
    if mark is not None and not of_words:
        unsplit = [word for word in {*first, *(values.words if values else ())} & _MISSING if mark in word]
        items, times = _items(_without(loaded, unsplit), mark)
        others = [(other, _rows_with(other, loaded)) for other in other_marks(items[:MOST_LOOKED_AT], mark)]
        sets = _of_sets(column, n, nulls, items, times, int(times.sum()), mark)
        return replace(
            sets, other_separators=tuple(others), null_words=tuple(sorted({*sets.null_words, *unsplit})),
            bound_items=count_bound(first, mark) if mark.strip() else 0,
        )  # fmt: skip
    return replace(_of_values(column, n, nulls, values or _values(loaded), words=of_words), fields_by=fields)


def _of_lists(column: str, lists: Any, n: int, nulls: int, mark: str | None) -> Profile:
    """Return the profile of lists. Lists of one length are no sets, but counts or coordinates, if they contain numbers
    with decimals, or an integer twice.
    """
    items = _flat(lists)
    sets = _of_sets(column, n, nulls, *_counted(items), len(items), mark)
    first = [one for one in lists.slice(0, _SOME).to_pylist() if one is not None]
    repeat = sets.items_kind in ("integers", "0/1") and any(len({*one}) < len(one) for one in first)
    ordered = (repeat or sets.items_kind == "numbers") and len({*map(len, first)}) == 1
    return replace(sets, prose="lists of numbers in a fixed order") if ordered else sets


def _is_of_one(path: str) -> bool:
    """Return True if the last member of a path names a person, an attribute of a person, a quantity, or the id of the
    entry itself, not of a thing in it.

    >>> [_is_of_one(path) for path in ("reactions[].name", "patients[].name", "line_items[].sku", "lines[].count")]
    [False, True, False, True]
    >>> [_is_of_one(path) for path in ("history[].id", "history[].show.id", "history[].user.id", "lines[].product_id")]
    [True, False, True, False]
    """
    *_, last = members = path.replace("[]", "").split(".")
    member, own = " ".join(members[-2:]), path.rpartition("[].")[2]
    named = meaning_of(member) not in ("", "thing") or is_about_an_agent(member)
    named |= is_known(member) or is_about_a_person(member)
    return bool(named or meaning_of(own) == "id" or is_about(last, "quantities"))


def profile_of_values(column: str, labels: tuple[str, ...], codes: Int64) -> Profile:
    """Return the profile of a column by some of its distinct values and the code of each row, -1 if it is missing."""
    counts = np.bincount(codes[codes >= 0]).astype(np.int64)
    values = _Values([*labels], [], counts[counts > 0])
    found = _of_values(column, len(codes), int((codes < 0).sum()), values, words=False)
    return replace(found, labels=labels, codes=codes)


def profile_of_counts(column: str, labels: Sequence[str], counts: Int64, *, is_set: bool) -> Profile:
    """Return the profile of a column by its distinct values, or its items, and their frequencies."""
    given = [code for code, label in enumerate(labels) if counts[code] and label not in _MISSING]
    some, times = [labels[code] for code in given], counts[given]
    n = int(times.sum())
    if is_set:
        return _of_sets(column, n, 0, some, times, n, None)
    return _of_values(column, n, 0, _Values(some[:MOST_LOOKED_AT], [], times), words=False)


def _of_values(column: str, n: int, nulls: int, values: "_Values", *, words: bool) -> Profile:
    """Return the profile of a column without sets."""
    given, some, total = values.given, values.given[:_SOME], int(values.counts.sum())
    look = look_at(column, given)
    if len(values.counts) == total and look.kind.endswith("codes") and look.kind != "postal codes":
        look = ValueFormat("text")
    is_text = look.kind == "text"
    may_contain_commas = is_text or look.odd > 0 or look.form == ","
    return Profile(
        **vars(look),
        **statistics(values.counts),
        name=column,
        records=n,
        nulls=nulls,
        missing=n - nulls - total,
        words=words,
        rarest=int(values.counts.min()) if len(values.counts) else 0,
        null_words=tuple(sorted(word for word in values.words if word not in NO_VALUE)),
        missing_codes=missing_codes(given),
        no_item=words_for_no_item(given),
        reaches=identifying(some, of_staff=is_about_an_agent(column))
        if look.kind in ("text", "e-mail addresses")
        else "",
        capitalised=is_text and are_capitalised(some) and not are_titles(some),
        commas=may_contain_commas and any("," in value or value[:1] == "(" for value in given),
        keys=look.kind in ("text", "integers") and are_keys(some),
        prose=_prose(given, n - nulls) if is_text else "",
        may_be_words=is_text and are_word_sets(some),
        results=are_results(given),
        label_is_name=len(values.counts) == 1 and given[0].casefold() == column.strip().casefold(),
        attribute=attribute_of(some) if look.kind == "dates" or len(values.counts) <= _MOST_SEXES else "",
        times=is_text and bool(some) and nearly_all(is_time, some),
        marks=words_for_marks(given) if look.kind in ("text", "crosses") else None,
        coded_pair=_digits(given),
        shared_values=frozenset(map(hash, given)) if len(given) <= _MOST_VALUES_OF_LIST else frozenset(),
    )


def _digits(values: Sequence[str]) -> tuple[str, ...]:
    is_pair = len(values) == 2 and all(len(value) == 1 and value.isdecimal() for value in values)
    return tuple(sorted(values)) if is_pair else ()


_MOST_PATHS = 5


def _unsupported(column: str, what: str, n: int, nulls: int, way: str) -> Profile:
    doubt = f"contains {what}, which are not read; {way}"
    return Profile(what, doubt=doubt, usable=False, name=column, records=n, nulls=nulls)


class _Values(NamedTuple):
    """Distinct values of a column without sets, as text."""

    given: list[str]
    """Values that are not missing. If there are many values, only the first values are listed."""
    words: list[str]
    """Texts that mean null."""
    counts: Int64
    """Frequencies of the values that are not missing."""


def _values(loaded: Any) -> _Values:
    values, counts = _counts(loaded)
    words = _texts(arrow.chosen(values, np.flatnonzero(_are_in(values, _MISSING))))
    words = _null_words(words, len(values) - len(words))
    given = np.flatnonzero(~_are_in(values, words))
    return _Values(_texts(arrow.chosen(values, given[:MOST_LOOKED_AT])), words, counts[given])


def _few_values(loaded: Any) -> _Values:
    """Return the distinct values of a column with few rows. For few rows, Python is faster than a single Arrow call."""
    times = Counter(text for text in _few_texts(loaded) if text is not None)
    missing = _MISSING.intersection(times)
    words = _null_words(missing, len(times) - len(missing)) if missing else []
    given = [text for text in times if text not in words]
    return _Values(given, words, np.array([times[text] for text in given], np.int64))


def _few_texts(loaded: Any) -> list[str | None]:
    texts: list[str | None] = (loaded if pa.types.is_string(loaded.type) else _as_text(loaded)).to_pylist()
    return texts


def coded(loaded: Any) -> Any:
    """Dictionary-encode a loaded text column with few distinct values, so that later steps look up each value only
    once. Return other columns unchanged.
    """
    if isinstance(loaded, SetColumn) or not pa.types.is_string(loaded.type) or loaded.null_count:
        return loaded
    if len(loaded) <= _FEW_ROWS:
        return loaded
    if len(_first_values(loaded)) * 2 > len(loaded):
        return loaded
    encoded = arrow.dictionary_encode(loaded.combine_chunks())
    return pa.chunked_array([encoded]) if len(encoded.dictionary) * 8 < len(loaded) else loaded


def _of_sets(name: str, n: int, nulls: int, items: Sequence[str], counts: Int64, nnz: int, mark: str | None) -> Profile:
    held = [item for item in items if item]
    missing = (NULLS | PROBABLE_NULLS).intersection(held)
    words = _null_words(missing, len(held) - len(missing))
    kind = kind_of_values([item for item in held if item not in words])
    return Profile(
        "sets", **{**statistics(counts), "distinct": len(held)}, name=name, records=n, nulls=nulls, occurrences=nnz,
        separator=mark, items_kind=kind,
        null_words=tuple(sorted(words)),
        reaches="name" if kind == "text" and are_names(held[:_SOME]) else "",
        item_codes=len(held) > 1 and all(map(_CODE, held[:_SOME])),
        fields_by=mark_of_fields(held),
        no_item=words_for_no_item(held),
        prose="items are dates" if kind == "dates" else _prose(held, nnz),
    )  # fmt: skip


_CODE = re.compile(r"[A-Za-z]{1,3}[-_]?\d[\w.+*!-]*").fullmatch


def _prose(labels: Sequence[str], occurrences: int) -> str:
    """Return the reason why labels are text that may mention persons. Reasons are dates, contact data and sentences.
    Empty for other labels.
    """
    looked_at = labels[:: max(1, len(labels) // MOST_LOOKED_AT)]
    if sum(map(contains_date, looked_at)) * _ROWS_OF_A_DATE >= max(1, len(looked_at)):
        return "values contain dates"
    if sum(map(contains_contact, looked_at)) * _ROWS_OF_A_DATE >= max(1, len(looked_at)):
        return "values contain telephone numbers or e-mail addresses"
    return FREE_TEXT if is_free_text(looked_at, occurrences * len(looked_at) // max(1, len(labels))) else ""


def _counted(column: Any) -> tuple[list[str], Int64]:
    values, counts = _counts(column)
    return _texts(values), counts


def _counts(column: Any) -> tuple[Any, Int64]:
    """Return the distinct values of a column as text, and their frequencies."""
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(chunk.type) and not chunk.null_count and not chunk.dictionary.null_count:
        times = np.bincount(arrow.to_numpy(chunk.indices), minlength=len(chunk.dictionary)).astype(np.int64)
        values, counts = chunk.dictionary, times
        if not times.all():
            values, counts = arrow.chosen(values, np.flatnonzero(times)), times[times > 0]
    else:
        counted = arrow.value_counts(arrow.drop_null(chunk) if chunk.null_count else chunk)
        values, counts = counted.field(0), arrow.to_numpy(counted.field(1)).astype(np.int64)
    return _as_text(values), counts


def _as_text(values: Any) -> Any:
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    return arrow.cast(arrow.cast(values, kind), pa.string())


def _texts(values: Any) -> list[str]:
    texts: list[str] = values.to_pylist()
    return texts


def _first_values(loaded: Any) -> list[str]:
    head = loaded.slice(0, 3 * MOST_LOOKED_AT)
    values = _counts(head)[0]
    if len(values) < MOST_LOOKED_AT and len(head) < len(loaded):
        values = _counts(loaded)[0]
    return _texts(values[:MOST_LOOKED_AT])


def _null_words(words: Collection[str], others: int) -> list[str]:
    """Return the words that mean null in a column with `others` other values.

    With at most two other values, a single character does not mean null, because it may be the second value of a pair
    such as yes and no.
    """
    return list(words) if others > 2 else [word for word in words if word not in SIGNS_OF_NULL]


def _are_in(values: Any, wanted: Collection[str]) -> Bools:
    return arrow.to_numpy(arrow.is_in(values, sorted(wanted)))


def _flat(column: Any) -> Any:
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pa.chunked_array([arrow.list_flatten(chunk) for chunk in chunks], column.type.value_type)


def statistics(counts: Int64) -> dict[str, Any]:
    """Return the number of distinct values, and the entropy in bits, the largest and the 12 largest of their
    frequencies, as fields of `Profile`.

    >>> statistics(np.array([2, 0, 6, 0]))["frequencies"], statistics(np.array([2, 2]))["entropy"]
    ((6, 2), 1.0)
    """
    held = np.sort(counts[counts > 0])[::-1]
    shares = held / held.sum()
    return {
        "distinct": len(held),
        "entropy": max(0.0, -float((shares * np.log2(shares)).sum())),
        "largest": int(held.max(initial=0)),
        "frequencies": tuple(held[:_MOST_FREQUENT].tolist()),
    }


def _items(cells: Any, mark: str) -> tuple[list[str], Int64]:
    labels, counts = _counted(_flat(arrow.split(arrow.cast(cells, pa.string()), mark)))
    times: dict[str, int] = {}
    for label, count in zip(labels, counts.tolist(), strict=True):
        if item := label.strip():
            times[item] = times.get(item, 0) + count
    return list(times), np.fromiter(times.values(), np.int64, len(times))


def _without(cells: Any, words: Sequence[str]) -> Any:
    texts = arrow.cast(cells, pa.string())
    return arrow.filter(texts, arrow.invert(arrow.is_in(texts, words))) if words else cells


def _rows_with(mark: str, cells: Any) -> int:
    return int(arrow.sum(arrow.matches(arrow.cast(cells, pa.string()), re.escape(mark))).as_py())


def pattern(loaded: Any) -> bytes:
    """Return a digest of which rows of a loaded column have equal values. Null counts as a value.

    Lists are not supported.

    Two columns have equal digests if there is a one-to-one mapping between their values that agrees in all rows.

    >>> import pyarrow as pa
    >>> a, b, c = (pattern(pa.chunked_array([list(values)])) for values in ("xyx", "ABA", "xyy"))
    >>> a == b, a == c
    (True, False)
    """
    if len(loaded) <= _FEW_ROWS:
        numbers: dict[str | None, int] = {}
        return bytes([numbers.setdefault(text, len(numbers)) for text in _few_texts(loaded)])
    return hashlib.sha256(np.ascontiguousarray(_codes_of_rows(loaded), np.int32).data).digest()


def count_differing(persons: Int64, column: Any) -> int:
    """Count the persons with different values of `column`. Empty and null are no values. If the column contains lists,
    all persons are counted.

    Parameters
    ----------
    persons
        Person of each row, int64 (n,). -1 if the row has no id.
    """
    if isinstance(column, SetColumn) or is_list(column.type):
        return len(column) if not isinstance(column, SetColumn) else column.n
    text = texts_of(column)
    codes, last = values_of(text), np.zeros(int(persons.max(initial=-1)) + 2, np.int64)
    filled = arrow.to_numpy(arrow.invert(arrow.is_in(text, sorted(NO_VALUE), nulls=True)))
    persons, codes = persons[filled], codes[filled]
    last[persons] = codes
    differing = persons[codes != last[persons]]
    return len(np.unique(differing[differing >= 0]))


def _codes_of_rows(loaded: Any) -> Int32:
    """Return codes of the values of a column in order of first occurrence, int32 (n,). Null counts as a value."""
    chunk = loaded.combine_chunks() if isinstance(loaded, pa.ChunkedArray) else loaded
    if pa.types.is_dictionary(chunk.type):
        chunk = arrow.cast(chunk, chunk.type.value_type)
    return arrow.to_numpy(arrow.dictionary_encode(chunk, nulls=True).indices)
