"""Pairs of options and features that each work alone."""

import json
import random
import shutil

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.facts import names, refused

import anonset
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.disassociation.cahd import Cahd
from anonset.algorithms.transaction.disassociation.disassociation import Disassociation
from anonset.cli.flags import given_flags
from anonset.errors import InputError
from cli.place import Place, Ran

GUARANTEE = ("--model", "km", "--k", "3", "--m", "1")
ROWS = ("--unit", "row", *GUARANTEE)
TREE_A = "a;AB;ALL\nb;AB;ALL\nc;CD;ALL\nd;CD;ALL\n"
TREE_X = "u;UV;ALL\nv;UV;ALL\nx;XY;ALL\ny;XY;ALL\n"


def sets_of(alphabet: str, n: int = 40, most: int = 2, mark: str = " ") -> list[str]:
    draw = random.Random(alphabet)
    return [mark.join(sorted(draw.sample(alphabet, draw.randint(1, most)))) for _ in range(n)]


def published(place: Place, *arguments: str) -> Ran:
    ran = place.run("anonymize", *arguments, "-o", str(place.out))
    assert ran.code == 0, ran.err
    return ran


def test_items_of_a_nested_path_are_found_again_behind_a_fimi_file(place: Place) -> None:
    rows = [{"pid": n, "visits": [{"code": c} for c in text.split()]} for n, text in enumerate(sets_of("abcd"))]
    data = place.write("nested.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    path = "visits[].code"
    published(
        place,
        data,
        "--items",
        path,
        "--unit",
        "pid",
        *GUARANTEE,
        "--hierarchy",
        f"{path}=balanced:2",
        "--format",
        "dat",
    )
    report = str(place.private / "report.json")
    for command in ("risk", "verify"):
        assert place.run(command, report).code == 0
        original = [str(place.out), "--original", data, "--unit", "pid", "--items"]
        assert place.run(command, *original, path).code == 0
        assert place.run(command, *original, "pid").code == 2
    assert place.run("report", report, "-o", str(place.folder / "report.html")).code == 0


def test_privacy_constraints_of_items_with_blanks_are_kept(place: Place) -> None:
    text = [f"{n},{cell.replace('|', ' x|')} x" for n, cell in enumerate(sets_of("abcd", mark="|"))]
    data, rules = place.write("blanks.csv", "\n".join(["id,items", *text])), place.write("rules.txt", '"a x" "b x"\n')
    job = [data, "--items", "items", "--separator", "|", "--unit", "id", "--algorithm", "coat", "--k", "2"]
    more = ["--privacy-constraints", rules, "--utility-constraints", "siblings:2", "--hierarchy", "items=balanced:2"]
    published(place, *job, *more)
    assert (place.private / "privacy_constraints.txt").read_text() == '"a x" "b x"\n'
    assert place.run("verify", str(place.private / "report.json")).code == 0
    assert place.run("anonymize", *job, *more, "-o", str(place.out), "--if-exists", "resume").code == 0


@pytest.mark.parametrize("ids", [["p1", None, "p2", "p2"] * 10])
def test_rows_without_an_id_are_skipped_in_views_of_text(place: Place, ids: list[str | None]) -> None:
    views = {"pid": ids, "code": ["a", "b"] * 20}
    table = pa.table({name: pa.array(texts).cast(pa.string_view()) for name, texts in views.items()})
    parquet.write_table(table, place.folder / "views.parquet")
    for source in (table, place.folder / "views.parquet"):
        read = anonset.read(source, items="code", unit="pid", skip_rows="no-id")
        assert (read.n, read.transactions.vocabulary.labels) == (2, ("a", "b"))


def test_inspect_skips_rows_without_an_id_before_a_unit_is_declared(place: Place) -> None:
    data = place.write("visits.csv", "\n".join(["pid,code", *(f"p{n // 2 or ''},{'abc'[n % 3]}" for n in range(60))]))
    ran = place.run("inspect", data, "--skip-rows", "no-id")
    assert (ran.code, '"pid"' in ran.out) == (0, True)
    assert place.run("inspect", data, "--skip-rows", "no-id", "--unit", "row").code == 0


@pytest.fixture
def two_sets(place: Place) -> list[str]:
    rows = [f"{a},{b}" for a, b in zip(sets_of("abcd"), sets_of("uvxy"), strict=True)]
    trees = [place.write("a.csv", TREE_A), place.write("x.csv", TREE_X)]
    columns = ["--hierarchy", f"a={trees[0]}", "--hierarchy", f"b={trees[1]}"]
    return [place.write("two.csv", "\n".join(["a,b", *rows])), "--items", "a,b", "--unit", "row", *columns]


@pytest.mark.parametrize("ceiling", ["1", "FILE"])
def test_each_of_several_item_columns_has_its_own_ceiling(place: Place, two_sets: list[str], ceiling: str) -> None:
    bound = place.write("bound.txt", "AB\nCD\n") if ceiling == "FILE" else ceiling
    job = [*two_sets, "--model", "km", "--m", "1", "--accept", "worthless", "--algorithm", "apriori", "--k"]
    published(place, *job, "28")
    assert "a:ALL" in (place.out / "codebook.csv").read_text()
    refusal = place.run("anonymize", *job, "28", "--ceiling", f"a={bound}", "-o", str(place.folder / "other"))
    assert (refusal.code, names(refusal.err, "'a' ceiling")) == (1, True)
    shutil.rmtree(place.out)
    shutil.rmtree(place.private)
    published(place, *job, "20", "--ceiling", f"a={bound}")
    assert "a:ALL" not in (place.out / "codebook.csv").read_text()


def test_an_infeasible_model_of_two_tables_names_no_ceiling(place: Place, two_sets: list[str]) -> None:
    for name, alphabet in (("diag", "abcd"), ("drug", "uvxy")):
        rows = [f"p{n},{code}" for n, text in enumerate(sets_of(alphabet)) for code in text.split()]
        place.write(f"{name}.csv", "\n".join(["pid,code", *rows[: 1000 if name == "diag" else 12]]))
    tables = "".join(
        f'[tables.{name}]\ninput = "{place.folder / name}.csv"\nitems = "code"\n' for name in ("diag", "drug")
    )
    trees = f'[hierarchy]\n"diag.code" = "{place.folder / "a.csv"}"\n"drug.code" = "{place.folder / "x.csv"}"\n'
    job = place.write("job.toml", f'unit = "pid"\nmodel = "km"\nk = 30\nm = 2\n{tables}{trees}')
    ran = place.run("anonymize", job, "-o", str(place.out), "--algorithm", "apriori")
    assert (ran.code, "ceiling" in ran.err, names(ran.err, "tables")) == (1, False, True)
    ran = place.run("anonymize", job, "-o", str(place.out), "--algorithm", "apriori", "--ceiling", "diag.code=1")
    assert (ran.code, "ceiling" in ran.err) == (1, True)


def test_python_publishes_chunks_of_persons_and_the_separator_of_the_command(place: Place) -> None:
    rows = [f"p{n},{code}" for n, text in enumerate(sets_of("abcd")) for code in text.split()]
    data = place.write("long.csv", "\n".join(["pid,code", *rows]))
    table = anonset.read(data, items="code", unit="pid")
    for algorithm in (Disassociation(k=2, m=2), Cahd(sensitive_items=("a",), cap=0.9)):
        assert anonset.anonymize(table, algorithm).verdict.holds
    cells = place.write("cells.csv", "\n".join(["codes", *sets_of("abcd", mark=";")]))
    job = [cells, "--items", "codes", "--separator", ";", *ROWS, "--algorithm", "apriori"]
    published(place, *job, "--hierarchy", "codes=balanced:2")
    read = anonset.read(cells, items="codes", separator=";", unit="row")
    tree, out = {"codes": "balanced:2"}, place.folder / "python"
    anonset.anonymize(read, Apriori(k=3, m=1), hierarchies=tree, out=out, separator=";")
    assert [one.read_bytes() for one in sorted(out.iterdir())] == [
        one.read_bytes() for one in sorted(place.out.iterdir())
    ]
    with refused(InputError, "separator out"):
        anonset.anonymize(read, Apriori(k=3, m=1), hierarchies=tree, separator=";")


@pytest.mark.parametrize(
    "options", [["rfirst"], ["rum-bound", "--delta", ".6"], ["joint-split"]], ids=lambda one: one[0]
)
def test_linked_tables_do_not_depend_on_order_repeated_rows_and_files(place: Place, options: list[str]) -> None:
    rows = {
        "persons": ["pid,age", *(f"p{n},{20 + n * 7 % 40}" for n in range(40))],
        "diag": ["pid,code", *(f"p{n},{code}" for n, text in enumerate(sets_of("abcd")) for code in text.split())],
        "drug": ["pid,code", *(f"p{n},{code}" for n, text in enumerate(sets_of("uvxy")) for code in text.split())],
    }
    roles = {"persons": 'relational = "age"\nnumeric = "age"', "diag": 'items = "code"', "drug": 'items = "code"'}
    found = []
    for number in range(3):
        folder = place.folder / str(number)
        for name, (header, *lines) in rows.items():
            (folder / name).mkdir(parents=True)
            if number:
                random.Random(number).shuffle(lines)
                lines += lines[: 9 * (name != "persons")]
            for part in range(1 + number):
                (folder / name / f"{part}.csv").write_text("\n".join([header, *lines[part :: 1 + number]]))
        tables = [f'[tables.{name}]\ninput = "{folder / name}"\n{roles[name]}' for name in rows]
        trees = ['[hierarchy]\n"persons.age" = "range"', '"diag.code" = "balanced:2"', '"drug.code" = "balanced:2"']
        job = place.write("job.toml", "\n".join(['unit = "pid"', *tables, *trees]))
        out, model = folder / "out", ["--model", "kkm", "--k", "3", "--m", "2", "--transaction", "apriori"]
        ran = place.run(
            "anonymize", job, *model, "--publish-as-is", "persons.age", "-o", str(out), "--algorithm", *options
        )
        assert ran.code == 0, ran.err
        found.append({str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*") if file.is_file()})
    assert found[0] == found[1] == found[2]


def test_a_weight_may_belong_to_a_column_of_the_job_with_equals_signs() -> None:
    given = given_flags({"relational_weights": ["zip=1=0.25,age, years=.75", "a[k=x].b=1"]})
    assert given["relational_weights"] == {"zip=1": "0.25", "age, years": ".75", "a[k=x].b": "1"}


def test_a_weight_may_belong_to_a_column_with_commas_and_equals_signs(place: Place) -> None:
    rows = [f"{20 + n % 7},{n % 3},{text}" for n, text in enumerate(sets_of("abcd"))]
    data = place.write("weighted.csv", "\n".join(['"age, years",a=b,codes', *rows]))
    job = [data, "--items", "codes", "--relational", "age, years", "--relational", "a=b", "--numeric", "age, years"]
    job += ["--algorithm", "rum-bound", "--delta", "1", "--model", "kkm", "--k", "3", "--m", "1"]
    trees = ["--hierarchy", "codes=balanced:2", "--hierarchy", "a=b=balanced:2", "--unit", "row"]
    published(place, *job, *trees, "--relational-weights", "age, years=.75,a=b=.25")
    report = json.loads((place.private / "report.json").read_text())
    assert report["parameters"]["relational_weights"] == {"age, years": 0.75, "a=b": 0.25}
    for wrong, got in (("age, years=7,a=b=.25", "7.0"), ("age, years=.8,a=b=.7", "1.5")):
        ran = place.run("anonymize", *job, "-o", str(place.folder / "other"), "--relational-weights", wrong)
        assert (ran.code, "complete command" in ran.err, names(ran.err, f"relational {got}")) == (2, False, True)


@pytest.mark.parametrize(
    "flags", [["flu,acute,flu,acute"], ["flu,acute", "flu", "acute"], ["acute,flu", "acute,flu,acute"]]
)
def test_flags_name_a_column_with_a_comma_and_the_columns_of_its_parts(place: Place, flags: list[str]) -> None:
    rows = "".join(f"{n % 2},{n % 3 // 2},{n % 5 // 4}\n" for n in range(60))
    data = place.write("visits.csv", f'"flu,acute",flu,acute\n{rows}')
    named = [each for flag in flags for each in ("--one-hot", flag)]
    published(
        place, data, *named, "--unit", "row", "--model", "km", "--k", "2", "--m", "1", "--algorithm", "set-search"
    )
    symbols = (place.out / "codebook.csv").read_text().splitlines()[1:]
    assert symbols == ["acute,item,acute", "flu,item,flu", '"flu,acute",item,"flu,acute"']
