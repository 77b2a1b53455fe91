"""If the owner declared rows to be persons, `--unit` with the columns of the original counts risks per person."""

import csv
import html
import json
import re
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.facts import names
from tests.reading.persons import stays

from cli.place import Place

pytestmark = pytest.mark.compiled
TREES = ("--hierarchy", "code=balanced:5", "--hierarchy", "zip=prefix:4,3")


def write(path: Path, data: dict[str, list[str]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([data, *zip(*data.values(), strict=True)])
    return path


@pytest.fixture
def published_by_word(publish_once: Callable[..., None]) -> Callable[[Place, str], tuple[str, str]]:
    return partial(_published_by_word, publish_once)


def _published_by_word(publish_once: Callable[..., None], place: Place, key: str) -> tuple[str, str]:
    """Publish stays with `--unit row`. Return the data and the dropped columns."""
    data = stays(key=key)
    path = write(place.folder / "stays.csv", data)
    dropped = ",".join(name for name in data if name not in ("code", "sex", "zip"))
    job = ["--items", "code", "--relational", "sex,zip", *TREES, "--drop", dropped, "--unit", "row"]
    guarantee = ["--model", "kkm", "--k", "5", "--m", "1", "--algorithm", "rfirst"]
    publish_once(place, path.name, *job, *guarantee)
    return str(path), dropped


def counted_by_hand(place: Place, path: str, key: str) -> tuple[int, int, int]:
    """Return the number of persons with fewer than 5 matches in the original and in the publication, and of all."""
    with Path(path).open() as file:
        rows = list(csv.DictReader(file))
    with (place.private / "records.csv").open() as file:
        record_of = {int(row["published_row"]): int(row["input_record"]) for row in csv.DictReader(file)}
    with (place.out / "published.csv").open() as file:
        published = [(rows[record_of[i]][key], row["sex"], row["zip"]) for i, row in enumerate(csv.DictReader(file))]
    counts = []
    for known in ([(row[key], row["sex"], row["zip"]) for row in rows], published):
        in_class, of_person = defaultdict(set), defaultdict(set)
        for person, *values in known:
            in_class[tuple(values)].add(person)
            of_person[person].add(tuple(values))
        counts.append(sum(min(len(in_class[one]) for one in classes) < 5 for classes in of_person.values()))
    return counts[0], counts[1], len({row[key] for row in rows})


ByWord = Callable[[Place, str], tuple[str, str]]


@pytest.mark.long
def test_persons_are_counted_by_the_column_that_contradicts_if_no_person_is_named(
    place: Place, published_by_word: ByWord
) -> None:
    path, dropped = published_by_word(place, "patient_id")
    original = ["risk", str(place.out), "--original", path, *TREES, "--drop", dropped]
    ran, named = (place.run(*original, *more) for more in ([], ["--unit", "patient_id"]))
    assert ran.code == 0, ran.err
    assert ran.out == named.out
    assert "persons; all figures count persons" in ran.out.splitlines()[0]
    assert json.loads((place.private / "report.json").read_text())["likely_persons"] == ["patient_id"]


@pytest.mark.parametrize("key", ["patient_id", "key7"])
def test_persons_below_k_equal_a_count_by_hand(place: Place, published_by_word: ByWord, key: str) -> None:
    path, dropped = published_by_word(place, key)
    before, few, persons = counted_by_hand(place, path, key)
    named = ["--unit", key, "--drop", dropped.replace(f"{key},", "")]
    ran = place.run("risk", str(place.out), "--original", path, *TREES, *named)
    assert ran.code == 0, ran.err
    assert names(ran.out, f"1,500 rows {persons} persons")
    assert names(" ".join(ran.out.split()), f"{few} {persons} persons 5")
    assert "fewest persons" in ran.out
    assert "fewest rows" not in ran.out
    assert names(ran.out, "attacker knows guaranteed for rows")
    assert names(ran.out, "no maximum is guaranteed per person")
    assert "no person was found" not in ran.out
    assert not re.search(r"\bx\d+\b", ran.out)
    result = place.run("risk", str(place.out), "--original", path, *TREES, *named, "--json").json
    assert (result["unit"], result["persons"], result["records"]) == ("person", persons, 1500)
    assert round(result["exposures"][0]["below"]["value"] * persons) == few
    assert round(result["before"][0]["below"]["value"] * persons) == before


@pytest.mark.long
def test_only_the_internal_page_counts_persons(place: Place, published_by_word: ByWord) -> None:
    path, dropped = published_by_word(place, "patient_id")
    before, few, persons = counted_by_hand(place, path, "patient_id")
    pages = {}
    named = ("--unit", "patient_id", "--drop", dropped.replace("patient_id,", ""))
    for name, more in {"in": ("--original", path, *TREES, *named), "out": ("--shareable",)}.items():
        page = place.folder / f"{name}.html"
        assert place.run("report", str(place.out), *more, "-o", str(page)).code == 0
        pages[name] = html.unescape(page.read_text())
    message = f"of {persons} persons belong to a group of matching records of fewer than 5 persons"
    assert names(pages["in"], f"After quasi-identifiers {few} {message}")
    assert names(pages["in"], f"Before quasi-identifiers {before} {message}")
    counted = (f"{persons} persons", "fewest matching persons", "fewer than 5 persons")
    assert not any(text in pages["out"] for text in counted)
    without = place.folder / "without.html"
    assert place.run("report", str(place.out), "-o", str(without)).code == 0
    assert names(without.read_text(), "fewest rows")


@pytest.mark.long
def test_rows_of_an_id_that_are_united_are_persons(place: Place) -> None:
    data = stays(key="patient_id")
    path = str(write(place.folder / "stays.csv", data))
    dropped = ",".join(name for name in data if name not in ("code", "patient_id"))
    roles = ["--unit", "patient_id", "--drop", dropped, "--hierarchy", "code=balanced:5"]
    job = ["--items", "code", *roles, "--model", "km", "--k", "5", "--m", "1"]
    assert place.run("anonymize", path, *job, "-o", str(place.out)).code == 0
    result = place.run("risk", str(place.out), "--original", path, *roles, "--json").json
    assert (result["unit"], result["persons"], result["records"]) == ("person", None, 300)
    assert names(place.run("risk", str(place.out)).out, "fewest persons")


def test_a_row_without_an_id_is_a_person(place: Place) -> None:
    data = stays(key="patient_id")
    data["patient_id"] = ["" if n % 10 == 0 else patient for n, patient in enumerate(data["patient_id"])]
    expected = len({patient for patient in data["patient_id"] if patient}) + 150
    path = str(write(place.folder / "stays.csv", data))
    dropped = ",".join(name for name in data if name != "code")
    tree = ["--hierarchy", "code=balanced:5"]
    job = ["--items", "code", "--drop", dropped, *tree, "--model", "km", "--k", "2", "--m", "1", "--unit", "row"]
    assert place.run("anonymize", path, *job, "-o", str(place.out)).code == 0
    named = ["--unit", "patient_id", "--drop", dropped.replace("patient_id,", ""), *tree]
    actual = json.loads(place.run("risk", str(place.out), "--original", path, *named, "--json").out)
    assert actual["persons"] == expected
