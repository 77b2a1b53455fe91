"""A table with a recoding applied: published symbols per record, still coded, with the codebook."""

from dataclasses import dataclass

import numpy as np

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.table import Int32, Int64


@dataclass(frozen=True)
class Symbol:
    """One published symbol of the set-valued column, and what it stands for."""

    label: str
    """The text that is published."""
    kind: str
    """``item``, ``node`` (of a hierarchy) or ``group`` (a set of items)."""
    members: tuple[str, ...]
    """The original items it may stand for, in canonical order."""


@dataclass(frozen=True, eq=False)
class Publication:
    """The published records. Row `r` was made from input record ``record[r]``."""

    transactions: SetColumn | None
    """Published symbols per record; the vocabulary holds the symbols' labels in canonical order."""
    symbols: tuple[Symbol, ...]
    """The codebook: entry `c` explains symbol code `c`."""
    relational: tuple[CategoricalColumn, ...]
    """Published relational values, as text."""
    kept: tuple[CategoricalColumn, ...]
    """Columns published as they are."""
    record: Int64
    """int64 (n,): input record of each published row. Private."""
    cluster: Int32 | None = None
    """int32 (n,): cluster of each published row, for local recodings. Private."""
    order: tuple[str, ...] = ()
    """Names of the columns in the order of the input."""

    @property
    def n(self) -> int:
        """Number of published rows."""
        return len(self.record)

    @property
    def columns(self) -> tuple[SetColumn | CategoricalColumn, ...]:
        """The published columns, in the order of the input."""
        sets = () if self.transactions is None else (self.transactions,)
        found = {column.name: column for column in (*self.relational, *sets, *self.kept)}
        return tuple(found.pop(name) for name in self.order if name in found) + tuple(found.values())

    def take(self, rows: Int64) -> "Publication":
        """Return the publication with its rows in the given order."""
        return Publication(
            None if self.transactions is None else self.transactions.take(rows),
            self.symbols,
            tuple(column.take(rows) for column in self.relational),
            tuple(column.take(rows) for column in self.kept),
            self.record[rows],
            None if self.cluster is None else self.cluster[rows],
            self.order,
        )

    def sorted(self) -> "Publication":
        """Return the publication with its rows ordered by their published content alone.

        Rows in the order of the input would give back what was hidden. Rows with the same content stand in the
        order of the input, which nobody can see.
        """
        from anonset.generalization.order import row_ranks

        keys: list[Int32 | Int64] = [column.codes for column in (*self.relational, *self.kept)]
        if self.transactions is not None:
            keys.append(row_ranks(self.transactions))
        if not keys:
            return self
        return self.take(np.lexsort(keys[::-1]).astype(np.int64))
