"""`anonset.compare` measures recodings without publishing them. `anonset.evaluate` measures publications."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from tests.facts import names, refused

import anonset
from anonset.data.table_facts import OwnerStatements
from anonset.jobs.trials.compare import rows
from anonset.report.comparison import unequal_guarantees

RECORDS = [{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}]
HIERARCHY = anonset.Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
BOUND: dict[str, Any] = {"hierarchies": {"items": HIERARCHY}}


@pytest.fixture
def table() -> anonset.Table:
    return anonset.Table.from_sets(RECORDS)


def test_each_candidate_has_the_losses_of_a_separate_run(table: anonset.Table) -> None:
    algorithms = [anonset.Apriori(k=2, m=2), anonset.Optimal(k=2, m=1), anonset.CoherenceSuppression(k=2, p=1)]
    compared = anonset.compare(table, algorithms, workers=1, **BOUND)
    for algorithm, found in zip(algorithms, compared, strict=True):
        alone = anonset.anonymize(table, algorithm, **BOUND)
        assert (found.algorithm, found.outcome, found.measures) == (algorithm.name, "holds", alone.measures)
        assert list(found.phases) == ["search", "apply", "measure", "verify"]
    assert [found.settings for found in compared] == [{"k": 2, "m": 2}, {"k": 2, "m": 1}, {"k": 2, "p": 1}]


def test_a_comparison_is_a_table(table: anonset.Table) -> None:
    compared = anonset.compare(table, [anonset.Apriori(k=2, m=2), anonset.Apriori(k=5, m=2)], **BOUND)
    shown = compared._repr_html_()
    for text in (
        "<th>algorithm</th>",
        "<td>apriori</td>",
        "<td>infeasible</td>",
        f"<td>{compared[0].measures['ncp']:.5g}</td>",
    ):
        assert text in shown
    assert not any(f">{label}<" in shown for label in ("a1", "b2", "A"))
    for frame in (compared.to_pandas(), compared.to_polars()):
        assert list(frame["k"]) == [2, 5]
        assert list(frame["outcome"]) == ["holds", "infeasible"]
    assert anonset.compare(table, [])._repr_html_() == ""


def test_each_candidate_names_its_model(table: anonset.Table) -> None:
    compared = anonset.compare(table, [anonset.Apriori(k=2, m=2), anonset.Lra(k=2, m=2)], **BOUND)
    assert [candidate.model for candidate in compared] == ["km", "partition-km"]
    differing = unequal_guarantees(rows(compared))
    assert names(differing, "apriori km lra partition-km")
    assert unequal_guarantees(rows(compared[:1])) == ""


@pytest.mark.parametrize("call", [
    lambda frame: anonset.anonymize(frame, anonset.Apriori(k=2, m=2)),
    lambda frame: anonset.compare(frame, []),
    lambda frame: anonset.suggest(frame, anonset.KmAnonymity(k=2, m=2)),
    lambda frame: anonset.verify(frame, anonset.KmAnonymity(k=2, m=2)),
])  # fmt: skip
def test_a_data_frame_is_no_table(call: Callable[[Any], object]) -> None:
    with refused(anonset.InputError, "DataFrame anonset.read"):
        call(pandas.DataFrame({"items": ["a b"] * 4}))


def test_an_infeasible_candidate_states_the_reason(table: anonset.Table) -> None:
    feasible, infeasible = anonset.compare(table, (anonset.Apriori(k=k, m=1) for k in (4, 5)), **BOUND)
    assert (feasible.outcome, infeasible.outcome) == ("holds", "infeasible")
    assert names(infeasible.note, "k 5")
    assert infeasible.measures == {}


def test_a_parameter_that_is_a_class_is_shown_by_its_name(table: anonset.Table) -> None:
    rt = anonset.Table(table.transactions, (anonset.CategoricalColumn.of("sex", ["f", "m", "f", "m"]),))
    rt = replace(rt, statements=OwnerStatements("row"))
    (candidate,) = anonset.compare(rt, [anonset.RumBound(k=2, m=2, delta=0.65, transaction=anonset.Apriori)], **BOUND)
    assert candidate.settings == {"k": 2, "m": 2, "delta": 0.65, "transaction": "apriori"}


def test_a_candidate_beyond_the_budget_is_undecided(table: anonset.Table) -> None:
    (candidate,) = anonset.compare(table, [anonset.Apriori(k=2, m=2)], budget=0, **BOUND)
    assert candidate.outcome == "undecided"


def test_compare_without_candidates_returns_nothing(table: anonset.Table) -> None:
    assert anonset.compare(table, []) == []


def test_a_table_that_does_not_fit_is_an_error(table: anonset.Table) -> None:
    with refused(anonset.InputError, "items hierarchy"):
        anonset.compare(table, [anonset.Apriori(k=2, m=2)])


def test_evaluation_of_a_saved_release_agrees_with_the_release(table: anonset.Table, tmp_path: Path) -> None:
    workload = anonset.WorkloadSpec(random="record:20x2", seed=3)
    algorithm = anonset.Apriori(k=2, m=2)
    release = anonset.anonymize(table, algorithm, **BOUND)
    release.save(tmp_path / "out")
    evaluation = anonset.evaluate(table, tmp_path / "out", workload=workload, **BOUND)
    assert evaluation.source == "mapping"
    assert {name: evaluation.measures[name] for name in release.measures} == pytest.approx(release.measures)
    (compared,) = anonset.compare(table, [algorithm], workload=workload, **BOUND)
    assert evaluation.answers is not None
    assert compared.measures == {**release.measures, "are": evaluation.answers.are}
    assert evaluation.answers.are > 0


def test_evaluation_with_other_weights_and_another_private_directory(table: anonset.Table, tmp_path: Path) -> None:
    anonset.anonymize(table, anonset.Apriori(k=2, m=2), **BOUND).save(tmp_path / "out", tmp_path / "home")
    out, home = str(tmp_path / "out"), str(tmp_path / "home")
    assert anonset.evaluate(table, out, **BOUND).source == "codebook"
    assert anonset.evaluate(table, out, home, **BOUND).source == "mapping"
    with refused(anonset.InputError, f"private {tmp_path / 'nowhere'}"):
        anonset.evaluate(table, out, tmp_path / "nowhere", **BOUND)
    ul = [anonset.evaluate(table, out, home, item_weights=w, **BOUND).measures["ul"] for w in ("lca", "ones")]
    assert 0 < ul[0] < ul[1]
