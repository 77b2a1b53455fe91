"""`evaluate` rejects an original, a publication and a private directory that do not belong together."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.facts import names

from anonset.data.storage.lease import LEASE
from cli.place import Place

pytestmark = pytest.mark.compiled

PATIENTS = "age,sex,ward,codes\n" + "".join(
    f"{20 + 7 * n % 60},{'fm'[n % 2]},w{n % 3},{' '.join(f'c{(n * k + k) % 5}' for k in range(1 + n % 3))}\n"
    for n in range(30)
)
KM = ["--items", "codes", "--keep", "ward", "--drop", "age,sex", "--hierarchy", "codes=balanced:2"]
RT = ["--items", "codes", "--keep", "ward", "--relational", "age,sex", "--hierarchy", "age=range"]
RT += ["--hierarchy", "sex=values"]
K = ["--relational", "age,sex", "--drop", "codes,ward", "--hierarchy", "age=range", "--hierarchy", "sex=values"]
BUCKETS = ["--id", "name", "--sensitive", "drug", "--keep", "age"]
JOBS = {
    "km": ("patients.csv", KM, ["--model", "km", "--k", "3", "--m", "2"]),
    "constraints": ("patients.csv", KM[:6], ["--model", "constraints", "--k", "4", "--m", "2"]),
    "partition-km": ("patients.csv", KM, ["--model", "partition-km", "--k", "3", "--m", "2"]),
    "kkm": ("patients.csv", RT, ["--model", "kkm", "--k", "4", "--m", "2", "--delta", "1", "--algorithm", "rum-bound"]),
    "k": ("patients.csv", K, ["--model", "k", "--k", "4"]),
    "anatomy": ("long.csv", BUCKETS, ["--model", "anatomy", "--l", "3"]),
    "safe-grouping": ("long.csv", BUCKETS, ["--model", "safe-grouping", "--k", "4", "--l", "2"]),
}


Made = tuple[Place, str, list[str]]


@pytest.fixture(params=JOBS)
def made(request: pytest.FixtureRequest, long: Place, publish_once: Callable[..., None]) -> Made:
    """Return the place of a publication, the input, and the column roles."""
    long.write("patients.csv", PATIENTS)
    data, roles, model = JOBS[request.param]
    publish_once(long, data, *roles, *model, *unit_of(roles))
    return long, data, roles


def unit_of(roles: list[str]) -> list[str]:
    """Return the option that declares each row a person. Ids of buckets declare the person themselves."""
    return [] if "--id" in roles else ["--unit", "row"]


def evaluated(place: Place, data: str, roles: list[str], *more: str) -> str:
    """Return the error message of `evaluate`. Empty if it succeeds."""
    ran = place.run("evaluate", str(place.folder / data), str(place.out), *roles, *more)
    assert (ran.code, ran.err.count("\n")) in ((0, 0), (2, 1)), ran.err
    return ran.err


def rewritten(place: Place, data: str, change: Callable[[list[str]], list[str]]) -> str:
    """Write the data with changed lines, and return the file name."""
    header, *lines = (place.folder / data).read_text().splitlines()
    place.write("other.csv", "\n".join([header, *change(lines)]) + "\n")
    return "other.csv"


def shuffled(lines: list[str]) -> list[str]:
    other = random.Random(3).sample(lines, len(lines))
    assert other != lines
    return other


def one_cell(lines: list[str]) -> list[str]:
    """Swap the last cells of two lines."""
    (single, x), (other, y) = (lines[i].rsplit(",", 1) for i in (0, 2))
    return [f"{single},{y}", lines[1], f"{other},{x}", *lines[3:]]


CHANGES: dict[str, Callable[[list[str]], list[str]]] = {
    "permuted": shuffled,
    "backwards": lambda lines: lines[::-1],
    "two cells exchanged": one_cell,
    "a line more": lambda lines: [*lines, lines[0]],
    "a line less": lambda lines: lines[:-1],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.long
def test_another_original_is_refused(made: Made, change: str) -> None:
    place, data, roles = made
    assert evaluated(place, data, roles) == ""
    message = evaluated(place, rewritten(place, data, CHANGES[change]), roles)
    if change == "two cells exchanged" and "--drop" in roles and "codes" in roles[roles.index("--drop") + 1]:
        assert message == ""  # the cells are of a dropped column
    else:
        assert names(message, "original column") or names(message, "records")


@pytest.mark.parametrize("made", ["k", "kkm"], indirect=True)
def test_an_original_read_otherwise_is_refused(made: Made) -> None:
    place, data, roles = made
    position = roles.index("age=range")
    message = evaluated(place, data, [*roles[: position - 1], *roles[position + 1 :]])
    assert names(message, "age text numbers")


@pytest.mark.parametrize(
    ("made", "fewer"),
    [
        ("k", ["--relational", "age", "--drop", "codes,ward,sex"]),
        ("kkm", ["--items", "codes", "--keep", "ward", "--relational", "age", "--drop", "sex"]),
    ],
    indirect=["made"],
)
def test_evaluate_rejects_roles_that_differ_from_the_run(made: Made, fewer: list[str]) -> None:
    place, data, _ = made
    message = evaluated(place, data, [*fewer, "--hierarchy", "age=range"])
    assert names(message, "relational age sex")


def test_without_a_private_directory_impossible_originals_are_rejected(made: Made) -> None:
    place, data, roles = made
    private = place.private.rename(place.folder / "gone")
    message = evaluated(place, data, roles)
    if names(message, "private mapping"):  # a local recoding is evaluated only with the mapping
        return
    assert message == ""
    assert evaluated(place, rewritten(place, data, shuffled), roles) == ""  # equal rows have equal losses
    changes = {
        **CHANGES,
        "other values": lambda lines: [f"9{line[1:]}" if n < 20 else line for n, line in enumerate(lines)],
    }
    relational_alone, buckets = "ward" in " ".join(roles[2:4]) and "--items" not in roles, "--sensitive" in roles
    possible = {
        "a line more": buckets,  # rows may have been dropped
        "other values": "--relational" not in roles and not buckets,  # ages are dropped
        "two cells exchanged": relational_alone or buckets,  # no table links the value to a row
    }
    for change, is_possible in possible.items():
        message = evaluated(place, rewritten(place, data, changes[change]), roles)
        assert (message == "") == is_possible, (change, message)
    assert private.is_dir()


def test_a_mapping_of_another_publication_is_refused(made: Made) -> None:
    place, data, roles = made
    job = next(job for job in JOBS.values() if job[1] is roles)
    copy, home = place.folder / "again", place.folder / "again.private"
    more = ["--max-loss", "1", *unit_of(roles)]
    ran = place.run("anonymize", str(place.folder / data), "-o", str(copy), *roles, *job[2][:2], *larger(job[2]), *more)
    assert ran.code == 0, ran.err
    message = evaluated(place, data, roles, "--private", str(home))
    assert names(message, f"{home} private {place.out}")


def larger(model: list[str]) -> list[str]:
    """Return the parameters of a model, with a larger first parameter."""
    return [model[2], str(int(model[3]) + 1), *model[4:]]


def test_a_changed_private_file_is_refused(made: Made) -> None:
    place, data, roles = made
    for name in sorted({path.name for path in place.private.iterdir()} - {"report.json"}):
        path = place.private / name
        honest = path.read_text()
        lines = honest.splitlines()
        path.write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
        assert names(evaluated(place, data, roles), f"{path} written")
        path.unlink()
        assert names(evaluated(place, data, roles), f"{path} file")
        path.write_text(honest)
    assert evaluated(place, data, roles) == ""


@pytest.mark.parametrize("made", ["km", "anatomy"], indirect=True)
@pytest.mark.parametrize(
    ("spoil", "fragment"),
    [
        (lambda path: path.unlink(), "report.json"),
        (lambda path: path.write_text("{}"), "report.json"),
        (lambda path: path.write_text("{"), "report.json"),
        (lambda path: _forget(path), "original"),
    ],
    ids=["missing", "empty", "broken", "forgetful"],
)
def test_evaluate_rejects_an_invalid_report(made: Made, spoil: Callable[[Path], object], fragment: str) -> None:
    place, data, roles = made
    spoil(place.private / "report.json")
    assert names(evaluated(place, data, roles), fragment)


def _forget(path: Path) -> None:
    report = json.loads(path.read_text())
    report["input"]["columns"] = {}
    path.write_text(json.dumps(report))


def test_the_private_directory_of_a_killed_run_is_named(made: Made) -> None:
    place, data, roles = made
    (place.private / "report.json").unlink()
    (place.private / LEASE).write_text("")
    assert names(evaluated(place, data, roles), f"{place.private} killed")
