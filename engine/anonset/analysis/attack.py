"""Simulate an attack. It draws random persons, and searches the publication for rows that match some of their items and
values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anonset.analysis.exposures import AttackerKnowledge
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.array_types import Bools, Int64
from anonset.data.equivalence_classes import class_of
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.table import Column
from anonset.privacy import PrivacyModel
from anonset.publications import Records
from anonset.publications.symbols import members_of, range_ends
from anonset.release.symbols import spell_out
from anonset.support import SupportIndex

_Met = tuple[int, int, bool]  # matching rows, matching persons, True if the target person is among the matching persons


@dataclass(frozen=True)
class Attempts(AttackerKnowledge):
    """Success of an attacker with given knowledge. All items of the person are known if there are fewer."""

    attempts: int
    """Number of target persons."""
    alone: float
    """Share of targets with exactly one matching row or person (`Risk.unit`)."""
    below_k: float
    """Share of targets with at least one and fewer than k matching rows or persons."""
    none: float
    """Share of targets without a matching row, because a known item or value is suppressed."""
    success: float
    """Expected share of targets that an attacker identifies by choosing one of the matching rows or persons at
    random.
    """
    promised: float | None
    """Largest success per person that the guarantee allows, 1/k. None if the guarantee does not cover the attacker's
    knowledge.
    """
    broken: int
    """Number of targets with fewer matching rows than the model guarantees."""


def attack(
    table: Table,
    publication: Records,
    hierarchies: Mapping[str, Hierarchy],
    model: PrivacyModel,
    *,
    size: int,
    attempts: int = 1000,
    seed: int = 0,
    owner: Int64 | None = None,
    as_is: tuple[str, ...] = (),
) -> tuple[Attempts, ...]:
    """Match random persons of the original with the publication, by items and values that an attacker could know.

    Parameters
    ----------
    table, publication, hierarchies
        Original, publication with the record of each row, and hierarchies.
    model
        Privacy model of the publication.
    size
        Largest number of known items in steps of one. The attacker also knows the median and the 95th percentile of the
        number of items per record, if they are larger.
    attempts
        Number of target persons.
    seed
        Seed of the draw.
    owner
        Person of each record, int64 (n,), if persons have several records. Matching persons are then counted instead of
        rows. `Attempts.broken` still counts rows, because the guarantee refers to rows.
    as_is
        Columns published as is. The attacker knows none of them, or all.
    """
    draws = np.random.default_rng(seed)
    people = draws.choice(table.n, min(attempts, table.n), replace=False)
    matching = Matching(table, publication, hierarchies)
    row_of = publication.row_of(table.n)
    sets, relational, sizes = table.transactions, bool(table.relational), list[int]()
    if sets is not None:
        sizes = [*range(1, size + 1), *(n for n in typical_sizes(sets) if n > size)]
    ways = [AttackerKnowledge(True, 0, ())] if relational else []
    ways += [AttackerKnowledge(values, n, ()) for values in ((False, True) if relational else (False,)) for n in sizes]
    ways += [AttackerKnowledge(relational, n, as_is) for n in (0, *sizes)] if as_is else []
    ways = [replace(way, non_sensitive=bool(model.beside) and way.items > 0) for way in ways]
    unchanged = class_of([column for column in publication.kept if column.name in as_is], publication.n)
    counts: dict[AttackerKnowledge, list[_Met]] = {way: [] for way in ways}
    owner_of_row = None if owner is None else owner[publication.record]
    for person in people.tolist():
        items = draws.permutation(_items(table, person, model.secrets)).tolist()
        fitting, own = matching.rows_with_values_of(person), row_of[person]
        for way in ways:
            if way.items and not items:
                continue
            fits = fitting & (own >= 0) & (unchanged == unchanged[own]) if way.as_is else fitting
            matches = matching.rows_with_items(items[: way.items]) if way.items else np.flatnonzero(fits)
            matches = matches[fits[matches]] if way.items and (way.values or way.as_is) else matches
            persons = matches if owner_of_row is None else np.unique(owner_of_row[matches])
            target = row_of[person] if owner is None else owner[person]
            counts[way].append((len(matches), len(persons), bool(np.any(persons == target))))
    k = model.k or 1
    return tuple(_attempts(way, results, k, way.limit(model)) for way, results in counts.items() if results)


def typical_sizes(sets: SetColumn) -> list[int]:
    """Return the median and the 95th percentile of the number of items per record, ascending. Records without items do
    not count.

    >>> typical_sizes(SetColumn.of(["", "a", "ab", "abc"])), typical_sizes(SetColumn.of([""]))
    ([2, 3], [])
    """
    often = np.zeros(sets.longest + 1, np.int64)
    for a, b in spans(sets.n):
        often += np.bincount(np.diff(sets.indptr[a : b + 1]), minlength=len(often))
    reached = np.cumsum(often[1:])
    return sorted({int(np.searchsorted(reached, share * reached[-1])) + 1 for share in (0.5, 0.95) if len(reached)})


def _items(table: Table, record: int, secrets: tuple[str, ...]) -> list[str]:
    column = table.transactions
    if column is None:
        return []
    labels = (column.vocabulary.labels[c] for c in column.held_by(record))
    return [label for label in labels if label not in secrets]


def _attempts(way: AttackerKnowledge, results: list[_Met], k: int, promised: float | None) -> Attempts:
    n = len(results)
    rows, sizes, is_found = (np.array(part) for part in zip(*results, strict=True))
    below = (sizes > 0) & (sizes < k)
    success = float((is_found / np.maximum(sizes, 1)).mean())
    broken = int(((rows > 0) & (rows < k)).sum()) if promised else 0
    return Attempts(
        way.values, way.items, way.as_is, n, float((sizes == 1).mean()), float(below.mean()),
        float((sizes == 0).mean()), success, promised, broken, non_sensitive=way.non_sensitive,
    )  # fmt: skip


class Matching(RedactedRepr):
    """Rows of a publication that match known items and values of a person of the original."""

    def __init__(self, table: Table, publication: Records, hierarchies: Mapping[str, Hierarchy]) -> None:
        self.table = table
        self.n = publication.n
        self._index = None if publication.transactions is None else SupportIndex(publication.transactions)
        self._symbols: dict[str, list[int]] = {}
        for code, symbol in enumerate(publication.symbols):
            for member in symbol.members:
                self._symbols.setdefault(member, []).append(code)
        published = {column.name: column for column in spell_out(publication.relational, publication.value_sets)}
        self._classes = class_of(list(published.values()), publication.n)
        first = np.unique(self._classes, return_index=True)[1]
        self._columns = [
            _Covering(column, published[column.name].take(first), hierarchies.get(column.name))
            for column in table.relational
        ]

    def rows_with_values_of(self, record: int) -> Bools:
        """Return a mask of the rows that cover all relational values of a record, bool (n,)."""
        fitting = np.ones(1 if not self.n else int(self._classes.max()) + 1, bool)
        for column in self._columns:
            fitting &= column.fits(record)
        return fitting[self._classes]

    def rows_with_items(self, items: Sequence[str]) -> NDArray[np.uint32]:
        """Return the rows that show a symbol for each item, ascending. Empty if an item is not published."""
        if self._index is None or any(item not in self._symbols for item in items):
            return np.zeros(0, np.uint32)
        return self._index.records_of_groups([self._symbols[item] for item in items])

    def classes_covering(self, population: Table) -> tuple[Int64, Int64]:
        """Return the class of each row, int64 (n,), and the number of people per class, int64 (classes,)."""
        column_of = {column.name: column for column in population.relational}
        columns = [column_of[column.name] for column in self.table.relational]
        tuples = class_of(columns, population.n)
        first, weight = np.unique(tuples, return_index=True)[1], np.bincount(tuples)
        people = np.zeros(int(self._classes.max(initial=-1)) + 1, np.int64)
        covering = [_Covering(c, o.published, o.hierarchy) for c, o in zip(columns, self._columns, strict=True)]
        for place, person in enumerate(first.tolist()):
            fitting = np.ones(len(people), bool)
            for column in covering:
                fitting &= column.fits(person)
            people[fitting] += weight[place]
        return self._classes, people


@dataclass
class _Covering:
    original: Column
    published: CategoricalColumn
    """Published value of each equivalence class."""
    hierarchy: Hierarchy | None

    def __post_init__(self) -> None:
        self._known: dict[float | int, Bools] = {}
        labels = self.published.vocabulary.labels
        if isinstance(self.original, NumericColumn):
            ends = [range_ends(label) for label in labels]
            self._low = np.array([float(low) for low, _ in ends])
            self._high = np.array([float(high) for _, high in ends])
            return
        self._labels: dict[str, list[int]] = {}
        for code, label in enumerate(labels):
            for member in self._members(label):
                self._labels.setdefault(member, []).append(code)

    def _members(self, label: str) -> Sequence[str]:
        if self.hierarchy is not None and (node := self.hierarchy.node_of.get(label)) is not None:
            return self.hierarchy.leaves.labels[self.hierarchy.leaf_lo[node] : self.hierarchy.leaf_hi[node]]
        return tuple(dict.fromkeys((label, *members_of(label))))

    def fits(self, record: int) -> Bools:
        if isinstance(self.original, NumericColumn):
            value: float | int = self.original.values[record]
            if value not in self._known:
                self._known[value] = ((self._low <= value) & (value <= self._high))[self.published.codes]
            return self._known[value]
        code = int(self.original.codes[record])
        if code not in self._known:
            covering = np.zeros(len(self.published.vocabulary), bool)
            covering[self._labels.get(self.original.vocabulary.labels[code], [])] = True
            self._known[code] = covering[self.published.codes]
        return self._known[code]
