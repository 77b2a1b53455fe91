"""The main job on real data, with an independent check of what was written."""

import csv
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

import anonset
from anonset.cli.main import main
from anonset.measures.ncp import ncp_exact, published_classes
from anonset_datasets import catalogue

pytestmark = pytest.mark.data


def hierarchy_of(name: str) -> str:
    """Return the hierarchy that the specification's figures were taken with."""
    return str(catalogue.hierarchy(name)) if name == "bms_webview2" else "balanced:5"


@pytest.mark.parametrize(
    ("name", "m", "ncp", "classes"),
    [
        ("bms_webview2", 2, 0.018463, 73),
        ("bms_webview2", 3, 0.049268, 22),
        ("bms_webview1", 2, 0.026395, 56),
        ("bms_webview1", 3, 0.108120, 12),
    ],
)
def test_apriori_reaches_the_known_losses(name, m, ncp, classes):
    table = catalogue.load(name)
    release = anonset.anonymize(table, anonset.Apriori(k=5, m=m), hierarchies={"items": hierarchy_of(name)})
    assert release.verdict.holds
    bound = release.recoding.hierarchy.bind(table.transactions)
    assert round(float(ncp_exact(bound, release.recoding)), 6) == ncp
    assert published_classes(bound, release.recoding) == classes


def test_the_command_publishes_what_brute_force_confirms(tmp_path: Path):
    source = catalogue.path("bms_webview2")
    out = tmp_path / "out"
    spec = f"items={hierarchy_of('bms_webview2')}"
    options = ["--model", "km", "--k", "5", "--m", "3", "--hierarchy", spec, "--quiet"]
    assert main(["anonymize", str(source), "-o", str(out), *options]) == 0
    assert main(["verify", str(out), "--quiet"]) == 0

    published = [line.split() for line in (out / "published.dat").read_text().splitlines()]
    for size in (1, 2, 3):
        support = Counter(s for row in published for s in combinations(sorted(row), size))
        assert min(support.values()) >= 5

    with (out / "codebook.csv").open(newline="") as file:
        members = {line["symbol"]: line["members"].split() for line in csv.DictReader(file)}
    with Path(f"{out}.private/records.csv").open(newline="") as file:
        record_of_row = [int(line["input_record"]) for line in csv.DictReader(file)]
    symbol_of = {item: symbol for symbol, items in members.items() for item in items}
    original = list(anonset.read(source).transactions.rows())
    assert sorted(record_of_row) == list(range(len(original)))
    for row, record in zip(published, record_of_row, strict=True):
        assert set(row) == {symbol_of[item] for item in original[record]}


def test_a_real_taxonomy_can_leave_nothing_but_the_root():
    table = catalogue.load("tafeng_subclass")
    taxonomy = str(catalogue.hierarchy("tafeng_subclass"))
    with pytest.raises(anonset.WorthlessError, match="exact with suppress=True or coat"):
        anonset.anonymize(table, anonset.Apriori(k=5, m=2), hierarchies={"items": taxonomy})
    with pytest.warns(UserWarning, match="the publication is worthless"):
        release = anonset.anonymize(
            table, anonset.Apriori(k=5, m=2), hierarchies={"items": taxonomy}, allow_worthless=True
        )
    bound = release.recoding.hierarchy.bind(table.transactions)
    assert ncp_exact(bound, release.recoding) == Fraction(1)
