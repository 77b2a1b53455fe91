"""Published ranges do not end at values of fewer than k records, for any algorithm."""

import json
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.jobs.test_by_blocks import files_of

import anonset
from anonset.algorithms.relational.formations import FORMATIONS, formation_of
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.relational.rounded_tuples import as_published
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.cli.main import main
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.data.grids import grid_of
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.table_facts import OwnerStatements
from anonset.publications.symbols import range_ends
from anonset.release.published_values import published_relational_loss
from anonset.verification.relational_truth import check_relational_truth

K = 3
ROLES = ["--relational", "age,sex", "--numeric", "age", "--unit", "row"]
MONDRIAN = ["--model", "k", "--algorithms", "mondrian", "--k", "4"]


def table_of(seed: int, n: int = 60, *, items: bool = False) -> Table:
    source = random.Random(seed)
    tall = [round(source.lognormvariate(1, 1.5), source.choice([1, 2, 9])) for _ in range(n)]
    columns: list[Any] = [
        NumericColumn("age", np.array([min(104, int(source.gauss(40, 25))) for _ in range(n)])),
        NumericColumn("income", np.array(tall)),
        NumericColumn("gain", np.array([source.choice([0, 0, 0, 0, source.randint(1, 99_999)]) for _ in range(n)])),
        CategoricalColumn.of("sex", [source.choice("fm") for _ in range(n)]),
    ]
    sets = SetColumn.of([set(source.sample("abcd", source.randint(1, 3))) for _ in range(n)]) if items else None
    return Table(sets, tuple(columns), statements=OwnerStatements("row"))


def require_kept_promise(table: Table, release: anonset.Release) -> None:
    publication = release.publication
    assert check_relational_truth(table, publication, {}) is None
    published = {column.name: column for column in publication.relational}
    for column in table.relational:
        if isinstance(column, NumericColumn):
            grid, counts = grid_of(column.values, K), Counter(column.values.tolist())
            read = int if column.values.dtype == np.int64 else float
            for label in published[column.name].vocabulary.labels:
                low, high = map(read, range_ends(label))
                if low < high:
                    assert low in grid.lows.tolist()
                    assert high in grid.highs.tolist()
                else:
                    assert counts[low] >= K
    assert release.measures["rum"] == pytest.approx(published_relational_loss(table, publication.relational, {}))
    assert release.figures.get("rum", release.figures.get("ncp")) == pytest.approx(release.measures["rum"])
    assert 0 <= release.measures["rum"] <= 1


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", FORMATIONS)
def test_ranges_of_relational_algorithms_end_at_the_grid(name: str, seed: int) -> None:
    table = table_of(seed)
    release = anonset.anonymize(table, formation_of(name, K), accept="worthless")
    require_kept_promise(table, release)


RT: dict[str, Any] = {
    "rum-bound": anonset.RumBound(k=K, m=2, delta=0.6, merge="rt", formation="mondrian", on_infeasible="merge"),
    "tum-bound": anonset.TumBound(k=K, m=2, delta=1, formation="k-member", on_infeasible="merge"),
    "rfirst": anonset.RFirst(k=K, m=2, on_infeasible="merge"),
    "tfirst": anonset.TFirst(k=K, m=2, partitions=4),
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", RT)
def test_ranges_of_rt_frameworks_end_at_the_grid(name: str, seed: int) -> None:
    table = table_of(seed, items=True)
    trees = {"items": "balanced:2"} if name == "tfirst" else {}
    require_kept_promise(table, anonset.anonymize(table, RT[name], hierarchies=trees, accept="worthless"))


@pytest.mark.parametrize("merge", ["r", "rt"])
@pytest.mark.parametrize("delta", [0.35, 0.5, 0.8])
def test_the_bound_of_the_relational_loss_covers_rounded_ranges(delta: float, merge: Any) -> None:
    table = table_of(7, items=True)
    shared: Any = {"k": K, "m": 2, "merge": merge, "formation": "mondrian", "on_infeasible": "merge"}
    for ends in (False, True):
        release = anonset.anonymize(
            table, anonset.RumBound(delta=delta, transaction=Apriori, **shared),
            hierarchies={"items": "balanced:2"}, round_ends=ends, accept="worthless",
        )  # fmt: skip
        assert release.figures["merges"] > 0
        assert release.measures["rum"] <= delta + 1e-9


def test_losses_of_unions_equal_those_of_rounded_ranges() -> None:
    """The naive implementation rounds each union separately. Single values have no loss, and are cells in unions."""
    table = table_of(3, 80)
    columns = tuple(
        replace(column, grid=grid_of(column.values, K)) if isinstance(column, NumericColumn) else column
        for column in table.relational
    )
    qi = QuasiIdentifiers.of(columns, {})
    cluster = np.sort(np.arange(80, dtype=np.int32) % 27)
    tuples = as_published(GeneralizedTuples.of(qi, cluster, 27))
    for other in (5, 9, 13):
        expected = []
        for x in range(tuples.n):
            united = np.where((cluster == other) | (cluster == x), 0, 1).astype(np.int32)
            if x == other:
                united[:] = np.where(cluster == x, 0, 1)
            values = GeneralizedTuples.of(qi, united, 2).take(np.array([0])).values
            expected.append(float(as_published(GeneralizedTuples(qi, values)).losses()[0]))
        assert tuples.union_losses(other).tolist() == pytest.approx(expected)
    tuples.merge(5, 9)
    assert tuples.losses()[5] == pytest.approx(tuples.union_losses(5)[9])
    assert tuples.take(np.array([5])).losses()[0] == pytest.approx(tuples.losses()[5])


def test_without_rounding_ranges_end_at_values() -> None:
    table = table_of(1)
    release = anonset.anonymize(table, Mondrian(k=K), round_ends=False)
    column = next(c for c in release.publication.relational if c.name == "income")
    values = set(table.relational[1].values.tolist())  # type: ignore[union-attr]
    assert {float(end) for label in column.vocabulary.labels for end in range_ends(label)} <= values


@pytest.fixture
def job(tmp_path: Any) -> Any:
    source = random.Random(4)
    rows = [f"{source.randint(17, 90)},{source.choice('fm')}" for _ in range(80)]
    (tmp_path / "v.csv").write_text("\n".join(["age,sex", *rows]) + "\n")
    lines = ['input = "v.csv"', 'unit = "row"', 'relational = ["age", "sex"]', 'numeric = ["age"]', 'model = "k"']
    (tmp_path / "job.toml").write_text("\n".join([*lines, 'algorithm = "mondrian"', "k = 4", ""]))
    return tmp_path


@pytest.mark.long
def test_command_line_job_file_and_python_round_equally(job: Any, capsys: Any) -> None:
    table = anonset.read(job / "v.csv", unit="row", relational=["age", "sex"], numeric=["age"])
    for name, options, ends in (("rounded", [], True), ("exact", ["--no-round-ends", "--publish-as-is", "age"], False)):
        assert main(["anonymize", str(job / "job.toml"), "-o", str(job / name), *options, "--quiet"]) == 0
        anonset.anonymize(table, Mondrian(k=4), round_ends=ends, publish_as_is=() if ends else "age").save(
            job / f"python-{name}"
        )
        assert files_of(job / name) == files_of(job / f"python-{name}")
        report = json.loads((job / f"{name}.private" / "report.json").read_text())
        assert report["settings"]["round_ends"] is ends
    assert files_of(job / "rounded") != files_of(job / "exact")
    (job / "job.toml").write_text((job / "job.toml").read_text() + 'round_ends = false\npublish_as_is = ["age"]\n')
    assert main(["anonymize", str(job / "job.toml"), "-o", str(job / "file"), "--quiet"]) == 0
    assert files_of(job / "file") == files_of(job / "exact")
    capsys.readouterr()
    for out in ("rounded", "exact"):
        assert (
            main(
                [
                    "evaluate",
                    str(job / "v.csv"),
                    str(job / out),
                    "--relational",
                    "age,sex",
                    "--numeric",
                    "age",
                    "--json",
                ]
            )
            == 0
        )
        evaluated = json.loads(capsys.readouterr().out)
        report = json.loads((job / f"{out}.private" / "report.json").read_text())
        assert evaluated["rum"] == pytest.approx(report["measures"]["rum"])
        original = ["--original", str(job / "v.csv")]
        assert main(["verify", str(job / out), *original]) == 0
        capsys.readouterr()


def test_compare_and_suggest_round_as_the_job_does(job: Any, capsys: Any) -> None:
    def rum(*options: str) -> float:
        assert main(["compare", str(job / "v.csv"), *ROLES, *MONDRIAN, "--json", *options]) == 0
        return float(json.loads(capsys.readouterr().out)[0]["rum"])

    assert rum() > rum("--no-round-ends")
    commands = []
    for options in ([], ["--no-round-ends", "--publish-as-is", "age"]):
        assert main(["suggest", str(job / "job.toml"), "--json", "--quiet", *options]) == 0
        commands.append(json.loads(capsys.readouterr().out)["recommended"]["command"])
    assert "round-ends" not in commands[0]
    assert "--no-round-ends" in commands[1]
