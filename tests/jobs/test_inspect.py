"""Inspecting data before anonymization: proposed roles, risk, problems, and the job file."""

import csv
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

import anonset
from anonset.cli.main import main
from anonset.columns.profiles import coded, pattern, profile
from anonset.data import Table
from anonset.errors import InputError
from anonset.jobs.proposals import hierarchy_trial
from anonset.reading.batches import open_source
from anonset.reading.table_builder import read_all_rows
from anonset.report import findings
from anonset.report.findings import findings_account, findings_summary
from anonset.settings.binding import require_roles
from anonset.settings.job import Job
from anonset.settings.job_text import job_text
from anonset.settings.model_choices import guarantee_for
from anonset.settings.parameters import MODELS
from effort import examples
from reference import known_items as reference

N = 60
PEOPLE = {
    "patient_id": [f"P{n}" for n in range(N)],
    "full_name": [f"Ann {chr(65 + n % 26)}{n}" for n in range(N)],
    "email": [f"a{n}@b.org" for n in range(N)],
    "age": [str(20 + n % 40) for n in range(N)],
    "zip": [str(47600 + n % 9) for n in range(N)],
    "sex": ["fm"[n % 2] for n in range(N)],
    "sex_code": ["12"[n % 2] for n in range(N)],
    "school": [f"s{n % 7}" for n in range(N)],
    "school_no": [f"{n % 7}" for n in range(N)],
    "country": ["United Kingdom" if n % 2 else "New Zealand of the South" for n in range(N)],
    "wgt": [str(1000 + 7 * n) for n in range(N)],
    "disease": ["flu" if n % 3 else "hiv" for n in range(N)],
    "unit": ["x"] * N,
    "codes": [" ".join(f"E{10 + (n * step) % 7}" for step in (1, 2, 3)[: 1 + n % 3]) for n in range(N)],
}


def roles(found):
    return {column.profile.name: column.role for column in found.columns}


def answers(found):
    """Return the units that may be declared, each with the number of persons."""
    return [(str(answer.unit), answer.persons) for answer in found.question.answers]


@pytest.mark.parametrize("unit", ["Name, Vorname", ["Name, Vorname"], ["Name", "Vorname"]])
def test_a_column_of_persons_may_have_a_comma_in_its_name(unit):
    people = [f"{name} Meyer" for name in ("Anna", "Bert", "Carl", "Dora", "Emil", "Fritz", "Greta", "Hans")]
    data = {"Name, Vorname": people * 5, "age": [str(20 + n % 8) for n in range(40)], "sex": ["m", "f"] * 20}
    assert ("Name, Vorname", 8) in answers(anonset.inspect(data))
    assert anonset.inspect(data, unit=unit).persons == 8


@pytest.mark.long
def test_roles_are_proposed_by_names_and_by_values():
    inspection = anonset.inspect(PEOPLE, k=3, m=1)
    assert roles(inspection) == {
        "patient_id": "drop", "full_name": "drop", "email": "drop", "age": "relational", "zip": "relational",
        "sex": "relational", "sex_code": "relational", "school": "relational", "school_no": "drop",
        "country": "relational", "wgt": "drop", "disease": "drop", "unit": "drop", "codes": "items",
    }  # fmt: skip
    assert (inspection.records, inspection.persons, inspection.problems) == (N, None, ())
    assert answers(inspection) == [("row", N), ("unknown", None), ("patient_id", N), ("email", N)]
    declared = anonset.inspect(PEOPLE, k=3, m=1, unit="patient_id")
    assert (roles(declared), declared.question) == ({**roles(inspection), "patient_id": "unit"}, None)
    assert (declared.records, declared.persons, declared.problems) == (N, N, ())
    assert inspection.settings["numeric"] == ["age"]
    assert inspection.settings["hierarchy"]["zip"] == "mask:3,1"
    reasons = {column.profile.name: column.reason for column in inspection.columns}
    assert names(reasons["school_no"], "not recognized")


def test_weights_are_asked_for():
    columns = {
        "age": [str(20 + n % 40) for n in range(N)],
        "weight": [str(45 + n % 25) for n in range(N)],
        "survey_weight": [f"{800 + 13 * n}.5" for n in range(N)],
    }
    reasons = {column.profile.name: column.reason for column in anonset.inspect(columns).columns}
    assert "if others know it: relational='weight'" in reasons["weight"]
    assert reasons["survey_weight"].startswith("not recognized")


def test_items_without_a_tree_are_joined_by_how_often_they_occur():
    sets = {"goods": ["ale bread", "ale", "bread cream", "ale cream", "dates ale"], "age": ["1", "2", "3", "4", "5"]}
    assert anonset.inspect(sets, items="goods").settings["hierarchy"]["goods"] == "halves:frequency"


def test_reprs_contain_no_value():
    shown = repr(anonset.inspect(PEOPLE)) + anonset.inspect(PEOPLE)._repr_html_()
    assert not any(value in shown for value in ("P17", "Ann", "@b.org", "47601", "Zealand", "E13"))


def test_risk_equals_a_count_by_hand():
    data = {"sex": ["f", "f", "m", "m", "m"], "codes": ["a b", "a", "a b", "a c", ""]}
    inspection = anonset.inspect(data, k=2, m=1, items="codes", relational="sex")
    assert (inspection.quasi_identifiers.classes, inspection.quasi_identifiers.smallest) == (2, 2)
    assert (inspection.quasi_identifiers.unique.value, inspection.quasi_identifiers.below_k.value) == (0.0, 0.0)
    assert [risk.worst(2).value for risk in inspection.known_items] == [0.2, 0.2]
    assert [risk.average_unique.value for risk in inspection.known_items] == pytest.approx([1 / 8, 1 / 3])
    assert [names(problem, "1 record") for problem in inspection.problems] == [True]
    assert answers(inspection) == [("row", 5), ("unknown", None)]
    assert names(inspection.question.lines()[0], """'unit = "row" #' 5 persons""")


def test_rows_of_a_person_become_sets():
    long = {"person": [f"p{n // 3}" for n in range(30)], "code": [f"I{10 + n % 8}" for n in range(30)]}
    inspection = anonset.inspect(long)
    assert (roles(inspection), inspection.rows, inspection.records) == ({"person": "unit", "code": "items"}, 30, 10)
    assert inspection.settings["unit"] == ["person"]


def test_columns_that_vary_within_a_person_are_dropped():
    visits = {
        "person_id": [f"p{n // 2}" for n in range(40)],
        "ward": [f"w{n % 3}" for n in range(40)],
        "codes": ["a b" if n % 2 else "a" for n in range(40)],
    }
    inspection = anonset.inspect(visits)
    assert roles(inspection) == {"person_id": "unit", "ward": "drop", "codes": "items"}
    assert names(inspection.columns[1].reason, "rows person_id")
    assert (inspection.records, inspection.persons, inspection.settings["unit"]) == (20, None, ["person_id"])
    offered = answers(inspection)
    assert (offered[0], offered[-2:]) == (("person_id", 20), [("row", 40), ("unknown", None)])
    assert anonset.inspect(visits, unit="person_id").persons == 20


def test_the_row_that_contradicts_the_others_of_a_person_is_named():
    visits = {
        "person_id": [f"p{n // 3}" for n in range(90)],
        "sex": ["fm"[n // 3 % 2] for n in range(90)],
        "codes": ["a b" if n % 2 else "a" for n in range(90)],
    }
    visits["sex"][31] = "x"
    inspection = anonset.inspect(visits)
    assert (roles(inspection)["sex"], inspection.settings["differing"]) == ("relational", "first")
    assert any(names(problem, "sex row 32") for problem in inspection.problems)


def test_dates_and_numbers_in_two_notations_are_one_value_of_a_person():
    visits = {
        "person_id": [f"p{n // 2}" for n in range(80)],
        "birth_date": [f"19{60 + n // 2}-03-05" if n % 2 else f"05.03.19{60 + n // 2}" for n in range(80)],
        "age": [f"{60 + n // 2 % 9}" + [",0", ""][n % 2] for n in range(80)],
        "codes": ["a b" if n % 2 else "a" for n in range(80)],
    }
    inspection = anonset.inspect(visits)
    assert "differing" not in inspection.settings
    assert [roles(inspection)[name] for name in ("birth_date", "age")] == ["relational"] * 2
    visits["birth_date"][1] = "1960-03-06"
    assert anonset.inspect(visits).settings["differing"] == "first"


@pytest.mark.parametrize("values", [[], ["sex"]], ids=["items", "values"])
def test_the_share_unique_by_all_items_is_that_of_the_distinct_records(values):
    codes, sexes = ["a b", "a b", "a b c", "a", "a", "b"], ["f", "f", "m", "f", "m", "m"]
    data = {"codes": codes, **({"sex": sexes} if values else {})}
    found = anonset.inspect(data, unit="row", items="codes", relational=values, k=3)
    records = [*zip(codes, sexes, strict=True)] if values else codes
    counts = [records.count(one) for one in records]
    unique, below = ([count < size for count in counts] for size in (2, 3))
    shares = None if found.complete is None else [share.value for share in found.complete]
    assert shares == [pytest.approx(sum(few) / len(records)) for few in (unique, below)]
    assert found.to_dict()["complete"] == shares


SPELLED = {"id": ["4-56", "45-6", "0456", "b7", "B 7", "c8", "c8"], "age": [20, 20, 30, 40, 40, 50, 50]}
SPELLED |= {"codes": ["E10", "E11", "E10", "J45", "E11", "J45", "E10"]}


@pytest.mark.parametrize("ids", [["id"], ["id", "age"]], ids=str)
def test_persons_with_ids_in_several_spellings_are_counted_without_showing_ids(ids):
    data = SPELLED | {"age": [20, 20, 20, 40, 40, 50, 50]}
    (problem,) = anonset.inspect(data, unit=ids, items="codes", k=2).problems
    assert names(problem, "2 '3 persons'")
    assert not any(value in problem for value in data["id"])
    data["id"] = ["a1", "a1", "a1", "b7", "b7", "c8", "c8"]
    assert anonset.inspect(data, unit=ids, items="codes", k=2).problems == ()


def test_columns_differ_within_persons_whose_ids_have_several_spellings():
    found = anonset.inspect(SPELLED, unit="id", items="codes")
    assert found.settings["differing"] == "first"
    assert any(names(problem, "'age' '1 person differ'") for problem in found.problems)


@pytest.mark.parametrize(
    ("columns", "role"),
    [
        ({f"dx_{n}": [str((i >> n) & 1) for i in range(32)] for n in range(5)}, "one_hot"),
        ({f"dx{n}": [f"E{(i * n) % 9}" for i in range(32)] for n in (1, 2, 3)}, "one_code"),
    ],
)
def test_sets_in_several_columns_are_seen(columns, role):
    inspection = anonset.inspect(columns)
    assert set(roles(inspection).values()) == {role}
    assert len(inspection.known_items) == 3


def test_all_problems_are_reported_at_once():
    import pyarrow as pa

    table = pa.table({"age": ["1", None] * 5, "codes": [["a"], None] * 5, "kind": ["x", "?"] * 5})
    inspection = anonset.inspect(table, relational="kind,age", items="codes", hierarchies={"codes": {"x": "b"}})
    assert [problem[:15] for problem in inspection.problems[:2]] == ["column 'age': 5", "column 'codes':"]
    assert any(names(problem, "hierarchy codes") for problem in inspection.problems)
    assert inspection.records == 10


def test_data_that_do_not_fit_their_roles_are_a_problem():
    inspection = anonset.inspect({"age": ["1", "2"], "x": ["a", "b"]}, unit="age,missing", relational="x")
    assert inspection.records == 0
    assert "missing" in inspection.problems[-1]


def test_the_problem_with_which_no_record_can_be_read_is_marked():
    data = {"pid": [f"P{n // 2}" for n in range(60)], "sex": ["f", "m"] * 30}
    data |= {name: [str(n * place % 7 % 2) for n in range(60)] for place, name in enumerate(("red", "hot", "wet"), 1)}
    found = anonset.inspect(data, unit="pid", relational="sex")
    summary = found.to_dict()
    assert (summary["records"], len(summary["problems"])) == (0, 2)
    first = summary["problems"][0]["text"]  # a note about columns that are dropped follows
    assert names(first, "pid sex 1 2")
    assert str(found.obstacle) == summary["obstacle"] == first
    assert anonset.inspect(data, unit="row", relational="sex").to_dict()["obstacle"] is None


def test_columns_with_the_same_values_are_grouped():
    answers = {name: [str(1 + (n * step) % 5) for n in range(40)] for name, step in (("a", 1), ("b", 2), ("c", 3))}
    fewer = {"d": [str(1 + n % 3) for n in range(40)]}
    others = {"sex": ["f", "m"] * 20, "e": [str(n % 7) for n in range(40)], "one": ["1"] * 40}
    found = anonset.inspect({**others, **answers, **fewer}, unit="row").to_dict()
    assert found["alike"] == [["a", "b", "c", "d"]]
    assert anonset.inspect({"a": answers["a"], **fewer, **others}, unit="row").to_dict()["alike"] == []


def test_missing_answers_of_a_survey_are_no_missing_numbers():
    answers = {f"q{place}": [str(1 + n * place % 5) if n % 9 else "" for n in range(60)] for place in range(1, 5)}
    found = anonset.inspect(answers, unit="row")
    assert roles(found)["q1"] == "one_code"
    assert not any("q1" in problem for problem in found.problems)
    known = anonset.inspect(answers, unit="row", relational="q1", hierarchies={"q1": "range"})
    assert any(names(problem, "q1 7") for problem in known.problems)


def test_a_hierarchy_over_numbers_is_no_problem():
    data = {"codes": ["a b", "b c"] * 20, "age": list(range(20, 60))}
    found = anonset.inspect(data, items="codes", relational="age", hierarchies={"age": "bins:10,20"})
    assert not [problem for problem in found.problems if "age" in problem]
    assert found.settings["hierarchy"]["age"] == "bins:10,20"
    assert "numeric" not in found.settings


def test_a_table_keeps_its_roles():
    used = ("codes", "age", "sex", "disease", "patient_id")
    others = [name for name in PEOPLE if name not in used]
    options = {"items": "codes", "relational": "age,sex", "numeric": "age", "keep": "disease", "unit": "patient_id"}
    table = anonset.read(PEOPLE, **options, drop=others)
    inspection = anonset.inspect(table)
    assert roles(inspection) == {"patient_id": "unit", "age": "relational", "sex": "relational", "disease": "keep",
                            "codes": "items"}  # fmt: skip


@pytest.mark.parametrize("given", [{"k": 0}, {"m": 0}])
def test_sizes_are_required(given):
    (name,) = given
    with refused(InputError, f"{name} 1 0"):
        anonset.inspect({"a": ["1"]}, **given)


@pytest.mark.parametrize(
    ("values", "kind", "separator"),
    [
        (["1", "2", "3.5"], "numbers", None),
        (["2020-01-31", "1999-12-01"], "dates", None),
        (["V58", "250.13", "E880"], "ICD-9 codes", None),
        (["E11.9", "I10"], "ICD-10 codes", None),
        (["12345", "54321"], "zip codes", None),
        (["Mary Ann Lee", "John Smith"], "text", None),
        (["a;b", "a", "b;c;a", "c;b", "a;c", "b"], "sets", ";"),
        ([["a"], ["a", "b"]], "sets", None),
    ],
)
def test_columns_are_profiled_by_their_values(values, kind, separator):
    source = open_source({"x": values * 2})
    profiled = profile("x", read_all_rows(source, ["x"])["x"])
    assert (profiled.kind, profiled.separator) == (kind, separator)


def test_equivalent_columns_have_the_same_pattern():
    source = open_source({"a": ["1", "2", "1"], "b": ["x", "y", "x"], "c": ["x", "y", "y"]})
    loaded = read_all_rows(source, ["a", "b", "c"])
    assert pattern(loaded["a"]) == pattern(loaded["b"])
    assert pattern(loaded["a"]) != pattern(loaded["c"])


def test_a_job_is_valid_toml_for_any_values():
    import tomllib

    settings = {"items": ['a "b"\n'], "no_header": True, "hierarchy": {"é.x": "p\\q.csv"}}
    text = job_text("in.csv", "out", settings, {"model": "km", "k": 5}, {"items": ["why\nnot"]}, ["a\x00b"])
    read = tomllib.loads(text)
    assert read == {"input": "in.csv", "out": "out", **settings, "model": "km", "k": 5}


def test_the_guarantee_follows_from_the_roles():
    both = {"items": ["x"], "relational": ["y"]}
    assert guarantee_for(Job({"items": ["x"]}), 5, 2, tuples=0) == {"model": "km", "k": 5, "m": 2}
    for tuples in (9, 10**6):
        assert guarantee_for(Job(both), 5, 2, tuples=tuples) == {"model": "kkm", "k": 5, "m": 2}
        assert guarantee_for(Job({**both, "sensitive": "z"}), 5, 2, tuples=tuples)["model"] == "kkm"  # which rejects z
    assert guarantee_for(Job({"relational": ["y"]}), 5, 2, tuples=10**6)["algorithm"] == "mondrian"
    assert guarantee_for(Job({"relational": ["y"]}), 5, 2, tuples=9)["model"] == "k"


ADULT = {
    "relational": ["age", "education", "marital-status", "native-country", "occupation", "race", "sex", "workclass"],
    "sensitive": ["income"],
    "drop": ["fnlwgt"],
}
PATIENTS = {
    "items": ["diagnosis_codes", "medications"],
    "relational": ["race", "gender", "age", "payer_code", "medical_specialty"],
}


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "expected"), [("relational/adult.csv.gz", ADULT), ("rt/diabetes130_patients_rt.csv.gz", PATIENTS)]
)
def test_proposed_roles_of_public_data_match_their_documentation(file, expected):
    roles_found = roles(anonset.inspect(Path(os.environ["ANONSET_DATA"]) / file, m=1))
    for role, columns in expected.items():
        assert {name for name, its in roles_found.items() if its == role} >= set(columns)


def test_numbers_in_tables_are_profiled():
    from anonset.data import CategoricalColumn, NumericColumn

    table = Table(None, (NumericColumn("n", np.array([1, 1, 2])), CategoricalColumn.of("c", "aab")))
    inspection = anonset.inspect(table, k=2)
    assert [(c.profile.kind, c.profile.distinct, c.profile.largest) for c in inspection.columns] == [
        ("integers", 2, 2), ("text", 2, 2),
    ]  # fmt: skip
    classes = inspection.quasi_identifiers
    assert (classes.classes, classes.smallest, classes.below_k.value) == (2, 1, pytest.approx(1 / 3))


@settings(max_examples=examples(30))
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=15), st.integers(1, 4))
def test_classes_equal_a_count(tuples, k):
    columns = [[one for one, _ in tuples], [other for _, other in tuples]]
    found = anonset.inspect(Table.from_columns(first=columns[0], second=columns[1]), k=k).quasi_identifiers
    sizes = reference.class_sizes(columns, len(tuples))
    assert (found.classes, found.smallest) == (len(set(tuples)), min(sizes))
    assert found.unique.value == pytest.approx(sizes.count(1) / len(sizes))
    assert found.below_k.value == pytest.approx(sum(size < k for size in sizes) / len(sizes))


@pytest.mark.long
def test_a_file_is_read_once(tmp_path, monkeypatch):
    from anonset.reading.formats.delimited import DelimitedText

    parsed = []
    parse = DelimitedText._parse
    monkeypatch.setattr(
        DelimitedText, "_parse", lambda self, *given, **more: parsed.append(1) or parse(self, *given, **more)
    )
    path = tmp_path / "people.csv"
    path.write_text("\n".join([",".join(PEOPLE), *map(",".join, zip(*PEOPLE.values(), strict=True))]) + "\n")
    inspection = anonset.inspect(path, k=3, m=1)
    assert roles(inspection) == roles(anonset.inspect(PEOPLE, k=3, m=1))
    assert len(parsed) == 1


def test_a_known_attribute_beside_declared_ids_and_a_sensitive_column_is_dropped() -> None:
    """Buckets generalize no column."""
    table = {"patient": [f"P{n // 2}" for n in range(80)], "age": [str(20 + n % 30) for n in range(80)]}
    found = anonset.inspect({**table, "drug": ["abcd"[n % 4] for n in range(80)]}, id=["patient"], sensitive="drug")
    assert roles(found) == {"patient": "id", "age": "drop", "drug": "sensitive"}
    assert (found.records, found.persons, found.question, found.settings["drop"]) == (80, 40, None, ["age"])
    assert "80, of 40 persons" in str(found)
    assert "keep" in next(column.reason for column in found.columns if column.profile.name == "age")


def test_a_column_of_few_persons_is_dropped_for_all_units() -> None:
    """Each town has 2 persons, fewer than k, in 6 rows."""
    visits = [(f"p{person}", f"town {person // 2}", "fm"[person % 2]) for person in range(240) for _ in range(3)]
    data = dict(zip(("patient_id", "town", "sex"), map(list, zip(*visits, strict=True)), strict=True))
    answers = anonset.inspect(data).question.answers
    assert [answer.unit for answer in answers] == [("patient_id",), ("row",), ("unknown",)]
    for answer in answers:
        assert answer.settings["relational"] == ["sex"]
        assert any("'town" not in why and "fewer than 5 persons" in why for why in answer.reasons["drop"])
    assert "town" in anonset.inspect(data, unit="row").settings["relational"]


def test_numbers_that_cannot_be_read_are_read_as_text() -> None:
    found = anonset.inspect(
        {"age": ["old", "young"] * 50, "sex": list("fmmf") * 25}, unit="row", relational=["age", "sex"], numeric="age"
    )
    assert (found.records, roles(found)) == (100, {"age": "relational", "sex": "relational"})
    assert "numeric" not in found.settings
    assert any("'age'" in problem and "not a number" in problem for problem in found.problems)


@pytest.mark.parametrize(
    "stated", [{"unit": "?"}, dict.fromkeys(("unit", "id", "drop", "skip_rows", "separator", "publish_as_is"))]
)
def test_an_open_unit_and_none_are_no_declarations(stated) -> None:
    found, expected = anonset.inspect(PEOPLE, k=3, m=1, **stated), anonset.inspect(PEOPLE, k=3, m=1)
    assert [answer.settings for answer in found.question.answers] == [
        answer.settings for answer in expected.question.answers
    ]


def test_a_separator_of_none_is_detected() -> None:
    data = {"codes": [f"E{10 + n % 5};I{10 + n % 4}" for n in range(60)], "sex": ["fm"[n % 2] for n in range(60)]}
    assert anonset.inspect(data, unit="row", separator=None).settings == anonset.inspect(data, unit="row").settings


TEXTS = ["a", "b", "a", "", "?", "c", "a"] * 9


@pytest.mark.parametrize("null", [False, True])
def test_codes_of_a_column_have_the_profile_of_its_values(null):
    import pyarrow as pa

    text = pa.chunked_array([[*TEXTS[:4], None] if null else TEXTS[:4], TEXTS[4:]])
    assert profile("x", coded(text)) == profile("x", text)
    assert pa.types.is_dictionary(coded(text).type) == (not null)
    part = text.dictionary_encode().combine_chunks()[4:9]  # not all values of the dictionary occur
    assert profile("x", pa.chunked_array([part])) == profile("x", pa.chunked_array([part.cast(pa.string())]))


@pytest.mark.long
def test_a_column_with_many_values_is_profiled_by_its_first_values():
    source = open_source({"x": [f"v{n}" for n in range(50_000)] + ["1 2"] * 3})
    column = read_all_rows(source, ["x"])["x"]
    profiled = profile("x", column)
    assert (profiled.kind, profiled.distinct, profiled.largest) == ("text", 50_001, 3)
    assert coded(column) is column


def test_many_columns_are_bound_at_once_and_not_all_shown(monkeypatch):
    n, bound = 75, []
    monkeypatch.setattr(findings, "_MOST_SHOWN", 25)
    bind = hierarchy_trial.bind_columns

    def counted(table, specs):
        bound.append(len(specs))
        return bind(table, specs)

    monkeypatch.setattr(hierarchy_trial, "bind_columns", counted)
    rows = [f"r{row:04d}" for row in range(7)]
    inspection = anonset.inspect(
        {f"{'zz' if i % 2 else 'area'}{i}": [rows[(i * row * row + row) % 7] for row in range(7)] for i in range(n)}
    )
    assert len(bound) <= len(inspection.question.answers)
    account = findings_account(inspection)
    assert 25 in [part.row_count for part in account if not isinstance(part, str)]
    assert names([part for part in account if isinstance(part, str)], "50 columns --json")
    assert len(findings_summary(inspection)["columns"]) == n


def test_sets_in_cells_of_grouped_rows_are_split() -> None:
    cells = [" ".join(f"E{10 + (n * step) % 7}" for step in (1, 2, 3)[: 1 + n % 3]) for n in range(N)]
    rows = {"patient_id": [f"P{n // 2}" for n in range(N)], "codes": cells}
    inspection = anonset.inspect(rows)
    assert (inspection.settings["unit"], inspection.settings["separator"]) == (["patient_id"], " ")
    options = {name: value for name, value in inspection.settings.items() if name != "hierarchy"}
    column = anonset.read(rows, **options).transactions
    assert column is not None
    assert set(column.vocabulary.labels) == {code for cell in cells for code in cell.split()}


@pytest.mark.parametrize(("persons", "offered"), [(180, False), (100, True), (60, True)])
def test_names_that_repeat_often_are_offered_before_rows(persons: int, offered: bool) -> None:
    draw = random.Random(1)
    who, sex = [i % persons for i in range(200)], draw.choices("fm", k=persons)
    rows = {"full_name": [f"Ann{i} Lee{i}" for i in who], "sex": [sex[i] for i in who]}
    inspection = anonset.inspect(rows | {"code": draw.choices(["a1", "b2", "c3"], k=200)})
    by_name = [("full_name", persons)] if offered else []
    assert answers(inspection) == [*by_name, ("row", 200), ("unknown", None)]


SECRET = {
    "pcode": [f"P{10_000 + n // 2}" for n in range(400)],
    "age": [str(20 + n // 8) for n in range(400)],
    "module": [f"course {'abcd'[n % 4]}" for n in range(400)],
    **{f"q_{q}": [str(n // (2 * q) % 2) for n in range(400)] for q in range(1, 6)},
    "extra": [str(n // 2 % 2) for n in range(400)],
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("flags", "role"),
    [
        (("--items", "module", "--unit", "pcode"), "drop"),
        (("--unit", "pcode"), "sensitive"),
        (("--unit", "row"), "sensitive"),
    ],
    ids=["sets are given", "sets are proposed", "rows are persons"],
)
def test_a_job_with_a_given_sensitive_column_runs(tmp_path, capsys, flags, role):
    path = tmp_path / "data.csv"
    rows = [",".join(row) for row in zip(*SECRET.values(), strict=True)]
    path.write_text("\n".join([",".join(SECRET), *rows, ""]))
    job = str(tmp_path / "job.toml")
    assert main(["inspect", str(path), "--sensitive", "extra", *flags, "-o", job, "--json"]) == 0
    columns = {column["name"]: column for column in json.loads(capsys.readouterr().out)["columns"]}
    assert columns["extra"]["role"] == role
    if role == "drop":
        assert "--model klm --items module,extra --sensitive-items extra:VALUE" in columns["extra"]["reason"]
    assert main(["anonymize", job, "--out", str(tmp_path / "out"), "--quiet"]) == 0


@pytest.mark.parametrize(
    ("roles", "model", "way"),
    [
        ({"items": "module"}, "km", "model='klm', items=['module', 'extra'], sensitive_items"),
        ({"relational": "age"}, "k", "model='kl', l=2"),
    ],
)
def test_no_remedy_publishes_a_sensitive_column_unprotected(roles, model, way):
    data = {name: SECRET[name] for name in (*roles.values(), "extra")}
    table = anonset.read(data, sensitive="extra", unit="row", **roles)
    with pytest.raises(InputError, match="extra") as error:
        require_roles(table, MODELS[model].model(k=5, **({"m": 2} if "items" in roles else {})))
    assert way in str(error.value)
    assert "drop='extra'" in str(error.value)
    assert "keep" not in str(error.value)


@pytest.mark.long
def test_printed_findings_are_the_text_of_the_command():
    findings = anonset.inspect(PEOPLE)
    text = str(findings)
    assert names(text, f"rows {findings.rows}")
    for column in findings.columns:
        profile = column.profile
        assert names(text, f"{profile.name} {profile.kind.split()[0]} {profile.distinct} {column.role}")
    assert all(problem in text for problem in findings.problems)
    assert "Findings(" not in text


def test_many_problems_are_not_all_shown(monkeypatch):
    monkeypatch.setattr(findings, "_MOST_SHOWN", 3)
    inspection = anonset.inspect({f"area{i}": ["x", None, f"y{i}"] for i in range(8)})
    account = [part for part in findings_account(inspection) if isinstance(part, str)]
    problems = account[account.index("Check:") + 1 :]
    assert (len(inspection.problems) > 4, len(problems)) == (True, 4)
    assert names(problems[-1], f"{len(inspection.problems) - 3} more --json")


def cards(n=240):
    """Return cards that two persons of different birth years and names share."""
    person = [(n * 7) % 80 for n in range(n)]
    return {
        "member_id": [f"M{p // 2:03}" for p in person],
        "name": [f"{'Anna' if p % 2 else 'Paul'} Lang" for p in person],
        "birth_year": [str(1940 + p) for p in person],
        "activity": [("judo", "yoga", "climbing")[n % 3] for n in range(n)],
    }


def test_a_card_that_several_persons_share_precedes_rows_and_is_offered_with_the_name():
    keys = [str(answer.unit) for answer in anonset.inspect(cards()).question.answers]
    assert keys[:1] == ["member_id,name"]
    alone = {name: values for name, values in cards().items() if name != "name"}
    assert [str(answer.unit) for answer in anonset.inspect(alone).question.answers] == ["member_id", "row", "unknown"]


@pytest.mark.parametrize("unit", ["row", "unknown"])
def test_rows_with_a_shared_card_are_counted_if_each_is_declared_a_person(unit):
    problems = anonset.inspect(cards(), unit=unit).problems
    assert any(names(problem, "240 80 member_id name") for problem in problems)


@pytest.mark.parametrize("header", ["zz", "vaccine"])
@pytest.mark.parametrize("n", [90, 600])
@pytest.mark.parametrize("words", [("Comirnaty", "Spikevax", "Boostrix", "Priorix"), ("nuts", "milk", "egg")])
def test_capitalized_words_and_few_codes_are_offered_as_items_in_any_number_of_rows(words, n, header):
    columns = {
        "pid": [f"P{1000 + i // 3}" for i in range(n)],
        "sex": ["fm"[i // 3 % 2] for i in range(n)],
        header: [words[(i % 3 + i // 9) % len(words)] for i in range(n)],
    }
    found = {column.profile.name: column.proposed for column in anonset.inspect(columns, unit="pid").columns}
    assert found[header].role in ("drop", "items")
    offered = [fix.settings for fix in found[header].fixes]
    assert found[header].role == "items" or {"items": [header]} in offered


def test_lines_that_are_skipped_at_the_end_are_counted(tmp_path):
    path = tmp_path / "visits.csv"
    rows = [f"P{n // 2:03},E1{n % 3},{40 + n // 2 % 30}" for n in range(100)]
    path.write_text("\n".join(["pid,icd,age", *rows, "Öz,rare disease,n/k", "Lee,unknown,about 60", ""]))
    assert any(names(problem, "102 103 skipped person") for problem in anonset.inspect(path).problems)
    with refused(InputError, "'lines 102 and 103' persons 'remove 2 lines'"):
        anonset.read(path, unit="pid", items="icd", relational="age")


def test_the_only_column_beside_the_key_contains_the_items(tmp_path):
    persons = [f"C{n}" for n in range(1000, 1060)]
    (tmp_path / "visits.csv").write_text(
        "child,sex\n" + "".join(f"{one},{'fm'[n % 2]}\n" for n, one in enumerate(persons))
    )
    (tmp_path / "symptoms.csv").write_text(
        "child,symptoms\n" + "".join(f"{p},{'xyz'[n % 3]}\n" for n, p in enumerate([*persons, *persons[:5]]))
    )
    found = anonset.inspect(tmp_path)
    assert [key.unit for key in found.keys] == ["child"]
    assert [table.named("items") for table in found.tables] == [[], ["symptoms"]]


@pytest.mark.parametrize("person", ["child", "child_id"])
def test_the_key_of_another_table_contains_no_items(tmp_path, person):
    (tmp_path / "children.csv").write_text(
        f"{person},sex\n" + "".join(f"AB-{n + 1000},{'fm'[n % 2]}\n" for n in range(60))
    )
    (tmp_path / "visits.csv").write_text(
        f"visit_id,{person}\n" + "".join(f"V{n:03},AB-{n % 60 + 1000}\n" for n in range(120))
    )
    (tmp_path / "drugs.csv").write_text("visit_id,drug\n" + "".join(f"V{n:03},{'xyz'[n % 3]}\n" for n in range(120)))
    found = anonset.inspect(tmp_path, unit="visit_id")
    assert {table.name: table.named("items") for table in found.tables}.get("visits", []) == []
    assert ["drug"] in [table.named("items") for table in found.tables]


def ratings(names, n_rows=25):
    """Return a table of films with a column of marks for each name."""
    chosen = random.Random(1)
    marks = {name: [chosen.choice("01") for _ in range(n_rows)] for name in names}
    return {"film": [f"film {n}" for n in range(n_rows)], **marks}


FIRST_NAMES = ("Anna", "Peter", "Maria", "Hans", "Julia", "Karl")


@pytest.mark.parametrize(
    ("names_", "n_rows"),
    [
        ([f"MEMB{n:04}" for n in range(30)], 25),
        ([f"user{n}" for n in range(30)], 25),
        ([f"visitor {'abcdefghijklmnopqrstuvwxyzäöüß'[n]}" for n in range(30)], 25),  # more columns than rows
        ([f"{FIRST_NAMES[n % 6]} {['Weber', 'Ott', 'Li', 'Koch', 'Berg'][n // 6]}" for n in range(30)], 200),
    ],
)
def test_columns_that_may_be_persons_are_a_question_and_no_items(names_, n_rows):
    found = anonset.inspect(ratings(names_, n_rows))
    assert {column.role for column in found.columns[1:]} == {"drop"}
    assert any(names(problem, f"30 {names_[0]} 'transpose the table' one_hot") for problem in found.problems)
    assert found.question.others == ()


@pytest.mark.parametrize("pupils", [6, 18])
@pytest.mark.parametrize("cells", [["present", "absent", "late"], ["1", "2", "3", "4", "5"]], ids=str)
@pytest.mark.parametrize("n_rows", [40, 900])
def test_names_of_persons_as_headers_of_equal_answers_are_a_question(pupils, cells, n_rows):
    draw = random.Random(pupils)
    register = {"lesson": draw.choices(["Maths", "German", "PE", "Art"], k=n_rows)}
    surnames = ("Weber", "Ott", "Li")
    register |= {f"{FIRST_NAMES[n % 6]} {surnames[n // 6]}": draw.choices(cells, k=n_rows) for n in range(pupils)}
    found = anonset.inspect(register)
    assert {column.role for column in found.columns[1:]} == {"drop"}
    assert any("transpose the table" in problem.sentence for problem in found.checks)


@pytest.mark.parametrize("years", [3, 60])
def test_a_table_that_counts_persons_is_a_question(years):
    draw = random.Random(years)
    groups = [(year, place, sex) for year in range(1950, 1950 + years) for place in "abcdefg" for sex in "fm"]
    kept = draw.sample(groups, len(groups) * 9 // 10)
    columns = dict(zip(("year", "district", "sex"), map(list, zip(*kept, strict=True)), strict=True))
    cases = [draw.randrange(200) for _ in kept]
    counted = anonset.inspect(columns | {"cases": cases})
    assert any("'cases' may count persons" in one.sentence for one in counted.checks)
    persons = {name: draw.choices(values, k=len(kept)) for name, values in columns.items()}
    assert not any("count persons" in one.sentence for one in anonset.inspect(persons | {"visits": cases}).checks)


def test_genotypes_of_persons_in_columns_are_dropped_and_no_way_publishes_them():
    genotypes = {f"HG{n:05}": [("0|0", "0|1", "1|1")[(n + row) % 3] for row in range(25)] for n in range(30)}
    found = anonset.inspect({"POS": [*range(100, 125)], **genotypes})
    assert {column.role for column in found.columns} == {"drop"}
    (problem,) = [one for one in found.checks if "transpose the table" in one.sentence]
    assert problem.fixes == ()
    assert not found.item_answers
    assert "HG00001" not in str([*found.possible_roles.values(), *(fix for one in found.checks for fix in one.fixes)])


def test_genotypes_are_read_as_values_and_the_phenotype_alone_is_no_set():
    data = {"IID": [f"I{n:04}" for n in range(60)], "PHENOTYPE": [1 + n % 2 for n in range(60)]}
    data |= {f"rs{4_817 * n % 90_000 + 10_000}_A": [(n * who + who) % 3 for who in range(60)] for n in range(1, 25)}
    found = anonset.inspect(data, unit="row")
    assert roles(found)["PHENOTYPE"] == "drop"
    assert any(names(problem, "24 one_code with_header one_hot 'any value above 0'") for problem in found.problems)


def test_columns_that_may_be_persons_are_an_answer_beside_attributes():
    data = {
        "family": [f"FAM{n // 3:03}" for n in range(60)],
        "sex": ["fm"[n % 2] for n in range(60)],
        **{f"rs{4_817 * n % 90_000 + 10_000}_A": [(n * who + who) % 3 for who in range(60)] for n in range(1, 25)},
    }
    found = anonset.inspect(data, unit="row")
    ways = [list(fix.settings) for fix in found.item_answers]
    assert ways == [["one_code", "with_header"], ["one_hot", "present"]]
    assert found.columns[0].proposed.fixes == ()  # a family is no attribute


def test_items_that_consist_of_fields_are_reported():
    parts = [f"name:tea-{n % 4}|quantity:{n % 3}" for n in range(12)]
    lines = [";".join(parts[n * step % 12] for step in (1, 3, 5)[: 1 + n % 3]) for n in range(60)]
    data = {"id": [f"a{n}" for n in range(60)], "line_items": lines}
    problems = anonset.inspect(data, unit="id").problems
    assert any(names(problem, "line_items 'fields joined by'") for problem in problems), problems


def test_columns_named_like_items_are_no_persons():
    found = anonset.inspect(ratings([f"dx_{chr(65 + n)}" for n in range(24)]), unit="row")
    assert {column.role for column in found.columns[1:]} == {"one_hot"}


def test_columns_that_may_contain_the_items_are_counted_in_order():
    rows = 240
    data = {
        "pid": [f"P{n // 3:03}" for n in range(rows)],
        "vaccine": [("Gardasil 9", "Influvac", "Havrix", "Typhim")[n % 4] for n in range(rows)],
        "clinic": [("North", "South")[n % 2] for n in range(rows)],
    }
    problem = next(problem for problem in anonset.inspect(data, unit="pid").problems if "contains the items" in problem)
    assert names(problem, "no vaccine 'one item a row' '4 items' '3.0 per person' \"items='vaccine'\"")
    data["icd"] = [("E11.9", "I10", "J45.0", "K21.0", "M54.5")[n % 5] for n in range(rows)]
    problem = next(problem for problem in anonset.inspect(data, unit="pid").problems if "as the items" in problem)
    assert names(problem, "icd '5 items' \"items='vaccine'\" \"items=['icd', 'vaccine']\"")
    assert not any(
        "contains the items" in problem for problem in anonset.inspect(data, unit="pid", items="vaccine").problems
    )


@pytest.mark.parametrize("delimiter", [",", " "])
def test_a_first_record_whose_values_all_recur_is_no_header(tmp_path, delimiter):
    rows = [(f"P{n % 30:03}", ("I10", "E11", "J45", "K21")[n % 4], str(40 + n % 7), "MF"[n % 2]) for n in range(120)]
    path = tmp_path / "visits.csv"
    path.write_text("".join(f"{delimiter.join(row)}\n" for row in [*rows[:60], *rows[61:]]))
    found = anonset.inspect(path, delimiter=delimiter)
    assert (found.rows, found.recognised) == (119, {"no_header": True})


def test_a_sensitive_column_without_quasi_identifiers_may_be_items():
    data = {"child": [f"C{n:03}" for n in range(60)], "symptoms": ["cough", "fever", "rash"] * 20}
    found = anonset.inspect(data, unit="child")
    assert (found.records, found.possible_roles) == (0, {"items": ["symptoms"]})
    assert anonset.inspect(data, unit="child", items="symptoms").records == 60
    remarks = [f"was told by mother that {word} began {n} days ago at night" for n, word in enumerate(data["symptoms"])]
    assert anonset.inspect(data | {"symptoms": remarks}, unit="child").possible_roles == {}


@pytest.mark.parametrize("shape", ["number in each row", "blank in both", "rows of an order apart", "other orders"])
def test_rows_without_an_id_that_continue_an_order_are_asked(shape):
    lines = [(order, line) for order in range(60) for line in range(1 + order % 3)]
    if shape == "rows of an order apart":
        lines.sort(key=lambda one: one[1])
    data = {
        "order_id": ["" if line and shape == "blank in both" else f"O{order:04}" for order, line in lines],
        "email": ["" if line else f"c{order % 20}@mail.example" for order, line in lines],
        "product": [("lamp", "mug", "box", "tray", "bag")[(n + n // 7) % 5] for n in range(len(lines))],
    }
    if shape == "other orders":
        data["order_id"] = [f"O{n:04}" for n in range(len(lines))]
    n_below, follow = sum(line > 0 for _, line in lines), shape in ("number in each row", "blank in both")
    question = anonset.inspect(data).question
    described = next(question.describe(one) for one in question.answers if str(one.unit) == "email")
    word = "above" if follow else "skipped" if shape == "other orders" else "lost"
    assert names(described, f"'{n_below} rows' {word}")
    found = anonset.inspect(data, unit="email")
    assert found.records == (0 if shape == "rows of an order apart" else 20)
    fixes = [fix.settings for problem in found.checks for fix in problem.fixes]
    assert ({"normalize": ["email=fill-down"]} in fixes) == follow
    if follow:
        filled = anonset.inspect(data, unit="email", normalize="email=fill-down")
        assert filled.records == 20
        assert filled.settings["normalize"] == "email=fill-down"
        assert "normalize" not in found.settings
    assert anonset.inspect(data, unit="email", skip_rows="no-id").records == 20


def test_a_row_without_an_id_continues_the_rows_of_its_order_if_no_other_person_has_the_order():
    orders = [n // 2 for n in range(400)]
    data = {
        "order_id": [f"O{order:03}" for order in orders],
        "customer_id": ["" if n == 7 else f"C{n // 4:03}" for n in range(400)],
        "product": [("shirt", "shoe", "sock", "hat", "scarf", "belt", "jacket")[n % 7] for n in range(400)],
    }

    def fills(data):
        found = anonset.inspect(data, unit="customer_id")
        return [fix.settings for problem in found.checks for fix in problem.fixes if "normalize" in fix.settings]

    assert fills(data) == [{"normalize": ["customer_id=fill-down"]}]
    assert fills(data | {"order_id": [f"Lee{order % 7}" for order in orders]}) == []


@pytest.mark.parametrize(("option", "n_bound"), [("SAS, on a server", 1), ("SAS", 0)])
def test_values_that_contain_the_separator_are_reported(option, n_bound):
    options = [option, "Python", "Excel", "R", "Go"]
    cells = [", ".join(options[i] for i in range(5) if n >> i & 1) for n in range(1, 32)]
    found = anonset.inspect({"who": [f"p{n}" for n in range(93)], "tools": cells * 3}, unit="who")
    assert sum(names(problem, "tools '1 item' ','") for problem in found.problems) == n_bound


_PRODUCTS = ["Milk 3,5%", "Beer 0,5l", "Bread", "Butter", "Apple", "Cheese", "0,5 l", "Milk 1,5%", "Water", "Rice"]


@pytest.mark.parametrize("delimiter", ";,")
def test_a_decimal_comma_separates_no_items(tmp_path, delimiter):
    path = tmp_path / "receipts.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = [(n, _PRODUCTS[n * k % 10]) for n in range(300) for k in (1, 3, 7)]
        csv.writer(file, delimiter=delimiter).writerows([("receipt", "product"), *dict.fromkeys(rows)])
    found = anonset.inspect(str(path), unit="receipt")
    product = found.columns[1]
    assert (product.role, product.profile.kind, product.profile.distinct) == ("items", "text", len(_PRODUCTS))


@pytest.mark.parametrize(("cells", "role"), [(["Milk 3,5%,Bread", "Bread,Rice", "Rice", "Bread,Tea", "Tea"], "drop")])
def test_lists_with_a_decimal_comma_are_a_question(cells, role):
    found = anonset.inspect({"who": [f"p{n}" for n in range(100)], "product": cells * 20}, unit="who")
    assert found.columns[1].role == role
    assert any(names(problem, "product '1 item' ','") for problem in found.problems)


@pytest.mark.parametrize(
    "cells",
    [["E10,E11", "E11", "E10,J45", "J45"], ["1,2,3", "2", "3,1", "2,3"], ["250.00,401.9", "401.9", "250.00"]],
    ids=str,
)
def test_commas_between_digits_separate_codes(cells):
    data = {"who": [f"p{n}" for n in range(10 * len(cells))], "items": cells * 10}
    assert anonset.inspect(data, unit="who").columns[1].role == "items"


@pytest.mark.parametrize("last", ["Last Name", "Surname", "Family name", "Nachname", "Cognome", "Apellido"])
def test_a_text_that_mentions_two_columns_of_names_is_reported_with_the_first_of_them(last: str) -> None:
    surnames = [f"Zel{a}{b}quist" for a in "bdfgklmnpr" for b in "aeiou"]
    data = {"First Name": surnames, last: surnames, "note": [f"call {name} about it" for name in surnames]}
    note = anonset.inspect(data, unit="row").columns[2]
    assert names(note.reason, "'First Name'")


def test_telephone_numbers_are_no_further_columns():
    rows = 400
    data = {
        "caller": [f"A{n % 97:03}" for n in range(rows)],
        "called": [f"+4989233{n % 9}00" for n in range(rows)],
        "cell": [("M-0812", "M-0813", "B-0301")[n % 3] for n in range(rows)],
    }
    assert anonset.inspect(data, unit="row").possible_roles == {"relational": ["cell"]}


@pytest.mark.parametrize(
    ("separator", "options"),
    [(",", "Email,Phone,SMS"), (";", "E-Mail,Telefon,Adresse,Brief"), ("\t", "Courriel,Nom,Lettre,Site web")],
)
def test_options_of_a_question_that_are_named_like_contacts_are_items(tmp_path, separator, options):
    path, options = tmp_path / "survey.csv", options.split(",")
    lines = [["respondent", "age_group", *options]]
    for n in range(90):
        lines.append(
            [f"R{n:03}", ("18-24", "25-44", "45+")[n % 3], *(o if (n >> i) % 2 else "" for i, o in enumerate(options))]
        )
    path.write_text("".join(f"{separator.join(line)}\n" for line in lines))
    found = anonset.inspect(path, unit="respondent")
    assert {column.profile.name for column in found.columns if column.role == "one_hot"} == {*options}
    path.write_text("".join(f"{separator.join(line)}\n" for line in [lines[16], *lines[1:]]))
    assert anonset.inspect(path).recognised.get("no_header")


@pytest.mark.parametrize(
    ("header", "first", "step", "rows"),
    [
        ("household_key", 1010, 10, 900),
        ("Haushalt_Nr", 1, 1, 400),
        ("hogar_id", 7000, 3, 4_000),
    ],
)
def test_the_number_of_a_household_is_offered_first_with_the_note_that_it_may_be_several_persons(
    header, first, step, rows
):
    data = {
        header: [first + step * (n * 7 % (rows // 10)) for n in range(rows)],
        "day": [n * 13 % 97 for n in range(rows)],
        "product": [("milk", "bread", "eggs", "tea", "rice", "oil")[(n + n // 11) % 6] for n in range(rows)],
    }
    found = anonset.inspect(data)
    assert str(found.question.answers[0].unit) == header
    assert "several persons" in found.question.describe(found.question.answers[0])
    sizes = {
        "number_of_children": [n % 15 for n in range(500)],
        "city": list("abcde") * 100,
        "drug": list("vwxyz") * 100,
    }
    roles = {column.profile.name: column.role for column in anonset.inspect(sizes, unit="row").columns}
    assert roles["number_of_children"] == "relational"


@pytest.mark.parametrize(
    ("variant", "genotypes"), [("rs{}", "AA AG GG"), ("chr7:{}", "0 1 2"), ("ss{}", "0/0 0/1 1/1")], ids=str
)
@pytest.mark.parametrize(("rows", "persons"), [(60, 8), (600, 40)])
def test_persons_in_the_columns_of_a_table_of_genotypes_are_a_question(variant, genotypes, rows, persons):
    values = genotypes.split()
    data = {"marker": [variant.format(1000 + 7 * n) for n in range(rows)], "chrom": [n % 22 for n in range(rows)]}
    data |= {f"S{i:03}": [values[(n * (i + 3) + n // 5) % 3] for n in range(rows)] for i in range(persons)}
    found = anonset.inspect(data)
    assert any("transpose the table" in problem.sentence for problem in found.checks)
    assert {column.role for column in found.columns} == {"drop"}
    assert "relational" not in found.possible_roles


@pytest.mark.parametrize("rows", [30, 300, 3_000])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("name_1", "name_2"),
        ("partner_a_name", "partner_b_name"),
        ("Mieter", "Mitmieter"),
        ("bsn_tenant1", "bsn_tenant2"),
    ],
)
def test_two_persons_in_a_row_are_said_with_the_limit(first, second, rows):
    given, family = ("Anna", "Jan", "Olga", "Piotr", "Ewa"), ("Nowak", "Kowal", "Mazur", "Dudek", "Baran", "Sowa")

    def person(n):
        return str(100_000_007 + 17 * n) if "bsn" in first else f"{given[n % 5]} {family[n // 5 % 6]}"

    data = {first: [person(n) for n in range(rows)], second: [person(7 * n + 3) if n % 3 else "" for n in range(rows)]}
    data["region"] = [("east", "west")[n // 7 % 2] for n in range(rows)]
    said = [problem.sentence for problem in anonset.inspect(data, unit="row").checks if first in problem.sentence]
    assert any(names(text, f"'{first}' '{second}' 'several persons' guarantee") for text in said)
    same = {**data, second: data[first]}
    assert not any("several persons" in one.sentence for one in anonset.inspect(same, unit="row").checks)


def test_a_row_without_the_id_that_all_others_have_is_named():
    data = {"ID number": ["", *map(str, range(1001, 1046))], "quiz": [10, *(n % 11 for n in range(45))]}
    said = [problem.sentence for problem in anonset.inspect(data, unit="row").checks]
    assert any(names(text, "'row 1' 'ID number' delete") for text in said)


@pytest.mark.parametrize(
    ("number", "others", "most"),
    [
        ("id_assessment", ("score",), 12),
        ("Kurs_ID", ("Punkte", "Dauer"), 40),
        ("product id", ("amount", "minutes"), 90),
    ],
)
def test_numbers_of_items_are_offered_before_other_numbers(number, others, most):
    rows = 20 * most
    data = {"student_no": [1000 + n * 7 % (rows // 5) for n in range(rows)]}
    data |= {name: [(n * n + n // 3) % (2 * most + i) for n in range(rows)] for i, name in enumerate(others)}
    data[number] = [500 + (n + n // 7 * 3) % most for n in range(rows)]
    found = anonset.inspect(data, unit="student_no")
    asked = [fix.settings["items"] for problem in found.checks for fix in problem.fixes if "items" in fix.settings]
    proposed = [column.profile.name for column in found.columns if column.role == "items"]
    assert [*([proposed] if proposed else []), *asked][0] == [number]


@pytest.mark.parametrize(
    ("name", "values"), [("icd", ["E11.9", "E11.0", "J45.0"]), ("plz", ["04109", "04103", "80331"])]
)
@pytest.mark.parametrize("role", ["items", "relational"])
def test_codes_get_a_hierarchy_of_prefixes_in_each_role(name, values, role):
    found = anonset.inspect({name: values * 20, "sex": ["f", "m"] * 30}, unit="row", **{role: name})
    (hierarchy,) = [column.hierarchy for column in found.columns if column.profile.name == name]
    assert hierarchy == ("mask:3,1" if (name, role) == ("plz", "relational") else "prefix:1,3")


def test_a_rare_value_that_differs_in_one_letter_from_a_frequent_one_is_reported_without_showing_it():
    towns = ["Berlin"] * 120 + ["Bremen"] * 60 + ["Berlim", "Bremne", "Merlin"]
    data = {"town": towns, "codes": [f"c{n % 7} c{n % 5}" for n in range(len(towns))]}
    (problem,) = [one for one in anonset.inspect(data, unit="row", items="codes").problems if "misspelled" in one]
    assert names(problem, "town '2 rare values' '2 records'")
    assert "Berlim" not in problem
    data["town"] = ["Berlin"] * 120 + ["Bremen"] * 60 + ["Berlim"] * 3
    assert not any("misspelled" in one for one in anonset.inspect(data, unit="row", items="codes").problems)


@pytest.mark.parametrize(("header", "role"), [("v_1", "relational"), ("Q2", "relational"), ("doctor", "drop")])
def test_words_for_the_sexes_are_known_below_any_header_of_the_person(header: str, role: str) -> None:
    data = {
        header: ["-9" if n < 9 else "Mujer" if n % 2 else "Hombre" for n in range(200)],
        "codes": [f"E1{n % 5} I1{n % 7}" for n in range(200)],
    }
    assert roles(anonset.inspect(data, unit="row"))[header] == role
