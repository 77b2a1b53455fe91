"""The original of published records."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.quasi_identifiers import Float64
from anonset.data.spans import spans
from anonset.data.store import MEMORY, Store
from anonset.data.table import Column, Int64
from anonset.errors import InputError, datum
from anonset.jobs.original.base import (
    OTHER,
    has_one_column,
    items_of_original,
    read_original,
    recoded,
    require_possible,
)
from anonset.jobs.reading import read_data
from anonset.privacy import Witness
from anonset.publications import Records, Symbol
from anonset.publications.symbols import generalize, range_ends, row_ranks
from anonset.reading.source import Source
from anonset.release.documents import Attestation, PublishedFile
from anonset.release.published_recoding import invert
from anonset.settings.binding import numeric_columns
from anonset.settings.publication import OriginalSettings
from anonset.verification.relational_truth import are_ranges, covers


@read_original.register
def _read(
    publication: Records,
    source: Source,
    settings: OriginalSettings,
    attested: Attestation | None,
    store: Store = MEMORY,
) -> Table:
    sets = publication.transactions
    named = () if sets is None else publication.joined or (sets.name,)
    data = None if attested is None else cast("PublishedFile", attested.data)
    roles: dict[str, Any] = {
        "drop": settings.drop,
        "items": items_of_original(named, settings, source, nameless=data is not None and data.nameless),
        "relational": [column.name for column in publication.relational],
        "numeric": _numeric(publication, settings),
        "keep": [column.name for column in publication.kept],
    }
    marks = _separators(settings, None if data is None else data.separator, source)
    options = {**roles, **settings.reading_options()}
    readings = [partial(read_data, source, {**options, "separator": mark}, store=store) for mark in marks]
    return _best_explained(readings, publication)


@require_possible.register
def _require_possible(publication: Records, original: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
    keys = _kept_keys(original.kept, publication.kept)
    if original.transactions is not None and publication.transactions is not None:
        keys.append(_symbol_keys(original.transactions, publication.transactions, publication.symbols))
    if keys and not _as_often(keys):
        msg = f"the codebook recodes the original to other rows than the publication contains, {OTHER}"
        raise InputError(msg)
    published = {column.name: column for column in publication.relational}
    for column in original.relational:
        _require_coverable(column, published[column.name], hierarchies.get(column.name))


def _numeric(publication: Records, settings: OriginalSettings) -> list[str]:
    """Return the numeric relational columns. A column without a given hierarchy is numeric if all its labels are
    ranges.
    """
    named = numeric_columns(settings.hierarchy)
    return [
        column.name
        for column in publication.relational
        if column.name in named or (column.name not in settings.hierarchy and are_ranges(column.vocabulary.labels))
    ]


def _separators(settings: OriginalSettings, mark: str | None, source: Source) -> list[str | None]:
    """Return the possible item separators of the original. If labels contain blanks, the publication uses another
    separator than the original may use.
    """
    has_one_set = settings.file.person or settings.file.one_hot or settings.file.one_code or has_one_column(source)
    if settings.file.separator is not None or mark in (None, " ") or has_one_set:
        return [settings.file.separator]
    return [mark, " "]


def _best_explained(readings: Sequence[Callable[[], Table]], publication: Records) -> Table:
    """Return the table with the largest share of items that the symbols cover. Each reading uses another separator.
    Stop at a table whose items are all covered.

    Raises
    ------
    InputError
        If the data contradict every separator. The error is that of the first reading.
    """
    best, most, rejections = None, -1.0, list[InputError]()
    for read in readings:
        try:
            table = read()
        except InputError as error:
            rejections.append(error)
            continue
        if (share := _explained_share(table, publication)) > most:
            best, most = table, share
        if most == 1.0:
            break
    if best is None:
        raise rejections[0]
    return best


def _explained_share(table: Table, publication: Records) -> float:
    if table.transactions is None or not len(table.transactions.vocabulary):
        return 0.0
    members = {member for symbol in publication.symbols for member in symbol.members}
    labels = table.transactions.vocabulary.labels
    return sum(label in members for label in labels) / len(labels)


def _kept_keys(
    before: tuple[CategoricalColumn, ...], after: tuple[CategoricalColumn, ...]
) -> list[tuple[Int64, Int64]]:
    column_of = {column.name: column for column in after}
    return [
        (column.codes.astype(np.int64), recoded(column_of[column.name], column))
        for column in before
        if column.name in column_of
    ]


def _symbol_keys(items: SetColumn, after: SetColumn, symbols: tuple[Symbol, ...]) -> tuple[Int64, Int64]:
    """Recode the original by the codebook, and rank its item sets together with the published item sets.

    Equal sets have equal ranks.
    """
    symbol_of = invert({symbol.label: symbol.members for symbol in symbols})
    place = {symbol.label: code for code, symbol in enumerate(symbols)}
    labels = items.vocabulary.labels
    image = np.array([place.get(symbol_of.get(label, ""), -1) for label in labels], np.int32)
    recoded = generalize(items, image, symbols)
    joined = SetColumn(
        items.name,
        np.concatenate([recoded.indptr, after.indptr[1:] + recoded.indptr[-1]]),
        np.concatenate([recoded.items, after.items]),
        after.vocabulary,
    )
    ranks = row_ranks(joined)
    return ranks[: items.n], ranks[items.n :]


def _as_often(keys: list[tuple[Int64, Int64]]) -> bool:
    """Return True if each row of keys occurs equally often in the original and in the publication."""
    sides = [np.stack([pair[side] for pair in keys]) for side in (0, 1)]
    first, second = (side[:, np.lexsort(side)] for side in sides)
    return np.array_equal(first, second)


def _require_coverable(before: Column, after: CategoricalColumn, hierarchy: Hierarchy | None) -> None:
    """Reject original values that no published value covers, and published values that occur more often than the
    original values that they cover.
    """
    covered = np.zeros(0, bool)
    for code, published, mask, counts in _coverage(before, after, hierarchy):
        if published > counts:
            label = datum(after.vocabulary.labels[code])
            msg = (
                f"column {after.name!r}: {published} rows are published as {label}, but {counts} records of the "
                f"original have a value that it covers, {OTHER}"
            )
            raise InputError(msg)
        covered = mask if not len(covered) else covered | mask
    if not covered.all() or (before.n and not len(covered)):
        msg = f"column {after.name!r}: no published value covers some values of the original, {OTHER}"
        raise InputError(msg)


def first_uncoverable(before: Column, after: CategoricalColumn, hierarchy: Hierarchy | None) -> Witness | None:
    """Find a published value with more rows than the original values that it covers. The row order does not matter."""
    for code, published, _, counts in _coverage(before, after, hierarchy):
        if published > counts:
            row = next(a + int(np.argmax(part)) for a, b in spans(after.n) if (part := after.codes[a:b] == code).any())
            detail = f"column {after.name!r}: the original has too few values that this label covers"
            return Witness((after.vocabulary.labels[code],), counts, published, row, detail)
    return None


def _coverage(
    before: Column, after: CategoricalColumn, hierarchy: Hierarchy | None
) -> Iterator[tuple[int, int, NDArray[np.bool_], int]]:
    """Yield the published codes. For each code, yield the number of its rows, a mask of the distinct original values
    that it covers, and the number of original rows with these values.
    """
    values = before.codes if isinstance(before, CategoricalColumn) else before.values
    distinct, counts = np.unique(values, return_counts=True)
    texts = [before.vocabulary.labels[value] for value in distinct] if isinstance(before, CategoricalColumn) else []
    published = np.bincount(after.codes, minlength=len(after.vocabulary))
    for code in np.flatnonzero(published).tolist():
        label = after.vocabulary.labels[code]
        if isinstance(before, NumericColumn):
            mask = _within(label, distinct.astype(np.float64))
        else:
            mask = np.fromiter(map(covers(label, False, hierarchy), texts), bool, len(texts))
        yield code, int(published[code]), mask, int(counts[mask].sum())


def _within(label: str, numbers: Float64) -> NDArray[np.bool_]:
    try:
        low, high = map(float, range_ends(label))
    except ValueError:
        return np.zeros(len(numbers), bool)
    return (numbers >= low) & (numbers <= high)
