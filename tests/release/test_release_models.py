"""`anonset.anonymize` with the algorithms of every kind of data."""

import csv
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.facts import refused

import anonset
from anonset.data.table_facts import OwnerStatements
from anonset.publications import Buckets

ITEMS = ["E F B", "E F D", "B C E", "F D", "E", "A F"]
ORIGIN = anonset.Hierarchy.from_tree(
    ("All", [("Europe", ["France", "Greece", "Germany", "Spain"]), ("Africa", ["Algeria", "Nigeria"])])
)


def rt_table(items: bool = True) -> anonset.Table:
    """Return Figure 1a of Poulis et al. (ECML/PKDD 2013), without the items that its figures omit."""
    sets = anonset.SetColumn.of((row.split() for row in ITEMS), name="items") if items else None
    relational = (
        anonset.NumericColumn("age", np.array([19, 22, 28, 39, 70, 55])),
        anonset.CategoricalColumn.of("origin", ["France", "Greece", "Germany", "Spain", "Algeria", "Nigeria"]),
        anonset.CategoricalColumn.of("gender", ["Male", "Male", "Female", "Female", "Female", "Male"]),
    )
    word = OwnerStatements("row", publish_as_is=("age",))  # the paper's ranges end at the ages of single persons
    return anonset.Table(sets, relational, statements=word)


def long_table() -> anonset.Table:
    people = anonset.CategoricalColumn.of("person", [f"P{i % 6}" for i in range(18)])
    drugs = anonset.CategoricalColumn.of("drug", ["abcdef"[i * 5 % 6] for i in range(18)])
    return anonset.Table(sensitive=drugs, ids=(people,))


SPECS: dict[str, Any] = {"age": "range", "origin": ORIGIN, "gender": "values"}


def test_relational_transaction_data_are_released() -> None:
    release = anonset.anonymize(
        rt_table(), anonset.RumBound(k=2, m=2, delta=0.4), hierarchies=SPECS, round_ends=False, publish_as_is="age"
    )
    assert release.verdict.model == anonset.KKmAnonymity(2, 2)
    assert list(release.measures)[:2] == ["rum", "tum"]
    assert release.measures["rum"] == pytest.approx(release.figures["rum"])
    assert release.measures["tum"] == pytest.approx(release.figures["tum"])
    published = release.to_arrow()
    assert published.column_names == ["age", "origin", "gender", "items"]
    assert {"[19:22]", "[55:70]"} <= set(published["age"].to_pylist())


def test_relational_data_are_released() -> None:
    release = anonset.anonymize(rt_table(items=False), anonset.Mondrian(k=3), hierarchies=SPECS)
    assert (release.verdict.holds, list(release.measures)) == (True, ["rum"])
    assert release.to_arrow().num_rows == 6


def test_diversity_by_a_transaction_function_with_parameters() -> None:
    function = partial(anonset.LmApriori, l=2, sensitive_items=("A",))
    algorithm = anonset.RFirst(k=2, m=1, transaction=function, on_infeasible="merge")
    release = anonset.anonymize(rt_table(), algorithm, hierarchies={**SPECS, "items": "balanced:2"})
    assert release.verdict.model == anonset.KLmDiversity(2, 2, 1, ("A",))


def test_buckets_are_released_and_read_back(tmp_path: Path) -> None:
    release = anonset.anonymize(long_table(), anonset.SafeGrouping(k=3, l=2))
    assert isinstance(release.publication, Buckets)
    assert release.verdict.model == anonset.SafetyConstraint(3, 2)
    release.save(tmp_path / "out")
    read_back = anonset.read_buckets(tmp_path / "out", id="person")
    assert anonset.verify(read_back, release.verdict.model).holds
    attestation = json.loads((tmp_path / "out" / "attestation.json").read_text())
    assert attestation["counts"] == {"records": release.publication.n, "groups": release.publication.n_groups}


@pytest.mark.filterwarnings("ignore:model anatomy protects rows")
@pytest.mark.parametrize("algorithm", [anonset.SafeGrouping(k=3, l=2), anonset.Anatomy(l=2)])
def test_buckets_are_exported_as_the_two_tables_of_the_files(algorithm: Any, tmp_path: Path) -> None:
    release = anonset.anonymize(long_table(), algorithm)
    release.save(tmp_path / "out")
    tables = release.to_arrow()
    for name, table in tables._asdict().items():
        with (tmp_path / "out" / f"{name}.csv").open(newline="") as file:
            assert table.to_pylist() == list(csv.DictReader(file))
        assert set(table.schema.types) == {pa.string()}
    assert tables.qit.num_rows == tables.snt.num_rows == release.publication.n > 0
    with refused(anonset.InputError, ".qit .snt"):
        pa.table(release)


def test_set_based_algorithms_release_a_constraint_set() -> None:
    table = anonset.Table.from_sets(["abc", "ab", "ac", "bd", "d"])
    policy = anonset.PrivacyPolicy.of(["ab", "cd"])
    algorithm = anonset.Coat(k=2, constraints=policy, utility=anonset.UtilityPolicy.of(["abcd"]))
    release = anonset.anonymize(table, algorithm)
    assert release.verdict.model == anonset.ConstraintSet(2, policy)
    assert list(release.measures)[:2] == ["ncp", "lm"]
    short = anonset.anonymize(table, anonset.Pcta(k=2, m=2), symbols="short")
    assert {"G1"} <= set(short.publication.transactions.vocabulary.labels)


WRONG: list[tuple[Any, Any, dict[str, Any], str]] = [
    (rt_table(), anonset.Apriori(k=2, m=2), {"items": "balanced:2"}, "age origin gender"),
    (rt_table(), anonset.Mondrian(k=2), SPECS, "relational items"),
    (long_table(), anonset.Apriori(k=2, m=2), {}, "drug"),
    (
        rt_table(),
        anonset.RumBound(k=2, m=2, delta=0.65),
        {"age": "values"},
        "age numbers range",
    ),
    (
        rt_table(),
        anonset.RumBound(k=2, m=2, delta=0.65),
        {"age": "balanced:2"},
        "age numeric ranges",
    ),
    (rt_table(), anonset.RumBound(k=2, m=2, delta=0.65), {"gender": "range"}, "gender numeric"),
    (rt_table(), anonset.RumBound(k=2, m=2, delta=0.65), {"items": "values"}, "items set-valued"),
    (
        rt_table(),
        anonset.RumBound(k=2, m=2, delta=0.65),
        {"nope": "values"},
        "nope age items",
    ),
]


@pytest.mark.parametrize(("table", "algorithm", "hierarchies", "message"), WRONG)
def test_columns_that_do_not_fit_the_algorithm_are_rejected(
    table: Any, algorithm: Any, hierarchies: dict[str, Any], message: str
) -> None:
    with refused(anonset.InputError, message):
        anonset.anonymize(table, algorithm, hierarchies=hierarchies)


def test_a_publication_that_is_not_true_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from anonset.generalization import apply as apply_truly

    def forget(table: Any, recoding: Any, *_: Any, **__: Any) -> Any:
        from dataclasses import replace

        made = apply_truly(table, recoding)
        return replace(made.take(np.arange(made.n)[::-1]), record=np.arange(table.n))

    monkeypatch.setattr("anonset.release.kinds.records.apply", forget)
    with refused(anonset.VerificationError, "original"):
        anonset.anonymize(rt_table(items=False), anonset.Cluster(k=2), hierarchies=SPECS)
