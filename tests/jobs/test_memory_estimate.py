"""Estimated memory of a run in memory, by algorithm, compared with the measured memory of processes."""

import os
import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest
from benchmarks.process_tree import run
from tests.facts import names

from anonset.algorithms.base import LARGEST_MEMORY_FACTOR, Traits, traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.cuts.lm_apriori import LmApriori
from anonset.algorithms.transaction.rare_sets import rare_tables
from anonset.cli.main import main
from anonset.jobs.runs.file_run import memory_of
from anonset.reading.sources.sizes import DataSize
from anonset.reading.sources.source import source_of
from anonset.release.memory import AT_LEAST, format_size, memory_for

pytestmark = pytest.mark.long

MANY = DataSize(1_000_000, 7_500_000, 30_000_000)
SENSITIVE = "101,276,801,1201,1551"
RECORDS = 200_000


class Offered:
    """A third-party algorithm that declares no memory factor."""

    name: ClassVar[str] = "offered"


class Thrifty(Offered):
    """A third-party algorithm that declares a memory factor."""

    traits: ClassVar[Traits] = Traits(memory_factor=0.5)


@dataclass(frozen=True, kw_only=True)
class Extended(Apriori):
    """A third-party algorithm that extends a built-in algorithm."""

    name: ClassVar[str] = "extended"


def test_each_built_in_algorithm_declares_its_factor():
    built_in = [cls for cls in ALGORITHMS.values() if cls.__module__.startswith("anonset.")]
    declared = [cls.traits.memory_factor for cls in built_in]
    assert len(declared) > 20
    assert (min(declared), max(declared)) == (1.0, LARGEST_MEMORY_FACTOR)


def test_the_factor_applies_to_the_data_and_not_to_python():
    least, many = memory_for(DataSize()), memory_for(MANY)
    assert memory_of(MANY, Apriori(k=2, m=2)) == many
    assert memory_of(MANY, Extended(k=2, m=2)) == many
    assert memory_of(DataSize(), Offered()) == least
    largest = int(least + LARGEST_MEMORY_FACTOR * (many - least))
    assert memory_of(MANY, Offered()) == largest > 2 * many
    assert memory_of(MANY, Thrifty()) == int(least + 0.5 * (many - least))


def test_an_algorithm_that_needs_too_much_memory_is_rejected_before_any_work(tmp_path, capsys):
    (tmp_path / "a.dat").write_text("a b\n" * 200_000)
    size = source_of(str(tmp_path / "a.dat"), None).size
    need = memory_of(size, ALGORITHMS["hghs"](k=2, m=1))
    assert memory_for(size) < need < AT_LEAST
    command = ["anonymize", str(tmp_path / "a.dat"), "--hierarchy", "items=balanced:2", "--k", "2", "--m", "1"]
    limit = ["--memory-limit", str(memory_for(size))]
    options = ["--model", "km", "--algorithm", "hghs", "-o", str(tmp_path / "out")]
    assert main([*command, *options, *limit]) == 2
    reported = " ".join(capsys.readouterr().err.split())
    assert names(reported, f"{format_size(need)}")
    assert names(reported, "hghs apriori exact vpa core coat pcta")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["exact", "apriori", "vpa"])
def test_tables_of_larger_sets_are_added_to_the_estimate(name):
    pairs, triples = (ALGORITHMS[name](k=2, m=m) for m in (2, 3))
    beside = traits_of(triples).memory_beside
    assert (traits_of(pairs).memory_beside, beside >= rare_tables.BYTES_SHARED) == (0, True)
    assert memory_of(MANY, triples) == memory_of(MANY, pairs) + beside
    few = DataSize(300, 1500, 6000)  # too few to fill a table
    assert 0 < memory_of(few, triples) - memory_of(few, pairs) < 1 << 20


LM = ["--model", "lm", "--algorithm", "lm-apriori", "--l", "2", "--m", "1", "--sensitive-items", SENSITIVE]
TRIPLES = ["--model", "km", "--algorithm", "exact", "--m", "3", "--effort", "0.04"]
ALLOWED = {
    "lm-apriori": (LM, LmApriori(k=5, l=2, m=1, sensitive_items=tuple(SENSITIVE.split(",")))),
    "exact": (TRIPLES, ALGORITHMS["exact"](k=5, m=3)),
}


@pytest.fixture(scope="module")
def baskets(tmp_path_factory):
    """Two files: few records, and many records."""
    folder = tmp_path_factory.mktemp("made")
    made = [folder / f"pos{records}" for records in (RECORDS // 100, RECORDS)]
    for path in made:
        assert main(["datasets", "make", "pos_like", "--records", path.name[3:], "-o", str(path)]) == 0
    return list(map(str, made))


@pytest.mark.compiled
@pytest.mark.parametrize("name", ALLOWED)
def test_set_algorithms_stay_below_their_estimate(tmp_path, baskets, name):
    arguments, algorithm = ALLOWED[name]
    options = ["--items", "items", "--hierarchy", "items=balanced:5", "--k", "5", *arguments]
    options += ["--accept", "worthless", "--workers", "2"]
    few, many = baskets
    assert main(["anonymize", few, *options, "-o", str(tmp_path / "few")]) == 0  # compiles kernels if necessary
    command = [sys.executable, "-m", "anonset", "anonymize", many, *options, "-o", str(tmp_path / "out")]
    took = run(command, env=dict(os.environ))
    assert took.code == 0, took.errors
    assert took.peak <= memory_of(source_of(many, None).size, algorithm)
