"""Addresses are rejected as output paths of commands that write no publication: Python would create ``s3:``."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import anonset
from anonset.errors import InputError
from cli.place import Place

ADDRESS = "s3://bucket/out"
KEY, WITHOUT_CLUSTER = "is not a local path", "an address requires --cluster"


def _job(*more: str) -> Callable[[Place], list[str]]:
    return lambda place: place.job(*more)


COMMANDS: dict[str, Callable[[Place], list[str]]] = {
    "out without //": lambda p: [part.replace(str(p.out), "s3:/bucket/out") for part in p.job()],
    "work_dir": _job("--work-dir", ADDRESS),
    "verify work_dir": lambda p: ["verify", str(p.out), "--original", "data.dat", "--work-dir", ADDRESS],
    "risk work_dir": lambda p: ["risk", str(p.out), "--original", "data.dat", "--work-dir", ADDRESS],
    "inspect": lambda p: ["inspect", str(p.folder / "data.dat"), "-o", f"{ADDRESS}.toml"],
    "report": lambda p: ["report", str(p.out), "-o", f"{ADDRESS}.html"],
    "compare": lambda p: ["compare", str(p.folder / "data.dat"), "--k", "2", "-o", f"{ADDRESS}.jsonl"],
    "compare plot": lambda p: ["compare", str(p.folder / "data.dat"), "--k", "2", "--plot", ADDRESS],
    "reconstruct": lambda p: ["reconstruct", str(p.out), "-o", f"{ADDRESS}.csv"],
    "datasets make": lambda p: ["datasets", "make", "quest", "-o", ADDRESS],
    "datasets hierarchy": lambda p: ["datasets", "make", "quest", "-o", "x.dat", "--hierarchy", f"{ADDRESS}.csv"],
    "hierarchy build": lambda p: ["hierarchy", "build", str(p.folder / "data.dat"), "-o", f"{ADDRESS}.csv"],
    "hierarchy convert": lambda p: ["hierarchy", "convert", str(p.folder / "hierarchy.csv"), f"{ADDRESS}.csv"],
    "policy generate": lambda p: ["policy", "generate", str(p.folder / "data.dat"), "-o", f"{ADDRESS}.txt"],
    "policy convert": lambda p: ["policy", "convert", str(p.folder / "data.dat"), f"{ADDRESS}.txt"],
    "demo": lambda p: ["demo", "-o", ADDRESS],
}


@pytest.fixture(autouse=True)
def within(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder that contains ``s3:/bucket`` from a run of an earlier version."""
    (place.folder / "here" / "s3:" / "bucket").mkdir(parents=True)
    monkeypatch.chdir(place.folder / "here")


def _here() -> list[str]:
    return sorted(str(Path(folder) / name) for folder, _, names in os.walk(".") for name in names)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_address_is_rejected_as_an_output(place: Place, name: str) -> None:
    ran = place.run(*COMMANDS[name](place))
    assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
    assert (WITHOUT_CLUSTER if "work_dir" in name else KEY) in ran.err
    assert _here() == []
    assert [path.name for path in Path().iterdir()] == ["s3:"]


def test_an_address_in_a_job_file_is_rejected(place: Place) -> None:
    text = f'input = "{place.folder}/data.dat"\nout = "out"\nwork_dir = "{ADDRESS}"\nmodel = "km"\nk = 2\nm = 2\n'
    ran = place.run("anonymize", place.write("job.toml", text))
    assert (ran.code, _here()) == (2, [])
    assert WITHOUT_CLUSTER in ran.err


def test_addresses_are_rejected_in_python(place: Place) -> None:
    algorithm = anonset.Apriori(k=2, m=2)
    table = anonset.read(place.folder / "data.dat")
    tree = {"items": place.folder / "hierarchy.csv"}
    release = anonset.anonymize(table, algorithm, hierarchies=tree)
    for call in (
        lambda: anonset.anonymize(table, algorithm, hierarchies=tree, out=Path(ADDRESS)),
        lambda: release.save(Path(ADDRESS)),
        lambda: anonset.scan(place.folder / "data.dat", work_dir=ADDRESS),
    ):
        with pytest.raises(InputError, match=KEY):
            call()
    assert _here() == []


def test_a_local_path_may_contain_a_colon(place: Place) -> None:
    release = anonset.anonymize(
        anonset.read(place.folder / "data.dat"),
        anonset.Apriori(k=2, m=2),
        hierarchies={"items": place.folder / "hierarchy.csv"},
    )
    out = Path("s3:/bucket/out").absolute()
    assert release.save(out) == out
