"""Reading CSV and TSV: text is never converted, every column has a role, every error is a clear message."""

import gzip

import numpy as np
import pyarrow as pa
import pytest
from tests.facts import refused

from anonset.errors import InputError
from anonset.reading.read import read
from anonset.reading.roles import resolve

VISITS = b"name,age,sex,codes\nAnn,30,F,008 401.9\nBob,41,M,\n"
WAYS = "relational sensitive unit keep drop"
ROLES = {"items": "codes", "relational": "age,sex", "drop": "name"}


def write(folder, data, name="visits.csv"):
    path = folder / name
    path.write_bytes(data)
    return path


def rows(table):
    return list(table.transactions.rows())


def test_roles_select_the_columns_of_the_table(tmp_path):
    table = read(write(tmp_path, VISITS), items="codes", relational=["age", "sex"], numeric="age", unit="name")
    assert rows(table) == [["008", "401.9"], []]
    age, sex = table.relational
    assert (age.values.tolist(), age.values.dtype) == ([30, 41], np.int64)
    assert sex.labels() == ["F", "M"]
    assert [column.name for column in table.ids] == ["name"]
    assert table.order == ("age", "sex", "codes")


def test_without_declaration_a_number_is_text(tmp_path):
    table = read(write(tmp_path, b"age,zip\n030,1\n30,02\n"), relational="age", keep="zip")
    assert table.relational[0].labels() == ["030", "30"]
    assert table.kept[0].labels() == ["1", "02"]
    assert table.transactions is None


def test_the_sensitive_column_lets_ids_repeat(tmp_path):
    table = read(write(tmp_path, b"id,drug\n1,a\n1,b\n"), id="id", sensitive="drug")
    assert table.sensitive.labels() == ["a", "b"]
    assert table.ids[0].labels() == ["1", "1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"s\n", []),
        (b"s", []),
        (b"\xef\xbb\xbfs\r\na b\r\n", [["a", "b"]]),
        (b"s\n\nb a b\n\n", [[], ["a", "b"], []]),
        (b's\n"x,y  z"\n""\n', [["x,y", "z"], []]),
        (b's\n"say ""hi"""\n', [['"hi"', "say"]]),
        (b's\n"a\nb c"\n', [["a", "b", "c"]]),
        (b"s\nNA null nan\n", [["NA", "nan", "null"]]),
        ("s\nß é\n".encode(), [["ß", "é"]]),
    ],
)
def test_set_cells_are_split_into_items(tmp_path, text, expected):
    assert rows(read(write(tmp_path, text), items="s")) == expected


@pytest.mark.parametrize(
    ("separator", "cell"), [("|", b"b c|a"), (", ", b'"b c, a"'), ("\t", b"b c\ta"), (".", b"b c.a")]
)
def test_separators_are_literal(tmp_path, separator, cell):
    assert rows(read(write(tmp_path, b"s\n" + cell + b"\n"), items="s", separator=separator)) == [["a", "b c"]]


@pytest.mark.parametrize("name", ["v.tsv", "v.tsv.gz"])
def test_tab_separated_files_are_read(tmp_path, name):
    text = b"a\ts\nx,y\t1 2\n"
    path = write(tmp_path, gzip.compress(text) if name.endswith("gz") else text, name)
    table = read(str(path), items="s", relational="a")
    assert (rows(table), table.relational[0].labels()) == ([["1", "2"]], ["x,y"])


def test_rows_longer_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.reading.formats.delimited._BLOCK", 64)
    cell = "x" * 1000
    assert read(write(tmp_path, f"a,b\n{cell},1\n".encode()), relational="a,b").relational[0].labels() == [cell]


def test_several_item_columns_are_joined_with_prefixes(tmp_path):
    table = read(write(tmp_path, b"drug,x,icd\n2 1,k,9\n,k,\n1,k,9 8\n"), items="icd,drug", relational="x")
    assert table.transactions.name == "items"
    assert [set(row) for row in rows(table)] == [{"drug:1", "drug:2", "icd:9"}, set(), {"drug:1", "icd:8", "icd:9"}]
    assert table.order == ("drug", "x", "icd")
    assert table.joined == ("drug", "icd")


def test_columns_with_ambiguous_item_prefixes_are_not_joined(tmp_path):
    with refused(InputError, "a a:b a:b:x"):
        read(write(tmp_path, b"a,a:b\n1,2\n"), items="a,a:b")


def test_a_name_with_a_comma_is_one_column(tmp_path):
    table = read(write(tmp_path, b'"a,b",c\n1,2\n'), relational=["a,b"], keep="c")
    assert table.relational[0].name == "a,b"
    assert read(write(tmp_path, b'"a,b",c\n1,2\n'), relational="a,b", keep="c").relational[0].name == "a,b"


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"", "v.csv", "v.csv empty header"),
        (b"a,b\n1,2\n1,2,3\n", "v.csv", "v.csv 'line 3' 2 header 3"),
        (b'a,b\n"x\ny",2\n1\n', "v.csv", "v.csv 'line 4' 2 header 1"),
        (b'a,b\n1,2\n1,"2\n3,4\n', "v.csv", "v.csv 'line 3' quoted"),
        (b"a,b\n1,2\nx,\xff\n", "v.csv", "v.csv 'line 3' 'column 3' UTF-8 encoding latin-1"),
        (b"a,\xff\n1,2\n", "v.csv", "v.csv 'line 1' 'column 3' UTF-8 encoding latin-1"),
        (b"a,b,a\n1,2,3\n", "v.csv", "v.csv columns 1 3"),
        (b"no gzip", "v.csv.gz", "v.csv.gz gzip"),
        (gzip.compress(b"a,b\n" * 999)[:30], "v.csv.gz", "v.csv.gz gzip"),
        (b"", "v.csv.gz", "v.csv.gz gzip empty"),
        (b"no zstd!", "v.tsv.zst", "v.tsv.zst zstd"),
        (
            b"a",
            "v.txt",
            "v.txt .csv .dat .parquet input_format",
        ),
        (
            b"a",
            "csv",
            "csv .csv .dat .parquet input_format",
        ),
        (
            b"a",
            "v.parquet.gz",
            "v.parquet.gz .csv .dat .parquet input_format",
        ),
    ],
)
def test_invalid_files_are_rejected(tmp_path, data, name, message):
    with refused(InputError, f"{tmp_path}/{message}"):
        read(write(tmp_path, data, name), relational="a,b")


def test_a_file_that_is_not_there(tmp_path):
    with refused(InputError, "none.csv"):
        read(tmp_path / "none.csv")


def test_a_file_without_read_permission_is_rejected(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path, VISITS)
    monkeypatch.setattr("pyarrow.OSFile", refuse)
    with refused(InputError, "visits.csv Permission"):
        read(path, **ROLES)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"drop": ()},
            "name relational sensitive unit",
        ),
        (
            {"drop": (), "items": None},
            "name codes relational sensitive unit",
        ),
        ({"items": "code"}, "code name age sex codes"),
        ({"numeric": "weight"}, "weight numeric name age sex codes"),
        ({"numeric": "name"}, "numeric name relational"),
        ({"keep": "age"}, "age relational keep"),
        ({"numeric": "age,age,name"}, "numeric name relational"),
        (
            {"items": None, "relational": (), "drop": "name,age,sex,codes"},
            "columns dropped",
        ),
    ],
)
def test_invalid_roles_are_rejected(tmp_path, changed, message):
    path = write(tmp_path, VISITS)
    with refused(InputError, f"{path} {message}"):
        read(path, **{**ROLES, **changed})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": ""}, "separator"),
        ({"id": "name", "drop": ()}, "id anatomy safe-grouping unit name"),
        ({"unit": "name,row", "drop": ()}, "unit row unknown"),
        ({"unit": "name", "id": "age", "sensitive": "sex"}, "unit id"),
        ({"missing": "ignore"}, "missing refuse empty value empty,value ignore"),
        (
            {"missing": "refuse,empty"},
            "missing refuse empty value empty,value refuse,empty",
        ),
    ],
)
def test_invalid_options_are_rejected(tmp_path, options, message):
    with refused(InputError, message):
        read(write(tmp_path, VISITS), **{**ROLES, **options})


LONG = b"id,age,codes\n7,30,b\n8,41,a\n7,30,a c\n7,30,b\n"


def test_group_unites_the_rows_of_an_id(tmp_path):
    table = read(write(tmp_path, LONG), items="codes", relational="age", numeric="age", unit="id")
    assert rows(table) == [["a c", "b"], ["a"]]
    table = read(write(tmp_path, LONG), items="codes", relational="age", numeric="age", unit="id", separator=" ")
    assert rows(table) == [["a", "b", "c"], ["a"]]
    assert table.relational[0].values.tolist() == [30, 41]
    assert table.ids[0].labels() == ["7", "8"]


def test_group_with_several_id_columns(tmp_path):
    path = write(tmp_path, b"a,b,s\n1,1,x\n1,2,y\n2,1,z\n1,2,w\n")
    table = read(path, items="s", unit="a,b")
    assert rows(table) == [["x"], ["w", "y"], ["z"]]


def test_rows_are_grouped_without_a_set_column(tmp_path):
    table = read(write(tmp_path, b"id,x,y\n2,a,p\n2,a,p\n1,b,q\n"), unit="id", relational="x", keep="y")
    assert (table.n, table.relational[0].labels(), table.kept[0].labels()) == (2, ["a", "b"], ["p", "q"])


def test_group_does_not_change_rows_with_distinct_ids(tmp_path):
    table = read(write(tmp_path, b"id,s\n2,x\n1,y\n"), items="s", unit="id")
    assert (rows(table), table.ids[0].labels()) == ([["x"], ["y"]], ["2", "1"])


class Compared(str):
    """A name that counts its comparisons."""

    __slots__ = ()
    times = 0

    def __eq__(self, other):
        Compared.times += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("role", ["relational", "keep", "drop", "id"])
def test_the_roles_of_many_columns_take_time_by_their_number(role):
    names = [Compared(f"c{i}") for i in range(500)]
    options = {"items": names[:1], "relational": (), role: names[1:]}
    Compared.times = 0
    roles, numbers = resolve("there", names, names[1:] if role == "relational" else (), **options)
    assert Compared.times < 50 * len(names)
    assert (getattr(roles, role), len(numbers)) == (tuple(names[1:]), 499 if role == "relational" else 0)


@pytest.mark.parametrize("columns", [["a", "b", "a"], ["", "b", ""]])
def test_duplicate_column_names_are_rejected(columns):
    with refused(InputError, "there columns 1 3"):
        resolve("there", columns, (), items="b")


RECORDS = b"X-4711,F,E10 J45\nX-4712,M,E10\n"
NUMBERS = b"X-4711,30,E10 J45\nX-4712,41,E10\n"
BASKETS, DOUBT = "input_format baskets", "line no_header"


@pytest.mark.parametrize(
    ("data", "roles", "reason"),
    [
        (
            RECORDS,
            {"items": "codes"},
            f"codes 3 {DOUBT} {BASKETS}",
        ),
        (RECORDS, {"keep": "x,y"}, f"x 3 {DOUBT}"),
        (NUMBERS, {}, f"3 items {WAYS} {DOUBT} {BASKETS}"),
        (
            b"1,1,1\n",
            {},
            "columns 1 2 no_header",
        ),
    ],
)
def test_a_first_line_that_may_be_a_record_is_not_shown(tmp_path, data, roles, reason):
    path = write(tmp_path, data)
    with refused(InputError, f"{path} {reason}"):
        read(path, **roles)


def test_the_names_of_arrow_tables_are_names():
    with refused(InputError, "column s 4711 b"):
        read(pa.table({"4711": ["1"], "b": ["2"]}), items="s")


NAMELESS = b"id,name,s\n1,p,x\n2,,a\n3,,b\n2,,c\n"


@pytest.mark.parametrize("more", [{}, {"missing": "value"}, {"missing": "empty,value"}])
@pytest.mark.parametrize("ids", ["name", "id,name"])
@pytest.mark.parametrize("empty", [b"", b" ", "\u3000".encode()])
def test_an_empty_id_is_refused(tmp_path, ids, more, empty):
    path = write(tmp_path, NAMELESS.replace(b",,", b"," + empty + b","))
    options = {"items": "s", "unit": ids, "drop": [name for name in ("id", "name") if name not in ids]}
    with refused(InputError, f"{path} id name 'row 2' empty 2 skip_rows no-id"):
        read(path, **options, **more)


def test_an_empty_id_is_rejected_with_a_sensitive_column(tmp_path):
    path = write(tmp_path, b"id,drug\n1,a\n,b\n")
    with refused(InputError, "id 'row 2' empty"):
        read(path, id="id", sensitive="drug")


@pytest.mark.parametrize("numeric", [(), "age"])
def test_group_demands_equal_values(tmp_path, numeric):
    path = write(tmp_path, LONG.replace(b"7,30,a", b"7,31,a"))
    with refused(InputError, f"{path} rows 1 3 id drop age"):
        read(path, items="codes", relational="age", numeric=numeric, unit="id")


def test_group_names_all_columns_that_differ(tmp_path):
    path = write(tmp_path, b"id,age,ward,sex,hiv\n1,30,A,f,neg\n2,40,B,m,neg\n1,30,B,f,neg\n2,41,B,m,pos\n")
    with refused(InputError, f"{path} id age 2 4 ward 1 3 hiv drop items"):
        read(path, relational="age,ward,sex", sensitive="hiv", unit="id")


def test_a_dropped_column_has_no_other_role(tmp_path):
    path = write(tmp_path, VISITS)
    table = read(path, **{**ROLES, "numeric": "age", "drop": "name,age"})
    assert [column.name for column in table.relational] == ["sex"]


SEPARATED = ["T1+T2+T3", "T1+T2", "T2+T3", "T1+T3", "T3", "T4+T1"]


@pytest.mark.parametrize("mark", [",", ";", "|", "/", "+", " "])
def test_grouped_cells_that_look_like_sets_are_refused(mark):
    cells = [cell.replace("+", mark) for cell in SEPARATED]
    data = {"who": list("aabbcc"), "parts": cells}
    with refused(InputError, "parts 5 6 separator one_code") as raised:
        read(data, items="parts", unit="who")
    assert str(raised.value).count(repr(mark)) == 3
    assert len(read(data, items="parts", unit="who", separator=mark).transactions.vocabulary) == 4
    assert len(read(data, one_code="parts", unit="who").transactions.vocabulary) == 6


@pytest.mark.parametrize(
    "cells",
    [
        ["type 2 diabetes", "type 1 diabetes", "asthma", "asthma, severe", "diabetes, type 3"],
        ["2024/01/05", "2024/02/05", "2024/02/07", "2024/03/07", "2024/03/01"],
        ["A+", "A-", "B+", "B-", "AB+", "0+"],
        ["Crime / Punishment", "War + Peace", "Love & Loss", "Space, Again", "Goal!"],
        ["amoxicillin/clavulanate", "amoxicillin", "sulfamethoxazole/trimethoprim", "ramipril", "codeine/paracetamol"],
    ],
)
def test_grouped_cells_that_are_single_items_are_read(cells):
    table = read({"who": list("aabbcc")[: len(cells)], "what": cells}, items="what", unit="who")
    assert len(table.transactions.vocabulary) == len(cells)


@pytest.mark.parametrize("mark", ["/", "+"])
def test_items_between_unknown_separators_are_not_read_as_one_item(mark):
    with refused(InputError, "blanks 5 6 items"):
        read({"parts": [cell.replace("+", mark) for cell in SEPARATED]}, items="parts")


def test_an_id_that_is_also_dropped_identifies_persons() -> None:
    data = {"who": ["a", "a", "b"], "codes": ["x", "y", "x"]}
    assert read(data, items="codes", unit="who", drop="who").n == 2
