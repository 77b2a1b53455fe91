"""Publications of set-search declare their sets, in a single table and within clusters, and verify."""

import csv
import json

import numpy as np
import pytest
from tests.facts import names

import anonset
from anonset.data import NumericColumn, SetColumn, Table
from anonset.data.table_facts import OwnerStatements
from anonset.jobs.verify import check

ITEMS = ["a b", "a b", "a c", "a c", "b d", "b d", "b e", "c e", "a", "b"] * 3
ROWS = SetColumn.of([row.split() for row in ITEMS])
AGES = NumericColumn("age", np.array([20 + 5 * (row % 4) for row in range(len(ITEMS))], np.int64))


def searched(k: int, m: int) -> anonset.Algorithm:
    return anonset.SetSearch(k=k, m=m)


@pytest.mark.parametrize(
    ("algorithm", "table", "is_declared"),
    [
        (anonset.SetSearch(k=4, m=2), Table(ROWS), True),
        (anonset.RFirst(k=4, m=2, transaction=searched), Table(ROWS, (AGES,), statements=OwnerStatements("row")), True),
        (anonset.RFirst(k=4, m=2), Table(ROWS, (AGES,), statements=OwnerStatements("row")), False),
        (anonset.Coat(k=4, m=2), Table(ROWS), False),
    ],
)
def test_the_search_is_declared_and_stated_as_a_limit(tmp_path, algorithm, table, is_declared):
    release = anonset.anonymize(table, algorithm)
    assert release.verdict.holds
    release.save(tmp_path / "out")
    attested = json.loads((tmp_path / "out" / "attestation.json").read_text())
    assert attested["declarations"].get("partition_made_from_data", False) is is_declared
    assert names(attested["limits"], "Sets items") is is_declared
    assert check(tmp_path / "out", {}).verdict.holds


def test_sets_are_ordered_by_labels():
    release = anonset.anonymize(Table(ROWS), anonset.SetSearch(k=9, m=2))
    members = [symbol.members for symbol in release.publication.symbols]
    assert any(len(member) > 1 for member in members)
    assert members == sorted(members)
    assert all(member == tuple(sorted(member)) for member in members)


@pytest.mark.parametrize(
    ("algorithm", "table"),
    [
        (anonset.SetSearch(k=7, m=2), Table(SetColumn.of([row.replace("a", "f").split() for row in ITEMS]))),
        (anonset.JointSplit(k=4, m=2, w="0.5"), Table(ROWS, (AGES,), statements=OwnerStatements("row"))),
        (anonset.RFirst(k=4, m=2, transaction=searched), Table(ROWS, (AGES,), statements=OwnerStatements("row"))),
    ],
)
def test_mapping_account_and_evaluation_agree_if_a_tree_orders_the_items_by_frequency(tmp_path, algorithm, table):
    how = {"hierarchies": {"items": "halves:frequency"}}
    release = anonset.anonymize(table, algorithm, **how)
    release.save(tmp_path / "out")
    with (tmp_path / "out" / "codebook.csv").open() as book, (tmp_path / "out.private" / "mapping.csv").open() as found:
        published = {line["published"] for line in csv.DictReader(found)}
        assert published == {line["symbol"] for line in csv.DictReader(book)}
    assert any(len(symbol.members) > 1 for symbol in release.publication.symbols)
    shown = release.publication.transactions.rows()  # symbols do not overlap
    rows = list(table.transactions.rows())
    original = [rows[row] for row in release.publication.record.tolist()]
    unchanged = sum(len(set(before) & set(after)) for before, after in zip(original, shown, strict=True))
    assert release.retention["items"]["kept"] == unchanged
    assert anonset.evaluate(table, tmp_path / "out", **how).levels.get("kept", 0) == unchanged
