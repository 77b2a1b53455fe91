"""The owner must declare who is a person, and must confirm that names of people are published."""

import csv
import json
import re
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas
import pytest
from tests.facts import names, refused
from tests.reading.persons import stays

import anonset
from anonset.cli.main import main
from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.data.blocks import SetColumnBuilder
from anonset.data.spans import Limits
from anonset.data.storage.store import Files
from anonset.data.table_facts import OwnerStatements
from anonset.errors import UndeclaredUnitError
from anonset.jobs.runs.persons import further_findings, require_persons, unit_findings

KM = ("--model", "km", "--k", "2", "--m", "1", "--hierarchy", "code=balanced:5")
ROWS = ("--unit", "row")
BY_ROW = OwnerStatements("row")


def write(path, data):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([data, *zip(*data.values(), strict=True)])
    return path


def anonymize(path, out, *more):
    return main(["anonymize", str(path), *KM, "--items", "code", *more, "-o", str(out)])


def report_of(out):
    return json.loads(Path(f"{out}.private", "report.json").read_text())


def attested(out):
    return json.loads(Path(out, "attestation.json").read_text())


def others(data, *kept):
    return ",".join(name for name in data if name not in ("code", *kept))


@pytest.mark.parametrize("key", ["key7", "patient_id"])
@pytest.mark.parametrize("blocks", [(), ("--work-dir", "work")])
@pytest.mark.long
def test_a_run_stops_until_the_owner_declares_who_is_a_person(tmp_path, monkeypatch, capsys, key, blocks):
    monkeypatch.chdir(tmp_path)
    data = stays(key=key)
    path = write(tmp_path / "stays.csv", data)
    assert anonymize(path, "out", "--drop", others(data), *blocks) == 2
    message = capsys.readouterr().err
    assert names(message, f"'--unit {key}' '--unit row' '--unit unknown' 1,500")
    assert message.count("anonset: error") == 1
    assert not any(value in message for value in (data[key][0], data["birth_date"][0]))
    assert not (tmp_path / "out").exists()
    kinds = {"row": "row, declared a person", "unknown": "row, person unknown", key: "person"}
    for unit, kind in kinds.items():
        work = (blocks[0], f"work-{unit}") if blocks else ()
        assert anonymize(path, f"as-{unit}", "--drop", others(data, unit), "--unit", unit, *work) == 0
        assert attested(f"as-{unit}")["declarations"] == {"unit": kind}
        assert attested(f"as-{unit}")["counts"]["records"] == (300 if unit == key else 1500)
    assert names(attested("as-row")["limits"], "owner")
    assert names(attested("as-unknown")["limits"], "person rows protected")
    assert Path("as-row/published.csv").read_bytes() == Path("as-unknown/published.csv").read_bytes()


COLUMNS = {"id": ["c1", "c2", "c3", "c4"], "age": ["30", "30", "40", "40"], "code": ["a", "a", "b", "b"]}


@pytest.mark.parametrize(
    "roles",
    [
        {"items": "code", "drop": "id,age"},
        {"items": "code", "keep": "age", "drop": "id"},
        {"items": "code", "relational": "age", "drop": "id"},
        {"items": "age,code", "drop": "id"},
        {"relational": "age", "drop": "id,code"},
    ],
    ids=str,
)
def test_distinct_ids_and_few_rows_declare_nothing(roles):
    algorithm = anonset.RFirst(k=2, m=1) if len({*roles} & {"items", "relational"}) > 1 else anonset.Apriori(k=2, m=1)
    algorithm = algorithm if "items" in roles else anonset.Mondrian(k=2)
    options = {"accept": "worthless", "publish_as_is": roles.get("keep", ()), "hierarchies": {}}
    if "items" in roles:
        options["hierarchies"] = {"items" if "," in roles["items"] else "code": "balanced:2"}
    for data in (COLUMNS, pandas.DataFrame(COLUMNS)):
        with refused(UndeclaredUnitError, "\"unit='row'\" \"unit='unknown'\" 4", code="unit"):
            anonset.anonymize(anonset.read(data, **roles), algorithm, **options)
        assert anonset.anonymize(anonset.read(data, **roles, unit="row"), algorithm, **options).verdict.holds


def test_several_set_valued_columns_and_attributes_of_a_table_need_a_unit():
    sets = [{"a"}, {"a"}, {"b"}, {"b"}]
    two = Table.from_columns({"x": sets, "y": sets})
    age = Table.from_columns(age=["1", "1", "2", "2"])
    both = Table(SetColumn.of(sets), kept=(CategoricalColumn.of("age", ["1", "1", "2", "2"]),))
    for table in (two, age, both):
        with refused(UndeclaredUnitError, code="unit"):
            require_persons(table)
    require_persons(Table.from_sets(sets))
    require_persons(Table.from_columns({"x": sets}))


def test_a_single_set_valued_column_needs_no_unit(tmp_path):
    (tmp_path / "v.dat").write_text("a b\na b\n")
    (tmp_path / "v.csv").write_text("code\na b\na b\n")
    for place, column in (("v.dat", "items"), ("v.csv", "code")):
        data = anonset.read(tmp_path / place, **({"items": "code"} if column == "code" else {}))
        release = anonset.anonymize(data, anonset.Apriori(k=2, m=1), hierarchies={column: "balanced:2"})
        release.save(tmp_path / f"out-{place}")
        assert attested(tmp_path / f"out-{place}")["declarations"] == {"unit": "row, not asked"}


@pytest.mark.parametrize(
    ("unit", "line"),
    [
        ("unknown", "unit: row; the data do not say who is a person"),
        ("row", "unit: each row is one person, as declared"),
        ("case", "unit: person, as declared"),
    ],
)
def test_verify_states_the_declared_unit(tmp_path, capsys, unit, line):
    path = write(tmp_path / "rows.csv", {"case": ["c1", "c2", "c3", "c4"], "code": ["a", "a", "b", "b"]})
    drop = () if unit == "case" else ("--drop", "case")
    assert anonymize(path, tmp_path / "out", *drop, "--unit", unit) == 0
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "out")]) == 0
    assert line in capsys.readouterr().out.splitlines()


def test_a_run_that_resumes_stops_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = stays()
    path = write(tmp_path / "stays.csv", data)
    for more in ((), ("--if-exists", "resume")):
        assert anonymize(path, "out", "--drop", others(data), "--work-dir", "work", *more) == 2
        assert names(capsys.readouterr().err, "'--unit key7'")


@pytest.mark.parametrize("command", [("suggest",), ("compare",), ("policy", "generate")])
def test_other_commands_that_run_algorithms_stop(tmp_path, capsys, command):
    data = stays(100, 500)
    path = write(tmp_path / "stays.csv", data)
    model = ("--model", "km", "--k", "2", "--m", "1", "--hierarchy", "code=balanced:5")
    options = ("-o", str(tmp_path / "policy.txt"), "--privacy", "pgen", "--k", "2") if len(command) > 1 else model
    run = [*command, str(path), "--items", "code", "--drop", others(data), *options]
    assert main(run) == 2
    assert names(capsys.readouterr().err, "'--unit key7' '--unit row' '--unit unknown'")
    assert main([*run, "--unit", "row"]) == 0


def test_the_python_interface_stops():
    data = stays()
    algorithm, options = anonset.Apriori(k=2, m=1), {"hierarchies": {"code": "balanced:5"}}
    table = anonset.read(data, items="code", drop=others(data))
    for run in (anonset.anonymize, lambda *a, **b: anonset.compare(a[0], [a[1]], **b)):
        with refused(UndeclaredUnitError, "\"unit='key7'\" \"unit='row'\"", code="unit"):
            run(table, algorithm, **options)
    with refused(UndeclaredUnitError, "\"unit='key7'\" \"unit='row'\"", code="unit"):
        anonset.suggest(table, anonset.KmAnonymity(k=2, m=1), **options)
    answered = anonset.read(data, items="code", drop=others(data), unit="row")
    with pytest.warns(UserWarning, match="'key7'"):
        assert anonset.anonymize(answered, algorithm, **options).verdict.holds


@pytest.mark.long
def test_a_job_file_may_contain_the_declaration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = stays(key="patient_id")
    write(tmp_path / "stays.csv", data)
    lines = ['input = "stays.csv"', 'out = "out"', 'items = "code"', f'drop = "{others(data)}"', 'model = "km"']
    job = [*lines, "k = 2", "m = 1", "[hierarchy]", 'code = "balanced:5"']
    Path("job.toml").write_text("\n".join(job))
    assert main(["anonymize", "job.toml"]) == 2
    Path("job.toml").write_text("\n".join(['unit = "row"', *job]))
    assert main(["anonymize", "job.toml"]) == 0


def test_ids_of_buckets_declare_the_person():
    data = {"patient_id": [f"p{n // 2}" for n in range(12)], "drug": [f"d{n % 6}" for n in range(12)]}
    table = anonset.read(data, sensitive="drug", id="patient_id")
    assert anonset.anonymize(table, anonset.SafeGrouping(k=2, l=2)).verdict.holds
    undeclared = anonset.read(data, sensitive="drug", drop="patient_id")
    with refused(UndeclaredUnitError, "\"unit='patient_id'\"", code="unit"):
        anonset.anonymize(undeclared, anonset.Anatomy(l=2))
    table = anonset.read(data, sensitive="drug", drop="patient_id", unit="row")
    with pytest.warns(UserWarning, match="'patient_id'"):
        assert anonset.anonymize(table, anonset.Anatomy(l=2)).verdict.holds


@pytest.mark.parametrize("ids", ["ni", "fund,ni"])
@pytest.mark.parametrize("model", ["anatomy", "safe-grouping"])
@pytest.mark.parametrize("repeated", [True, False])
def test_anatomy_states_that_it_protects_rows_and_counts_persons(tmp_path, capsys, ids, model, repeated):
    data = {"ni": [f"q{n // (1 + repeated)}" for n in range(24)], "fund": ["f"] * 24}
    path = write(tmp_path / "rows.csv", data | {"drug": [f"d{n % 4}" for n in range(24)]})
    out, sizes = tmp_path / "out", ["--l", "2"] if model == "anatomy" else ["--k", "2", "--l", "2"]
    roles = ["--id", ids, "--sensitive", "drug", *([] if "fund" in ids else ["--drop", "fund"])]
    assert main(["anonymize", str(path), *roles, "--model", model, *sizes, "-o", str(out)]) == 0
    ran = capsys.readouterr()
    warned = names(ran.err, "anatomy 24 12 'ni' '--model safe-grouping --k 2 --l 2'")
    assert warned == (model == "anatomy" and repeated)
    assert main(["verify", str(out)]) == 0
    for text in (ran.out, capsys.readouterr().out):
        (line,) = [line for line in text.splitlines() if line.startswith("unit")]
        assert names(line, "row") == (model == "anatomy")
        assert names(line, "person declared")
    assert attested(out)["declarations"]["unit"] == "person"


def test_persons_with_several_rows_are_counted_out_of_core(tmp_path):
    store = Files.temporary(tmp_path, Limits(rows_per_bucket=32))
    ids, drugs = ([f"{letter}{n // 3}" for n in range(600)] for letter in "qd")
    table = Table(sensitive=CategoricalColumn.of("drug", drugs), ids=(CategoricalColumn.of("ni", ids),), store=store)
    assert store.buckets(table.n) > 1
    (finding,) = unit_findings(table, anonset.Anatomy(l=2).model)
    assert names(finding, "600 200 'ni'")
    assert unit_findings(table) == ()


def test_ids_outside_buckets_are_refused_with_the_unit_as_remedy(tmp_path, capsys):
    path = write(tmp_path / "rows.csv", COLUMNS)
    assert anonymize(path, tmp_path / "out", "--drop", "age", "--id", "id") == 2
    assert names(capsys.readouterr().err, "--id anatomy safe-grouping '--unit id'")


@pytest.mark.parametrize("words", ["row,id", "unknown,row"])
def test_words_and_columns_are_no_unit_together(tmp_path, capsys, words):
    path = write(tmp_path / "rows.csv", COLUMNS)
    assert anonymize(path, tmp_path / "out", "--drop", "age", "--unit", words) == 2
    assert names(capsys.readouterr().err, "--unit row unknown")


@pytest.mark.parametrize("header", ["row", "unknown"])
def test_a_column_named_like_another_unit_is_never_offered(header):
    """The setting would mean something else."""
    persons = [f"k{n // 3 * 7919}-x" for n in range(60)]
    data = {header: persons, "sex": ["fm"[n // 3 % 2] for n in range(60)], "code": ["a", "b"] * 30}
    answers = anonset.inspect(data).question.answers
    assert [(str(answer.unit), answer.persons) for answer in answers] == [("row", 60), ("unknown", None)]
    with refused(UndeclaredUnitError, "\"unit='COLUMN'\"", code="unit"):
        require_persons(anonset.read(data, items="code", drop=[header, "sex"]))
    assert anonset.inspect(data | {"key": persons}).question.answers[0].unit == ("key",)


@pytest.mark.long
@pytest.mark.parametrize("unit", ["row", "ni", "unknown"])
@pytest.mark.parametrize("blocks", [(), ("--work-dir", "work")])
def test_rows_that_contradict_the_declared_unit_are_a_warning(tmp_path, monkeypatch, capsys, unit, blocks):
    monkeypatch.chdir(tmp_path)
    data = {"ni": [f"q{n}" for n in range(60)], "member_id": [f"m{n // 2}" for n in range(60)]}
    path = write(tmp_path / "rows.csv", data | {"code": list("aabb") * 15})
    drop = others(data, unit)
    assert anonymize(path, "out", "--drop", drop, "--unit", unit, *blocks) == 0
    for said in (capsys.readouterr().err, "\n".join(report_of("out")["warnings"])):
        assert names(said, "60 30 member_id '--unit member_id'")
        assert "m29" not in said
    problems = anonset.inspect(path, items="code", drop=drop, unit=unit).problems
    assert any(names(problem, "60 30 \"unit='member_id'\"") for problem in problems)
    assert anonymize(path, "persons", "--drop", "ni", "--unit", "member_id") == 0
    assert report_of("persons")["warnings"] == []


@pytest.mark.parametrize("fact", ["year", "sex"])
def test_a_name_whose_rows_differ_in_a_fact_of_a_person_is_a_warning(tmp_path, capsys, fact):
    header = {"year": "birth_year", "sex": "sex"}[fact]
    persons = [f"{first} {last}" for first in ("Ann", "Peter", "Julia", "Hans") for last in ("Lee", "Ray", "Weber")]
    facts = {"year": [str(1940 + n) for n in range(12)], "sex": ["f", "m", "m", "f"] * 3}[fact] * 5
    facts[31] = facts[33]
    data = {"Name": persons * 5, header: facts, "code": list("aabb") * 15}
    path = write(tmp_path / "rows.csv", data)
    assert anonymize(path, tmp_path / "out", "--drop", header, "--unit", "Name") == 0
    said = capsys.readouterr().err
    assert names(said, "'1 person' Name several")
    assert (f"Name,{header}" in said) == (fact == "year")
    found = anonset.inspect(path, items="code", unit="Name")
    assert sum(names(one, f"{header!r} '1 person' 'several persons'") for one in found.problems) == 1
    found = anonset.inspect(path, items="code", drop=header, unit="Name")
    assert [one for one in found.problems if names(one, f"{header!r} '1 person' several")]
    answers = anonset.inspect(path, items="code", drop=header).question.lines()
    assert any(f'unit = "Name" # 60 rows, 12 persons, {header} differs within 1 of them' in line for line in answers)
    ages = write(tmp_path / "ages.csv", data | {"age": [str(20 + n) for n in range(60)], header: ["1960"] * 60})
    assert not anonset.inspect(ages, items="code", drop=["age", header], unit="Name").checks


TESTS = {
    "name": ["Test Patient", "TEST", "Mouse, Mickey", "Dr. Max Mustermann", "тест"],
    "patient_id": ["TEST001", "dummy-2", "Testpatient3", "TEST_4", "test"],
}


@pytest.mark.parametrize("header", TESTS)
def test_test_persons_are_counted_in_a_warning(tmp_path, capsys, header):
    others_of = {"name": "Testa Mouse", "patient_id": "P1"}[header]
    data = {header: [*TESTS[header], *[f"{others_of}{n}" for n in range(55)]], "code": list("aabb") * 15}
    path = write(tmp_path / "rows.csv", data)
    assert anonymize(path, tmp_path / "out", "--drop", header, *ROWS) == 0
    for said in (capsys.readouterr().err, "\n".join(report_of(tmp_path / "out")["warnings"])):
        assert names(said, f"'5 persons' '5 rows' {header!r}")
        assert "Mouse" not in said
    for unit in ({}, {"unit": "row"}):
        problems = anonset.inspect(path, items="code", **unit).problems
        assert sum(names(problem, f"'5 persons' {header!r}") for problem in problems) == 1


def test_test_persons_have_their_names_in_two_columns():
    data = {"first_name": ["Mickey", "Ann", "Jane"], "surname": ["Mouse", "Mouse", "Doe"], "code": ["a", "a", "b"]}
    table = anonset.read(data, items="code", drop=["first_name", "surname"], unit="row")
    assert [names(str(one), "'2 persons'") for one in further_findings(table)] == [True]


NAMED = {
    "Nachname": ["Lee", "Ray"], "e": ["a@b.org", "c@d.net"], "E-Mail": ["x", "y"], "IBAN": ["1", "2"],
    "k": ["GB82WEST12345698765432", "DE89 3704 0044 0532 0130 00"],
}  # fmt: skip


@pytest.mark.parametrize("header", NAMED)
@pytest.mark.parametrize("role", ["relational", "keep"])
@pytest.mark.long
def test_columns_that_name_persons_are_rejected_until_the_owner_answers(tmp_path, capsys, header, role):
    data = {header: NAMED[header] * 10, "code": ["a", "b"] * 10}
    path = write(tmp_path / "rows.csv", data)
    model = ("--model", "k", "--k", "2", "--drop", "code") if role == "relational" else (*KM, "--items", "code")
    job = ("anonymize", str(path), *model, f"--{role}", header, *ROWS, "-o", str(tmp_path / "out"))
    assert main([*job]) == 2
    message = capsys.readouterr().err
    assert f"--publish-as-is {header}" in message
    assert f"--drop {header}" in message
    assert not any(value in message for value in NAMED[header] if len(value) > 1)
    assert main([*job, "--publish-as-is", header]) == 0
    declared = json.loads((tmp_path / "out/attestation.json").read_text())["declarations"]
    assert declared["published_as_is"] == [header]
    assert main(["verify", str(tmp_path / "out")]) == 0


def test_capitalized_words_are_proposed_to_drop_but_not_rejected():
    rng = np.random.default_rng(1)
    words = ["".join(rng.choice(list("abcdefghij"), 6)).capitalize() for _ in range(200)]
    data = {"x7": list(rng.choice(words, 400)), "sex": list(rng.choice(["f", "m"], 400)), "code": ["a", "b"] * 200}
    result = {column.profile.name: column for column in anonset.inspect(data).columns}
    assert result["x7"].role == "drop"
    assert names(result["x7"].reason, "names")
    table = anonset.read(data, items="code", keep="x7", drop="sex", unit="row")
    assert anonset.anonymize(table, anonset.Apriori(k=2, m=1), hierarchies={"code": "balanced:2"}).verdict.holds


@pytest.mark.parametrize("key", ["key7", "patient_id", "Patienten-Nr.", "Fallnummer"])
@pytest.mark.long
def test_the_proposed_job_is_of_persons_and_runs_once_answered(tmp_path, monkeypatch, key):
    monkeypatch.chdir(tmp_path)
    data = stays(key=key)
    write(tmp_path / "stays.csv", data)
    assert main(["inspect", "stays.csv", "-o", "job.toml", "--k", "2", "--m", "1"]) == 0
    inspection = anonset.inspect("stays.csv")
    proposed = {column.profile.name: column.role for column in inspection.columns}
    expected = ("unit", "items", "drop", "drop")
    assert (proposed[key], proposed["code"], proposed["admitted"], proposed["costs"]) == expected
    assert (inspection.records, inspection.persons) == (300, None)
    answers = [(str(answer.unit), answer.persons) for answer in inspection.question.answers]
    assert answers == [(key, 300), ("row", 1500), ("unknown", None)]
    assert main(["anonymize", "job.toml"]) == 2
    Path("job.toml").write_text(Path("job.toml").read_text().replace('unit = "?"', f'unit = "{key}"'))
    assert main(["anonymize", "job.toml"]) == 2
    assert main(["anonymize", "job.toml", "--items", "code"]) == 0
    attestation = attested("stays-safe")
    assert (attestation["declarations"]["unit"], attestation["counts"]["records"]) == ("person", 300)


@pytest.mark.parametrize("header", ["Vorname", "geb.", "Straße", "Telefon", "E-Mail", "IBAN", "Geburtsname", "cognome"])
def test_names_and_contact_data_are_proposed_to_drop_at_any_frequency(header):
    data = {header: [f"v{n % 3}" for n in range(300)], "sex": ["f", "m"] * 150, "code": ["a b", "a"] * 150}
    assert {column.profile.name: column.role for column in anonset.inspect(data).columns}[header] in ("drop", "unit")


@pytest.mark.long
def test_given_roles_that_would_be_rejected_are_reported():
    data = stays()
    inspection = anonset.inspect(data, items="code", drop=others(data))
    assert [str(answer.unit) for answer in inspection.question.answers] == ["key7", "row", "unknown"]
    inspection = anonset.inspect(anonset.read(data, items="code", drop=others(data)))
    assert any(names(problem, "\"unit='key7'\" \"unit='row'\"") for problem in inspection.problems)
    inspection = anonset.inspect(anonset.read(data, items="code", drop=others(data), unit="row"))
    assert any(names(problem, "1,500 300 key7") for problem in inspection.problems)


def spoilt(data, key):
    """Return the data with rounded ids, as a spreadsheet stores long numbers. Several persons share an id."""
    who = {value: n for n, value in enumerate(dict.fromkeys(data[key]))}
    return data | {key: [f"1,{who[value] // 3:05d}E+11" for value in data[key]]}


@pytest.mark.parametrize("key", ["Fallnummer", "key7"])
@pytest.mark.parametrize("blocks", [(), ("--work-dir", "work")])
@pytest.mark.long
def test_rows_are_never_united_by_ids_that_a_spreadsheet_cut_off(tmp_path, monkeypatch, capsys, key, blocks):
    monkeypatch.chdir(tmp_path)
    data = spoilt(stays(key=key), key)
    path = write(tmp_path / "stays.csv", data)
    assert anonymize(path, "out", "--drop", others(data, key), "--unit", key, *blocks) == 2
    message = capsys.readouterr().err
    assert names(message, f"{key} numbers text")
    assert data[key][0] not in message


@pytest.mark.long
@pytest.mark.parametrize("key", ["Fallnummer", "key7"])
def test_ids_that_a_spreadsheet_cut_off_are_no_answer(tmp_path, capsys, key):
    data = spoilt(stays(key=key), key)
    path = write(tmp_path / "stays.csv", data)
    assert anonymize(path, tmp_path / "out", "--drop", others(data)) == 2
    message = capsys.readouterr().err
    assert names(message, "'--unit row' '--unit unknown'")
    assert f"--unit {key}" not in message
    inspection = anonset.inspect(path)
    assert key not in {str(answer.unit) for answer in inspection.question.answers}
    assert any(names(problem, f"{key} numbers text") for problem in inspection.problems)


FORMS = {"iso": "%Y-%m-%d", "german": "%d.%m.%Y", "us": "%m/%d/%Y", "plain": "%Y%m%d"}


def born(form, n=60):
    """Return rows with dates of birth, many rows on each of few days."""
    days = [np.datetime64("1950-01-13").astype(object) + timedelta(days=n % 6 * 40) for n in range(n)]
    return {"dob": [day.strftime(form) for day in days], "code": ["a", "b"] * (n // 2)}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("role", ["keep", "relational", "relational as values", "relational as date:FORM:month,year"])
@pytest.mark.long
def test_full_dates_of_birth_are_rejected_without_a_hierarchy(tmp_path, capsys, form, role):
    path = write(tmp_path / "rows.csv", born(form))
    role, *tree = role.replace("FORM", form).split(" as ")
    model = ("--model", "k", "--k", "2", "--drop", "code") if role == "relational" else (*KM, "--items", "code")
    job = ("anonymize", str(path), *model, f"--{role}", "dob", *ROWS)
    more = ("--hierarchy", f"dob={tree[0]}") if tree else ()
    assert main([*job, *more, "-o", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert names(message, "column dob")
    assert born(form)["dob"][0] not in message
    assert main([*job, *more, "--publish-as-is", "dob", "-o", str(tmp_path / "out")]) == 0
    if role == "relational":
        levels = re.search(r"--hierarchy dob=([^\s;]+)", message)[1]
        assert levels.endswith("from-month,year,decade")
        coarse = [*job, "--hierarchy", f"dob={levels}", "-o", str(tmp_path / "coarse")]
        assert main(coarse) == 0
        published = (tmp_path / "coarse/published.csv").read_text()
        assert "1950-01" in published  # months, but no days
        assert not any(day in published for day in born(form)["dob"])
        tree, out = ("--hierarchy", f"dob={levels}", "--drop", "code"), str(tmp_path / "coarse")
        records = str(tmp_path / "coarse.private/records.csv")
        assert main(["verify", out, "--original", str(path), "--records", records, *tree]) == 0
        assert main(["risk", out, "--original", str(path), *tree]) == 0
        assert main(["evaluate", str(path), out, "--relational", "dob", *tree]) == 0


def test_numbers_that_are_dates_of_birth_are_refused_as_ranges(tmp_path, capsys):
    path = write(tmp_path / "rows.csv", born("%Y%m%d"))
    job = ["anonymize", str(path), "--model", "k", "--k", "2", "--drop", "code", "--relational", "dob", *ROWS]
    assert main([*job, "--hierarchy", "dob=range", "-o", str(tmp_path / "out")]) == 2
    assert names(capsys.readouterr().err, "--hierarchy dob=date:%Y%m%d:from-month,year,decade")


@pytest.mark.parametrize("command", ["suggest", "compare"])
def test_suggest_and_compare_reject_full_dates_of_birth(tmp_path, capsys, command):
    path = write(tmp_path / "rows.csv", born("%Y-%m-%d"))
    options = ("--drop", "code", "--relational", "dob", *ROWS, "--model", "k", "--k", "2")
    assert main([command, str(path), *options]) == 2
    assert names(capsys.readouterr().err, "dob birth")
    assert main([command, str(path), *options, "--hierarchy", "dob=date:from-year"]) == 0


@pytest.mark.parametrize("values", [["1950", "1961"], ["1950-03", "1961-04"], ["34", "77"]])
@pytest.mark.parametrize("header", ["dob", "Geburtsdatum", "visit"])
def test_years_months_and_other_dates_are_no_full_dates_of_birth(header, values):
    cells = values if header != "visit" else ["2020-01-13", "2021-04-05"]
    table = anonset.read({header: cells * 10, "code": ["a", "b"] * 10}, items="code", keep=header, unit="row")
    assert anonset.anonymize(table, anonset.Apriori(k=2, m=1), hierarchies={"code": "balanced:2"}).verdict.holds


def test_names_with_dates_of_birth_may_be_the_unit(tmp_path):
    data = stays(key="number")
    who = {value: n for n, value in enumerate(dict.fromkeys(data["number"]))}
    data["Nachname"] = ["AB"[who[number] % 2] for number in data["number"]]
    path = write(tmp_path / "stays.csv", data)
    ids = ("--unit", "Nachname,birth_date")
    assert anonymize(path, tmp_path / "out", "--drop", others(data, "Nachname", "birth_date"), *ids) == 0
    attestation = attested(tmp_path / "out")
    persons = len(set(zip(data["Nachname"], data["birth_date"], strict=True)))
    assert (attestation["declarations"]["unit"], attestation["counts"]["records"]) == ("person", persons)


@pytest.mark.long
@pytest.mark.parametrize("form", ["q{}", "{:07d}", "A-{}"])
def test_a_repeating_opaque_key_is_proposed_as_id_without_another_id(form):
    rng = np.random.default_rng(1)
    who, article = rng.integers(0, 400, 3_000), rng.integers(0, 30, 3_000)
    data = {
        "k1": [form.format(7919 * int(number)) for number in who],
        "article": [f"bread {number:c}" for number in article + 65],
    }
    inspection = anonset.inspect(data)
    assert {column.profile.name: column.role for column in inspection.columns} == {"k1": "unit", "article": "items"}
    assert inspection.settings["unit"] == ["k1"]
    with_id = anonset.inspect(data | {"patient_id": [f"p{number}" for number in who]})
    assert {column.profile.name: column.role for column in with_id.columns}["patient_id"] == "unit"


def test_attributes_that_resemble_keys_but_repeat_irregularly_are_kept():
    rng = np.random.default_rng(2)
    few, all_of_them = [f"job{number}" for number in rng.integers(0, 30, 3_000)], 100 * rng.integers(200, 900, 3_000)
    data = {"job": few, "income": [str(person) for person in all_of_them], "sex": list(rng.choice(["f", "m"], 3_000))}
    inspection = anonset.inspect(data)
    assert {column.profile.name: column.role for column in inspection.columns} == {
        "job": "relational",
        "income": "drop",
        "sex": "relational",
    }
    assert [str(answer.unit) for answer in inspection.question.answers] == ["row", "unknown"]


@pytest.mark.parametrize("form", ["{}", "C{}-x", "p{}@b.org"])
def test_an_id_in_each_basket_is_refused(tmp_path, capsys, form):
    ids = [form.format(209_000_000 + 37 * (n % 300)) for n in range(900)]
    lines = [f"{one};bread;milk {n % 7}" for n, one in enumerate(ids)]
    path = tmp_path / "baskets.txt"
    path.write_text("\n".join([*lines, ""]))
    run = ["anonymize", str(path), "--input-format", "baskets", "--hierarchy", "items=halves:frequency", *KM[:2]]
    run += ["--k", "3", "--m", "1"]
    assert main([*run, "-o", str(tmp_path / "out")]) == 2
    assert names(capsys.readouterr().err, "'300 items' '--unit 1' '--items 2' '--publish-as-is items'")
    path.write_text("\n".join([*(line.partition(";")[2] for line in lines), ""]))
    assert main([*run, "-o", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(("with_id", "persons"), [(5, 400), (1, 150), (20, 300)])
def test_a_card_number_in_some_baskets_is_refused(tmp_path, capsys, with_id, persons):
    of_person = [f"{4_099_000_000_000 + 7919 * person};" for person in range(persons)]
    cards = [of_person[n // with_id % persons] if n % with_id == 0 else "" for n in range(9_000)]
    path = tmp_path / "baskets.txt"
    path.write_text("".join(f"{card}bread;{10 + n % 7}\n" for n, card in enumerate(cards)))
    run = ["anonymize", str(path), "--input-format", "baskets", "--hierarchy", "items=halves:frequency", *KM[:2]]
    assert main([*run, "--k", "3", "--m", "1", "-o", str(tmp_path / "out")]) == 2
    assert names(capsys.readouterr().err, "items '--unit 1' '--items 2' '--publish-as-is items'")


def test_product_codes_of_many_digits_are_no_ids(tmp_path):
    path = tmp_path / "baskets.txt"
    lines = [[str(4_000_000 + (n * step) % 150) for step in (1, 7, 11)[: 1 + n % 3]] + ["milk"] for n in range(900)]
    path.write_text("".join(";".join(line) + "\n" for line in lines))
    run = ["anonymize", str(path), "--input-format", "baskets", "--hierarchy", "items=halves:frequency", *KM[:2]]
    assert main([*run, "--k", "3", "--m", "1", "-o", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize("mark", ["; ", ",", "|"])
def test_a_text_file_with_lines_of_different_lengths_is_read_as_baskets(tmp_path, monkeypatch, capsys, mark):
    monkeypatch.chdir(tmp_path)
    lines = [mark.join(["bread", "milk", "eggs", "wine", "tea"][n % 3 : 3 + n % 4]) for n in range(400)]
    Path("baskets.txt").write_text("\n".join([*lines, ""]))
    run = ["anonymize", "baskets.txt", "--items", "items", "--hierarchy", "items=halves:frequency"]
    assert main([*run, "--model", "km", "--k", "5", "--m", "1", "-o", "out"]) == 2
    err = capsys.readouterr().err
    assert "the first lines suggest: --input-format baskets" in err
    assert main(["inspect", "baskets.txt"]) == 0
    assert "read with --input-format baskets" in capsys.readouterr().out


def test_products_with_numbers_are_no_ids(tmp_path):
    path = tmp_path / "baskets.txt"
    baskets = [[f"Artikel {100 + (n * step) % 150}" for step in (1, 7, 11)[: 1 + n % 3]] + ["milk"] for n in range(900)]
    path.write_text("\n".join([*(";".join(basket) for basket in baskets), ""]))
    run = ["anonymize", str(path), "--input-format", "baskets", "--hierarchy", "items=halves:frequency", *KM[:2]]
    run += ["--k", "3", "--m", "1"]
    assert main([*run, "-o", str(tmp_path / "out")]) == 0


@pytest.mark.long
@pytest.mark.parametrize(
    "spellings",
    [("P{:02}@post.org", "p{:02}@post.org", " P{:02}@Post.org "), ("A 123-4{:02}", "a1234{:02}", "A-123-4{:02}.")],
)
def test_ids_that_differ_only_in_spelling_are_one_person(tmp_path, monkeypatch, capsys, spellings):
    monkeypatch.chdir(tmp_path)
    lines = ["mail,code"]
    for n in range(30):
        lines += [f'"{spelling.format(n)}",{code}' for spelling, code in zip(spellings, "abc", strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    km = ("--model", "km", "--k", "30", "--m", "2", "--hierarchy", "code=balanced:2")
    assert main(["anonymize", "rows.csv", *km, "--items", "code", "--drop", "mail", "-o", "rows"]) == 2
    assert names(capsys.readouterr().err, "'--unit mail' 30")
    assert main(["inspect", "rows.csv", "--items", "code"]) == 0
    assert names(capsys.readouterr().out, "mail 30 persons")
    for out, blocks in (("out", ()), ("other", ("--work-dir", "work"))):
        assert main(["anonymize", "rows.csv", *km, "--items", "code", "--unit", "mail", "-o", out, *blocks]) == 0
        assert Path(out, "published.csv").read_text().splitlines()[1:] == ["a b c"] * 30
        assert names(capsys.readouterr().err, "'mail' '30 persons' spellings")
    table = anonset.read("rows.csv", items="code", unit="mail")
    assert (table.n, table.ids[0].labels()[0]) == (30, spellings[0].format(0))


def test_items_in_files_are_not_copied(work):
    sets = SetColumn.of([{f"code {(row * step) % 150}" for step in (1, 3, 7, 11)} for row in range(300)])
    with SetColumnBuilder("items", work, narrow=True) as growing:
        growing.append(sets)
    table, files = Table(growing.finished(sets.vocabulary), store=work), set(work.path.iterdir())
    require_persons(table)
    assert set(work.path.iterdir()) == files


def test_a_rare_item_in_each_record_may_be_a_user_name():
    def user(n: int) -> str:
        return "".join(chr(97 + n // 26**place % 26) for place in (2, 0, 1)) + "x"

    codes = [{f"code {chr(65 + (n * step) % 23)}" for step in range(1, 8)} for n in range(300)]
    require_persons(Table.from_sets(codes))
    with refused(anonset.InputError, "300 rare"):
        require_persons(Table.from_sets([items | {user(n)} for n, items in enumerate(codes)]))
    require_persons(Table.from_sets([items | {user(n)} if n % 2 else items for n, items in enumerate(codes)]))


def test_a_fix_names_an_id_whose_name_contains_a_comma() -> None:
    data = {"patient, id": [f"p{n // 2}" for n in range(40)], "code": ["a", "b"] * 20}
    with pytest.raises(UndeclaredUnitError) as reported:
        require_persons(anonset.read(data, items="code", drop=["patient, id"]))
    assert reported.value.fixes[0].settings == {"unit": ["patient, id"]}
