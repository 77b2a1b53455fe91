"""A table with a recoding applied: published symbols per record, still coded, with the codebook."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.discreet import Discreet, names_shown
from anonset.data.table import Int32, Int64
from anonset.generalization.order import row_ranks


@dataclass(frozen=True)
class Symbol(Discreet):
    """One published symbol of the set-valued column, and what it stands for."""

    label: str = field(repr=False)
    """The text that is published."""
    kind: str
    """``item``, ``node`` (of a hierarchy), ``group`` (a set of items) or ``values`` (a set of relational values)."""
    members: tuple[str, ...]
    """The original items it may stand for, in canonical order."""


@dataclass(frozen=True, eq=False)
class Publication(Discreet):
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
    joined: tuple[str, ...] = ()
    """Names of the columns that the set-valued column was joined from, and is written as; none if it is one."""
    value_sets: tuple[Symbol, ...] = ()
    """What the short codes of relational value sets stand for."""

    def __repr__(self) -> str:
        symbols = f", {len(self.symbols):,} symbols" if self.transactions is not None else ""
        return f"Publication({self.n:,} rows{symbols}; columns {names_shown(column.name for column in self.columns)})"

    @property
    def n(self) -> int:
        """Number of published rows."""
        return len(self.record)

    @property
    def columns(self) -> tuple[SetColumn | CategoricalColumn, ...]:
        """The published columns, in the order of the input; joined ones as one, where the first of them stood."""
        sets = () if self.transactions is None else (self.transactions,)
        order = [sets[0].name if sets and name in self.joined else name for name in self.order]
        return in_order((*self.relational, *sets, *self.kept), order)

    def take(self, rows: Int64) -> "Publication":
        """Return the publication with its rows in the given order."""
        return replace(
            self,
            transactions=None if self.transactions is None else self.transactions.take(rows),
            relational=tuple(column.take(rows) for column in self.relational),
            kept=tuple(column.take(rows) for column in self.kept),
            record=self.record[rows],
            cluster=None if self.cluster is None else self.cluster[rows],
        )

    def sorted(self) -> "Publication":
        """Return the publication with its rows ordered by their published content alone.

        Rows in the order of the input would give back what was hidden. Rows with the same content stand in the
        order of the input, which nobody can see.
        """
        keys: list[Int32 | Int64] = [column.codes for column in (*self.relational, *self.kept)]
        if self.transactions is not None:
            keys.append(row_ranks(self.transactions))
        if not keys:
            return self
        return self.take(np.lexsort(keys[::-1]).astype(np.int64))


def in_order(
    columns: Sequence[SetColumn | CategoricalColumn], order: Sequence[str]
) -> tuple[SetColumn | CategoricalColumn, ...]:
    """Return columns in the order of the given names, and after them those that are not named."""
    found = {column.name: column for column in columns}
    return tuple(found.pop(name) for name in order if name in found) + tuple(found.values())
