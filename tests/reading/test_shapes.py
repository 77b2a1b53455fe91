"""Sets in one column, in several columns, as rows per code, or columns per item or code: the same records."""

import pyarrow as pa
import pytest
from tests.facts import refused

from anonset.errors import InputError
from anonset.reading.read import read

EXPECTED = [["E10", "I10"], [], ["J45"]]


def write(folder, text, name="v.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def rows(table):
    return list(table.transactions.rows())


HOT = "p,dx_I10,age,dx_E10,dx_J45\n1,1,30,1,0\n2,0,41,0,0\n3,0,30,0,1\n"


@pytest.mark.parametrize(
    ("text", "given", "labels"),
    [
        (HOT, "dx_I10,dx_E10,dx_J45", ("dx_E10", "dx_I10", "dx_J45")),
        (HOT, "dx_*", ("E10", "I10", "J45")),
        (HOT, ["dx_*", "dx_E10"], ("I10", "J45", "dx_E10")),
        (HOT.replace(",1", ",TRUE").replace(",0", ", false"), "dx_*", ("E10", "I10", "J45")),
        (HOT.replace(",1", ",1.0").replace(",0", ",0.0"), "dx_*", ("E10", "I10", "J45")),
    ],
)
def test_a_column_of_each_item(tmp_path, text, given, labels):
    table = read(write(tmp_path, text), unit="p", relational="age", one_hot=given)
    assert [[x.removeprefix("dx_") for x in sorted(row, key=lambda x: x[-3:])] for row in rows(table)] == EXPECTED
    assert table.transactions.vocabulary.labels == labels
    assert (table.transactions.name, table.joined, table.order) == ("items", (), ("items", "age"))


def test_absent_items_belong_to_the_universe(tmp_path):
    table = read(write(tmp_path, "a,b\n1,0\n"), one_hot="a,b")
    assert (rows(table), table.transactions.vocabulary.labels) == ([["a"]], ("a", "b"))


def test_empty_fields_are_0_on_request(tmp_path):
    path = write(tmp_path, "a,b\n1,\n,1\n")
    assert rows(read(path, one_hot="a,b", missing="empty")) == [["a"], ["b"]]
    table = pa.table({"a": [True, None], "b": pa.array([None, 1], pa.int8())})
    assert rows(read(table, one_hot="a,b", missing="empty")) == [["a"], ["b"]]


CODES = "p,dx1,dx2,dx3\n1,I10,E10,I10\n2,,,\n3,,J45 ,\n"


@pytest.mark.parametrize("given", ["dx1,dx2,dx3", "dx*", ["dx1", "dx*"]])
def test_a_column_of_each_code(tmp_path, given):
    table = read(write(tmp_path, CODES), unit="p", one_code=given)
    assert rows(table) == EXPECTED
    assert (table.transactions.name, table.joined, table.order) == ("items", (), ("items",))


def test_a_cell_is_one_code_without_a_separator(tmp_path):
    path = write(tmp_path, "dx1,dx2\ntype 2 diabetes,asthma\nasthma,\n")
    assert rows(read(path, one_code="dx*")) == [["asthma", "type 2 diabetes"], ["asthma"]]
    assert rows(read(path, one_code="dx*", separator=" ")) == [["2", "asthma", "diabetes", "type"], ["asthma"]]


def test_null_is_no_further_code_but_a_record_of_nulls_is_not_empty():
    table = pa.table({"a": ["E10", None, None], "b": [None, "J45", None]})
    assert rows(read(table.slice(0, 2), one_code="a,b")) == [["E10"], ["J45"]]
    with refused(InputError, "'row 3' null empty missing"):
        read(table, one_code="a,b")
    assert rows(read(table, one_code="a,b", missing="empty")) == [["E10"], ["J45"], []]


def test_the_rows_of_a_person_are_grouped_in_every_shape(tmp_path):
    path = write(tmp_path, "p,x,y\n1,1,0\n2,0,0\n1,0,1\n")
    assert rows(read(path, unit="p", one_hot="x,y")) == [["x", "y"], []]
    path = write(tmp_path, "p,c,d\n1,a b,\n2,,\n1,c,a b\n")
    assert rows(read(path, unit="p", one_code="c,d")) == [["a b", "c"], []]


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        ("a,b\n1,2\n", {"one_hot": "a,b"}, "b one_hot 0 1 'row 1'"),
        (
            "a,b\n1,x\n1,y\n",
            {"one_hot": "a,b"},
            "b one_hot 0 1 'row 1'",
        ),
        (
            "a,b\n1,0\n,1\n",
            {"one_hot": "a,b"},
            "a one_hot 0 1 'row 2' empty missing",
        ),
        ("a_x,b_x\n1,0\n", {"one_hot": "a_*,b_*"}, "a_x b_x both x"),
        ("a,b\n1,0\n", {"one_hot": "dx_*", "drop": "a,b"}, "dx_* one_hot a b"),
        (
            "a,b\n1,0\n",
            {"one_hot": "a", "items": "b"},
            "items one_hot",
        ),
        (
            "a,b\n1,0\n",
            {"one_hot": "a", "one_code": "b"},
            "one_hot one_code",
        ),
        ("a,items\n1,0\n", {"one_hot": "a", "keep": "items"}, "one_hot items"),
        (
            "a,b,c\n1,0,x\n",
            {"items": "a,b", "drop": "c"},
            "a b 0 1 one_hot",
        ),
        ("a,b\n1,x\n0,x\n", {"items": "a", "drop": "b"}, "a 0 1"),
        ("a,b\n1,x\n0,x\n", {"one_code": "a", "drop": "b"}, "a 0 1"),
    ],
)
def test_data_of_another_shape_are_rejected(tmp_path, text, given, message):
    path = write(tmp_path, text)
    with refused(InputError, f"{path} {message}"):
        read(path, **given)


def test_columns_of_0_and_1_as_numbers_are_no_items():
    with pytest.raises(InputError, match=r"one_hot=\['a', 'b'\]"):
        read(pa.table({"a": [0, 1], "b": [True, False]}), items="a,b")
    assert rows(read(pa.table({"a": [["0", "1"], ["1"]]}), items="a")) == [["0", "1"], ["1"]]
