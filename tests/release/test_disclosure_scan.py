"""Values that identify persons are published only if the owner declares the column."""

import json
import random
import re
import shlex
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.facts import names, refused

import anonset
from anonset.cli.main import main
from anonset.data import CategoricalColumn, NumericColumn, Table
from anonset.data.storage.store import Files
from anonset.errors import DisclosureError, InputError
from anonset.jobs import revealing_names
from anonset.privacy import KAnonymity
from anonset.publications import Records
from anonset.release.formats import kind_named
from anonset.release.scan import rare_values

GIVEN = ["Anna", "Peter", "Maria", "Thomas", "Julia", "Stefan", "Laura", "Martin", "Xaver", "Ottokar"]
FAMILY = ["Maier", "Huber", "Schmidt", "Weber", "Wagner", "Bauer", "Koch", "Wolf"]
SENTENCE = ["he", "came", "with", "his", "wife", "and", "was", "sent", "home", "as", "the", "pain", "had", "gone"]


def write(folder: Path, columns: dict[str, list[Any]]) -> str:
    """Write columns as a tab-separated file."""
    rows = zip(*columns.values(), strict=True)
    lines = ["\t".join(columns), *("\t".join(map(str, row)) for row in rows)]
    path = folder / "data.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def people(n: int = 600, seed: int = 1) -> dict[str, list[Any]]:
    draw = random.Random(seed)
    every = range(n)
    return {
        "group": [draw.choice(["20-39", "40-59", "60+"]) for _ in every],
        "wave": [draw.randint(2019, 2021) for _ in every],
        "outcome": [draw.choice(["well", "well", "ill"]) for _ in every],
        "lat": [f"{52.3 + draw.random() * 0.4:.6f}" for _ in every],
        "income": [int(draw.lognormvariate(10, 0.5)) for _ in every],
        "postcode": [draw.randint(10115, 10999) for _ in every],
        "seen": [f"2021-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d} {draw.randint(0, 23):02d}:07:{i % 60:02d}"
                 for i in every],
        "order_no": [f"A-{100000 + 7 * i}" for i in every],
        "household": [f"F{i // 3:05d}x" for i in every],
        "ward": [f"w{draw.randint(1, 12)}" for _ in every],
        "stay": [f"s{draw.randint(1, 10)}" for _ in every],
        "sex": [draw.choice("fm") for _ in every],
        "comment": [" ".join(draw.choices(SENTENCE, k=9)) for _ in every],
        "friends": [";".join({f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}" for _ in range(3)}) for _ in every],
        "contacts": [";".join({f"{draw.choice(GIVEN).lower()}@b.org" for _ in range(3)}) for _ in every],
        "codes": [";".join(draw.sample(["E10", "E11", "I10", "J45"], 2)) for _ in every],
        "doctor": [f"{GIVEN[i % 8]} {FAMILY[i % 8]}" for i in every],
    }  # fmt: skip


def publish(data: dict[str, list[Any]], folder: Path, *more: str, out: str = "out") -> int:
    """Publish some columns of the data and drop the others. Each row is a person, households repeat. In buckets, each
    household is a person.
    """
    path = write(folder, data)
    named = {name for word in more for name in re.split("[,=]", word)}
    drop = [name for name in data if name not in named]
    unit = () if "--id" in more else ("--unit", "row")
    rest = (*unit, "--drop", ",".join(drop), "-o", str(folder / out), "--quiet")
    return main(["anonymize", path, *more, *rest])


K = ("--model", "k", "--k", "5")
KM = ("--model", "km", "--k", "5", "--m", "2", "--separator", ";")
KL, KT = (("--model", "kl", "--k", "5", "--l", "2"), ("--model", "kt", "--k", "5", "--t", "1"))
CASES = {
    "income": (*K, "--relational", "group", "--keep", "income"),
    "postcode": (*K, "--relational", "group", "--keep", "postcode"),
    "seen": (*K, "--relational", "group", "--keep", "seen"),
    "order_no": (*KM, "--items", "codes", "--hierarchy", "codes=halves:frequency", "--keep", "order_no"),
    "household": (*K, "--relational", "group,household"),
    "comment": (*K, "--relational", "group,comment"),
    "doctor": (*K, "--relational", "group", "--keep", "doctor"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.long
def test_a_column_that_identifies_persons_stops_until_it_is_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    data = people()
    assert publish(data, tmp_path, *CASES[name]) == 2
    message = capsys.readouterr().err
    assert message.count("anonset: error: ") == 1
    assert f"column '{name}'" in message
    assert not any(str(value) in message for value in data[name])
    assert [path.name for path in tmp_path.iterdir()] == ["data.tsv"]
    assert publish(data, tmp_path, *CASES[name], "--publish-as-is", name) == 0
    attested = json.loads((tmp_path / "out/attestation.json").read_text())
    assert attested["declarations"]["published_as_is"] == [name]
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "out")]) == 0
    assert names(capsys.readouterr().out, f"published {name}")
    for command in ("risk", "report"):
        more = ["-o", str(tmp_path / "page.html"), "--shareable"] if command == "report" else []
        assert main([command, str(tmp_path / "out"), *more]) == 0


@pytest.mark.parametrize("name", ["income", "postcode", "seen", "order_no", "household", "comment", "doctor"])
@pytest.mark.long
def test_the_remedy_followed_literally_leads_to_a_publication(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    data, options = people(), list(CASES[name])
    publish(data, tmp_path, *options)
    message = capsys.readouterr().err
    ways = message.partition("so nothing is published; ")[2].split("; ")
    way = next(way for way in ways if re.search("(use |: )--", way))
    replaced, _, words = way.removeprefix("or ").removeprefix("use ").rpartition(": ")
    for option in replaced.removeprefix("in place of ").split(" --"):
        if option:
            position = options.index(f"--{option.removeprefix('--').split()[0]}")
            del options[position : position + 2]
    parts = shlex.split(words)
    if "--drop" in parts:
        place = next(i for i, word in enumerate(options) if name in word.split(","))
        rest = ",".join(column for column in options[place].split(",") if column != name)
        options[place - 1 : place + 1] = [options[place - 1], rest] if rest else []
        parts = []
    if "--relational" in parts:
        options[options.index("--relational") + 1] += f",{name}"
        position = parts.index("--relational")
        del parts[position : position + 2]
    assert publish(data, tmp_path, *options, *parts) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("friends", (*KM, "--hierarchy", "friends=halves:frequency")),
        ("contacts", (*KM, "--hierarchy", "contacts=halves:frequency")),
        ("contacts", ("--model", "disassociation", *KM[2:])),
        ("comment", (*KM[:-1], " ", "--hierarchy", "comment=halves:frequency")),
    ],
)
@pytest.mark.long
def test_items_that_name_persons_or_are_free_text_stop(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, more: tuple[str, ...]
) -> None:
    data, options = people(), ("--items", name, *more)
    assert publish(data, tmp_path, *options) == 2
    message = capsys.readouterr().err
    assert f"column '{name}'" in message
    assert not any(word in message for word in (*GIVEN, "wife", ".org"))
    assert publish(data, tmp_path, *options, "--publish-as-is", name) == 0


@pytest.mark.long
def test_common_values_do_not_stop(tmp_path: Path) -> None:
    options = (*KM, "--items", "codes", "--hierarchy", "codes=halves:frequency", "--keep", "wave,outcome")
    assert publish(people(), tmp_path, *options) == 0


@pytest.mark.long
def test_kept_columns_that_form_small_groups_together_stop_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, km = people(), (*KM, "--items", "codes", "--hierarchy", "codes=halves:frequency", "--keep")
    assert publish(data, tmp_path, *km, "wave,ward,stay") == 2
    rows = list(zip(data["wave"], data["ward"], data["stay"], strict=True))
    small = sum(rows.count(row) < 5 for row in rows)
    message = capsys.readouterr().err
    assert names(message, f"column stay {small} persons 5 '--drop stay' '--publish-as-is stay'")
    assert publish(data, tmp_path, *km, "wave,ward,stay", "--publish-as-is", "stay") == 0
    assert publish(data, tmp_path, *km, "wave,ward", out="without") == 0


@pytest.mark.long
def test_kept_columns_that_form_small_groups_with_relational_columns_stop_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, options = people(), (*K, "--relational", "group")
    assert publish(data, tmp_path, *options, "--keep", "ward,stay") == 2
    message = capsys.readouterr().err
    assert names(message, "ward stay '--drop ward,stay' '--relational ward,stay' '--keep ward,stay' --publish-as-is")
    assert publish(data, tmp_path, *options, "--keep", "ward,stay", "--publish-as-is", "ward,stay") == 0
    assert publish(data, tmp_path, "--relational", "group,ward,stay", *K, out="protected") == 0


def test_kept_columns_that_others_know_count_with_relational_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = people(60)
    data["sex"] = ["f"] * 55 + ["m"] * 5
    assert publish(data, tmp_path, *K, "--relational", "group", "--keep", "sex") == 2
    assert names(capsys.readouterr().err, "'--relational sex' '--keep sex'")
    assert publish(data, tmp_path, *K, "--relational", "group,sex") == 0


def test_every_finding_has_a_line_and_a_machine_readable_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = (*K, "--relational", "group", "--keep", "income,order_no", "--log-format", "json")
    assert publish(people(), tmp_path, *options) == 2
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    errors = {line["column"]: line["count"] for line in lines if line.get("level") == "error"}
    assert list(errors) == ["income", "order_no"]
    assert errors["order_no"] == 600


@pytest.mark.long
def test_declarations_must_name_published_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = (*K, "--relational", "group", "--keep", "wave")
    assert publish(people(), tmp_path, *options, "--publish-as-is", "lat") == 2
    assert "'lat'" in capsys.readouterr().err
    assert publish(people(), tmp_path, *options, "--publish-as-is", "wave") == 0  # no finding
    attested = json.loads((tmp_path / "out/attestation.json").read_text())
    assert attested["declarations"]["published_as_is"] == ["wave"]
    attested["declarations"]["published_as_is"] = ["other"]
    (tmp_path / "out/attestation.json").write_text(json.dumps(attested))
    assert main(["verify", str(tmp_path / "out")]) == 2
    assert "published_as_is" in capsys.readouterr().err


def ages(rows: list[int]) -> Table:
    return Table(relational=(NumericColumn("age", np.array(rows)),))


def ranges(labels: list[str]) -> Records:
    return Records(None, (), (CategoricalColumn.of("age", labels),), (), np.arange(len(labels)))


def test_rare_range_ends_stop_the_run_unless_rounded() -> None:
    require_declared = kind_named("records").require_declared
    table = ages([20] * 5 + [30] * 5 + [93])
    with refused(DisclosureError, "age 1"):
        require_declared(table, ranges(["20"] * 5 + ["[30:93]"] * 6), KAnonymity(5))
    require_declared(table, ranges(["20"] * 5 + ["[30:100]"] * 6), KAnonymity(5))
    require_declared(table, ranges(["20"] * 5 + ["[30:93]"] * 6), KAnonymity(1))
    object.__setattr__(table.relational[0], "grid", SimpleNamespace(lows=np.array([20, 30]), highs=np.array([29, 93])))
    require_declared(table, ranges(["20"] * 5 + ["[30:93]"] * 6), KAnonymity(5))


def test_keys_of_persons_as_items_stop_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = people(120)
    pairs = zip(data["group"], data["order_no"], strict=True)
    data["keys"] = [";".join([group, *(f"{order}-{n}" for n in range(10))]) for group, order in pairs]
    assert publish(data, tmp_path, *KM, "--items", "keys", "--hierarchy", "keys=halves:frequency") == 2
    assert names(capsys.readouterr().err, "keys 1,200 5 persons")


@pytest.mark.parametrize("sets", ["info", "codes,info"])
def test_items_that_mention_persons_of_the_data_stop_before_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, sets: str
) -> None:
    draw, data = random.Random(5), people()
    family = [f"{a}{b}" for a in ("Fal", "Gru", "Hau", "Imm") for b in ("ke", "ber", "ser", "el", "mann")]
    data["surname"] = [family[n % len(family)] for n in range(600)]
    data["info"] = [f"mother of {surname};{draw.choice('xy')}" for surname in data["surname"]]
    hierarchies = [word for name in sets.split(",") for word in ("--hierarchy", f"{name}=halves:frequency")]
    assert publish(data, tmp_path, *KM, "--items", sets, *hierarchies, "--publish-as-is", "info") == 0
    monkeypatch.setattr("anonset.jobs.runs.run.Run.search", None)
    assert publish(data, tmp_path, *KM, "--items", sets, *hierarchies, out="other") == 2
    message = capsys.readouterr().err
    assert names(message, "info surname 20 items --drop")
    assert "--publish-as-is" not in message
    assert not any(family_number in message for family_number in family)


@pytest.mark.parametrize("written", ["csv", "json", "groups", "parquet"])
def test_mentions_are_found_in_files_and_row_groups_of_a_few_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: str
) -> None:
    family = [f"{a}{b}" for a in ("Fal", "Gru", "Hau", "Imm") for b in ("ke", "ber", "ser", "el", "mann")]
    records = [{"surname": family[n * 7 % 20], "codes": ["flu", f"call {family[n * 3 % 20]}"]} for n in range(120)]
    few = [records[n : n + 3] for n in range(0, 120, 3)]
    table = pa.Table.from_pylist(records)
    source = tmp_path / "data"
    if written == "groups":
        parquet.write_table(table, source.with_suffix(".parquet"), row_group_size=3)
    else:
        source.mkdir()
        for n, part in enumerate(few):
            if written == "csv":
                lines = [f"{one['surname']},{';'.join(one['codes'])}" for one in part]
                (source / f"{n:02}.csv").write_text("\n".join(["surname,codes", *lines]))
            elif written == "json":
                (source / f"{n:02}.jsonl").write_text("\n".join(map(json.dumps, part)))
            else:
                parquet.write_table(pa.Table.from_pylist(part), source / f"{n:02}.parquet")
    options = ["--unit", "row", "--drop", "surname", "--items", "codes", "--hierarchy", "codes=balanced:2"]
    where = str(source.with_suffix(".parquet") if written == "groups" else source)
    assert main(["anonymize", where, "-o", str(tmp_path / "out"), *KM, *options]) == 2
    assert names(capsys.readouterr().err, "codes 20 items surname")


def test_missing_values_of_few_persons_do_not_stop(tmp_path: Path) -> None:
    data = people()
    data["ward"][:2] = ["?", "?"]
    options = ("--items", "codes", "--hierarchy", "codes=halves:frequency", "--keep", "ward")
    assert publish(data, tmp_path, *KM, *options) == 0


def test_a_header_that_is_an_address_stops_without_showing_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {"20-39": ["40-59"] * 20, "ann@b.org": ["x"] * 20, "note": ["y"] * 20}
    assert publish(data, tmp_path, *K, "--relational", "20-39", "--keep", "ann@b.org") == 2
    message = capsys.readouterr().err
    assert "--no-header" in message
    assert "ann@b" not in message


@pytest.mark.long
def test_a_few_rare_categories_in_sets_do_not_stop(tmp_path: Path) -> None:
    data = people()
    data["ward"][:3] = ["u", "v", "w"]
    assert publish(data, tmp_path, *K, "--relational", "group,ward") == 0


def test_a_table_in_memory_is_scanned_on_export(tmp_path: Path) -> None:
    table = anonset.read({"age": list(range(20, 80)) * 2, "sex": ["f", "m"] * 60, "income": list(range(120))},
                         relational="sex", drop="age", keep="income", unit="row")  # fmt: skip
    release = anonset.anonymize(table, anonset.Mondrian(k=3))
    assert release.verdict.holds
    for leave in (release.to_arrow, release.__arrow_c_stream__, lambda: release.save(tmp_path / "out")):
        with pytest.raises(DisclosureError, match="publish_as_is='income'"):
            leave()
    assert list(tmp_path.iterdir()) == []
    assert release.save(tmp_path / "out", publish_as_is="income").is_dir()
    declared = anonset.anonymize(table, anonset.Mondrian(k=3), publish_as_is=["income"])
    assert declared.to_arrow().num_rows == 120
    with pytest.raises(InputError, match="'nobody'"):
        anonset.anonymize(table, anonset.Mondrian(k=3), publish_as_is="nobody")


def test_values_covered_by_the_model_are_counted_but_do_not_stop_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = people(60)
    options = ("--model", "anatomy", "--l", "2", "--sensitive", "postcode", "--id", "household", "--seed", "1")
    assert publish(data, tmp_path, *options) == 0
    report = json.loads((tmp_path / "out.private/report.json").read_text())
    assert report["exact_values"]["postcode"] > 0
    assert "exact_values" not in (tmp_path / "out/attestation.json").read_text()


def test_groups_are_counted_equally_in_memory_and_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(3)
    columns = [CategoricalColumn.of(name, map(str, draw.integers(0, 40, 3000).tolist())) for name in "abc"]
    expected = rare_values.persons_in_small_groups(columns, 5)
    few = [int(column.occurrences.min()) + 1 for column in columns]
    rare = [rare_values.count_rare(column, most) for column, most in zip(columns, few, strict=True)]
    assert rare == [int((c.occurrences == c.occurrences.min()).sum()) for c in columns]
    _, sizes = np.unique(np.stack([column.codes for column in columns]), axis=1, return_counts=True)
    assert expected == int(sizes[sizes < 5].sum())
    monkeypatch.setattr("anonset.data.spans.AT_ONCE", 100)
    monkeypatch.setattr(rare_values, "_MOST_CODES", 16)
    with Files.temporary(tmp_path) as store:
        filed = [CategoricalColumn(c.name, store.keep("codes", c.codes), c.vocabulary) for c in columns]
        assert rare_values.persons_in_small_groups(filed, 5, store) == expected
        assert [rare_values.count_rare(column, most) for column, most in zip(filed, few, strict=True)] == rare
    monkeypatch.setattr("anonset.data.equivalence_classes._MOST_KEYS", 50)
    assert rare_values.persons_in_small_groups(columns, 5) == expected


def test_persons_with_several_rows_are_counted_once_in_memory_and_in_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(5)
    columns = [CategoricalColumn.of(name, map(str, draw.integers(0, 20, 900).tolist())) for name in "ab"]
    ids = [CategoricalColumn.of("id", map(str, draw.integers(0, 60, 900).tolist()))]
    of_value, of_pair = defaultdict[int, set[int]](set), defaultdict[tuple[int, int], set[int]](set)
    for a, b, person in zip(*(column.codes.tolist() for column in (*columns, *ids)), strict=True):
        of_value[a].add(person)
        of_pair[a, b].add(person)
    few = min(map(len, of_value.values())) + 1
    rare = sum(len(persons) < few for persons in of_value.values())
    small = sum(len(persons) for persons in of_pair.values() if len(persons) < 3)
    assert rare_values.count_rare(columns[0], few, ids) == rare > 0
    assert rare_values.persons_in_small_groups(columns, 3, ids=ids) == small > 0
    monkeypatch.setattr("anonset.data.spans.AT_ONCE", 100)
    with Files.temporary(tmp_path) as store:
        monkeypatch.setattr(Files, "buckets", lambda *_: 3)
        filed, known = (
            [CategoricalColumn(c.name, store.keep("codes", c.codes), c.vocabulary) for c in part]
            for part in (columns, ids)
        )
        assert rare_values.count_rare(filed[0], few, known, store) == rare
        assert rare_values.persons_in_small_groups(filed, 3, store, known) == small


def test_a_kept_value_of_one_person_with_many_rows_stops_safe_grouping() -> None:
    rows = [(f"p{n}", f"drug {(n + row) % 4}", "ward 1") for n in range(20) for row in range(6)]
    rows = [(person, drug, "12 th floor" if person == "p7" else ward) for person, drug, ward in rows]
    data = dict(zip(("who", "drug", "ward"), zip(*rows, strict=True), strict=True))
    table = anonset.read({name: list(values) for name, values in data.items()}, id="who", sensitive="drug", keep="ward")
    release = anonset.anonymize(table, anonset.SafeGrouping(k=2, l=2, seed=1))
    with pytest.raises(DisclosureError, match="ward"):
        release.to_arrow()


@pytest.mark.long
def test_blocks_find_the_same_before_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, options = (
        people(),
        (*KM, "--items", "codes", "--hierarchy", "codes=halves:frequency", "--keep", "income,wave"),
    )
    messages = []
    for more in ((), ("--work-dir", str(tmp_path / "work"))):
        assert publish(data, tmp_path, *options, *more) == 2
        messages.append([line for line in capsys.readouterr().err.splitlines() if "error: " in line])
    assert messages[0] == messages[1]
    assert "column 'income'" in messages[0][0]
    monkeypatch.setattr("anonset.jobs.runs.run.Run.search", None)
    assert publish(data, tmp_path, *options, "--work-dir", str(tmp_path / "again")) == 2


@pytest.mark.long
def test_a_declaration_after_the_stop_resumes_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = (*KM, "--items", "codes", "--hierarchy", "codes=halves:frequency", "--keep", "income")
    place = ("--work-dir", str(tmp_path / "work"))
    assert publish(people(), tmp_path, *options, *place) == 2
    assert publish(people(), tmp_path, *options, *place, "--if-exists", "resume", "--publish-as-is", "income") == 0
    attested = json.loads((tmp_path / "out/attestation.json").read_text())
    assert attested["declarations"]["published_as_is"] == ["income"]


def test_items_that_are_keys_stop_before_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = people(120)
    data["keys"] = [";".join(f"{order}-{n}" for n in range(10)) for order in data["order_no"]]

    def search(*_: object, **__: object) -> None:
        pytest.fail("searched")

    monkeypatch.setattr("anonset.jobs.runs.run.Run.search", search)
    assert publish(data, tmp_path, *KM, "--items", "keys", "--hierarchy", "keys=halves:frequency") == 2
    assert names(capsys.readouterr().err, "keys 1,200 5 persons")


@pytest.mark.parametrize(("name", "values"), [("patient_id", "P{}7"), ("notes", "He came with his wife on day {}")])
def test_ids_and_free_text_stop_as_sensitive_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, values: str
) -> None:
    data = {"x": ["x"] * 120, "sex": ["f", "m"] * 60, name: [values.format(n // 2) for n in range(120)]}
    kl = ("--model", "kl", "--k", "5", "--l", "2")
    options = ("--relational", "sex", "--sensitive", name, *kl)
    assert publish(data, tmp_path, *options) == 2
    message = capsys.readouterr().err
    assert f"column '{name}'" in message
    assert values.format(3) not in message
    assert publish(data, tmp_path, *options, "--publish-as-is", name) == 0


OWN = {
    "dates": lambda n: f"{1 + n % 28}. Mai {1950 + n // 28}",
    "places": lambda n: f"{48 + n / 977:.4f},{9 + n / 1013:.4f}",
    "names": lambda n: f"Q{chr(97 + n % 26)}x{chr(97 + n // 26)}",
    "remarks": lambda n: f"knee {n // 12}, left {n % 12}",
}


@pytest.mark.long
@pytest.mark.parametrize(("values", "options"), [*((values, KL) for values in OWN), ("dates", KT)])
def test_values_of_nearly_every_person_stop_as_sensitive_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: str, options: tuple[str, ...]
) -> None:
    data = {"x": ["x"] * 120, "sex": ["f", "m"] * 60, "x9": [OWN[values](n) for n in range(120)]}
    given = ("--relational", "sex", "--sensitive", "x9", *options)
    assert publish(data, tmp_path, *given) == 2
    message = capsys.readouterr().err
    assert "column 'x9'" in message
    assert OWN[values](3) not in message
    assert publish(data, tmp_path, *given, "--publish-as-is", "x9") == 0


def test_values_of_their_own_stop_also_if_a_third_of_the_persons_has_none(tmp_path: Path) -> None:
    values = ["" if n % 3 == 0 else OWN["remarks"](n) for n in range(120)]
    data = {"x": ["x"] * 120, "sex": ["f", "m"] * 60, "x9": values}
    options = ("--model", "kl", "--k", "5", "--l", "2")
    assert publish(data, tmp_path, "--relational", "sex", "--sensitive", "x9", *options) == 2


@pytest.mark.parametrize("value", ["{}.5", "E{}"])
def test_own_numbers_and_codes_do_not_stop_as_sensitive_column(tmp_path: Path, value: str) -> None:
    data = {"x": ["x"] * 120, "sex": ["f", "m"] * 60, "x9": [value.format(10 + n % 100) for n in range(120)]}
    assert (
        publish(data, tmp_path, "--relational", "sex", "--sensitive", "x9", "--model", "kl", "--k", "5", "--l", "2")
        == 0
    )


@pytest.mark.long
def test_person_names_in_published_sets_stop_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, last = ("Hans", "Julia", "Karin", "Peter"), ("Maier", "Weber", "Ott", "Lang", "Braun")
    names = [f"{first[n % 4]} {last[n % 5]}" for n in range(400)]
    data = {"x": ["x"] * 400, "sex": [("f", "m")[n % 7 % 2] for n in range(400)], "a": names}
    options = ("--relational", "sex,a", "--model", "k", "--k", "15", "--algorithm", "cluster")
    assert publish(data, tmp_path, *options, "--publish-as-is", "a") == 0
    assert publish(data, tmp_path, *options, out="other") == 2
    assert not any(name in capsys.readouterr().err for name in names)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([f"{n} Elm Street" for n in range(1, 7)], "postal addresses"),
        (["Hauptstr. 5", "Am Weg 7", "Lindenallee 12"], "postal addresses"),
        (["write to ann@mail.org", "call", "nothing to add"], "e-mail addresses"),
    ],
)
def test_addresses_that_many_persons_share_stop_the_publication(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: list[str], said: str
) -> None:
    data = {"sex": list("fm") * 60, "x9": [values[n // 2 % len(values)] for n in range(120)]}
    out = tmp_path / "out"
    given = ["--relational", "sex,x9", "--unit", "row", "--model", "k", "--k", "5", "-o", str(out)]
    assert main(["anonymize", write(tmp_path, data), *given]) == 2
    assert names(capsys.readouterr().err, f"'{said}' x9")
    assert not out.exists()


OF_PERSONS = {
    "names": lambda n: f"{GIVEN[n % 4]} Maier",
    "telephones": lambda n: f"0{30 + n % 9}/{1000000 + 7919 * n % 8999999}",
    "IBANs": lambda n: ("DE89370400440532013000", "GB82WEST12345698765432", "NL91ABNA0417164300")[n % 3],
}


@pytest.mark.parametrize("header", ["seen_with", "form:seen_with"])
@pytest.mark.parametrize("values", OF_PERSONS)
def test_each_item_column_is_judged_by_its_own_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: str, header: str
) -> None:
    codes = [f"{letter}{n}" for letter in "EIJK" for n in range(10, 20)]
    draw = random.Random(2)
    data = {
        "codes": [";".join(draw.sample(codes, 3)) for _ in range(120)],
        header: [OF_PERSONS[values](n) for n in range(120)],
    }
    path, out = write(tmp_path, data), tmp_path / "out"
    trees = [w for name in data for w in ("--hierarchy", f"{name}=halves:frequency")]
    options = (*KM, "--unit", "row", "-o", str(out), *trees, "--items", f"codes,{header}")
    assert main(["anonymize", path, *options]) == 2
    message = capsys.readouterr().err
    assert names(message, f"column '{header}'")
    assert "'codes'" not in message
    assert not out.exists()


@pytest.mark.parametrize("values", [*OF_PERSONS, "dates", "ids of a dropped column"])
def test_items_with_headers_are_judged_by_the_values_of_each_header(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: str
) -> None:
    draw, ids = random.Random(2), [f"P-1{n:04}" for n in range(120)]
    dates = [f"19{40 + n // 5}-0{1 + n % 9}-1{n % 7}" for n in range(90)]
    more = {"dates": [*dates, *["none"] * 30], "ids of a dropped column": [*ids[::-2], *["none"] * 60]}
    data = {
        "code": [f"E{draw.randint(10, 60)}" for _ in range(120)],
        "sex": [draw.choice("fm") for _ in range(120)],
        "seen with": more.get(values) or [OF_PERSONS[values](n) for n in range(120)],
        "patient_id": ids,
    }
    options = ("--model", "km", "--k", "5", "--m", "1", "--with-header", "--hierarchy", "items=halves:frequency")
    assert publish(data, tmp_path, *options, "--one-code", "code,sex,seen with") == 2
    assert "'items'" in capsys.readouterr().err
    assert publish(data, tmp_path, *options, "--one-code", "code,sex") == 0


@pytest.mark.parametrize("values", [*OF_PERSONS, "cards", "hashes"])
def test_each_column_of_codes_is_judged_by_its_own_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: str
) -> None:
    draw = random.Random(2)
    data = {
        f"dx{i}": [f"{draw.choice('EIJKMN')}{draw.randint(10, 99)}.{draw.randint(0, 9)}" for _ in range(120)]
        for i in range(9)
    }
    cards = ["4539578763621486", "4916338506082832", "4024007198964305", "4556737586899855", "4485275742308327"]
    of_person = {
        **OF_PERSONS,
        "cards": lambda n: cards[n % 5],
        "hashes": lambda n: sha256(b"%d" % n).hexdigest()[:16],
    }[values]
    data |= {"doctor": [of_person(n % 40) for n in range(120)], "x": ["x"] * 120}
    options = ("--model", "km", "--k", "2", "--m", "1", "--hierarchy", "items=halves:frequency")
    codes = ",".join(f"dx{i}" for i in range(9))
    assert publish(data, tmp_path, *options, "--one-code", f"{codes},doctor") == 2
    assert names(capsys.readouterr().err, "column 'items' 'doctor'")
    assert publish(data, tmp_path, *options, "--one-code", codes) == 0


def test_few_numbers_that_each_person_has_alone_stop_as_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = random.Random(4)
    data = {
        "codes": [";".join(draw.sample("abcdef", 3)) for _ in range(95)],
        "staff": [f"{473188 + 7 * n}" for n in range(95)],
        "x": ["x"] * 95,
    }
    trees = [w for name in ("codes", "staff") for w in ("--hierarchy", f"{name}=halves:frequency")]
    options = ("--model", "km", "--k", "5", "--m", "1", "--separator", ";", "--items", "codes,staff", *trees)
    assert publish(data, tmp_path, *options) == 2
    assert names(capsys.readouterr().err, "column 'staff' 95 5 persons")


@pytest.mark.parametrize("place", ["memory", "files"])
def test_a_kept_value_of_one_person_stops_buckets_in_memory_and_in_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    data = {
        "no": list(range(60)),
        "ward": ["north", "south"] * 29 + ["east", "north"],
        "outcome": ["well", "ill", "flu"] * 20,
        "x": ["x"] * 60,
    }
    options = (
        "--model",
        "anatomy",
        "--l",
        "2",
        "--id",
        "no",
        "--sensitive",
        "outcome",
        "--keep",
        "ward",
        "--seed",
        "1",
    )
    more = () if place == "memory" else ("--work-dir", str(tmp_path / "work"))
    assert publish(data, tmp_path, *options, *more) == 2
    assert names(capsys.readouterr().err, "column 'ward' 1 5 persons")
    assert publish(data, tmp_path, *options, "--publish-as-is", "ward") == 0


@pytest.mark.parametrize("sharing", ["two persons", "a third of the rows"])
@pytest.mark.parametrize("value", ["B-XY {}", "2021-05-01 10:{}", "https://b.org/u/{}", "Qx{}y, left"])
def test_values_of_few_persons_stop_as_sensitive_column(tmp_path: Path, value: str, sharing: str) -> None:
    column = [value.format(10 + (n // 2)) for n in range(100)]
    if sharing != "two persons":
        column = [value.format(10 + n // 3) if n % 3 == 0 else ("none", "seen", "well")[n % 7 % 3] for n in range(100)]
    data = {"no": list(range(100)), "x9": column, "x": column}
    options = ("--model", "anatomy", "--l", "2", "--id", "no", "--sensitive", "x9", "--seed", "1")
    assert publish(data, tmp_path, *options) == 2
    assert publish(data, tmp_path, *options, "--publish-as-is", "x9") == 0


def test_rare_values_of_which_each_record_has_its_own_are_personal() -> None:
    values = [f"{a}{b}{c}" for a in "ABCD" for b in "ABCD" for c in "ABC"][:40]
    data = {"no": list(map(str, range(40))), "sex": ["f", "m"] * 20, "x": values}
    table = anonset.read(data, unit="no", relational="sex", keep="x")
    release = anonset.anonymize(table, anonset.Mondrian(k=2), publish_as_is="x")
    (found,) = revealing_names.rare_values(release.publication, table, release.verdict.model)
    assert (found.column, found.unchanged, found.are_personal, len(found.occurrences)) == ("x", True, True, 40)
