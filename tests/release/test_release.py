import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from tests.facts import names, refused

import anonset
from anonset.algorithms.base import Result
from anonset.algorithms.registry import ALGORITHMS
from anonset.data.table_facts import OwnerStatements
from anonset.generalization import Cut
from anonset.settings.parameters import MODELS

RECORDS = [{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}]
HIERARCHY = anonset.Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))


@pytest.fixture
def table() -> anonset.Table:
    return anonset.Table.from_sets(RECORDS)


@pytest.fixture
def release(table: anonset.Table) -> anonset.Release:
    return anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": HIERARCHY})


def test_a_release_has_verdict_measures_and_trace(release: anonset.Release) -> None:
    assert release.verdict.holds
    assert release.verdict.model == anonset.KmAnonymity(2, 2)
    assert release.recoding.labels == ["A", "b1", "b2"]  # type: ignore[union-attr]
    assert {name: release.measures[name] for name in ("ncp", "lm")} == pytest.approx({"ncp": 5 / 22, "lm": 5 / 33})
    assert len(release.trace) == 1
    assert release.warnings == ()
    assert [name for name in release.seconds if name != "compiling"] == [
        "hierarchies",
        "search",
        "apply",
        "measure",
        "verify",
    ]
    assert release.algorithm == anonset.Apriori(k=2, m=2)


def test_published_rows_are_sorted_by_their_content(release: anonset.Release, table: anonset.Table) -> None:
    assert release.to_arrow()["items"].to_pylist() == [["A", "b1"], ["A", "b1", "b2"], ["A", "b1", "b2"], ["A", "b2"]]
    with pytest.warns(UserWarning, match="order"):
        as_input = anonset.anonymize(
            table, anonset.Apriori(k=2, m=2), hierarchies={"items": HIERARCHY}, order="input", workers=1
        )
    assert as_input.to_arrow()["items"].to_pylist() == [["A", "b1", "b2"], ["A", "b1"], ["A", "b1", "b2"], ["A", "b2"]]


def test_a_release_is_exported_by_the_arrow_stream(release: anonset.Release) -> None:
    expected = release.to_arrow()
    assert pa.table(release).equals(expected)
    assert pl.DataFrame(release)["items"].to_list() == expected["items"].to_pylist()


@pytest.mark.parametrize("kind", ["path", "text", "balanced", "hierarchy"])
def test_anonymize_accepts_every_form_of_hierarchy(table: anonset.Table, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "hierarchy.csv"
    anonset.write_hierarchy(HIERARCHY, path)
    forms: dict[str, Any] = {"path": path, "text": str(path), "balanced": "balanced:2", "hierarchy": HIERARCHY}
    release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": forms[kind]})
    assert release.measures["ncp"] == pytest.approx(5 / 22)


def test_save_writes_publication_attestation_and_report(release: anonset.Release, tmp_path: Path) -> None:
    assert release.save(tmp_path / "out") == tmp_path / "out"
    attestation = json.loads((tmp_path / "out" / "attestation.json").read_text())
    assert attestation["data"]["file"] == "published.csv"
    report = json.loads((tmp_path / "out.private" / "report.json").read_text())
    assert [phase["phase"] for phase in report["phases"]][:5] == list(release.seconds)
    assert report["trace"] is None
    published = anonset.read(tmp_path / "out" / "published.csv", items="items")
    assert anonset.verify(published, anonset.KmAnonymity(2, 2)).holds
    with refused(anonset.InputError, f"{tmp_path / 'out'}", code="exists"):
        release.save(tmp_path / "out")


def test_saving_twice_writes_the_same_bytes(release: anonset.Release, tmp_path: Path) -> None:
    for name in ("1", "2"):
        release.save(tmp_path / name, tmp_path / f"p{name}", "parquet", trace=True)
    for file in ("published.parquet", "codebook.csv", "attestation.json"):
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()
    assert (tmp_path / "p1" / "mapping.csv").read_bytes() == (tmp_path / "p2" / "mapping.csv").read_bytes()


def test_save_in_a_format_that_cannot_carry_the_labels(tmp_path: Path) -> None:
    table = anonset.Table.from_sets([{"red wine"}, {"red wine"}, {"beer"}, {"beer"}])
    release = anonset.anonymize(table, anonset.Apriori(k=2, m=1), hierarchies={"items": "balanced:2"})
    with refused(anonset.InputError, '"red wine"'):
        release.save(tmp_path / "out", separator=" ")
    assert list(tmp_path.iterdir()) == []
    release.save(tmp_path / "out", separator="|")
    assert "red wine" in (tmp_path / "out" / "published.csv").read_text()


def test_save_uses_a_separator_that_no_label_contains(tmp_path: Path) -> None:
    rows = [{"red wine", "beer"}] * 2
    release = anonset.anonymize(anonset.Table.from_sets(rows), anonset.Coat(k=2, m=1), accept="worthless")
    release.save(tmp_path / "out")
    assert (tmp_path / "out" / "published.csv").read_text() == "items\n" + "beer;red wine\n" * 2
    assert json.loads((tmp_path / "out" / "attestation.json").read_text())["data"]["separator"] == ";"


@pytest.mark.parametrize("algorithm", [anonset.Apriori, anonset.Direct, anonset.Optimal])
def test_an_empty_table_is_published(algorithm: Any) -> None:
    table = anonset.Table.from_sets([], universe=HIERARCHY.leaves.labels)
    release = anonset.anonymize(table, algorithm(k=5, m=2), hierarchies={"items": HIERARCHY})
    assert (release.publication.n, release.verdict.holds) == (0, True)


@pytest.mark.parametrize("rows", [[], [set()] * 3], ids=["no record", "empty records"])
@pytest.mark.parametrize(
    "algorithm",
    [
        *(kind(k=2, m=2) for kind in (anonset.Apriori, anonset.Direct, anonset.Optimal, anonset.Lra, anonset.Vpa)),
        *(kind(k=2, m=2) for kind in (anonset.HgHs, anonset.MHgHs, anonset.Coat, anonset.Pcta)),
        anonset.CoherenceSuppression(k=2, p=2),
        anonset.LocalGeneralization(k=2),
        anonset.LmApriori(k=2, l=2, m=2),
        anonset.RumBound(k=2, m=2, delta=0.65, transaction=anonset.Apriori),
        anonset.RFirst(k=2, m=2, transaction=anonset.Apriori),
    ],
    ids=lambda algorithm: algorithm.name,
)
def test_a_table_without_items_is_published_as_it_is(rows: list[set[str]], algorithm: Any, tmp_path: Path) -> None:
    """Also with a balanced hierarchy, which is empty."""
    table = anonset.Table.from_sets(rows)
    hierarchies = {"items": "balanced:2"}
    if isinstance(algorithm, anonset.RumBound | anonset.RFirst):
        sex = anonset.CategoricalColumn.of("sex", ["f"] * len(rows))
        table = replace(table, relational=(sex,), statements=OwnerStatements("row"))
        hierarchies["sex"] = "balanced:3"
    release = anonset.anonymize(table, algorithm, hierarchies=hierarchies)
    assert release.verdict.holds
    assert set(release.measures.values()) == {0.0}
    assert release.to_arrow()["items"].to_pylist() == [[]] * len(rows)
    release.save(tmp_path / "out")
    assert anonset.evaluate(table, tmp_path / "out", hierarchies=hierarchies).measures["ncp"] == 0


def test_an_unverified_release_is_never_returned(table: anonset.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing_done(*_: Any, **__: Any) -> Result:
        return Result(Cut.identity(HIERARCHY))

    monkeypatch.setattr(anonset.Apriori, "recode", nothing_done)
    with pytest.raises(anonset.VerificationError, match="matches 1 record") as caught:
        anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": HIERARCHY})
    assert caught.value.verdict.witness.what == ("a1", "a2")


def test_undecided_is_an_error_unless_accepted(table: anonset.Table, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"hierarchies": {"items": HIERARCHY}, "budget": 0}
    with pytest.raises(anonset.UndecidedError):
        anonset.anonymize(table, anonset.Apriori(k=2, m=2), **arguments)
    release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), accept="undecided", **arguments)
    assert release.verdict.holds is None
    release.save(tmp_path / "out")  # the written bytes are verified again, completely
    attested = json.loads((tmp_path / "out" / "attestation.json").read_text())
    assert "accepted_undecided" not in attested["declarations"]
    assert names(attested["verified"]["covered"], "all 2")


def test_a_worthless_release_is_rejected_or_warns() -> None:
    table, job = anonset.Table.from_sets([{"a1"}, {"a2"}, {"b1"}]), anonset.Apriori(k=3, m=1)
    with refused(anonset.WorthlessError, "items 3 exact suppress coat accept worthless"):
        anonset.anonymize(table, job, hierarchies={"items": HIERARCHY})
    with pytest.warns(UserWarning, match="worthless"):
        release = anonset.anonymize(table, job, hierarchies={"items": HIERARCHY}, accept="worthless")
    assert len(release.warnings) == 1
    assert release.retention == {"items": {"kept": 0, "generalized": 3, "suppressed": 0}}


def test_a_single_ungeneralized_item_is_not_worthless() -> None:
    table = anonset.Table.from_sets([{"a1"}, {"a1"}])
    assert anonset.anonymize(table, anonset.Apriori(k=2, m=1), hierarchies={"items": HIERARCHY}).warnings == ()


def test_progress_is_reported(table: anonset.Table) -> None:
    seen: list[tuple[str, float, float]] = []
    anonset.anonymize(
        table,
        anonset.Apriori(k=2, m=2),
        hierarchies={"items": HIERARCHY},
        progress=lambda phase, done, total: seen.append((phase, done, total)),
    )
    assert seen
    assert all(0 <= done <= total for _, done, total in seen)


BAD: list[tuple[dict[str, Any], type[anonset.AnonsetError], str]] = [
    ({"hierarchies": {}}, anonset.InputError, "items hierarchy"),
    ({"hierarchies": {"nope": HIERARCHY}}, anonset.InputError, "nope"),
    ({"hierarchies": {"items": anonset.Hierarchy.balanced(["a1", "a2"], 2)}}, anonset.HierarchyError, "b1"),
    ({"order": "random"}, anonset.InputError, "order sorted input random"),
    ({"workers": 0}, anonset.InputError, "workers 1 0"),
    ({"max_loss": 0.2}, anonset.InfeasibleError, "loss 0.2"),
]


@pytest.mark.parametrize(("changed", "error", "message"), BAD)
def test_invalid_arguments_are_rejected(
    table: anonset.Table, changed: dict[str, Any], error: type[anonset.AnonsetError], message: str
) -> None:
    arguments = {"hierarchies": {"items": HIERARCHY}, **changed}
    with refused(error, message):
        anonset.anonymize(table, anonset.Apriori(k=2, m=2), **arguments)


def test_a_loss_equal_to_the_maximum_is_allowed(table: anonset.Table) -> None:
    anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": HIERARCHY}, max_loss=5 / 22)


def test_columns_outside_the_model_are_rejected() -> None:
    table = anonset.Table.from_columns({"items": RECORDS}, age=["1", "2", "3", "4"])
    table = replace(table, statements=OwnerStatements("row"))
    with pytest.raises(anonset.InputError, match="'age'"):
        anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": HIERARCHY})


@pytest.mark.parametrize("registered", [*ALGORITHMS.values(), *(entry.model for entry in MODELS.values())])
def test_every_algorithm_and_every_model_is_public(registered: type[Any]) -> None:
    assert getattr(anonset, registered.__name__) is registered
    assert registered.__name__ in anonset.__all__


def test_a_release_is_exported_to_data_frames():
    import anonset

    table = anonset.Table.from_sets([{"a", "b"}, {"a", "b"}, {"c"}, {"c"}])
    release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": "balanced:2"})
    rows = [list(row) for row in release.to_arrow().column("items").to_pylist()]
    assert [list(row) for row in release.to_pandas()["items"]] == rows
    assert release.to_polars()["items"].to_list() == rows
    long = anonset.read({"p": list("123456"), "drug": list("xyzxyz")}, id="p", sensitive="drug")
    buckets = anonset.anonymize(long, anonset.Anatomy(l=2))
    assert [len(part) for part in buckets.to_pandas()] == [len(part) for part in buckets.to_polars()]
