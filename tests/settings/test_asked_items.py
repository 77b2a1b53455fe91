"""Every column that may contain the items is an answer, and no weak candidate is published without an answer."""

import random
import re
import tomllib
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

import anonset
from anonset.errors import Fix
from anonset.jobs.findings import Findings
from anonset.settings.job import Job
from anonset.settings.job_files import item_fixes, read_job

DRAW = random.Random(11)
PERSONS = [n for n in range(150) for _ in range(3 + n % 3)]
TOWNS = ["Harbour", "Market", "Castle", "Bridge", "Mill"]


def found(**columns: list[str]) -> Findings:
    own = {"pid": [f"P{n:04}" for n in PERSONS], "sex": ["fm"[n % 2] for n in PERSONS]}
    inspected = anonset.inspect({**own, **columns}, unit="pid")
    assert isinstance(inspected, Findings)
    return inspected


def drawn(values: list[str]) -> list[str]:
    return [DRAW.choice(values) for _ in PERSONS]


def answers(inspected: Findings) -> list[dict[str, object]]:
    return [dict(fix.settings) for fix in inspected.item_answers]


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("tumour site", ["breast", "lung", "colon"]),
        ("histology", ["8140", "8500", "8070"]),
        ("End station", TOWNS),
        ("album artist", ["Ella Fitzgerald", "John Smith", "Anna Schmidt", "Maria Garcia", "Peter Brown"]),
    ],
)
def test_values_that_persons_share_are_answers(header: str, values: list[str]) -> None:
    assert {"items": [header]} in answers(found(**{header: drawn(values)}))


def test_values_of_which_each_person_has_all_are_answers_of_the_last_resort() -> None:
    order = [n - PERSONS.index(person) for n, person in enumerate(PERSONS)]
    data = {"pid": [f"P{n:04}" for n in PERSONS], "field": [("dx", "height", "smoker")[n % 3] for n in order]}
    inspected = anonset.inspect(data, unit="pid")
    assert isinstance(inspected, Findings)
    assert answers(inspected) == [{"items": ["field"]}]


def test_words_of_another_column_are_answers() -> None:
    kinds = ["Run", "Ride", "Swim", "Walk"]
    chosen = drawn(kinds)
    titles = [f"{DRAW.choice(['Maria', 'Peter', 'Anna', 'John'])} {kind}" for kind in chosen]
    assert {"items": ["kind"]} in answers(found(**{"athlete name": titles, "kind": chosen}))


def test_a_weak_candidate_is_asked_even_if_it_is_the_only_one() -> None:
    data = {"pid": [f"P{n:04}" for n in PERSONS], "thing": drawn(TOWNS)}
    inspected = anonset.inspect(data, unit="pid")
    assert isinstance(inspected, Findings)
    assert answers(inspected) == [{"items": ["thing"]}]
    assert (inspected.obstacle, inspected.columns[1].role) == (None, "drop")


def test_counters_quantities_and_names_are_no_answers() -> None:
    numbers = [str(1 + n % 5) for n in range(len(PERSONS))]
    doctors = ["Anna Schmidt", "Maria Garcia", "Peter Brown", "John Smith"]
    columns = {"drug seq": numbers, "doctor": drawn(doctors), "thing": drawn(TOWNS)}
    assert answers(found(**columns)) == [{"items": ["thing"]}]


def test_names_of_fields_are_the_last_answer() -> None:
    fields = ["dx", "height", "smoker"]
    order = [n - PERSONS.index(person) for n, person in enumerate(PERSONS)]
    columns = {"field": [fields[n % 3] for n in order], "answer": drawn(["often", "often", "often", "never"])}
    inspected = found(**columns)
    assert answers(inspected)[:2] == [{"items": ["answer"]}, {"items": ["field"]}]
    assert "names of fields" in inspected.item_answers[1].effect


def test_a_group_of_columns_is_joined_with_a_single_column() -> None:
    codes = ["E11.9", "I10", "J45.0", "K21.0", "M54.5"]
    inspected = found(dx1=drawn(codes), dx2=drawn(codes), procedure=drawn(["99213", "80053", "93000"]))
    assert {"one_code": ["dx1", "dx2", "procedure"]} in answers(inspected)


def test_the_commands_of_five_columns_are_printed_and_the_others_are_named() -> None:
    inspected = found(**{f"thing {sign}": drawn([f"{sign}{n}" for n in TOWNS]) for sign in "abcdefg"})
    single = [fix for fix in answers(inspected) if fix.get("items") and len(fix["items"]) == 1]
    assert len(single) == 7
    (asked,) = [problem for problem in inspected.problems if "less likely: 'thing g'" in problem]
    assert asked.count("contains the items") == 5


def test_sensitive_columns_of_a_checklist_belong_to_it() -> None:
    headers = ["Kopfschmerz", "Schwindel", "Fieber", "Husten", "Depression"]
    columns = {header: drawn(["Ja", "Nein"]) for header in headers}
    inspected = anonset.inspect({"Alter": [str(20 + n % 50) for n in PERSONS], **columns}, unit="row")
    assert isinstance(inspected, Findings)
    assert answers(inspected) == [{"one_hot": headers}]


def test_columns_with_the_same_two_values_are_an_answer() -> None:
    headers = ["E1103", "E0602", "E1106", "E0515"]
    columns = {header: drawn(["P", "A"]) for header in headers}
    inspected = anonset.inspect({"age": [str(20 + n % 50) for n in PERSONS], **columns}, unit="row")
    assert isinstance(inspected, Findings)
    by_value = {"one_hot": headers, "present": "VALUE"}
    assert answers(inspected) == [by_value, {"one_code": headers, "with_header": True}]


def test_each_of_two_digits_may_mark_an_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    headers = ["Gicht", "Rheuma", "Migraene", "Diabetes"]
    columns = {header: drawn(["1", "2"]) for header in headers}
    csv.write_csv(pa.table({"Alter": [str(20 + n % 50) for n in PERSONS], **columns}), "patients.csv")
    inspected = anonset.inspect("patients.csv", unit="row")
    assert isinstance(inspected, Findings)
    marked = [{"one_hot": headers, "present": digit} for digit in "12"]
    asked = [*marked, {"one_code": headers, "with_header": True}]
    assert answers(inspected) == asked
    text = inspected.job_text()
    assert inspected.settings.names("sensitive") == ["Diabetes"]
    assert [dict(fix.settings) for fix in item_fixes(Job(tomllib.loads(text)))] == [*asked, {"items": ["none"]}]
    for number, line in enumerate(re.findall(r"# (items = .*) # if", text)):
        Path("job.toml").write_text(text.replace('items = "?"', line))
        assert read_job("job.toml").names("drop") == []
        assert read_job("job.toml").only(("one_hot", "present", "one_code", "with_header")).settings == asked[number]


def test_items_of_several_fields_are_not_proposed() -> None:
    parts = [f"name:tea-{n % 4}|quantity:{n % 3}" for n in range(12)]
    lines = [";".join(parts[n * step % 12] for step in (1, 3, 5)[: 1 + n % 3]) for n in range(len(PERSONS))]
    inspected = found(lines=lines)
    assert not inspected.settings.get("items")
    assert any("contain fields joined by '|'" in problem for problem in inspected.problems)


def test_a_path_into_nested_values_is_offered_unless_it_names_persons() -> None:
    sessions = [{"app": f"app{n % 4}", "user": f"u{n}"} for n in range(len(PERSONS))]
    rows = [{"pid": f"P{n:04}", "sessions": [one]} for n, one in zip(PERSONS, sessions, strict=True)]
    inspected = anonset.inspect(pa.Table.from_pylist(rows), unit="pid")
    assert isinstance(inspected, Findings)
    column = inspected.columns[1]
    assert column.proposed.fixes == (Fix({"items": ["sessions[].app"]}, "if sessions[].app contains the items"),)


def test_the_columns_of_a_question_with_choices_are_dropped_by_name_until_the_items_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    choices = {f"Which conditions? (choice={name})": drawn(["Checked", "Unchecked"]) for name in ("HIV", "Asthma")}
    own = {"pid": [f"P{n:04}" for n in PERSONS], "Diagnosis code": drawn(["J45", "E11", "I10", "B20"])}
    csv.write_csv(pa.table({**own, **choices}), "visits.csv")
    inspected = anonset.inspect("visits.csv", unit="pid")
    assert isinstance(inspected, Findings)
    job = Job(tomllib.loads(inspected.job_text()))
    assert (job.get("items"), {*choices} <= {*job.names("drop")}) == ("?", True), job.names("drop")


def test_an_id_that_is_no_column_is_named() -> None:
    inspected = anonset.inspect({"pid": [f"P{n:04}" for n in PERSONS], "seen": drawn(TOWNS)}, unit="case")
    assert isinstance(inspected, Findings)
    (problem,) = inspected.problems
    assert "no column 'case'" in problem


@pytest.mark.parametrize("header", ["Provider_NPI", "physician id"])
def test_numbers_of_staff_and_places_are_no_answers(header: str) -> None:
    inspected = found(**{header: drawn(["1234567801", "1234567807", "1234567813"]), "drug": drawn(["A10BA02", "C09"])})
    assert {"items": [header]} not in answers(inspected)
    assert all(header not in fix["items"] for fix in answers(inspected) if "items" in fix)


def test_keys_are_answers_and_votes_are_none() -> None:
    own, summaries = {"pid": [f"P{n:04}" for n in PERSONS]}, drawn(["Great", "Poor", "Fine", "Solid", "Weak"])
    keys = drawn([f"{n * 7919 * 104729:012x}" for n in range(10**6, 10**6 + 20)])
    votes = [f"[{n % 2}, {n % 3}]" for n in range(len(PERSONS))]
    inspected = anonset.inspect({**own, "zq": keys, "helpful": votes, "summary": summaries}, unit="pid")
    assert isinstance(inspected, Findings)
    assert answers(inspected) == [{"items": ["summary"]}, {"items": ["zq"], "publish_as_is": ["zq"]}]


def test_choices_of_0_and_1_precede_the_answers_of_a_scale() -> None:
    scale = {f"S4r{n}": drawn(list("12345")) for n in range(3)}
    numbered = {f"S3r{n}": drawn(["0", "1"]) for n in range(4)}
    inspected = anonset.inspect({**scale, **numbered}, unit="row")
    assert isinstance(inspected, Findings)
    assert inspected.settings.names("one_hot") == [*numbered]
    named = {f"Media {name}": drawn(["0", "1"]) for name in ("TV", "Radio", "Press")}
    inspected = anonset.inspect({**scale, **named}, unit="row")
    assert isinstance(inspected, Findings)
    assert answers(inspected) == [{"one_code": [*scale]}, {"one_hot": [*named]}]


def test_names_of_persons_are_no_answers() -> None:
    inspected = found(**{"billing.last_name": drawn(["abel", "brand", "cole"]), "drug": drawn(["A10BA02", "C09AA01"])})
    assert all("billing.last_name" not in fix["items"] for fix in answers(inspected) if "items" in fix)


def test_paths_of_things_in_nested_values_are_answers_and_their_columns_stay_named() -> None:
    shows = [{"id": n, "at": "10:00", "show": {"id": n % 7}, "user": {"id": n}} for n in range(len(PERSONS))]
    rows = [{"pid": f"P{n:04}", "sex": "fm"[n % 2], "seen": [one]} for n, one in zip(PERSONS, shows, strict=True)]
    inspected = anonset.inspect(pa.Table.from_pylist(rows), unit="pid")
    assert isinstance(inspected, Findings)
    assert {"items": ["seen[].show.id"]} in answers(inspected)
    assert {"items": ["seen[].id"]} not in answers(inspected)
    assert {"items": ["seen[].user.id"]} not in answers(inspected)
    assert inspected.columns[2].profile.name == "seen"


def test_a_column_of_entered_values_is_no_id_and_the_names_of_its_fields_are_said(tmp_path: Path) -> None:
    fields, persons = ("sex", "age", "smoker", "dx", "weight"), range(80)
    entered = {"sex": "12", "age": [*map(str, range(20, 60))], "smoker": "01", "dx": ["E11", "I10"], "weight": "567"}
    rows = [(1000 + n, event, one, DRAW.choice(entered[one])) for n in persons for event in "bf" for one in fields]
    lines = [",".join(map(str, row)) for row in (("record", "event", "field", "value"), *rows)]
    (tmp_path / "entered.csv").write_text("\n".join(lines))
    inspected = anonset.inspect(str(tmp_path / "entered.csv"))
    assert isinstance(inspected, Findings)
    first = inspected.question.answers[0]
    assert (str(first.unit), first.problem) == ("record", "")
    assert "names of fields" in next(fix.effect for fix in first.item_answers if fix.settings["items"] == ["field"])
    assert not any("null" in fix.settings for problem in inspected.checks for fix in problem.fixes)


def test_ids_that_look_like_codes_are_the_last_answer_and_in_doubt() -> None:
    own = {"passenger_id": [f"P{n:04}" for n in PERSONS], "driver_id": drawn([f"D{n:03}" for n in range(25)])}
    inspected = anonset.inspect({**own, "pickup zone": drawn(TOWNS)})
    assert isinstance(inspected, Findings)
    first = inspected.question.answers[0]
    assert [dict(fix.settings) for fix in first.item_answers] == [{"items": ["pickup zone"]}, {"items": ["driver_id"]}]
    assert "may be ids of persons" in first.item_answers[1].effect


def test_the_first_person_without_roles_says_what_the_data_need(tmp_path: Path) -> None:
    hours = [f"{hour:02}:00" for hour in range(24)]
    rows = [[f"M{n // 10:04}", f"2013-01-{n % 10 + 1:02}", *(DRAW.random() for _ in hours)] for n in range(400)]
    lines = [",".join(map(str, row)) for row in (["LCLid", "day", *hours], *rows)]
    (tmp_path / "meters.csv").write_text("\n".join(lines))
    inspected = anonset.inspect(str(tmp_path / "meters.csv"))
    assert any("unit='LCLid'" in one and "one number for each person" in one for one in inspected.problems)


def test_few_values_come_after_a_column_of_many_values() -> None:
    inspected = found(**{"Charge": drawn([f"PC {n}" for n in range(12)]), "Arrest Type Code": drawn(["F", "M", "I"])})
    assert answers(inspected)[:2] == [{"items": ["Charge"]}, {"items": ["Arrest Type Code"]}]
    inspected = found(
        Status=drawn(["open", "closed"]), Schadenart=drawn(["Feuer", "Sturm", "Hagel", "Glas", "Kfz", "Haft"])
    )
    assert answers(inspected)[:2] == [{"items": ["Schadenart"]}, {"items": ["Status"]}]


def test_options_with_a_sensitive_header_belong_to_the_other_options() -> None:
    names = ["SP_CHF", "SP_DIABETES", "SP_COPD", "SP_CNCR", "SP_RA"]
    columns = {name: [DRAW.choice("12") for _ in range(200)] for name in names}
    inspected = anonset.inspect({"pid": [f"P{n}" for n in range(200)], **columns}, unit="pid")
    assert isinstance(inspected, Findings)
    hot = [fix.settings["one_hot"] for one in inspected.checks for fix in one.fixes if "one_hot" in fix.settings]
    assert hot
    assert all(columns == names for columns in hot)


def test_amounts_are_no_network_addresses() -> None:
    amounts = [f"{DRAW.randrange(1, 9) * 1000}.0" for _ in range(200)]
    inspected = anonset.inspect({"pid": [f"P{n}" for n in range(200)], "MEDREIMB_IP": amounts}, unit="pid")
    assert isinstance(inspected, Findings)
    assert "direct identifier" not in {one.profile.name: one.reason for one in inspected.columns}["MEDREIMB_IP"]


def test_only_columns_are_answers_to_the_question_about_the_items() -> None:
    amounts = drawn(["1,234", "12,345", "2,500"])
    inspected = found(site=drawn(["breast", "lung", "colon"]), amount=amounts)
    assert any("decimal" in fix.settings for column in inspected.columns for fix in column.profile.fixes)
    assert answers(inspected)
    assert all({*fix} & {"items", "one_code", "one_hot"} for fix in answers(inspected))


@pytest.mark.parametrize("n", [30, 300])
def test_choices_that_contain_the_separator_are_asked(n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng, tools = random.Random(5), ["Stata (any version, old or new)", "R", "SPSS, PASW or similar", "Excel", "Python"]
    chosen = [", ".join(tool for tool in tools if rng.random() < 0.4) for _ in range(n)]
    csv.write_csv(pa.table({"sex": ["fm"[number % 2] for number in range(n)], "tools": chosen}), "answers.csv")
    inspected = anonset.inspect("answers.csv", unit="row")
    assert isinstance(inspected, Findings)
    assert answers(inspected) == [{"items": ["tools"], "separator": ","}]
    assert "write it without ','" in inspected.item_answers[0].effect
    text = inspected.job_text()
    assert (Job(tomllib.loads(text))["items"], Job(tomllib.loads(text))["drop"]) == ("?", ["tools"])
    Path("job.toml").write_text(text.replace('items = "?"', 'items = "tools"'))
    assert read_job("job.toml").only(("items", "separator")).settings == {"items": ["tools"], "separator": ","}


def test_choices_without_the_separator_are_proposed() -> None:
    tools = ["Stata (any version)", "R", "SPSS or PASW", "Excel"]
    chosen = [", ".join(tool for tool in tools if DRAW.random() < 0.4) for _ in range(200)]
    inspected = anonset.inspect({"sex": ["fm"[number % 2] for number in range(200)], "tools": chosen}, unit="row")
    assert isinstance(inspected, Findings)
    assert (inspected.columns[1].role, answers(inspected)) == ("items", [])
