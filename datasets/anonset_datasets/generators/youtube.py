"""Relational-transaction data set similar to the YOUTUBE data of Poulis et al., ECML PKDD 2013."""

import numpy as np

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table, Vocabulary
from anonset.data.array_types import Float64, Int32, Int64
from anonset_datasets.generators.checks import count, integer, number, records
from anonset_datasets.generators.missions import (
    BLOCK,
    Mission,
    Stream,
    draw,
    join,
    lognormal_lengths,
    replace_row,
    zipf,
)

CATEGORIES = (
    "Autos", "Comedy", "Education", "Entertainment", "Film", "Howto", "Music", "News",
    "People", "Pets", "Sports", "Travel",
)  # fmt: skip
"""Video categories in canonical order. The items of a category are consecutive in the item order."""
_POPULARITY = (4.0, 12.0, 2.5, 24.0, 9.0, 3.0, 25.0, 5.0, 7.0, 3.0, 10.0, 2.0)
_LENGTH = (150, 180, 300, 200, 220, 260, 230, 160, 190, 90, 170, 210)  # median video length in seconds
SIGMA = 0.75
"""Standard deviation of the logarithm of the number of related videos."""
VIRAL = 3
"""Number of viral items per category. A viral item is related to videos of all categories."""
SHORT = 12
"""Largest number of related videos from a single category."""


def youtube_like(
    n: int = 131_780, n_items: int = 936, max_length: int = 37, avg_length: float = 6.5, seed: int = 0
) -> Table:
    """Generate videos with six relational attributes and their related videos.

    The category determines the video length and the related items. Most related items are from the range of the
    category, with Zipf-like popularity. A few are viral items of any category. Views increase with age, and ratings
    increase with views. Columns: ``age`` (days), ``category``, ``length`` (seconds), ``views``, ``rate`` (0 to 5,
    hundredths), ``ratings`` (count), and the set-valued ``related_videos`` with items ``v000 ...``. The first record
    has the maximum length.

    Parameters
    ----------
    n
        Number of records (0 gives an empty table).
    n_items
        Number of items. With the default `n`, all items occur.
    max_length
        Number of items in the longest record.
    avg_length
        Mean number of items per record.
    seed
        Seed of NumPy's PCG64.

    Raises
    ------
    InputError
        If a parameter is out of range.

    >>> table = youtube_like(1_000)
    >>> [column.name for column in table.relational]
    ['age', 'category', 'length', 'views', 'rate', 'ratings']
    """
    return youtube_like_part(n, n_items, max_length, avg_length, seed)


def youtube_like_part(
    n: int = 131_780,
    n_items: int = 936,
    max_length: int = 37,
    avg_length: float = 6.5,
    seed: int = 0,
    only: range | None = None,
) -> Table:
    """Generate only the blocks of `youtube_like` with the given numbers. None generates all blocks."""
    records(n, only)
    count("max_length", max_length, 1)
    count("n_items", n_items, len(CATEGORIES) * max(2 * SHORT, -(-3 * max_length // 2)))
    number("avg_length", avg_length, 1, max(1.0, max_length / 2), "half of max_length")
    integer("seed", seed, 0)
    missions = _missions(n_items, max_length)
    lengths = lognormal_lengths(avg_length, max_length, SIGMA)
    parts: list[tuple[Int64, Int32]] = []
    columns: list[tuple[Int32, list[Float64]]] = []
    first = only.start if only else 0
    for block, (indptr, items, mission) in enumerate(draw(n, n_items, lengths, missions, seed, only), first):
        if not block:
            own = missions[mission[0]].items
            indptr, items = replace_row(indptr, items, 0, own[Stream(seed, 3).permutation(len(own))[:max_length]])
        parts.append((indptr, items))
        category = (mission % len(CATEGORIES)).astype(np.int32)
        columns.append((category, _numbers(category, Stream(seed, 4, block))))
    return _table(parts, columns, n_items)


def _missions(n_items: int, max_length: int) -> list[Mission]:
    """Return the distributions from which records are drawn. Index c is the distribution for short records of category
    c, and index c + 12 for long records.
    """
    runs = np.array_split(np.arange(n_items, dtype=np.int32), len(CATEGORIES))
    viral = np.concatenate([run[:VIRAL] for run in runs])
    short = min(SHORT, max_length)
    missions = []
    for run, popularity in zip(runs, _POPULARITY, strict=True):
        others = viral[~np.isin(viral, run)]
        weights = np.concatenate((0.9 * zipf(len(run), 0.9, 5.0), 0.1 * zipf(len(others), 0.0, 1.0)))
        missions.append(Mission(np.concatenate((run, others)), weights, popularity, 1, short))
    if max_length > short:
        for run, popularity in zip(runs, _POPULARITY, strict=True):
            missions.append(Mission(run, zipf(len(run), 0.5, 5.0), popularity, short + 1, max_length))
    return missions


def _numbers(category: Int32, stream: Stream) -> list[Float64]:
    """Return age, length, views, rate and ratings, each float64 (b,)."""
    size = len(category)

    def uniform() -> Float64:
        return stream.uniform(BLOCK)[:size]

    def normal() -> Float64:  # a sum of twelve uniform variates is identical on every platform
        total: Float64 = np.sum([uniform() for _ in range(12)], axis=0)
        return total - 6.0

    age = np.floor(1_200 * np.sqrt(uniform()))
    length = np.clip(np.rint(np.array(_LENGTH)[category] * np.exp(0.7 * normal())), 1, 5_000)
    views = np.floor(np.exp(6.0 + age / 600 + 1.8 * normal()))
    ratings = np.floor(views * 0.006 * np.exp(0.6 * normal()))
    quality = np.clip(4.2 + 0.6 * normal(), 1.0, 5.0)
    rate = np.where(ratings > 0, np.rint(100 * quality) / 100, 0.0)
    return [age, length, views, rate, ratings]


def _table(parts: list[tuple[Int64, Int32]], columns: list[tuple[Int32, list[Float64]]], n_items: int) -> Table:
    indptr, items = join(parts)
    category = np.concatenate([np.zeros(0, np.int32), *(codes for codes, _ in columns)])
    empty = [np.zeros(0)] * 5
    age, length, views, rate, ratings = (
        np.concatenate(pieces) for pieces in zip(empty, *(numbers for _, numbers in columns), strict=True)
    )
    relational = (
        NumericColumn("age", age.astype(np.int64)),
        CategoricalColumn("category", category, Vocabulary(CATEGORIES)),
        NumericColumn("length", length.astype(np.int64)),
        NumericColumn("views", views.astype(np.int64)),
        NumericColumn("rate", rate),
        NumericColumn("ratings", ratings.astype(np.int64)),
    )
    digits = len(str(n_items - 1))
    vocabulary = Vocabulary(tuple(f"v{i:0{digits}}" for i in range(n_items)))
    related = SetColumn("related_videos", indptr, items, vocabulary)
    return Table(related, relational, order=(*(column.name for column in relational), related.name))
