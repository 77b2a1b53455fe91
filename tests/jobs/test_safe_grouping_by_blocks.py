"""Safe grouping out of core publishes the same bytes as in memory if there is a single part. Several parts are not
visible in the publication.
"""

import csv
import json
import random
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pyarrow.csv as csv_of_arrow
import pyarrow.parquet as pq
import pytest
from tests.facts import names, refused
from tests.jobs.test_by_blocks import files_of
from tests.tiny_limits import set_limits

import anonset
from anonset.algorithms.buckets import safe_grouping
from anonset.algorithms.buckets.draws import Draws
from anonset.algorithms.buckets.parts import split_individuals
from anonset.algorithms.buckets.safe_grouping import SafeGrouping
from anonset.cli.main import main
from anonset.data import spans
from anonset.data.storage.store import MEMORY, backing
from anonset.errors import InfeasibleError
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.privacy.safe_grouping import SafetyConstraint
from anonset.publications.buckets import STAR
from anonset.release import memory
from anonset.release.kinds.buckets import BucketsKind
from anonset.verification.bucket_truth import check_undivided
from anonset.verification.safe_grouping import check_safe_grouping

OPTIONS = ["--sensitive", "drug", "--keep", "ward", "--model", "safe-grouping", "--k", "3", "--l", "2", "--seed", "4"]
IDS = [["--id", "name", "--drop", "number"], ["--id", "name,number"]]
BLOCKS = ["--memory-limit", "100"]


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    monkeypatch.setattr(spans, "AT_ONCE", 7)
    set_limits(monkeypatch, rows_per_bucket=16)
    monkeypatch.setattr(memory, "AT_LEAST", 0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    source = random.Random(8)
    with (tmp_path / "v.csv").open("w", newline="") as file:
        rows = [
            (f"n{source.randrange(90)}", source.choice("01"), source.choice("AB"), f"d{source.randrange(9)}")
            for _ in range(300)
        ]
        csv.writer(file).writerows([("name", "number", "ward", "drug"), *rows])


def ran(tmp_path, out, *options):
    assert main(["anonymize", str(tmp_path / "v.csv"), "-o", str(tmp_path / out), *OPTIONS, *options]) == 0
    return json.loads((tmp_path / f"{out}.private" / "report.json").read_bytes())


def in_parts(monkeypatch, tuples):
    monkeypatch.setattr(safe_grouping, "TUPLES_PER_PART", tuples)


@pytest.mark.long
@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("more", [[], ["--part-rows", "50"]])
def test_one_part_equals_a_run_in_memory(tmp_path, ids, more):
    reports = [ran(tmp_path, "memory", *ids, *more), ran(tmp_path, "blocks", *ids, *more, *BLOCKS)]
    assert files_of(tmp_path / "memory") == files_of(tmp_path / "blocks")
    for name in ("measures", "figures", "retention", "verified", "files"):
        assert reports[0][name] == reports[1][name]
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("ids", IDS)
def test_parts_are_published_as_one_table(tmp_path, capsys, monkeypatch, ids):
    in_parts(monkeypatch, 43)
    report = ran(tmp_path, "seven", *ids, *BLOCKS)
    assert report["figures"]["parts"] == 7
    assert names(capsys.readouterr().out, "7 hash id")
    monkeypatch.setattr(spans, "AT_ONCE", 1 << 18)
    set_limits(monkeypatch, rows_per_bucket=1 << 19)
    ran(tmp_path, "again", *ids, *BLOCKS, "--workers", "1")
    assert files_of(tmp_path / "seven") == files_of(tmp_path / "again")
    assert main(["verify", str(tmp_path / "seven")]) == 0
    assert conditions_met(tmp_path / "seven", len(ids[1].split(","))) == (True, True, True, True)


def test_an_interrupted_run_resumes_to_the_same_bytes(tmp_path, capsys, monkeypatch):
    in_parts(monkeypatch, 43)
    report = ran(tmp_path, "whole", *IDS[1], *BLOCKS)
    named = [*IDS[1], *BLOCKS, "--work-dir", str(tmp_path / "work")]
    command = ["anonymize", str(tmp_path / "v.csv"), "-o", str(tmp_path / "out"), *OPTIONS, *named]
    with monkeypatch.context() as patch:
        patch.setattr("anonset.release.publishing.publish.verify_release", interrupted)
        assert main(command) == 130
    assert "Traceback" not in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main([*command, "--if-exists", "resume"]) == 0
    assert files_of(tmp_path / "whole") == files_of(tmp_path / "out")
    assert json.loads((tmp_path / "out.private" / "report.json").read_bytes())["figures"] == report["figures"]
    assert not (tmp_path / "work").exists()
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("what", ["starts", "text"])
def test_labels_damaged_while_written_are_detected(tmp_path, capsys, monkeypatch, what):
    write = BucketsKind.write

    def damaged(self, unverified, folder, layout):
        labels = unverified.table.ids[0].vocabulary.filed
        array = getattr(labels, what)
        np.memmap(backing(array).filename, array.dtype, "r+")[3] = 1
        return write(self, unverified, folder, layout)

    monkeypatch.setattr(BucketsKind, "write", damaged)
    command = ["anonymize", str(tmp_path / "v.csv"), "-o", str(tmp_path / "out"), *OPTIONS, *IDS[0], *BLOCKS]
    assert main(command) == 2
    assert names(capsys.readouterr().err, "damaged")
    assert not (tmp_path / "out").exists()


def interrupted(*_args, **_kwargs):
    raise KeyboardInterrupt


def test_more_tuples_than_have_numbers_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("anonset.algorithms.buckets.base.MOST_TUPLES", 299)
    command = ["anonymize", str(tmp_path / "v.csv"), "-o", str(tmp_path / "out"), *OPTIONS, *IDS[0]]
    assert main(command) == 2
    assert names(capsys.readouterr().err, "tuples 299 300")
    monkeypatch.setattr(SafeGrouping, "traits", replace(SafeGrouping.traits, refuses_above=99))
    pq.write_table(csv_of_arrow.read_csv(tmp_path / "v.csv"), tmp_path / "v.parquet")
    command[1] = str(tmp_path / "v.parquet")
    assert main([*command, *BLOCKS]) == 2
    assert names(capsys.readouterr().err, "safe-grouping 99 300")


def conditions_met(folder, n_ids):
    """Check by brute force that each id is in a single group, that groups have 3 ids with equal row counts, and that no
    value exceeds half of a group.
    """
    qit, snt = (list(csv.reader((folder / name).read_text().splitlines()))[1:] for name in ("qit.csv", "snt.csv"))
    groups, shown, values = defaultdict(set), defaultdict(Counter), defaultdict(Counter)
    for row in qit:
        if row[0] != STAR:
            groups[tuple(row[:n_ids])].add(row[-1])
            shown[row[-1]][tuple(row[:n_ids])] += 1
    for group, value in snt:
        values[group][value] += 1
    return (
        all(len(group) == 1 for group in groups.values()),
        all(len(entry) >= 3 for entry in shown.values()),
        all(len(set(entry.values())) == 1 for entry in shown.values()),
        all(2 * max(value.values()) <= sum(value.values()) for value in values.values()) and len(values) > 9,
    )


def mapped(tmp_path, ids="name"):
    others = {"keep": "ward"} | ({"drop": "number"} if ids == "name" else {})
    return anonset.scan(tmp_path / "v.csv", sensitive="drug", id=ids, work_dir=tmp_path / "work", **others)


@pytest.mark.long
def test_group_numbers_do_not_show_the_part(tmp_path, monkeypatch):
    in_parts(monkeypatch, 100)
    table = mapped(tmp_path)
    followed, neighbours = 0, 0
    for seed in range(40):
        algorithm = SafeGrouping(k=3, l=1, seed=seed)
        draws = Draws.of(table, seed)
        part_of = np.empty(table.n, np.int64)
        for number, part in enumerate(split_individuals(table.ids, draws, 100, table.store)):
            part_of[part.rows] = number
        group = algorithm.recode(table, {}).recoding.group
        first = np.unique(group, return_index=True)[1]
        of_group = part_of[first]
        assert all(len(set(part_of[group == g])) == 1 for g in range(len(first)))
        followed += int(np.count_nonzero(of_group[1:] == of_group[:-1]))
        neighbours += len(of_group) - 1
    assert abs(followed / neighbours - 1 / 3) < 0.06


@pytest.mark.long
def test_the_part_of_a_person_depends_on_the_key(tmp_path):
    table = mapped(tmp_path, "name,number")
    result = [
        [part.rows.tolist() for part in split_individuals(table.ids, Draws(secret), 100, work)]
        for secret, work in ((b"one", table.store), (b"one", MEMORY), (b"other", table.store))
    ]
    assert result[0] == result[1] != result[2]
    assert sorted(row for rows in result[0] for row in rows) == list(range(300))
    people = [{tuple(column.labels()[row] for column in table.ids) for row in rows} for rows in result[0]]
    assert sum(map(len, people)) == len(set.union(*people))


def test_a_part_without_a_group_joins_its_neighbour(tmp_path, monkeypatch):
    in_parts(monkeypatch, 2)
    table = mapped(tmp_path)
    result = SafeGrouping(k=3, l=2, seed=1).recode(table, {})
    assert 1 < result.figures["parts"] < 150
    assert result.figures["individuals"] == len(table.ids[0].vocabulary)
    published = bucketize(table, result.recoding)
    assert check_safe_grouping(published, SafetyConstraint(3, 2)).holds
    assert check_undivided(table, published) is None


def test_an_infeasible_table_is_rejected_in_parts(tmp_path, monkeypatch):
    in_parts(monkeypatch, 20)
    table = mapped(tmp_path)
    same = replace(table, sensitive=replace(table.sensitive, codes=np.zeros(table.n, np.int32)))
    with refused(InfeasibleError, "300 rows"):
        SafeGrouping(k=3, l=2).recode(same, {})
    with refused(InfeasibleError, "k 99 86"):
        SafeGrouping(k=99, l=2).recode(table, {})


@pytest.mark.parametrize("seed", range(6))
def test_violations_in_files_equal_those_in_memory(tmp_path, seed):
    table = mapped(tmp_path, "name,number")
    source = np.random.default_rng(seed)
    people = np.unique(np.stack([column.codes for column in table.ids]), axis=1, return_inverse=True)[1].ravel()
    group = (people % 11).astype(np.int32)
    if seed % 3 == 0:
        group[source.integers(0, 300, 3)] = 5
    starred = source.random(300) < (0.5 if seed % 2 else 0)
    buckets, in_memory = Bucketized(group, starred), replace(table, store=MEMORY)
    first, other = bucketize(table, buckets), bucketize(in_memory, buckets)
    for model in (SafetyConstraint(3, 1), SafetyConstraint(30, 1), SafetyConstraint(3, 3)):
        assert check_safe_grouping(first, model) == check_safe_grouping(other, model)
    assert not check_safe_grouping(first, SafetyConstraint(30, 1)).holds
    assert check_undivided(table, first) == check_undivided(in_memory, other)
    assert (check_undivided(in_memory, other) is None) == (seed % 3 != 0)
