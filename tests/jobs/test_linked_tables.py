"""Linked tables are published as tables, and checked as the records that a naive join gives."""

import csv
import json
import random
import shlex
import shutil
from collections import defaultdict
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names

import anonset
from anonset.cli.main import main
from anonset.jobs.trials.candidates import candidates_for
from anonset.reading.sources.files import digest

JOB = """
unit = "person_id"
model = "kkm"
k = 4
m = 2
out = "out"
[tables.person]
input = "person.csv"
relational = ["sex", "born"]
drop = "name"
[tables.condition]
input = "conditions/*.csv"
items = "code"
[tables.drug]
input = "drug.csv"
key = "PATIENT"
items = "code"
[hierarchy]
condition.code = "balanced:2"
drug.code = "balanced:2"
person.sex = "values"
person.born = "range"
"""


def write(folder, seed=1, n=60, *, shuffled=False, repeated=False, prefix=1000, form="{}"):
    """Write three tables and a job. The options change the input, but not what is published."""
    rng = random.Random(seed)
    persons = [[i, rng.choice("fm"), rng.randint(1940, 1999), f"N{i}"] for i in range(n)]
    conditions = [[rng.randrange(n), rng.choice(["E10", "E11", "I10", "J45", "K21"])] for _ in range(3 * n)]
    drugs = [[rng.randrange(n), rng.choice(["E10", "insulin", "statin"])] for _ in range(2 * n)]
    if repeated:
        conditions += conditions[: n // 2]
    if shuffled:
        for rows in (persons, conditions, drugs):
            rng.shuffle(rows)
    (folder / "conditions").mkdir(parents=True)

    def key(i):
        return form.format(prefix + 7 * i)

    table(folder / "person.csv", "person_id,sex,born,name", [[key(i), *rest] for i, *rest in persons])
    cut = len(conditions) // (3 if shuffled else 2)
    for number, part in enumerate((conditions[:cut], conditions[cut:])):
        rows = [[key(i), code, "v"] for i, code in part]
        table(folder / "conditions" / f"{number}.csv", "person_id,code,visit", rows)
    table(folder / "drug.csv", "PATIENT,code", [[key(i), code] for i, code in drugs])
    (folder / "job.toml").write_text(JOB)


def table(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])


def published(folder, *options):
    """Run the job, and return the bytes of the published files by name."""
    for name in ("out", "out.private"):
        shutil.rmtree(folder / name, ignore_errors=True)
    assert main(["anonymize", str(folder / "job.toml"), "--quiet", *options]) == 0
    return bytes_in(folder / "out")


def bytes_in(out):
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def rows_of(out):
    """Return the attributes and the symbols of each published record, joined by number."""
    with (out / "tables" / "person.csv").open(newline="") as file:
        attributes = {row["record"]: (row["sex"], row["born"]) for row in csv.DictReader(file)}
    items = defaultdict(set)
    for name in ("condition", "drug"):
        with (out / "tables" / f"{name}.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                assert (name, row["code"]) not in items[row["record"]]
                items[row["record"]].add((name, row["code"]))
    assert items.keys() <= attributes.keys()
    assert list(attributes) == [str(number) for number in range(1, len(attributes) + 1)]
    return [(attributes[number], items[number]) for number in attributes]


@pytest.fixture
def made(tmp_path):
    write(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """Return the published directory of the tables that `made` writes. No test changes it."""
    folder = tmp_path_factory.mktemp("usual")
    write(folder)
    published(folder)
    return folder / "out"


@pytest.fixture
def out(tmp_path, usual):
    """Return a copy of the published directory."""
    return shutil.copytree(usual, tmp_path / "out")


def test_the_published_tables_keep_the_guarantee_of_the_joined_records(usual):
    records = rows_of(usual)
    assert len(records) == 60
    for quasi, items in records:
        alike = [others for other, others in records if other == quasi]
        for size in range(3):
            for known in combinations(sorted(items), size):
                assert sum(others.issuperset(known) for others in alike) >= 4


@pytest.mark.long
def test_inputs_that_differ_in_what_is_not_published_give_equal_bytes(tmp_path, usual):
    expected = bytes_in(usual)
    for number, changes in enumerate(({"shuffled": True}, {"repeated": True}, {"prefix": 5}, {"form": "{}.0"})):
        folder = tmp_path / str(number)
        write(folder, **changes)
        assert published(folder) == expected


@pytest.mark.parametrize("options", [["--work-dir", "work"], ["--workers", "1"], ["--memory-limit", "450M"]])
def test_bytes_are_the_same_in_memory_and_out_of_core(made, usual, monkeypatch, options):
    monkeypatch.chdir(made)
    assert published(made, *options) == bytes_in(usual)


@pytest.mark.long
def test_bytes_are_the_same_on_a_cluster(made, usual):
    assert published(made, "--cluster", "local:2") == bytes_in(usual)


@pytest.mark.parametrize(
    "options", [["--format", "parquet"], ["--part-rows", "25"], ["--format", "parquet", "--part-rows", "7"]]
)
def test_formats_and_parts_contain_the_same_records(made, usual, options):
    published(made, *options)
    out = made / "out"
    if "--part-rows" in options:
        sizes = {path.name: len(list(path.iterdir())) for path in (out / "tables").iterdir()}
        assert len(set(sizes.values())) == 1
    else:
        assert {path.suffix for path in (out / "tables").iterdir()} == {".parquet"}
    assert main(["verify", str(out)]) == 0
    again = anonset.read(
        tables={
            "person": {"input": _files(out, "person"), "relational": ["sex", "born"]},
            "condition": {"input": _files(out, "condition"), "items": "code"},
            "drug": {"input": _files(out, "drug"), "items": "code"},
        },
        unit="record",
    )
    attributes = list(zip(*(column.labels() for column in again.relational), strict=True))
    items = [{tuple(item.split(".code:")) for item in row} for row in again.transactions.rows()]
    assert list(zip(attributes, items, strict=True)) == rows_of(usual)


def _files(out, name):
    path = out / "tables" / name
    return path if path.is_dir() else next((out / "tables").glob(f"{name}.*"))


def test_every_command_reads_the_tables(made, capsys):
    published(made)
    job = str(made / "job.toml")
    for command in (
        ["verify"],
        ["evaluate"],
        ["report", "-o", str(made / "page.html")],
        ["anonymize", "--if-exists", "resume"],
    ):
        assert main([command[0], job, *command[1:]]) == 0
    assert "matches the original" in capsys.readouterr().out
    assert main(["risk", job, "--attempts", "20", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["broken"] == 0
    assert main(["verify", str(made / "out.private" / "report.json")]) == 0
    assert main(["suggest", job, "--quiet"]) == 0
    assert main(["inspect", job]) == 0
    assert "linked  3 tables, linked by person_id" in capsys.readouterr().out


@pytest.mark.parametrize("tables", [1, 2])
def test_each_candidate_is_published_as_suggest_measured_it(tmp_path, capsys, monkeypatch, tables):
    write(tmp_path, n=200)
    text = JOB.replace("k = 4", "k = 2").replace("m = 2", "m = 1")
    if tables == 1:
        text = text.replace('[tables.drug]\ninput = "drug.csv"\nkey = "PATIENT"\nitems = "code"\n', "")
        text = text.replace('drug.code = "balanced:2"\n', "")
    (tmp_path / "job.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    candidates, compared = [], 0
    monkeypatch.setattr(
        "anonset.jobs.trials.suggest.candidates_for", lambda *of: candidates.extend(candidates_for(*of)) or candidates
    )
    main(["suggest", "job.toml", "--json"])
    capsys.readouterr()
    for number, candidate in enumerate(candidates):
        monkeypatch.setattr("anonset.jobs.trials.suggest.candidates_for", lambda *_, one=candidate: [one])
        main(["suggest", "job.toml", "--json"])
        best = json.loads(capsys.readouterr().out)["recommended"]
        if best is None:
            continue
        command = [*shlex.split(best["command"])[1:-1], f"out-{number}", "--json"]
        assert main(command) == 0, capsys.readouterr().err
        assert json.loads(capsys.readouterr().out)["shares"] == best["shares"], candidate
        with (tmp_path / f"out-{number}" / "tables" / "condition.csv").open() as file:
            shown = {row["code"] for row in csv.DictReader(file)}
        assert ("condition.code: lost" in best["utility"]) == (len(shown) == 1)
        compared += 1
    assert compared >= 4, compared


def change_a_row(out):
    path = out / "tables" / "drug.csv"
    path.write_text(path.read_text().replace("\n1,", "\n2,", 1) if "\n1," in path.read_text() else "record,code\n1,x\n")


def drop_a_table(out):
    (out / "tables" / "drug.csv").unlink()


def add_a_table(out):
    (out / "tables" / "other.csv").write_text("record\n1\n")


@pytest.mark.parametrize("forge", [change_a_row, drop_a_table, add_a_table])
def test_forged_tables_are_rejected(out, capsys, forge):
    forge(out)
    assert main(["verify", str(out)]) == 2
    assert "tables" in capsys.readouterr().err


def reseal(out):
    """State the digests of the forged tables in the attestation, as a publisher with other software might write it."""
    attestation = json.loads((out / "attestation.json").read_text())
    sha256 = attestation["data"]["sha256"]
    attestation["data"]["sha256"] = {name: digest(out / name) for name in sha256}
    (out / "attestation.json").write_text(json.dumps(attestation))


def test_a_record_that_no_row_describes_is_rejected(out, capsys):
    path = out / "tables" / "drug.csv"
    path.write_text(path.read_text() + "61,insulin\n")
    reseal(out)
    assert main(["verify", str(out)]) == 2
    assert names(capsys.readouterr().err, "person 1")


def change_lines(out, change, *tables):
    """Change the lines below the header of tables."""
    for name in tables or ("person", "condition", "drug"):
        path = out / "tables" / f"{name}.csv"
        head, *lines = path.read_text().splitlines()
        path.write_text("\n".join([head, *change(lines)]) + "\n")


def with_ids(out):
    change_lines(out, lambda lines: [f"P{line}" for line in lines])


def with_other_numbers(out):
    change_lines(out, lambda lines: [f"1{line}" for line in lines])


def in_another_order(out):
    change_lines(out, lambda lines: lines[::-1], "person")


def with_another_spelling(out):
    change_lines(out, lambda lines: [line.replace(",", ".0,") for line in lines], "drug")


def with_a_repeated_row(out):
    change_lines(out, lambda lines: [*lines, lines[-1]], "drug")


def with_a_repeated_person(out):
    change_lines(out, lambda lines: [*lines, lines[-1]], "person")


def with_an_empty_symbol(out):
    change_lines(out, lambda lines: [*lines, "1,"], "drug")


def with_another_column(out):
    path = out / "tables" / "drug.csv"
    head, *lines = path.read_text().splitlines()
    path.write_text("\n".join([f"{head},day", *(f"{line},2024-01-01" for line in lines)]) + "\n")


@pytest.mark.parametrize(
    "forge",
    [
        with_ids,
        with_other_numbers,
        in_another_order,
        with_another_spelling,
        with_a_repeated_row,
        with_a_repeated_person,
        with_an_empty_symbol,
        with_another_column,
    ],
)
def test_tables_that_say_more_than_the_records_are_rejected(out, capsys, forge):
    reseal(out)
    assert main(["verify", str(out)]) == 0
    forge(out)
    reseal(out)
    capsys.readouterr()
    assert main(["verify", str(out)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:the publication is worthless")
def test_records_without_symbols_are_published(tmp_path):
    tables = {
        "a": {"input": {"id": ["1", "2", "3", "4"], "x": ["p", "q", "q", "q"]}, "items": "x"},
        "b": {"input": {"id": ["2", "3", "4"], "y": ["r", "r", "r"]}, "items": "y"},
    }
    table = anonset.read(tables=tables, unit="id")
    trees = {"a.x": "balanced:2", "b.y": "balanced:2"}
    anonset.anonymize(
        table, anonset.Exact(k=2, m=2, suppress=True), hierarchies=trees, accept="worthless", out=tmp_path / "out"
    )
    assert (tmp_path / "out" / "tables" / "records.csv").read_text().split() == ["record", "1", "2", "3", "4"]
    assert main(["verify", str(tmp_path / "out")]) == 0


@pytest.mark.filterwarnings("ignore:the publication is worthless")
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 7), st.sampled_from("abc")), min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 7), st.sampled_from("ax")), min_size=1, max_size=30),
)
def test_a_release_of_small_tables_keeps_its_guarantee(first, second):
    tables = {
        name: {"input": {"id": [str(i) for i, _ in rows], "x": [x for _, x in rows]}, "items": "x"}
        for name, rows in (("p", first), ("q", second))
    }
    table = anonset.read(tables=tables, unit="id")
    trees = {"p.x": "balanced:2", "q.x": "balanced:2"}
    try:
        release = anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies=trees, accept="worthless")
    except anonset.InfeasibleError:
        return
    shown = release.publication
    labels = [shown.symbols[code] for code in range(len(shown.symbols))]
    assert all(len({member.partition(".")[0] for member in symbol.members}) == 1 for symbol in labels)
    rows = [frozenset(row) for row in shown.transactions.rows()]
    for row in rows:
        for size in (1, 2):
            for known in combinations(sorted(row), size):
                assert sum(other.issuperset(known) for other in rows) >= 2


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ('order = "input"', "order"),
        ('format = "dat"', "format dat"),
        ('algorithm = "rum-bound"\ndelta = 0.5\ntransaction = "coat"', "rum-bound transaction apriori"),
        ('items = "code"', "items"),
        ('relational = "x"', "relational"),
        ('model = "anatomy"', "anatomy"),
    ],
)
def test_what_tables_do_not_support_is_rejected_in_one_line(made, capsys, text, facts):
    job = JOB if not text.startswith("model") else JOB.replace('model = "kkm"\n', "").replace("m = 2\n", "")
    (made / "job.toml").write_text(text + job)
    assert main(["anonymize", str(made / "job.toml")]) == 2
    error = capsys.readouterr().err
    assert len(error.strip().splitlines()) == 1
    assert not (made / "out").exists()


def test_a_job_without_tables_is_no_data_set(tmp_path, capsys):
    (tmp_path / "job.toml").write_text('input = "job.toml"\nout = "o"\nmodel = "km"\nk = 2\nm = 2\n')
    assert main(["anonymize", str(tmp_path / "job.toml")]) == 2
    assert names(capsys.readouterr().err, "job.toml tables")


def without_persons(folder, name, *rows):
    """Write a job over the tables of items alone into a new folder. `rows` are added to the conditions."""
    write(folder / name)
    job = JOB.replace('model = "kkm"', 'model = "km"')
    parts = [part for part in job.split("[tables.") if not part.startswith("person")]
    job = "[tables.".join(parts)
    job = "".join(line for line in job.splitlines(keepends=True) if not line.startswith("person."))
    (folder / name / "job.toml").write_text(job)
    with (folder / name / "conditions" / "0.csv").open("a", newline="") as file:
        csv.writer(file).writerows([f"{1000 + 7 * i}", code, "v"] for i, code in rows)


@pytest.mark.long
def test_a_second_release_continues_the_first_or_stands_beside_it(tmp_path, capsys):
    without_persons(tmp_path, "first")
    without_persons(tmp_path, "second", (1, "E10"), (5, "J45"), (9, "K21"))
    published(tmp_path / "first")
    private = str(tmp_path / "first" / "out.private")
    assert "codebook.csv" in published(tmp_path / "second", "--after", private)
    report = str(tmp_path / "second" / "out.private" / "report.json")
    assert main(["risk", report, "--beside", str(tmp_path / "first" / "out"), "--attempts", "20", "--quiet"]) == 0
    assert "composition" in capsys.readouterr().out
    assert "codebook.csv" in published(tmp_path / "second", "--recoding", private)
    assert main(["verify", str(tmp_path / "second" / "out")]) == 0


def test_each_column_of_items_is_scanned_alone(made, capsys):
    path = made / "drug.csv"
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    table(path, "PATIENT,code", [[key, f"030/{1000000 + 7919 * (n % 4)}"] for n, (key, _) in enumerate(rows)])
    assert main(["anonymize", str(made / "job.toml"), "--quiet"]) == 2
    message = capsys.readouterr().err
    assert names(message, "column drug.code")
    assert "condition.code" not in message
    assert not (made / "out").exists()


SURNAMES = ["Meier", "Schmidt", "Weber", "Koch", "Bauer", "Ott"]
DESCRIBED = """
unit = "who"
model = "kkm"
transaction = "apriori"
k = 3
m = 1
[tables.p]
input = "p.csv"
relational = "sex"
drop = "surname"
[tables.c]
input = "c.csv"
items = "text"
[hierarchy]
c.text = "balanced:2"
"""
NOT_DESCRIBED = """
unit = "who"
model = "km"
algorithm = "apriori"
k = 3
m = 1
[tables.c]
input = "c.csv"
items = "text"
[hierarchy]
c.text = "balanced:2"
"""


@pytest.mark.parametrize(
    ("job", "column"),
    [(DESCRIBED, "p.surname"), (DESCRIBED.replace("surname", "x"), "c.surname"), (NOT_DESCRIBED, "c.surname")],
)
def test_items_of_linked_tables_that_mention_persons_of_any_table_stop(tmp_path, monkeypatch, capsys, job, column):
    monkeypatch.chdir(tmp_path)
    header = {table: "surname" if column == f"{table}.surname" else "x" for table in "pc"}
    people = [f"w{n},{'fm'[n % 2]},{SURNAMES[n % 6]}\n" for n in range(60)]
    remarks = [f"w{n},{('call', 'ask')[n % 2]} {SURNAMES[n % 6]},{SURNAMES[n % 6]}\n" for n in range(60)]
    (tmp_path / "p.csv").write_text(f"who,sex,{header['p']}\n" + "".join(people))
    (tmp_path / "c.csv").write_text(f"who,text,{header['c']}\n" + "".join(remarks))
    (tmp_path / "job.toml").write_text(job)
    assert main(["anonymize", "job.toml", "-o", "out", "--quiet", "--accept", "worthless"]) == 2
    assert names(capsys.readouterr().err, f"column 'c.text' '{column}'")


@pytest.mark.parametrize(
    ("role", "items", "column"), [("keep", "code", "p.surname"), ("drop", "patient_id", "c.patient_id")]
)
def test_the_name_of_a_table_does_not_hide_what_a_header_means(tmp_path, monkeypatch, capsys, role, items, column):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("who,sex,surname\n" + "".join(f"w{n},{'fm'[n % 2]},N{n % 3}\n" for n in range(60)))
    (tmp_path / "c.csv").write_text(f"who,{items}\n" + "".join(f"w{n},{n % 4}\n" for n in range(60)))
    job = DESCRIBED.replace('drop = "surname"', f'{role} = "surname"').replace("text", items)
    (tmp_path / "job.toml").write_text(job)
    assert main(["anonymize", "job.toml", "-o", "out", "--quiet", "--accept", "worthless"]) == 2
    assert names(capsys.readouterr().err, f"column '{column}'")


ASKED = ['items = "site"', 'items = "none"']


@pytest.fixture
def stays(tmp_path, monkeypatch):
    """Job for a folder in which no column of the table of stays is surely the items. Another table refers to stays."""
    rng, towns = random.Random(3), ["Harbour", "Market", "Castle", "Bridge", "Mill"]
    (tmp_path / "ward").mkdir()
    monkeypatch.chdir(tmp_path)
    stays = [(n, rng.randrange(60), rng.choice(towns), rng.randrange(90) / 8) for n in range(240)]
    codes = [(n, f"{rng.choice('EIJ')}1{rng.randrange(3)}") for n in range(240) for _ in range(2)]
    tables = {
        "persons": ("person_id,sex", [(n, "fm"[n % 2]) for n in range(60)]),
        "stays": ("stay_id,person_id,site,minutes", stays),
        "diagnoses": ("stay_id,icd", codes),
    }
    for name, (header, rows) in tables.items():
        (tmp_path / "ward" / f"{name}.csv").write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]))
    return anonset.inspect("ward", unit="person_id").job_text()


def test_a_table_that_may_have_items_is_not_left_out_without_an_answer(stays, tmp_path, capsys):
    (tmp_path / "job.toml").write_text(stays)
    assert main(["anonymize", "job.toml"]) == 2
    assert "table 'stays': which column contains the items?" in capsys.readouterr().err
    assert not (tmp_path / "ward-person_id-safe").exists()
    assert [line for line in ASKED if f"# {line} # if " in stays] == ASKED


@pytest.mark.parametrize(("answer", "published"), [(ASKED[0], ["stays"]), (ASKED[1], [])])
def test_the_answer_publishes_or_leaves_out_the_table(stays, answer, published, tmp_path, capsys):
    (tmp_path / "job.toml").write_text(stays.replace('\nitems = "?"', f"\n{answer}"))
    assert main(["anonymize", "job.toml"]) == 0, capsys.readouterr().err
    tables = {path.stem for path in (tmp_path / "ward-person_id-safe" / "tables").iterdir()}
    assert tables == {"persons", "diagnoses", *published}


def test_spellings_are_compared_in_each_linked_table(tmp_path, monkeypatch):
    rng = random.Random(1)
    (tmp_path / "ward").mkdir()
    monkeypatch.chdir(tmp_path)
    towns, drugs = rng.choices(["Berlin", "berlin", "Bonn"], k=100), rng.choices(["statin", "Statin", "insulin"], k=300)
    persons = ["person_id,city,sex", *(f"{n},{town},{'fm'[n % 2]}" for n, town in enumerate(towns))]
    (tmp_path / "ward" / "persons.csv").write_text("\n".join(persons))
    given = [(rng.randrange(100), drug) for drug in drugs]
    (tmp_path / "ward" / "drugs.csv").write_text("\n".join(["person_id,drug", *(f"{n},{drug}" for n, drug in given)]))
    fixes = [fix for one in anonset.inspect("ward", unit="person_id").checks for fix in one.fixes]
    upper, lower = (sum(town[0].isupper() is case for town in towns) for case in (True, False))
    assert upper > lower
    changed = len({(n, drug) for n, drug in given if drug == "Statin"})
    assert [(fix.settings["normalize"], fix.changes) for fix in fixes if "normalize" in fix.settings] == [
        (["persons.city=lower"], f"changes {upper} records"), (["lower"], f"changes {changed} records"),
    ]  # fmt: skip


def test_a_sensitive_column_of_linked_tables_is_refused_with_the_setting_that_works(tmp_path, capsys):
    write(tmp_path)
    path = tmp_path / "job.toml"
    path.write_text(path.read_text().replace("k = 4", 'sensitive = "sex"\nk = 4'))
    assert main(["anonymize", str(path)]) == 2
    assert "linked tables have no sensitive column; declare --sensitive-items instead" in capsys.readouterr().err


def test_a_table_of_persons_in_which_few_rows_lack_the_key_still_describes_them(tmp_path, monkeypatch, capsys):
    rng = random.Random(1)
    (tmp_path / "ward").mkdir()
    monkeypatch.chdir(tmp_path)
    persons = [f"{n},{rng.choice(('Bonn', 'Ulm'))},{'fm'[n % 2]}" for n in range(100)]
    blank = [",Bonn,f", ",Ulm,m"]
    (tmp_path / "ward" / "persons.csv").write_text("\n".join(["person_id,city,sex", *persons, *blank]))
    given = [f"{rng.randrange(100)},{rng.choice(('statin', 'insulin'))}" for _ in range(300)]
    (tmp_path / "ward" / "drugs.csv").write_text("\n".join(["person_id,drug", *given]))
    found = anonset.inspect("ward", unit="person_id")
    assert [table.name for table in found.tables if table.describes] == ["persons"]
    (tmp_path / "job.toml").write_text(found.job_text())
    assert main(["anonymize", "job.toml"]) == 0, capsys.readouterr().err
    assert "persons: 2 rows without 'person_id', skipped" in capsys.readouterr().out
