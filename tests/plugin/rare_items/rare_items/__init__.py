"""Leave out every item that too few records hold."""

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anonset import Hierarchy, ItemGroups, PrivacyModel, Result, Table, Verdict, Witness


@dataclass(frozen=True)
class CommonItems(PrivacyModel):
    """Every published symbol stands in at least `k` records."""

    name: ClassVar[str] = "common-items"
    protects: ClassVar = frozenset({"items"})
    served_by: ClassVar[str] = "leave-out"

    k: int
    """Smallest number of records that show a symbol (>= 1)."""

    @property
    def statement(self) -> str:
        return f"Whoever knows one item of a person finds at least {self.k} published records that match, or none."

    @property
    def limits(self) -> str:
        return "It says nothing about an attacker who knows two items."

    def check(self, publication: Any, *, budget: int, progress: Any = None) -> Verdict:
        rows = [set(row) for row in publication.transactions.rows()]
        support = Counter(symbol for row in rows for symbol in row)
        for symbol, found in sorted(support.items()):
            if found < self.k:
                record = next(at for at, row in enumerate(rows) if symbol in row)
                return Verdict(False, self, {"rows": len(rows)}, Witness((symbol,), found, self.k, record))
        return Verdict(True, self, {"rows": len(rows), "covered": "every symbol"})


@dataclass(frozen=True, kw_only=True)
class LeaveOut:
    """Suppress every item that fewer than `k` records hold."""

    name: ClassVar[str] = "leave-out"

    k: int
    """Smallest number of records that show a symbol (>= 1)."""
    margin: int = 0
    """Ask for so many records more."""

    @property
    def model(self) -> CommonItems:
        return CommonItems(self.k)

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Any = None,
    ) -> Result:
        column = table.transactions
        assert column is not None
        kept = column.occurrences >= self.k + self.margin
        groups = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        return Result(ItemGroups(column.vocabulary, groups), figures={"left_out": float((~kept).sum())})
