"""`--recoding OUT.private`: the next quarter's release, on the command line and in the files."""

import json

import pytest
from tests.facts import names

from cli.place import Place

LATER = "a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\nb1\nc1 b1\n"


def released(place: Place, *more: str) -> None:
    assert place.run(*place.job("--algorithm", "apriori", *more)).code == 0
    (place.folder / "out").rename(place.folder / "q1")
    (place.folder / "out.private").rename(place.folder / "q1.private")
    place.write("data.dat", LATER)


def going_on(place: Place, *more: str) -> list[str]:
    return place.job("--recoding", str(place.folder / "q1.private"), *more)


def test_new_items_follow_unknown(place: Place) -> None:
    released(place)
    ran = place.run(*going_on(place))
    assert (ran.code, place.out.exists()) == (2, False)
    assert names(ran.err, "c1 leaf missing 1 '--unknown suppress'")
    assert place.run(*going_on(place, "--unknown", "suppress")).code == 0


def test_the_account_lists_changes(place: Place) -> None:
    released(place)
    job = going_on(place, "--unknown", "suppress")
    job[job.index("--k") + 1] = "3"
    ran = place.run(*job)
    assert names(" ".join(ran.out.split()), "1 kept 2 coarser b1 B b2")
    report = json.loads((place.private / "report.json").read_text())
    assert report["earlier"] == {"kept": 1, "coarser": {"b1": "B", "b2": "B"}, "suppressed": [], "new": []}


def test_the_kept_recoding_is_attested_and_verified(place: Place) -> None:
    released(place)
    assert place.run(*going_on(place, "--unknown", "suppress", "--json")).json["earlier"]["kept"] == 3
    path = place.out / "attestation.json"
    attested = json.loads(path.read_text())
    before = json.loads((place.folder / "q1.private" / "report.json").read_text())["attestation_sha256"]
    assert attested["declarations"]["earlier_attestation"] == before
    assert names(attested["limits"], "continues earlier names")
    assert place.run("verify", str(place.out)).code == 0
    tree = f"items={place.folder / 'hierarchy.csv'}"
    original = ("--original", str(place.folder / "data.dat"), "--hierarchy", tree, "--unknown", "suppress")
    assert place.run("verify", str(place.out), *original, "--records", str(place.private / "records.csv")).code == 0
    path.write_text(path.read_text().replace("This release continues an earlier release", "This release stands alone"))
    assert place.run("verify", str(place.out)).code == 2


@pytest.mark.long
def test_skip_compares_the_continued_release(place: Place) -> None:
    released(place)
    job = going_on(place, "--unknown", "suppress")
    assert place.run(*job).code == 0
    assert place.run(*job, "--if-exists", "resume").code == 0
    ran = place.run(*place.job("--unknown", "suppress", "--if-exists", "resume"))
    assert (ran.code, names(ran.err, f"{place.out} recoding")) == (2, True)


@pytest.mark.parametrize("spec", ["balanced:2", "balanced:2:frequency"])
def test_a_generated_hierarchy_is_reused_from_the_earlier_release(place: Place, spec: str) -> None:
    job = [*place.job()[:4], "--hierarchy", f"items={spec}", "--model", "km", "--k", "2", "--m", "2"]
    assert place.run(*job).code == 0
    (place.folder / "out").rename(place.folder / "q1")
    (place.folder / "out.private").rename(place.folder / "q1.private")
    place.write("data.dat", "a2 b2\na2 b2\nb2 b1\nb1 b2 a2\n")  # by frequency, the tree differs
    assert place.run(*job, "--recoding", str(place.folder / "q1.private")).code == 0
    trees = [(place.folder / name / "hierarchy.csv").read_text() for name in ("q1.private", "out.private")]
    assert trees[0] == trees[1]
    declared = json.loads((place.out / "attestation.json").read_text())["declarations"]
    assert declared.get("hierarchy_built_from_data", False) is (spec == "balanced:2:frequency")


def test_an_algorithm_that_cannot_is_refused_before_the_work(place: Place) -> None:
    released(place)
    ran = place.run(*going_on(place, "--algorithm", "local-generalization", "--model", "transaction-k")[:-2])
    assert (ran.code, ran.err.count("\n"), place.out.exists()) == (2, 1, False)


def test_leaves_for_inner_nodes_are_not_added_twice(place: Place) -> None:
    released(place, "--inner-items", "leaf")
    place.write("data.dat", "A b1\nA b1\na1 b1\na1\n")
    job = going_on(place, "--inner-items", "leaf")
    position = job.index("--hierarchy")
    assert place.run(*job[:position], "--hierarchy", "items=balanced:2", *job[position + 2 :]).code == 0
    assert "A:unspecified" in (place.private / "mapping.csv").read_text()
    assert "unspecified:unspecified" not in (place.private / "mapping.csv").read_text()


def test_a_release_can_be_continued_out_of_core(place: Place) -> None:
    released(place)
    ran = place.run(*going_on(place, "--unknown", "suppress", "--cluster", "local:1"))
    assert (ran.code, place.out.exists()) == (2, False)
    assert names(ran.err, "--recoding --cluster")
    job = going_on(place, "--unknown", "suppress", "--algorithm", "apriori", "--work-dir", str(place.folder / "work"))
    ran = place.run(*job, "--json")
    assert (ran.code, ran.json["earlier"]["kept"]) == (0, 3), ran.err


@pytest.mark.parametrize("spec", ["file", "balanced:2"])
def test_hierarchies_of_joined_columns_may_be_repeated(place: Place, spec: str) -> None:
    data = place.write("visits.csv", "codes,drugs\n" + "a1 b1,a1\na2 b2,b1\na1 b2,a2\na2 b1,a1\n" * 3)
    trees = [f"{column}={place.folder / 'hierarchy.csv' if spec == 'file' else spec}" for column in ("codes", "drugs")]
    named = ["--items", "codes,drugs", "--hierarchy", trees[0], "--hierarchy", trees[1]]
    job = ["anonymize", data, *named, "--algorithm", "apriori", "--k", "3", "--m", "1", "--accept", "worthless"]
    job += ["--unit", "row"]
    assert place.run(*job, "-o", str(place.folder / "q1")).code == 0
    ran = place.run(*job, "-o", str(place.out), "--recoding", str(place.folder / "q1.private"))
    assert ran.code == 0, ran.err
    assert (place.out / "codebook.csv").read_bytes() == (place.folder / "q1" / "codebook.csv").read_bytes()
