"""Measure how useful a publication of training records is, and what it reveals about the persons in it.

The publication is a k^m-anonymous publication, a differentially private release, or a set of synthetic records. All
measures use exact or expected supports, and are the same for each kind. Test records are in no publication.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from math import inf
from typing import TYPE_CHECKING, Any

from benchmarks.experiments.cases import Measured, Parameters
from benchmarks.experiments.factors import number_of
from benchmarks.experiments.searches import algorithm_of, warm_up

if TYPE_CHECKING:
    from benchmarks.experiments.baselines.itemsets import ItemSupports

    from anonset import SetColumn, Table
    from anonset.measures.item_supports import Supports
    from anonset.publications import Records

TRAINED, TESTED = 7_000, 3_000
"""Numbers of training records and of test records. There are fewer test records if the data set has fewer records."""
M = 2
"""Items that an attacker knows, in each guarantee."""
LEAST = 0.01
"""Smallest support of a frequent itemset, as a share of the training records."""
CONFIDENCE = 0.25
"""Smallest confidence of a rule."""
TARGETS, USED = 20, 100
"""Numbers of most frequent items of the training records that are predicted, and that the classifiers use."""
QUERIES = 1_000
"""Number of pairs of items, drawn from training records, whose counts are compared."""
SINGLES = 200
"""Number of most frequent items whose counts are compared."""
ATTEMPTS = 500
"""Number of training records and of test records that are attacked."""
BUDGET = 10**11
"""Limit of itemset occurrences that verification counts."""
ATTRIBUTES = ("race", "gender", "age")
"""Attributes of an RT publication."""
DELTA = 0.3
"""Bound of Rum-bound on the relational loss."""
MST_DELTA = 1e-6
"""Delta of `mst`, whose guarantee is (epsilon, delta)-differential privacy."""
TREE = "halves:frequency"
"""Item hierarchy for algorithms that need one."""


@dataclass(frozen=True)
class Split:
    """Training records and test records of a data set, without common records."""

    trained: "Table"
    tested: "Table"

    @property
    def items(self) -> "SetColumn":
        """Items of the training records."""
        return _items(self.trained)

    @property
    def other_items(self) -> "SetColumn":
        """Items of the test records."""
        return _items(self.tested)


@dataclass(frozen=True)
class Output:
    """Publication of the training records."""

    supports: "Supports"
    """Exact or expected supports of itemsets."""
    n: int
    """Number of records."""
    rows: "Records | None"
    """Published rows. None for chunks, which have no rows."""
    losses: Mapping[str, float] = field(default_factory=dict)
    """Losses that the publication has."""


def measure(parameters: Parameters) -> Measured:
    """Measure a case. ``way`` is an algorithm, a release or ``original``. With ``targets``, only attack all records."""
    split = _split(parameters["data"], number_of(parameters["sample"]), parameters.get("trained"))
    if parameters["way"] == "priv-basis":
        return _rounded(_itemsets_only(split, parameters))
    output = _output(split, parameters)
    if "targets" in parameters:
        return _rounded(_inferred(split, output, TRAINED, "all_"))
    found = {**output.losses, **_utility(split, output), **_disclosure(split, output)}
    return _rounded(found)


def _rounded(found: Mapping[str, float]) -> Measured:
    """Round to 6 digits, and an AUC to 4. Its ties depend on the order in which a processor adds floats."""
    return {name: float(f"{value:.{4 if name == 'auc' else 6}g}") for name, value in found.items()}


def _itemsets_only(split: Split, parameters: Parameters) -> dict[str, float]:
    """Measure a release of itemsets with supports, which has no records: itemsets, rules and, without a sweep of the
    number of itemsets, inferred items.
    """
    import numpy as np
    from benchmarks.experiments.baselines.priv_basis import TOP, ReleasedSupports, priv_basis

    random = np.random.default_rng(number_of(parameters["sample"]))
    found = priv_basis(split.items, float(parameters["epsilon"]), random, parameters.get("top", TOP))
    output = Output(ReleasedSupports(found), split.items.n, None)
    if "targets" in parameters:
        return _inferred(split, output, TRAINED, "all_")
    least = LEAST * split.items.n
    mined = {items: support for items, support in found.items() if len(items) > 1 and support >= least}
    agreements = _agreements(split, mined, lambda *items: found.get(frozenset(items), 0.0))
    return agreements | ({} if "top" in parameters else _inferred(split, output, ATTEMPTS))


def compile_kernels() -> None:
    """Fill the cache of compiled kernels."""
    for name in ("apriori", "set-search", "coat", "pcta", "disassociation"):
        warm_up(algorithm_of(name, {"k": 3, "m": M}))


def _items(table: "Table") -> "SetColumn":
    if table.transactions is None:
        msg = "the data must have a set-valued column"
        raise RuntimeError(msg)
    return table.transactions


@lru_cache(maxsize=2)
def _split(data: str, number: int, trained: int | None = None) -> Split:
    """Draw training and test records without replacement. By default, `TRAINED` training records."""
    import numpy as np
    from benchmarks.experiments.draws import permutation

    from anonset import Table
    from anonset.data.table_facts import OwnerStatements
    from anonset_datasets import catalogue

    table, trained = catalogue.load(data), trained or TRAINED
    columns = tuple(column for column in table.relational if column.name in ATTRIBUTES)
    order = permutation(table.n, number)
    parts = (np.sort(order[:trained]), np.sort(order[trained : trained + TESTED]))
    tables = [
        Table(
            _items(table).take(part), tuple(column.take(part) for column in columns), statements=OwnerStatements("row")
        )
        for part in parts
    ]
    return Split(*tables)


def _output(split: Split, parameters: Parameters) -> Output:
    import numpy as np
    from benchmarks.experiments.baselines.diff_part import diff_part
    from benchmarks.experiments.baselines.generators import independent, mst, tree
    from benchmarks.experiments.baselines.pair_counts import pair_counts

    from anonset.measures.item_supports import ColumnSupports

    way = parameters["way"]
    if way == "pair-counts":
        random = np.random.default_rng(number_of(parameters["sample"]))
        counts = pair_counts(split.items, float(parameters["epsilon"]), random, delta=MST_DELTA)
        return Output(counts, counts.n, None)
    length = parameters.get("length")
    releases: Mapping[str, Callable[[SetColumn, float, np.random.Generator], SetColumn]] = {
        "original": lambda column, _epsilon, _random: column,
        "diff-part": diff_part,
        "independent": partial(independent, length=length),
        "tree": partial(tree, length=length),
        "mst": partial(mst, length=length, delta=MST_DELTA),
    }
    if way not in releases:
        return _anonymized(split, parameters)
    random = np.random.default_rng(number_of(parameters["sample"]))
    released = releases[way](split.items, float(parameters.get("epsilon", inf)), random)
    return Output(ColumnSupports(released), released.n, _rows(released))


def _rows(column: "SetColumn") -> "Records":
    """Return records as a publication in which each item is its own symbol."""
    import numpy as np

    from anonset import Table
    from anonset.generalization import ItemGroups, apply

    unchanged = ItemGroups(column.vocabulary, np.arange(len(column.vocabulary), dtype=np.int32))
    return apply(Table(column), unchanged)


def _anonymized(split: Split, parameters: Parameters) -> Output:
    """Publish the training records by an algorithm. Only `rum-bound` also publishes attributes."""
    import anonset
    from anonset import Table
    from anonset.analysis.base import analysis_of
    from anonset.publications import Records

    way, asked = parameters["way"], {"k": parameters["k"], "m": M}
    table = split.trained
    if way == "rum-bound":
        asked |= {"delta": DELTA, "on_infeasible": "merge"}
    else:
        table = Table(split.items)
    trees: dict[str, Any] = {split.items.name: TREE} if way == "apriori" else {}
    release = anonset.anonymize(
        table, algorithm_of(way, asked), hierarchies=trees, accept="worthless", budget=BUDGET, symbols="short",
        workers=1,
    )  # fmt: skip
    publication = release.publication
    losses = {name: release.measures[name] for name in ("ncp", "log2_ul", "rum") if name in release.measures}
    rows = publication if isinstance(publication, Records) else None
    return Output(analysis_of(publication).supports(), publication.n, rows, losses)


def _utility(split: Split, output: Output) -> dict[str, float]:
    """Return the errors of counts, the agreement of itemsets and rules, and the AUC of the classifiers."""
    import numpy as np
    from benchmarks.experiments.baselines.classifier import mean_auc
    from benchmarks.experiments.baselines.itemsets import ItemSupports, frequent_itemsets

    from anonset.measures.item_supports import ColumnSupports

    supports, true = ItemSupports(output.supports), ItemSupports(ColumnSupports(split.items))
    labels = split.items.vocabulary.labels
    frequent = [labels[at] for at in np.argsort(-split.items.occurrences, kind="stable")[:SINGLES]]
    least = LEAST * split.items.n
    mined = frequent_itemsets(supports.supports, least)
    return {
        "are": _error(supports, true, _pairs(split)),
        "singles": _error(supports, true, [(item,) for item in frequent]),
        **_agreements(split, mined, supports.count),
        "auc": mean_auc(supports, output.n, split.other_items, frequent[:TARGETS], frequent[:USED]),
    }


def _agreements(split: Split, mined: "Mapping[frozenset[str], float]", count: Callable[..., float]) -> dict[str, float]:
    """Return the agreement of mined itemsets, and of the rules that follow from them, with those of the original."""
    from benchmarks.experiments.baselines.itemsets import ItemSupports, agreement, frequent_itemsets, rules

    from anonset.measures.item_supports import ColumnSupports

    true = ItemSupports(ColumnSupports(split.items))
    original = frequent_itemsets(true.supports, LEAST * split.items.n)
    sets = agreement(mined.keys(), original.keys())
    implied = agreement(rules(mined, count, CONFIDENCE), rules(original, true.count, CONFIDENCE))
    found = (("sets", sets), ("rules", implied))
    return {f"{kind}_{name}": value for kind, one in found for name, value in one._asdict().items()}


def _pairs(split: Split) -> list[tuple[str, ...]]:
    from anonset import Table
    from anonset.queries.mixed_workload import QueryShape, mixed_record_workload

    shape = QueryShape(n_values=0, n_items=2)
    return [query.items for query in mixed_record_workload(Table(split.items), QUERIES, shape, seed=1).queries]


def _error(supports: "ItemSupports", true: "ItemSupports", queries: list[tuple[str, ...]]) -> float:
    """Return the mean relative error of counts."""
    pairs = [(supports.count(*query), true.count(*query)) for query in queries]
    errors = [abs(count - exact) / exact for count, exact in pairs if exact]
    return sum(errors) / max(1, len(errors))


def _disclosure(split: Split, output: Output) -> dict[str, float]:
    """Attack training records, and as a control test records, which the publication does not contain.

    ``alone`` is the share of persons with exactly one row that matches three of their items.
    """
    found = _inferred(split, output, ATTEMPTS)
    if output.rows is not None:
        found |= {"alone": _alone(split.trained, output.rows), "control_alone": _alone(split.tested, output.rows)}
    return found


def _inferred(split: Split, output: Output, targets: int, of: str = "") -> dict[str, float]:
    """Return the share of the other items that an attacker infers with a probability of at least 1/2 from the two
    rarest items of a person, for training records and for test records.
    """
    from anonset.measures.risks.item_inference import infer_items

    found = {}
    for prefix, column in (("", split.items), ("control_", split.other_items)):
        inferred, *_ = infer_items(column, output.supports, targets, seed=1)
        found[f"{prefix}{of}inferred"] = inferred.likely
    return found


def _alone(table: "Table", rows: "Records") -> float:
    """Return the share of persons with exactly one row that matches M + 1 of their items, drawn at random."""
    import numpy as np

    from anonset import Table
    from anonset.analysis.attack import Matching

    column = _items(table)
    matching = Matching(Table(column), rows, {})
    draws = np.random.default_rng(1)
    persons = np.flatnonzero(column.lengths > M)
    chosen = draws.choice(persons, min(ATTEMPTS, len(persons)), replace=False)
    labels = column.vocabulary.labels
    sizes = [
        len(matching.rows_with_items([labels[code] for code in draws.permutation(column.held_by(person))[: M + 1]]))
        for person in chosen.tolist()
    ]
    return sum(size == 1 for size in sizes) / max(1, len(sizes))
