"""The answers to the question who is a person: the true one precedes those that merge or repeat persons."""

import random

import anonset

FIRST, LAST = (
    ("Anna", "Maria", "Peter", "Thomas", "Laura", "Susan"),
    ("Smith", "Jones", "Brown", "Clark", "Lewis", "Young"),
)


def answers(found):
    return [str(answer.unit) for answer in found.question.answers]


def visits(draw, persons, *, homes=60):
    """Rows of persons: names that a few share, a date of birth, a postcode, and numbered cases of up to three rows."""
    for n in range(persons):
        name = f"{FIRST[n % 6]} {LAST[n // 6 % 6]} {'abcdefgh'[n % 110 // 14]}".title()
        born, home = f"{1940 + n % 60}-0{1 + n % 9}-1{n % 10}", str(10_000 + 37 * (n % homes))
        for case in range(draw.randrange(1, 3)):
            for _ in range(draw.randrange(1, 4)):
                yield name, born, home, f"A{n:04d}{case}", draw.choice(["theft", "fraud", "arson", "assault"])


def table(columns, rows):
    return {name: [row[at] for row in rows] for at, name in columns.items()}


def test_names_with_a_date_of_birth_precede_names_and_the_cases_of_a_person():
    rows = list(visits(random.Random(1), 130))
    found = anonset.inspect(table({0: "defendant", 1: "date of birth", 3: "case number", 4: "charge"}, rows))
    assert answers(found)[:2] == ["defendant,date of birth", "case number"]


def test_names_with_a_postcode_precede_names_that_several_persons_share():
    rows = list(visits(random.Random(2), 130))
    found = anonset.inspect(table({0: "name", 2: "zip", 4: "charge"}, rows))
    assert answers(found)[0] == "name,zip"


def test_names_of_one_postcode_each_are_offered_alone():
    rows = list(visits(random.Random(2), 100))
    assert answers(anonset.inspect(table({0: "name", 2: "zip", 4: "charge"}, rows)))[0] == "name"


def test_two_equal_ids_beside_an_id_of_each_row_do_not_precede_the_rows():
    draw = random.Random(3)
    ids = [f"{100_000 + 13 * n}" for n in range(298)]
    columns = {
        "ssn": [*ids, ids[7], ids[90]],
        "passport no": [f"X{n:05d}" for n in range(300)],
        "sex": [draw.choice("fm") for _ in range(300)],
    }
    assert answers(anonset.inspect(columns))[:2] == ["row", "unknown"]


def test_a_column_with_one_value_is_no_answer():
    draw = random.Random(4)
    columns = {
        "member_id": [f"m{draw.randrange(90):03d}" for _ in range(400)],
        "other_id": [draw.choice(["C0012", ""]) for _ in range(400)],
        "plan": [draw.choice(["basic", "plus"]) for _ in range(400)],
    }
    assert "other_id" not in answers(anonset.inspect(columns))


def test_attributes_that_differ_for_most_persons_with_several_rows_are_of_visits():
    draw = random.Random(5)
    persons = [n for n in range(200) for _ in range(1 + n % 3)]
    towns = [f"Town {n % 7}" for n in range(200)]
    columns = {
        "patient_id": [f"p{n:04d}" for n in persons],
        "residence": [towns[n] for n in persons],
        "marital status": [draw.choice(["single", "married", "widowed", "divorced"]) for _ in persons],
        "drug": [draw.choice(["aspirin", "insulin", "heparin", "codeine", "warfarin"]) for _ in persons],
    }
    found = anonset.inspect(columns, unit="patient_id")
    assert found.settings["relational"] == ["residence"]


def test_further_columns_are_of_the_first_answer():
    draw = random.Random(6)
    stops = ["Bank", "Angel", "Euston", "Temple", "Monument", "Barbican"]
    columns = {
        "card": [str(20_000 + 91 * draw.randrange(300)) for _ in range(1_500)],
        "system": [draw.choice(["rail", "bus", "tram"]) for _ in range(1_500)],
        "entry": [draw.choice(stops) for _ in range(1_500)],
    }
    found = anonset.inspect(columns)
    assert answers(found)[:2] == ["card", "row"]
    assert [fix.settings for fix in found.question.answers[0].item_answers][:2] == [
        {"items": ["system"]},
        {"items": ["entry"]},
    ]
    assert not found.possible_roles


def test_columns_that_a_possible_person_publishes_are_not_offered_again():
    draw = random.Random(7)
    columns = {
        "who": [f"Person {n // 2}" for n in range(120)],
        "code": [draw.choice(["E10", "I10", "J45"]) for _ in range(120)],
    }
    found = anonset.inspect(columns)
    assert found.settings["items"] == ["code"]
    assert not found.possible_roles
