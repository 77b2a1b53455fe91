"""Running one search for a measurement: its data, its time apart from compiling, its peak memory, its check."""

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
"""Seconds after which a search is not repeated."""
VERIFY_BUDGET = 1_000_000_000
"""Itemset occurrences that the check of a result may count: some ten seconds."""


@dataclass(frozen=True)
class Timed(Generic[_Found]):
    """Repeated runs of one search."""

    seconds: Sequence[float]
    peak_mib: float
    """Peak memory of the process while it ran, data included."""
    found: _Found
    """What the last run returned."""

    @property
    def measured(self) -> dict[str, Any]:
        """The best time, all times, and the peak."""
        return {"seconds": min(self.seconds), "seconds_of_runs": list(self.seconds), "peak_mib": self.peak_mib}


def load(name: str, records: int | None = None, seed: int = 1) -> "SetColumn":
    """Return the records of a data set of the catalogue, or of the generated stand-in of BMS-POS.

    Parameters
    ----------
    name
        A name of the catalogue, or ``pos_like``.
    records
        Draw so many records, by SplitMix64; all by default. The generated set is made with so many.

    Raises
    ------
    InputError
        If the real data cannot be found.
    """
    if name == "pos_like":
        return _read_once(name, records or 515_597)
    column = _read_once(name)
    return column if records is None else drawn(column, records, seed)


@lru_cache(maxsize=2)
def _read_once(name: str, records: int | None = None) -> "SetColumn":
    """Return the items of a data set; a process that runs many cases of it reads it once."""
    from anonset_datasets import catalogue
    from anonset_datasets.generators import pos_like

    table = catalogue.load(name) if records is None else pos_like(records)
    column = table.transactions
    if column is None:
        msg = f"data set {name!r} has no set-valued column"
        raise RuntimeError(msg)
    return column


def drawn(column: "SetColumn", records: int, seed: int) -> "SetColumn":
    """Return so many records of a column, drawn at random without replacement, in their order."""
    import numpy as np

    from anonset.data.split_mix import SplitMix

    return column.take(np.array(sorted(SplitMix(seed).distinct(column.n, records)), np.int64))


def hierarchy_for(column: "SetColumn", name: str, fanout: int | None) -> "Hierarchy":
    """Return a balanced hierarchy over the items, or, without a fan-out, the data set's own taxonomy."""
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
    """Return an algorithm by its name on the command line."""
    from anonset.algorithms.registry import ALGORITHMS

    made: Algorithm = ALGORITHMS[name](**parameters)
    return made


def fresh(column: "SetColumn") -> "Table":
    """Return the column in a new table, without anything that was computed for it before."""
    from anonset import SetColumn, Table

    return Table(SetColumn(column.name, column.indptr, column.items, column.vocabulary))


def timed(search: Callable[["Table"], _Found], column: "SetColumn") -> Timed[_Found]:
    """Run a search on fresh tables, up to three times, and no more once that has taken two seconds."""
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
    """Run an algorithm on fresh tables."""
    return timed(lambda table: algorithm.recode(table, {column.name: hierarchy}), column)


def warm_up(algorithm: "Algorithm") -> float:
    """Run an algorithm of small parameters on a dense and a sparse tiny table, so that its kernels are there; seconds.

    The tables hold fewer items than records are needed for k=3, so that no algorithm must refuse.
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
    """Check a result by the verification's own path, as far as the budget reaches; return what was covered.

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
