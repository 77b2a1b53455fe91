"""``anonset risk --attack``: attacks by name, and two releases of the same people linked by ids."""

from pathlib import Path

import pytest
from tests.facts import names

from anonset.measures.shares import percent
from cli.place import Place

PEOPLE = [(f"p{i}", "abcd"[i % 4] + " " + "efgh"[i // 4 % 4]) for i in range(32)]
TREES = {"first": "balanced:2", "second": "coarse"}


def csv(rows: list[tuple[str, str]]) -> str:
    return "who,codes\n" + "".join(f"{who},{codes}\n" for who, codes in rows)


def released(place: Place, name: str, rows: list[tuple[str, str]], tree: str, *more: str) -> str:
    data = place.write(f"{name}.csv", csv(rows))
    out = place.folder / name
    ran = place.run(
        "anonymize", data, "--items", "codes", *more, "--hierarchy", f"codes={tree}",
        "--algorithm", "apriori", "--k", "4", "--m", "1", "-o", str(out), "--quiet",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    return str(out)


def attack(place: Place, out: str, *more: str) -> object:
    return place.run("risk", f"{out}.private/report.json", *more)


def tree_of(place: Place, name: str, pairs: str) -> str:
    lines = [f"{leaf},{pair},ALL\n" for pair in pairs.split() for leaf in pair]
    return place.write(f"{name}.tree.csv", "".join(lines))


def test_ids_link_the_people_of_two_releases(place: Place) -> None:
    first = released(place, "first", PEOPLE, tree_of(place, "first", "ab cd ef gh"), "--unit", "who")
    others = [*reversed(PEOPLE[4:]), ("new", "a e"), ("other", "b f"), ("p0", "d h")]
    second = released(place, "second", others, tree_of(place, "second", "ac bd eg fh"), "--unit", "who")
    result = place.run("risk", f"{second}.private/report.json", "--attack", "composition", "--beside", first, "--json")
    assert result.code == 0, result.err
    (outcome,) = result.json["attacks"]
    assert (outcome["attack"], outcome["targets"]) == ("composition", 28)
    text = place.run("risk", f"{second}.private/report.json", "--attack", "all", "--beside", first).out
    assert names(" ".join(text.split()), "composition attacker")


@pytest.mark.long
def test_releases_of_one_file_need_no_ids(place: Place) -> None:
    first = released(place, "first", PEOPLE, "balanced:2", "--drop", "who", "--unit", "row")
    (place.folder / "first").rename(place.folder / "before")
    (place.folder / "first.private").rename(place.folder / "before.private")
    second = released(place, "first", PEOPLE, "balanced:4", "--drop", "who", "--unit", "row")
    assert first == second
    result = place.run(
        "risk", f"{second}.private/report.json", "--beside", str(place.folder / "before"), "--json",
    )  # fmt: skip
    assert (result.code, result.json["attacks"][0]["targets"]) == (0, 32)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("changed", "first.csv changed"),
        ("gone", "first.csv"),
        ("no ids", "first --unit"),
        ("no private", "first private"),
    ],
)
def test_releases_that_cannot_be_linked_are_rejected(place: Place, change: str, why: str) -> None:
    ids = ("--drop", "who", "--unit", "row") if change == "no ids" else ("--unit", "who")
    first = released(place, "first", PEOPLE, "balanced:2", *ids)
    second = released(place, "second", PEOPLE[1:], "balanced:2", "--unit", "who")
    if change == "changed":
        place.write("first.csv", csv(PEOPLE[:-1]))
    elif change == "gone":
        Path(place.folder / "first.csv").unlink()
    elif change == "no private":
        Path(f"{first}.private").rename(place.folder / "elsewhere")
    ran = place.run("risk", f"{second}.private/report.json", "--attack", "composition", "--beside", first)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert names(ran.err, why)
    assert "p1" not in ran.err


@pytest.mark.long
def test_names_are_checked(place: Place) -> None:
    place.run(*place.job())
    ran = place.run("risk", str(place.private / "report.json"), "--attack", "voodoo")
    assert (ran.code, names(ran.err, "--attack composition voodoo")) == (2, True)
    ran = place.run("risk", str(place.private / "report.json"), "--attack", "composition")
    assert (ran.code, names(ran.err, "'--attack composition' --beside")) == (2, True)
    ran = place.run("risk", str(place.private / "report.json"), "--attack", "all")
    assert (ran.code, names(ran.out, "composition --beside")) == (0, True)


@pytest.mark.long
def test_noisy_linkage_states_its_verdict(place: Place) -> None:
    people = [(f"p{i}", " ".join(f"{'abcdefgh'[j]}{i // 8**j % 8}" for j in range(3))) for i in range(64)]
    out = released(place, "first", people, "balanced:2", "--unit", "who", "--model", "km")
    job = ("risk", f"{out}.private/report.json", "--attack", "noisy-linkage", "--attempts", "40")
    (few,) = place.run(*job, "--json").json["attacks"]  # no person has six items
    assert (few["targets"], few["false_claims"]) == (40, 0.05)
    assert few["knowledge"] == "2 items of a person, 1 of them wrong, and wants to find the row"
    assert few["won"]["low"] <= few["won"]["success"] <= few["won"]["claimed"] <= 1
    assert few["tested"]["success"] <= few["tested"]["claimed"]
    assert (few["won"]["certain"], few["without"]["claimed"]) == (None, None)
    text = " ".join(place.run(*job).out.split())
    assert "attack attacker targets claims below k certain correct guesses" in text
    named = f"The attacker names rows for {percent(few['won']['claimed'])} of the targets"
    assert f"of 40 targets are found, {percent(few['control']['success'])} by chance. {named}" in text
    assert f"With at most 5% of such false claims, {percent(few['tested']['success'])} are found." in text
    ran = place.run(*job[:2], "--attack", "homogeneity", "--json")
    assert {key for key, value in ran.json["attacks"][0].items() if value is None} == {"tested", "false_claims"}
    assert "claims" not in place.run(*job[:2], "--attack", "homogeneity").out


def test_attacks_by_name_also_apply_to_values(rt: Place) -> None:
    columns = ["--relational", "age,origin", "--keep", "gender", "--drop", "items", "--unit", "row"]
    trees = ["--hierarchy", "age=range", "--hierarchy", "origin=values", "--publish-as-is", "gender"]
    data = str(rt.folder / "rt.csv")
    made = rt.run(
        "anonymize", data, *columns, *trees, "--algorithm", "mondrian", "--k", "2", "-o", str(rt.out), "--quiet"
    )
    assert made.code == 0, made.err
    result = rt.run("risk", str(rt.out), "--attack", "all", "--json").json
    assert [attack["attack"] for attack in result["attacks"]] == ["homogeneity", "skewness"]
    assert result["attacks"][1]["won"]["success"] == result["skewness"]["gender"]["guessed"]
    assert "composition" in result["not_tried"]
    page = rt.folder / "page.html"
    ran = rt.run("report", str(rt.private / "report.json"), "-o", str(page))
    assert ran.code == 0, ran.err
    assert "guesses the most frequent value of &#39;gender&#39;" in page.read_text()
    ran = rt.run("report", str(rt.out), "--shareable", "-o", str(rt.folder / "public.html"))
    assert "Attacks with further knowledge" not in (rt.folder / "public.html").read_text()


def test_buckets_are_not_attacked_by_name(long: Place) -> None:
    job = ["anonymize", str(long.folder / "long.csv"), "--id", "name", "--keep", "age", "--sensitive", "drug"]
    assert long.run(*job, "--model", "anatomy", "--l", "2", "-o", str(long.out)).code == 0
    assert long.run("risk", str(long.out), "--attack", "all").code == 0
    ran = long.run("risk", str(long.out), "--attack", "minimality")
    assert (ran.code, names(ran.err, "--attack records")) == (2, True)
    ran = long.run("risk", str(long.out), "--beside", str(long.out))
    assert (ran.code, ran.err.count("\n")) == (2, 1)
