"""The main job on real data, with an independent check of the output."""

import csv
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from tests.facts import refused

import anonset
from anonset.cli.main import main
from anonset.measures.losses.ncp import ncp_exact
from anonset_datasets import catalogue

pytestmark = [pytest.mark.data, pytest.mark.long]


def hierarchy_of(name: str) -> str:
    """Return the hierarchy used for the specification's figures."""
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
    assert len(release.recoding.nodes) == classes


def on_real_data(name: str, m: int, **options: object) -> anonset.Release:
    """Anonymize by the exact cut, k=5, with the hierarchy of the specification's table."""
    taxonomy = catalogue.hierarchy(name) if name not in ("bms_webview1", "groceries", "retail", "kosarak_70k") else None
    table = anonset.Table(catalogue.load(name).transactions)
    hierarchies = {table.transactions.name: str(taxonomy or "balanced:5")}
    return anonset.anonymize(table, anonset.Exact(k=5, m=m, **options), hierarchies=hierarchies)


@pytest.mark.parametrize(
    ("name", "m", "suppress", "ncp"),
    [
        ("bms_webview1", 2, False, 0.026010),
        ("bms_webview1", 2, True, 0.025974),
        ("bms_webview1", 3, False, 0.108120),
        ("bms_webview1", 3, True, 0.075370),
        ("bms_webview2", 2, False, 0.017689),
        ("bms_webview2", 2, True, 0.015086),
        ("bms_webview2", 3, False, 0.034427),
        ("groceries", 2, False, 0.036720),
        ("groceries", 2, True, 0.033557),
        ("groceries", 3, False, 0.089158),
        ("groceries", 3, True, 0.063168),
        ("tafeng_subclass", 2, True, 0.017361),
        ("retail", 2, False, 0.003348),
        ("kosarak_70k", 2, False, 0.005294),
        ("informs2005", 2, True, 0.044209),
        ("informs2005", 3, True, 0.066708),
        ("diabetes130_patients", 2, True, 0.042602),
        ("diabetes130_patients", 3, True, 0.070026),
    ],
)
def test_the_exact_cut_reaches_the_known_optima_and_proves_them(name, m, suppress, ncp):
    release = on_real_data(name, m, suppress=suppress)
    assert release.verdict.holds
    figures = release.unverified.result.figures
    assert round(release.measures["ncp"], 6) == ncp
    assert figures["gap"] == 0
    assert figures["lower_bound"] == pytest.approx(release.measures["ncp"], rel=1e-9)


@pytest.mark.parametrize("name", ["tafeng_subclass", "informs2005"])
def test_a_real_taxonomy_is_useful_with_suppression(name):
    with pytest.warns(UserWarning, match="suppressed"):
        release = on_real_data(name, 2, suppress=None)
    assert release.measures["ncp"] < 0.05


def test_a_stopped_search_reports_its_progress():
    with pytest.warns(UserWarning, match="stopped"):
        release = on_real_data("tafeng_subclass", 3, suppress=True, max_steps=100)
    figures = release.unverified.result.figures
    assert release.verdict.holds
    assert round(figures["ncp"], 6) == 0.060432
    assert 0.04 < figures["lower_bound"] < figures["ncp"]


def test_the_published_file_is_confirmed_by_brute_force(tmp_path: Path):
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


def test_a_real_taxonomy_can_be_generalized_to_its_root():
    table = catalogue.load("tafeng_subclass")
    taxonomy = str(catalogue.hierarchy("tafeng_subclass"))
    with refused(anonset.WorthlessError, "exact suppress coat"):
        anonset.anonymize(table, anonset.Apriori(k=5, m=2), hierarchies={"items": taxonomy})
    with pytest.warns(UserWarning, match="worthless"):
        release = anonset.anonymize(
            table, anonset.Apriori(k=5, m=2), hierarchies={"items": taxonomy}, accept="worthless"
        )
    bound = release.recoding.hierarchy.bind(table.transactions)
    assert ncp_exact(bound, release.recoding) == Fraction(1)
