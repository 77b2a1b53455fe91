"""Published buckets are verified, measured and attacked in files with the same results as in memory."""

import csv
import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names
from tests.tiny_limits import set_limits

from anonset.analysis import individuals
from anonset.analysis.individuals import by_individuals
from anonset.cli.main import main
from anonset.data import CategoricalColumn, Table, spans
from anonset.data.storage.store import MEMORY
from anonset.generalization import Bucketized
from anonset.generalization.bucketizing import bucketize
from anonset.measures.correlation import inter_group_violations, intra_group_violations
from anonset.measures.risks import bucket_inference
from anonset.measures.risks.sensitive_values import observed_diversity
from anonset.release import memory

ROLES = ["--sensitive", "drug", "--keep", "ward"]
IDS = [["--id", "name", "--drop", "number"], ["--id", "name,number"], ["--id", "number", "--drop", "name"]]
MODELS = [["safe-grouping", "--k", "3"], ["anatomy"]]
PLACES = [["--memory-limit", "100"], ["--work-dir", "work"]]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    set_limits(monkeypatch, rows_per_bucket=16)
    monkeypatch.setattr(spans, "AT_ONCE", 16)
    monkeypatch.setattr(individuals, "VALUES_AT_ONCE", 40)
    monkeypatch.setattr(memory, "AT_LEAST", 0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path)
    source = random.Random(8)
    with (tmp_path / "v.csv").open("w", newline="") as file:
        people = [(f"n{i}, É", 9 * i - 100) for i in range(40)]
        rows = [(*source.choice(people), source.choice("AB"), f"d{source.randrange(9)}") for _ in range(240)]
        csv.writer(file).writerows([("name", "number", "ward", "drug"), *rows])
    return tmp_path


@pytest.fixture
def found(capsys):
    def run(*command):
        code = main([*command, "--json"])
        captured = capsys.readouterr()
        assert not captured.err
        return code, json.loads(captured.out)

    return run


@pytest.mark.long
@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("model", MODELS)
def test_results_in_files_equal_results_in_memory(folder, found, capsys, ids, model):
    guarantee = ["--model", *model, "--l", "2", "--seed", "4"]
    assert main(["anonymize", "v.csv", "-o", "out", *ROLES, *ids, *guarantee]) == 0
    capsys.readouterr()
    drop = ids[2:]
    commands = [
        ["verify", "out", "--original", "v.csv", *drop, "--records", "out.private/records.csv"],
        ["evaluate", "v.csv", "out", *ROLES, *ids, "--workload", "record:9x1"],
        ["risk", "out", "--original", "v.csv", *drop],
    ]
    for command in commands:
        complete = found(*command)
        assert complete[0] == 0
        assert [found(*command, *place) for place in PLACES] == [complete, complete]
    pages = [_page(folder, drop, place) for place in ([], *PLACES)]
    assert pages == [pages[0]] * len(pages)
    verification = found(*commands[0])[1]
    assert verification["true"]
    assert (verification["correlations_found"]["inter_group"] > 0) == (model == ["anatomy"])
    assert sorted(path.name for path in folder.iterdir()) == ["out", "out.private", "temporary", "v.csv"]
    assert list((folder / "temporary").iterdir()) == []


def _page(folder, drop, place):
    """Return the contents of a report page, and delete the page."""
    path = folder / "page.html"
    assert main(["report", "out", "--original", "v.csv", *drop, "-o", str(path), "--quiet", *place]) == 0
    text = path.read_text()
    path.unlink()
    return text


@pytest.mark.parametrize("ids", IDS)
def test_swapped_rows_are_detected_in_files(folder, found, capsys, ids):
    assert main(["anonymize", "v.csv", "-o", "out", *ROLES, *ids, "--model", "anatomy", "--l", "2"]) == 0
    capsys.readouterr()
    lines = (folder / "out.private" / "records.csv").read_text().splitlines()
    for first, other in ((5, 200), (30, 31)):
        (row, record, _), (another, its, _) = (lines[i].split(",") for i in (first, other))
        lines[first], lines[other] = f"{row},{its},", f"{another},{record},"
    (folder / "records.csv").write_text("\n".join(lines) + "\n")
    command = ["verify", "out", "--original", "v.csv", *ids[2:], "--records", "records.csv"]
    complete = found(*command)
    assert complete[0] == 1
    assert names(complete[1]["untrue"]["detail"], "record value column")
    assert found(*command, *PLACES[0]) == complete


def test_a_limit_below_the_out_of_core_minimum_is_rejected(capsys, monkeypatch):
    assert main(["anonymize", "v.csv", "-o", "out", *ROLES, *IDS[0], "--model", "anatomy", "--l", "2"]) == 0
    monkeypatch.setattr(memory, "AT_LEAST", 600 << 20)
    capsys.readouterr()
    assert main(["risk", "out", "--memory-limit", "100"]) == 2
    assert names(capsys.readouterr().err, "600.0 MiB 100 B")


def test_commands_that_compare_all_rows_are_rejected_above_the_limit(folder, capsys):
    assert main(["anonymize", "v.csv", "-o", "out", *ROLES, *IDS[0], "--model", "anatomy", "--l", "2"]) == 0
    (folder / "out.private").rename("other")
    command = ["evaluate", "v.csv", "out", *ROLES, *IDS[0], "--quiet"]
    capsys.readouterr()
    assert main([*command, *PLACES[1]]) == 0
    assert main([*command, *PLACES[0]]) == 2
    assert names(capsys.readouterr().err, "private rows memory")
    assert main([*command, *PLACES[0], "--private", "other"]) == 0


def publications():
    """Any groups of tuples of a few people, some starred."""
    tuples = st.tuples(*(st.integers(0, most) for most in (3, 1, 5, 3)), st.booleans())

    def made(rows):
        names, numbers, values, groups, hidden = (list(part) for part in zip(*rows, strict=True))
        ids = [CategoricalColumn.of(name, map(str, part)) for name, part in (("name", names), ("number", numbers))]
        table = Table(sensitive=CategoricalColumn.of("drug", map(str, values)), ids=tuple(ids))
        group = np.unique(groups, return_inverse=True)[1].astype(np.int32)
        return bucketize(table, Bucketized(group, np.array(hidden)))

    return st.lists(tuples, min_size=1, max_size=40).map(made)


@pytest.mark.long
@settings(max_examples=60)
@given(publications(), st.integers(1, 3), st.integers(1, 60), st.integers(1, 20))
def test_correlations_by_parts_equal_those_of_all_individuals(publication, l, at_once, most):  # noqa: E741
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(individuals, "VALUES_AT_ONCE", at_once)
        patch.setattr(individuals, "MOST_LISTED", most)
        reported = individuals.correlations(publication, l)
        complete = intra_group_violations(publication), inter_group_violations(publication, l)
        assert [reported[kind].number for kind in ("intra_group", "inter_group")] == [len(entry) for entry in complete]
        assert [reported[kind].listed for kind in ("intra_group", "inter_group")] == [
            entry[:most] for entry in complete
        ]
        parts = list(by_individuals(publication))
    each = np.concatenate([[], *(bucket_inference.of_persons(part) for part in parts)])
    assert each.tolist() == bucket_inference.of_persons(publication).tolist()
    assert sorted(np.concatenate([[], *(part.row for part in parts)])) == np.flatnonzero(~publication.starred).tolist()
    group, value = publication.snt
    assert bucket_inference.bucket_diversity(publication) == observed_diversity([group.codes], value, MEMORY)
