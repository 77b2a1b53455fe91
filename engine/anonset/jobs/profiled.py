"""The columns of a table whose roles are known, as they look."""

from collections.abc import Iterator

import numpy as np

from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.data.table import Column
from anonset.io.kinds import kind_of_values
from anonset.io.profiles import Profile, entropy


def profiles_of(table: Table) -> Iterator[tuple[str, Profile]]:
    """Yield the role of each column of a table, and what it looks like."""
    roles = {"id": table.ids, "relational": table.relational, "keep": table.kept}
    for role, columns in roles.items():
        for column in columns:
            yield role, _profile(column)
    if table.transactions is not None:
        yield "items", _of_sets(table.transactions)
    if table.sensitive is not None:
        yield "sensitive", _profile(table.sensitive)


def _of_sets(column: SetColumn) -> Profile:
    counts = column.occurrences
    distinct, most = int(np.count_nonzero(counts)), int(counts.max(initial=0))
    items = [label for label, count in zip(column.vocabulary.labels, counts, strict=True) if count]
    kind = kind_of_values(items)
    return Profile(column.name, "sets", column.n, distinct, 0, 0, entropy(counts), most, len(column.items), None, kind)


def _profile(column: Column) -> Profile:
    if isinstance(column, CategoricalColumn):
        counts = np.bincount(column.codes, minlength=len(column.vocabulary)).astype(np.int64)
        kind = kind_of_values(column.vocabulary.labels)
    else:
        counts = np.unique(column.values, return_counts=True)[1].astype(np.int64)
        kind = "integers" if column.values.dtype == np.int64 else "numbers"
    distinct, most = int(np.count_nonzero(counts)), int(counts.max(initial=0))
    return Profile(column.name, kind, column.n, distinct, 0, 0, entropy(counts), most)
