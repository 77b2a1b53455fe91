"""Labelled folders of linked tables: they are valid, and the errors of `inspect` on them are measured."""

from functools import cache

import pytest
from tests.columns import folders
from tests.columns.folders import HALVES, folder_figures, main, measure_folder, read_folders, tables_of
from tests.columns.layouts import LayoutError


@cache
def measured(half):
    return [measure_folder(folder, 300) for folder in read_folders(half)]


def every_folder():
    return [folder for half in HALVES for folder in read_folders(half)]


def test_names_are_unique_and_half_of_the_folders_only_measure():
    names = [[folder.name for folder in read_folders(half)] for half in HALVES]
    assert len({*names[0], *names[1]}) == len(names[0]) + len(names[1])
    assert len(names[0]) >= len(names[1]) >= 4


@pytest.mark.parametrize("folder", every_folder(), ids=lambda folder: folder.name)
def test_keys_refer_to_rows_of_other_tables(folder):
    tables = tables_of(folder, 50, 1)
    for table in folder.tables:
        header, rows = tables[table.name]
        assert [column.header for column in table.layout.columns] == header
        assert not table.key or table.key in header
        for name, link in table.links.items():
            names, source = tables[link.table]
            ids = {f"{link.before}{row[names.index(link.column)]}" for row in source}
            share = sum(row[header.index(name)] in ids for row in rows) / len(rows)
            assert share == 1 if not link.lacking else 0.5 < share < 1


def test_rows_of_one_table_are_drawn_together():
    folder = next(folder for folder in every_folder() if folder.name == "mimic_hosp")
    tables = tables_of(folder, 50, 1)
    person_of = {row[1]: row[0] for row in tables["admissions"][1]}
    assert all(person_of[row[1]] == row[0] for row in tables["diagnoses_icd"][1])


@pytest.mark.long
def test_no_folder_for_writing_rules_has_a_dangerous_error():
    figures = folder_figures(measured("rules"))
    assert (figures["dangerous"], figures["person first"]) == (0, figures["folders"])
    assert figures["key and parent right"] >= figures["tables"] - 1


@pytest.mark.parametrize(
    ("change", "message"), [({"tabel": []}, "tabel"), ({"table": [{"name": "a", "colums": []}]}, "colums")]
)
def test_unknown_settings_are_rejected(change, message):
    entry = {"name": "f", "language": "en", "domain": "shop", "unit": "id", "table": [], **change}
    if message == "colums":
        entry["table"][0]["columns"] = []
    with pytest.raises(LayoutError, match=message):
        folders._folder(entry, "")


def test_tables_that_refer_to_each_other_are_rejected():
    table = {"rows": 1, "key": "id"}
    entry = {"name": "f", "language": "en", "domain": "shop", "unit": "id"}
    entry["table"] = [
        {"name": "a", **table, "columns": [["id", "key", "link|b.id"]]},
        {"name": "b", **table, "columns": [["id", "key", "link|a.id"]]},
    ]
    with pytest.raises(LayoutError, match="refer to each other"):
        tables_of(folders._folder(entry, ""), 5, 1)


def test_a_folder_can_be_written(tmp_path):
    assert main(["shop_orders", "-o", str(tmp_path), "--persons", "5"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "customers.csv", "order_lines.csv", "orders.csv", "products.csv",
    ]  # fmt: skip
