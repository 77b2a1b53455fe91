"""All processes of a run out of core stay within the memory limit, well below a run in memory."""

import os
import sys

import pytest
from benchmarks.process_tree import group, run
from tests.facts import names

from anonset.cli.main import main
from anonset.jobs.warmup import warm_up

pytestmark = pytest.mark.long

LIMIT = 600 << 20
PEAK = 300 << 20  # on one thread: about 250 MiB out of core, and 350 in memory
RECORDS = "900000"  # the smallest number that needs more than the limit in memory
ITEMS = "n_items=200"  # few items, so that COAT is fast


@pytest.fixture(scope="module")
def baskets(tmp_path_factory):
    warm_up()  # so that no memory is reserved for compiling
    made = tmp_path_factory.mktemp("made") / "pos"
    of_pos = ["datasets", "make", "pos_like", "--records", RECORDS, "--set", ITEMS]
    assert main([*of_pos, "-o", str(made)]) == 0
    return made


@pytest.mark.compiled
@pytest.mark.parametrize(
    "by", [["km", "--algorithm", "apriori"], ["constraints", "--algorithm", "coat"]], ids=["apriori", "coat"]
)
def test_a_run_that_needs_more_in_memory_keeps_the_limit(on_disk, baskets, by):
    of_items = ["--items", "items", "--hierarchy", "items=balanced:5", "--model", *by, "--k", "5", "--m", "2"]
    places = ["-o", str(on_disk / "out"), "--memory-limit", str(LIMIT), "--work-dir", str(on_disk / "work")]
    command = ["anonymize", str(baskets), *of_items, *places, "--workers", "1"]
    with group() as made:
        memory_limit = None if made is None else int(1.1 * LIMIT)  # the kernel kills a run that exceeds the limit
    took = run(
        [sys.executable, "-m", "anonset", *command], limit=memory_limit, env={**os.environ, "TMPDIR": str(on_disk)}
    )
    assert (took.code, names(took.errors, "'out of core'")) == (0, True), took.errors
    assert took.peak <= PEAK
