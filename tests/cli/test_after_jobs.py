"""`--after` with random pairs of jobs, whose publications are attacked by enumeration."""

import json
from random import Random

import pytest
from tests.facts import names

from cli.place import Place
from effort import examples
from reference.job_pairs import JobOfPair, attacker_of, random_pair

PERSONS = {f"p{i}q": {"x": frozenset({("a1", "a2", "b1", "B1")[i % 4], "a1"}), "y": frozenset({f"c{1 + i % 2}"})}
           for i in range(24)}  # fmt: skip
TREE = {"x": "a1,a,ALL\na2,a,ALL\nb1,b,ALL\nB1,b,ALL\n", "y": "c1,ALL\nc2,ALL\n"}


def published(place: Place, first: JobOfPair, second: JobOfPair, k: int, m: int) -> str:
    """Return an empty text if both jobs publish, and otherwise the error."""
    ran = place.run(*first.arguments(place.folder, "first", k, m))
    if ran.code == 0:
        after = "--after", str(place.folder / "first.private")
        ran = place.run(*second.arguments(place.folder, "second", k, m), *after)
    assert ran.code in (0, 1, 2), ran.err
    assert len(ran.errors) == (ran.code != 0)
    return ran.err if ran.code else ""


def fewest(place: Place, first: JobOfPair, second: JobOfPair, m: int) -> int:
    attacker = attacker_of(first, second, place.folder)
    declared = json.loads((place.folder / "second" / "attestation.json").read_text())["declarations"]
    counts = [attacker.fewest_rows(attacker.persons, m)]
    if declared.get("together_if_linked"):
        counts += [attacker.fewest_linked(attacker.persons, m), attacker.fewest_of_changed(m)]
    return min((count for count in counts if count is not None), default=1000)


@pytest.mark.parametrize("seed", [4160, 4189, 4250, 4308, 4146, 4212, 4215, 20010, *range(examples(20))])
def test_no_attacker_singles_out_a_person_of_two_jobs(place: Place, seed: int) -> None:
    first, second, k, m = random_pair(Random(seed))
    if not published(place, first, second, k, m):
        assert fewest(place, first, second, m) >= k


@pytest.mark.parametrize(
    ("change", "is_accepted"),
    [
        ({"persons": {**PERSONS, "new": {"x": frozenset({"b1"}), "y": frozenset({"c1"})}}}, True),
        ({"layout": "json"}, True),
        ({"layout": "semicolons"}, True),
        ({"columns": ("x",)}, True),
        ({"columns": ("x",), "lacks_others": True}, True),
        ({"trees": {**TREE, "x": "a1,a,ALL\na2,a,ALL\nb1,ALL\nB1,ALL\n"}}, True),
        ({"trees": {**TREE, "x": "a1,ALL\na2,ALL\nb1,ALL\n"}, "unknown": "suppress"}, True),
        ({"spelled": True}, True),
        ({"lower": True, "trees": {**TREE, "x": "a1,a,ALL\na2,a,ALL\nb1,b,ALL\n"}}, False),
        ({"trees": {**TREE, "x": "a,A,ALL\nb1,B,ALL\nB1,B,ALL\n"}, "unknown": "prefix"}, False),
        ({"layout": "tables"}, False),
    ],
    ids=[
        "new person",
        "json",
        "separator",
        "dropped",
        "lacking",
        "tree",
        "suppress",
        "ids",
        "lower",
        "prefix",
        "tables",
    ],
)
@pytest.mark.long
def test_the_reading_of_a_later_release_may_differ_where_items_stay_the_same(
    place: Place, change: dict[str, object], is_accepted: bool
) -> None:
    first = JobOfPair(PERSONS, ("x", "y"), "sets", trees=TREE)
    second = JobOfPair(**{**vars(first), **change})
    error = published(place, first, second, 2, 2)
    assert (error == "") == is_accepted, error
    assert is_accepted or names(error, "--after")


@pytest.mark.parametrize("how", ["null", "suppress"])
def test_items_that_reading_removes_from_the_later_release_are_known(place: Place, how: str) -> None:
    """Someone who knows item a1 of p1 finds two earlier rows, whose records are only compatible with one later row."""
    sets = [("a1", "a2"), ("a1", "a2"), ("a2", "b1"), ("a2", "b1")]
    persons = {f"p{n}q": {"x": frozenset(items)} for n, items in enumerate(sets)}
    first = JobOfPair(persons, ("x",), "long", lacks_others=True, trees={"x": "a1,ALL\na2,p,ALL\nb1,p,ALL\n"})
    now = {name: items for name, items in persons.items() if name != "p1q"}
    more = {"null": "a1"} if how == "null" else {"unknown": "suppress", "trees": {"x": "a2,p,ALL\nb1,p,ALL\n"}}
    second = JobOfPair(**{**vars(first), "persons": now, **more})
    assert not published(place, first, second, 2, 2)
    assert fewest(place, first, second, 2) >= 2


_PAIR = "a1,ALL\na2,p,ALL\nb1,p,ALL\nB1,ALL\nz,ALL\n"


@pytest.mark.parametrize(
    ("sets", "tree", "null", "columns"),
    [
        ([{"a1", "a2"}, {"a2", "b1"}, {"a2", "b1"}], _PAIR, "a1", ("x",)),
        ([{"c1", "a2"}, {"a2", "b1"}, {"a2", "b1"}], _PAIR, "", ("x", "y")),
        ([{"a1", "B1"}, {"a2", "B1"}, {"b1", "B1"}], "a1,p,ALL\na2,p,ALL\nb1,p,ALL\nB1,ALL\nz,ALL\n", "a1", ("x",)),
    ],
    ids=["null", "dropped", "null below a published node"],
)
def test_items_that_the_earlier_release_left_out_are_not_certainly_absent(
    place: Place, sets: list[set[str]], tree: str, null: str, columns: tuple[str, ...]
) -> None:
    """The later release shows the item of two persons, of whom the earlier release contains only one.

    Of the two persons with item z, one leaves, so that rows can no longer be protected if they are linked.
    """

    def of(items: set[str]) -> dict[str, frozenset[str]]:
        return {"x": frozenset(items - {"c1"}), "y": frozenset(items & {"c1"})}

    persons = {f"p{n}q": of(items) for n, items in enumerate([*sets, {"z"}, {"z"}])}
    trees = {"x": tree, "y": "c1,ALL\n"}
    first = JobOfPair(persons, ("x",), "long", null=null, trees=trees)
    remaining = {name: items for name, items in persons.items() if name != "p4q"}
    now = {**remaining, "newq": of(sets[0]), "nextq": of({"z"})}
    later = {"persons": now, "null": "", "columns": columns, "trees": {**trees, "x": _PAIR}}
    second = JobOfPair(**{**vars(first), **later})
    assert not published(place, first, second, 2, 2)
    assert fewest(place, first, second, 2) >= 2


def test_items_are_split_at_the_same_text(place: Place) -> None:
    persons = {f"p{i}": {"x": frozenset({"a1 a2", "b1"}) if i % 2 else frozenset({"b1"})} for i in range(12)}
    tree = {"x": "a1 a2,ALL\nb1,ALL\na1,ALL\na2,ALL\n"}
    first = JobOfPair(persons, ("x",), "long", lacks_others=True, trees=tree)
    error = published(place, first, JobOfPair(**{**vars(first), "layout": "sets"}), 2, 1)
    assert names(error, "--after 'x' --separator")
