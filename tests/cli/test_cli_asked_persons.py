"""A run asks who is a person if no column shows it, and offers a complete command for each answer."""

import random
import re
import shlex

import pytest
from tests.facts import names

import anonset
from cli.place import Place, Ran
from cli.published import rows_of

K = ["--model", "k", "--k", "5"]


def rows(n: int, source: random.Random) -> list[str]:
    return [f"{source.randrange(20, 60)},{source.choice('fm')},{source.choice('ABC')}" for _ in range(n)]


def run(place: Place, head: str, lines: list[str], *more: str, out: str = "out") -> Ran:
    data = place.write("data.csv", "\n".join([head, *lines, ""]))
    return place.run("anonymize", data, "-o", str(place.folder / out), *K, *more)


@pytest.mark.parametrize(("n", "code"), [(999, 0), (1000, 2)])
def test_a_run_without_an_answer_stops_from_1000_rows_on(place: Place, n: int, code: int) -> None:
    lines = rows(n, random.Random(3))
    roles = ["--relational", "age,sex,ward", "--numeric", "age"]
    ran = run(place, "age,sex,ward", lines, *roles)
    assert (ran.code, names(ran.err, "--unit row --unit unit")) == (code, code == 2), ran.err
    assert run(place, "age,sex,ward", lines, *roles, "--unit", "row", out="stated").code == 0


def test_a_recognized_id_that_is_different_in_every_row_is_an_answer(place: Place) -> None:
    lines = [f"P{number},{line}" for number, line in enumerate(rows(1200, random.Random(4)))]
    roles = ["--relational", "age,sex,ward", "--numeric", "age", "--drop", "patient_id"]
    assert run(place, "patient_id,age,sex,ward", lines, *roles).code == 0


def test_items_alone_need_no_answer(place: Place) -> None:
    data = place.write("baskets.csv", "codes\n" + "a b\nb c\n" * 600)
    model = ["--model", "km", "--k", "5", "--m", "2", "--hierarchy", "codes=balanced:2"]
    ran = place.run("anonymize", data, "-o", str(place.out), "--items", "codes", *model)
    assert ran.code == 0, ran.err


@pytest.fixture
def cards(place: Place) -> Place:
    """Visits by cards whose header and values resemble no id of a person. Two cards have a wrong value."""
    source = random.Random(5)
    persons = rows(150, source)
    lines = [f"w{number % 7}{'xyz'[number % 3]}{number},{line}" for number, line in enumerate(persons)] * 3
    for at in (10, 170, 320):
        lines[at] = re.sub(",[fm],", ",d,", lines[at])
    place.write("cards.csv", "\n".join(["zz,age,sex,ward", *lines, ""]))
    return place


def test_a_column_within_which_declared_attributes_agree_is_asked_for(cards: Place) -> None:
    roles = ["--relational", "age,sex,ward", "--numeric", "age", "--drop", "zz"]
    ran = cards.run("anonymize", str(cards.folder / "cards.csv"), "-o", str(cards.out), *K, *roles)
    assert (ran.code, names(ran.err, "zz --unit --unit row")) == (2, True), ran.err
    commands = [line for line in ran.err.splitlines() if "complete command" in line]
    assert [names(line, persons) for line, persons in zip(commands, ("'zz' 150", "row 450"), strict=True)] == [True] * 2
    again = cards.run(*shlex.split(commands[0][commands[0].index("anonset anonymize") :])[1:])
    assert again.code == 0, again.err
    assert len(rows_of(cards.out / "published.csv")) == 150


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


def test_an_account_precedes_an_address_of_the_network(place: Place) -> None:
    lines = [f"u{n % 80}ab,83.1.{n % 80}.{n % 3},{'fm'[n % 80 % 2]},{30 + n % 80 % 40}" for n in range(400)]
    data = place.write("log.csv", "\n".join(["usr,ip,sex,age", *lines, ""]))
    question = anonset.inspect(data).question
    assert question is not None
    assert [one.unit for one in question.answers] == [("usr",), ("ip",), ()]


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


def test_columns_that_agree_show_the_person_under_any_header(mute: str) -> None:
    question = anonset.inspect(mute, relational="სქესი").question
    assert question is not None
    assert [one.unit for one in question.answers][:2] == [("ბარათი",), ("ჩეკი",)]  # a card has several receipts
    assert anonset.inspect(mute).columns[1].role == "id"


def commands_of(ran: Ran) -> list[list[str]]:
    lines = [line for line in ran.err.splitlines() if "complete command" in line]
    return [shlex.split(line[line.index("anonset anonymize") :])[1:] for line in lines]


def test_the_first_row_of_a_person_is_offered_if_all_declared_columns_differ(place: Place) -> None:
    source = random.Random(8)
    homes = [(source.choice("fm"), source.choice("ABCD")) for _ in range(300)]
    lines = [f"{(n % 300) * 7919 + 0xA00000:06X},{n % 11},{n % 13},{','.join(homes[n % 300])}" for n in range(1500)]
    data = place.write("trips.csv", "\n".join(["card_hash,x,y,s,t", *lines, ""]))
    ran = place.run("anonymize", data, "-o", str(place.out), *K, "--relational", "x,y")
    commands = commands_of(ran)
    assert ["--unit row" in one for one in commands] == [False, True], ran.err
    assert names(" ".join(commands[0]), "--unit card_hash --differing first")
    again = place.run(*commands[0])
    assert again.code == 0, again.err
    assert 290 <= len(rows_of(place.out / "published.csv")) <= 300  # a few may be suppressed


def test_persons_are_offered_if_they_have_several_of_the_stated_ids(place: Place) -> None:
    lines = [f"C{n},P{n % 120},{'fm'[n % 120 % 2]},{n % 120 % 4}" for n in range(360)]
    data = place.write("claims.csv", "\n".join(["claim_id,patient_id,sex,ward", *lines, ""]))
    ran = place.run("anonymize", data, "-o", str(place.out), *K, "--relational", "sex", "--unit", "claim_id")
    commands = commands_of(ran)
    assert [one[one.index("--unit") + 1] for one in commands] == ["patient_id", "claim_id"], ran.err
    assert "--unit", "row" in commands[1]
    again = place.run(*commands[0])
    assert again.code == 0, again.err


def test_a_command_is_printed_if_no_column_is_recognized(mute: str, place: Place) -> None:
    ran = place.run("inspect", mute, "-o", str(place.folder / "job.toml"))
    assert (ran.code, ran.err.count("--relational"), "(see Check)" in ran.err) == (2, 1, True), ran.err
    command = ran.err[ran.err.index("anonset inspect") :].splitlines()[0]
    assert names(command, "--relational სქესი,ჯგუფი,კოდი --items სახე")
    again = place.run(*shlex.split(command)[1:])
    assert (again.code, 'unit = "ბარათი"' in (place.folder / "job.toml").read_text("utf-8")) == (0, True), again.err
