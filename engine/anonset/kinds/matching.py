"""Find published rows that match known items and relational values of a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Column, Int64
from anonset.measures.equivalence_classes import class_of
from anonset.publications import Records
from anonset.publications.symbols import members_of, range_ends
from anonset.release.symbols import spell_out
from anonset.support import SupportIndex

Bools = NDArray[np.bool_]


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
