"""Proposals for the columns of a question: marked choices, labels, and answers from one list."""

import pytest
from tests.facts import names

import anonset
from anonset.reading.read import read
from anonset.settings.edits import edited
from anonset.settings.job import Job

N = 80


def inspected(columns, **given):
    attributes = {"sex": ["fm"[n % 2] for n in range(N)], "age": [str(20 + n % 40) for n in range(N)]}
    return anonset.inspect({**attributes, **columns}, unit="row", **given)


def roles(inspection):
    return {column.profile.name: column.role for column in inspection.columns}


def marked(headers, yes, no):
    return {
        header: [yes if (n * 7 + i * 3) % (3 + i) == 0 else no for n in range(N)] for i, header in enumerate(headers)
    }


def items_of(columns, inspection):
    """Read the columns with the proposed settings, and return the items of the records."""
    attributes = {"sex": ["fm"[n % 2] for n in range(N)], "age": [str(20 + n % 40) for n in range(N)]}
    settings = {name: value for name, value in inspection.settings.items() if name not in ("hierarchy",)}
    table = read({**attributes, **columns}, **settings)
    return table.transactions.vocabulary.labels, list(table.transactions.rows())


@pytest.mark.parametrize(
    ("yes", "no", "present"),
    [
        ("Checked", "Unchecked", "Checked"),
        ("Selected", "Not Selected", "Selected"),
        ("Oui", "Non", "Oui"),
        ("Evet", "Hayır", "Evet"),
        ("Да", "Нет", "Да"),
        ("はい", "いいえ", "はい"),
        ("Yes", "No", None),
        ("x", "", None),
    ],
)
@pytest.mark.parametrize("headers", [["q5_1", "q5_2", "q5_3"], ["drink_beer", "drink_wine", "drink_tea"]])
def test_columns_with_known_words_are_choices(yes, no, present, headers):
    columns = marked(headers, yes, no)
    inspection = inspected(columns)
    assert [roles(inspection)[name] for name in headers] == ["one_hot"] * 3
    assert inspection.settings.get("present") == present
    labels, rows = items_of(columns, inspection)
    assert len(labels) == 3
    assert [len(row) for row in rows] == [sum(columns[name][n] == yes for name in headers) for n in range(N)]


@pytest.mark.parametrize(("yes", "no"), [("Checked", "Unchecked"), ("1", "0")])
def test_choices_of_clinical_databases_are_items_with_their_names(yes, no):
    columns = marked([f"Current medication (choice={name})" for name in ("aspirin", "statin")], yes, no)
    inspection = inspected({**columns, "Complete?": ["Complete"] * N})
    assert inspection.settings["one_hot"] == ["Current medication (choice=*"]
    assert items_of({**columns, "Complete?": ["Complete"] * N}, inspection)[0] == ("aspirin", "statin")
    columns = marked([f"{stem} (choice={name})" for stem in ("Pets", "Drugs") for name in ("none", "other")], yes, no)
    assert sorted(inspected(columns).settings["one_hot"]) == sorted(columns)  # the items of two questions are equal
    columns = marked(["race___1", "race___2"], yes, no)
    assert inspected(columns).settings["one_hot"] == ["race___1", "race___2"]


def test_columns_with_a_word_that_nobody_chose_belong_to_the_choices():
    columns = {**marked(["m___1", "m___2"], "Checked", "Unchecked"), "m___3": ["Unchecked"] * N}
    columns["m___2"][3] = ""
    inspection = inspected(columns)
    assert [roles(inspection)[name] for name in columns] == ["one_hot"] * 3
    assert (inspection.settings["present"], inspection.settings["missing"]) == ("Checked", "empty")
    assert inspection.records == N


def test_the_same_words_in_three_columns_are_choices_unless_they_are_sensitive():
    columns = marked(["fumeurs", "alcool fort", "sport", "vih"], "Oui", "Non")
    assert roles(inspected(columns))["vih"] != "one_hot"
    assert "one_hot" in roles(inspected(marked(["velo", "metro", "sentier"], "Oui", "Non"))).values()
    assert "one_hot" not in roles(inspected(marked(["velo", "metro"], "Oui", "Non"))).values()


def test_a_label_or_an_empty_cell_is_an_item():
    labels = ["Depression", "Diabetes", "Other, please specify"]
    columns = {f"Q5_{i}": [label if n % (i + 2) == 0 else "" for n in range(N)] for i, label in enumerate(labels, 1)}
    columns["Q5_3_TEXT"] = ["Gicht" if n % 5 == 0 else "" for n in range(N)]
    inspection = inspected(columns)
    assert inspection.settings["present"] == "filled"
    assert {name: role for name, role in roles(inspection).items() if name.startswith("Q5")} == {
        **dict.fromkeys(["Q5_1", "Q5_2", "Q5_3"], "one_hot"),
        "Q5_3_TEXT": "drop",
    }
    assert "missing" not in inspection.settings
    assert items_of(columns, inspection)[0] == tuple(labels)


def test_genotypes_and_levels_are_items_with_their_header():
    genes = {f"rs{1000 + i}": [["AA", "AG", "GG", "00"][n // (i + 1) % 4] for n in range(N)] for i in range(6)}
    inspection = inspected(genes)
    assert (inspection.settings["one_code"], inspection.settings["with_header"]) == (list(genes), True)
    assert "rs1003=AA" in items_of(genes, inspection)[0]
    skills = {f"skill_{name}": [str(1 + (n * i) % 4) for n in range(N)] for i, name in enumerate(["sql", "r", "go"], 1)}
    inspection = inspected(skills)
    assert (inspection.settings["one_code"], inspection.settings["with_header"]) == (list(skills), True)
    assert inspected(genes, one_code="rs*").settings["with_header"] is True


@pytest.mark.parametrize("stem", ["dx{}", "diag_{}", "lab{}", "grade_{}", "income_{}"])
def test_codes_and_quantities_have_no_header(stem):
    values = {"lab{}": [str(50 + n) for n in range(40)], "grade_{}": list("123456"), "income_{}": list("1234")}
    codes = values.get(stem, [f"{'EIJ'[n % 3]}1{n}" for n in range(8)])
    columns = {stem.format(i): [codes[(n * i) % len(codes)] for n in range(N)] for i in (1, 2, 3)}
    assert "with_header" not in inspected(columns).settings


def test_values_of_unknown_meaning_are_dropped_with_the_settings_that_read_them():
    headers = ["v1", "v2", "v3", "v4"]
    inspection = inspected(marked(headers, "1", "2"))
    assert {roles(inspection)[name] for name in headers} == {"drop"}
    ways = [{"one_hot": headers, "present": value} for value in "12"] + [{"one_code": headers, "with_header": True}]
    assert any([fix.settings for fix in problem.fixes] == ways for problem in inspection.checks)
    problems = inspected(marked(headers, "links", "rechts")).problems
    assert any("present='VALUE'" in problem for problem in problems)
    assert not any("links" in problem for problem in problems)
    for given in ({"relational": "v1,v2,v3,v4"}, {"one_hot": "v1,v2,v3,v4", "present": "1"}):
        assert not any("with_header" in problem for problem in inspected(marked(headers, "1", "2"), **given).problems)


def test_two_valued_columns_are_never_codes():
    for yes, no in [("Checked", "Unchecked"), ("1", "2"), ("Oui", "Non"), ("a", "b")]:
        columns = marked(["med_1", "med_2", "med_3"], yes, no)
        assert "one_code" not in roles(inspected(columns)).values(), (yes, no)


def test_declared_columns_get_the_value_of_a_member():
    columns = marked(["a", "b", "c"], "Coché", "Non coché")
    assert inspected(columns, one_hot="a,b,c").settings["present"] == "Coché"
    assert inspected(columns, one_hot="a,b,c", present="Non coché").settings["present"] == "Non coché"
    assert "present" not in inspected(columns, one_hot=None, drop="a,b,c", present="Coché").settings


def test_options_of_sets_end_with_their_columns():
    job = Job({"one_hot": ["a"], "present": "Checked", "drop": ["b"], "one_code": ["c"], "with_header": True})
    assert edited(job, Job({"drop": ["a"]})) == Job({"drop": ["b", "a"], "one_code": ["c"], "with_header": True})
    assert edited(job, Job({"drop": "c"})).settings == {"one_hot": ["a"], "present": "Checked", "drop": ["b", "c"]}
    assert not names(str(edited(job, Job({"keep": "a"})).settings), "present")
