"""Anatomy out of core publishes the same bytes as in memory, and is verified the same way."""

import csv
import json
import random
from dataclasses import replace

import numpy as np
import pytest
from tests.facts import names, refused
from tests.jobs.test_by_blocks import files_of, report_of_both

import anonset
from anonset.analysis import buckets as bucket_check
from anonset.cli.main import main
from anonset.data import CategoricalColumn, spans
from anonset.data.fingerprints import content_sha256
from anonset.data.resumption.ledger import Ledger, files_of_steps
from anonset.data.storage.store import MEMORY, Files
from anonset.errors import AnonsetError
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.reading.publications.buckets import read_buckets
from anonset.release import memory
from anonset.verification.anatomy import check_anatomy
from anonset.verification.bucket_truth import check_buckets_truthful
from anonset.writing.publications.buckets import write_buckets

OPTIONS = ["--sensitive", "drug", "--keep", "ward", "--model", "anatomy", "--l", "3", "--seed", "4"]
ROWS = ["--unit", "row"]


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    monkeypatch.setattr(spans, "AT_ONCE", 4)
    monkeypatch.setattr(memory, "AT_LEAST", 0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    source = random.Random(8)
    with (tmp_path / "v.csv").open("w", newline="") as file:
        rows = [(source.choice("ABC"), source.choice(DRUGS)) for _ in range(70)]
        csv.writer(file).writerows([("ward", "drug"), *rows])
    with (tmp_path / "ids.csv").open("w", newline="") as file:
        ids = [(f"{source.choice(NAMES)}{source.randrange(30)}", source.randrange(200)) for _ in rows]
        lines = [(*who, *row) for who, row in zip(ids, rows, strict=True)]
        csv.writer(file).writerows([("name", "number", "ward", "drug"), *lines])


@pytest.mark.long
def test_rows_of_a_person_are_merged_as_in_memory(tmp_path, capsys):
    rows = [(n, "ABC"[n % 3], DRUGS[n % 5]) for n in range(60)]
    with (tmp_path / "twice.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("pid", "ward", "drug"), *random.Random(3).sample(2 * rows, 2 * len(rows))])
    run = ["anonymize", str(tmp_path / "twice.csv"), *OPTIONS, "--unit", "pid"]
    for out, limit in (("memory", []), ("blocks", ["--memory-limit", "100"])):
        assert main([*run, "-o", str(tmp_path / out), *limit]) == 0
    shown = capsys.readouterr()
    assert names(shown.err, "'out of core'")
    assert names(shown.out, "records 60")
    assert files_of(tmp_path / "memory") == files_of(tmp_path / "blocks")


NAMES = ["Ann", "=B", "C, D", 'the "E"', "É"]
DRUGS = ["aspirin", "a, b", 'the "c"', "d", "e", "007"]


@pytest.mark.long
def test_bytes_equal_a_run_in_memory(tmp_path, capsys):
    for out, limit in (("memory", []), ("blocks", ["--memory-limit", "100"])):
        assert main(["anonymize", str(tmp_path / "v.csv"), "-o", str(tmp_path / out), *OPTIONS, *ROWS, *limit]) == 0
    assert names(capsys.readouterr().err, "'out of core'")
    assert files_of(tmp_path / "memory") == files_of(tmp_path / "blocks")
    private = [files_of(tmp_path / f"{out}.private") for out in ("memory", "blocks")]
    reports = [json.loads(files.pop("report.json")) for files in private]
    assert private[0] == private[1]
    assert [reports[0][name] for name in ("measures", "figures", "retention")] == [
        reports[1][name] for name in ("measures", "figures", "retention")
    ]
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    "ids", [["--id", "name", "--drop", "number"], ["--id", "name,number"], ["--id", "number", "--drop", "name"]]
)
@pytest.mark.parametrize("parts", [[], ["--part-rows", "9"], ["--part-rows", "1000"]])
@pytest.mark.long
def test_published_ids_equal_a_run_in_memory(tmp_path, ids, parts):
    source, options = str(tmp_path / "ids.csv"), [*OPTIONS, *ids, *parts]
    for out, limit in (("memory", []), ("blocks", ["--memory-limit", "100"])):
        assert main(["anonymize", source, "-o", str(tmp_path / out), *options, *limit]) == 0
    report_of_both(tmp_path)


def test_parts_contain_the_same_lines_as_single_files(tmp_path):
    for out, parts in (("one", []), ("many", ["--part-rows", "9"])):
        options = ["--id", "name,number", *parts, "-o", str(tmp_path / out)]
        assert main(["anonymize", str(tmp_path / "ids.csv"), *OPTIONS, *options]) == 0
    for name in ("qit", "snt"):
        header, *lines = (tmp_path / "one" / f"{name}.csv").read_bytes().splitlines(keepends=True)
        result = [path.read_bytes().splitlines(keepends=True) for path in sorted((tmp_path / "many" / name).iterdir())]
        assert [len(part) for part in result] == [10] * 7 + [8]
        assert {part[0] for part in result} == {header}
        assert [line for part in result for line in part[1:]] == lines
    (tmp_path / "many" / "qit" / "part-00003.csv").unlink()
    assert main(["verify", str(tmp_path / "many")]) == 2


def test_correlations_are_not_searched_in_large_tables(tmp_path, capsys, monkeypatch):
    options = ["--id", "name,number", "-o", str(tmp_path / "out")]
    assert main(["anonymize", str(tmp_path / "ids.csv"), *OPTIONS, *options]) == 0
    monkeypatch.setattr(bucket_check, "MOST_CORRELATED", 70)
    capsys.readouterr()
    assert main(["verify", str(tmp_path / "out")]) == 0
    assert names(capsys.readouterr().out, "correlations intra")
    monkeypatch.setattr(bucket_check, "MOST_CORRELATED", 69)
    assert main(["verify", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert names(shown, "correlations rows")
    assert not names(shown, "correlations intra")


def test_a_wrongly_written_id_is_detected(tmp_path):
    table = anonset.scan(
        tmp_path / "ids.csv", sensitive="drug", id="name,number", keep="ward", work_dir=tmp_path / "work"
    )
    group = np.arange(70, dtype=np.int32) % 12
    group[5] = -1
    meant = bucketize(table, Bucketized(group, np.arange(70) % 7 == 0))
    in_memory = bucketize(replace(table, store=MEMORY), Bucketized(group, np.arange(70) % 7 == 0))
    for a, b in zip(meant.qit, in_memory.qit, strict=True):
        assert a.labels() == b.labels()
    write_buckets(meant, tmp_path)
    options = {
        "id": ["name", "number"],
        "keep": ["ward"],
        "store": Files.temporary(),
        "files": (("qit.csv",), ("snt.csv",)),
    }
    back = read_buckets(tmp_path, **options, expected=meant.ids)
    assert meant.require_same(back).ids == meant.ids
    read_back = read_buckets(tmp_path, **options)
    assert [column.labels() for column in read_back.qit] == [column.labels() for column in meant.qit]
    text = (tmp_path / "qit.csv").read_text()
    (tmp_path / "qit.csv").write_text(text.replace("*,*,", "Ann1,*,", 1))
    with refused(AnonsetError, "column name"):
        read_buckets(tmp_path, **options, expected=meant.ids)
    (tmp_path / "qit.csv").write_text(text[: text.rstrip().rindex("\n") + 1])
    with refused(AnonsetError, "column name"):
        read_buckets(tmp_path, **options, expected=meant.ids)


def test_a_table_with_ids_in_files_is_restored(tmp_path):
    table = anonset.scan(
        tmp_path / "ids.csv", sensitive="drug", id="name,number", keep="ward", work_dir=tmp_path / "work"
    )
    Ledger(table.store).finish("read", table)
    restored = Ledger(table.store).finished("read")
    assert [column.labels() for column in restored.ids] == [column.labels() for column in table.ids]
    assert content_sha256(restored) == content_sha256(table)
    assert files_of_steps(table.store).keys() <= {path.name for path in table.store.path.iterdir()}


@pytest.fixture
def mapped(tmp_path):
    table = anonset.scan(tmp_path / "v.csv", sensitive="drug", keep=["ward"], work_dir=tmp_path / "work")
    group = np.arange(70, dtype=np.int32) % 12
    group[[3, 40]] = -1
    return table, Bucketized(group, np.zeros(70, np.bool_))


def test_a_mapped_table_is_published_like_a_table_in_memory(mapped):
    table, buckets = mapped
    first, other = bucketize(table, buckets), bucketize(replace(table, store=MEMORY), buckets)
    assert first.store.in_files
    assert not other.store.in_files
    assert first.n == 68
    for name in ("record", "snt_group", "snt_count"):
        assert np.array_equal(getattr(first, name), getattr(other, name))
    for a, b in zip((*first.qit, first.snt_value), (*other.qit, other.snt_value), strict=True):
        assert np.array_equal(a.codes, b.codes)
        assert tuple(a.vocabulary.labels) == tuple(b.vocabulary.labels)
    assert check_buckets_truthful(table, first) is None


def test_written_buckets_are_compared_with_memory(mapped):
    table, buckets = mapped
    meant = bucketize(table, buckets)
    wards = meant.kept[0]
    codes = wards.codes.copy()
    codes[60] = (codes[60] + 1) % 3
    spoilt = replace(meant, kept=(CategoricalColumn("ward", codes, wards.vocabulary),))
    assert meant.require_same(meant).n == 68
    with refused(AnonsetError, "column ward"):
        meant.require_same(spoilt)
    assert check_buckets_truthful(table, spoilt).record == 60


def test_a_violation_in_a_late_group_is_detected(mapped):
    table, _ = mapped
    values = table.sensitive.codes
    group = np.arange(70, dtype=np.int32) // 7
    group[:] = np.where(values == values[69], 9, group)
    published = bucketize(table, Bucketized(group, np.zeros(70, np.bool_)))
    in_memory = bucketize(replace(table, store=MEMORY), Bucketized(group, np.zeros(70, np.bool_)))
    verdict, same = (check_anatomy(buckets, AnatomyDiversity(2)) for buckets in (published, in_memory))
    assert verdict.holds is False
    assert verdict == same
    swapped = published.snt_value.codes.copy()
    last = np.flatnonzero(published.snt_group == 9)
    swapped[last] = np.sort((swapped[last] + 1) % 6)
    swapped_values = replace(published, snt_value=CategoricalColumn("drug", swapped, published.snt_value.vocabulary))
    assert names(check_buckets_truthful(table, swapped_values).detail, "'group 10'")
