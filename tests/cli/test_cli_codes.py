"""Dirty codes on the command line: normalized, counted in the private report, verified, and listed."""

import json

import pytest
from tests.facts import names

from cli.place import Place

TREE = "E10.0,E10,E,any\nE10.1,E10,E,any\nE11.0,E11,E,any\nE11.9,E11,E,any\nI10,I,I,any\nI11,I,I,any\n"
ROWS = ["e10.0 I10", "E10.0 I10", "E11 I10", "E11 I10", "XX I11", "I11 I10x"]
RULES = ["--normalize", "upper", "--unknown", "suppress", "--inner-items", "leaf"]
KM = ["--model", "km", "--k", "2", "--m", "2"]


@pytest.fixture
def dirty(place: Place) -> tuple[list[str], list[str]]:
    data = place.write("visits.csv", "p,codes\n" + "".join(f"{n},{row}\n" for n, row in enumerate(ROWS)))
    tree = place.write("tree.csv", TREE)
    return [data, "--items", "codes", "--unit", "p"], ["--hierarchy", f"codes={tree}"]


@pytest.mark.long
def test_changed_codes_are_only_in_the_private_report(place: Place, dirty: tuple[list[str], list[str]]) -> None:
    data, tree = dirty
    ran = place.run("anonymize", *data, *tree, *RULES, *KM, "-o", str(place.out))
    assert ran.code == 0, ran.err
    assert names(" ".join(ran.out.split()), "upper 2 codes 'unknown suppress'")
    report = json.loads((place.private / "report.json").read_text())
    assert [(change["rule"], change["occurrences"]) for change in report["changes"]] == [
        ("upper", 2),
        ("unknown suppress", 2),
        ("inner-items leaf", 2),
    ]
    for path in place.out.iterdir():
        assert "XX" not in path.read_text()
        assert "suppress:" not in path.read_text()
    back = ["--original", data[0], "--records", str(place.private / "records.csv"), "--unit", "p"]
    checked = place.run("verify", str(place.out), *back, *tree, *RULES, "--json")
    assert (checked.code, checked.json["true"]) == (0, True), checked.err
    assert place.run("verify", str(place.out), *tree, "--inner-items", "leaf").code == 0
    measured = place.run("evaluate", data[0], str(place.out), *data[1:], *tree, *RULES, "--json")
    assert measured.code == 0, measured.err
    assert measured.json["ncp"] == pytest.approx(report["measures"]["ncp"])
    assert place.run("compare", *data, *tree, *RULES, *KM, "--quiet").code == 0


def test_every_misfit_is_listed_once_with_its_count_and_the_nearest_node(
    place: Place, dirty: tuple[list[str], list[str]]
) -> None:
    data, _ = dirty
    job = ["hierarchy", "check", str(place.folder / "tree.csv"), "--input", *data]
    ran = place.run(*job, "--json")
    assert (ran.code, names(ran.err, "4 7")) == (2, True), ran.err
    result = {entry["item"]: (entry["occurrences"], entry["is"], entry["nearest"]) for entry in ran.json["list"]}
    assert result == {
        "E11": (2, "an inner node", "E11"),
        "I10x": (1, "missing", "I10"),
        "XX": (1, "missing", ""),
        "e10.0": (1, "missing", "E10.0"),
    }
    shown = place.run(*job)
    assert shown.code == 2
    assert [shown.out.count(item) for item in ("e10.0", "I10x", "XX")] == [1, 1, 1]
    remaining = place.run(*job, *RULES[:4], "--json")
    assert [entry["item"] for entry in remaining.json["list"]] == ["E11"]
    assert place.run(*job, *RULES).code == 0
