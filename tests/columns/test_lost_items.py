"""Layouts whose items are in several columns: all of these columns are proposed as items."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.columns.errors import SETS
from tests.columns.layouts import CORPUS, read_file
from tests.columns.tables import write

import anonset

LAYOUTS = read_file(CORPUS / "rules" / "lost_items.toml")[0]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_no_column_of_items_is_lost(layout, tmp_path):
    found = anonset.inspect(str(write(layout, tmp_path, 400, 1)), unit=layout.unit)
    roles = {column.profile.name: column.role for column in found.columns}
    assert {one.header: roles[one.header] in SETS for one in layout.columns} == {
        one.header: one.role == "items" for one in layout.columns
    }


OPTIONS = ("Website", "Email newsletter", "Telephone", "Name of a shop", "Search engine", "A friend", "Flyer", "Radio")


def _survey(path: Path, columns: dict[str, list[str]], rows: int) -> str:
    people = {"respondent_id": [f"R{100 + row}" for row in range(rows)], "sex": ["F", "M"] * (rows // 2)}
    table = [[*people, *columns], *zip(*people.values(), *columns.values(), strict=True)]
    path.write_text("\n".join(map(",".join, table)) + "\n", "utf-8")
    return str(path)


@given(st.permutations(OPTIONS), st.integers(4, len(OPTIONS)), st.sampled_from([40, 300]), st.randoms())
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_options_of_a_question_are_items(tmp_path, options, count, rows, random):
    chosen = {option: [*random.choices([option, ""], k=rows - 2), option, ""] for option in options[:count]}
    found = anonset.inspect(_survey(tmp_path / "survey.csv", chosen, rows), unit="row")
    assert {column.profile.name for column in found.columns if column.role == "one_hot"} == {*chosen}


@pytest.mark.parametrize("marked", [3, 6, 9])
def test_columns_of_several_marks_next_to_columns_of_one_are_asked_for(tmp_path, marked):
    names = [f"{kind}_{year}" for year in range(2012, 2025, 4) for kind in ("GEN", "PRI", "MUN")]
    draw = random.Random(marked)
    marks = [["X", ""] if place < marked else ["A", "E", "P", "", ""] for place in range(len(names))]
    columns = {name: draw.choices(own, k=400) for name, own in zip(names, marks, strict=True)}
    path = _survey(tmp_path / "votes.csv", columns, 400)
    found = anonset.inspect(path, unit="row")
    assert {column.profile.name for column in found.columns if column.role == "one_hot"} in ({*names[:marked]}, set())
    (all_of_them,) = [fix for fix in found.item_answers if fix.settings.get("present") == "filled"]
    assert all_of_them.settings["one_hot"] == names
    assert f"{len(names) - marked} further column" in all_of_them.effect
    filled = sum(cell != "" for column in columns.values() for cell in column)
    assert (
        anonset.read(
            path, unit="row", drop=["respondent_id", "sex"], **all_of_them.settings
        ).transactions.occurrences.sum()
        == filled
    )


GOODS = ("Milk fresh", "Bread", "Butter", "Cheese hard", "Tea", "Coffee", "Sugar", "Rice")
FORMS = {
    "|": lambda n: f"sku:{100 + n}|name:{GOODS[n]}|quantity:{n % 3}",
    "^": lambda n: f"E{10 + n}.9^{GOODS[n]}^I10",
    ":": lambda n: f"{GOODS[n]}:{n % 3}",
}


@given(st.sampled_from("|^:"), st.integers(2, 6), st.sampled_from([40, 300]), st.integers(0, 99))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cells_of_fields_are_not_proposed_as_items(tmp_path, mark, width, rows, seed):
    draw = random.Random(seed)
    drawn = [draw.sample(range(len(GOODS)), draw.randint(1, width)) for _ in range(rows)]
    cells = [[*map(FORMS[mark], numbers), *[""] * (8 - len(numbers))] for numbers in drawn]
    columns = {f"item_{place}": [*column] for place, column in enumerate(zip(*cells, strict=True), 1)}
    found = anonset.inspect(_survey(tmp_path / "orders.csv", columns, rows), unit="row")
    reasons = {one.profile.name: one.reason for one in found.columns if one.profile.name in columns}
    assert not any(one.role in SETS for one in found.columns)
    said = f"cells contain fields joined by {mark!r}; extract the one that is the item"
    assert {reason.partition("; if all")[0] for reason in reasons.values()} == {said}
    (whole,) = {str(fix.settings) for one in found.columns for fix in one.proposed.fixes if one.profile.name in columns}
    assert whole == str({"one_code": [*columns]})


def test_columns_of_a_series_of_lists_are_all_items(tmp_path):
    draw = random.Random(4)
    lists = [";".join(draw.sample(GOODS, draw.randint(1, 3))) for _ in range(200)]
    columns = {"goods1": lists, "goods2": [*lists[1:], ""], "goods3": ["Tea", *[""] * 199], "goods4": [""] * 200}
    found = anonset.inspect(_survey(tmp_path / "orders.csv", columns, 200), unit="row")
    assert {one.profile.name for one in found.columns if one.role == "items"} == {*columns}


@pytest.mark.parametrize("word", ["none", "Ninguna", "keine", "-1", "n/a", "s/d"])
@pytest.mark.parametrize("mark", ["/", ";"])
@pytest.mark.parametrize("several", [True, False], ids=["rows", "cells"])
def test_words_for_no_item_are_asked_for(tmp_path, word, mark, several):
    draw = random.Random(word)
    items = ["E11.9", "I10.0", "J45.9", "F32.1", "M54.5"]
    if several:
        pairs = [(f"R{row // 3}", draw.choice([*items, word])) for row in range(300)]
        columns = {"patient_id": [person for person, _ in pairs], "diagnoses": [code for _, code in pairs]}
        path = tmp_path / "rows.csv"
        path.write_text("\n".join(map(",".join, [[*columns], *pairs])) + "\n", "utf-8")
        found = anonset.inspect(str(path), unit="patient_id")
    else:
        cells = [word if draw.random() < 0.2 else mark.join(draw.sample(items, draw.randint(1, 3))) for _ in range(300)]
        found = anonset.inspect(_survey(tmp_path / "cells.csv", {"diagnoses": cells}, 300), unit="row")
    (column,) = [one for one in found.columns if one.profile.name == "diagnoses"]
    assert column.role == "items"
    fixes = [fix.settings for problem in found.checks for fix in problem.fixes if "null" in fix.settings]
    assert fixes in ([{"null": [word]}], [{"null": [f"diagnoses={word}"]}])
    assert column.profile.distinct <= len(items) + 1  # no word is split


def test_flags_are_kept_with_lists_by_the_settings_that_the_refusal_names(tmp_path):
    draw = random.Random(8)
    columns = {"copd": draw.choices("01", k=40), "goods": [";".join(draw.sample(GOODS, 2)) for _ in range(40)]}
    path, others = _survey(tmp_path / "both.csv", columns, 40), {"unit": "row", "drop": ["respondent_id", "sex"]}
    with pytest.raises(
        anonset.InputError,
        match=r"to keep both, if 0 means no item: items=\['goods', 'copd'\], null='copd=0', missing='empty'",
    ):
        anonset.read(path, items="goods", one_hot="copd", **others)
    both = anonset.read(path, items="goods,copd", null="copd=0", separator=";", missing="empty,value", **others)
    assert both.transactions.occurrences.sum() == columns["copd"].count("1") + 2 * 40


def test_numbers_with_a_decimal_comma_are_called_numbers(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("sex;age\n" + "".join(f"{'FM'[row % 2]};{20 + row % 50},5\n" for row in range(90)) + "F;\n" * 5)
    (age,) = [one for one in anonset.inspect(str(path), unit="row").columns if one.profile.name == "age"]
    assert age.reason.startswith("numbers with a decimal comma, but 5 values without a number")


def test_a_pattern_of_columns_that_another_role_names_selects_the_others(tmp_path):
    columns = {"goods": ["tea;milk", "rice"] * 20, "is_a": [*"0110"] * 10, "is_b": [*"0011"] * 10}
    path, others = _survey(tmp_path / "both.csv", columns, 40), {"unit": "row", "items": "goods", "separator": ";"}
    alone = anonset.read(path, one_hot="is_*", drop=["respondent_id", "sex", "is_a", "is_b"], **others)
    assert alone.transactions.vocabulary.labels == ("milk", "rice", "tea")
    with pytest.raises(anonset.InputError, match="no column 'was_"):
        anonset.read(path, one_hot="was_*", drop=["respondent_id", "sex", "is_a", "is_b"], **others)


def _read(path: Path, columns: dict[str, list[str]]) -> str:
    path.write_text("\n".join(map(",".join, [[*columns], *zip(*columns.values(), strict=True)])) + "\n", "utf-8")
    return str(path)


def _asked(found) -> set[str]:
    return {name for fix in found.item_answers for role in SETS for name in fix.settings.get(role, ())}


@pytest.mark.parametrize("form", ["{:07d}", "tt{:06d}", "F-{:05x}"])
def test_keys_that_several_persons_share_are_offered_as_items_and_keys_of_one_person_are_not(tmp_path, form):
    draw = random.Random(form)
    viewers = [f"U{100 + row // 7}" for row in range(210)]
    films = [form.format(12345 + 97 * draw.randrange(90)) for _ in viewers]
    orders = [f"B{1000 + row // 3}" for row in range(210)]
    path = _read(tmp_path / "views.csv", {"user_id": viewers, "film_id": films, "basket_id": orders})
    assert _asked(anonset.inspect(path, unit="user_id")) == {"film_id"}


@pytest.mark.parametrize("unit", ["row", "unknown"])
def test_a_column_named_like_items_is_offered_if_no_person_is_known(tmp_path, unit):
    draw = random.Random(unit)
    columns = {"sex": draw.choices("FM", k=200), "product": draw.choices([f"{700 + n}" for n in range(30)], k=200)}
    path = _read(tmp_path / "sales.csv", {**columns, "score": [str(draw.randrange(9)) for _ in range(200)]})
    assert _asked(anonset.inspect(path, unit=unit)) == {"product"}


def test_all_columns_that_may_be_items_are_answers(tmp_path):
    draw = random.Random(3)
    persons = [f"P{100 + row // 4}" for row in range(400)]
    words = {f"{word} choice": draw.choices([f"{word}{n}" for n in range(9)], k=400) for word in "abcdefghi"}
    found = anonset.inspect(_read(tmp_path / "choices.csv", {"person_id": persons, **words}), unit="person_id")
    assert _asked(found) == {*words}
