"""Detect items that mention persons, by words of free text, or by a value of a name or id column of the same data.

Remarks such as ``mother of Smith called`` are not codes. An item mentions a person if it contains a word of a name
column or a value of an id column. Without a header, each column whose values belong to few persons counts. A column
mentions persons if at least a fifth of its items do so, and at least three. A few items may match by chance, because
surnames are also names of goods and places.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.headers import PERSON_IDS, is_about, meaning_of
from anonset.columns.ids import are_values, counted_in, given_texts, holds_sets
from anonset.columns.personal_values import (
    CHECKED,
    OPAQUE,
    are_word_sets,
    contains_phone,
    is_free_text,
    personal_kind,
)
from anonset.data import SetColumn
from anonset.data.joining import headers_of, parts_of
from anonset.data.table_facts import PersonMentions

_SHARE, _FEWEST = 0.2, 3
_FEW = 5
"""A column without a header may contain names if a value has fewer persons on average."""
_SHORTEST_ID = 5
_LOOKED_AT = 20_000
_WORDS = re.compile(r"[^\W\d_]{3,}")
_TOKENS = re.compile(r"[^\s,;:()\"']+")


def names_and_ids(columns: Iterable[str], header_of: Callable[[str], str] = str) -> list[str]:
    """Return the columns with headers that name persons or person ids. `header_of` returns the header of a column."""
    return [name for name in columns if meaning_of(header_of(name)) in ("name", *PERSON_IDS)]


def columns_of_few(first: ArrowColumns, ids: Sequence[str]) -> list[str]:
    """Return the columns without a header whose values belong to few persons on average. They may be names or ids.

    Parameters
    ----------
    first
        First rows by column name. Columns without a header have numbers as names.
    ids
        Columns that identify the person. If empty, each row is a person.

    >>> import pyarrow as pa
    >>> first = {"1": pa.array([*"aaaaabbbbb"]), "2": pa.array([*"mmmmmmmmfm"]), "name": pa.array([*"pqrstuvwxy"])}
    >>> columns_of_few(first, []), columns_of_few(first, ["1"])
    ([], ['1', '2'])
    """
    persons, found = [first[name] for name in ids if name in first and are_values(first[name])], list[str]()
    for name, column in first.items():
        if name.isdecimal() and are_values(column):
            rows, pairs = counted_in([*persons, column])
            if (pairs if persons else rows) < _FEW * counted_in([column])[1]:
                found.append(name)
    return found


def words_of_persons(values: Iterable[str]) -> set[str]:
    """Return the words of names, and ids that contain a digit, in lower case.

    >>> sorted(words_of_persons(["Li, Ann-Marie", "P-10042"]))
    ['ann', 'marie', 'p-10042']
    """
    words = set[str]()
    for value in values:
        if not any(map(str.isdigit, value)):
            words.update(word.casefold() for word in _WORDS.findall(value))
        elif len(value) >= _SHORTEST_ID:
            words.add(value.strip().casefold())
    return words


def count_mentioning(labels: Iterable[str], words: set[str]) -> int:
    """Count the labels that contain a word of a person.

    >>> count_mentioning(["mother of Ann called", "see mail", "P-10042?"], {"ann", "p-10042"})
    2
    """
    return sum(
        not words.isdisjoint(word.casefold().strip("?!.") for word in _TOKENS.findall(label))
        or not words.isdisjoint(map(str.casefold, _WORDS.findall(label)))
        for label in labels
    )


def are_mentions(labels: Sequence[str], words: set[str]) -> int:
    """Return the number of labels that mention persons. Return 0 if too few labels mention persons."""
    looked_at = labels[:: max(1, len(labels) // _LOOKED_AT)] if words else ()
    count = count_mentioning(looked_at, words)
    return count if count >= _FEWEST and count >= _SHARE * len(looked_at) else 0


def mentions_in(
    sets: SetColumn, joined: Sequence[str], named: Sequence[str], head: Callable[[Sequence[str]], ArrowColumns]
) -> Iterator[PersonMentions]:
    """Yield the columns of items that mention persons of the first rows.

    Parameters
    ----------
    sets, joined
        Set-valued column, and the columns that are joined into it. Empty if no columns are joined.
    named
        Columns of names and ids.
    """
    if sets.vocabulary.is_numbered or not named:
        return
    loaded = {name: column for name, column in head(named).items() if not holds_sets(column)}
    words = {name: words_of_persons(arrow.unique(given_texts(column)).to_pylist()) for name, column in loaded.items()}
    labels = sets.vocabulary.labels
    for column, start, codes in parts_of(joined or (sets.name,), labels, headers_of(labels)):
        texts = [labels[code].removeprefix(start) for code in codes]
        for name, names in words.items():
            if count := are_mentions(texts, names):
                yield PersonMentions(column, name, count)
                break


def persons_in(columns: ArrowColumns, items: str) -> Iterator[PersonMentions]:
    """Yield the columns with a code per cell whose values are names of persons, ids, or reach persons. Among the items
    of the other columns, they would be too few to be recognized.

    Parameters
    ----------
    columns
        First rows by column name.
    items
        Name of the set-valued column that contains the values of all columns.
    """
    for name, column in columns.items():
        labels = arrow.unique(given_texts(column))[:_LOOKED_AT].to_pylist()
        kind = personal_kind(labels)
        if kind and not (kind[0] in (OPAQUE, CHECKED) and is_about(name, "products")):
            yield PersonMentions(items, name, kind[1])


def free_text_in(columns: ArrowColumns, separator: str | None) -> Iterator[PersonMentions]:
    """Yield the set-valued columns whose cells are sentences, or words and a telephone number. Their parts would become
    items.

    Parameters
    ----------
    columns
        First rows by column name.
    separator
        Declared separator of items. Cells with a separator other than the blank are not examined. If it is the blank,
        words that recur are items.
    """
    for name, column in columns.items() if separator is None or not separator.strip() else ():
        if holds_sets(column):
            continue
        texts = given_texts(column)
        labels = arrow.unique(texts)[:_LOOKED_AT].to_pylist()
        contacts = sum(contains_phone(label) and _WORDS.search(label) is not None for label in labels)
        if contacts or is_free_text(labels, len(texts)):
            may_be_words = not contacts and are_word_sets(labels) and not is_about(name, "remarks")
            if not (separator and may_be_words):
                yield PersonMentions(name, "", contacts or len(labels), may_be_words)
