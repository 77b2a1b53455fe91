"""Linked tables are read as the records that a naive join gives."""

from collections import defaultdict

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from tests.facts import names, refused

import anonset
from anonset.data.storage.store import Files
from anonset.data.table_facts import SPELLINGS
from anonset.errors import InputError
from anonset.reading.batches import open_source
from anonset.reading.linked import LinkedTables
from anonset.reading.options import ReadOptions
from anonset.reading.table_builder import gather_files, read_all_rows

PERSON = {"id": ["1", "2", "3"], "sex": ["f", "m", "f"], "age": ["30", "41", "52"]}
VISIT = {"visit": ["v1", "v2", "v3"], "id": ["1", "1", "3"]}


def records(table):
    """Return the attributes and the items of each record."""
    attributes = zip(*(column.labels() for column in table.relational), strict=True) if table.relational else None
    sets = [frozenset(row) for row in table.transactions.rows()]
    return list(zip(attributes, sets, strict=True)) if attributes else [((), row) for row in sets]


def naive(unit, persons, tables):
    """Return the records in the order of the persons' first rows: attributes by id, and items ``table.column:item``."""
    items = defaultdict(set)
    for name, column, rows in tables:
        mark = f"{name}.{column}:" if len(tables) > 1 else ""
        for person, item in rows:
            items[person].add(f"{mark}{item}")
    order = [person for person, *_ in persons] or list(items)
    rest = {person: tuple(values) for person, *values in persons}
    return [(rest.get(person, ()), frozenset(items[person])) for person in order]


ROWS = st.lists(st.tuples(st.integers(0, 5).map(str), st.sampled_from("abcd")), max_size=25)


@given(ROWS, ROWS, st.lists(st.integers(0, 5), min_size=6, max_size=6, unique=True), st.data())
def test_records_equal_those_of_a_naive_join(drugs, codes, order, data):
    persons = [(str(person), data.draw(st.sampled_from("xyz"))) for person in order]
    tables = {
        "person": {"input": {"id": [p for p, _ in persons], "town": [t for _, t in persons]}, "relational": "town"},
        "drug": {"input": {"id": [p for p, _ in drugs], "name": [x for _, x in drugs]}, "items": "name"},
        "code": {"input": {"who": [p for p, _ in codes], "name": [x for _, x in codes]}, "items": "name", "key": "who"},
    }
    tables = {name: given for name, given in tables.items() if len(next(iter(given["input"].values())))}
    if len(tables) == 1:
        return
    lists = [(name, "name", rows) for name, rows in (("drug", drugs), ("code", codes)) if rows]
    assert records(anonset.read(tables=tables, unit="id")) == naive("id", persons, lists)
    del tables["person"]
    assert records(anonset.read(tables=tables, unit="id")) == naive("id", [], lists)


def test_records_are_the_same_in_files(tmp_path):
    tables = {
        "person": {"input": PERSON, "relational": ["sex", "age"], "numeric": "age"},
        "code": {"input": {"id": ["3", "1", "1"], "code": ["E10", "I10", "E10"]}, "items": "code"},
    }
    linked = LinkedTables.of(tables, "id")
    table = gather_files(linked.source, ReadOptions(**linked.roles), Files(tmp_path))
    assert list(table.transactions.rows()) == [["E10", "I10"], [], ["E10"]]
    assert table.relational[1].values.tolist() == [30, 41, 52]
    assert table.tables == ("person", "code")


def test_rows_are_merged_in_memory_without_files(monkeypatch):
    """A process that is killed while it reads into memory leaves no directory with data behind."""
    monkeypatch.setattr(Files, "temporary", lambda *_, **__: pytest.fail("a temporary directory"))
    rows = {"id": ["1", "2", "1"], "drug": ["a", "b", "c"], "note": ["x", "y", "hidden"]}
    table = anonset.read(rows, items="drug", keep="note", unit="id", differing="first")
    assert (list(table.transactions.rows()), table.ids[0].labels()) == ([["a", "c"], ["b"]], ["1", "2"])
    assert table.kept[0].vocabulary.labels == ("x", "y")  # of published records only
    tables = {"person": {"input": PERSON, "relational": "sex"}, "drug": {"input": rows, "items": "drug"}}
    tables["drug"]["input"] = {name: rows[name] for name in ("id", "drug")}
    assert anonset.read(tables=tables | {"person": {**tables["person"], "drop": "age"}}, unit="id").n == 3


@pytest.mark.parametrize("key", ["row", "unknown", "?"])
def test_a_key_may_have_the_name_of_another_unit(key):
    rows = {key: ["1", "", "2"], "code": ["a", "b", "c"]}
    tables = {"drug": {"input": rows, "key": key, "items": "code"}}
    assert anonset.read(tables=tables, unit="id", skip_rows="no-id").n == 2


def test_ids_are_folded_and_each_table_has_its_own_key():
    tables = {
        "a": {"input": {"id": ["1000", "007"], "code": ["x", "y"]}, "items": "code"},
        "b": {"input": {"PATIENT": [1000.0, 7.0], "code": ["x", "z"]}, "items": "code", "key": "PATIENT"},
    }
    table = anonset.read(tables=tables, unit="id")
    assert list(table.transactions.rows()) == [["a.code:x", "b.code:x"], ["a.code:y", "b.code:z"]]


def test_a_key_may_have_several_columns():
    tables = {
        "a": {"input": {"fund": ["f", "f", "g"], "no": ["1", "2", "1"], "code": ["x", "y", "z"]}, "items": "code"},
        "b": {"input": {"k": ["f"], "n": ["2"], "drug": ["d"]}, "items": "drug", "key": ["k", "n"]},
    }
    rows = list(anonset.read(tables=tables, unit=["fund", "no"]).transactions.rows())
    assert rows == [["a.code:x"], ["a.code:y", "b.drug:d"], ["a.code:z"]]


@pytest.mark.parametrize("publishes", [False, True])
def test_a_table_may_hang_on_another(publishes):
    visit = {"input": VISIT | {"ward": ["w", "w", "u"]}} | ({"items": "ward"} if publishes else {})
    tables = {
        "person": {"input": PERSON, "relational": "sex", "drop": "age"},
        "visit": visit,
        "code": {"input": {"visit": ["v3", "V1", "v2"], "code": ["c", "a", "b"]}, "items": "code", "key": "visit"},
    }
    tables["code"]["in"] = "visit"
    rows = [
        {item.rpartition(":")[2] for item in row} for row in anonset.read(tables=tables, unit="id").transactions.rows()
    ]
    assert rows == ([{"a", "b", "w"}, set(), {"c", "u"}] if publishes else [{"a", "b"}, set(), {"c"}])


@pytest.mark.long
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
    st.lists(st.integers(0, 4), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), min_size=1, max_size=12),
    st.integers(0, 2),
)
def test_a_table_may_hang_on_a_table_that_hangs_on_another(persons, visits, results, order):
    """`persons` has the person of each visit, and `visits` the visit of each order. Tables may be in any order."""
    persons += [0] * (5 - len(persons))
    visits += [0] * (6 - len(visits))
    tables = {
        "visit": {"input": {"id": list(map(str, range(5))), "who": [f"p{person}" for person in persons]}, "key": "who"},
        "order": {"input": {"number": list(range(6)), "visit": list(map(float, visits))}, "in": "visit.id"},
        "result": {"input": {"order": [i for i, _ in results], "code": [code for _, code in results]}, "items": "code"},
    }
    tables["order"]["key"] = "visit"
    tables["result"] |= {"key": "order", "in": "order.number"}
    names = list(tables)[order:] + list(tables)[:order]
    read = anonset.read(tables={name: tables[name] for name in names}, unit="id")
    joined = [(str(persons[visits[number]]), code) for number, code in results]
    assert records(read) == naive("id", [], [("result", "code", joined)])


def test_the_middle_of_a_chain_may_be_published_and_lack_persons():
    tables = {
        "person": {"input": PERSON, "relational": "sex", "drop": "age"},
        "visit": {"input": {"visit": ["v1", "v2", "v3"], "id": ["1", "", "3"]}},
        "order": {"input": {"order": ["1", "2", "3"], "visit": ["v1", "v2", "v3"], "kind": ["x", "y", "z"]}},
        "result": {"input": {"order": ["3", "2", "1", "3", ""], "code": ["a", "b", "c", "d", "e"]}, "items": "code"},
    }
    tables["order"] |= {"items": "kind", "key": "visit", "in": "visit"}
    tables["result"] |= {"key": "order", "in": "order"}
    with pytest.raises(InputError) as raised:
        anonset.read(tables=tables, unit="id")
    assert names(str(raised.value), "skip_rows no-id")
    table = anonset.read(tables=tables, unit="id", skip_rows="no-id")
    rows = [{item.rpartition(":")[2] for item in row} for row in table.transactions.rows()]
    assert rows == [{"c", "x"}, set(), {"a", "d", "z"}]
    assert "skipped rows without an id: 3" in map(str, table.changes)


@pytest.mark.parametrize("through", ["key", "parent"])
def test_rules_of_ids_apply_to_the_keys_of_all_tables(through):
    contract = {"contract": ["c1", "c2", "c3"], "phone": ["+49170123", "0049 171 456", "0172/789"]}
    call = {"caller": ["0170 123", "", "+49171456", "0171 456"], "kind": ["a", "b", "c", "d"]}
    if through == "parent":
        call["caller"] = ["c1", "", "c2", "c2"]
    tables = {
        "person": {
            "input": {"phone": ["0170123", "+49171456", "+49172789"], "sex": ["f", "m", "f"]},
            "relational": "sex",
        },
        "contract": {"input": contract},
        "call": {"input": call, "items": "kind", "key": "caller"},
    }
    if through == "parent":
        tables["call"] |= {"in": "contract", "key": "caller"}
        call["contract"] = call.pop("caller")
        tables["call"]["key"] = "contract"
    else:
        del tables["contract"]
    rules = ["phone=+49", "phone=fill-down"]
    if through == "parent":
        rules, call["contract"][1] = rules[:1], "c1"
    table = anonset.read(tables=tables, unit="phone", normalize=rules)
    assert records(table) == [(("f",), {"a", "b"}), (("m",), {"c", "d"}), (("f",), set())]


def test_the_key_may_have_another_name_in_the_parent():
    tables = {
        "person": {"input": PERSON, "relational": "sex", "drop": "age"},
        "visit": {"input": VISIT},
        "code": {"input": {"of": ["v3", "V1", "v2"], "code": ["c", "a", "b"]}, "items": "code", "key": "of"},
    }
    tables["code"]["in"] = "visit.visit"
    rows = [set(row) for row in anonset.read(tables=tables, unit="id").transactions.rows()]
    assert rows == [{"a", "b"}, set(), {"c"}]
    linked = LinkedTables.of(tables, "id")
    places = [(table.parent, table.key, table.parent_key) for table in (*linked.tables, *linked.lookups)]
    assert places[1] == ("visit", ("of",), ("visit",))
    tables["code"] |= {"key": ["of", "code"]}
    with pytest.raises(InputError, match="in must name a table, because key names 2 columns"):
        LinkedTables.of(tables, "id")


def test_text_before_the_ids_of_a_key_is_removed(tmp_path):
    visit = {"id": ["v1", "v2"], "subject": ["Patient/1", "Patient/3"]}
    code = {"visit": ["Visit/v2", "v1", "Visit/v1"], "code": ["c", "a", "b"]}
    tables = {
        "person": {"input": PERSON, "relational": "sex", "drop": "age"},
        "visit": {"input": visit, "key": "subject", "key_prefix": "Patient/"},
        "code": {"input": code, "items": "code", "key": "visit", "key_prefix": "Visit/", "in": "visit.id"},
        "drug": {"input": {"of": ["Patient.2", "Patient/2"], "drug": ["x", "y"]}, "items": "drug", "key": "of"},
    }
    tables["drug"]["key_prefix"] = "Patient/"
    rows = [set(row) for row in anonset.read(tables=tables, unit="id", skip_rows="undescribed").transactions.rows()]
    assert rows == [{"code.code:a", "code.code:b"}, {"drug.drug:y"}, {"code.code:c"}]
    linked = LinkedTables.of(tables, "id")
    in_files = gather_files(linked.source, ReadOptions(**linked.roles, skip_rows="undescribed"), Files(tmp_path))
    assert [set(row) for row in in_files.transactions.rows()] == rows


def test_keys_with_and_without_their_prefix_are_the_same_person():
    visits = {"of": ["Patient/1", "patient/1", "1", "https://h.org/Patient/1/_history/3"], "code": list("abcd")}
    tables = {"person": {"input": {"id": ["1"]}}, "visit": {"input": visits, "items": "code", "key": "of"}}
    tables["visit"]["key_prefix"] = "Patient/"
    read = anonset.read(tables=tables, unit="id")
    assert [len(row) for row in read.transactions.rows()] == [4]
    assert "ids in several spellings" not in map(str, read.changes)
    visits["of"][2] = "Group/1"
    with refused(InputError, "'of' '1 key' 4 'Patient/' key_prefix"):
        anonset.read(tables=tables, unit="id")


@pytest.mark.parametrize(
    ("of", "respelled"),
    [(["1", "2", "2"], 0), (["1.0", "2.0", "002."], 1), (["1.0", "2.0", "2.0"], 0), (["A-1", "A-2", "A2"], 1)],
)
def test_spellings_of_an_id_count_only_within_a_table(of, respelled):
    persons = [text[0] + text[2:] if "-" in text else text[0] for text in of[:2]]
    drugs = {"of": [*reversed(persons)], "drug": ["x", "y"]}
    tables = {
        "person": {"input": {"id": persons}},
        "visit": {"input": {"of": of, "code": list("abc")}, "items": "code", "key": "of"},
        "drug": {"input": drugs, "items": "drug", "key": "of"},
    }
    read = anonset.read(tables=tables, unit="id")
    assert [len(row) for row in read.transactions.rows()] == [2, 3]
    assert sum(change.occurrences for change in read.changes if change.rule == SPELLINGS) == respelled


@pytest.mark.parametrize("visit", ["v1", "v2"])
def test_rows_of_a_parent_without_a_person_are_skipped(visit):
    tables = {
        "visit": {"input": {"visit": ["v1", "v2"], "id": ["1", ""]}},
        "code": {"input": {"visit": ["v1", visit], "code": ["a", "b"]}, "items": "code", "key": "visit", "in": "visit"},
    }
    read = anonset.read(tables=tables, unit="id", skip_rows="no-id")
    assert list(read.transactions.rows()) == ([["a", "b"]] if visit == "v1" else [["a"]])
    assert ("skipped rows without an id: 1" in map(str, read.changes)) == (visit == "v2")


def test_a_key_that_the_parent_lacks_is_rejected_by_the_name_of_the_parent():
    tables = {
        "visit": {"input": {"visit": ["v1"], "id": ["1"]}},
        "code": {"input": {"visit": ["v9"], "code": ["a"]}, "items": "code", "key": "visit", "in": "visit"},
    }
    with pytest.raises(InputError, match="does not occur in the table 'visit'"):
        anonset.read(tables=tables, unit="id")


def test_separators_belong_to_a_table():
    tables = {
        "a": {"input": {"id": ["1"], "code": ["x|y"]}, "items": "code", "separator": "|"},
        "b": {"input": {"id": ["1"], "drug": ["d|e"]}, "items": "drug"},
    }
    table = anonset.read(tables=tables, unit="id")
    assert list(table.transactions.rows()) == [["a.code:x", "a.code:y", "b.drug:d|e"]]


def test_files_have_their_own_options(tmp_path):
    (tmp_path / "a.csv").write_text("id,code\n1,x\n")
    (tmp_path / "b.csv").write_bytes("id;drug;day\n1;ä;2\nTotal;9;9\n".encode("latin-1"))
    tables = {
        "a": {"input": tmp_path / "a.csv", "items": "code"},
        "b": {"input": tmp_path / "b.csv", "items": "drug", "encoding": "latin-1", "skip_rows": "footer"},
    }
    table = anonset.read(tables=tables, unit="id")
    assert list(table.transactions.rows()) == [["a.code:x", "b.drug:ä"]]
    assert [str(change) for change in table.changes if "b.day" in str(change)]


CODES = {"input": {"id": ["1", "9", "8"], "code": ["x", "y", "z"]}, "items": "code"}


def test_persons_whom_no_row_describes_stop_the_reading():
    tables = {"person": {"input": PERSON, "relational": "sex", "drop": "age"}, "code": CODES}
    with pytest.raises(InputError) as raised:
        anonset.read(tables=tables, unit="id")
    assert names(str(raised.value), "2 person skip_rows undescribed")
    table = anonset.read(tables=tables, unit="id", skip_rows="undescribed")
    assert [len(row) for row in table.transactions.rows()] == [1, 0, 0]
    assert "skipped persons whom no row describes: 2, with 2 rows" in map(str, table.changes)


def test_rows_that_describe_a_person_differently_stop_the_reading():
    twice = {name: [*values, values[0]] for name, values in PERSON.items()}
    tables = {"person": {"input": twice, "relational": "sex", "drop": "age"}, "code": CODES}
    assert anonset.read(tables=tables, unit="id", skip_rows="undescribed").n == 3
    twice["sex"][-1] = "m"
    with pytest.raises(InputError) as raised:
        anonset.read(tables=tables, unit="id", skip_rows="undescribed")
    assert names(str(raised.value), "1 4 person.sex")
    assert "items=" not in str(raised.value)


def test_rows_without_a_key_stop_the_reading():
    tables = {"code": {"input": {"id": ["1", None], "code": ["x", "y"]}, "items": "code"}}
    with pytest.raises(InputError):
        anonset.read(tables=tables, unit="id")
    assert anonset.read(tables=tables, unit="id", skip_rows="no-id").n == 1


def through_visits(visits, persons, keys):
    """Return tables whose codes c0, c1, ... belong to a visit."""
    codes = {"visit": keys, "code": [f"c{number}" for number in range(len(keys))]}
    return {
        "stay": {"input": {"visit": visits, "id": persons}},
        "code": {"input": codes, "items": "code", "key": "visit", "in": "stay"},
    }


@pytest.mark.parametrize("none", [None, "", " ", "NA"])
def test_rows_without_a_visit_or_whose_visit_has_no_person_are_rows_without_an_id(none):
    for tables in (
        through_visits(["v1", none], ["1", "2"], ["v1", none]),
        through_visits(["v1", none, none], ["1", "2", "3"], ["v1", none]),
        through_visits(["v1", "v2"], ["1", none], ["v1", "v2"]),
    ):
        with pytest.raises(InputError) as raised:
            anonset.read(tables=tables, unit="id", null="NA")
        assert names(str(raised.value), "2 skip_rows no-id")
        table = anonset.read(tables=tables, unit="id", null="NA", skip_rows="no-id")
        assert list(table.transactions.rows()) == [["c0"]]
        assert any("1" in str(change) for change in table.changes)


def test_numbers_as_floats_are_the_same_keys_as_text():
    numbers = [7, 1000, 10**7, 123456789012, 10**15, 1 << 52]
    texts, floats = [str(number) for number in numbers], [float(number) for number in numbers]
    for visits, keys in ((texts, floats), (floats, texts)):
        tables = through_visits(visits, floats, keys)
        tables["drug"] = {"input": {"id": texts, "drug": ["d"] * len(texts)}, "items": "drug"}
        assert anonset.read(tables=tables, unit="id").n == len(numbers)
    tables = {"a": {"input": {"id": [1.5, None, 1e7], "x": ["a", "b", "c"]}, "items": "x"}}
    tables["b"] = {"input": {"id": ["1.5", "15"], "x": ["d", "e"]}, "items": "x"}
    with pytest.raises(InputError, match="row 2"):
        anonset.read(tables=tables, unit="id")
    tables["a"]["input"]["id"] = [1.5, 3.0, float(1 << 53)]
    with pytest.raises(InputError, match="store the ids as integers"):
        anonset.read(tables=tables, unit="id")
    with pytest.raises(InputError, match="store the ids as integers"):
        anonset.read(tables["a"]["input"], items="x", unit="id")


def linked_by(visits, column, keys):
    """Return tables of drugs whose keys are in another column of the visits."""
    drugs = {"visit": keys, "drug": [f"c{i}" for i in range(len(keys))]}
    return {
        "visit": {"input": visits, "key": "id"},
        "drug": {"input": drugs, "key": "visit", "in": f"visit.{column}", "items": "drug"},
    }


def test_numbers_in_json_lines_are_the_same_keys_in_another_table(tmp_path):
    lines = ['{"number": 1e7, "id": 1e3}', '{"number": 20.0, "id": 1000}', '{"number": "3e1", "id": "b"}']
    (tmp_path / "visits.jsonl").write_text("\n".join(lines))
    tables = linked_by(tmp_path / "visits.jsonl", "number", ["10000000", "20", "3e1", "20"])
    table = anonset.read(tables=tables, unit="id")
    assert sorted(map(sorted, table.transactions.rows())) == [["c0", "c1", "c3"], ["c2"]]


def test_keys_of_another_table_must_be_exact(tmp_path):
    for number, fails in (((1 << 53) - 1, False), (1 << 53, True)):
        visits = pd.DataFrame({"number": [1.0, float(number)], "id": ["a", "b"]})
        pyreadstat.write_dta(visits, tmp_path / "visits.dta")
        tables = linked_by(tmp_path / "visits.dta", "number", ["1", str(number)])
        if fails:
            with pytest.raises(InputError, match="store the ids as integers"):
                anonset.read(tables=tables, unit="id")
        else:
            assert anonset.read(tables=tables, unit="id").n == 2


def test_not_a_number_is_no_key(tmp_path):
    parquet.write_table(pa.table({"id": [1.0, float("nan")], "x": ["a", "b"]}), tmp_path / "a.parquet")
    tables = {"a": {"input": tmp_path / "a.parquet", "items": "x"}, "b": CODES}
    with pytest.raises(InputError, match="row 2"):
        anonset.read(tables=tables, unit="id")


@pytest.mark.parametrize("value", [["1"], b"\xff"])
def test_keys_that_are_no_plain_values_are_rejected(value):
    for tables in (
        through_visits([value], ["1"], ["v"]),
        through_visits(["v"], [value], ["v"]),
        through_visits(["v"], ["1"], [value]),
        {"a": {"input": {"id": [value], "x": ["a"]}, "items": "x"}, "b": CODES},
    ):
        with pytest.raises(InputError, match="plain value"):
            anonset.read(tables=tables, unit="id")


@pytest.mark.parametrize(
    ("visits", "keys", "named"),
    [
        ({"visit": ["v1", "v1"], "id": ["1", "2"]}, ["v1"], "different persons"),
        ({"visit": ["v1"], "id": ["1"]}, ["v1", "v2", "v3"], "2 rows .* 'visits'"),
        ({"number": ["v1"], "id": ["1"]}, ["v1"], "visit"),
    ],
)
def test_a_key_in_another_table_is_unique_and_known(visits, keys, named):
    rows = {"visit": keys, "code": ["x"] * len(keys)}
    tables = {"visits": {"input": visits}, "code": {"input": rows, "items": "code", "key": "visit", "in": "visits"}}
    with pytest.raises(InputError, match=named):
        anonset.read(tables=tables, unit="id")


CHAIN = {f"v{n}": {"input": PERSON, **({"in": f"v{n + 1}"} if n < 1099 else {})} for n in range(1100)}


@pytest.mark.parametrize(
    ("tables", "unit", "named"),
    [
        ({}, "id", "at least one table"),
        ({"code": CODES}, "row", "unit"),
        ({"code": CODES}, None, "unit"),
        ({"a.b": CODES}, "id", "a.b"),
        ({"code": {"items": "code"}}, "id", "input"),
        ({"code": {**CODES, "itmes": "x"}}, "id", "items"),
        ({"code": {**CODES, "relational": "x"}}, "id", "relational"),
        ({"code": {**CODES, "items": ["code", "x"]}}, "id", "one column"),
        ({"code": {**CODES, "items": "cod"}}, "id", "'cod'"),
        ({"code": {**CODES, "in": "visit"}}, "id", "'visit'"),
        ({"code": {**CODES, "in": "code"}}, "id", "circle of tables: 'code' in 'code'"),
        (
            {"a": {"input": PERSON, "in": "b"}, "b": {"input": PERSON, "in": "a"}, "code": {**CODES, "in": "a"}},
            "id",
            "circle of tables: 'code' in 'a' in 'b' in 'a'",
        ),
        ({"p": {"input": PERSON, "relational": "sex", "in": "code"}, "code": CODES}, "id", "'p' describes the persons"),
        ({"code": {**CODES, "key": ["id", "code"]}}, "id", "key"),
        ({"p": {"input": PERSON, "relational": "sex"}, "q": {"input": PERSON}, "c": CODES}, "id", "'p' and 'q'"),
        ({"p": {"input": PERSON, "relational": "sex"}}, "id", "no table has items"),
        ({"p": {"input": PERSON, "relational": "sex"}, "c": CODES}, "id", "p.age"),
        ({"records": CODES}, "id", "records"),
        ({"a\\b": CODES}, "id", "name"),
        ({"n" * 201: CODES}, "id", "200 bytes"),
        ({"code": {**CODES, "in": "v0"}, **CHAIN}, "id", "'code': more than 100 tables"),
    ],
)
def test_tables_that_contradict_each_other_are_rejected(tables, unit, named):
    with pytest.raises(InputError, match=named):
        anonset.read(tables=tables, unit=unit)


def test_columns_are_named_in_the_tables():
    with pytest.raises(InputError, match="items"):
        anonset.read(tables={"code": CODES}, unit="id", items="code")
    with pytest.raises(InputError, match="source"):
        anonset.read({"id": []}, tables={"code": CODES}, unit="id")
    with pytest.raises(InputError):
        anonset.read()


def test_a_value_that_means_no_id_is_found_in_every_table():
    tables = {
        "a": {"input": {"id": [f"p{n}" for n in range(40)], "code": ["x"] * 40}, "items": "code"},
        "b": {"input": {"id": [*(f"p{n}" for n in range(20)), *["unknown"] * 20], "drug": ["d"] * 40}, "items": "drug"},
    }
    signs = anonset.read(tables=tables, unit="id").signs
    assert [(one.columns, one.words) for one in signs] == [(("id",), ("unknown",))]
    tables["b"] = {"input": {"who": tables["b"]["input"]["id"], "drug": ["d"] * 40}, "items": "drug", "key": "who"}
    table = anonset.read(tables=tables, unit="id", null="id=unknown", skip_rows="no-id")
    assert (table.n, table.signs) == (40, ())


def test_a_value_that_means_no_id_is_found_in_a_table_of_keys():
    visits = [f"v{n}" for n in range(40)]
    tables = through_visits(visits, [*(f"p{n}" for n in range(25)), *["unknown"] * 15], visits)
    signs = anonset.read(tables=tables, unit="id").signs
    assert [(one.columns, one.words) for one in signs] == [(("id",), ("unknown",))]
    table = anonset.read(tables=tables, unit="id", null="id=unknown", skip_rows="no-id")
    assert (table.n, table.signs) == (25, ())


def test_all_ids_are_read_through_visits():
    tables = through_visits(["v1", "v2"], [1.0, 2e7], ["v2", "v1", "v2"])
    tables["drug"] = {"input": {"id": ["1"], "drug": ["d"]}, "items": "drug"}
    linked = LinkedTables.of(tables, "id")
    opened = open_source(linked.source, ReadOptions(**linked.roles))
    assert read_all_rows(opened, ["id"])["id"].to_pylist() == ["20000000", "1", "20000000", "1"]
