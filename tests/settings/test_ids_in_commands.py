"""No proposed role and no printed option publishes a column that may identify the persons, or the names of staff."""

import random

import pytest

import anonset
from anonset.jobs.findings import further_roles

PERSONS, ROWS = 150, 1_200
SETS = ("items", "one_hot", "one_code")
PUBLISHED = (*SETS, "relational", "sensitive", "keep")


def published(found, unit=None):
    """Return the columns that the findings publish or offer to publish, in all answers or if `unit` is the person."""
    answers = [] if found.question is None else [a for a in found.question.answers if unit in (None, str(a.unit))]
    fixes = [fix.settings for answer in answers for fix in answer.item_answers]
    fixes += [fix.settings for column in found.columns for fix in column.proposed.fixes]
    fixes += [fix.settings for check in found.checks for fix in check.fixes]
    fixes += [answer.settings for answer in answers]
    fixes += further_roles(found.possible_items, found.possible_roles)[0]
    values = [fix[role] for fix in fixes for role in PUBLISHED if fix.get(role)]
    return {name for value in values for name in ([value] if isinstance(value, str) else value)}


def answers(found):
    return [str(answer.unit) for answer in found.question.answers]


def listening(draw):
    """Users, artists with few unequal counts, and songs, without a header."""
    artists, songs = [f"{n:08x}-1111-4222-8333-{n:012x}" for n in range(18)], ["Alpha", "Beta", "Gamma", "Delta", "Eps"]
    for _ in range(ROWS):
        artist = min(int(draw.expovariate(0.2)), 17)
        yield (
            f"user_{draw.randrange(PERSONS):06d}",
            artists[artist],
            f"Band {'abcdefghijklmnopqr'[artist]}",
            draw.choice(songs),
        )


def test_users_precede_artists_and_are_not_offered_as_items(tmp_path):
    path = tmp_path / "listening.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in listening(random.Random(1))))
    found = anonset.inspect(str(path), no_header=True)
    assert answers(found)[0] == "1"
    assert "1" not in published(found)


@pytest.mark.parametrize("header", [False, True])
def test_short_numbers_that_recur_evenly_are_persons_and_are_not_offered_as_attributes(tmp_path, header):
    draw = random.Random(2)
    rows = [
        (draw.randrange(1, PERSONS), min(int(draw.expovariate(0.3)), 11), draw.randrange(1, 6)) for _ in range(ROWS)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("".join(f"{','.join(map(str, row))}\n" for row in [("u", "f", "r")] * header + rows))
    found = anonset.inspect(str(path), no_header=not header)
    assert answers(found)[0] == ("u" if header else "1")
    assert not {"u", "1"} & published(found)
    assert header or "2" in published(found, "1")


def test_a_case_of_one_person_is_not_offered_as_an_item():
    draw = random.Random(3)
    goods = ["tea", "milk", "rice", "corn", "salt", "soap"]
    buyers = [f"C{draw.randrange(PERSONS):05d}" for _ in range(ROWS // 4)]
    table = {
        "customer_id": [buyer for buyer in buyers for _ in range(4)],
        "voucher": [f"V{n:05d}" for n in range(ROWS // 4) for _ in range(4)],
        "article": [draw.choice(goods) for _ in range(ROWS)],
    }
    found = anonset.inspect(table)
    assert answers(found)[0] == "customer_id"
    assert "voucher" not in published(found, "customer_id")
    assert "article" in published(found, "customer_id")


def test_a_column_that_corresponds_to_an_id_is_offered_as_an_attribute_for_no_unit():
    draw = random.Random(5)
    logins = [f"{draw.choice('abcdefgh')}{n}" for n in range(PERSONS)]
    actors = [draw.randrange(PERSONS) for _ in range(ROWS)]
    table = {
        "actor.id": [str(10_000 + 77 * one) for one in actors],
        "actor.link": [f"https://site.example/of/{logins[one]}" for one in actors],
        "kind": [draw.choice(["push", "fork", "star"]) for _ in actors],
    }
    for unit in (None, "row", "actor.id"):
        assert "actor.link" not in published(anonset.inspect(table, unit=unit)), unit


def test_two_names_of_staff_are_not_offered_as_an_attribute():
    draw = random.Random(4)
    table = {
        "ticket": [str(1000 + n) for n in range(200)],
        "assignee": [draw.choice(["Kim Agent", "Lou Agent"]) for _ in range(200)],
        "plan": [draw.choice(["basic", "plus"]) for _ in range(200)],
    }
    found = anonset.inspect(table, unit="row")
    assert "assignee" not in published(found)
    assert "plan" in published(found)
