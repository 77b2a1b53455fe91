"""``anonset inspect``: the account, JSON, and a job file that runs as it is."""

from pathlib import Path

import pytest

from cli.place import Place

PEOPLE = "name,age,sex,codes\n" + "".join(
    f"Ann{n},{20 + n % 13},{'fm'[n % 2]},{' '.join(f'c{(n + s) % 5}' for s in range(1 + n % 3))}\n" for n in range(40)
)


def test_the_account(place: Place) -> None:
    ran = place.run("inspect", place.write("people.csv", PEOPLE), "--k", "3")
    assert ran.code == 0
    for text in ("--drop", "--relational", "--items", "2 items", "all quasi-identifiers", "among fewer than 3"):
        assert text in ran.out
    assert "Ann1" not in ran.out


def test_json(place: Place) -> None:
    found = place.run("inspect", place.write("people.csv", PEOPLE), "--json", "--m", "1").json
    assert set(found["known_items"]) == {"1", "2"}
    assert found["records"] == 40
    assert 0 <= found["known_items"]["2"]["average"] <= 1
    assert found["quasi_identifiers"]["columns"] == ["age", "sex"]
    assert [one["role"] for one in found["columns"]] == ["drop", "relational", "relational", "items"]


@pytest.mark.parametrize("columns", ["name,age,sex,codes", "codes", "age,sex"])
def test_the_job_runs_as_it_is(place: Place, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import csv
    import io

    rows = list(csv.DictReader(io.StringIO(PEOPLE)))
    text = f"{columns}\n" + "".join(",".join(row[name] for name in columns.split(",")) + "\n" for row in rows)
    place.write("people.csv", text)
    monkeypatch.chdir(place.folder)
    assert place.run("inspect", "people.csv", "-o", "job.toml", "--k", "2").code == 0
    monkeypatch.chdir(place.folder.parent)
    job = str(place.folder / "job.toml")
    assert place.run("anonymize", job, "--quiet").code == 0
    assert place.run("verify", str(place.folder / "people-safe")).code == 0
    assert "reason" in place.run("inspect", job, "--json").out


def test_a_job_file_is_never_overwritten(place: Place) -> None:
    people, job = place.write("people.csv", PEOPLE), place.write("job.toml", "")
    assert "exists already" in place.run("inspect", people, "-o", job).err
    assert "must end with .toml" in place.run("inspect", people, "-o", str(place.folder / "job.txt")).err


def test_what_cannot_be_read_is_an_error_and_leaves_nothing(place: Place) -> None:
    ran = place.run("inspect", place.write("bad.csv", "a,b\n1\n"))
    assert (ran.code, "2 fields required" in ran.err) == (2, True)
    bad = place.write("people.csv", PEOPLE)
    ran = place.run("inspect", bad, "--items", "codes,age", "--id", "sex", "-o", str(place.folder / "new.toml"))
    assert (ran.code, Path(place.folder / "new.toml").exists()) == (0, True)
    ran = place.run("inspect", bad, "--items", "nothing", "-o", str(place.folder / "other.toml"))
    assert (ran.code, Path(place.folder / "other.toml").exists()) == (2, False)
