"""`verify --original` and `evaluate` read the columns' roles from the attestation."""

import random
import shutil
from collections.abc import Callable
from hashlib import sha256
from json import dumps, loads
from typing import Any

import pytest
from pyarrow import parquet
from tests.facts import names

from anonset.data import Table
from anonset.jobs import check as job
from anonset.jobs import original, reading
from anonset.release import attested
from anonset.writing import codebook
from cli.place import Place, Ran
from cli.published import publish

ITEMS = [f"i{n}" for n in range(12)]
TREE = "".join(f"i{n},A{n // 3},B{n // 6},ALL\n" for n in range(12))
KM = ["--model", "km", "--k", "3", "--m", "2"]
DIVERSE = ["--k", "3", "--m", "2", "--l", "2", "--sensitive-items", "s"]
RELATIONAL = ["--unit", "who", "--items", "codes", "--relational", "age", "--hierarchy", "age=range"]
SET = ["--unit", "who", "--items", "codes", "--drop", "age"]
DROPPED = ["--drop", "who,codes"]
OTHERS = ["--hierarchy", "codes=others.csv"]


@pytest.fixture
def clinic(place: Place) -> Place:
    """Eighty people with codes separated by semicolons. The hierarchy lacks the sensitive code."""
    rng = random.Random(1)
    rows = [rng.sample(ITEMS[: 4 + n % 9], 1 + n % 4) for n in range(80)]
    place.write("codes.csv", "codes\n" + "".join(f"{';'.join(row)}\n" for row in rows))
    lines = (f"p{n},{rng.randint(20, 60)},{';'.join(row)}{';s' * (n % 9 == 0)}\n" for n, row in enumerate(rows))
    place.write("people.csv", "who,age,codes\n" + "".join(lines))
    place.write("others.csv", TREE)
    return place


def verified(place: Place, data: str, *more: str) -> Ran:
    back = ["--original", str(place.folder / data), "--records", str(place.private / "records.csv")]
    return place.run("verify", str(place.out), *back, "--json", *more)


def own_tree(place: Place, *arguments: str) -> list[str]:
    return [x.replace("=others.csv", f"={place.folder / 'others.csv'}") for x in arguments]


def test_separator_as_attested(clinic: Place) -> None:
    publish(clinic, "codes.csv", "--items", "codes", *own_tree(clinic, *OTHERS), *KM, "--separator", ";")
    for more in ((), ("--separator", ";")):
        verification = verified(clinic, "codes.csv", *more)
        assert (verification.code, verification.json["true"], verification.json["suppressed"]) == (0, True, 0), (
            verification.err
        )
    assert verified(clinic, "codes.csv", "--separator", ",").code == 2  # it separates no items


def test_an_original_is_read_once_if_the_attested_separator_explains_all_items(
    clinic: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = own_tree(clinic, *OTHERS)
    publish(clinic, "codes.csv", "--items", "codes", *tree, *KM, "--separator", ";")
    result: list[bool] = []
    read = original.read_data
    monkeypatch.setattr(original, "read_data", lambda *given, **more: noted(result, read(*given, **more)))
    assert verified(clinic, "codes.csv").json["true"] is True
    assert len(result) == 1
    lines = (clinic.folder / "codes.csv").read_text().replace(";", " ")
    clinic.write("blanks.csv", lines)  # another separator than attested
    assert verified(clinic, "blanks.csv").json["true"] is True
    assert len(result) == 2  # the reading with the attested separator is rejected


def test_a_differing_verdict_is_accepted_only_for_another_budget(
    clinic: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(clinic, "codes.csv", "--items", "codes", *own_tree(clinic, *OTHERS), *KM, "--separator", ";")
    budgets: list[int | None] = []
    for module in (job, attested):
        counted = module.verify

        def again(*given: object, counted: Any = counted, **more: Any) -> Any:
            budgets.append(more["budget"])
            return counted(*given, **more)

        monkeypatch.setattr(module, "verify", again)
    assert clinic.run("verify", str(clinic.out)).code == 0
    assert budgets == [None]
    path = clinic.out / "attestation.json"
    attestation = loads(path.read_text())
    attestation["verified"]["rows"] = 1
    path.write_text(dumps(attestation))
    shutil.rmtree(clinic.private)
    ran = clinic.run("verify", str(clinic.out))
    assert (ran.code, names(ran.err, "verified.rows 1")) == (2, True), ran.err
    assert budgets == [None, None, 0]


def test_the_private_directory_names_the_way_back(clinic: Place) -> None:
    publish(clinic, "codes.csv", "--items", "codes", *own_tree(clinic, *OTHERS), *KM, "--separator", ";")
    options = ("verify", str(clinic.out), "--original", str(clinic.folder / "codes.csv"))
    ran = clinic.run(*options)
    assert (ran.code, names(ran.out, "matches original")) == (0, True), ran.out
    clinic.private.rename(private := clinic.folder / "kept")
    ran = clinic.run(*options)
    assert (ran.code, names(ran.out, "undecided --records")) == (3, True), ran.out
    assert "--private" not in ran.out  # no option of verify
    assert clinic.run(*options, "--json").json["true"] is None
    job = clinic.write("job.toml", f"out = '{clinic.out}'\nprivate = '{clinic.folder / 'none'}'\n")
    assert clinic.run("verify", job, *options[2:]).code == 3
    ran = clinic.run(*options, "--records", str(private / "records.csv"))
    assert (ran.code, names(ran.out, "matches original")) == (0, True), ran.out
    clinic.private.mkdir()
    (clinic.private / "report.json").write_text(
        (private / "report.json").read_text().replace('"attestation_sha256": "', '"attestation_sha256": "0')
    )
    assert clinic.run(*options).code == 2


def test_the_private_directory_of_another_publication_is_rejected(clinic: Place) -> None:
    tree = own_tree(clinic, *OTHERS)
    for k in (3, 4):
        model = ["--model", "km", "--k", f"{k}", "--m", "2"]
        publish(clinic, "codes.csv", "--items", "codes", *tree, *model, "--separator", ";")
        clinic.private.rename(clinic.folder / f"private{k}")
        clinic.out.rename(clinic.folder / f"out{k}")
    (clinic.folder / "out4").rename(clinic.out)
    (clinic.folder / "private3").rename(clinic.private)
    ran = clinic.run("verify", str(clinic.out), "--original", str(clinic.folder / "codes.csv"))
    assert (ran.code, names(ran.err, f"private {clinic.private} {clinic.out}")) == (2, True), ran.err


@pytest.mark.parametrize("rows", [79, 81])
def test_a_records_file_of_another_length_is_rejected(clinic: Place, rows: int) -> None:
    tree = ["--hierarchy", "age=range"]
    publish(clinic, "people.csv", *DROPPED, "--relational", "age", *tree, "--model", "k", "--k", "3", "--unit", "row")
    lines = [*(clinic.private / "records.csv").read_text().splitlines(), "80,0,"][: 1 + rows]
    back = ["--records", clinic.write("records.csv", "\n".join(lines) + "\n")]
    ran = clinic.run("verify", str(clinic.out), "--original", str(clinic.folder / "people.csv"), *DROPPED, *tree, *back)
    assert (ran.code, names(ran.err, f"{back[1]} {rows} 80")) == (2, True), ran.err


@pytest.mark.parametrize(
    ("name", "arguments", "change"),
    [
        ("codes.csv", ["--items", "codes", *KM, "--separator", ";"], lambda line: line.replace("i1", "i2")),
        ("people.csv", [*DROPPED, "--relational", "age", "--model", "k", "--k", "3", "--unit", "row"], lambda line: (
            ",".join([line.split(",")[0], "20", line.split(",")[2]]) if line[0] == "p" else line
        )),
    ],
)  # fmt: skip
def test_a_publication_that_no_order_of_rows_explains_is_untrue(
    clinic: Place, name: str, arguments: list[str], change: Callable[[str], str]
) -> None:
    tree = own_tree(clinic, *OTHERS) if name == "codes.csv" else ["--hierarchy", "age=range"]
    publish(clinic, name, *arguments, *tree)
    clinic.private.rename(clinic.folder / "kept")
    lines = (clinic.folder / name).read_text().splitlines()
    clinic.write("other.csv", "\n".join([lines[0], *map(change, lines[1:])]) + "\n")
    left_out = [] if name == "codes.csv" else [*DROPPED, "--hierarchy", "age=range"]

    def against(file: str) -> Ran:
        return clinic.run("verify", str(clinic.out), "--original", str(clinic.folder / file), *left_out)

    assert against(name).code == 3
    ran = against("other.csv")
    assert (ran.code, names(ran.out, "not match original has too few")) == (1, True), ran.out


@pytest.mark.long
@pytest.mark.parametrize("small", [False, True])
def test_an_original_of_many_files_is_read_as_one_data_set(
    clinic: Place, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    tree = own_tree(clinic, *OTHERS)
    publish(clinic, "codes.csv", "--items", "codes", *tree, *KM, "--separator", ";")
    header, *rows = (clinic.folder / "codes.csv").read_text().splitlines()
    (clinic.folder / "parts").mkdir()
    for name, part in (("a", rows[:33]), ("b", rows[33:])):
        clinic.write(f"parts/{name}.csv", "\n".join([header, *part]) + "\n")
    options = ["--items", "codes", "--separator", ";", *tree, "--workload", "record:20x2", "--json"]
    complete = clinic.run("evaluate", str(clinic.folder / "codes.csv"), str(clinic.out), *options)
    assert complete.code == 0, complete.err
    mapped: list[bool] = []
    if small:  # the table exceeds the memory limit and is stored in files
        monkeypatch.setattr(reading, "memory_limit", lambda _: 1)
    read = reading.read_data
    for module in (reading, original):
        monkeypatch.setattr(module, "read_data", lambda *given, **more: noted(mapped, read(*given, **more)))
    for source in ("parts", "parts/*.csv"):
        ran = clinic.run("evaluate", str(clinic.folder / source), str(clinic.out), *options)
        assert ran.json == complete.json, ran.err
        verification = verified(clinic, source)
        assert (verification.code, verification.json["true"], verification.json["suppressed"]) == (0, True, 0), (
            verification.err
        )
    assert mapped == [small, small]


def noted(mapped: list[bool], table: Table) -> Table:
    mapped.append(table.store.in_files)
    return table


def test_many_files_are_compared_as_one_data_set(clinic: Place) -> None:
    rows = (clinic.folder / "codes.csv").read_text().splitlines()[1:]
    (clinic.folder / "parts").mkdir()
    for name, part in (("a", rows[:33]), ("b", rows[33:])):
        clinic.write(f"parts/{name}.csv", "\n".join(["codes", *part]) + "\n")
    options = [
        "--items",
        "codes",
        "--separator",
        ";",
        *own_tree(clinic, *OTHERS),
        *KM,
        "--algorithms",
        "apriori,vpa",
        "--json",
    ]
    ran = [clinic.run("compare", str(clinic.folder / data), *options) for data in ("codes.csv", "parts/*.csv")]
    assert [compared.code for compared in ran] == [0, 0], ran[1].err
    losses = [[(entry["ncp"], entry["lm"]) for entry in compared.json] for compared in ran]
    assert len(losses[0]) == 2
    assert losses[0] == losses[1]


def test_the_separator_is_read_from_the_attestation(clinic: Place) -> None:
    publish(clinic, "codes.csv", "--items", "codes", *own_tree(clinic, *OTHERS), *KM, "--separator", ";")
    ran = clinic.run("verify", str(clinic.out), "--separator", ";")
    assert ran.code == 2
    assert names(ran.err, "--separator attestation")


def test_lone_column_of_the_original_of_a_nameless_publication(clinic: Place) -> None:
    publish(
        *(clinic, "codes.csv", "--items", "codes", *own_tree(clinic, *OTHERS), *KM, "--separator", ";"),
        *("--format", "dat"),
    )
    for more in ((), own_tree(clinic, *OTHERS), ("--items", "codes")):
        verification = verified(clinic, "codes.csv", "--separator", ";", *more)
        assert (verification.code, verification.json["true"]) == (0, True), verification.err
    titled = clinic.write("titled.csv", f"Codes 2024\n{(clinic.folder / 'codes.csv').read_text()}")
    verification = verified(clinic, titled, "--separator", ";", "--header-line", "2")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err
    people = verified(clinic, "people.csv", "--separator", ";", "--items", "codes", "--unit", "who", "--drop", "age")
    assert (people.code, people.json["true"]) == (0, True), people.err
    assert names(verified(clinic, "people.csv", "--separator", ";").err, "items --items")


@pytest.mark.parametrize(
    ("roles", "model"),
    [
        (SET, ["--model", "klm", *DIVERSE]),
        (SET, ["--model", "lm", *DIVERSE]),
        (RELATIONAL, ["--model", "klm", *DIVERSE, "--delta", "1"]),
        (RELATIONAL, ["--model", "klm", *DIVERSE, "--algorithm", "rfirst", "--on-infeasible", "merge"]),
    ],
    ids=["klm of items", "lm", "rum-bound", "rfirst"],
)
def test_sensitive_items_need_not_be_in_the_hierarchy(clinic: Place, roles: list[str], model: list[str]) -> None:
    data = [*roles, *own_tree(clinic, *OTHERS), "--separator", ";"]
    publish(clinic, "people.csv", *data, *model)
    ran = clinic.run("evaluate", str(clinic.folder / "people.csv"), str(clinic.out), *data, "--json")
    assert ran.code == 0, ran.err
    assert 0 < ran.json["ncp"] <= 1


def test_a_cluster_that_cannot_be_diverse_names_the_option(clinic: Place) -> None:
    data = [*RELATIONAL, *own_tree(clinic, *OTHERS), "--separator", ";", "--model", "klm", *DIVERSE]
    source = str(clinic.folder / "people.csv")
    ran = clinic.run("anonymize", source, "-o", str(clinic.out), *data, "--algorithm", "rfirst")
    assert ran.code == 1
    assert names(ran.err, "'--on-infeasible merge' cluster")


@pytest.mark.long
@pytest.mark.parametrize("algorithm", ["mondrian", "top-down", "cluster"])
def test_ranges_are_read_as_numbers_without_naming_the_column(place: Place, algorithm: str) -> None:
    rng = random.Random(3)
    rows = [(rng.randint(-1, 1), f"{rng.choice((1, 2))}.50", rng.choice("fm")) for _ in range(40)]
    place.write("people.csv", "x,pay,sex\n" + "".join(f"{x},{pay},{sex}\n" for x, pay, sex in rows))
    roles = ["--relational", "x,pay,sex", "--numeric", "x,pay", "--algorithm", algorithm]
    publish(place, "people.csv", *roles, "--model", "k", "--k", "5", "--unit", "row")
    verification = verified(place, "people.csv")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err
    repeated = verified(place, "people.csv", "--hierarchy", "x=range", "--hierarchy", "pay=range")
    assert (repeated.code, repeated.json["true"]) == (0, True), repeated.err
    place.write("others.csv", "x,pay,sex\n" + "".join(f"{x + 9},{pay},{sex}\n" for x, pay, sex in rows))
    verification = verified(place, "others.csv", "--hierarchy", "x=range", "--hierarchy", "pay=range")
    assert (verification.code, verification.json["true"]) == (1, False), verification.err


def test_levels_of_a_missing_hierarchy_are_not_reported_as_untrue(place: Place) -> None:
    draw = random.Random(1)
    place.write(
        "zips.csv", "zip,sex\n" + "".join(f"0{draw.choice('46')}{n % 40:03d},{'fm'[n % 2]}\n" for n in range(300))
    )
    levels = ("--hierarchy", "zip=mask:3,1")
    publish(place, "zips.csv", "--relational", "zip,sex", *levels, "--model", "k", "--k", "25", "--unit", "row")
    ran = place.run("verify", str(place.out), "--original", str(place.folder / "zips.csv"))
    assert (ran.code, names(ran.err, "zip --hierarchy")) == (2, True), ran.err
    verification = verified(place, "zips.csv", *levels)
    assert (verification.code, verification.json["true"]) == (0, True), verification.err


def test_ranges_are_numeric_unless_the_column_is_declared_categorical(place: Place) -> None:
    place.write("rooms.csv", "room\n" + "[1:2]\n" * 5)
    publish(place, "rooms.csv", "--relational", "room", "--model", "k", "--k", "5", "--unit", "row")
    verification = verified(place, "rooms.csv")
    assert (verification.code, names(verification.err, "numeric room")) == (2, True), verification.err
    verification = verified(place, "rooms.csv", "--hierarchy", "room=values")
    assert (verification.code, verification.json["true"]) == (0, True), verification.err


def test_verify_and_risk_read_a_records_file_in_parts(clinic: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codebook, "MOST_AS_TEXT", 10)
    monkeypatch.setattr(codebook, "ROWS_PER_RECORDS_FILE", 30)
    publish(clinic, "codes.csv", "--items", "codes", *own_tree(clinic, *OTHERS), *KM, "--separator", ";")
    parts = sorted((clinic.private / "records").iterdir())
    assert [path.name for path in parts] == [f"part-0000{n}.parquet" for n in range(3)]
    assert {path.stat().st_mode & 0o777 for path in parts} == {0o600}
    out, data = str(clinic.out), str(clinic.folder / "codes.csv")
    for back in ((), ("--records", str(clinic.private / "records"))):
        ran = clinic.run("verify", out, "--original", data, *back, "--json")
        assert (ran.code, ran.json["true"]) == (0, True), ran.err
    risk = clinic.run("risk", out, "--original", data, "--json")
    assert risk.code == 0, risk.err
    table = parquet.read_table(parts[1])
    turned = table.column("input_record").to_numpy()[::-1]
    parquet.write_table(table.set_column(1, "input_record", [turned]), parts[1])
    ran = clinic.run("risk", out, "--original", data)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "records/part-00001.parquet" in ran.err
    assert "SHA-256 differs" in ran.err


@pytest.mark.parametrize("column", ["ward", "ill"])
def test_an_unchanged_column_is_compared_with_the_records(place: Place, column: str) -> None:
    rows = [f"p{n},{20 + n % 2},{'NS'[n // 2 % 2]},{('flu', 'asthma')[n // 4 % 2]}\n" for n in range(40)]
    place.write("people.csv", "who,age,ward,ill\n" + "".join(rows))
    roles = ["--unit", "who", "--relational", "age", "--hierarchy", "age=range", "--keep", "ward", "--sensitive", "ill"]
    publish(place, "people.csv", *roles, "--model", "kl", "--k", "3", "--l", "2", "--publish-as-is", "ward")
    published, attestation = place.out / "published.csv", place.out / "attestation.json"
    assert verified(place, "people.csv", "--unit", "who").code == 0
    lines = [line.split(",") for line in published.read_text().splitlines()]
    at = lines[0].index(column)
    other = next(line for line in lines[2:] if line[at] != lines[1][at] and line[0] == lines[1][0])
    other[at], lines[1][at] = lines[1][at], other[at]
    before = sha256(published.read_bytes()).hexdigest()
    published.write_text("".join(f"{','.join(line)}\n" for line in lines))
    attestation.write_text(attestation.read_text().replace(before, sha256(published.read_bytes()).hexdigest()))
    private = place.private.rename(place.folder / "gone")
    check = ["verify", str(place.out), "--original", str(place.folder / "people.csv"), "--unit", "who"]
    assert place.run(*check).code == 3
    ran = place.run(*check, "--records", str(private / "records.csv"))
    assert ran.code == 1
    assert names(ran.out, column)
