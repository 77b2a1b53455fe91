"""Anatomy by blocks: the bytes of a run in memory, held against the original in the same way."""

import csv
import json
import random
from dataclasses import replace

import numpy as np
import pytest
from tests.jobs.test_by_blocks import files_of

import anonset
from anonset.cli.main import main
from anonset.data import CategoricalColumn, spans
from anonset.errors import AnonsetError
from anonset.generalization import Buckets
from anonset.generalization.buckets import BucketPublication
from anonset.privacy.anatomy import AnatomyDiversity
from anonset.release import costs
from anonset.release.buckets import BucketsKind
from anonset.verification.anatomy import check_anatomy
from anonset.verification.bucket_truth import check_buckets_truthful

OPTIONS = ["--sensitive", "drug", "--keep", "ward", "--model", "anatomy", "--l", "3", "--seed", "4"]


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    monkeypatch.setattr(spans, "AT_ONCE", 4)
    monkeypatch.setattr(costs, "AT_LEAST", 0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    source = random.Random(8)
    with (tmp_path / "v.csv").open("w", newline="") as file:
        rows = [(source.choice("ABC"), source.choice(DRUGS)) for _ in range(70)]
        csv.writer(file).writerows([("ward", "drug"), *rows])


DRUGS = ["aspirin", "a, b", 'the "c"', "d", "e", "007"]


def test_the_bytes_are_those_of_a_run_in_memory(tmp_path, capsys):
    for out, limit in (("memory", []), ("blocks", ["--memory-limit", "100"])):
        assert main(["anonymize", str(tmp_path / "v.csv"), "-o", str(tmp_path / out), *OPTIONS, *limit]) == 0
    assert "runs by blocks" in capsys.readouterr().err
    assert files_of(tmp_path / "memory") == files_of(tmp_path / "blocks")
    private = [files_of(tmp_path / f"{out}.private") for out in ("memory", "blocks")]
    reports = [json.loads(files.pop("report.json")) for files in private]
    assert private[0] == private[1]
    assert [reports[0][name] for name in ("measures", "figures", "retention")] == [
        reports[1][name] for name in ("measures", "figures", "retention")
    ]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_ids_and_safe_grouping_are_refused_by_blocks(tmp_path, capsys):
    options = [*OPTIONS, "--memory-limit", "100", "-o", str(tmp_path / "out")]
    assert main(["anonymize", str(tmp_path / "v.csv"), *options[:2], *options[4:], "--id", "ward"]) == 2
    assert "every id is published, and held in memory" in capsys.readouterr().err
    safe = ["--sensitive", "drug", "--id", "ward", "--model", "safe-grouping", "--k", "2", "--l", "2", *options[-4:]]
    assert main(["anonymize", str(tmp_path / "v.csv"), *safe]) == 2
    assert "safe-grouping takes all records at once (anatomy runs by blocks, without id)" in capsys.readouterr().err


@pytest.fixture
def mapped(tmp_path):
    table = anonset.scan(tmp_path / "v.csv", sensitive="drug", keep=["ward"], work_dir=tmp_path / "work")
    group = np.arange(70, dtype=np.int32) % 12
    group[[3, 40]] = -1
    return table, Buckets(group, np.zeros(70, np.bool_))


def test_a_mapped_table_is_published_as_one_in_memory(mapped):
    table, buckets = mapped
    one, other = BucketPublication.of(table, buckets), BucketPublication.of(replace(table, work=None), buckets)
    assert one.work is not None
    assert other.work is None
    assert one.n == 68
    for name in ("record", "snt_group", "snt_count"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    for a, b in zip((*one.qit, one.snt_value), (*other.qit, other.snt_value), strict=True):
        assert np.array_equal(a.codes, b.codes)
        assert tuple(a.vocabulary.labels) == tuple(b.vocabulary.labels)
    assert check_buckets_truthful(table, one) is None


def test_what_is_read_back_must_be_what_was_meant(mapped):
    table, buckets = mapped
    meant = BucketPublication.of(table, buckets)
    wards = meant.kept[0]
    codes = wards.codes.copy()
    codes[60] = (codes[60] + 1) % 3
    spoilt = replace(meant, kept=(CategoricalColumn("ward", codes, wards.vocabulary),))
    assert BucketsKind().require_same(meant, meant).n == 68
    with pytest.raises(AnonsetError, match="column 'ward': what was read back differs"):
        BucketsKind().require_same(meant, spoilt)
    assert check_buckets_truthful(table, spoilt).record == 60


def test_a_value_too_many_in_a_late_group_is_found(mapped):
    table, _ = mapped
    values = table.sensitive.codes
    group = np.arange(70, dtype=np.int32) // 7
    group[:] = np.where(values == values[69], 9, group)
    published = BucketPublication.of(table, Buckets(group, np.zeros(70, np.bool_)))
    whole = BucketPublication.of(replace(table, work=None), Buckets(group, np.zeros(70, np.bool_)))
    found, same = (check_anatomy(one, AnatomyDiversity(2)) for one in (published, whole))
    assert found.holds is False
    assert found == same
    swapped = published.snt_value.codes.copy()
    last = np.flatnonzero(published.snt_group == 9)
    swapped[last] = np.sort((swapped[last] + 1) % 6)
    told = replace(published, snt_value=CategoricalColumn("drug", swapped, published.snt_value.vocabulary))
    assert "group 10 is said to have the value" in check_buckets_truthful(table, told).detail
