import hashlib
import json
import os
from pathlib import Path

import pytest
from tests.facts import names

from cli.place import Place
from cli.published import publish, report_of, rows_of, verified

BUCKETS = ["--id", "name", "--sensitive", "drug", "--keep", "age"]


@pytest.mark.parametrize("missing", ["", "?"])
@pytest.mark.parametrize("model", [["anatomy", "--l", "2"], ["safe-grouping", "--k", "4", "--l", "2"]])
def test_buckets_reject_missing_sensitive_values(long: Place, model: list[str], missing: str) -> None:
    """A known value of a bucket would have a larger share of the known values than 1/l."""
    long.write("long.csv", (long.folder / "long.csv").read_text().replace(",a\n", f",{missing}\n"))
    ran = long.run("anonymize", str(long.folder / "long.csv"), "-o", str(long.out), *BUCKETS, "--model", *model)
    assert (ran.code, names(ran.err, "drug rows value text")) == (2, True), ran.err


def test_safe_grouping(long: Place) -> None:
    ran = publish(long, "long.csv", "--model", "safe-grouping", *BUCKETS, "--k", "4", "--l", "2", "--json")
    assert list(ran.json["measures"]) == ["grouping_loss", "removed_for_diversity", "diversity_loss"]
    assert {path.name for path in long.out.iterdir()} == {"qit.csv", "snt.csv", "attestation.json"}
    assert list(rows_of(long.out / "qit.csv")[0]) == ["name", "age", "group"]
    assert list(rows_of(long.out / "snt.csv")[0]) == ["group", "drug"]
    assert len(rows_of(long.private / "records.csv")) == len(rows_of(long.out / "qit.csv"))
    assert long.run("verify", str(long.out)).code == 0
    assert long.run("verify", str(long.out), "--k", "11").code == 1
    verification = verified(long, "long.csv")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err
    assert verification.json["correlations"] == {"intra_group": [], "inter_group": []}
    measured = long.run(
        "evaluate", str(long.folder / "long.csv"), str(long.out), *BUCKETS, "--workload", "record:20x1", "--json"
    )
    assert measured.json["grouping_loss"] == pytest.approx(ran.json["measures"]["grouping_loss"])
    assert measured.json["answered"] == 20


@pytest.mark.parametrize("rows_of_a_person", [1, 2])
@pytest.mark.parametrize(
    ("person", "model"), [("--unit", "anatomy (l=2)"), ("--id", "safe-grouping (k=5, l=2)")], ids=["unit", "id"]
)
def test_inspect_writes_a_job_for_buckets_that_runs(
    long: Place, person: str, model: str, rows_of_a_person: int
) -> None:
    persons = [n // rows_of_a_person for n in range(60)]
    rows = (f"P{person},{'abcde'[person % 5]}\n" for person in persons)  # few equal values in random groups
    source, job = long.write("people.csv", "name,drug\n" + "".join(rows)), long.folder / "job.toml"
    assert long.run("inspect", str(source), person, "name", "--sensitive", "drug", "-o", str(job)).code == 0
    suggested, ran = long.run("suggest", str(job)), long.run("anonymize", str(job), "--seed", "1")
    assert (ran.code, model in ran.out) == (0, True), (ran.err, ran.out)
    assert (suggested.code, f"For {model.partition(' ')[0]} with" in suggested.out) == (0, True), suggested.out


def test_safe_grouping_reports_removed_tuples(long: Place) -> None:
    (long.folder / "most.csv").write_text(
        "name,age,drug\n" + "".join(f"P{n},3,{drug}\n" for n in range(8) for drug in "xxxyz"[: 4 + n % 2])
    )
    ran = publish(long, "most.csv", "--model", "safe-grouping", *BUCKETS, "--k", "4", "--l", "2", "--seed", "1")
    assert names(ran.out, "removed 12 rows 33.3 0")
    report = json.loads(report_of(long))
    assert report["figures"]["removed_for_diversity"] == 12
    assert report["measures"]["removed_for_diversity"] == pytest.approx(12 / 36)
    assert report["measures"]["diversity_loss"] == pytest.approx(6 / 36)
    assert report["measures"]["grouping_loss"] == pytest.approx(12 / 36)


@pytest.mark.parametrize("model", [("safe-grouping", "--k", "4", "--l", "2"), ("anatomy", "--l", "3")])
def test_a_seed_reproduces_the_bytes_and_is_not_published(long: Place, model: tuple[str, ...]) -> None:
    contents, seed = [], "8675309424242"
    for workers in ("1", "2"):
        out = long.folder / f"seeded{workers}"
        arguments = (*BUCKETS, "--model", *model, "--seed", seed, "--workers", workers, "-o", str(out), "--quiet")
        assert long.run("anonymize", str(long.folder / "long.csv"), *arguments).code == 0
        contents.append({path.name: path.read_bytes() for path in out.iterdir()})
        report = json.loads(Path(f"{out}.private", "report.json").read_text())
        assert report["seed"] == int(seed)
    assert contents[0] == contents[1]
    fingerprint = report["input"]["content_sha256"]
    secret = hashlib.sha256(f"{seed}\0{fingerprint}".encode()).hexdigest()
    public = b"".join(contents[0].values())
    assert not any(secret_text.encode() in public for secret_text in (seed, fingerprint, secret, secret[:32]))


def test_anatomy_reports_disclosed_values(long: Place) -> None:
    publish(long, "long.csv", "--model", "anatomy", *BUCKETS, "--l", "3")
    ran = long.run("verify", str(long.out))
    assert ran.code == 0
    assert names(ran.out, "correlations inter")
    ran = long.run("verify", str(long.out), "--model", "safe-grouping", "--k", "2", "--l", "2")
    assert (ran.code, names(ran.out, "groups")) == (1, True)


def test_buckets_of_other_tools_can_be_verified(long: Place) -> None:
    folder = long.folder / "else"
    folder.mkdir()
    (folder / "qit.csv").write_text("name,group\nP1,1\nP1,1\nP2,1\n")
    (folder / "snt.csv").write_text("group,drug\n1,a\n1,a\n1,b\n")
    model = ["--model", "anatomy", "--id", "name"]
    ran = long.run("verify", str(folder), *model, "--l", "1")
    assert ran.code == 0
    assert names(ran.out, "correlations intra 1")
    assert names(ran.out, "'row 0' qit.csv 2 3 'group 1' a 1")
    assert long.run("verify", str(folder), *model, "--l", "2").code == 1


@pytest.mark.parametrize(
    ("more", "fragment"),
    [
        (["--order", "input"], "order"),
        (["--format", "parquet"], "csv"),
        (["--l", "30"], "l"),
    ],
)
def test_invalid_bucketization_options_are_rejected(long: Place, more: list[str], fragment: str) -> None:
    arguments = ["--model", "anatomy", *BUCKETS, "--l", "2", *more]
    if "--l" in more:
        arguments = ["--model", "anatomy", *BUCKETS, *more]
    ran = long.run("anonymize", str(long.folder / "long.csv"), "-o", str(long.out), *arguments)
    assert ran.code == (1 if "--l" in more else 2)
    assert names(ran.err, fragment)
    assert not long.out.exists()


@pytest.mark.parametrize(("name", "line"), [("qit.csv", "P1,20,1"), ("snt.csv", "1,a")])
def test_changed_buckets_do_not_match_the_attestation(long: Place, name: str, line: str) -> None:
    publish(long, "long.csv", "--model", "anatomy", *BUCKETS, "--l", "3")
    with (long.out / name).open("a") as file:
        file.write(f"{line}\n")
    ran = long.run("verify", str(long.out))
    assert (ran.code, names(ran.err, f"{long.out / name} attested")) == (2, True)


@pytest.mark.long
@pytest.mark.data
def test_longitudinal_data_from_generator_to_buckets(place: Place) -> None:
    if "ANONSET_DATA" not in os.environ:
        pytest.skip("ANONSET_DATA is not set: real data do not ship")
    made = place.folder / "census.csv"
    settings = ["--set", "individuals=500", "--set", "missing=drop", "--seed", "1"]
    assert place.run("datasets", "make", "longitudinal", "-o", str(made), *settings).code == 0
    # values of fewer than k persons
    rare = "birth_year,age,native-country,workclass,education,marital-status,relationship,race,income"
    roles = ["--id", "first_name,last_name", "--sensitive", "occupation", "--keep", "gender,sex"]
    ran = publish(
        place, "census.csv", "--model", "safe-grouping", "--k", "7", "--l", "3", *roles, "--drop", rare, "--json"
    )
    assert ran.json["verdict"] == "holds"
    assert place.run("verify", str(place.out)).code == 0
