"""Tables for bucketization: figures of the papers, random tables, and publications as plain lists."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, Table
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.publications import Buckets
from anonset.publications.buckets import STAR
from reference.buckets import Grouping

# Figure 1a, in row order
FIGURE_1 = [
    ("P1", "Mild Exfoliation"), ("P4", "Azelaic acid"), ("P1", "Retinoic Acid"), ("P2", "Mild Exfoliation"),
    ("P3", "Azelaic acid"), ("P1", "Retinoic Acid"), ("P4", "Cytarabine"), ("P1", "Azelaic acid"),
    ("P4", "Retinoic Acid"), ("P3", "Cytarabine"), ("P3", "Azelaic acid"), ("P1", "Retinoic Acid"),
    ("P5", "Esom. Magnesium"), ("P3", "Mild Exfoliation"), ("P6", "Adapalene"),
]  # fmt: skip
FIGURE_1B_GROUPS = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
FIGURE_2 = [
    ("P1", "Retinoic Acid"), ("P1", "Retinoic Acid"), ("P1", "Retinoic Acid"), ("P3", "Azelaic acid"),
    ("P3", "Azelaic acid"), ("P1", "Azelaic acid"),
]  # fmt: skip
# Figure 3 by prescription id (1 to 13); the values of a group are those of its rows in the SNT, side by side
FIGURE_3 = [
    ("P1", "Retinoic Acid"), ("P1", "Azelaic acid"), ("P4", "Cytarabine"), ("P2", "Mild Exfoliation"),
    ("P1", "Retinoic Acid"), ("P3", "Nexium"), ("P1", "Retinoic Acid"), ("P4", "Adapalene"),
    ("P3", "Mild Exfoliation"), ("P3", "Azelaic acid"), ("P4", "Cytarabine"), ("P3", "Azelaic acid"),
    ("P5", "Mild Exfoliation"),
]  # fmt: skip


def table_of(rows: Sequence[tuple[str | tuple[str, ...], str]], kept: Sequence[str] | None = None) -> Table:
    """Encode rows of (identity, value). An identity is a label or a tuple of labels."""
    identities = [(identity,) if isinstance(identity, str) else identity for identity, _ in rows]
    width = len(identities[0]) if identities else 1
    ids = tuple(CategoricalColumn.of(f"id{i}", [identity[i] for identity in identities]) for i in range(width))
    sensitive = CategoricalColumn.of("drug", [value for _, value in rows])
    columns = () if kept is None else (CategoricalColumn.of("zip", kept),)
    return Table(sensitive=sensitive, ids=ids, kept=columns)


def buckets_of(group: Sequence[int], starred: Sequence[int] = ()) -> Bucketized:
    """Create a recoding from the group of each tuple (-1: removed) and the starred tuples."""
    return Bucketized(np.array(group, np.int32), np.isin(np.arange(len(group)), starred))


def published(rows: Sequence[tuple[Any, str]], group: Sequence[int], starred: Sequence[int] = ()) -> Buckets:
    """Publish rows with the given groups and stars."""
    return bucketize(table_of(rows), buckets_of(group, starred))


def decision_of(buckets: Bucketized) -> Grouping:
    """Return a recoding as plain lists."""
    group = [None if g < 0 else g for g in buckets.group.tolist()]
    return Grouping(group, set(np.flatnonzero(buckets.starred).tolist()))


def shown_rows(publication: Buckets) -> list[tuple[str, ...] | None]:
    """Return the identity of each QIT row, None if starred."""
    rows = list(zip(*(column.labels() for column in publication.ids), strict=True))
    return [None if set(row) == {STAR} else row for row in rows]


def values_of(publication: Buckets) -> dict[str, list[str]]:
    """Return the sensitive values of each published group."""
    result: dict[str, list[str]] = {label: [] for label in publication.group.vocabulary.labels}
    labels = publication.group.vocabulary.labels
    rows = zip(publication.snt_group, publication.snt_value.labels(), publication.snt_count, strict=True)
    for group, value, count in rows:
        result[labels[group]] += [value] * int(count)
    return result


def random_rows(seed: int, n: int | None = None) -> list[tuple[tuple[str, str], str]]:
    """Draw tuples of individuals with two names. Most tuples of an individual share a value, and counts are skewed."""
    rng = random.Random(seed)
    names = [(first, last) for first in "cab" for last in "zxyw"][: rng.randint(3, 12)]
    if n is not None:
        names = [(f"f{i % 37}", f"l{i // 37}") for i in range(n // rng.randint(3, 9))]
    values = [f"v{i}" for i in range(rng.randint(3, 9))]
    weights = [rng.choice([1, 1, 2, 3]) for _ in values]
    main = {name: rng.choices(values, weights)[0] for name in names}
    stay = rng.choice([0.0, 0.3, 0.6, 0.9])
    rows = []
    for _ in range(rng.randint(8, 30) if n is None else n):
        name = names[int(len(names) * rng.random() ** rng.choice([1, 1, 2]))]
        rows.append((name, main[name] if rng.random() < stay else rng.choices(values, weights)[0]))
    return rows
