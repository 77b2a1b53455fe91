"""Functions that load data, run and time searches, and verify results. Times do not include compilation."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from benchmarks.memory import forget_peak, peak_mib

if TYPE_CHECKING:
    from anonset import Hierarchy, SetColumn, Table
    from anonset.algorithms.base import Algorithm, Result

_Found = TypeVar("_Found")

REPEATS = 3
ENOUGH = 2.0
"""Time in seconds after which `timed` starts no further run."""
VERIFY_BUDGET = 1_000_000_000
"""Maximum number of itemset occurrences that verification counts. Counting takes about ten seconds."""


@dataclass(frozen=True)
class Timed(Generic[_Found]):
    """Outcome of repeated runs of a search."""

    seconds: Sequence[float]
    peak_mib: float
    """Peak memory of the process during the runs, including the data."""
    found: _Found
    """Return value of the last run."""

    @property
    def measured(self) -> dict[str, Any]:
        """Shortest time, all times, and peak memory."""
        return {"seconds": min(self.seconds), "seconds_of_runs": list(self.seconds), "peak_mib": self.peak_mib}


def load(name: str, records: int | None = None, seed: int = 1) -> "SetColumn":
    """Return the records of a catalogue data set, or of the generated replacement of BMS-POS.

    Parameters
    ----------
    name
        Name in the catalogue, or ``pos_like``.
    records
        Number of records to draw, or to generate for ``pos_like``. By default all records.

    Raises
    ------
    InputError
        If the data are missing.
    """
    if name == "pos_like":
        return _read_once(name, records or 515_597)
    column = _read_once(name)
    return column if records is None else drawn(column, records, seed)


@lru_cache(maxsize=2)
def _read_once(name: str, records: int | None = None) -> "SetColumn":
    """Return the items of a data set. They are cached for further cases of the process."""
    from anonset_datasets import catalogue
    from anonset_datasets.generators import pos_like

    table = catalogue.load(name) if records is None else pos_like(records)
    column = table.transactions
    if column is None:
        msg = f"data set {name!r} has no set-valued column"
        raise RuntimeError(msg)
    return column


def drawn(column: "SetColumn", records: int, seed: int) -> "SetColumn":
    """Return `records` random records of a column, drawn without replacement, in their original order."""
    import numpy as np

    from anonset.data.split_mix import SplitMix

    return column.take(np.array(sorted(SplitMix(seed).distinct(column.n, records)), np.int64))


def hierarchy_for(column: "SetColumn", name: str, fanout: int | None) -> "Hierarchy":
    """Return a balanced hierarchy over the items. Without a fan-out, return the taxonomy of the data set."""
    from anonset import Hierarchy, read_hierarchy
    from anonset_datasets import catalogue

    if fanout is not None:
        return Hierarchy.balanced(column.vocabulary.labels, fanout)
    path = catalogue.hierarchy(name)
    if path is None:
        msg = f"data set {name!r} has no taxonomy; give a fan-out"
        raise RuntimeError(msg)
    return read_hierarchy(path)


def algorithm_of(name: str, parameters: Mapping[str, Any]) -> "Algorithm":
    """Return an algorithm by command-line name."""
    from anonset.algorithms.registry import ALGORITHMS

    made: Algorithm = ALGORITHMS[name](**parameters)
    return made


def fresh(column: "SetColumn") -> "Table":
    """Return the column in a new table without cached results."""
    from anonset import SetColumn, Table

    return Table(SetColumn(column.name, column.indptr, column.items, column.vocabulary))


def timed(search: Callable[["Table"], _Found], column: "SetColumn") -> Timed[_Found]:
    """Run a search up to three times, each time on a new table. No run starts after two seconds."""
    forget_peak()
    seconds: list[float] = []
    while True:
        table = fresh(column)
        began = time.perf_counter()
        found = search(table)
        seconds.append(time.perf_counter() - began)
        if len(seconds) == REPEATS or sum(seconds) >= ENOUGH:
            return Timed(seconds, peak_mib(), found)


def timed_algorithm(algorithm: "Algorithm", column: "SetColumn", hierarchy: "Hierarchy") -> "Timed[Result]":
    """Run an algorithm on new tables."""
    return timed(lambda table: algorithm.recode(table, {column.name: hierarchy}), column)


def warm_up(algorithm: "Algorithm") -> float:
    """Run an algorithm on two tiny tables, dense and sparse, to compile its kernels. Return the seconds.

    The tables contain so few items that k=3 is feasible for every algorithm.
    """
    import numpy as np

    from anonset import Hierarchy, SetColumn

    random = np.random.default_rng(0)
    began = time.perf_counter()
    for n_records, n_items in ((400, 6), (40, 60)):
        domain = [str(item) for item in range(n_items)]
        rows = [[domain[i] for i in random.choice(n_items, 5, replace=False)] for _ in range(n_records)]
        column, hierarchy = SetColumn.of(rows, universe=domain), Hierarchy.balanced(domain, 3)
        algorithm.recode(fresh(column), {column.name: hierarchy})
    return time.perf_counter() - began


def require_holds(publication: Any, model: Any) -> str:
    """Verify a result independently within the budget. Return the extent of the verification as text.

    Raises
    ------
    RuntimeError
        If the model does not hold.
    """
    from anonset import verify

    verdict = verify(publication, model, budget=VERIFY_BUDGET)
    if verdict.holds is False:
        msg = f"the result does not verify: {verdict}"
        raise RuntimeError(msg)
    return str(verdict.checked.get("covered", "all"))
