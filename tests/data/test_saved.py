"""A table saved in the work directory is restored, and a damaged table is rejected."""

import json

import numpy as np
import pytest
from tests.facts import refused

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table, Vocabulary
from anonset.data.fingerprints import content_sha256
from anonset.data.resumption import saved
from anonset.data.resumption.saved import save_table, saved_facts, saved_files, saved_table
from anonset.data.table_facts import Change, CodeRules
from anonset.errors import InputError


@pytest.fixture
def table(work):
    sets = SetColumn.of([{"b", "a"}, set(), {"c"}], name="codes")
    ages = NumericColumn("age", work.keep("age", np.array([1.5, 2, 3])))
    return Table(
        SetColumn("codes", work.keep("p", sets.indptr), work.keep("i", sets.items), sets.vocabulary),
        (ages, CategoricalColumn("sex", work.keep("sex", np.array([0, 1, 0], np.int32)), Vocabulary(("f", "m")))),
        kept=(CategoricalColumn("year", work.keep("year", np.zeros(3, np.int32)), Vocabulary(("2026",))),),
        order=("sex", "codes", "age", "year"),
        rules=CodeRules("prefix", "leaf"),
        changes=(Change("codes", "upper", 1, 2),),
        store=work,
        persons=("person",),
    )


def test_a_table_is_restored_with_its_facts(table, work):
    assert saved_facts(work) is None
    save_table(table, work, {"input": "visits"})
    result = saved_table(work)
    assert saved_facts(work) == {"input": "visits"}
    assert content_sha256(result) == content_sha256(table)
    assert result.transactions.items.tolist() == table.transactions.items.tolist()
    for name in ("order", "joined", "rules", "changes", "store", "persons"):
        assert getattr(result, name) == getattr(table, name)
    assert [type(c) for c in result.columns] == [type(c) for c in table.columns]


def test_empty_columns_are_restored(work):
    empty = SetColumn("codes", work.keep("p", np.zeros(1, np.int64)), np.empty(0, np.int32), Vocabulary(()))
    save_table(Table(empty, store=work), work, {})
    assert saved_table(work).n == 0


def test_an_unfinished_table_is_reported_as_missing(work):
    with refused(InputError, f"{work.path}", code="unfinished"):
        saved_table(work)


@pytest.mark.parametrize("harm", ["changed", "gone"])
def test_an_array_that_was_damaged_is_named(table, work, harm):
    save_table(table, work, {})
    path = work.path / "i"
    if harm == "gone":
        path.unlink()
    else:
        data = bytearray(path.read_bytes())
        data[5] ^= 1
        path.write_bytes(bytes(data))
    with refused(InputError, "i", code="damaged"):
        saved_table(work)


def test_a_label_that_has_changed_is_refused(table, work):
    save_table(table, work, {})
    path = work.path / "table.json"
    path.write_text(path.read_text().replace('"2026"', '"2025"'))
    with refused(InputError, "table.json", code="damaged"):
        saved_table(work)


def test_a_description_that_is_torn_is_refused(table, work):
    save_table(table, work, {})
    path = work.path / "table.json"
    path.write_bytes(path.read_bytes()[:-9])
    with refused(InputError, "table.json", code="damaged"):
        saved_facts(work)


@pytest.mark.parametrize("text", ["[]", "7", "{}", "[" * 100_000, '{"facts": {}, "facts": {}}', "9" * 9999, "\ufeff{}"])
def test_a_forged_description_is_refused(table, work, text):
    save_table(table, work, {})
    (work.path / "table.json").write_text(text)
    for read in (saved_facts, saved_files, saved_table):
        with refused(InputError, "table.json", code="damaged"):
            read(work)


@pytest.mark.parametrize("name", ["../elsewhere", "/etc/hostname", "."])
def test_a_description_may_only_name_files_of_its_directory(table, work, name):
    save_table(table, work, {})
    path = work.path / "table.json"
    described = json.loads(path.read_text())
    described["transactions"]["items"]["file"] = name
    del described["digest"]
    path.write_text(json.dumps({**described, "digest": saved._digest(described)}))
    with refused(InputError, code="damaged"):
        saved_table(work)
