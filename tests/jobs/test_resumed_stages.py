"""A run of any model out of core that is killed after each of its stages ends with the same bytes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.jobs.test_by_blocks import files_of
from tests.same_bytes import write_inputs, write_trees

import anonset
from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS

pytestmark = [pytest.mark.compiled, pytest.mark.long]

KM = ["--k", "2", "--m", "2"]
BASKETS = ["baskets.dat", "--hierarchy", "items=numbers.csv"]
SETS = ["people.csv", "--unit", "row", "--items", "items", "--drop", "id,age,origin,sex,drug,year"]
SETS += ["--privacy-constraints", "km", *KM]
ATTRIBUTES = ["people.csv", "--unit", "row", "--relational", "age,origin,sex", "--hierarchy", "age=range"]
ATTRIBUTES += ["--hierarchy", "origin=origin.csv", "--hierarchy", "sex=values"]
TABLE = [*ATTRIBUTES, "--drop", "id,items,drug,year", "--model", "k", "--k", "3"]
DIVERSE = [*ATTRIBUTES, "--drop", "id,items,year", "--sensitive", "drug", "--k", "3"]
RT = [*ATTRIBUTES, "--items", "items", "--drop", "id,drug,year", "--hierarchy", "items=tree.csv", "--model", "kkm", *KM]
RT += ["--on-infeasible", "merge", "--formation", "mondrian", "--transaction", "apriori"]
BUCKETS = ["people.csv", "--id", "id", "--sensitive", "drug", "--drop", "items,origin,sex,year,age"]
SECRET = ["--hierarchy", "items=lm.csv", "--sensitive-items", "20,23", "--l", "2"]

JOBS = {
    "apriori": [*BASKETS, *KM],
    "exact": [*BASKETS, *KM],
    "vpa": [*BASKETS, *KM],
    "lra": [*BASKETS, *KM, "--partitions", "4"],
    "lm-apriori": ["baskets.dat", "--model", "lm", *KM, *SECRET],
    "coat": SETS,
    "pcta": SETS,
    "disassociation": ["baskets.dat", "--model", "disassociation", *KM, "--cluster-size", "10"],
    "anatomy": [*BUCKETS, "--model", "anatomy", "--l", "2", "--seed", "0"],
    "safe-grouping": [*BUCKETS, "--model", "safe-grouping", "--k", "2", "--l", "2", "--seed", "0"],
    **dict.fromkeys(("cluster", "mondrian", "k-member", "xu-bottom-up", "xu-top-down"), TABLE),
    "joint-split": [*RT[:-6], "--point", "items"],
    "rum-bound": [*RT, "--delta", "0.5", "--merge", "r"],
    "tum-bound": [*RT, "--delta", "1", "--merge", "rt"],
    "rfirst": RT,
}
OTHER_MODELS = {
    "kl": [*DIVERSE, "--model", "kl", "--l", "2", "--algorithm", "mondrian"],
    "kt": [*DIVERSE, "--model", "kt", "--t", "0.9", "--algorithm", "mondrian"],
}


def test_all_algorithms_out_of_core_are_covered():
    traits = {name: traits_of(cls) for name, cls in ALGORITHMS.items()}
    assert {name for name, of in traits.items() if of.by_blocks or of.split_records is not None} == JOBS.keys()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stages")
    write_inputs(folder)
    write_trees(folder)
    return folder


@pytest.fixture(scope="module")
def run(folder):
    """Start `killed_stages`, and return a function that runs a job in it."""
    root = Path(anonset.__file__).parents[2]
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    command, environment = [sys.executable, "-m", "tests.jobs.killed_stages"], {**os.environ, "PYTHONPATH": path}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}

    def run(*job):
        program.stdin.write(f"{json.dumps(job)}\n")
        program.stdin.flush()
        return json.loads(program.stdout.readline())

    with subprocess.Popen(command, cwd=folder, env=environment, **pipes) as program:
        yield run
        program.stdin.close()
        assert program.wait() == 0


@pytest.mark.parametrize("name", [*JOBS, *OTHER_MODELS])
def test_a_run_that_is_killed_after_each_stage_publishes_the_same_bytes(folder, run, name):
    job = OTHER_MODELS[name] if name in OTHER_MODELS else [*JOBS[name], "--algorithm", name]
    expected, stages, code = run(name, "anonymize", *job)
    assert (expected, code) == (0, 0), stages
    assert {"step read", "begin of search", "begin of verify", "renaming"} <= {*stages}
    assert files_of(folder / name) == files_of(folder / f"{name}.expected")
    assert {path.name for path in folder.glob(f"*{name}*")} == {
        name, f"{name}.private", f"{name}.expected", f"{name}.expected.private"
    }  # fmt: skip
