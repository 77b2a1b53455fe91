"""`anonset anonymize` writes the documented files, with the same bytes for any number of workers."""

import csv
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.facts import names

from anonset.release.documents import Attestation, Report
from anonset.report.schema import json_schema
from cli.place import Place

pytestmark = pytest.mark.compiled

HALVES = ["--hierarchy", "dx=balanced:2", "--hierarchy", "rx=balanced:2"]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_publishes_the_papers_example(place: Place) -> None:
    ran = place.run(*place.job())
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert names(ran.out, "km-anonymity k=2, m=2 holds")
    assert sorted((place.out / "published.dat").read_text().splitlines()) == ["A b1", "A b1 b2", "A b1 b2", "A b2"]
    assert rows_of(place.out / "codebook.csv") == [
        {"symbol": "A", "kind": "node", "members": "a1 a2"},
        {"symbol": "b1", "kind": "item", "members": "b1"},
        {"symbol": "b2", "kind": "item", "members": "b2"},
    ]
    assert rows_of(place.private / "mapping.csv") == [
        {"item": "a1", "published": "A"},
        {"item": "a2", "published": "A"},
        {"item": "b1", "published": "b1"},
        {"item": "b2", "published": "b2"},
    ]
    way_back = [int(row["input_record"]) for row in rows_of(place.private / "records.csv")]
    assert way_back == [1, 0, 2, 3]  # sorted by content: A b1 < A b1 b2 = A b1 b2 < A b2


def test_anonymize_writes_both_directories_with_private_permissions(place: Place) -> None:
    place.run(*place.job())
    assert set(contents(place.out)) == {"published.dat", "codebook.csv", "attestation.json"}
    assert set(contents(place.private)) == {"hierarchy.csv", "mapping.csv", "records.csv", "report.json"}
    assert place.private.stat().st_mode & 0o777 == 0o700
    assert {path.name for path in place.folder.iterdir()} == {
        "data.dat",
        "data.csv",
        "hierarchy.csv",
        "out",
        "out.private",
    }


@pytest.mark.parametrize("format", ["dat", "csv", "parquet"])
def test_attestation_covers_every_other_file(place: Place, format: str) -> None:  # noqa: A002
    place.run(*place.job("--format", format))
    attested = json.loads((place.out / "attestation.json").read_text())["data"]["sha256"]
    result = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in place.out.iterdir()}
    del result["attestation.json"]
    assert attested == result
    assert set(result) == {f"published.{format}", "codebook.csv"}


@pytest.mark.parametrize(
    ("name", "text", "roles"),
    [
        ("none.dat", "", ["--model", "km", "--hierarchy", "items=balanced:2"]),
        ("none.dat", "\n\n", ["--model", "km", "--hierarchy", "items=balanced:2"]),
        ("none.csv", "dx,rx\n", ["--model", "km", "--items", "dx,rx", "--unit", "row", *HALVES]),
        ("none.csv", "dx,rx\n,\n", ["--model", "km", "--items", "dx,rx", "--unit", "row", *HALVES]),
        (
            "none.csv",
            "sex,dx\n",
            [
                "--model",
                "kkm",
                "--algorithm",
                "rum-bound",
                "--delta",
                "1",
                "--items",
                "dx",
                "--relational",
                "sex",
                "--unit",
                "row",
                *HALVES[:2],
            ],
        ),
    ],
)
def test_data_without_items_are_published_as_they_are(place: Place, name: str, text: str, roles: list[str]) -> None:
    job = ("anonymize", place.write(name, text), "-o", str(place.out), *roles, "--k", "2", "--m", "2")
    ran = place.run(*job, "--accept", "empty")
    assert ran.code == 0, ran.err
    assert (place.out / f"published{Path(name).suffix}").read_text() == text
    assert place.run("verify", str(place.out)).code == 0


def test_published_directory_has_the_usual_permissions(place: Place) -> None:
    plain = place.folder / "plain"
    plain.mkdir()
    place.run(*place.job())
    assert place.out.stat().st_mode == plain.stat().st_mode


def test_attestation_states_the_model_and_does_not_reveal_the_input(place: Place) -> None:
    place.run(*place.job())
    text = (place.out / "attestation.json").read_text()
    attestation = json.loads(text)
    assert attestation["model"] == "km"
    assert attestation["parameters"] == {"k": 2, "m": 2}
    assert attestation["declarations"] == {"unit": "row, not asked"}
    assert attestation["counts"] == {"records": 4, "symbols": 3}
    assert names(attestation["statement"], "2 items")
    assert names(attestation["in_plain_words"], "2 items")
    assert "minimality" in attestation["limits"]
    for secret in ("ncp", "apriori", "a1", str(place.folder), "seconds", "hierarchy.csv"):
        assert secret not in text


def test_report_describes_the_run(place: Place) -> None:
    place.run(*place.job("--seed", "7", "--config", place.write("trace.toml", "trace = true\n")))
    report = json.loads((place.private / "report.json").read_text())
    assert next(iter(report["measures"])) == "ncp"
    assert report["measures"]["ncp"] == pytest.approx(5 / 22)
    assert report["seed"] == 7
    assert report["settings"]["k"] == 2
    assert report["algorithm"] == "exact"
    assert report["input"]["records"] == 4
    assert report["input"]["universe"] == 4
    assert len(report["input"]["sha256"]) == 64
    assert report["trace"][0]["kind"] == "relaxation"
    assert (report["figures"]["lower_bound"], report["figures"]["gap"]) == (pytest.approx(5 / 22), 0)
    phases = {phase["phase"]: phase for phase in report["phases"]}
    assert {"read", "search", "write", "read back", "verify"} <= set(phases)
    assert len(phases) == len(report["phases"])
    assert phases["search"]["seconds"] > 0
    assert phases["search"]["peak_memory"] > 1_000_000


def test_documents_match_their_schemas(place: Place) -> None:
    place.run(*place.job())
    for name, path, model in (
        ("attestation", place.out / "attestation.json", Attestation),
        ("report", place.private / "report.json", Report),
    ):
        data = json.loads(path.read_text())
        schema = json_schema(name)
        assert set(schema["required"]) <= set(data) == set(schema["properties"])
        assert model.model_validate(data).model_dump(mode="json") == data


@pytest.mark.parametrize("algorithm", ["apriori", "direct", "optimal"])
@pytest.mark.parametrize("format", ["csv", "parquet", "dat"])
def test_every_algorithm_and_format_verifies(place: Place, algorithm: str, format: str) -> None:  # noqa: A002
    ran = place.run(*place.job("--algorithm", algorithm, "--format", format, "--json"))
    assert ran.code == 0, ran.err
    assert ran.json["verdict"] == "holds"
    assert ran.json["algorithm"] == algorithm
    assert ran.json["measures"]["ncp"] == pytest.approx(5 / 22)
    assert (place.out / f"published.{format}").is_file()
    assert place.run("verify", str(place.out)).code == 0


def test_format_follows_the_input(place: Place) -> None:
    ran = place.run(
        *place.job("--items", "codes", "--keep", "age", "--publish-as-is", "age", "--unit", "row", data="data.csv")
    )
    assert ran.code == 0, ran.err
    published = rows_of(place.out / "published.csv")
    assert list(published[0]) == ["age", "codes"]
    assert {row["age"]: row["codes"] for row in published} == {
        "20": "A b1 b2",
        "21": "A b1",
        "22": "A b1 b2",
        "23": "A b2",
    }


def test_records_can_be_published_in_input_order(place: Place) -> None:
    ran = place.run(*place.job("--order", "input"))
    assert names(ran.err, "warning order")
    assert (place.out / "published.dat").read_text().splitlines() == ["A b1 b2", "A b1", "A b1 b2", "A b2"]


@pytest.mark.long
def test_same_bytes_for_any_number_of_workers(place: Place) -> None:
    seen: list[tuple[dict[str, bytes], dict[str, bytes]]] = []
    for workers in ("1", "2", "5"):
        place.run(*_job_into(place, workers))
        private = contents(place.folder / f"w{workers}.private")
        private.pop("report.json")
        seen.append((contents(place.folder / f"w{workers}"), private))
    assert seen[0] == seen[1] == seen[2]


def _job_into(place: Place, workers: str) -> list[str]:
    job = place.job("--workers", workers)
    job[job.index("-o") + 1] = str(place.folder / f"w{workers}")
    return job


def test_quiet_prints_nothing(place: Place) -> None:
    ran = place.run(*place.job("--quiet"))
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_the_private_directory_can_be_chosen(place: Place) -> None:
    elsewhere = place.folder / "secret"
    assert place.run(*place.job("--private", str(elsewhere))).code == 0
    assert (elsewhere / "report.json").is_file()
    assert not place.private.exists()


def test_k_of_one_publishes_the_input(place: Place) -> None:
    job = place.job("--order", "input")
    job[job.index("--k") + 1] = "1"
    assert place.run(*job).code == 0
    assert (place.out / "published.dat").read_bytes() == (place.folder / "data.dat").read_bytes()


def test_m_larger_than_the_longest_record_works(place: Place) -> None:
    job = place.job("--json")
    job[job.index("--m") + 1] = "50"
    ran = place.run(*job)
    assert (ran.code, ran.json["verdict"]) == (0, "holds")


def test_an_empty_file_is_published_if_allowed(place: Place) -> None:
    place.write("data.dat", "")
    ran = place.run(*place.job(), "--accept", "empty")
    assert ran.code == 0, ran.err
    assert (place.out / "published.dat").read_bytes() == b""


def test_a_worthless_publication_is_refused(place: Place) -> None:
    place.write("data.dat", "a1\na2\na1 b1\n")
    job = place.job("--quiet")
    job[job.index("--k") + 1] = "3"
    ran = place.run(*job)
    assert ran.code == 1
    assert place.nothing_left()
    assert names(ran.err, "exact worthless items 3 km coat --accept worthless")
    ran = place.run(*job, "--accept", "worthless")
    assert ran.code == 0
    assert names(ran.err, "warning worthless")
    report = json.loads((place.private / "report.json").read_text())
    assert len(report["warnings"]) == 1
    assert "worthless" not in (place.out / "attestation.json").read_text()


def test_the_account_always_states_retention(place: Place) -> None:
    ran = place.run(*place.job())
    assert "occurrences   6 kept (54.5%), 5 generalized (45.5%), 0 suppressed (0.0%)" in ran.out
    report = json.loads((place.private / "report.json").read_text())
    assert report["retention"] == {"items": {"kept": 6, "generalized": 5, "suppressed": 0}}
    shutil.rmtree(place.out)
    shutil.rmtree(place.private)
    ran = place.run(*place.job("--json"))
    assert ran.json["retention"] == report["retention"]
    assert ran.json["shares"]["items"] == pytest.approx({"kept": 6 / 11, "generalized": 5 / 11, "suppressed": 0})


def test_config_file_and_flags_that_win(place: Place) -> None:
    config = place.write(
        "job.toml",
        f"""
        input = {json.dumps(str(place.folder / "data.csv"))}
        items = "codes"
        drop = ["age"]
        unit = "row"
        model = "km"
        k = 1
        m = 2
        max-loss = 0.5
        [hierarchy]
        codes = {json.dumps(str(place.folder / "hierarchy.csv"))}
        """,
    )
    ran = place.run("anonymize", "--config", config, "-o", str(place.out), "--k", "2", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["parameters"]["k"] == 2
    assert ran.json["measures"]["ncp"] == pytest.approx(5 / 22)


def test_names_in_a_config_may_contain_commas(place: Place) -> None:
    place.write("comma.csv", '"a,b",codes\n1,x\n2,x\n')
    config = place.write(
        "job.toml",
        'keep = ["a,b"]\npublish_as_is = ["a,b"]\nitems = "codes"\nunit = "row"\n[hierarchy]\ncodes = "balanced:2"\n',
    )
    ran = place.run(
        "anonymize",
        str(place.folder / "comma.csv"),
        "-o",
        str(place.out),
        "--config",
        config,
        "--model",
        "km",
        "--k",
        "2",
        "--m",
        "1",
    )
    assert ran.code == 0, ran.err


def test_undecided_is_published_only_if_accepted(place: Place) -> None:
    ran = place.run(*place.job("--max-work", "0"))
    assert ran.code == 3
    assert "undecided" in ran.err
    assert place.nothing_left()
    ran = place.run(*place.job("--max-work", "0", "--accept", "undecided"))
    assert ran.code == 3
    attestation: dict[str, Any] = json.loads((place.out / "attestation.json").read_text())
    assert attestation["declarations"] == {"unit": "row, not asked", "accepted_undecided": True}
    assert attestation["verified"] == {}
    assert names(attestation["limits"], "guarantee not proven")
