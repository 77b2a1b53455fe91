"""Every file in a publication is attested, and texts without a codebook entry are opaque."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.facts import names

from cli.place import Place
from cli.published import publish

pytestmark = pytest.mark.compiled

BUCKETS = ["--model", "anatomy", "--id", "name", "--sensitive", "drug", "--keep", "age", "--l", "3"]
DECOYS: dict[str, Callable[[Path], object]] = {
    "another format": lambda out: (out / "published.csv").write_text("items\na1\n"),
    "another name": lambda out: (out / "data.csv").write_text("items\na1\n"),
    "another case": lambda out: (out / "Published.dat").write_text("a1\n"),
    "a hidden file": lambda out: (out / ".published.dat").write_text("a1\n"),
    "an empty folder": lambda out: (out / "published").mkdir(),
    "a folder of parts": lambda out: [
        (out / "published").mkdir(),
        (out / "published" / "part-00000.parquet").write_bytes(b"PAR1"),
    ],
    "a link": lambda out: (out / "more.csv").symlink_to(out / "codebook.csv"),
    "a link to nowhere": lambda out: (out / "more.csv").symlink_to(out / "nowhere"),
    "a pipe": lambda out: os.mkfifo(out / "pipe"),
    "notes": lambda out: (out / "README").write_text("read me"),
    "the private report": lambda out: (out / "report.json").write_text("{}"),
}


@pytest.mark.usefixtures("is_published")
@pytest.mark.parametrize("decoy", DECOYS)
def test_files_without_attestation_are_rejected(place: Place, decoy: str) -> None:
    before = {path.name for path in place.out.iterdir()}
    assert place.run("verify", str(place.out)).code == 0
    DECOYS[decoy](place.out)
    (added,) = {path.name for path in place.out.iterdir()} - before
    for command in (["verify", str(place.out)], ["verify", str(place.out), "--model", "km", "--k", "2", "--m", "2"]):
        ran = place.run(*command)
        assert (ran.code, names(ran.err, f"{place.out / added} attested")) == (2, True), ran.err
        assert ran.err.count("\n") == 1
    ran = place.run("evaluate", str(place.folder / "data.dat"), str(place.out))
    assert (ran.code, names(ran.err, f"{place.out / added} attested")) == (2, True), ran.err


@pytest.mark.parametrize("name", ["qit.csv", "snt.csv", "attestation.json"])
def test_a_link_is_no_file_of_a_publication(long: Place, name: str) -> None:
    publish(long, "long.csv", *BUCKETS)
    moved = long.folder / "elsewhere"
    (long.out / name).rename(moved)
    (long.out / name).symlink_to(moved)
    ran = long.run("verify", str(long.out))
    assert (ran.code, names(ran.err, f"{long.out / name} regular")) == (2, True)


@pytest.mark.parametrize("decoy", ["published.csv", "codebook.csv", "snt.parquet"])
def test_additional_files_among_buckets_are_rejected(long: Place, decoy: str) -> None:
    publish(long, "long.csv", *BUCKETS)
    (long.out / decoy).write_text("name\nP1\n")
    ran = long.run("verify", str(long.out))
    assert (ran.code, names(ran.err, "attestation.json qit.csv snt.csv")) == (2, True), ran.err


def test_a_missing_file_is_named(place: Place) -> None:
    assert place.run(*place.job()).code == 0
    (place.out / "codebook.csv").unlink()
    ran = place.run("verify", str(place.out))
    assert (ran.code, names(ran.err, f"{place.out / 'codebook.csv'} file")) == (2, True), ran.err


def test_data_under_another_name_are_refused(place: Place) -> None:
    """They are rejected even if the attestation names them."""
    assert place.run(*place.job()).code == 0
    (place.out / "published.dat").rename(place.out / "data.dat")
    attested = json.loads((place.out / "attestation.json").read_text())
    attested["data"]["file"] = "data.dat"
    attested["data"]["sha256"]["data.dat"] = attested["data"]["sha256"].pop("published.dat")
    (place.out / "attestation.json").write_text(json.dumps(attested))
    ran = place.run("verify", str(place.out))
    assert (ran.code, names(ran.err, "published.dat codebook.csv")) == (2, True), ran.err


OPAQUE = 'p,q\n"(x,y)",z\n"(p:x,p:y)",z\n'
MODELS = [
    ["--model", "km", "--k", "2", "--m", "1"],
    ["--model", "transaction-k", "--k", "2"],
    ["--model", "coherence", "--h", "1", "--k", "2", "--p", "1"],
    ["--model", "klm", "--k", "2", "--l", "1", "--m", "1", "--sensitive-items", "q:z"],
    ["--model", "constraints", "--k", "2", "--m", "1"],
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model[1])
def test_texts_of_several_columns_are_opaque(place: Place, model: list[str]) -> None:
    """Two texts that could be read as the same set are counted separately: one record each."""
    data = place.write("made.csv", OPAQUE)
    ran = place.run("verify", data, "--items", "p,q", *model)
    assert ran.code == 1, ran.out + ran.err
    assert names(ran.out, "1 record 2")
    data = place.write("made.csv", OPAQUE + OPAQUE.partition("\n")[2])
    assert place.run("verify", data, "--items", "p,q", *model).code == 0


def test_texts_of_several_columns_are_opaque_with_relational_values(place: Place) -> None:
    data = place.write("made.csv", OPAQUE.replace("p,q", "p,q,sex").replace(",z", ",z,f"))
    kkm = ["--items", "p,q", "--relational", "sex", "--model", "kkm", "--k", "2", "--m", "1"]
    ran = place.run("verify", data, *kkm)
    assert (ran.code, "matches 1 record, 2 required" in ran.out) == (1, True), ran.err
