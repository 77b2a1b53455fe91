"""Decide whether the values of a column repeat like keys of persons."""

from collections.abc import Sequence

import numpy as np

from anonset.data.table import Int64
from anonset.reading.persons.agreement import DIFFER, all_agree_within, count_distinct, evidence_of
from anonset.reading.persons.coded_columns import CodedColumn
from anonset.reading.persons.header_topics import is_quantity
from anonset.reading.persons.header_words import is_sampling_weight
from anonset.reading.persons.missing_values import combined

_FEWEST_ROWS = 100
"""Minimum number of rows for keys."""
_KEYS_OF_ROWS, _MOST_OF_A_KEY = (0.02, 0.5), 0.05
_NAMED_KEYS = 0.98
"""Limits for columns of person keys: minimum and maximum ratio of distinct keys to rows, maximum share of rows with one
key, and maximum ratio of distinct keys to rows if the header names a key.
"""


def is_witnessed(name: str, column: CodedColumn, witnesses: Sequence[tuple[str, Int64]]) -> bool:
    """Return True if two or more columns of few values agree within the repeated values of a key-like column."""
    if column.kind or column.amounts or column.times or is_sampling_weight(name) or is_quantity(name):
        return False
    if not repeat_as_keys(column.codes, named=False):
        return False
    agreeing = [codes for other, codes in witnesses if other != name and all_agree_within(column.codes, codes, 1)]
    return len(agreeing) > 1 and all_agree_within(column.codes, combined(agreeing))


def repeat_as_keys(codes: Int64, *, named: bool) -> bool:
    """Return True if the values of a column repeat like keys of persons.

    Many values must repeat, unless the header names a key, and no value may be very frequent.
    """
    present = codes[codes >= 0]
    if len(present) < _FEWEST_ROWS:
        return False
    counts = np.bincount(present)
    distinct = int(np.count_nonzero(counts))
    few, many = (_KEYS_OF_ROWS[0], _NAMED_KEYS) if named else _KEYS_OF_ROWS
    return few <= distinct / len(present) <= many and int(counts.max()) <= _MOST_OF_A_KEY * len(present)


def repeat_rarely(name: str, column: CodedColumn, attributes: Sequence[tuple[str, str, Int64]]) -> bool:
    """Return True if most values are distinct keys, some keys repeat, and the rows of a key may belong to one
    person.
    """
    n_values, distinct = int((column.codes >= 0).sum()), count_distinct(column.codes)
    return (
        n_values >= _FEWEST_ROWS
        and _KEYS_OF_ROWS[1] * n_values < distinct < n_values
        and column.keys
        and not is_quantity(name)
        and evidence_of(column.codes, attributes) != DIFFER
    )
