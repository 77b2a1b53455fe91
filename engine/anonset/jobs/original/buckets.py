"""The original of buckets."""

from collections.abc import Mapping

import numpy as np

from anonset.data import Hierarchy, Table
from anonset.data.spans import Limits
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.jobs.original.base import OTHER, read_original, recoded, require_possible
from anonset.jobs.reading import read_data
from anonset.publications import Buckets
from anonset.publications.buckets import STAR
from anonset.reading.source import Source
from anonset.release.documents import Attestation
from anonset.release.memory import format_size
from anonset.settings.publication import OriginalSettings

_BYTES, _BYTES_PER_COLUMN = 40, 48
"""Memory for the comparison of rows, in bytes per row, and per row and column (measured)."""


@read_original.register
def _read(
    publication: Buckets,
    source: Source,
    settings: OriginalSettings,
    attested: Attestation | None,
    store: Store = MEMORY,
) -> Table:
    roles = {
        "id": [column.name for column in publication.ids],
        "keep": [column.name for column in publication.kept],
        "sensitive": publication.snt_value.name,
        "drop": settings.drop,
    }
    return read_data(source, {**settings.reading_options(), **roles}, store=store)


@require_possible.register
def _require_possible(publication: Buckets, original: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
    """Reject buckets with a row or value that is missing in the original, or that occurs less often there than in the
    buckets.
    """
    before = {column.name: column for column in (*original.ids, *original.kept)}
    columns = [c for c in (*publication.ids, *publication.kept) if c.name in before]
    visible = np.ones(publication.n, bool)
    for column in publication.ids:
        visible &= column.codes != column.vocabulary.index.get(STAR, -1)
    _require_room(original.n + publication.n, len(columns), publication.store.limits)
    pairs = [(before[c.name].codes.astype(np.int64), recoded(c, before[c.name])[visible]) for c in columns]
    if pairs and not _contained(pairs):
        msg = f"qit.csv contains rows that are missing or rarer in the original, {OTHER}"
        raise InputError(msg)
    sensitive = original.sensitive
    if sensitive is not None:
        values = np.repeat(recoded(publication.snt_value, sensitive), publication.snt_count)
        if not _contained([(sensitive.codes.astype(np.int64), values)]):
            msg = f"snt.csv contains values that are missing or rarer in the original, {OTHER}"
            raise InputError(msg)


def _require_room(rows: int, columns: int, limits: Limits) -> None:
    """Reject the comparison if sorting all rows at once needs more than half of the remaining memory."""
    row_size = _BYTES + _BYTES_PER_COLUMN * columns
    if limits.at_once_within(rows, row_size) < rows:
        needed = (
            f"comparing all rows without the private directory needs about {format_size(row_size * rows)} of memory"
        )
        msg = f"{needed}; name the private directory, or raise the memory limit"
        raise InputError(msg)


def _contained(keys: list[tuple[Int64, Int64]]) -> bool:
    """Return True if each row of keys in the second arrays occurs at least as often in the first arrays."""
    n = len(keys[0][0])
    if not n:
        return not len(keys[0][1])
    columns = np.stack([np.concatenate(pair) for pair in keys])
    rank = np.unique(columns, axis=1, return_inverse=True)[1].reshape(-1)
    counts = [np.bincount(part, minlength=int(rank.max(initial=-1)) + 1) for part in (rank[:n], rank[n:])]
    return bool(np.all(counts[0] >= counts[1]))
