"""Keys of several columns, such as an insurer and the number of a member.

They are searched only among columns of equal names that identify the rows of no table by themselves.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from anonset.columns.ids import are_values, texts_of_all
from anonset.data.array_types import UInt64
from anonset.jobs.proposals.proposed_reading import columns_of, with_recognised_options
from anonset.jobs.proposals.shared_keys import KeyColumn
from anonset.jobs.proposals.table_evidence import TableEvidence
from anonset.reading.persons.id_hashes import hash_ids

_SIZES = (2, 3)
"""Numbers of columns of a key."""
_MOST = 4
"""Maximum number of columns that two tables share. With more, the columns are probably no keys."""


def composite_keys(tables: Sequence[TableEvidence], hash_key: UInt64, unit: Sequence[str]) -> list[KeyColumn]:
    """Return the keys of several columns in all tables with these columns. Each key identifies the rows of a table,
    or is the declared `unit`, and contains no smaller key.

    Tables with such columns are read again.
    """
    declared = {tuple(unit)} if len(unit) > 1 else set()
    wanted = sorted(_combinations(tables) | declared, key=lambda names: (len(names), names))
    of_tables = [_keys_of(one, wanted, hash_key) for one in tables]
    keys = {names: [own[names] for own in of_tables if names in own] for names in wanted}
    able = [names for names in wanted if names in declared or any(key.is_unique for key in keys[names])]
    smallest = [names for names in able if names in declared or not any({*other} < {*names} for other in able)]
    return [key for names in smallest for key in keys[names]]


def _keys_of(
    one: TableEvidence, wanted: Sequence[tuple[str, ...]], hash_key: UInt64
) -> dict[tuple[str, ...], KeyColumn]:
    """Return those of the wanted keys that a table has."""
    names = {column.name for column in one.profiles}
    own = [key for key in wanted if names.issuperset(key)]
    if not own:
        return {}
    data, _ = with_recognised_options(one.input, {**one.options, **one.recognised}, columns_of)
    columns = {key: [data.columns[name] for name in key] for key in own}
    return {key: _key(one, key, columns[key], hash_key) for key in own if all(map(are_values, columns[key]))}


def _combinations(tables: Sequence[TableEvidence]) -> set[tuple[str, ...]]:
    """Return the columns that two tables share, and that may be a key together."""
    alone = {key.name for one in tables for key in one.keys if key.is_unique}
    columns = [[key.name for key in one.keys if key.name not in alone] for one in tables]
    n_tables = Counter(name for names in columns for name in names)
    place = {name: number for number, name in enumerate(n_tables)}
    sets = Counter(frozenset(name for name in names if n_tables[name] > 1) for names in columns)
    shared = [one & other for one, other in combinations(sets, 2)] + [names for names, n in sets.items() if n > 1]
    few = [sorted(names, key=place.__getitem__) for names in shared if len(names) <= _MOST]
    return {chosen for names in few for size in _SIZES for chosen in combinations(names, size)}


def _key(one: TableEvidence, names: Sequence[str], columns: Sequence[Any], hash_key: UInt64) -> KeyColumn:
    """Return the columns as a key. As a person, it has less evidence than each column: a person may have several ids of
    it, such as visits.
    """
    texts = texts_of_all(columns)
    ids = np.unique(hash_ids(hash_key, texts)[:, 0])
    points = max((key.points for key in one.keys if key.name in names), default=0) - 1
    return KeyColumn(one.name, tuple(names), ids, len(texts[0]), len(columns[0]), points, is_dense=False)
