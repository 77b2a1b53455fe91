"""A run stops until the owner declares who is a person, and prints a complete command for each answer."""

import json
import random
import re
import shlex
import tomllib

import pytest
from tests.facts import names

import anonset
from cli.place import Place, Ran
from cli.printed import complete, published_by, units_of, value_of
from cli.published import rows_of

K = ["--model", "k", "--k", "5"]


def rows(n: int, source: random.Random) -> list[str]:
    return [f"{source.randrange(20, 60)},{source.choice('fm')},{source.choice('ABC')}" for _ in range(n)]


def run(place: Place, head: str, lines: list[str], *more: str, out: str = "out") -> Ran:
    data = place.write("data.csv", "\n".join([head, *lines, ""]))
    return place.run("anonymize", data, "-o", str(place.folder / out), *K, *more)


@pytest.mark.parametrize("n", [40, 1500])
def test_a_run_without_an_answer_stops(place: Place, n: int) -> None:
    lines = rows(n, random.Random(3))
    roles = ["--relational", "age,sex,ward", "--numeric", "age"]
    ran = run(place, "age,sex,ward", lines, *roles)
    assert (ran.code, names(ran.errors[0], f"'--unit row' '--unit unknown' {n:,} rows")) == (2, True), ran.err
    assert units_of(ran) == ["row", "unknown"]
    assert published_by(place, ran) == [["age", "sex", "ward"]] * 2
    for number, unit in enumerate(["row, declared a person", "row, person unknown"]):
        attested = json.loads((place.folder / f"printed{number}" / "attestation.json").read_text())
        assert attested["declarations"] == {"unit": unit}


def test_items_alone_need_no_answer(place: Place) -> None:
    data = place.write("baskets.csv", "codes\n" + "a b\nb c\n" * 600)
    model = ["--model", "km", "--k", "5", "--m", "2", "--hierarchy", "codes=balanced:2"]
    ran = place.run("anonymize", data, "-o", str(place.out), "--items", "codes", *model)
    assert ran.code == 0, ran.err


@pytest.mark.long
@pytest.mark.parametrize("role", [["--drop", "ward"], ["--keep", "ward", "--publish-as-is", "ward"]])
def test_items_with_another_column_need_an_answer_and_commands_keep_the_roles(place: Place, role: list[str]) -> None:
    lines = [f"{'ABC'[n % 3]},{['ab', 'bc', 'ca'][n % 3]} {'de'[n % 2]}" for n in range(60)]
    data = place.write("data.csv", "\n".join(["ward,codes", *lines, ""]))
    model = ["--model", "km", "--k", "2", "--m", "2", "--hierarchy", "codes=balanced:2"]
    ran = place.run("anonymize", data, "-o", str(place.out), "--items", "codes", *role, *model)
    assert units_of(ran) == ["row", "unknown"], ran.err
    assert all(value_of(command, role[0]) == "ward" for command in complete(ran).values()), ran.err
    assert published_by(place, ran) == [["codes"] if "--drop" in role else ["ward", "codes"]] * 2


@pytest.fixture
def cards(place: Place) -> Place:
    """Visits by cards whose header resembles no id of a person. Two cards have a wrong value."""
    source = random.Random(5)
    persons = rows(150, source)
    lines = [f"w{number % 7}{'xyz'[number % 3]}{number},{line}" for number, line in enumerate(persons)] * 3
    for at in (10, 170, 320):
        lines[at] = re.sub(",[fm],", ",d,", lines[at])
    place.write("cards.csv", "\n".join(["zz,age,sex,ward", *lines, ""]))
    return place


@pytest.mark.long
def test_each_offered_answer_has_a_command_with_its_number_of_persons(cards: Place) -> None:
    roles = ["--relational", "age,sex,ward", "--numeric", "age", "--drop", "zz"]
    ran = cards.run("anonymize", str(cards.folder / "cards.csv"), "-o", str(cards.out), *K, *roles)
    assert (ran.code, names(ran.errors[0], "'--unit zz' '--unit row' '--unit unknown'")) == (2, True), ran.err
    assert units_of(ran) == ["zz", "row", "unknown"], ran.err
    assert [names(who, facts) for who, facts in zip(complete(ran), ("'zz' 150", "450 rows", "data"), strict=True)] == [
        True
    ] * 3
    assert all("age" in columns for columns in published_by(cards, ran))
    counts = [len(rows_of(cards.folder / f"printed{number}" / "published.csv")) for number in range(3)]
    assert counts == [150, 450, 450]


@pytest.mark.long
def test_the_first_row_counts_if_few_persons_differ(cards: Place) -> None:
    by_card = ["--unit", "zz", "--relational", "sex,ward", "--drop", "age", *K]
    place = ["anonymize", str(cards.folder / "cards.csv"), "-o", str(cards.out)]
    refused = cards.run(*place, *by_card)
    assert (refused.code, names(refused.err, "sex 2 persons '--differing first'")) == (2, True), refused.err
    ran = cards.run(*place, *by_card, "--differing", "first")
    assert ran.code == 0, ran.err
    assert '"first of several values"' in (cards.private / "report.json").read_text()
    checked = cards.run("verify", str(cards.private / "report.json"), "--original", str(cards.folder / "cards.csv"))
    assert (checked.code, "matches the original" in checked.out) == (0, True), checked.err


@pytest.mark.parametrize(
    ("head", "values"),
    [
        ("pcd", ["LS14 5BG", "BD1 1AA", "LS2 4AB"]),
        ("pc", ["3549 GF", "1011 AB", "3549 KL"]),
        ("sum", ["1 453 kr", "90 kr", "1 090 kr"]),
        ("Houder", ['"Jansen, P.A."', '"de Vries, K."', '"Smit, P.A."']),
        ("Mrk", ["neg", "HIV+", "HCV+"]),
        ("w", ["a|b", "b|c", "c"]),
    ],
)
def test_single_values_and_unknown_sets_are_not_proposed_as_items(place: Place, head: str, values: list[str]) -> None:
    lines = [f"{number // 2},{'fm'[number // 2 % 2]},{values[number * 7 % 3]}" for number in range(240)]
    data = place.write("data.csv", "\n".join([f"customer_id,sex,{head}", *lines, ""]))
    inspection = anonset.inspect(data)
    assert "items" not in inspection.settings
    assert inspection.possible_items == {}


def test_an_account_precedes_an_address_of_the_network_and_the_rows(place: Place) -> None:
    lines = [f"u{n % 80}ab,83.1.{n % 80}.{n % 3},{'fm'[n % 80 % 2]},{30 + n % 80 % 40}" for n in range(400)]
    data = place.write("log.csv", "\n".join(["usr,ip,sex,age", *lines, ""]))
    question = anonset.inspect(data).question
    assert question is not None
    units = [one.unit for one in question.answers]
    assert units[:2] == [("usr",), ("ip",)]
    assert units[-2:] == [("row",), ("unknown",)]


@pytest.fixture
def mute(place: Place) -> str:
    """Return visits by cards, with headers and values of no known language, and a number of each receipt."""
    source = random.Random(6)
    persons = [[source.choice("αβ"), f"Σ{source.randrange(12)}", str(source.randrange(100, 130))] for _ in range(400)]
    lines = []
    for visit in range(1600):
        card = source.randrange(400)
        for _ in range(2):
            lines.append(",".join([f"{20_000 + visit}", f"{40_000 + card}", *persons[card], source.choice("ABCDEF")]))
    return place.write("mute.csv", "\n".join(["ჩეკი,ბარათი,სქესი,ჯგუფი,კოდი,სახე", *lines, ""]))


def test_numbers_that_repeat_are_offered_before_the_rows_under_any_header(mute: str) -> None:
    question = anonset.inspect(mute, relational="სქესი").question
    assert question is not None
    units = [one.unit for one in question.answers]
    assert {("ბარათი",), ("ჩეკი",)} <= {*units[: units.index(("row",))]}
    assert anonset.inspect(mute, unit="ბარათი").columns[1].role == "unit"


@pytest.mark.long
def test_a_declared_id_is_not_replaced_and_a_contradiction_is_a_warning(place: Place) -> None:
    lines = [f"C{n},P{n % 120},{'fm'[n % 120 % 2]},{n % 120 % 4}" for n in range(360)]
    data = place.write("claims.csv", "\n".join(["claim_id,patient_id,sex,ward", *lines, ""]))
    job = ["anonymize", data, "-o", str(place.out), *K, "--relational", "sex", "--unit", "claim_id"]
    assert units_of(place.run(*job)) == ["claim_id"]
    ran = place.run(*job, "--drop", "patient_id,ward")
    assert ran.code == 0, ran.err
    assert names(ran.err, "warning 360 120 'patient_id' '--unit patient_id'")


@pytest.mark.long
def test_the_items_are_asked_if_no_column_is_recognized(mute: str, place: Place) -> None:
    job = place.folder / "job.toml"
    ran = place.run("inspect", mute, "-o", str(job))
    assert (ran.code, 'unit = "?"' in job.read_text("utf-8")) == (0, True), ran.err
    ran = place.run("anonymize", str(job), "--unit", "ბარათი")
    assert ran.code == 2
    items = shlex.split(ran.errors[0][ran.errors[0].index("--items ") :])[1].rstrip(",")
    ran = place.run("anonymize", str(job), "--unit", "ბარათი", "--items", items, "-o", str(place.out), "--quiet")
    assert ran.code == 0, ran.err
    ran = place.run("anonymize", str(job), "--unit", "row")
    assert (ran.code, names(ran.errors[0], "'propose these roles' '--unit row'")) == (2, True)


def test_another_person_keeps_the_options_of_the_owner(place: Place) -> None:
    source, lines = random.Random(4), list[str]()
    people = [(source.choice("NSW"), n, source.choice("fm"), source.choice("xy")) for n in range(60) for _ in "ab"]
    for clinic, number, sex, town in people * 4:
        codes = "|".join(source.sample(["I10", "E11", "J45", "M54", "-9"], 2))
        lines.append(f"{clinic},{number},{sex},{town},{codes}")
    data = place.write("data.csv", "\n".join(["clinic,nr,sex,town,codes", *lines, "Total,,,,", ""]))
    job, other = place.folder / "job.toml", str(place.folder / "other.toml")
    options = ["--items", "codes", "--separator", "|", "--null=-9", "--skip-rows", "footer", "--drop", "town,sex"]
    assert place.run("inspect", data, *options, "-o", str(job)).code == 0
    assert place.run("anonymize", str(job), "--unit", "row", "-o", str(place.out)).code == 0
    ran = place.run("anonymize", str(job), "--unit", "clinic,nr")
    printed = shlex.split(ran.errors[0].rpartition("to propose these roles: anonset ")[2])
    assert place.run(*printed[:-1], other).code == 0
    kept = tomllib.loads((place.folder / "other.toml").read_text())
    assert {name: kept[name] for name in ("items", "separator", "null", "skip_rows", "unit")} == {
        "items": ["codes"],
        "separator": "|",
        "null": ["-9"],
        "skip_rows": ["footer"],
        "unit": ["clinic", "nr"],
    }
    assert {*kept["drop"]} == {"town", "sex"}


def test_a_subscriber_precedes_numbers_devices_and_radio_cells() -> None:
    source = random.Random(5)
    people = [
        (
            f"49171{source.randrange(10**6, 10**7)}",
            f"26201{source.randrange(10**9, 10**10)}",
            f"3{source.randrange(10**14):014}",
        )
        for _ in range(60)
    ]
    calls = [(*source.choice(people), source.choice(people)[0], f"CELL{source.randrange(30):04}") for _ in range(600)]
    heads = ("calling_number", "imsi", "imei", "called_number", "cell_id")
    found = anonset.inspect(dict(zip(heads, map(list, zip(*calls, strict=True)), strict=True)))
    assert found.question is not None
    units = [str(answer.unit) for answer in found.question.answers]
    assert units[0] == "imsi"
    assert units.index("row") < units.index("cell_id")
