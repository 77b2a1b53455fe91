"""Kept columns with many labels out of core: labels are stored in files, and the bytes are the same as in memory."""

import csv
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.facts import refused
from tests.jobs.test_by_blocks import files_of, report_of_both
from tests.tiny_limits import set_limits

import anonset
from anonset.cli.main import main
from anonset.data import spans
from anonset.data.fingerprints import content_sha256
from anonset.data.labels import file_labels
from anonset.data.resumption.ledger import Ledger, files_of_steps
from anonset.data.resumption.seals import Seal
from anonset.data.spans import Limits
from anonset.data.storage.store import Files, backing
from anonset.errors import AnonsetError, InputError
from anonset.generalization import ItemGroups, apply
from anonset.publications import Symbol
from anonset.reading.cells import texts
from anonset.reading.options import ReadOptions
from anonset.reading.table_builder import gather_files
from anonset.release import memory
from anonset.release.kinds.records import RecordsKind, read_parts
from anonset.release.symbols import name_sets
from anonset.writing.publications import records as publish
from anonset.writing.publications.records import write_published
from effort import examples

NOTES = ["Ann", "=B()", "C, D", 'the "E"', "É", "G7", "V_3", "line\nend", "", " a"]
notes = st.sampled_from(NOTES) | st.text(st.sampled_from('ab ,"\n\U00010000'), max_size=4) | st.integers().map(str)
rows = st.lists(st.tuples(st.sets(st.sampled_from("abc")), notes, st.integers(-30, 3000)), min_size=1, max_size=20)


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    monkeypatch.setattr(spans, "AT_ONCE", 3)
    set_limits(monkeypatch, labels_held=4)
    monkeypatch.setattr(memory, "AT_LEAST", 0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))


def table_of(found, path):
    columns = {
        "items": pa.array([sorted(items) for items, _, _ in found], pa.list_(pa.string())),
        "note": pa.array([note for _, note, _ in found]),
        "number": pa.array([number for _, _, number in found]),
    }
    parquet.write_table(pa.table(columns), path, row_group_size=7)


def published(table):
    return apply(table, ItemGroups.identity(table.transactions.vocabulary), by_content=True)


@pytest.mark.long
@settings(max_examples=examples(60))
@given(found=rows, held=st.sampled_from([0, 2, 1000]), format=st.sampled_from(["csv", "parquet"]))
def test_labels_in_files_are_published_like_labels_in_memory(tmp_path_factory, found, held, format):  # noqa: A002
    folder = tmp_path_factory.mktemp("case")
    table_of(found, folder / "v.parquet")
    roles = {"items": "items", "keep": "note,number"}
    in_memory = published(anonset.read(folder / "v.parquet", **roles))
    with pytest.MonkeyPatch.context() as patch, Files.temporary(folder) as work:
        patch.setattr(publish, "_BLOCK", 2)
        few = replace(work, limits=Limits(labels_held=held))
        table = gather_files(str(folder / "v.parquet"), ReadOptions(**roles), few.nested())
        made = published(table)
        for column, same in zip(table.kept, anonset.read(folder / "v.parquet", **roles).kept, strict=True):
            assert (column.vocabulary.filed is not None) == (len(set(same.labels())) > held)
            assert tuple(column.vocabulary.labels) == same.vocabulary.labels
            assert column.codes.tolist() == same.codes.tolist()
        for part_rows in (None, 3):
            for name, written in (("a", in_memory), ("b", made)):
                (folder / f"{name}{part_rows}").mkdir()
                path = write_published(written, folder / f"{name}{part_rows}", format, None, part_rows)
            assert files_of(folder / f"a{part_rows}") == files_of(folder / f"b{part_rows}")
            paths = sorted(path.iterdir()) if part_rows else [path]
            options = {"items": ["items"], "relational": [], "keep": ["note", "number"], "separator": " "}
            expected = {column.name: column for column in made.kept if column.vocabulary.filed is not None}
            back = read_parts(paths, **options, store=few, expected=expected)
            for column, same in zip(back.kept, in_memory.kept, strict=True):
                assert column.labels() == same.labels()


def baskets(path):
    source = random.Random(3)
    with path.open("w", newline="") as file:
        lines = [
            (
                " ".join({source.choice("abcdef") for _ in range(3)}),
                f"{source.choice(NOTES)}{i}",
                source.randrange(-40, 400),
            )
            for i in range(40)
        ]
        csv.writer(file).writerows([("items", "note", "number"), *lines, lines[3], lines[7]])


def tuples(path):
    source = random.Random(8)
    with path.open("w", newline="") as file:
        lines = [
            (f"p{source.randrange(30)}", source.choice("uvwxyz"), f"{source.choice(NOTES)}{source.randrange(40)}", i)
            for i in range(70)
        ]
        csv.writer(file).writerows([("who", "drug", "note", "number"), *lines])


UNIT = ["--unit", "row"]
RUNS = {
    "baskets": (
        baskets,
        ["--items", "items", *UNIT, "--hierarchy", "items=balanced:2", "--model", "km", "--k", "2", "--m", "2"],
    ),
    "anatomy": (tuples, ["--id", "who", "--sensitive", "drug", "--model", "anatomy", "--l", "2"]),
    "safe": (tuples, ["--id", "who", "--sensitive", "drug", "--model", "safe-grouping", "--k", "2", "--l", "2"]),
}


def arguments(tmp_path, run, out, *options):
    make, roles = RUNS[run]
    make(tmp_path / "v.csv")
    keep_options = ["--keep", "note,number", "--publish-as-is", "note,number", "--seed", "4"]
    return ["anonymize", str(tmp_path / "v.csv"), "-o", str(tmp_path / out), *roles, *keep_options, *options]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("layout", [[], ["--part-rows", "9"]])
@pytest.mark.long
def test_bytes_equal_a_run_in_memory(tmp_path, run, layout):
    for out, limit in (("memory", []), ("blocks", ["--memory-limit", "100"])):
        assert main(arguments(tmp_path, run, out, *layout, *limit)) == 0
    assert any("column 'note'" in message for message in report_of_both(tmp_path)["warnings"])


@pytest.mark.long
@pytest.mark.parametrize("run", RUNS)
def test_a_failed_run_resumes_to_the_same_bytes(tmp_path, run, monkeypatch):
    assert main(arguments(tmp_path, run, "memory")) == 0
    place = ["--work-dir", str(tmp_path / "work")]
    with monkeypatch.context() as patch:
        patch.setattr(
            "anonset.release.publishing.publish.verify_release",
            lambda *_, **__: (_ for _ in ()).throw(InputError("no")),
        )
        assert main(arguments(tmp_path, run, "blocks", *place)) == 2
    monkeypatch.setattr("anonset.reading.table_builder.gather_files", lambda *_: pytest.fail("read again"))
    assert main(arguments(tmp_path, run, "blocks", *place, "--if-exists", "resume")) == 0
    assert files_of(tmp_path / "memory") == files_of(tmp_path / "blocks")


def test_long_labels_are_stored_in_files_even_if_few(tmp_path, monkeypatch):
    baskets(tmp_path / "v.csv")
    roles = {"items": "items", "keep": "note", "drop": "number"}
    expected = anonset.read(tmp_path / "v.csv", **roles).kept[0].labels()
    for characters, in_memory in ((100, False), (10_000, True)):
        monkeypatch.setattr(texts, "_MOST_TEXT_HELD", characters)
        actual = anonset.scan(tmp_path / "v.csv", **roles, work_dir=tmp_path / f"{in_memory}").kept[0]
        assert (actual.vocabulary.filed is None) == in_memory
        assert actual.labels() == expected


@pytest.fixture
def table(tmp_path):
    baskets(tmp_path / "v.csv")
    options = ReadOptions(items="items", keep="note,number")
    return gather_files(str(tmp_path / "v.csv"), options, Files.create(tmp_path / "work", Limits(labels_held=4)))


def test_a_table_is_restored_and_its_files_are_sealed(table, tmp_path, monkeypatch):
    monkeypatch.setattr(file_labels, "_BYTES_AT_ONCE", 20)
    Ledger(table.store).finish("read", table)
    repeated = Ledger(table.store).finished("read")
    assert [column.labels() for column in repeated.kept] == [column.labels() for column in table.kept]
    in_memory = anonset.read(tmp_path / "v.csv", items="items", keep="note,number")
    assert content_sha256(repeated) == content_sha256(table) == content_sha256(in_memory)
    assert files_of_steps(table.store).keys() <= {path.name for path in table.store.path.iterdir()}
    text = Path(backing(table.kept[0].vocabulary.filed.text).filename)
    with refused(InputError, f"{text.name}", code="damaged"), Seal.of_labels(table).kept():
        text.write_bytes(b"X" + text.read_bytes()[1:])


def test_a_wrongly_written_text_is_detected(table, tmp_path):
    made = published(table)
    path = write_published(made, tmp_path, "csv")
    options = {"items": ["items"], "relational": [], "keep": ["note", "number"], "separator": " ", "store": table.store}
    expected = {column.name: column for column in made.kept}
    text = path.read_text()
    for spoilt in (text.replace("Ann", "Amn", 1), text[: text.rstrip().rindex("\n") + 1]):
        path.write_text(spoilt)
        with refused(AnonsetError, "note"):
            read_parts([path], **options, expected=expected)


def test_warnings_and_codes_equal_those_of_labels_in_memory(table, tmp_path):
    made, in_memory = published(table), published(anonset.read(tmp_path / "v.csv", items="items", keep="note,number"))
    warnings_of = RecordsKind().formula_warnings
    assert warnings_of(made) == warnings_of(in_memory) != ()
    shown = np.array([i for i, label in enumerate(made.kept[0].vocabulary.labels) if label[:1] != "="], np.int32)
    result = []
    for written in (made, in_memory):
        column = replace(written.kept[0], codes=shown)
        result.append(replace(written, transactions=None, kept=(column,), record=shown.astype(np.int64)))
    assert warnings_of(result[0]) == warnings_of(result[1]) == ()
    sets = (Symbol("(a,b)", "group", ("a", "b")), *made.symbols[2:])
    names = []
    for written in (made, in_memory):
        items = replace(written.transactions, indptr=np.zeros(written.n + 1, np.int64), codes=np.empty(0, np.int32))
        named = name_sets(replace(written, transactions=items, symbols=sets, joined=()), (), "short")
        names.append([symbol.label for symbol in named.symbols])
    assert names[0] == names[1]
    assert names[0][0] == "G_1"
