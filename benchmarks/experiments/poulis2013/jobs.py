"""Prepare and cache the inputs of a case, which are records, hierarchies, and the framework with a bound.

Each repetition draws all choices that the paper does not state. The number of a sample or seed also determines leaf
orders and the workload, unless a case sets them explicitly.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Parameters
from benchmarks.experiments.draws import ordered, subsample
from benchmarks.experiments.factors import number_of

if TYPE_CHECKING:
    from anonset import Hierarchy, Table
    from anonset.algorithms.rt.rum_bound import RumBound
    from anonset.algorithms.rt.tum_bound import TumBound

DIVERSITY = 3
"""Parameter l of the variants with diversity."""
M = 2
_FANOUT = 5
_DRAWN = ("sample", "seed", "order", "workload", "run")


@dataclass(frozen=True)
class Records:
    """Records with and without a hierarchy of their items, and the hierarchies of the relational columns."""

    plain: "Table"
    bound: "Table"
    items: "Hierarchy | None"
    """Hierarchy of the items. None if the transaction function does not use a hierarchy."""
    relational: "dict[str, Hierarchy]"

    @property
    def hierarchies(self) -> "dict[str, Hierarchy]":
        """All hierarchies by column."""
        own = {} if self.items is None else {items_of(self.bound).name: self.items}
        return self.relational | own


@dataclass(frozen=True)
class Job:
    """Prepared inputs of a case."""

    parameters: Parameters
    records: Records
    transaction: Any

    @classmethod
    def of(cls, parameters: Parameters) -> "Job":
        """Load the data, and bind the items to their hierarchy if the transaction function uses a hierarchy."""
        from anonset.algorithms.transaction.cuts.apriori import Apriori
        from anonset.algorithms.transaction.cuts.lm_apriori import LmApriori
        from anonset.algorithms.transaction.item_sets.coat import Coat

        asked = {name: parameters.get(name) for name in ("data", "records", "values")}
        function = parameters.get("function", "coat")
        records = _records(**asked, function=function, number=number(parameters), order=order(parameters))
        transaction: Any = {"coat": Coat, "lm": None}.get(function, Apriori)
        if transaction is None:
            sensitive = tuple(filter(is_sensitive, items_of(records.plain).vocabulary.labels))
            transaction = partial(LmApriori, l=DIVERSITY, sensitive_items=sensitive)
        return cls(parameters, records, transaction)

    def algorithm(self, **changes: Any) -> "RumBound | TumBound":
        """Return the framework with the parameters of the case."""
        from anonset.algorithms.rt.rum_bound import RumBound
        from anonset.algorithms.rt.tum_bound import TumBound

        kind: Any = {"rum": RumBound, "tum": TumBound}[self.parameters["framework"]]
        chosen = {name: self.parameters[name] for name in ("k", "merge")} | changes
        if "delta" not in chosen:
            chosen["delta"] = self.delta
        chosen |= {"formation": self.parameters.get("formation", "cluster"), "on_infeasible": "merge", "m": M}
        found: RumBound | TumBound = kind(transaction=self.transaction, **chosen)
        return found

    @cached_property
    def delta(self) -> float:
        """Bound of the framework, given explicitly or as a fraction of the distance between two losses.

        For Rum-bound, the losses are the loss of the initial clusters (X in the paper) and 1. For Tum-bound, the losses
        are the loss of a single cluster of all records and the loss of the initial clusters.
        """
        if "delta" in self.parameters:
            return float(self.parameters["delta"])
        named = {name: value for name, value in self.parameters.items() if name not in ("kind", "share", "merge")}
        low, high = _reach(tuple(sorted(named.items())))
        share: float = self.parameters["share"]
        return low + share * (high - low)

    def search(self, **changes: Any) -> Any:
        """Run the framework."""
        return self.algorithm(**changes).recode(self.records.bound, self.records.hierarchies)

    def head(self, n: int) -> "Table":
        """Return the first `n` records, for a short search that loads the kernels."""
        import numpy as np

        table = self.records.bound
        return _taken(table, np.arange(min(n, table.n)))


def number(parameters: Parameters) -> int:
    """Return the number of the case's sample or seed. 1 for other factors."""
    drawn = parameters.get("sample", parameters.get("seed"))
    return number_of(drawn) if drawn else 1


def order(parameters: Parameters) -> str:
    """Return the leaf order of a case."""
    return str(parameters.get("order", f"random {number(parameters)}"))


def workload(parameters: Parameters) -> int:
    """Return the seed of the workloads of a case."""
    drawn = parameters.get("workload")
    return number_of(drawn) if drawn else number(parameters)


def is_first(parameters: Parameters) -> bool:
    """Return True for the first repetition of a point, whose result is verified."""
    drawn = [parameters[name] for name in _DRAWN if name in parameters]
    return all(level.rsplit(" ", 1)[-1] == "1" for level in drawn)


def is_sensitive(code: str) -> bool:
    """Return True if an ICD-9 code is a mental disorder, 290 to 319."""
    return code.isdigit() and 290 <= int(code) <= 319


def items_of(table: "Table") -> Any:
    """Return the set-valued column of a table.

    Raises
    ------
    RuntimeError
        If the table has no set-valued column.
    """
    if table.transactions is None:
        msg = "the data must have a set-valued column"
        raise RuntimeError(msg)
    return table.transactions


@lru_cache(maxsize=64)
def _reach(named: tuple[tuple[str, Any], ...]) -> tuple[float, float]:
    """Return the lowest and the highest useful bound of a framework."""
    from anonset.errors import InfeasibleError

    parameters = dict(named)
    job = Job.of({**parameters, "merge": "r", "delta": 0.0})
    try:
        least = job.search().figures["rum" if parameters["framework"] == "rum" else "tum"]
    except InfeasibleError as infeasible:
        least = infeasible.achieved or 0.0
    if parameters["framework"] == "rum":
        return least, 1.0
    return least, job.search(delta=1.0).figures["tum_before"]


@lru_cache(maxsize=6)
def _records(*, data: str, records: int | None, values: str | None, function: str, number: int, order: str) -> Records:
    table = _sample(data, records, number)
    relational = {} if values == "plain" else _of_values(data, table, order)
    if values != "plain":
        table = as_categories(table)
    column = items_of(table)
    if function == "coat":
        return Records(table, table, None, relational)
    hierarchy = _of_items(data, function, ordered(column, order))
    return Records(table, table.with_transactions(hierarchy.bind(column)), hierarchy, relational)


@lru_cache(maxsize=3)
def _sample(data: str, records: int | None, number: int) -> "Table":
    """Return the records of a data set. They are complete, sampled or generated."""
    from anonset_datasets.generators import youtube_like

    if data == "youtube_like":
        return youtube_like(records or 131_780, seed=number - 1)
    table = _whole(data)
    return table if records is None else _bare(subsample(table, records, number))


@lru_cache(maxsize=2)
def _whole(data: str) -> "Table":
    from anonset_datasets import catalogue

    return _bare(catalogue.load(data))


def _bare(table: "Table") -> "Table":
    """Return the table with only the set-valued and relational columns."""
    from anonset import Table

    return Table(items_of(table), tuple(table.relational))


def _taken(table: "Table", records: Any) -> "Table":
    from anonset import Table

    return Table(items_of(table).take(records), tuple(column.take(records) for column in table.relational))


def as_categories(table: "Table") -> "Table":
    """Return the table with numbers converted to categories, as required by hierarchies."""
    from anonset import Table
    from anonset.data import CategoricalColumn, NumericColumn

    columns = [
        CategoricalColumn.of(column.name, [f"{value:.10g}" for value in column.values.tolist()])
        if isinstance(column, NumericColumn)
        else column
        for column in table.relational
    ]
    return Table(items_of(table), tuple(columns))


def _of_values(data: str, table: "Table", order: str) -> "dict[str, Hierarchy]":
    """Return balanced hierarchies over the values of the relational columns.

    The leaves are in ascending order for numbers, and in `order` for other values.
    """
    from anonset import Hierarchy
    from anonset.data import NumericColumn

    whole = table if data == "youtube_like" else _whole(data)
    found: dict[str, Hierarchy] = {}
    of_whole: Any
    for column, of_whole in zip(as_categories(table).relational, as_categories(whole).relational, strict=True):
        numeric = isinstance(next(one for one in whole.relational if one.name == column.name), NumericColumn)
        labels = sorted(of_whole.vocabulary.labels, key=float) if numeric else ordered(of_whole, order)
        found[column.name] = Hierarchy.balanced(labels, _FANOUT)
    return found


def _of_items(data: str, function: str, labels: list[str]) -> "Hierarchy":
    from anonset import Hierarchy, read_hierarchy
    from anonset.data.hierarchies.combined_hierarchies import attach_sensitive
    from anonset_datasets import catalogue

    if function == "icd9":
        taxonomy = catalogue.hierarchy(data)
        if taxonomy is None:
            msg = f"data set {data!r} has no taxonomy"
            raise RuntimeError(msg)
        return read_hierarchy(taxonomy)
    if function == "lm":
        sensitive = sorted(filter(is_sensitive, labels))
        ordinary = [label for label in labels if not is_sensitive(label)]
        return attach_sensitive(Hierarchy.balanced(ordinary, _FANOUT), sensitive)
    return Hierarchy.balanced(labels, _FANOUT)
