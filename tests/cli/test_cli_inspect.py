"""``anonset inspect`` prints an account and JSON, and writes a job file that runs unchanged."""

import random
import re
import shlex
from pathlib import Path

import pytest
from tests.facts import names

from anonset.strict_json import dumps
from cli.place import Place

PEOPLE = "name,age,sex,codes\n" + "".join(
    f"Ann{n},{20 + n % 13},{'fm'[n % 2]},{' '.join(f'c{(n + s) % 5}' for s in range(1 + n % 3))}\n" for n in range(40)
)


def test_inspect_proposes_roles_and_shows_risks_without_values(place: Place) -> None:
    ran = place.run("inspect", place.write("people.csv", PEOPLE), "--k", "3")
    assert ran.code == 0
    for text in ("unit =", "--relational", "--items", "2 items", "all quasi-identifiers", "fewer than 3 matches"):
        assert text in ran.out
    assert "Ann1" not in ran.out


def test_inspect_says_what_a_declared_sensitive_column_costs(place: Place) -> None:
    symptoms = ("cough", "fever", "rash")
    lines = [f"{20 + n % 9},{'fm'[n % 2]},{'abc'[n % 3]},{n % 2},{n // 2 % 2},{n // 3 % 2}" for n in range(120)]
    header = ",".join(["age", "sex", "comments", *(f"symptom_{name}" for name in symptoms)])
    data = place.write("survey.csv", "\n".join([header, *lines]) + "\n")
    told = "--sensitive comments: models protect one sensitive column, and then no items; not published: "
    checks = place.run("inspect", data, "--unit", "row", "--sensitive", "comments").out.partition("Check:")[2]
    assert told + ", ".join(f"symptom_{name}" for name in symptoms) in checks
    assert told not in place.run("inspect", data, "--unit", "row").out
    declared = ["--sensitive", "comments", "--drop", ",".join(f"symptom_{name}" for name in symptoms)]
    assert told not in place.run("inspect", data, "--unit", "row", *declared).out


def test_inspect_prints_json(place: Place) -> None:
    result = place.run("inspect", place.write("people.csv", PEOPLE), "--json", "--m", "1").json
    assert set(result["known_items"]) == {"1", "2"}
    assert result["records"] == 40
    assert 0 <= result["known_items"]["2"]["average"] <= 1
    assert result["quasi_identifiers"]["columns"] == ["age", "sex"]
    assert [column["role"] for column in result["columns"]] == ["drop", "relational", "relational", "items"]
    assert (result["persons"], result["question"]["rows"]) == (None, 40)
    assert [answer["unit"] for answer in result["question"]["answers"]][:2] == ["row", "unknown"]
    assert [answer["persons"] for answer in result["question"]["answers"]][:2] == [40, None]


@pytest.mark.parametrize(
    ("unit", "role", "persons"), [("name", "unit", 40), ("row", "drop", 40), ("unknown", "drop", None)]
)
def test_a_declared_unit_leaves_no_question(place: Place, unit: str, role: str, persons: int | None) -> None:
    result = place.run("inspect", place.write("people.csv", PEOPLE), "--json", "--unit", unit).json
    assert [column["role"] for column in result["columns"]] == [role, "relational", "relational", "items"]
    assert (result["question"], result["persons"]) == (None, persons)


@pytest.mark.parametrize("columns", ["name,age,sex,codes", "codes", "age,sex"])
def test_the_job_runs_after_its_unit_is_set(place: Place, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import csv
    import io

    rows = list(csv.DictReader(io.StringIO(PEOPLE)))
    text = f"{columns}\n" + "".join(",".join(row[name] for name in columns.split(",")) + "\n" for row in rows)
    place.write("people.csv", text)
    monkeypatch.chdir(place.folder)
    assert place.run("inspect", "people.csv", "-o", "job.toml", "--k", "2").code == 0
    monkeypatch.chdir(place.folder.parent)
    job = place.folder / "job.toml"
    text = job.read_text()
    assert ('unit = "?"' in text) == (columns != "codes")  # a set alone needs no unit
    if columns != "codes":
        ran = place.run("anonymize", str(job))
        assert (ran.code, 'unit = "row"' in ran.err) == (2, True)
        job.write_text(text.replace('unit = "?"', 'unit = "row"'))
    assert place.run("anonymize", str(job), "--quiet").code == 0
    assert place.run("verify", str(place.folder / "people-safe")).code == 0
    assert "reason" in place.run("inspect", str(job), "--json").out


def test_a_job_file_is_never_overwritten(place: Place) -> None:
    people, job = place.write("people.csv", PEOPLE), place.write("job.toml", "")
    assert names(place.run("inspect", people, "-o", job).err, job)
    assert names(place.run("inspect", people, "-o", str(place.folder / "job.txt")).err, "job.txt .toml")


def test_unreadable_data_cause_an_error_and_write_no_files(place: Place) -> None:
    ran = place.run("inspect", place.write("bad.csv", "a,b\n1\n"))
    assert (ran.code, names(ran.err, "bad.csv 'line 2' 2 1")) == (2, True)
    bad = place.write("people.csv", PEOPLE)
    ran = place.run("inspect", bad, "--items", "codes,age", "--unit", "sex", "-o", str(place.folder / "new.toml"))
    assert (ran.code, Path(place.folder / "new.toml").exists()) == (0, True)
    ran = place.run("inspect", bad, "--items", "nothing", "-o", str(place.folder / "other.toml"))
    assert (ran.code, Path(place.folder / "other.toml").exists()) == (2, False)


TREE = "".join(f"C{n},{'AB'[n % 2]},any\n" for n in range(4))  # capital letters, and c4 is missing


def test_codes_that_a_hierarchy_does_not_know_are_mended(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("people.csv", PEOPLE)
    place.write("tree.csv", TREE)
    monkeypatch.chdir(place.folder)
    ran = place.run("inspect", "people.csv", "--hierarchy", "codes=tree.csv", "--k", "2")
    assert names(ran.out, "5 labels '--normalize upper' '--unknown suppress'")
    assert names(ran.out, "20.3%")
    typed = ran.out.splitlines()[-1].partition("Next: anonset ")[2].partition(",")[0].split()
    assert place.run(*typed).code == 0
    job = (place.folder / "job.toml").read_text()
    assert 'normalize = ["upper"]' in job
    assert 'unknown = "suppress"' in job
    assert '"codes" = "tree.csv"' in job
    ran = place.run("anonymize", "job.toml", "--unit", "row", "--quiet")
    assert ran.code == 0, ran.err


def test_a_hierarchy_that_lacks_most_codes_is_reported(place: Place) -> None:
    tree = place.write("tree.csv", "c0,A,any\nc1,A,any\nx,B,any\n")
    ran = place.run("inspect", place.write("people.csv", PEOPLE), "--hierarchy", f"codes={tree}")
    assert names(ran.out, "c2 leaves")


@pytest.mark.long
def test_each_command_prints_a_next_command_that_runs(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a table whose cells contain commas to a report, using only the printed commands and the line of the job."""
    place.write("people data.csv", PEOPLE.replace(" ", '","').replace(",", ";").replace('";"', ","))
    monkeypatch.chdir(place.folder)
    typed, seen = ["inspect", "people data.csv", "--k", "2", "--m", "1"], []
    while typed:
        ran = place.run(*typed)
        assert (ran.code, ran.err) == (0, "")
        seen.append(typed[0])
        job = place.folder / "job.toml"
        if job.exists():
            job.write_text(job.read_text().replace('unit = "?"', 'unit = "row"'))
        following = [line for line in ran.out.splitlines() if line.startswith("Next: ")]
        commands = re.findall(r"anonset ([^;]*?)(?:, to write .*|, or .*|;.*|$)", following[-1]) if following else []
        typed = shlex.split(commands[0]) if commands else []
    assert seen == [
        "inspect",
        "inspect",
        "suggest",
        "anonymize",
        "risk",
        "report",
        "report",
    ]  # also the report to share


def test_unreadable_rows_are_reported_once_and_not_counted_as_persons(place: Place) -> None:
    data = place.write("visits.csv", "id,a,codes\n1,2,x y\n1,3,y\n2,4,z\n")
    ran = place.run("inspect", data, "--relational", "a,zz")
    assert not names(ran.out, "taken person")
    assert re.search(r"^records +not counted; see Check", ran.out, re.MULTILINE)
    reported = [line for line in ran.out.splitlines() if line.startswith("- ")]
    assert sum(names(line, "column zz") for line in reported) == 1
    assert len(set(reported)) == len(reported)


ICD = [f"{letter}{number}" for letter in "EIJ" for number in range(10, 25)]


def stays_of(mark: str = ",") -> str:
    rows = [[str(20 + n % 60), "fm"[n % 2], ICD[n % 45], ICD[n * 7 % 45], ""] for n in range(90)]
    return "".join(mark.join(row) + "\n" for row in [["age", "sex", "dx1", "dx2", "dx3"], *rows])


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "content", "ways"),
    [
        ("a.csv", stays_of().replace("age", "Größe").encode("cp1252"), ["--encoding latin-1"]),
        ("b.csv", f"Auszug;;;;\n;;;;\n{stays_of(';')}".encode(), ["--header-line 3"]),
        ("c.txt", stays_of("\t").encode(), ["--input-format tsv"]),
        ("d.txt", f"Auszug\n{stays_of(chr(9))}".encode(), ["--header-line 2", "--input-format tsv"]),
    ],
)
def test_recognized_formats_are_used_and_passed_to_the_next_command(
    place: Place, name: str, content: bytes, ways: list[str]
) -> None:
    path = place.folder / name
    path.write_bytes(content)
    ran = place.run("inspect", str(path))
    assert (ran.code, ran.err) == (0, "")
    last = ran.out.splitlines()[-1]
    assert names(last, "Next 'anonset inspect'")
    assert all(way in last and ran.out.count(way) > 1 for way in ways)
    job = place.folder / "job.toml"
    assert place.run("inspect", str(path), "-o", str(job), "--quiet").code == 0
    ran = place.run("inspect", str(job))
    assert (ran.code, ran.err) == (0, "")
    assert place.run("anonymize", str(path), "-o", str(place.out)).code == 2  # the option has no default


def test_an_encoding_option_is_not_replaced(place: Place) -> None:
    path = place.folder / "a.csv"
    path.write_bytes(stays_of().replace("age", "Größe").encode("cp1252"))
    assert place.run("inspect", str(path), "--encoding", "utf-8").code == 2


@pytest.mark.parametrize("shape", ["codes in columns", "crosses"])
def test_code_columns_keep_their_hierarchies_and_conflicts_are_named(place: Place, shape: str) -> None:
    text = stays_of()
    if shape == "crosses":
        item_sets = [{n % 45, n * 7 % 45} for n in range(90)]
        rows = [["age", *[f"dx_{code}" for code in ICD]]]
        rows += [
            [str(20 + n % 60), *["x" if i in item_set else "" for i in range(45)]]
            for n, item_set in enumerate(item_sets)
        ]
        text = "".join(",".join(row) + "\n" for row in rows)
    ran = place.run("inspect", place.write("rows.csv", text), "-o", str(place.folder / "job.toml"))
    assert ran.code == 0, ran.err
    assert '"items" = "prefix:1,3"' in (place.folder / "job.toml").read_text()
    assert names(" ".join(ran.out.split()), "halves:frequency")


@pytest.mark.parametrize("others", ["", "sex,"])
def test_an_unknown_column_of_items_is_named_with_a_command_that_publishes_it(place: Place, others: str) -> None:
    rows = [
        f"k{person:03d},{'fm,'[person % 2] + ',' if others else ''}{'ABCD'[(person + step) % 4]} tea\n"
        for person in range(90)
        for step in range(2 + person % 2)
    ]
    data = place.write("shop.csv", f"customer_id,{others}hobbies\n{''.join(rows)}")
    job = place.folder / "job.toml"
    ran = place.run("inspect", data)
    assert names(ran.out, "hobbies '4 items' '--items hobbies'")
    command = next(line for line in ran.out.splitlines() if "--items hobbies" in line and "anonset inspect" in line)
    ran = place.run("inspect", data, "-o", str(job))
    assert (ran.code, "anonset inspect" in ran.out, 'items = "?"' in job.read_text()) == (0, True, True)
    job.unlink()
    parts = shlex.split(command.partition(": anonset ")[2])
    assert place.run(*[str(job) if part == "job.toml" else part for part in parts]).code == 0
    job.write_text(job.read_text().replace('"?"', '"customer_id"'))
    ran = place.run("anonymize", str(job))
    assert ran.code == 0, ran.err
    assert place.folder.joinpath("shop-safe", "published.csv").read_text().splitlines()[0] == f"{others}hobbies"


def test_the_error_of_an_unwritten_job_names_the_column(place: Place) -> None:
    data = place.write("lists.csv", "who,tags\n" + "".join(f'p{n},"[""a"",""b""]"\n' for n in range(30)) + "p,a b\n")
    ran = place.run("inspect", data, "--items", "tags", "-o", str(place.folder / "job.toml"))
    assert ran.code == 2
    assert "is not written" in ran.err
    assert "column 'tags'" in ran.err


UNRECOGNIZED = "age,zz_a,zz_b,zz_c,codes\n" + "".join(
    f"{20 + n % 40},{'pqr'[n % 3]},{'pqrst'[n // 3 % 5]},{'uv'[n % 2]},c{n % 5} d{n % 7} e{n % 3}\n" for n in range(120)
)


def _table(shown: str) -> list[str]:
    """Return the lines of the table of columns."""
    lines = shown.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("column "))
    return lines[start + 1 : next(at for at in range(start, len(lines)) if not lines[at] or lines[at][-1] == ":")]


def test_each_column_is_one_line_and_other_roles_are_printed_once(place: Place) -> None:
    shown = place.run("inspect", place.write("zz.csv", UNRECOGNIZED), "--unit", "row").out
    lines = _table(shown)
    assert [line.split()[0] for line in lines] == ["age", "zz_a", "zz_b", "zz_c", "codes"]
    assert max(map(len, lines)) < 100
    assert shown.count("if others know it") == 1
    assert "- if others know it: --relational zz_a,zz_b,zz_c\n" in shown
    assert "different values" not in "".join(lines[:4])  # the column `distinct` shows the number
    reasons = [
        column["reason"] for column in place.run("inspect", str(place.folder / "zz.csv"), "--json").json["columns"]
    ]
    assert [
        names(reason, f"if others know: --relational zz_{name}")
        for name, reason in zip("abc", reasons[1:4], strict=True)
    ]


def test_another_role_names_one_sensitive_column(place: Place) -> None:
    text = "age,zz_a,zz_b,zz_c\n" + "".join(
        f"{20 + n % 40},{'pqr'[n % 3]},{'pq'[n % 2]},{'uvwxy'[n % 5]}\n" for n in range(120)
    )
    shown = place.run("inspect", place.write("zz.csv", text), "--unit", "row").out
    assert "- if it is sensitive: --sensitive zz_a (or zz_b, zz_c)\n" in shown


def test_a_long_run_of_similar_columns_is_one_line(place: Place) -> None:
    lists = {f"user{n}": [f"c{(n + s) % 8}" for s in range(2 + n % 2)] for n in range(80)}
    path = place.write("users.jsonl", dumps(lists))
    lines = _table(place.run("inspect", path).out)
    assert len(lines) == 1
    assert lines[0].startswith("user0 … user79  sets    2 to 3 ")
    assert "80 columns, the first: " in lines[0]
    assert len(place.run("inspect", path, "--json").json["columns"]) == 80
    short = place.write("few.jsonl", dumps({name: lists[name] for name in list(lists)[:10]}))
    assert len(_table(place.run("inspect", short).out)) == 10


def test_a_guessed_encoding_asks_to_check_the_characters(place: Place) -> None:
    table = "city,x,age\n" + "".join(f"Köln{n % 3},1,{20 + n % 9}\n" for n in range(60))
    shown = place.run("inspect", place.write("latin.csv", table.encode("latin-1")), "--unit", "row").out
    assert "- read with --encoding latin-1 (detected): check the characters of names and values\n" in shown
    path = place.write("latin.csv", f"Report,,\n{table}".encode("latin-1"))
    shown = place.run("inspect", path, "--unit", "row").out
    assert names(shown, "'check the characters of names and values; check the column names; 1 line'")


@pytest.mark.long
def test_quiet_prints_only_the_result(place: Place) -> None:
    data, job = place.write("people.csv", PEOPLE), str(place.folder / "job.toml")
    for more in ([], ["-o", job]):
        loud = place.run("inspect", data, *more)
        Path(job).unlink(missing_ok=True)
        quiet = place.run("inspect", data, *more, "--quiet")
        assert (quiet.code, quiet.err) == (0, "")
        assert "\nNext: " in loud.out
        assert quiet.out.strip() == loud.out[: loud.out.rindex("\nNext: ")].strip()
    assert Path(job).exists()
    place.run(*place.job())
    loud, quiet = place.run("risk", str(place.out)), place.run("risk", str(place.out), "--quiet")
    assert loud.out.startswith(quiet.out)
    assert ("Next: " in quiet.out, "--original" in quiet.out) == (False, False)


@pytest.mark.parametrize("content", [b"\xff\xfe\x8a\x01\x9c\x33", b"id,sex\n", b"\xfe\xff\x01\x8a\x33\x9c\n\n"])
def test_a_file_without_rows_is_rejected(place: Place, content: bytes) -> None:
    (place.folder / "data.csv").write_bytes(content)
    ran = place.run("inspect", str(path := place.folder / "data.csv"))
    assert ran.code == 2
    assert ran.err.splitlines()[0] == f"anonset: error: {path}: no rows"


@pytest.mark.parametrize("mark", [";", ",", "$", "::"])
def test_tables_named_dat_are_read_as_tables(place: Place, mark: str) -> None:
    draw = random.Random(mark)
    rows = [[str(n), draw.choice("FM"), draw.choice(["E11", "I10"])] for n in range(60)]
    (place.folder / "data.dat").write_text("".join(mark.join(row) + "\n" for row in [["id", "sex", "code"], *rows]))
    ran = place.run("inspect", str(place.folder / "data.dat"))
    assert ran.code == 0, ran.err
    assert "--input-format csv" in ran.out
    assert "rows     60 " in ran.out
