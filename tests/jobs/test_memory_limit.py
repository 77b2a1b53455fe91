"""A run by blocks keeps to its memory limit, all its processes together. Seconds of work: less says nothing of it."""

import os
import sys

import pytest
from benchmarks.process_tree import group, run

from anonset.cli.main import main

LIMIT = 600 << 20
RECORDS = 1_200_000


@pytest.fixture(scope="module")
def baskets(tmp_path_factory):
    made = tmp_path_factory.mktemp("made") / "pos"
    assert main(["datasets", "make", "pos_like", "--records", str(RECORDS), "-o", str(made)]) == 0
    return made


@pytest.mark.compiled
@pytest.mark.parametrize(
    "by", [["km", "--algorithm", "apriori"], ["constraints", "--algorithm", "coat"]], ids=["apriori", "coat"]
)
def test_a_run_that_would_take_more_keeps_to_the_limit(on_disk, baskets, by):
    of_items = ["--items", "items", "--hierarchy", "items=balanced:5", "--model", *by, "--k", "5", "--m", "2"]
    places = ["-o", str(on_disk / "out"), "--memory-limit", str(LIMIT), "--work-dir", str(on_disk / "work")]
    command = ["anonymize", str(baskets), *of_items, *places]
    with group() as made:
        held = None if made is None else int(1.1 * LIMIT)  # the kernel ends what takes more
    took = run([sys.executable, "-m", "anonset", *command], limit=held, env={**os.environ, "TMPDIR": str(on_disk)})
    assert (took.code, "runs by blocks in" in took.errors) == (0, True), took.errors
    assert took.peak <= 1.1 * LIMIT
