"""`verify` rejects every change to an attestation: all values are computed from the files."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anonset.data import spans
from anonset.errors import InputError
from anonset.jobs.verify import check
from cli.place import Place

pytestmark = pytest.mark.compiled

TWO = "dx,rx,ward\n" + "".join(f"a{n % 4} b{n % 3},{n % 2} {n % 5},w{n % 2}\n" for n in range(40))
TREE = "--hierarchy items=balanced:3"
TWO_COLUMNS = f"--items dx,rx --keep ward --unit row --model km --k 3 --m 2 {TREE}"
RT = "--hierarchy age=range --hierarchy origin={folder}/origin.csv"
ITEMS_TOO = f"{RT} --unit row --items items --relational age,origin,gender --hierarchy items=balanced:2"
LONG = "--id name --sensitive drug --keep age"
JOBS = {
    "km": f"shop.dat --model km --k 3 --m 2 {TREE}",
    "km in columns": f"two.csv {TWO_COLUMNS}",
    "km in Parquet": f"two.csv {TWO_COLUMNS} --format parquet",
    "km with another separator": "set.csv --items c --separator ; --model km --k 2 --m 2 --hierarchy c=balanced:3",
    "km without a separator": "one.tsv --items c --separator ; --model km --k 2 --m 2 --hierarchy c=balanced:3",
    "km as FIMI": "people.csv --items c --unit who --format dat --model km --k 2 --m 2 --hierarchy c=balanced:2",
    "km of persons": "people.csv --items c --unit who --model km --k 2 --m 2 --hierarchy c=balanced:2",
    "km undecided": f"shop.dat --model km --k 3 --m 2 --max-work 0 --accept undecided {TREE}",
    "km without counting": f"twice.dat --model km --k 2 --m 2 --max-work 0 {TREE}",
    "partition-km": f"shop.dat --model partition-km --k 3 --m 2 {TREE}",
    "transaction-k": f"shop.dat --model transaction-k --k 3 {TREE}",
    "constraints": "shop.dat --model constraints --k 4 --m 2",
    "constraints of a policy": "shop.dat --model constraints --k 4 --privacy-constraints {folder}/policy.txt",
    "coherence": "shop.dat --model coherence --h 0.6 --k 3 --p 1 --sensitive-items secret",
    "coherence without private items": "shop.dat --model coherence --h 0.7 --k 3 --p 2",
    "lm": f"shop.dat --model lm --k 3 --l 3 --m 1 --sensitive-items secret {TREE}",
    "klm": f"rt.csv --model klm --k 2 --l 2 --m 1 --sensitive-items A --delta 1 --on-infeasible merge {ITEMS_TOO}",
    "kkm": f"rt.csv --model kkm --algorithm rum-bound --k 2 --m 2 --delta 0.65 {ITEMS_TOO}",
    "k": f"rt.csv --model k --k 2 --unit row --relational age,origin,gender --keep items --publish-as-is items {RT}",
    "safe-grouping": f"long.csv --model safe-grouping --k 4 --l 2 {LONG}",
    "anatomy": f"long.csv --model anatomy --l 3 {LONG}",
}
"""Arguments for a publication of every model in every layout."""


def arguments(place: Place, name: str) -> list[str]:
    file, *words = JOBS[name].format(folder=place.folder).split()
    return [str(place.folder / file), *words]


@pytest.fixture
def published(request: pytest.FixtureRequest, shop: Place, rt: Place, long: Place) -> Place:
    """Return a place with the publication of a job."""
    shop.write("two.csv", TWO)
    shop.write("one.tsv", "c\n" + "".join(f"type {n % 3}\n" for n in range(12)))
    shop.write("set.csv", "c\n" + "type 1;b\nb\ntype 1\n" * 8)
    shop.write("people.csv", "who,c\n" + "".join(f"p{n},a{n % 2} b\n" for n in range(12)))
    shop.write("twice.dat", "a b\na b\nc d e\nc d e\n")
    shop.write("policy.txt", "a b\nc\nd e f\n")
    ran = shop.run("anonymize", *arguments(shop, request.param), "-o", str(shop.out))
    assert ran.code == (3 if "undecided" in request.param else 0), ran.err
    return shop


def leaves(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value, nested values first."""
    inner = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for key, value in inner:
        yield from leaves(value, (*path, key))
    if path:
        yield path


UNITS = ["person", "row, declared a person", "row, person unknown", "row, not asked"]


def changed(value: Any) -> list[Any]:
    """Return other values of the same type."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, float):
        return [value / 2, value * (1 + 1e-9)]
    if isinstance(value, str):
        others = UNITS if value in UNITS else [value.upper()]
        return [value + "x", value[1:], *(other for other in others if other != value)]
    if isinstance(value, list):
        return [[*value, "x"], value[1:]] if value else [["x"]]
    if isinstance(value, dict):
        return [{**value, "x": 1}, {}] if value else [{"x": 1}]
    return ["x", 1]


def changed_attestations(attested: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attestation with a single value changed or removed."""
    for path in leaves(attested):
        *way, last = path
        for number, value in enumerate([*_changed_at(attested, path), ...]):
            lie = copy.deepcopy(attested)
            parent = lie
            for key in way:
                parent = parent[key]
            if value is ...:
                del parent[last]
            else:
                parent[last] = value
            yield f"{'.'.join(map(str, path))} ({number})", lie


def _changed_at(node: Any, path: tuple[Any, ...]) -> list[Any]:
    for key in path:
        node = node[key]
    return changed(node)


def refusal(out: Path, given: dict[str, str]) -> str | None:
    """Return the error message if `verify` rejects a publication, else None."""
    try:
        check(out, given)
    except InputError as error:
        return str(error)
    return None


@pytest.mark.long
@pytest.mark.parametrize("published", JOBS, indirect=True)
def test_every_leaf_is_computed(
    published: Place, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single thread checks: with few rows each, thousands of checks would mostly start threads."""
    monkeypatch.setattr(spans, "cores", lambda: 1)
    path: Path = published.out / "attestation.json"
    policy = {"privacy_constraints": str(published.folder / "policy.txt")} if "policy" in request.node.name else {}
    honest = path.read_text()
    assert check(published.out, policy).holds is not None
    missed, attempted = [], 0
    for where, lie in changed_attestations(json.loads(honest)):
        path.write_text(json.dumps(lie))
        attempted += 1
        if (reason := refusal(published.out, policy)) is None or "\n" in reason:
            missed.append((where, reason))
    assert not missed
    assert attempted > 50
    path.write_text(honest)
    assert (
        published.run(
            "verify",
            str(published.out),
            *(part for name, value in policy.items() for part in (f"--{name.replace('_', '-')}", value)),
        ).code
        == 0
    )


@pytest.mark.parametrize("published", ["partition-km"], indirect=True)
def test_no_number_of_private_partitions_is_published(published: Place) -> None:
    partitions = {line.split(",")[2] for line in (published.private / "records.csv").read_text().splitlines()[1:]}
    assert len(partitions) > 1
    attested = json.loads((published.out / "attestation.json").read_text())
    assert attested["model"] == "partition-km"
    assert "groups" not in attested["verified"]
    report = json.loads((published.private / "report.json").read_text())
    assert report["verified"]["groups"] == len(partitions)
    records = ["--records", str(published.private / "records.csv")]
    ran = published.run("verify", str(published.out), *records, "--json")
    assert (ran.code, ran.json["model"], ran.json["verified"]["groups"]) == (0, "partition-km", len(partitions))
    assert published.run("verify", str(published.out), "--json").json["model"] == "km"


@pytest.mark.parametrize("published", ["km without counting"], indirect=True)
def test_a_proof_without_counting_verifies_at_any_budget(published: Place) -> None:
    for more in ([], ["--max-work", "0"], ["--max-work", "1e-10"]):
        assert published.run("verify", str(published.out), *more).code == 0
    counted = published.folder / "counted"
    job = [word for word in arguments(published, "km without counting") if word not in ("--max-work", "0")]
    assert published.run("anonymize", *job, "-o", str(counted)).code == 0
    assert "itemset_occurrences" in json.loads((counted / "attestation.json").read_text())["verified"]
    for more in ([], ["--max-work", "0"]):
        assert published.run("verify", str(counted), *more).code == 0
