import csv
import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from tests.facts import refused

from anonset.data import Table
from anonset.errors import InputError
from anonset_datasets import catalogue
from anonset_datasets.entries import ENTRIES

SHIPPED = sorted(set(ENTRIES) - {"bms_pos"})
WITH_TAXONOMY = sorted(name for name, entry in ENTRIES.items() if entry.taxonomy)
WITH_RELATIONAL = sorted(name for name, entry in ENTRIES.items() if entry.relational_hierarchies)


def test_entries_agree_with_themselves() -> None:
    for name, entry in ENTRIES.items():
        roles = [*entry.relational, *entry.keep, *entry.drop, *([entry.items] if entry.items else [])]
        assert name == entry.name
        assert len(roles) == len(set(roles)), name
        assert set(entry.numeric) <= set(entry.relational), name
        assert (entry.items is None) == (entry.n_items == 0) == (entry.kind == "relational"), name
        assert entry.source, name
        assert entry.terms, name
        assert {column for column, _ in entry.relational_hierarchies} <= set(entry.relational), name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bms_webview1", "We wish to thank Blue Martini Software for contributing the KDD Cup 2000 data"),
        ("bms_webview2", "We wish to thank Blue Martini Software for contributing the KDD Cup 2000 data"),
        ("bms_pos", "We wish to thank Blue Martini Software for contributing the KDD Cup 2000 data"),
        ("informs2005", "Never use it in linking-attack demonstrations"),
        ("vermont2013", "VAHHS-NSO and BISHCA disclaim responsibility"),
        ("vermont2013", "nor in linking-attack demonstrations"),
        ("tafeng_baskets", "do not redistribute them"),
    ],
)
def test_terms_that_must_be_shown_are_in_the_note(name: str, words: str) -> None:
    entry = catalogue.entry(name)
    assert words in entry.note
    assert not entry.redistributable


def test_unknown_name_is_refused() -> None:
    with refused(InputError, "bms_webview1 bms"):
        catalogue.load("bms")


@pytest.mark.parametrize("find", [catalogue.path, catalogue.hierarchy, catalogue.load])
def test_unset_variable_is_refused(find: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANONSET_DATA", raising=False)
    with refused(InputError, "bms_webview2 ANONSET_DATA"):
        find("bms_webview2")  # type: ignore[operator]


def test_folder_and_files_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANONSET_DATA", str(tmp_path / "nowhere"))
    with refused(InputError, f"ANONSET_DATA {tmp_path / 'nowhere'}"):
        catalogue.path("retail")
    monkeypatch.setenv("ANONSET_DATA", str(tmp_path))
    with refused(InputError, "transactions/retail.dat.gz"):
        catalogue.path("retail")
    with refused(InputError, "hierarchy taxonomies/groceries_taxonomy.csv.gz"):
        catalogue.hierarchy("groceries")
    with refused(InputError, "hierarchy hierarchies/adult_arx/adult_hierarchy_age.csv.gz"):
        catalogue.relational_hierarchies("adult")
    assert catalogue.hierarchy("retail") is None


@pytest.mark.parametrize("file", ["transactions/BMS-POS.dat", "bms_pos.dat.gz"])
def test_bms_pos_is_found_under_its_names(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / file
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(gzip.compress(b"1 2\n3\n") if file.endswith(".gz") else b"1 2\n3\n")
    monkeypatch.setenv("ANONSET_DATA", str(tmp_path))
    assert catalogue.path("bms_pos") == target
    with refused(InputError, "bms_pos 515,597 2 1,657 3 164 6.5 1.5"):
        catalogue.load("bms_pos")


def test_check_compares_every_characteristic() -> None:
    table = Table.from_sets([["a", "b"], ["b"], ["c"]])
    known = replace(ENTRIES["retail"], n=3, n_items=3, max_length=2, avg_length=1.33)
    catalogue.check(known, table)
    for wrong in ({"n": 4}, {"n_items": 4}, {"max_length": 1}, {"avg_length": 1.34}):
        with refused(InputError, "retail"):
            catalogue.check(replace(known, **wrong), table)


@pytest.mark.data
@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.long
def test_stored_data_are_the_published_ones(name: str, data_folder: Path) -> None:
    entry, table = ENTRIES[name], catalogue.load(name)
    assert catalogue.path(name) == data_folder / entry.file
    assert table.n == entry.n
    assert tuple(column.name for column in table.relational) == entry.relational


@pytest.mark.data
@pytest.mark.parametrize("name", WITH_TAXONOMY)
@pytest.mark.long
def test_taxonomies_cover_the_items(name: str, data_folder: Path) -> None:
    file, column = catalogue.hierarchy(name), catalogue.load(name).transactions
    assert file is not None
    assert file.is_relative_to(data_folder)
    assert column is not None
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        leaves = {line[0] for line in csv.reader(lines)}
    assert set(column.vocabulary.labels) <= leaves


@pytest.mark.data
@pytest.mark.parametrize("name", WITH_RELATIONAL)
def test_relational_hierarchies_cover_the_values(name: str, data_folder: Path) -> None:
    table, files = catalogue.load(name), catalogue.relational_hierarchies(name)
    assert files
    for column in table.relational:
        if column.name in files:
            assert files[column.name].is_relative_to(data_folder)
            with gzip.open(files[column.name], "rt", encoding="utf-8") as lines:
                leaves = {line.split(";")[0] for line in lines}
            values = column.labels() if hasattr(column, "labels") else map(str, column.values.tolist())
            assert set(values) <= leaves
