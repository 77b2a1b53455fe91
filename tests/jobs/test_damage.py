"""A block damaged on disk during a run causes exit code 2 and a one-line error. No files are published."""

import sys

import numpy as np
import pytest
from tests.facts import names
from tests.jobs.test_by_blocks import BASKETS

from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.cli.main import main
from anonset.data.storage.store import backing
from anonset.errors import RAW_DATA_STAY
from anonset.generalization.row_order import sort_rows
from anonset.release.publishing import publish
from anonset.release.stopwatch import Stopwatch


@pytest.fixture
def run(tmp_path, capsys):
    (tmp_path / "v.dat").write_text(BASKETS)

    def anonymize(algorithm):
        command = ["anonymize", str(tmp_path / "v.dat"), "-o", str(tmp_path / "out"), "--hierarchy", "items=balanced:2"]
        command += ["--model", "km", "--k", "2", "--m", "2", "--algorithm", algorithm, "--workers", "1"]
        code = main([*command, "--work-dir", str(tmp_path / "work")])
        return code, capsys.readouterr().err

    return anonymize


def damage(items, values):
    """Overwrite the items of records in their file."""
    np.memmap(backing(items).filename, np.int32, "r+")[:] = values


@pytest.mark.parametrize("values", [1 << 30, -1, 0], ids=["above", "below", "within the codes"])
@pytest.mark.parametrize("size", [1, 2])
def test_damage_during_the_search_is_reported_and_stops_publication(tmp_path, run, monkeypatch, values, size):
    result = CutSearch.rare_sets

    def damaged(self, asked):
        if asked == size:
            damage(self.nodes.blocks.rows[0][1], values)
        return result(self, asked)

    monkeypatch.setattr(CutSearch, "rare_sets", damaged)
    code, err = run("apriori")
    reported = [line for line in err.splitlines() if not names(line, "'out of core'") and RAW_DATA_STAY not in line]
    assert (code, len(reported)) == (2, 1)
    assert names(reported[0], "damaged")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v.dat", "work"]


def test_damage_during_recoding_is_reported(tmp_path, run, monkeypatch):
    def damaged(source, *more, **options):
        result = sort_rows(source, *more, **options)
        damage(source.sets.codes, 0)
        return result

    monkeypatch.setattr(sys.modules["anonset.generalization.apply"], "sort_rows", damaged)
    code, err = run("apriori")
    assert (code, names(err, "damaged")) == (2, True)
    assert not (tmp_path / "out").exists()


def test_damage_during_the_verification_is_reported(tmp_path, run, monkeypatch):
    def damaged(verdict, *, accept_undecided):
        if not accept_undecided:  # the last check
            damage(originals[0].sets.codes, 0)
        require_decided(verdict, accept_undecided=accept_undecided)

    originals = []
    module = sys.modules["anonset.generalization.apply"]
    monkeypatch.setattr(
        module, "sort_rows", lambda source, **more: originals.append(source) or sort_rows(source, **more)
    )
    require_decided = publish.require_decided
    monkeypatch.setattr(publish, "require_decided", damaged)
    code, err = run("apriori")
    assert (code, names(err, "damaged")) == (2, True)
    assert not (tmp_path / "out").exists()


ORIGINAL, PUBLISHED = 0, -1
ONE, ALL = 2, slice(None)


@pytest.mark.parametrize(
    ("phase", "column", "where", "value"),
    [("write", PUBLISHED, ONE, -1 << 40), ("verify", ORIGINAL, ONE, -1 << 40), ("verify", PUBLISHED, ALL, -1)],
)
def test_damage_to_the_starts_of_records_stops_publication(tmp_path, run, monkeypatch, phase, column, where, value):

    def damaged(self, begun):
        if begun == phase:
            paths = sorted((tmp_path / "work").glob("indptr-*"), key=lambda path: path.stat().st_mtime_ns)
            starts = np.memmap(paths[column], np.int64, "r+")
            starts[where] = value
        return begin(self, begun)

    begin = Stopwatch.phase
    monkeypatch.setattr(Stopwatch, "phase", damaged)
    code, err = run("apriori")
    assert (code, names(err, "error")) == (2, True)
    assert not (tmp_path / "out").exists()
