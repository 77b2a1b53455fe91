"""Comparison of a publication with its possible original, in any order of the rows."""

from collections.abc import Iterator

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn
from anonset.data.array_types import Bools, Float64, Int64
from anonset.data.spans import Limits, spans
from anonset.data.table import Column
from anonset.errors import InputError, datum
from anonset.privacy import Witness
from anonset.publications import Symbol
from anonset.publications.symbols import generalize, range_ends, row_ranks
from anonset.reading.batches import open_source
from anonset.reading.options import ReadOptions
from anonset.reading.sources.dialect import DIALECT_OPTIONS
from anonset.reading.sources.source import Source
from anonset.release.memory import format_size
from anonset.release.published_recoding import invert
from anonset.settings.publication import OriginalSettings
from anonset.verification.relational_truth import covers

OTHER = "so the publication was not made from this original"
"""End of messages that reject an original."""
_BYTES, _BYTES_PER_COLUMN = 40, 48
"""Memory for the comparison of rows, in bytes per row, and per row and column (measured)."""


def items_of_original(
    published: tuple[str, ...], settings: OriginalSettings, source: Source, *, nameless: bool
) -> list[str] | None:
    """Return the published set-valued columns of the original. None if the original has no named set-valued column."""
    if not published or settings.file.one_hot or settings.file.one_code or source.is_one_column:
        return None
    if settings.items or not nameless:
        return settings.items or list(published)
    declared = [*settings.file.person, *settings.drop]
    dialect = {name: getattr(settings.file, name) for name in DIALECT_OPTIONS}
    opened = open_source(source, ReadOptions(**dialect, unit=settings.file.unit, drop=settings.drop))
    others = opened.named(declared)
    free = [name for name in opened.names if name not in others]
    return free if len(free) == 1 else list(published)


def separators(settings: OriginalSettings, mark: str | None, source: Source) -> list[str | None]:
    """Return the item separators that the original may use: the declared one, or otherwise the mark of the publication
    and a blank. A publication uses a mark other than a blank if items contain blanks.
    """
    has_one_set = settings.file.person or settings.file.one_hot or settings.file.one_code or source.is_one_column
    if settings.file.separator is not None or mark in (None, " ") or has_one_set:
        return [settings.file.separator]
    return [mark, " "]


def original_codes(column: CategoricalColumn, before: CategoricalColumn) -> Int64:
    """Return published labels as codes of the original column, int64 (n,). -1 for unknown labels."""
    index = before.vocabulary.index
    image = np.array([index.get(label, -1) for label in column.vocabulary.labels], np.int64)
    return image[column.codes] if column.n else np.zeros(0, np.int64)


def symbol_keys(items: SetColumn, after: SetColumn, symbols: tuple[Symbol, ...]) -> tuple[Int64, Int64]:
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


def as_often(keys: list[tuple[Int64, Int64]]) -> bool:
    """Return True if each row of keys occurs equally often in the original and in the publication."""
    sides = [np.stack([pair[side] for pair in keys]) for side in (0, 1)]
    first, second = (side[:, np.lexsort(side)] for side in sides)
    return np.array_equal(first, second)


def require_coverable(before: Column, after: CategoricalColumn, hierarchy: Hierarchy | None) -> None:
    """Reject original values that no published value covers, and published values that occur more often than the
    original values that they cover.
    """
    covered = np.zeros(0, bool)
    for code, published, mask, counts in _coverage(before, after, hierarchy):
        if published > counts:
            label = datum(after.vocabulary.labels[code])
            raise InputError(
                f"column {after.name!r}: {published} rows are published as {label}, but {counts} records of the "
                f"original have a value that it covers, {OTHER}"
            )
        covered = mask if not len(covered) else covered | mask
    if not covered.all() or (before.n and not len(covered)):
        raise InputError(f"column {after.name!r}: no published value covers some values of the original, {OTHER}")


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
) -> Iterator[tuple[int, int, Bools, int]]:
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


def _within(label: str, numbers: Float64) -> Bools:
    try:
        low, high = map(float, range_ends(label))
    except ValueError:
        return np.zeros(len(numbers), bool)
    return (numbers >= low) & (numbers <= high)


def require_room(rows: int, columns: int, limits: Limits) -> None:
    """Reject the comparison if sorting all rows at once needs more than half of the remaining memory."""
    row_size = _BYTES + _BYTES_PER_COLUMN * columns
    if limits.at_once_within(rows, row_size) < rows:
        needed = (
            f"comparing all rows without the private directory needs about {format_size(row_size * rows)} of memory"
        )
        raise InputError(f"{needed}; name the private directory, or raise the memory limit")


def contained(keys: list[tuple[Int64, Int64]]) -> bool:
    """Return True if each row of keys in the second arrays occurs at least as often in the first arrays."""
    n = len(keys[0][0])
    if not n:
        return not len(keys[0][1])
    columns = np.stack([np.concatenate(pair) for pair in keys])
    rank = np.unique(columns, axis=1, return_inverse=True)[1].reshape(-1)
    counts = [np.bincount(part, minlength=int(rank.max(initial=-1)) + 1) for part in (rank[:n], rank[n:])]
    return bool(np.all(counts[0] >= counts[1]))
