"""`anonset.inspect` of a folder, or of a job that names tables, returns what the command prints."""

import csv
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import anonset
from anonset.spelling import as_options, spelled_by
from cli.place import Place
from facts import refused


def write(path: Path, header: str, rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header.split(","), *rows])


@pytest.fixture
def clinic(place: Place, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write patients, visits without items, diagnoses of visits, and a table without a key."""
    monkeypatch.chdir(place.folder)
    folder, rng = Path("clinic"), random.Random(3)
    folder.mkdir()
    ids = [f"P{rng.randrange(10**6):06}" for _ in range(90)]
    write(folder / "patients.csv", "patient_id,sex,born", [[i, rng.choice("fm"), rng.randint(1940, 1999)] for i in ids])
    write(folder / "visits.csv", "visit_id,patient_id", [[f"V{1000 + i}", rng.choice(ids)] for i in range(300)])
    codes = ["E11.9", "I10.0", "J45.0", "E78.5", "U07.1"]
    write(folder / "dx.csv", "visit_id,icd", [[f"V{1000 + i % 300}", rng.choice(codes)] for i in range(700)])
    write(folder / "wards.csv", "ward,beds", [["<A>", 20], ["B", 12]])
    return folder


def test_a_folder_has_the_findings_of_the_command(place: Place, clinic: Path) -> None:
    for given, flags in (
        ({}, []),
        ({"unit": "patient_id", "k": 7, "null": ["-"]}, ["--unit", "patient_id", "--k", "7", "--null=-"]),
    ):
        found = anonset.inspect(clinic, **given)
        assert isinstance(found, anonset.LinkedFindings)
        assert found.to_dict() == place.run("inspect", "clinic", *flags, "--json").json
        printed = place.run("inspect", "clinic", *flags, "--quiet").out
        assert str(found).split("\n") == [line.rstrip() for line in printed.rstrip().split("\n")]
        assert place.run("inspect", "clinic", *flags, "-o", f"jobs{len(flags)}.toml").code == 0
        assert found.job_text() == Path(f"jobs{len(flags)}.toml").read_text()
    assert [(one.name, one.key, one.parent) for one in found.tables] == [
        ("patients", "patient_id", ""),
        ("dx", "visit_id", "visits"),
        ("visits", "patient_id", ""),
    ]


@pytest.mark.long
def test_the_job_that_is_written_publishes_and_is_inspected(place: Place, clinic: Path) -> None:
    job = place.folder / "jobs" / "job.toml"
    job.parent.mkdir()
    job.write_text(anonset.inspect(str(clinic), unit="patient_id", k=3, m=1).job_text(job.parent))
    again = anonset.inspect(job)
    assert (again.is_declared, again.k, again.m, anonset.inspect(job, m=2).m) == (True, 3, 1, 2)
    assert again.to_dict() == place.run("inspect", str(job), "--json").json
    assert place.run("anonymize", str(job)).code == 0


def test_findings_of_one_table_are_the_data_of_the_command(place: Place, clinic: Path) -> None:
    found = anonset.inspect(clinic / "patients.csv", seed=1, k=4)
    printed = place.run("inspect", "clinic/patients.csv", "--k", "4", "--seed", "1", "--json").json
    assert without_words(found.to_dict()) == without_words(printed)


@pytest.mark.parametrize("given", [{}, {"unit": ["patient_id"], "hierarchies": {"born": "bins:width=10"}}])
def test_the_job_of_one_file_is_that_of_the_command(place: Place, clinic: Path, given: dict[str, Any]) -> None:
    flags = ["--unit", "patient_id", "--hierarchy", "born=bins:width=10"] if given else []
    job = place.folder / "jobs" / "job.toml"
    job.parent.mkdir()
    assert place.run("inspect", "clinic/patients.csv", *flags, "-o", str(job)).code == 0
    with spelled_by(as_options):
        found = anonset.inspect("clinic/patients.csv", **given)
        assert (found.question is None) == bool(given)
        assert found.job_text(job.parent) == job.read_text()
    assert 'input = "clinic/patients.csv"' in found.job_text()


def test_there_is_no_job_for_data_in_memory_or_for_rejected_data(clinic: Path) -> None:
    in_memory = {"id": ["a", "b"], "codes": ["x y", "x"]}
    with refused(anonset.InputError, "'not in files'"):
        anonset.inspect(in_memory, unit="id", items="codes").job_text()
    trees = {"sex": anonset.Hierarchy.from_tree(("all", ["f", "m"]))}
    with refused(anonset.InputError, "hierarchy sex 'job file'"):
        anonset.inspect(clinic / "patients.csv", unit="patient_id", relational="sex", hierarchies=trees).job_text()
    tree = clinic / "tree.csv"
    tree.write_text("f,all\nm,all\n")
    found = anonset.inspect(clinic / "patients.csv", unit="patient_id", relational="sex", hierarchies={"sex": tree})
    assert '"sex" = "tree.csv"' in found.job_text(clinic)
    unread = anonset.inspect(clinic / "patients.csv", unit="patient_id", drop=["sex", "born"])
    assert not unread.records
    with pytest.raises(anonset.InputError) as error:
        unread.job_text()
    assert str(error.value) in unread.problems[-1]


def without_words(data: dict[str, Any]) -> dict[str, Any]:
    """Return findings without the texts that spell remedies as Python arguments or as flags."""
    columns = [{name: value for name, value in one.items() if name != "reason"} for one in data["columns"]]
    return {**data, "columns": columns, "problems": len(data["problems"])}


def test_notebooks_show_tables_columns_and_the_question(clinic: Path) -> None:
    shown = anonset.inspect(clinic)._repr_html_()
    for text in ("patient_id", "wards.csv", "who is a person?", "icd"):
        assert text in shown
    assert "who is a person?" not in anonset.inspect(clinic, unit="patient_id")._repr_html_()


@pytest.mark.parametrize(
    ("given", "name"),
    [({"items": "icd"}, "items"), ({"hierarchies": {"icd": "balanced:2"}}, "hierarch"), ({"seed": 4}, "seed")],
)
def test_settings_of_a_single_table_are_rejected(clinic: Path, given: dict[str, object], name: str) -> None:
    with pytest.raises(anonset.InputError, match=f"several tables; set .*{name}.* in the job file"):
        anonset.inspect(clinic, **given)


def test_there_is_no_job_without_items(clinic: Path) -> None:
    (clinic / "dx.csv").unlink()
    with pytest.raises(anonset.InputError, match="no linked table has a column that is recognized as items"):
        anonset.inspect(clinic).job_text()


def test_a_declared_key_that_no_tables_share_is_an_error(clinic: Path) -> None:
    for name in ("visits", "dx"):
        (clinic / f"{name}.csv").unlink()
    with pytest.raises(anonset.InputError, match="no tables share a key of this name; keys of several tables: none"):
        anonset.inspect(clinic, unit="patient_id")
