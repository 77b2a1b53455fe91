"""Two releases of the same people in Python: persons in both, and the joint guarantee."""

import json
import random
from collections.abc import Hashable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.facts import refused

import anonset
from anonset.errors import InputError
from anonset.jobs.runs.matched_releases import ids_of
from anonset.settings.settings import ReadingSettings

RNG = random.Random(5)
TREE = anonset.Hierarchy.from_tree(("ALL", [("AB", ["a", "b"]), ("CD", ["c", "d"]), ("E", ["e", "f"])]))
OTHER = anonset.Hierarchy.from_tree(("ALL", [("L", [("AC", ["a", "c"]), ("BD", ["b", "d"])]), ("E", ["e", "f"])]))
RECORDS = {f"p{i}": set(RNG.sample("abcdef", RNG.randint(1, 3))) for i in range(80)}


def release(names: list[str], tree: anonset.Hierarchy, **more: object) -> anonset.Release:
    table = anonset.Table.from_sets([RECORDS[name] for name in names], universe=tree.leaves.labels)
    made: anonset.Release = anonset.anonymize(table, anonset.Apriori(k=8, m=2), hierarchies={"items": tree}, **more)  # type: ignore[arg-type]
    return made


def test_two_releases_satisfy_the_guarantee_jointly_and_the_attack_fails(tmp_path: Path) -> None:
    names = list(RECORDS)
    first = release(names, TREE, out=tmp_path / "first")
    later = names[::-1]
    apart = release(later, OTHER)
    beside = anonset.beside(first, later, names)
    together = release(later, OTHER, after=beside, out=tmp_path / "second", accept="worthless")
    assert len(together.recoding.labels) < len(apart.recoding.labels)
    (outcome,) = anonset.risk(together, attacks=["composition"], beside=beside).outcomes
    assert (outcome.targets, outcome.won.below_k) == (80, 0.0)
    declared = [
        json.loads((tmp_path / name / "attestation.json").read_text())["declarations"] for name in ("first", "second")
    ]
    assert "together_with" not in declared[0]
    assert declared[1]["together_with"] == beside.attestation_sha256 != ""


def test_a_release_in_memory_has_no_attestation_to_name(tmp_path: Path) -> None:
    names = list(RECORDS)
    beside = anonset.beside(release(names, TREE), names, names)
    release(names, TREE, after=beside, out=tmp_path / "second")
    assert "together_with" not in (tmp_path / "second" / "attestation.json").read_text()


@pytest.mark.parametrize(
    ("persons", "earlier", "why"),
    [
        (["p1", "p1"], list(RECORDS), "persons record 1"),
        (["p1"], ["p1"], "release 1"),
        ([None, "p1"], list(RECORDS), "persons 'record 0' null"),
        (["p1"], [float("nan"), *list(RECORDS)[1:]], "earlier_persons record"),
        ([1, 2], list(RECORDS), "2 ids 80"),
        (["p1", "P1 "], list(RECORDS), "persons record 1"),
        ([("p1", None), "p2"], list(RECORDS), "persons 'record 0' null"),
    ],
)
def test_invalid_links_between_releases_are_rejected(
    persons: list[Hashable], earlier: list[Hashable], why: str
) -> None:
    with refused(InputError, why):
        anonset.beside(release(list(RECORDS), TREE), persons, earlier)


def test_ids_of_both_releases_may_be_spelled_otherwise() -> None:
    names = list(RECORDS)
    spelled = [f" P-{name[1:]}" for name in names]
    beside = anonset.beside(release(names, TREE), spelled, names)
    assert (beside.row == anonset.beside(release(names, TREE), names, names).row).all()
    numbers = anonset.beside(release(names, TREE), list(range(80)), [f"{n}.0" for n in range(80)])
    assert (numbers.row >= 0).all()


@pytest.mark.parametrize("n", [40, 79])
def test_another_number_of_records_is_refused(n: int) -> None:
    names = list(RECORDS)
    first = release(names, TREE)
    beside = anonset.beside(first, names[:n], names)
    with refused(InputError, f"{n} 80"):
        release(names, TREE, after=beside)
    with refused(InputError, f"{n} 80"):
        anonset.risk(first, attacks=["composition"], beside=beside)


def test_float_ids_equal_the_same_integers(tmp_path: Path) -> None:
    """From 1e10 on, Arrow writes floats with an exponent."""
    numbers, ids = [1, 12345678901, (1 << 53) - 1, 12345678901], []
    for kind in (pa.float64(), pa.int64(), pa.string()):
        file = tmp_path / f"{kind}.parquet"
        pq.write_table(pa.table({"id": pa.array(numbers).cast(kind), "item": list("abcd")}), file)
        settings = ReadingSettings(unit="id")
        ids.append(ids_of(settings.source(str(file)), settings))
        table = anonset.read(file, items=["item"], unit="id")
        scanned = anonset.scan(file, items=["item"], unit="id")
        assert table.n == scanned.n == len(ids[-1]) == 3
    assert ids == [[("1",), ("12345678901",), ("9007199254740991",)]] * 3
