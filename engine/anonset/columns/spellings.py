"""Persons whose ids are written in several ways."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from anonset import arrow
from anonset.columns.agreement import count_distinct
from anonset.columns.ids import combined, texts_of_all
from anonset.data.array_types import Int64
from anonset.spelling import counted


def spelling_problems(ids: Mapping[str, Any], persons: Int64) -> list[str]:
    """Return the problem that ids differ only in spelling, so that they are one person (see `folded`). Empty if each
    person has one spelling. The text shows no id of the data.

    Parameters
    ----------
    ids
        Columns that identify persons, by name.
    persons
        Person of each row, int64 (n,). -1 if an id is missing.
    """
    given = persons[persons >= 0]
    texts = texts_of_all(list(ids.values()))
    spelled = combined([arrow.to_numpy(arrow.dictionary_encode(text).indices).astype(np.int64) for text in texts])
    first = np.unique(spelled, return_index=True)[1]
    several = int((np.bincount(given[first]) > 1).sum())
    if not several:
        return []
    columns = f"column{'s' if len(ids) > 1 else ''} {', '.join(map(repr, ids))}"
    return [
        f"{columns}: {len(first):,} different values are {counted(count_distinct(given), 'person')}, because the ids "
        f"of {counted(several, 'person')} differ only in upper and lower case, blanks, punctuation, leading zeros or "
        "date format (1-23, 12-3 and 0123 are the same person); if they are different persons, make their ids "
        "differ in letters or digits"
    ]
