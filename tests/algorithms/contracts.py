"""Contract of each registered algorithm: how to create it, its inputs, and a naive check of its output."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, Result
from anonset.algorithms.rt.rfirst import MergingFramework
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.generalization import Bucketized, Disassociated, apply
from anonset.generalization.bucketizing import bucketize
from anonset.generalization.chunk_cutting import disassociate
from anonset.privacy import DisassociationModel, KmAnonymity, PrivacyModel
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.privacy.coherence import Coherence
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.k import KAnonymity
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.lm import LmDiversity
from anonset.privacy.partitions import PartitionKmAnonymity
from anonset.privacy.rho import RhoUncertainty
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.privacy.transaction_k import TransactionKAnonymity
from anonset.publications import Buckets, Chunks, Records
from reference.buckets import is_diverse as is_bucket_diverse
from reference.buckets import is_safe
from reference.diversity import is_diverse
from reference.hierarchy_model import parse
from reference.suppression import is_coherent
from reference.transaction_algorithms import is_km
from reference.uncertainty import rules

HIERARCHY = Hierarchy.from_tree(parse("ALL(dairy(milk(skim,full),yogurt),bakery(bread,rolls,cake),misc(pens,tea))"))
ORIGINS = Hierarchy.from_tree(parse("All(Europe(France,Greece,Spain),Africa(Algeria,Nigeria))"))
SECRETS = ("test", "pills")
Rows = Sequence[Collection[str]]


@dataclass(frozen=True, eq=False)
class Case:
    """An input: a table bound to hierarchies."""

    table: Table
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)


@dataclass(frozen=True)
class Contract:
    make: Callable[[type[Any], int, int], Algorithm]
    """Creates the algorithm from a class, k and m."""
    model: Callable[[int, int], PrivacyModel]
    """Privacy model that the algorithm guarantees."""
    case: Callable[[int, int], Case]
    """Random input for a seed and a number of records."""
    holds: Callable[[Any, int, int], bool]
    """Naive check of a publication."""
    infeasible: Callable[[int], Case] | None = None
    """Input that is infeasible for this k (>= 2). None if every input is feasible."""
    suppresses: bool = False
    """True if items or tuples may be suppressed."""
    same_at_one: bool = True
    """True if k = 1 publishes the input unchanged."""
    longest_is_most: bool = True
    """True if m is capped at the longest record. Otherwise a larger m changes the search."""
    parameters: tuple[str, ...] = ("k", "m")
    """Names of the parameters set from k and m; rho and cap are 1/k."""


def items_case(seed: int, n: int) -> Case:
    rng = random.Random(seed)
    return Case(table_of([set(rng.choices(HIERARCHY.leaves.labels, k=rng.randint(0, 5))) for _ in range(n)]), BOUND)


def filled_case(seed: int, n: int) -> Case:
    """Return a case without empty records."""
    rng = random.Random(seed)
    return Case(table_of([set(rng.choices(HIERARCHY.leaves.labels, k=rng.randint(1, 5))) for _ in range(n)]), BOUND)


def secrets_case(seed: int, n: int) -> Case:
    """Return a case in which a few records have sensitive items."""
    rng = random.Random(seed)
    rows = [set(rng.choices(HIERARCHY.leaves.labels, k=rng.randint(0, 4))) for _ in range(n)]
    for row in rows[::9]:
        row.add(rng.choice(SECRETS))
    return Case(Table(SetColumn.of(rows, universe=(*HIERARCHY.leaves.labels, *sorted(SECRETS)))), BOUND)


def relational_case(seed: int, n: int, items: SetColumn | None = None) -> Case:
    """Return a case with a number, a category with a hierarchy, and a category without."""
    rng = random.Random(seed)
    relational = (
        NumericColumn("age", np.array([rng.randint(18, 60) for _ in range(n)], np.int64)),
        CategoricalColumn.of("origin", [rng.choice(ORIGINS.leaves.labels) for _ in range(n)]),
        CategoricalColumn.of("race", [rng.choice("123") for _ in range(n)]),
    )
    return Case(Table(items, relational), {"origin": ORIGINS, **BOUND})


def rt_case(seed: int, n: int) -> Case:
    return relational_case(seed, n, filled_case(seed, n).table.transactions)


def buckets_case(seed: int, n: int) -> Case:
    """Return a case with several tuples per person."""
    rng = random.Random(seed)
    people = [f"P{rng.randrange(max(1, n // 2))}" for _ in range(n)]
    values = ["abcdefg"[i % 7] for i in range(n)]
    rng.shuffle(values)
    return Case(Table(sensitive=CategoricalColumn.of("drug", values), ids=(CategoricalColumn.of("person", people),)))


BOUND = {"items": HIERARCHY}


def table_of(rows: Rows) -> Table:
    return Table(SetColumn.of(rows, universe=HIERARCHY.leaves.labels))


def published(case: Case, result: Result) -> Any:
    if isinstance(result.recoding, Disassociated):
        return disassociate(case.table, result.recoding)
    if isinstance(result.recoding, Bucketized):
        return bucketize(case.table, result.recoding)
    table, column = case.table, case.table.transactions
    recoding: Any = result.recoding
    if column is not None and hasattr(recoding, "hierarchy"):
        table = table.with_transactions(recoding.hierarchy.bind(column))
    return apply(table, recoding)


def rows_of(publication: Records) -> list[set[str]]:
    assert publication.transactions is not None
    return [set(row) for row in publication.transactions.rows()]


def tuples_of(publication: Records) -> list[tuple[str, ...]]:
    return list(zip(*(column.labels() for column in publication.relational), strict=True))


def classes(keys: Sequence[Any], rows: Rows) -> list[list[Collection[str]]]:
    result: dict[Any, list[Collection[str]]] = {}
    for key, row in zip(keys, rows, strict=True):
        result.setdefault(key, []).append(row)
    return list(result.values())


def _km(publication: Records, k: int, m: int) -> bool:
    return is_km(rows_of(publication), k, m)


def _partitions(publication: Records, k: int, m: int) -> bool:
    assert publication.cluster is not None
    return all(is_km(part, k, m) for part in classes(publication.cluster.tolist(), rows_of(publication)))


def _k(publication: Records, k: int, _: int) -> bool:
    return all(size >= k for size in Counter(tuples_of(publication)).values())


def _kkm(publication: Records, k: int, m: int) -> bool:
    parts = classes(tuples_of(publication), rows_of(publication))
    return all(len(part) >= k and is_km(part, k, m) for part in parts)


def _transaction_k(publication: Records, k: int, _: int) -> bool:
    return all(size >= k for size in Counter(map(frozenset, rows_of(publication))).values())


def _coherence(publication: Records, k: int, m: int) -> bool:
    return is_coherent(rows_of(publication), (), Fraction(1), k, m)


def _lm(publication: Records, k: int, m: int) -> bool:
    return is_diverse(rows_of(publication), SECRETS, k, 2, m)


def _rho(publication: Records, k: int, m: int) -> bool:
    return not list(rules(rows_of(publication), SECRETS, Fraction(1, k), range(m + 1), strict=False))


def _values(publication: Buckets) -> dict[Hashable, list[str]]:
    groups, result = publication.group.vocabulary.labels, dict[Hashable, list[str]]()
    for group, value, count in zip(
        publication.snt_group, publication.snt_value.labels(), publication.snt_count.tolist(), strict=True
    ):
        result.setdefault(groups[group], []).extend([value] * count)
    return result


def _anatomy(publication: Buckets, k: int, _: int) -> bool:
    return all(is_bucket_diverse(values, k) for values in _values(publication).values())


def _safe(publication: Buckets, k: int, m: int) -> bool:
    shown = [None if who == "*" else who for who in publication.ids[0].labels()]
    return is_safe(shown, publication.group.labels(), _values(publication), k, min(k, m))


def _chunks(publication: Chunks, k: int, m: int) -> bool:
    bags = [rows for cluster in publication.clusters for rows in cluster.chunks]
    bags += [chunk.rows for chunk in publication.shared]
    rows = [[{str(item) for item in row} for row, count in bag for _ in range(count)] for bag in bags]
    return all(cluster.n >= k for cluster in publication.clusters) and all(is_km(bag, k, m) for bag in rows)


def _capped(publication: Chunks, k: int, _: int) -> bool:
    secrets = {publication.vocabulary.index.get(label) for label in SECRETS}
    chunks = [(rows, cluster.n) for cluster in publication.clusters for rows in cluster.chunks]
    chunks = [(rows, n) for rows, n in chunks if any(secrets.intersection(items) for items, _ in rows)]
    return all(len(rows) == len(rows[0][0]) == 1 and rows[0][1] * k <= n for rows, n in chunks)


def by_k_and_m(cls: type[Any], k: int, m: int) -> Algorithm:
    made: Algorithm = cls(k=k, m=m)
    return made


def by_k(cls: type[Any], k: int, _: int) -> Algorithm:
    made: Algorithm = cls(k=k)
    return made


def by_k_and_p(cls: type[Any], k: int, m: int) -> Algorithm:
    made: Algorithm = cls(k=k, p=m)
    return made


def by_l(cls: type[Any], k: int, _: int) -> Algorithm:
    made: Algorithm = cls(l=k, seed=0)
    return made


def _of_rho(cls: type[Any], k: int, m: int) -> Algorithm:
    made: Algorithm = cls(rho=Fraction(1, k), m=m, sensitive_items=SECRETS, strict=False)
    return made


def few_items(k: int) -> Case:
    return Case(table_of([{"tea", "skim"}] * (k - 1) + [set()] * 9), BOUND)


def few_records(k: int) -> Case:
    case = rt_case(3, k - 1)
    return Case(case.table, case.hierarchies)


def few_rows(k: int) -> Case:
    return relational_case(3, k - 1)


def _too_frequent(k: int) -> Case:
    ids = CategoricalColumn.of("person", [f"P{i}" for i in range(2 * k)])
    return Case(Table(sensitive=CategoricalColumn.of("drug", ["a"] * (2 * k)), ids=(ids,)))


def _secret_everywhere(_: int) -> Case:
    rows = [{"tea", "test"}] * 12
    return Case(Table(SetColumn.of(rows, universe=(*HIERARCHY.leaves.labels, *sorted(SECRETS)))), BOUND)


def _of_lm(cls: type[Any], k: int, m: int) -> Algorithm:
    made: Algorithm = cls(k=k, l=2, m=m, sensitive_items=SECRETS)
    return made


def _of_safe(cls: type[Any], k: int, m: int) -> Algorithm:
    made: Algorithm = cls(k=k, l=min(k, m) if isinstance(k, int) and isinstance(m, int) else m, seed=0)
    return made


def _without_hierarchy(make: Callable[[int, int], Case]) -> Callable[[int, int], Case]:
    return lambda seed, n: Case(make(seed, n).table)


def _of_rt(cls: type[Any], k: int, m: int) -> Algorithm:
    delta = {"delta": 1.0} if issubclass(cls, MergingFramework) else {}
    made: Algorithm = cls(k=k, m=m, **delta)
    return made


CUT = Contract(by_k_and_m, KmAnonymity, items_case, _km, few_items)
SUPPRESSING = Contract(by_k_and_m, KmAnonymity, items_case, _km, suppresses=True)
SETS = Contract(
    by_k_and_m, lambda k, m: ConstraintSet(k, m=m), _without_hierarchy(items_case), _km, longest_is_most=False
)
RELATIONAL = Contract(by_k, lambda k, _: KAnonymity(k), relational_case, _k, few_rows, parameters=("k",))
RT = Contract(_of_rt, KKmAnonymity, rt_case, _kkm, few_records, same_at_one=False, longest_is_most=False)
ANATOMY = Contract(
    by_l, lambda k, _: AnatomyDiversity(k), buckets_case, _anatomy, _too_frequent, same_at_one=False, parameters=("l",)
)
SAFE = Contract(
    _of_safe,
    lambda k, m: SafetyConstraint(k, min(k, m)),
    buckets_case,
    _safe,
    lambda k: buckets_case(3, k - 1),
    suppresses=True,
    same_at_one=False,
    parameters=("k",),
)
COHERENCE = Contract(
    by_k_and_p,
    lambda k, m: Coherence(1.0, k, m),
    items_case,
    _coherence,
    suppresses=True,
    parameters=("k", "p"),
)
RHO = Contract(
    _of_rho,
    lambda k, m: RhoUncertainty(Fraction(1, k), m, SECRETS, strict=False),
    _without_hierarchy(secrets_case),
    _rho,
    suppresses=True,
    parameters=("rho", "m"),
)
LM = Contract(
    _of_lm,
    lambda k, m: LmDiversity(k, 2, m, SECRETS),
    secrets_case,
    _lm,
    _secret_everywhere,
    same_at_one=False,
)
LOCAL = Contract(
    by_k,
    lambda k, _: TransactionKAnonymity(k),
    filled_case,
    _transaction_k,
    few_items,
    parameters=("k",),
)
CONTRACTS: Mapping[str, Contract] = {
    "apriori": CUT,
    "direct": CUT,
    "optimal": CUT,
    "exact": CUT,
    "vpa": CUT,
    "lra": Contract(by_k_and_m, PartitionKmAnonymity, items_case, _partitions, few_items),
    "hghs": SUPPRESSING,
    "mhghs": SUPPRESSING,
    "coherence-suppression": COHERENCE,
    "suppress-control": RHO,
    "local-generalization": LOCAL,
    "local-reallocation": LOCAL,
    "lm-apriori": LM,
    "coat": SETS,
    "pcta": SETS,
    "set-search": Contract(by_k_and_m, KmAnonymity, _without_hierarchy(items_case), _km, few_items),
    "disassociation": Contract(
        lambda cls, k, m: cls(k=k, m=m, cluster_size=8),
        DisassociationModel,
        _without_hierarchy(items_case),
        _chunks,
        lambda k: Case(table_of([{"tea"}] * (k - 1))),
        suppresses=True,
        same_at_one=False,
        longest_is_most=False,
    ),
    "cahd": Contract(
        lambda cls, k, _: cls(cap=Fraction(1, k), sensitive_items=SECRETS),
        lambda k, _: DisassociationModel(1, 1, SECRETS, Fraction(1, k)),
        _without_hierarchy(secrets_case),
        _capped,
        _secret_everywhere,
        same_at_one=False,
        parameters=("cap",),
    ),
    "cluster": RELATIONAL,
    "mondrian": RELATIONAL,
    "k-member": RELATIONAL,
    "xu-bottom-up": RELATIONAL,
    "xu-top-down": RELATIONAL,
    "full-domain": RELATIONAL,
    "local-recoding": RELATIONAL,
    "bottom-up": RELATIONAL,
    "top-down": RELATIONAL,
    "joint-split": RT,
    "rum-bound": RT,
    "tum-bound": RT,
    "rfirst": RT,
    "tfirst": RT,
    "anatomy": ANATOMY,
    "safe-grouping": SAFE,
}
