"""`inspect` of a folder of linked tables proposes a job, which publishes after the owner declares the person."""

import csv
import gzip
import json
import random
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyarrow import parquet
from pyarrow.csv import read_csv
from tests.facts import names

from anonset.jobs.proposals import table_evidence
from cli.place import Place

CODES = ["E11.9", "I10.0", "J45.0", "E78.5", "U07.1", "I25.1"]


def table(path: Path, header: str, rows: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header.split(","), *rows])


def shop(folder: Path, *, more_customers: int = 0, without_id: int = 0) -> Path:
    """Write the tables of a shop, whose keys are row numbers, beside files that are no tables."""
    rng = random.Random(1)
    customers = [
        [i, f"c{i}@shop.example", 1940 + rng.randrange(60), rng.choice(["Hamburg", "Bonn", "Köln"])]
        for i in range(1, 201)
    ]
    orders = [[i, rng.randrange(1, 201), f"2024-01-{1 + i % 28:02}"] for i in range(1, 401)]
    orders += [[401 + i, 201 + i, "2024-02-01"] for i in range(more_customers)]
    orders += [[801 + i, "", "2024-02-01"] for i in range(without_id)]
    lines = [[i, orders[rng.randrange(400)][0], rng.choice([3, 5, 7, 8, 9]), rng.randrange(9)] for i in range(900)]
    lines += [[1000 + i, order[0], 3, 1] for i, order in enumerate(orders[400:])]
    table(folder / "customers.csv", "id,email,birth_year,city", customers)
    table(folder / "orders.csv", "id,customer_id,ordered_at", orders)
    table(folder / "order_lines.csv", "id,order_id,product_id,quantity", lines)
    table(folder / "products.csv", "id,name", [[i, f"thing {i}"] for i in range(1, 12)])
    (folder / "readme.txt").write_text("These tables belong together.\n")
    (folder / "returns.csv").write_text("")
    return folder


def declare(job: Path, unit: str) -> None:
    job.write_text(job.read_text().replace('\nunit = "?"', f'\nunit = "{unit}"'))


def test_files_that_are_left_out_for_one_reason_share_a_line(place: Place) -> None:
    folder = shop(place.folder / "shop")
    for n in range(7):
        table(folder / f"colours{n}.csv", f"colour{n}_id,name", [[i, f"colour {i}"] for i in range(4 + n)])
    ran = place.run("inspect", str(folder))
    first = ", ".join(f"colours{n}.csv" for n in range(5))
    assert f"\n- {first} and 3 more: no column contains 'customer_id', or a key of a table with it\n" in ran.out


@pytest.mark.long
def test_the_printed_commands_publish_the_tables_of_a_folder(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    folder, job = shop(place.folder / "shop"), place.folder / "job.toml"
    ran = place.run("inspect", str(folder), "-o", str(job))
    assert ran.code == 0, ran.err
    assert '- unit = "customer_id" # 200 persons; in 2 tables: customers, orders' in ran.out
    assert "readme.txt: not a table" in ran.out
    assert "returns.csv: empty" in ran.out
    assert "products.csv: no column contains 'customer_id'" in ran.out
    assert f'(unit = "customer_id"), then run anonset suggest {job}, or anonset anonymize {job}' in ran.out
    assert place.run("anonymize", str(job)).code == 2
    declare(job, "customer_id")
    ran = place.run("anonymize", str(job))
    assert ran.code == 0, ran.err
    out = place.folder / "shop-safe" / "tables"
    assert sorted(path.name for path in out.iterdir()) == ["customers.csv", "order_lines.csv"]
    assert (out / "customers.csv").read_text().startswith("record,birth_year,city\n")
    assert (out / "order_lines.csv").read_text().startswith("record,product_id\n")
    assert place.run("verify", str(job)).code == 0
    ran = place.run("suggest", str(job))
    command = ran.out.rpartition("Next: ")[2].splitlines()[0]
    assert (ran.code, "--items" in command, command.startswith(f"anonset anonymize {job} ")) == (0, False, True)
    assert place.run(*command.split()[1:]).code == 0


@pytest.mark.long
def test_another_key_needs_its_own_job(place: Place) -> None:
    folder, job = shop(place.folder / "shop"), place.folder / "job.toml"
    ran = place.run("inspect", str(folder), "-o", str(job))
    other = place.folder / "job-order_id.toml"
    command = f"anonset inspect {folder} --unit order_id -o {other}"
    assert f"If each order_id is a person: {command}\n" in ran.out
    declare(job, "order_id")
    ran = place.run("anonymize", str(job))
    further = place.folder / "job-2.toml"
    printed = f"to propose these roles: anonset inspect {job} --unit order_id -o {further}"
    assert (ran.code, printed in ran.err) == (2, True)
    assert (place.run(*printed.split()[5:]).code, further.exists()) == (0, True)
    ran = place.run(*command.split()[1:])
    assert (ran.code, "replace unit" in ran.out) == (0, False)
    assert place.run("anonymize", str(other)).code == 0
    assert (place.folder / "shop-order_id-safe").is_dir()  # not that of the first job
    assert place.run("inspect", str(job), "--unit", "order_id").code == 0


def test_ids_that_the_table_of_persons_lacks_are_counted(place: Place) -> None:
    folder, job = shop(place.folder / "shop", more_customers=7, without_id=3), place.folder / "job.toml"
    ran = place.run("inspect", str(folder), "-o", str(job))
    assert "7 persons of orders not in customers; to publish the others: --skip-rows no-id,undescribed" in ran.out
    assert "orders: 3 rows without 'customer_id', skipped" in ran.out
    declare(job, "customer_id")
    assert place.run("anonymize", str(job)).code == 2
    ran = place.run("anonymize", str(job), "--skip-rows", "no-id,undescribed")
    assert ran.code == 0, ran.err
    other = place.folder / "other.toml"
    assert place.run("inspect", str(folder), "--skip-rows", "undescribed", "-o", str(other)).code == 0
    assert 'skip_rows = ["undescribed", "no-id"]' in other.read_text()


@pytest.mark.long
def test_json_lists_tables_roles_and_the_question(place: Place) -> None:
    folder = shop(place.folder / "shop")
    found = place.run("inspect", str(folder), "--json").json
    keys = {one["name"]: (one["key"], one["in"], one["parent_key"]) for one in found["tables"]}
    assert keys == {
        "customers": ("id", None, None),
        "orders": ("customer_id", None, None),
        "order_lines": ("order_id", "orders", "id"),
    }
    roles = {one["name"]: {column["name"]: column["role"] for column in one["columns"]} for one in found["tables"]}
    assert roles["order_lines"] == {"id": "drop", "order_id": "key", "product_id": "items", "quantity": "drop"}
    assert roles["customers"] == {"id": "key", "email": "drop", "birth_year": "relational", "city": "relational"}
    assert [answer["unit"] for answer in found["question"]["answers"]] == ["customer_id", "order_id"]


def test_a_folder_of_equal_columns_remains_one_data_set(place: Place) -> None:
    for number in range(2):
        table(place.folder / "parts" / f"{number}.csv", "id,code", [[i, CODES[i % 6]] for i in range(60)])
    ran = place.run("inspect", str(place.folder / "parts"))
    assert (ran.code, "rows     120" in ran.out) == (0, True)
    table(place.folder / "parts" / "3.csv", "code,id", [["E11.9", 1]])
    ran = place.run("inspect", str(place.folder / "parts"))
    assert (ran.code, "must have the same columns" in ran.err, "different tables" in ran.err) == (2, True, False)


@pytest.mark.long
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_other_commands_name_inspect(place: Place, suffix: str) -> None:
    folder = shop(place.folder / "shop")
    for file in folder.iterdir():
        if file.suffix != ".csv" or not file.stat().st_size:
            file.unlink()
        elif suffix == "parquet":
            parquet.write_table(read_csv(file), file.with_suffix(".parquet"))
            file.unlink()
    ran = place.run(
        "anonymize", str(folder), "-o", str(place.out), "--items", "id", "--model", "km", "--k", "2", "--m", "2"
    )
    command = f"if the files are different tables: anonset inspect {folder}"
    assert (ran.code, command in ran.err) == (2, True), ran.err
    assert place.run("inspect", str(folder)).code == 0


def test_tables_without_a_shared_key_are_left_out(place: Place) -> None:
    folder = place.folder / "apart"
    table(folder / "a.csv", "patient_id,code", [[f"p{i % 50}", CODES[i % 6]] for i in range(200)])
    table(folder / "b.csv", "patient_id,drug", [[f"q{i % 50}", CODES[i % 6]] for i in range(200)])
    ran = place.run("inspect", str(folder))
    assert (ran.code, "a.csv and b.csv: no key in common with another table" in ran.out) == (0, True)
    ran = place.run("inspect", str(folder), "-o", str(place.folder / "job.toml"))
    assert (ran.code, "is not written: no linked table has a column that is recognized as items" in ran.err) == (
        2,
        True,
    )
    assert not (place.folder / "job.toml").exists()


def test_a_column_with_too_many_ids_is_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shop(place.folder / "shop")
    monkeypatch.setattr(table_evidence, "MOST_IDS", 300)
    ran = place.run("inspect", str(folder))
    assert "table 'orders': column 'id' has more than 300 ids, and is not compared" in ran.out


def test_roles_belong_into_the_job_file(place: Place) -> None:
    folder = shop(place.folder / "shop")
    ran = place.run("inspect", str(folder), "--items", "product_id")
    assert (ran.code, "several tables; set --items in the job file, in the table of the column" in ran.err) == (2, True)
    ran = place.run("inspect", str(folder), "--unit", "city")
    assert (ran.code, "no tables share a key of this name; keys of several tables: 'customer_id'" in ran.err) == (
        2,
        True,
    )


def test_parts_second_tables_and_compressed_files_are_named(place: Place) -> None:
    folder, job = place.folder / "clinic", place.folder / "job.toml"
    rng = random.Random(4)
    ids = [f"{i:06}" for i in rng.sample(range(10**6), 200)]
    table(folder / "patients.csv", "patient_id,sex", [[i, rng.choice("fm")] for i in ids])
    (folder / "patients.csv.gz").write_bytes(gzip.compress((folder / "patients.csv").read_bytes()))
    (folder / "patients.csv").unlink()
    table(folder / "more.csv", "patient_id,eyes", [[i, rng.choice("ab")] for i in ids])
    for part in range(2):
        table(folder / "diagnoses" / f"{part}.csv", "patient,code", [[rng.choice(ids), rng.choice(CODES)] for _ in ids])
        table(folder / f"drugs-{part}.csv", "patient_id,atc", [[rng.choice(ids), rng.choice(CODES)] for _ in ids])
    table(folder / "none.csv", "patient_id,code", [])
    ran = place.run("inspect", str(folder), "-o", str(job))
    assert ran.code == 0, ran.err
    assert "tables 'drugs-0' and 'drugs-1' have the same columns; if they are parts of one table" in ran.out
    assert "more.csv: a row per person, as patients; to publish its columns, join them to patients first" in ran.out
    assert "none.csv: no rows" in ran.out
    declare(job, "patient_id")
    assert place.run("anonymize", str(job)).code == 0
    out = place.folder / "clinic-safe" / "tables"
    published = sorted(path.name for path in out.iterdir())
    assert published == ["diagnoses.csv", "drugs-0.csv", "drugs-1.csv", "patients.csv"]


def test_codes_are_items_even_if_each_visit_has_one(place: Place) -> None:
    folder = place.folder / "clinic"
    table(folder / "visits.csv", "visit_id,patient_id", [[f"V{1000 + i}", f"P{i % 90}"] for i in range(300)])
    table(folder / "dx.csv", "visit_id,icd,ward", [[f"V{1000 + i}", CODES[i % 6], "AB"[i % 2]] for i in range(300)])
    ran = place.run("inspect", str(folder), "--unit", "patient_id", "--json")
    found = {one["name"]: one for one in ran.json["tables"]}
    reasons = {column["name"]: (column["role"], column["reason"]) for column in found["dx"]["columns"]}
    assert (found["dx"]["in"], reasons["icd"]) == ("visits", ("items", "a code per row"))


def test_a_table_may_lead_to_the_person_by_several_tables(place: Place) -> None:
    folder, job, rng = place.folder / "lab", place.folder / "job.toml", random.Random(1)
    table(folder / "patients.csv", "patient_id,sex", [[f"P{p}", "fm"[p % 2]] for p in range(200)])
    table(folder / "stays.csv", "stay_id,patient_id", [[f"S{s}", f"P{rng.randrange(200)}"] for s in range(400)])
    table(folder / "orders.csv", "order_id,stay_id", [[f"O{o}", f"S{rng.randrange(400)}"] for o in range(700)])
    results = [[f"O{rng.randrange(700)}", rng.choice(CODES[:4])] for _ in range(1500)]
    table(folder / "results.csv", "order_id,code", results)
    ran = place.run("inspect", str(folder), "-o", str(job))
    assert ran.code == 0, ran.err
    assert "order_id in orders" in ran.out
    declare(job, "patient_id")
    assert place.run("anonymize", str(job), "--quiet").code == 0
    out = place.folder / "lab-safe" / "tables"
    assert sorted(path.name for path in out.iterdir()) == ["patients.csv", "results.csv"]
    assert place.run("verify", str(job)).code == 0


@pytest.mark.long
def test_a_key_of_several_columns_is_offered_if_no_column_is_one(place: Place) -> None:
    folder, job, rng = place.folder / "funds", place.folder / "my job.toml", random.Random(1)
    members = [(f"F{fund}", number) for fund in range(20) for number in range(1, 21)]
    table(
        folder / "members.csv", "fund,member_no,born,sex", [[*one, 1950 + one[1], "fm"[one[1] % 2]] for one in members]
    )
    claims = [[*rng.choice(members), rng.choice(CODES)] for _ in range(2000)]
    table(folder / "claims.csv", "member_no,code,fund", [[number, code, fund] for fund, number, code in claims])
    ran = place.run("inspect", str(folder), "-o", str(job))
    assert '- unit = "member_no,fund" # 400 persons; in 2 tables: claims, members' in ran.out
    command = next(line for line in ran.out.splitlines() if "--unit member_no,fund" in line).partition(": ")[2]
    assert place.run(*shlex.split(command)[1:]).code == 0
    other = place.folder / "my job-member_no,fund.toml"
    assert place.run("anonymize", str(other), "--quiet").code == 0
    assert (place.folder / "funds-member_no-fund-safe" / "tables" / "members.csv").read_text().count("\n") == 401
    ran = place.run("inspect", str(other))
    assert (ran.code, "linked by member_no,fund" in ran.out) == (0, True)


def test_a_key_of_several_columns_leads_to_a_row_of_another_table(place: Place) -> None:
    folder, rng = place.folder / "shops", random.Random(1)
    sales = [(f"S{shop}", number) for shop in range(20) for number in range(1, 31)]
    table(folder / "customers.csv", "customer_id,born", [[f"C{i}", 1940 + i % 60] for i in range(150)])
    rows = [[*sale, f"C{rng.randrange(150)}"] for sale in sales]
    table(folder / "sales.csv", "shop_id,sale_no,customer_id", rows)
    rows = [[*rng.choice(sales), rng.choice(CODES[:4])] for _ in range(2000)]
    table(folder / "lines.csv", "shop_id,sale_no,product_code", rows)
    found = json.loads(place.run("inspect", str(folder), "--unit", "customer_id", "--json").out)
    lines = next(one for one in found["tables"] if one["name"] == "lines")
    assert (lines["key"], lines["in"], lines["lacking"]) == ("shop_id,sale_no", "sales", 0)


def test_columns_that_identify_rows_by_themselves_are_in_no_key_of_several(place: Place) -> None:
    folder = place.folder / "clinic"
    table(folder / "patients.csv", "patient_id,sex", [[f"P{i}", "fm"[i % 2]] for i in range(100)])
    for name in ("visits", "codes"):
        rows = [[f"P{i % 90}", 1 + i // 90, CODES[i * i % 6]] for i in range(270)]
        table(folder / f"{name}.csv", "patient_id,visit_no,code", rows)
    found = json.loads(place.run("inspect", str(folder), "--json").out)
    assert not [one["unit"] for one in found["question"]["answers"] if "," in one["unit"]]


def test_nothing_is_listed_as_not_published_if_all_columns_are(place: Place) -> None:
    rng = random.Random(1)
    table(place.folder / "f" / "patients.csv", "patient_id,sex", [[f"P{p}", "fm"[p % 2]] for p in range(200)])
    rows = [[f"P{rng.randrange(200)}", rng.choice(CODES)] for _ in range(900)]
    table(place.folder / "f" / "codes.csv", "patient_id,code", rows)
    assert "Not published" not in place.run("inspect", str(place.folder / "f")).out


@pytest.mark.parametrize("forms", [["{}"], ["{}", "https://h.example/r4/{}", "{}/_history/2"]], ids=["one", "several"])
def test_references_and_nested_codes_are_recognized(place: Place, forms: list[str]) -> None:
    folder, job = place.folder / "fhir", place.folder / "job.toml"
    folder.mkdir()
    patients = [{"id": f"p{i}", "gender": "fm"[i % 2], "birthDate": f"{1940 + i * 7 % 60}-03-01"} for i in range(300)]
    conditions = [
        {
            "subject": {"reference": forms[i % len(forms)].format(f"Patient/p{i * 7 % 290}")},
            "code": {"coding": [{"code": CODES[i * i % 6]}]},
        }
        for i in range(800)
    ]
    for name, resources in (("Patient", patients), ("Condition", conditions)):
        (folder / f"{name}.ndjson").write_text("".join(f"{json.dumps(one)}\n" for one in resources))
    ran = place.run("inspect", str(folder), "-o", str(job))
    codes = "Condition.code.coding[].code contains the codes of all systems"
    assert (ran.code, f"{codes}; to publish one: code.coding[system=NAME].code" in ran.out) == (0, True), ran.err
    assert 'key_prefix = "Patient/"' in job.read_text()
    declare(job, "subject.reference")
    assert place.run("anonymize", str(job)).code == 0
    out = place.folder / "fhir-safe" / "tables"
    assert (out / "Condition.csv").read_text().startswith("record,code.coding[].code\n")
    assert (out / "Patient.csv").read_text().count("\n") == 301


def test_files_of_other_dialects_and_placeholders_are_recognized(place: Place) -> None:
    folder, job = place.folder / "clinic", place.folder / "job.toml"
    rng = random.Random(2)
    ids = [f"P{1000 + i}" for i in range(120)]
    people = [[pid, rng.choice("mw"), 1940 + rng.randrange(60)] for pid in ids]
    lines = "\n".join(";".join(map(str, row)) for row in [["PatientenNr", "Geschlecht", "Geburtsjahr"], *people])
    folder.mkdir()
    (folder / "Patienten.csv").write_bytes(f"{lines}\n".encode("latin-1"))
    rows = [[rng.choice(ids), rng.choice(CODES), "Müller"] for _ in range(500)] + [["unbekannt", "E11.9", "-"]] * 4
    lines = "\n".join(";".join(map(str, row)) for row in [["PatientenNr", "ICD", "Arzt"], *rows])
    (folder / "Diagnosen.csv").write_bytes(f"{lines}\n".encode("latin-1"))
    ran = place.run("inspect", str(folder), "-o", str(job))
    assert (ran.code, "Diagnosen: 4 rows without 'PatientenNr', skipped" in ran.out) == (0, True), ran.out + ran.err
    declare(job, "PatientenNr")
    ran = place.run("anonymize", str(job))
    assert ran.code == 0, ran.err


def words_of_children(folder: Path, cells: Sequence[str]) -> Path:
    """Write a table of children, and one with a row of symptoms for each child."""
    table(folder / "symptoms.csv", "child,symptoms", [[f"C{n:03}", cells[n % len(cells)]] for n in range(120)])
    table(folder / "visits.csv", "visit,child,sex", [[f"V{n}", f"C{n:03}", "fm"[n % 2]] for n in range(120)])
    return folder


def test_words_in_a_row_per_person_are_items_and_named(place: Place) -> None:
    words = ["cough", "fever", "rash"]
    cells = [*words, "cough fever", "fever cough", "rash fever", "cough rash", *words]
    folder, job = words_of_children(place.folder / "tables", cells), place.folder / "job.toml"
    assert names(place.run("inspect", str(folder), "-o", str(job)).out, "symptoms.symptoms blanks separator")
    declare(job, "child")
    assert place.run("anonymize", str(job), "-o", str(place.folder / "out")).code == 0
    rows = read_csv(place.folder / "out" / "tables" / "symptoms.csv").to_pylist()
    assert rows
    assert {row["symptoms"] for row in rows}.isdisjoint(cells[3:7])


def test_a_table_with_one_value_per_person_is_left_out(place: Place) -> None:
    folder = words_of_children(place.folder / "tables", ["red wine", "white wine", "beer", "dark beer"])
    assert names(place.run("inspect", str(folder)).out, "symptoms.csv join")


@pytest.mark.parametrize("inside", [True, False])
def test_a_job_file_in_the_folder_of_its_data_runs_and_publishes_outside(place: Place, inside: bool) -> None:
    folder = place.folder / "sales"
    folder.mkdir()
    draw = random.Random(1)
    rows = [f"C{draw.randrange(60)},i{draw.randrange(9)}" for _ in range(400)]
    (folder / "a.csv").write_text("\n".join(["card,item", *rows]) + "\n")
    job = (folder if inside else place.folder) / "job.toml"
    assert place.run("inspect", str(folder), "--unit", "card", "-o", str(job)).code == 0
    for out in ([], ["--out", str(place.folder / "again")]):  # the second run reads the same data
        ran = place.run("anonymize", str(job), *out)
        assert ran.code == 0, ran.err
    assert (place.folder / "sales-safe" / "attestation.json").exists()
    assert {path.name for path in folder.iterdir()} == ({"a.csv", "job.toml"} if inside else {"a.csv"})


def test_the_card_of_a_single_table_is_offered_before_the_key_of_places(place: Place) -> None:
    folder, rng = place.folder / "transit", random.Random(5)
    stops = [str(4000 + 7 * stop) for stop in range(30)]
    taps = [[f"{7_000_000 + rng.randrange(40)}", rng.choice(stops), rng.choice("ab")] for _ in range(400)]
    table(folder / "taps.csv", "card_id,stop_id,gate", taps)
    table(folder / "stops.csv", "stop_id,stop_name", [[stop, f"Square {stop}"] for stop in stops])
    ran = place.run("inspect", str(folder))
    assert ran.code == 0, ran.err
    assert re.findall(r'^- unit = "(.*)" #', ran.out, re.MULTILINE) == ["card_id", "stop_id"]
