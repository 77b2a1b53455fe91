"""Item recoding of a publication on disk, read from the private mapping or from the codebook."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.data.array_types import Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError, datum
from anonset.generalization import ItemGroups
from anonset.generalization.recoding import SUPPRESSED
from anonset.publications import Symbol
from anonset.reading.publications.codebook import LOCAL, read_mapping
from anonset.reading.sources.csv_rows import header_of, rows_of
from anonset.release.documents import MAPPING

_MOST_DIGITS = 10
WayBack = Callable[[], tuple[Int64, Int32 | None] | None]
"""Function that returns the input record, int64 (n,), and the cluster of each published row. It returns None if the
input records are not stored.
"""


@dataclass(frozen=True, eq=False)
class PublishedRecoding(RedactedRepr):
    """Recoding of the items of an original column. Each entry is an item with the size of a symbol by which it is
    published. With a local recoding, an item may have several entries.
    """

    column: SetColumn
    """Original column, over the item universe of the recoding."""
    recoding: ItemGroups | None
    """Groups of items with the same symbol, or None for a local recoding."""
    item: Int64
    """Item of each entry, int64 (p,)."""
    size: Int64
    """Number of items in the symbol of each entry, int64 (p,). It is 0 if the item is suppressed."""
    count: Int64
    """Number of occurrences of each entry, int64 (p,)."""
    source: str
    """Origin of the recoding: ``mapping`` (private directory) or ``codebook``."""

    @cached_property
    def by_size(self) -> Int64:
        """Number of occurrences by symbol size, int64 (M + 1,)."""
        counts = np.zeros(len(self.column.vocabulary) + 1, np.int64)
        np.add.at(counts, self.size, self.count)
        return counts


def recoding_of(
    column: SetColumn,
    book: Iterable[Symbol],
    private: Path | None,
    way_back: WayBack,
    hierarchy: Hierarchy | None = None,
    store: Store = MEMORY,
) -> PublishedRecoding:
    """Return the recoding of a published column.

    Parameters
    ----------
    column
        Original column.
    book
        Codebook. Without the mapping, items missing in the codebook count as suppressed.
    private
        Private directory, or None.
    way_back
        Function that returns the input record and the cluster of each published row. It is called for local recodings.
    hierarchy
        Hierarchy of the items, or None. Its leaves are the item universe.
    store
        Store for arrays of column length.

    Raises
    ------
    InputError
        If the column has items outside the universe of the publication, or the files for a local recoding are missing.
    """
    path = None if private is None else private / MAPPING
    if path is not None and path.is_file():
        if header_of(path) == LOCAL:
            return _local(column, path, book, way_back(), hierarchy)
        mapping, source = read_mapping(path), "mapping"
        universe = tuple(mapping)
    else:
        symbol_of, source = (
            invert({symbol.label: symbol.members for symbol in book if symbol.kind != "values"}),
            "codebook",
        )
        mapping = {**dict.fromkeys(column.vocabulary.labels, ""), **symbol_of}
        universe = tuple(Vocabulary.of(mapping).labels)
    vocabulary = Vocabulary(universe) if hierarchy is None else hierarchy.leaves
    bound, groups = _over(column, vocabulary, source, store), _groups(vocabulary, mapping)
    size_of = np.append(np.bincount(groups.group[groups.group != SUPPRESSED], minlength=len(vocabulary)), 0)
    item = np.flatnonzero(bound.occurrences)
    size = size_of[groups.group[item]].astype(np.int64)  # the last entry of size_of is for suppressed items
    return PublishedRecoding(bound, groups, item, size, bound.occurrences[item], source)


def invert(members: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the symbol of each item.

    Raises
    ------
    InputError
        If two symbols contain the same item, as in a local recoding.
    """
    symbol_of: dict[str, str] = {}
    for symbol, items in members.items():
        for item in items:
            if item in symbol_of:
                symbols = f"{datum(symbol_of[item])} and {datum(symbol)}"
                raise InputError(f"item {datum(item)} is published as {symbols}; the private mapping is needed")
            symbol_of[item] = symbol
    return symbol_of


def _local(
    column: SetColumn,
    path: Path,
    book: Iterable[Symbol],
    records: tuple[Int64, Int32 | None] | None,
    hierarchy: Hierarchy | None,
) -> PublishedRecoding:
    record, of_row = (None, None) if records is None else records
    if record is None or of_row is None:
        raise InputError(f"{str(path)!r} maps items by cluster; records.csv must name the clusters")
    cluster = np.zeros(column.n, np.int64)
    cluster[record] = of_row
    members = {symbol.label: symbol.members for symbol in book}
    labels = {*column.vocabulary.labels, *(item for items in members.values() for item in items)}
    vocabulary = Vocabulary.of(labels) if hierarchy is None else hierarchy.leaves
    bound, index = _over(column, vocabulary, "mapping"), vocabulary.index
    size_of: dict[int, int] = {}
    for row in rows_of(path, LOCAL):
        published = row["published"]
        if published and published not in members:
            raise InputError(f"{str(path)!r}: cluster {datum(row['cluster'])} has a symbol that is not in the codebook")
        size = len(members[published]) if published else 0
        if not row["cluster"].isdecimal() or len(row["cluster"]) > _MOST_DIGITS:
            raise InputError(
                f"{str(path)!r}: cluster must be a number of at most {_MOST_DIGITS} digits, got {datum(row['cluster'])}"
            )
        if row["item"] in index:
            size_of[int(row["cluster"]) * len(vocabulary) + index[row["item"]]] = size
    keys = np.repeat(cluster, bound.lengths) * len(vocabulary) + bound.items
    distinct, count = np.unique(keys, return_counts=True)
    try:
        sizes = np.array([size_of[key] for key in distinct.tolist()], np.int64)
    except KeyError as missing:
        number, item = divmod(int(missing.args[0]), len(vocabulary))
        label = vocabulary.labels[item]
        msg = f"{str(path)!r}: cluster {number} has no line for item {datum(label)}: made from other data"
        raise InputError(msg) from None
    item = distinct % max(1, len(vocabulary))
    return PublishedRecoding(bound, None, item, sizes, count.astype(np.int64), "mapping")


def _groups(vocabulary: Vocabulary, mapping: Mapping[str, str]) -> ItemGroups:
    """Return the groups of items with a common symbol. An item without a symbol is suppressed."""
    first: dict[str, int] = {}
    symbols = [mapping.get(label, "") for label in vocabulary.labels]
    codes = [first.setdefault(symbol, len(first)) if symbol else SUPPRESSED for symbol in symbols]
    return ItemGroups(vocabulary, np.array(codes, np.int32))


def _over(column: SetColumn, vocabulary: Vocabulary, source: str, store: Store = MEMORY) -> SetColumn:
    index = vocabulary.index
    unknown = [label for label in column.vocabulary.labels if label not in index]
    if unknown:
        raise InputError(
            f"item {datum(unknown[0])} of the original is not in the {source}: the publication was made from other data"
        )
    return column.recode(np.array([index[label] for label in column.vocabulary.labels], np.int32), vocabulary, store)
