"""``anonset risk`` measures a publication with and without the original."""

import re
from functools import cached_property

import pytest
from tests.facts import names
from tests.tiny_limits import LIMIT, tiny_limits

from anonset.release.opened import OpenedPublication
from cli.place import Place


def test_risk_without_the_original_asks_for_it(place: Place) -> None:
    place.run(*place.job())
    ran = place.run("risk", str(place.out))
    assert ran.code == 0
    for text in ("attacker knows", "4 items", "more than 9 of 100 attempts", "--original FILE"):
        assert text in ran.out
    result = place.run("risk", str(place.out), "--json", "--threshold", "0.6").json
    assert [exposure["known"] for exposure in result["exposures"]] == ["1 item", "2 items", "3 items", "4 items"]
    assert [exposure["guaranteed"] for exposure in result["exposures"]] == [True, True, False, False]
    assert result["exposures"][0]["above"]["value"] == 0
    assert result["attack"] == []


@pytest.mark.usefixtures("is_published")
def test_all_shares_of_a_risk_are_percentages(place: Place) -> None:
    original = ["--original", str(place.folder / "data.dat"), "--hierarchy", f"items={place.folder / 'hierarchy.csv'}"]
    shown = place.run("risk", str(place.out), *original, "--threshold", "0.125").out
    assert names(shown, "probability at most 50.0%")
    assert names(shown, "2 items 50.0%")
    assert names(shown, "highest average unique more than 12.5 of 100 attempts")
    assert re.findall(r"(?<![=\d.])0\.\d+\b(?!%)", shown) == []


@pytest.mark.usefixtures("is_published")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "OUT", "--max-work=-0.5"], "--max-work 0 -0.5"),
        (["verify", "OUT", "--model", "km", "--k", "0", "--m", "2"], "k 1 0"),
        (["verify", "OUT", "--model", "nope"], "--model nope"),
        (["risk", "OUT", "--threshold", "2"], "--threshold 1 2.0"),
        (["risk", "OUT", "--attempts=-1"], "--attempts 0 -1"),
        (["risk", "OUT", "--m=-1"], "--m 0 -1"),
        (["risk", "OUT", "--attack", "nope"], "--attack nope"),
        (["report", "OUT", "-o", "no/report.html"], "-o no"),
        (["evaluate", "DATA", "OUT", "--top", "0"], "--top 1 0"),
        (["compare", "DATA", "--algorithms", "apriori", "--k", "0", "--m", "2"], "--k 1 0"),
        (["suggest", "DATA", "--k", "0"], "--k 1 0"),
        (["suggest", "DATA", "--model", "coherence", "--p", "0"], "--p 1 0"),
    ],
)
def test_a_wrong_option_fails_before_any_file_is_read(place: Place, arguments: list[str], message: str) -> None:
    places = {"OUT": place.out, "DATA": place.folder / "data.dat"}
    for path in (place.out / "published.dat", places["DATA"]):
        path.write_bytes(b"\xff\x00")  # reading it is an error
    ran = place.run(*(str(places.get(argument, argument)) for argument in arguments))
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert names(ran.errors[0], message)


def test_risk_of_a_data_file_points_to_inspect(place: Place) -> None:
    data = str(place.folder / "data.csv")
    ran = place.run("risk", data)
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert ran.err.endswith(f": anonset inspect {data}\n")
    assert place.run("inspect", data).code == 0


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["risk"], "600.0 300.0 MiB"),
        (["report", "--shareable"], "600.0 300.0 MiB"),
        (["report", "-o", "page.html", "--original", "{data}"], "336.0 MiB memory"),
        (["risk", "--original", "{data}"], "memory 300.0"),
    ],
)
def test_data_above_the_memory_limit_are_rejected_before_reading(
    place: Place, monkeypatch: pytest.MonkeyPatch, command: list[str], why: str
) -> None:
    place.run(*place.job())
    unread = cached_property(lambda _: pytest.fail("read"))
    unread.__set_name__(OpenedPublication, "publication")
    monkeypatch.setattr(OpenedPublication, "publication", unread)
    command = [part.format(data=place.folder / "data.dat") for part in command]
    ran = place.run(*command, str(place.out), "--memory-limit", "300M")
    assert ran.code == 2
    assert names(ran.err, why)
    assert len(ran.err.splitlines()) == 1


def test_risks_out_of_core_equal_risks_in_memory(rt: Place) -> None:
    columns = ["--items", "items", "--relational", "age,origin", "--keep", "gender", "--hierarchy", "age=range"]
    data = str(rt.folder / "rt.csv")
    made = rt.run(
        "anonymize", data, *columns, "--hierarchy", "origin=values", "--model", "kkm", "--algorithm", "rfirst",
        "--k", "2", "--m", "1", "--publish-as-is", "gender", "--unit", "row", "-o", str(rt.out),
    )  # fmt: skip
    assert made.code == 0
    in_memory = rt.run("risk", str(rt.out), "--json").json
    assert in_memory["sensitive"]
    page = rt.folder / "page.html"
    rt.run("report", str(rt.out), "--shareable", "-o", str(page))
    with tiny_limits():
        for more in (["--memory-limit", LIMIT], ["--work-dir", str(rt.folder / "work")]):
            ran = rt.run("risk", str(rt.out), "--json", *more)
            assert (ran.code, ran.json) == (0, in_memory)
        copy = rt.folder / "again.html"
        rt.run("report", str(rt.out), "--shareable", "-o", str(copy), "--memory-limit", LIMIT)
    assert copy.read_text() == page.read_text()


def test_risk_with_the_original_measures_attacks(place: Place) -> None:
    place.run(*place.job())
    tree = f"items={place.folder / 'hierarchy.csv'}"
    ran = place.run("risk", str(place.out), "--original", str(place.folder / "data.dat"), "--hierarchy", tree, "--json")
    assert (ran.code, ran.json["broken"]) == (0, 0)
    assert [outcome["promised"] for outcome in ran.json["attack"]] == [0.5, 0.5, None, None]
    by_job = place.run("risk", str(place.private / "report.json"), "--json").json
    assert by_job["attack"] == ran.json["attack"]


def test_another_original_is_refused(place: Place) -> None:
    place.run(*place.job())
    other = place.write("other.dat", "a1 b1\na2 b1\na2 b1 b2\na1 a2 b2\n")
    tree = f"items={place.folder / 'hierarchy.csv'}"
    ran = place.run("risk", str(place.out), "--original", other, "--hierarchy", tree)
    assert ran.code == 2
    assert "anonset: error" in ran.err


def test_risk_uses_a_population_file(rt: Place) -> None:
    columns = ["--items", "items", "--relational", "age,origin", "--drop", "gender"]
    columns += ["--hierarchy", "age=range", "--hierarchy", "origin=values"]
    data = str(rt.folder / "rt.csv")
    job = ["anonymize", data, *columns, "--model", "kkm", "--algorithm", "rfirst", "--k", "2", "--m", "1"]
    assert rt.run(*job, "--unit", "row", "-o", str(rt.out)).code == 0
    more = [
        "--original",
        data,
        "--drop",
        "gender",
        "--hierarchy",
        "age=range",
        "--hierarchy",
        "origin=values",
        "--population",
        data,
    ]
    result = rt.run("risk", str(rt.out), *more, "--json").json
    assert 0 < result["journalist"]["highest"] <= 0.5
    unnamed = rt.run("risk", str(rt.out), "--original", data, "--drop", "gender", "--population", data, "--json")
    assert unnamed.json["journalist"] == result["journalist"]
    ran = rt.run("risk", str(rt.out), *more[:-1], rt.write("few.csv", "age\n3\n"))
    assert (ran.code, names(ran.err, "origin missing")) == (2, True)


def test_numbers_that_no_range_coarsened_are_read_as_numbers_from_the_original(place: Place) -> None:
    rows = [f"{30 + n % 3},{'mf'[n % 2]},{['a', 'b', 'c'][n % 3]}" for n in range(90)]
    data = place.write("ages.csv", "\n".join(["age,sex,codes", *rows]) + "\n")
    roles = ["--unit", "row", "--items", "codes", "--relational", "age,sex", "--numeric", "age"]
    made = ["--separator", " ", "--hierarchy", "codes=halves:frequency", "--model", "kkm", "--k", "3", "--m", "1"]
    assert place.run("anonymize", data, *roles, *made, "-o", str(place.out)).code == 0
    assert "[" not in (place.out / "published.csv").read_text(), "no range is published"
    assert place.run("risk", str(place.out) + ".private/report.json").code == 0
    assert place.run("risk", str(place.out), "--original", data, "--numeric", "age").code == 0
    assert place.run("risk", str(place.out), "--original", data).code == 2
