"""Compute the average relative error (ARE) of many queries at once, for two interpretations of a generalized item.

With ``half``, a symbol of s items represents each of the 2^s - 1 non-empty subsets of the items with equal probability,
so each item is present with a probability of about 1/2 (Loukides et al. 2010, section 6.1). With ``one``, each item is
present with probability 1/s, independently. `anonset.measures.query_error` also computes ``half`` for a single query.
This module is faster, because all queries of a workload share intermediate results.

The queries of a workload are drawn from records, or from the domain. In the domain, all queries with an answer above 0
are equally likely, so most answers are small.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.experiments.poulis2013.jobs import Job, Records, items_of, workload
from numpy.typing import NDArray

if TYPE_CHECKING:
    from anonset import Hierarchy, Table
    from anonset.publications import Records as Published

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Wanted = tuple[Ints | None, Sequence[Mapping[str, Any]]]
"""Items and relational values of the queries of a shape. The items are as in `Asked`."""

QUERIES = 1000
SHAPES = ((2, 0), (1, 2), (2, 2), (0, 2))
"""Number of relational values and of items in the queries of each workload."""
MODELS = {"are": "half", "are1s": "one"}
"""Interpretation of a generalized item, by the first part of the name of an error."""
DRAWN = ("", "domain_")
"""Middle part of the name of an error: the queries are those of records, or those of the domain."""


@dataclass(frozen=True)
class Asked:
    """Queries for relational values and items."""

    items: Ints | None
    """Item positions, int64 (Q, 2). None if the queries ask for no items."""
    values: Sequence[Mapping[str, Any]]
    true: Floats

    def error(self, answer: Floats) -> float:
        """Return the average relative error of estimated answers, float64 (Q,)."""
        return float(np.mean(np.abs(self.true - answer) / self.true))


def errors(job: Job, publication: "Published", drawn: Sequence[str] = DRAWN) -> dict[str, float]:
    """Return the ARE of every shape for both interpretations, as ``are_2_0``, ``are1s_2_0``, and ``are_domain_2_0``.

    `drawn` selects the workloads. For queries of records, a record, two of its items and two of its values are drawn.
    All shapes use the same pairs of items. A shape uses both values, the first value, or no value. For queries of the
    domain, each shape has its own pairs.
    """
    published, found = _Published(job.records, publication), {}
    for origin in drawn:
        asked = _asked(job, origin)
        held: dict[int | None, Mapping[str, NDArray[Any]]] = {None: dict.fromkeys(MODELS.values(), published.size)}
        for queries in asked.values():
            if queries.items is not None and id(queries.items) not in held:
                held[id(queries.items)] = published.with_items(queries.items)
        for (n_values, n_items), queries in asked.items():
            relational = published.relational(queries.values)
            for name, model in MODELS.items():
                answer = np.sum(relational * held[id(queries.items) if n_items else None][model], axis=1)
                found[f"{name}_{origin}{n_values}_{n_items}"] = queries.error(answer)
    return found


def errors_without_information(job: Job) -> dict[str, float]:
    """Return the errors of `errors` for a single cluster in which each value is the root, and all items are one set."""
    column = items_of(job.records.bound)
    leaves = {name: len(hierarchy.leaves.labels) for name, hierarchy in job.records.relational.items()}
    size, found = float(len(column.vocabulary)), {}
    together = {"half": 0.25 / (1.0 - 2.0**-size), "one": 1.0 / size**2}
    for origin in DRAWN:
        for (n_values, n_items), queries in _asked(job, origin).items():
            relational = np.array([np.prod([1 / leaves[name] for name in asked]) for asked in queries.values])
            for name, model in MODELS.items():
                answer = relational * (column.n_nonempty * together[model] if n_items else column.n)
                found[f"{name}_{origin}{n_values}_{n_items}"] = queries.error(answer)
    return found


def _asked(job: Job, origin: str) -> dict[tuple[int, int], Asked]:
    names = ("data", "records", "values", "function", "sample", "seed", "order", "workload")
    return _drawn(tuple((name, job.parameters.get(name)) for name in names), origin)


@lru_cache(maxsize=64)
def _drawn(named: tuple[tuple[str, Any], ...], origin: str) -> dict[tuple[int, int], Asked]:
    """Draw the workloads of a sample so that no answer is 0."""
    parameters = {name: value for name, value in named if value is not None}
    table, seed = Job.of(parameters).records.bound, workload(parameters)
    wanted = _from_domain(table, seed) if origin else _from_records(table, seed)
    answers = _Answers(table)
    return {shape: Asked(*wanted[shape], answers.of(*wanted[shape])) for shape in SHAPES}


def _from_records(table: "Table", seed: int) -> dict[tuple[int, int], Wanted]:
    from anonset.queries.mixed_workload import QueryShape, mixed_record_workload

    both, alone = (
        mixed_record_workload(table, QUERIES, QueryShape(n_values=2, n_items=n), seed).queries for n in (2, 0)
    )
    values = [{one.column: _value(one) for one in query.where} for query in both]
    place = items_of(table).vocabulary.index
    items = np.array([[place[item] for item in query.items] for query in both], np.int64)
    one_value = [dict([list(asked.items())[q % 2]]) for q, asked in enumerate(values)]
    return {
        (2, 0): (None, [{one.column: _value(one) for one in query.where} for query in alone]),
        (1, 2): (items, one_value),
        (2, 2): (items, values),
        (0, 2): (items, [{}] * QUERIES),
    }


def _from_domain(table: "Table", seed: int) -> dict[tuple[int, int], Wanted]:
    """Draw columns for each query, and one of all combinations of their values and two items that a record has."""
    from anonset.data.split_mix import SplitMix

    random, column = SplitMix(seed), items_of(table)
    found: dict[tuple[int, int], Wanted] = {}
    many, codes = len(column.vocabulary), [_coded(one) for one in table.relational]
    rows = np.arange(table.n)
    with_items = np.divmod(_pairs(column, np.repeat(rows, column.lengths), many), many**2)
    for n_values, n_items in SHAPES:
        record, pair = with_items if n_items else (rows, np.zeros(table.n, np.int64))
        columns = [tuple(sorted(random.distinct(len(codes), n_values))) for _ in range(QUERIES)]
        places = {chosen: _distinct(pair, [codes[c][record] for c in chosen]) for chosen in sorted(set(columns))}
        at = np.array([places[chosen][random.below(len(places[chosen]))] for chosen in columns])
        items = np.stack(np.divmod(pair[at], many), axis=1) if n_items else None
        asked = [
            {table.relational[c].name: _value_at(table.relational[c], row) for c in chosen}
            for chosen, row in zip(columns, record[at].tolist(), strict=True)
        ]
        found[n_values, n_items] = items, asked
    return found


def _distinct(pair: Ints, values: Sequence[Ints]) -> Ints:
    """Return a position of each distinct combination of a pair of items and values."""
    key = pair
    for codes in values:
        key = key * (codes.max(initial=0) + 1) + codes
    return np.unique(key, return_index=True)[1]


def _coded(column: Any) -> Ints:
    codes: Ints = column.codes if hasattr(column, "codes") else np.unique(column.values, return_inverse=True)[1]
    return codes.astype(np.int64)


def _value_at(column: Any, row: int) -> Any:
    return column.vocabulary.labels[int(column.codes[row])] if hasattr(column, "codes") else column.values[row]


class _Answers:
    """True answers, computed from the original records."""

    def __init__(self, table: "Table") -> None:
        column = items_of(table)
        self.table, self.columns = table, {one.name: one for one in table.relational}
        self.holds = np.zeros((len(column.vocabulary), table.n), np.bool_)
        self.holds[column.items, np.repeat(np.arange(table.n), column.lengths)] = True

    def of(self, items: Ints | None, values: Sequence[Mapping[str, Any]]) -> Floats:
        """Return the number of records that match the items and the values of each query, float64 (Q,)."""
        found = np.empty(len(values))
        for q, asked in enumerate(values):
            chosen = np.ones(self.table.n, np.bool_)
            if items is not None:
                chosen = self.holds[items[q, 0]] & self.holds[items[q, 1]]
            for name, value in asked.items():
                chosen = chosen & self._has(self.columns[name], value)
            found[q] = np.count_nonzero(chosen)
        return found

    def _has(self, column: Any, value: Any) -> NDArray[np.bool_]:
        coded = hasattr(column, "codes")
        found: NDArray[np.bool_] = column.codes == column.vocabulary.index[value] if coded else column.values == value
        return found


def _value(condition: Any) -> Any:
    return condition.values[0] if hasattr(condition, "values") else condition.low


class _Published:
    """Counts of relational values, symbols, and pairs of symbols in each cluster of published records."""

    def __init__(self, records: Records, publication: "Published") -> None:
        if publication.cluster is None:
            msg = "the publication must be of a local recoding"
            raise ValueError(msg)
        cluster = publication.cluster.astype(np.int64)
        self.size, first = np.bincount(cluster), np.unique(cluster, return_index=True)[1]
        self.columns = {
            column.name: _values_of(original, column, records.relational.get(column.name))
            for original, column in zip(records.bound.relational, publication.relational, strict=True)
        }
        self.label = {column.name: column.codes[first] for column in publication.relational}
        shown = items_of(publication)  # type: ignore[arg-type]
        of_item = np.repeat(cluster, shown.lengths)
        sizes = [len(symbol.members) for symbol in publication.symbols]
        self.many = len(sizes) + 1  # the last index represents items that a cluster does not publish
        self.once = np.unique(of_item * self.many + shown.items, return_counts=True)
        self.pairs = np.unique(_pairs(shown, of_item, self.many), return_counts=True)
        self.symbol = self._symbols(publication, items_of(records.bound).vocabulary.index)
        size = np.array([*sizes, 1], np.float64)
        whole = 1.0 - np.exp2(-size)
        self.present = {"half": np.where(size == 1, 1.0, 0.5 / whole), "one": 1.0 / size}
        self.together = {"half": np.where(size == 1, 1.0, 0.25 / whole), "one": 1.0 / size**2}

    def _symbols(self, publication: "Published", place: Mapping[str, int]) -> Ints:
        """Return the symbol of each item in each cluster, int64 (C, items). The last index means no symbol."""
        found = np.full((len(self.size), len(place)), self.many - 1, np.int64)
        members = [np.array([place[item] for item in symbol.members]) for symbol in publication.symbols]
        for cluster, symbol in zip(*np.divmod(self.once[0], self.many), strict=True):
            found[cluster, members[symbol]] = symbol
        return found

    def relational(self, values: Sequence[Mapping[str, Any]]) -> Floats:
        """Return the probability that a record of each cluster matches the values of each query, float64 (Q, C)."""
        found = np.ones((len(values), len(self.size)))
        for q, asked in enumerate(values):
            for name, value in asked.items():
                found[q] *= self.columns[name](value)[self.label[name]]
        return found

    def with_items(self, items: Ints) -> dict[str, Floats]:
        """Return the expected number of records of each cluster with both items of each query, float64 (Q, C), by
        interpretation.
        """
        cluster = np.arange(len(self.size))
        one, other = self.symbol[:, items[:, 0]].T, self.symbol[:, items[:, 1]].T
        both = (cluster * self.many + np.minimum(one, other)) * self.many + np.maximum(one, other)
        alone, pairs = _counts(self.once, cluster * self.many + one), _counts(self.pairs, both)
        return {
            model: np.where(one == other, alone * self.together[model][one], pairs * present[one] * present[other])
            for model, present in self.present.items()
        }


def _pairs(shown: Any, cluster: Ints, many: int) -> Ints:
    """Return a number for each pair of symbols in a record. The number encodes the cluster and both symbols."""
    end = np.repeat(shown.indptr[1:], shown.lengths)
    at, found = np.arange(len(shown.codes)), [np.empty(0, np.int64)]
    for apart in range(1, int(shown.lengths.max(initial=0))):
        first = at[at + apart < end]
        one, other = shown.items[first].astype(np.int64), shown.items[first + apart].astype(np.int64)
        found.append((cluster[first] * many + np.minimum(one, other)) * many + np.maximum(one, other))
    return np.concatenate(found)


def _counts(known: tuple[Ints, Ints], asked: Ints) -> Ints:
    """Return the number of occurrences of each value of `asked` in `known`."""
    numbers, counts = known
    if not len(numbers):
        return np.zeros(asked.shape, np.int64)
    at = np.minimum(np.searchsorted(numbers, asked), len(numbers) - 1)
    return np.where(numbers[at] == asked, counts[at], 0)


def _values_of(original: Any, published: Any, hierarchy: "Hierarchy | None") -> Any:
    """Return a function that maps a value to its probability for each published label, float64 (V,)."""
    if hierarchy is None:
        return _sets_or_ranges(original, published)
    nodes = [hierarchy.node_of[label] for label in published.vocabulary.labels]
    low, high = hierarchy.leaf_lo[nodes], hierarchy.leaf_hi[nodes]

    def of(value: str) -> Floats:
        at = hierarchy.leaves.index[value]
        return ((low <= at) & (at < high)) / (high - low)

    return of


def _sets_or_ranges(original: Any, published: Any) -> Any:
    from anonset.queries.conditions import Among, Between
    from anonset.queries.relational import PublishedValues, ValueDomain

    known = PublishedValues(ValueDomain(original), published)

    @cache
    def of(value: Any) -> Floats:
        condition = Among(original.name, (value,)) if isinstance(value, str) else Between(original.name, value, value)
        return known.probabilities(condition)

    return of
