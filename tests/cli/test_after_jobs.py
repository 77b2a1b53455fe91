"""`--after` with random pairs of jobs, whose publications are attacked by enumeration."""

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from tests.facts import names

from anonset.attacks.composition import ReleasePair, Targets
from anonset.errors import InputError
from anonset.jobs.joint_check import few_with_earlier
from anonset.release.opened import open_publication
from cli.place import Place
from effort import examples
from reference.job_pairs import JobOfPair, attacker_of, random_pair
from reference.two_releases import TwoReleases

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
    declared = json.loads((place.folder / "second" / "attestation.json").read_text())["declarations"]
    attacker = attacker_of(first, second, place.folder)
    return fewest_of(attacker, m, is_linked=bool(declared.get("together_if_linked")))


def fewest_of(attacker: TwoReleases, m: int, *, is_linked: bool) -> int:
    counts = [attacker.fewest_rows(attacker.persons, m)]
    if is_linked:
        counts += [attacker.fewest_linked(attacker.persons, m), attacker.fewest_of_changed(m)]
    return min((count for count in counts if count is not None), default=1000)


@pytest.mark.parametrize("seed", [4160, 4189, 4250, 4308, 4146, 4212, 4215, 20010, 40272, *range(examples(20))])
def test_no_attacker_singles_out_a_person_of_two_jobs(place: Place, seed: int) -> None:
    first, second, k, m = random_pair(Random(seed))
    if not published(place, first, second, k, m):
        assert fewest(place, first, second, m) >= k
        assert place.run("verify", str(place.folder / "second"), "--after", str(place.folder / "first")).code == 0


def publish_apart(place: Place, seed: int) -> tuple[JobOfPair, TwoReleases, int, int]:
    """Publish a random pair of jobs without `--after`, so that some pairs violate the joint guarantee.

    Return the later job, the attacker, k and m.
    """
    first, second, k, m = random_pair(Random(seed))
    for name, job in (("first", first), ("second", second)):
        if place.run(*job.arguments(place.folder, name, k, m)).code:
            pytest.skip("a job publishes nothing")
    return second, attacker_of(first, second, place.folder), k, m


SEEDS = [100000, 100011, 100024, *range(100100, 100100 + examples(12))]


@pytest.mark.parametrize("seed", SEEDS)
def test_verify_finds_an_attack_on_two_jobs_if_an_enumeration_does(place: Place, seed: int) -> None:
    _, attacker, k, m = publish_apart(place, seed)
    with open_publication(place.folder / "first") as first, open_publication(place.folder / "second") as second:
        for is_linked in (False, True):
            claim = {"together_with": first.sha256, "together_if_linked": is_linked}
            claims = {"declarations": second.attested.declarations.model_copy(update=claim)}
            claiming = replace(second, attested=second.attested.model_copy(update=claims))
            try:
                witness = few_with_earlier(claiming, str(first.out))
            except InputError as error:
                assert names(str(error), "after")  # noqa: PT017
            else:
                assert (witness is None) == (fewest_of(attacker, m, is_linked=is_linked) >= k)


@pytest.mark.parametrize("seed", SEEDS)
def test_risk_finds_the_remaining_rows_of_two_jobs_as_an_enumeration(
    place: Place, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    second, attacker, _, _ = publish_apart(place, seed)
    known, counts, draw, count = list[list[str]](), list[int](), Targets.draw, ReleasePair.count_candidates

    def draw_and_note(*of: Any) -> tuple[int, list[str]] | None:
        if (drawn := draw(*of)) is not None:
            known.append(drawn[1])
        return drawn

    def count_and_note(*of: Any) -> int:
        found = count(*of)
        counts.extend([found] * (len(of) == 3))  # the control has another argument
        return found

    monkeypatch.setattr(Targets, "draw", draw_and_note)
    monkeypatch.setattr(ReleasePair, "count_candidates", count_and_note)
    report, first = f"{place.folder / 'second'}.private/report.json", str(place.folder / "first")
    ran = place.run("risk", report, "--beside", first, "--attack", "composition", "--attempts", "20")
    assert ran.code == 0 or names(ran.err, "--after"), ran.err
    assert counts == [attacker.remaining_rows(map(second.texts_of, labels)) for labels in known]


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


@pytest.mark.parametrize("removing", [{"null": "a1"}, {"unknown": "suppress"}], ids=["null", "suppress"])
@pytest.mark.parametrize("is_first", [True, False])
def test_renamed_items_are_not_compared_with_items_that_one_release_removed(
    place: Place, removing: dict[str, str], *, is_first: bool
) -> None:
    """Item a stands for a1 and a2 in one release, and for a2 alone in the other."""
    trees = {"x": "a,ALL\na2,ALL\nb1,ALL\nB1,ALL\n"}
    whole = JobOfPair(PERSONS, ("x",), "long", lacks_others=True, unknown="prefix", trees=trees)
    part = JobOfPair(**{**vars(whole), **removing})
    first, second = (part, whole) if is_first else (whole, part)
    assert names(published(place, first, second, 2, 1), "--after --unknown")


@pytest.mark.parametrize("is_first", [True, False])
def test_items_that_reading_removes_below_a_published_node_are_rejected(place: Place, *, is_first: bool) -> None:
    """Who reads that p stands for a1 excludes persons with a1 and no other item below p, whose rows lack p."""
    sets = [("a1", "B1"), ("a2", "B1"), ("b1", "B1"), ("a2", "B1"), ("b1", "B1")]
    persons = {f"p{n}q": {"x": frozenset(items)} for n, items in enumerate(sets)}
    trees = {"x": "a1,p,ALL\na2,p,ALL\nb1,p,ALL\nB1,ALL\n"}
    whole = JobOfPair(persons, ("x",), "long", lacks_others=True, trees=trees)
    part = JobOfPair(**{**vars(whole), "null": "a1"})
    first, second = (part, whole) if is_first else (whole, part)
    assert names(published(place, first, second, 3, 2), "--after a1")


_PAIR = "a1,ALL\na2,p,ALL\nb1,p,ALL\nB1,ALL\nz,ALL\n"


@pytest.mark.parametrize(
    ("sets", "tree", "null", "columns"),
    [
        ([{"a1", "a2"}, {"a2", "b1"}, {"a2", "b1"}], _PAIR, "a1", ("x",)),
        ([{"c1", "a2"}, {"a2", "b1"}, {"a2", "b1"}], _PAIR, "", ("x", "y")),
    ],
    ids=["null", "dropped"],
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
