"""Anonymize a table in parts, and publish all parts together.

The union of the parts satisfies the model. In each part that contains a published relational tuple, at least k records
have this tuple. Under `kkm`, the records with a tuple are a union of k^m-anonymous sets. Losses refer to the domains of
the complete data. The publication does not show the parts: rows are sorted by content, and symbols are named after all
parts are anonymized.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from anonset.algorithms.base import Algorithm, Result
from anonset.algorithms.record_order import recode_in_order
from anonset.algorithms.split.median_cuts import cut_into_parts
from anonset.algorithms.split.merging import PartMergingAlgorithm, merge_over_parts
from anonset.algorithms.split.parts import PartTaskRunner, union
from anonset.data import Hierarchy, Table
from anonset.data.array_types import Int64
from anonset.data.domains import with_range
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.resumption.ledger import Ledger


def split_and_solve(
    algorithm: Algorithm,
    most: int,
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    *,
    progress: Progress | None = None,
) -> Result:
    """Split a table into parts of at most `most` records, anonymize each part, and return the combined recoding.

    If the table has at most `most` records, the algorithm's result is returned unchanged. Otherwise the result has no
    trace, and its statistics refer to all parts together. Algorithms that merge clusters merge across all parts
    (`merge_over_parts`).

    Raises
    ------
    InputError
        If the algorithm cannot use the columns.
    InfeasibleError
        If a part remains infeasible after joining neighbouring parts.
    """
    if table.n <= most or not table.relational:
        return recode_in_order(algorithm, _with_arrays(table), hierarchies, progress=progress)
    ranged = tuple(map(with_range, table.relational))
    kept_for = tuple(
        replace(column, counts=column.overall)
        for column in table.kept
        if column.name == algorithm.model.sensitive_column
    )
    undivided = replace(table, relational=ranged, sensitive=None, ids=(), kept=kept_for, store=table.store.in_memory())
    k = int(getattr(algorithm, "k", 1))
    cuts = cut_into_parts(ranged, hierarchies, k, most, store=table.store)
    ledger = Ledger.of(table.store, undivided, hierarchies)
    solving = PartTaskRunner(algorithm.name, undivided, cuts.record, most, progress, ledger)
    if isinstance(algorithm, PartMergingAlgorithm) and algorithm.merges_across:
        return merge_over_parts(algorithm, solving, cuts.first, hierarchies, table.store)
    parts = solving.solve_joining(_Recode(algorithm, hierarchies), list(pairwise(cuts.first.tolist())))
    return union(table.n, parts, cuts.record, table.store)


def _with_arrays(table: Table) -> Table:
    """Return a table with its items in a plain array, for algorithms that process all items at once."""
    column = table.transactions
    if column is None:
        return table
    return table.with_transactions(replace(column, codes=column.items))


@dataclass(frozen=True, eq=False)
class _Recode(RedactedRepr):
    algorithm: Algorithm
    hierarchies: Mapping[str, Hierarchy]

    name = "recode"

    def __call__(self, part: Table, records: Int64) -> Result:
        result = recode_in_order(self.algorithm, part, self.hierarchies)
        return Result(result.recoding, (), result.figures, result.notes)
