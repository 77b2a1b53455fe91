"""Losses relative to the smallest possible loss of a cut."""

import json
from pathlib import Path

import pytest
from tests.facts import names

import anonset
from anonset.cli.main import main
from anonset.jobs.bounds import Bounds
from anonset.report.distance import distance
from reference.exact import least_loss
from reference.hierarchy_model import HierarchyModel

ROWS = [{"1", "2", "3"}, {"1", "2"}, {"2", "3"}, {"1", "3"}, {"4", "5"}, {"4", "5", "6"}, {"1", "6"}]
TREE = ("R", [("A", ["1", "2"]), ("B", ["3", "4"]), ("C", ["5", "6"])])
SPEC = {"items": anonset.Hierarchy.from_tree(TREE)}
COMMAND = ["--hierarchy", "items=tree.csv", "--k", "2", "--m", "2"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("data.dat").write_text("".join(f"{' '.join(sorted(row))}\n" for row in ROWS))
    Path("tree.csv").write_text("".join(f"{leaf},{name},R\n" for name, leaves in TREE[1] for leaf in leaves))
    return tmp_path


def least(*, suppress: bool) -> float:
    return float(least_loss(ROWS, HierarchyModel(TREE), 2, 2, suppress=suppress))


@pytest.mark.parametrize("suppression", [False, True])
def test_a_bound_is_the_least_loss_by_enumeration(suppression: bool) -> None:
    table = anonset.Table.from_sets(ROWS)
    table = table.with_transactions(SPEC["items"].bind(table.transactions))
    bound = Bounds(table, SPEC).of(2, 2, suppression=suppression)
    assert (bound.lower_bound, bound.suppression) == (
        pytest.approx(least(suppress=suppression), rel=1e-12),
        suppression,
    )


def test_compare_uses_the_bound_of_each_candidates_operators() -> None:
    algorithms = [
        anonset.Apriori(k=2, m=2),
        anonset.MHgHs(k=2, m=2),
        anonset.Exact(k=2, m=2),
        anonset.Coat(k=2, m=2),
    ]
    compared = anonset.compare(anonset.Table.from_sets(ROWS), algorithms, hierarchies=SPEC, workers=1, bound=True)
    plain, suppressing, exact, sets = (entry.measures for entry in compared)
    for measures, suppress in ((plain, False), (suppressing, True), (exact, False)):
        assert measures["least_ncp"] == pytest.approx(least(suppress=suppress), rel=1e-12)
        assert measures["above_least"] == pytest.approx(measures["ncp"] / measures["least_ncp"] - 1, abs=1e-12)
        assert measures["above_least"] >= -1e-12
    assert exact["above_least"] == pytest.approx(0, abs=1e-12)
    assert "least_ncp" not in sets


def test_evaluate_states_the_distance_to_the_least_loss(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["anonymize", "data.dat", "-o", "out", "--algorithm", "apriori", *COMMAND, "--accept", "worthless"]) == 0
    )
    capsys.readouterr()
    evaluate = ["evaluate", "data.dat", "out", *COMMAND[:2], "--bound"]
    assert main([*evaluate, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["bound"] == {"lower_bound": pytest.approx(least(suppress=False), rel=1e-12), "suppression": False}
    assert main([*evaluate, "--quiet"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert distance(data["ncp"], data["bound"]["lower_bound"]) in shown
    assert names(shown, "cut")


def test_a_bound_is_rejected_for_publications_without_bound(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    coat = ["--algorithm", "coat", "--privacy-constraints", "km", "--k", "2", "--m", "2"]
    assert main(["anonymize", "data.dat", "-o", "sets", *coat, "--quiet"]) == 0
    assert main(["evaluate", "data.dat", "sets", "--bound"]) == 2
    assert names(capsys.readouterr().err, "--bound km partition-km sets")
    assert main(["anonymize", "data.dat", "-o", "out", "--model", "km", *COMMAND, "--quiet"]) == 0
    assert main(["evaluate", "data.dat", "out", "--bound"]) == 2
    assert names(capsys.readouterr().err, "bound hierarchy items")


def test_a_loss_below_the_bound_is_described_as_such() -> None:
    assert names(distance(0.5, 0.8), "37.5 hierarchy")
    assert names(distance(0.5, 0.0), "hierarchy proven")
