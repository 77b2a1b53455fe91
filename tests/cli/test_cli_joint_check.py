"""`anonset verify --after`: the check of a joint guarantee that an attestation states."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from tests.facts import names

from anonset.release.guarantee_limits import ALONE, TOGETHER, TOGETHER_LINKED
from cli.place import Place
from cli.test_cli_after import FIRST, PEOPLE, SECOND, after, release

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def second(place: Place) -> str:
    """Directory of a second release, whose joint guarantee holds only if rows are not linked."""
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    ran = place.run(*release(place, "second", PEOPLE[24:], SECOND, *after(place)))
    assert ran.code == 0, ran.err
    return str(place.folder / "second")


def forge(place: Place, name: str, change: Change, *, private: bool = True) -> None:
    """Change an attestation, and optionally its digest in the private report."""
    path, own = place.folder / name / "attestation.json", place.folder / f"{name}.private" / "report.json"
    attested = json.loads(path.read_text())
    change(attested)
    path.write_text(json.dumps(attested))
    if private:
        report = json.loads(own.read_text())
        own.write_text(json.dumps({**report, "attestation_sha256": sha256(path.read_bytes()).hexdigest()}))


def state_linked(attested: dict[str, Any]) -> None:
    assert TOGETHER in attested["limits"]
    attested["limits"] = attested["limits"].replace(TOGETHER, TOGETHER_LINKED)
    attested["declarations"]["together_if_linked"] = True


def state_joint(attested: dict[str, Any]) -> None:
    attested["limits"] = attested["limits"].replace(ALONE, f"{ALONE} {TOGETHER_LINKED}")
    attested["declarations"] |= {"together_with": "0" * 64, "together_if_linked": True}


def test_a_joint_guarantee_is_undecided_without_the_earlier_release(place: Place, second: str) -> None:
    ran = place.run("verify", second)
    assert (ran.code, names(ran.out, "NOT CHECKED --after")) == (3, True)
    assert not ran.out.splitlines()[0].endswith("holds")
    assert place.run("verify", second, "--json").json["joint_guarantee"] is None
    ran = place.run("verify", second, *after(place))
    assert (ran.code, names(ran.out, "earlier release holds"), "NOT CHECKED" in ran.out) == (0, True, False), ran.err
    assert ran.out.splitlines()[0].endswith("holds")
    ran = place.run("verify", f"{second}.private/report.json", "--json")
    assert (ran.code, ran.json["joint_guarantee"], ran.json["few_in_both"]) == (0, True, None)
    ran = place.run("verify", second, "--model", "km", "--k", "2", "--m", "1")
    assert (ran.code, "NOT CHECKED" in ran.out) == (0, False)


def test_a_job_whose_earlier_release_is_missing_is_undecided(place: Place, second: str) -> None:
    (place.folder / "first.private").rename(place.folder / "moved")
    ran = place.run("verify", f"{second}.private/report.json")
    assert (ran.code, names(ran.out, "NOT CHECKED --after")) == (3, True), ran.err


def test_a_false_joint_guarantee_is_rejected(place: Place, second: str) -> None:
    forge(place, "second", state_linked, private=False)
    assert place.run("verify", second).code == 3
    ran = place.run("verify", second, *after(place))
    assert (ran.code, names(ran.err, "second.private")) == (2, True)
    forge(place, "second", lambda _: None)
    ran = place.run("verify", second, *after(place))
    assert (ran.code, names(ran.out, "earlier release 'not hold'")) == (1, True), ran.err
    assert place.run("verify", second, *after(place), "--json").json["joint_guarantee"] is False
    job = [*release(place, "second", PEOPLE[24:], SECOND, *after(place)), "--if-exists", "resume"]
    ran = place.run(*job)
    assert (ran.code, names(ran.out, "earlier release 'not hold'")) == (1, True), ran.err


def test_resuming_a_joint_release_checks_the_joint_guarantee(place: Place, second: str) -> None:
    ran = place.run(*release(place, "second", PEOPLE[24:], SECOND, *after(place)), "--if-exists", "resume")
    assert (ran.code, names(ran.out, "earlier release holds")) == (0, True), ran.err


def test_a_joint_guarantee_with_another_release_is_rejected(place: Place, second: str) -> None:
    assert place.run(*release(place, "other", PEOPLE[1:], FIRST)).code == 0
    ran = place.run("verify", second, "--after", str(place.folder / "other.private"))
    assert (ran.code, names(ran.err, "--after another earlier release")) == (2, True)


@pytest.mark.parametrize("changed", ["second.csv", "second.tree.csv"])
def test_a_joint_guarantee_requires_the_unchanged_input(place: Place, second: str, changed: str) -> None:
    path = place.folder / changed
    path.write_text(path.read_text().replace("p30,", "p29b,").replace("h,h,M", "h,h,L"))
    ran = place.run("verify", second, *after(place))
    assert (ran.code, names(ran.err, "second changed")) == (2, True)


def test_without_an_attested_joint_guarantee_the_option_is_rejected(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    published = place.folder / "first" / "published.csv"
    for checked, model in ((place.folder / "first", ()), (published, ("--model", "km", "--k", "9", "--m", "2"))):
        ran = place.run("verify", str(checked), *model, *after(place), *(("--items", "codes") if model else ()))
        assert (ran.code, names(ran.err, "--after guarantee")) == (2, True), ran.err


def test_a_joint_guarantee_that_was_never_made_is_not_confirmed(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    first = str(place.folder / "first")
    forge(place, "first", state_joint)
    assert place.run("verify", first).code == 3
    assert place.run("verify", first, *after(place)).code == 2


def test_only_records_with_km_can_have_a_joint_guarantee(place: Place) -> None:
    job = release(place, "first", PEOPLE, FIRST)
    job[job.index("apriori")] = "local-generalization"
    del job[job.index("--m") : job.index("--m") + 2]
    assert place.run(*job, "--accept", "worthless").code == 0
    forge(place, "first", state_joint)
    ran = place.run("verify", str(place.folder / "first"))
    assert (ran.code, names(ran.err, "declarations.together_with")) == (2, True), ran.err


def test_a_joint_guarantee_names_the_earlier_release(place: Place) -> None:
    assert place.run(*release(place, "first", PEOPLE, FIRST)).code == 0
    forge(place, "first", lambda attested: attested["declarations"].update(together_if_linked=True))
    ran = place.run("verify", str(place.folder / "first"))
    assert (ran.code, names(ran.err, "declarations.together_if_linked")) == (2, True), ran.err


def test_a_report_says_who_can_check_the_joint_guarantee(place: Place, second: str) -> None:
    for name, states in (("second", True), ("first", False)):
        path = place.folder / f"{name}.html"
        assert place.run("report", str(place.folder / name), "--shareable", "-o", str(path)).code == 0
        assert ("anonset verify --after" in path.read_text()) == states
