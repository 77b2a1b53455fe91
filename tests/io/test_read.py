"""Reading CSV and TSV: text stays text, every column has a role, every failure is one clear line."""

import gzip

import numpy as np
import pyarrow as pa
import pytest

from anonset.errors import InputError
from anonset.io import read
from anonset.io.roles import resolve

VISITS = b"name,age,sex,codes\nAnn,30,F,008 401.9\nBob,41,M,\n"
INTEGER = "an integer that a 64-bit float holds exactly (all up to 2^53) is required"
LATIN = "; if it was written in another encoding, name it: encoding='latin-1'"
ENDING = (
    "the name must end with .csv, .tsv, .dat, .xlsx, .jsonl, .ndjson, .parquet (all but .xlsx and .parquet also with "
    ".gz or .zst), or say by input_format what it is: csv or tsv (with a header line), fimi, baskets (items between a "
    "separator), spmf, jsonl, xlsx, parquet"
)
HELD = "a number that a 64-bit float holds exactly is required: up to 15 digits"
WAYS = "relational, sensitive, id, keep (published as it is) or drop"
ROLES = {"items": "codes", "relational": "age,sex", "drop": "name"}


def write(folder, data, name="visits.csv"):
    path = folder / name
    path.write_bytes(data)
    return path


def rows(table):
    return list(table.transactions.rows())


def test_roles_give_the_columns_of_the_table(tmp_path):
    table = read(write(tmp_path, VISITS), items="codes", relational=["age", "sex"], numeric="age", id="name")
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
def test_cells_become_sets(tmp_path, text, expected):
    assert rows(read(write(tmp_path, text), items="s")) == expected


@pytest.mark.parametrize(
    ("separator", "cell"), [("|", b"b c|a"), (", ", b'"b c, a"'), ("\t", b"b c\ta"), (".", b"b c.a")]
)
def test_separators_are_literal(tmp_path, separator, cell):
    assert rows(read(write(tmp_path, b"s\n" + cell + b"\n"), items="s", separator=separator)) == [["a", "b c"]]


@pytest.mark.parametrize("name", ["v.tsv", "v.tsv.gz"])
def test_tsv(tmp_path, name):
    text = b"a\ts\nx,y\t1 2\n"
    path = write(tmp_path, gzip.compress(text) if name.endswith("gz") else text, name)
    table = read(str(path), items="s", relational="a")
    assert (rows(table), table.relational[0].labels()) == ([["1", "2"]], ["x,y"])


def test_rows_longer_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.io.delimited._BLOCK", 64)
    cell = "x" * 1000
    assert read(write(tmp_path, f"a,b\n{cell},1\n".encode()), relational="a,b").relational[0].labels() == [cell]


def test_several_item_columns_are_joined_with_prefixes(tmp_path):
    table = read(write(tmp_path, b"drug,x,icd\n2 1,k,9\n,k,\n1,k,9 8\n"), items="icd,drug", relational="x")
    assert table.transactions.name == "items"
    assert [set(row) for row in rows(table)] == [{"drug:1", "drug:2", "icd:9"}, set(), {"drug:1", "icd:8", "icd:9"}]
    assert table.order == ("drug", "x", "icd")
    assert table.joined == ("icd", "drug")


def test_columns_whose_items_could_not_be_told_apart_are_not_joined(tmp_path):
    with pytest.raises(InputError, match=r"columns 'a' and 'a:b' cannot be joined: an item 'a:b:x' could be of either"):
        read(write(tmp_path, b"a,a:b\n1,2\n"), items="a,a:b")


def test_a_name_with_a_comma_is_one_column(tmp_path):
    table = read(write(tmp_path, b'"a,b",c\n1,2\n'), relational=["a,b"], keep="c")
    assert table.relational[0].name == "a,b"
    assert read(write(tmp_path, b'"a,b",c\n1,2\n'), relational="a,b", keep="c").relational[0].name == "a,b"


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"", "v.csv", "v.csv: the file is empty; a header line is required"),
        (b"a,b\n1,2\n1,2,3\n", "v.csv", "v.csv: line 3: 2 fields required as in the header, got 3"),
        (b'a,b\n"x\ny",2\n1\n', "v.csv", "v.csv: line 4: 2 fields required as in the header, got 1"),
        (b'a,b\n1,2\n1,"2\n3,4\n', "v.csv", "v.csv: line 3: a quoted field is never closed"),
        (b"a,b\n1,2\nx,\xff\n", "v.csv", f"v.csv: line 3, column 3 (in bytes): the text is not valid UTF-8{LATIN}"),
        (b"a,\xff\n1,2\n", "v.csv", f"v.csv: line 1, column 3 (in bytes): the text is not valid UTF-8{LATIN}"),
        (b"a,b,a\n1,2,3\n", "v.csv", "v.csv: columns 1 and 3 have the same name; names must be distinct"),
        (b"no gzip", "v.csv.gz", "v.csv.gz: not valid gzip: zlib inflate failed: incorrect header check"),
        (gzip.compress(b"a,b\n" * 999)[:30], "v.csv.gz", "v.csv.gz: not valid gzip: Truncated compressed stream"),
        (b"", "v.csv.gz", "v.csv.gz: not valid gzip: the file is empty"),
        (b"no zstd!", "v.tsv.zst", "v.tsv.zst: not valid zstd: ZSTD decompress failed: Unknown frame descriptor"),
        (
            b"a",
            "v.txt",
            f"v.txt: {ENDING}",
        ),
        (
            b"a",
            "csv",
            f"csv: {ENDING}",
        ),
        (
            b"a",
            "v.parquet.gz",
            f"v.parquet.gz: {ENDING}",
        ),
    ],
)
def test_bad_files(tmp_path, data, name, message):
    with pytest.raises(InputError) as error:
        read(write(tmp_path, data, name), relational="a,b")
    assert str(error.value) == f"{tmp_path}/{message}"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: no such file or directory$"):
        read(tmp_path / "none.csv")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path, VISITS)
    monkeypatch.setattr("pyarrow.OSFile", refuse)
    with pytest.raises(InputError, match=r"visits\.csv: cannot be read: Permission denied$"):
        read(path, **ROLES)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"drop": ()},
            "column 'name' without a role; name each under one of "
            "items, relational, sensitive, id, keep (published as it is) or drop",
        ),
        (
            {"drop": (), "items": None},
            "columns 'name', 'codes' without a role; name each under one of "
            "items, relational, sensitive, id, keep (published as it is) or drop",
        ),
        ({"items": "code"}, "there is no column 'code' (items); there are 'name', 'age', 'sex', 'codes'"),
        ({"numeric": "weight"}, "there is no column 'weight' (numeric); there are 'name', 'age', 'sex', 'codes'"),
        ({"numeric": "name"}, "numeric column 'name' must be relational too"),
        ({"keep": "age"}, "column 'age' has two roles (relational and keep); one is required"),
        ({"numeric": "age,age,name"}, "numeric column 'name' must be relational too"),
        ({"group": True}, "group=True needs id: the columns that tell whose row it is"),
        (
            {"items": None, "relational": (), "drop": "name,age,sex,codes"},
            "every column is dropped; at least one must be used",
        ),
    ],
)
def test_bad_roles(tmp_path, changed, message):
    path = write(tmp_path, VISITS)
    with pytest.raises(InputError) as error:
        read(path, **{**ROLES, **changed})
    assert str(error.value) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": ""}, "separator must be at least one character, got ''"),
        ({"missing": "ignore"}, "missing must be 'refuse', 'empty', 'value' or 'empty,value', got 'ignore'"),
        (
            {"missing": "refuse,empty"},
            "missing must be 'refuse', 'empty', 'value' or 'empty,value', got 'refuse,empty'",
        ),
    ],
)
def test_bad_options(tmp_path, options, message):
    with pytest.raises(InputError) as error:
        read(write(tmp_path, VISITS), **ROLES, **options)
    assert str(error.value) == message


LONG = b"id,age,codes\n7,30,b\n8,41,a\n7,30,a c\n7,30,b\n"


def test_repeated_ids_are_refused(tmp_path):
    path = write(tmp_path, LONG)
    with pytest.raises(InputError) as error:
        read(path, items="codes", relational="age", id="id")
    assert str(error.value) == (
        f"{path}: rows 1 and 3 have the same id ('id'), as have 2 rows that of an earlier one; "
        "ids must be distinct, or group=True unites the rows of each"
    )


def test_group_unites_the_rows_of_an_id(tmp_path):
    table = read(write(tmp_path, LONG), items="codes", relational="age", numeric="age", id="id", group=True)
    assert rows(table) == [["a c", "b"], ["a"]]
    table = read(
        write(tmp_path, LONG), items="codes", relational="age", numeric="age", id="id", group=True, separator=" "
    )
    assert rows(table) == [["a", "b", "c"], ["a"]]
    assert table.relational[0].values.tolist() == [30, 41]
    assert table.ids[0].labels() == ["7", "8"]


def test_group_with_several_id_columns(tmp_path):
    path = write(tmp_path, b"a,b,s\n1,1,x\n1,2,y\n2,1,z\n1,2,w\n")
    table = read(path, items="s", id="a,b", group=True)
    assert rows(table) == [["x"], ["w", "y"], ["z"]]


def test_group_without_sets(tmp_path):
    table = read(write(tmp_path, b"id,x,y\n2,a,p\n2,a,p\n1,b,q\n"), id="id", relational="x", keep="y", group=True)
    assert (table.n, table.relational[0].labels(), table.kept[0].labels()) == (2, ["a", "b"], ["p", "q"])


def test_group_changes_nothing_where_ids_are_distinct(tmp_path):
    table = read(write(tmp_path, b"id,s\n2,x\n1,y\n"), items="s", id="id", group=True)
    assert (rows(table), table.ids[0].labels()) == ([["x"], ["y"]], ["2", "1"])


class Compared(str):
    """A name that counts how often it is compared with another."""

    __slots__ = ()
    times = 0

    def __eq__(self, other):
        Compared.times += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("role", ["relational", "keep", "drop", "id"])
def test_the_roles_of_many_columns_take_time_by_their_number(role):
    names = [Compared(f"c{at}") for at in range(500)]
    given = {"items": names[:1], "relational": (), role: names[1:]}
    Compared.times = 0
    roles, numbers = resolve("there", names, names[1:] if role == "relational" else (), **given)
    assert Compared.times < 50 * len(names)
    assert (getattr(roles, role), len(numbers)) == (tuple(names[1:]), 499 if role == "relational" else 0)


@pytest.mark.parametrize("names", [["a", "b", "a"], ["", "b", ""]])
def test_names_that_stand_twice_are_refused(names):
    with pytest.raises(InputError) as error:
        resolve("there", names, (), items="b")
    assert str(error.value) == "there: columns 1 and 3 have the same name; names must be distinct"


RECORDS = b"X-4711,F,E10 J45\nX-4712,M,E10\n"
NUMBERS = b"X-4711,30,E10 J45\nX-4712,41,E10\n"
BASKETS = " Lines of items alone have none: input_format='baskets'"
DOUBT = (
    "the first line is taken for the names of 3 columns: does the file have such a line? "
    "If not, no_header=True calls them 1, 2, ..."
)


@pytest.mark.parametrize(
    ("data", "roles", "reason"),
    [
        (
            RECORDS,
            {"items": "codes"},
            f"there is no column 'codes' (items), nor any other that is named; {DOUBT}{BASKETS}",
        ),
        (RECORDS, {"keep": "x,y"}, f"there is no column 'x' (keep), nor any other that is named; {DOUBT}"),
        (NUMBERS, {}, f"3 columns without a role; name each under one of items, {WAYS}; {DOUBT}{BASKETS}"),
        (
            b"1,1,1\n",
            {},
            "columns 1 and 2 have the same name; names must be distinct (no_header=True calls them 1, 2, ...)",
        ),
    ],
)
def test_a_first_line_that_may_be_a_record_is_not_shown(tmp_path, data, roles, reason):
    path = write(tmp_path, data)
    with pytest.raises(InputError) as error:
        read(path, **roles)
    assert str(error.value) == f"{path}: {reason}"


def test_the_names_of_arrow_tables_are_names():
    with pytest.raises(InputError, match=r"there is no column 's' \(items\); there are '4711', 'b'$"):
        read(pa.table({"4711": ["1"], "b": ["2"]}), items="s")


NAMELESS = b"id,name,s\n1,p,x\n2,,a\n3,,b\n2,,c\n"


@pytest.mark.parametrize("more", [{}, {"group": True}, {"missing": "value"}, {"group": True, "missing": "empty,value"}])
@pytest.mark.parametrize("ids", ["name", "id,name"])
@pytest.mark.parametrize("empty", [b"", b" ", "\u3000".encode()])
def test_an_empty_id_is_refused(tmp_path, ids, more, empty):
    path = write(tmp_path, NAMELESS.replace(b",,", b"," + empty + b","))
    given = {"items": "s", "id": ids, "drop": [name for name in ("id", "name") if name not in ids]}
    with pytest.raises(InputError) as error:
        read(path, **given, **more)
    assert str(error.value) == (
        f"{path}: id column 'name': row 2 is empty (and 2 more); "
        "give each row an id, or skip such rows: skip_rows='no-id'"
    )


def test_an_empty_id_is_refused_beside_a_sensitive_column(tmp_path):
    path = write(tmp_path, b"id,drug\n1,a\n,b\n")
    with pytest.raises(InputError, match=r"id column 'id': row 2 is empty; give"):
        read(path, id="id", sensitive="drug")


@pytest.mark.parametrize("numeric", [(), "age"])
def test_group_demands_equal_values(tmp_path, numeric):
    path = write(tmp_path, LONG.replace(b"7,30,a", b"7,31,a"))
    with pytest.raises(InputError) as error:
        read(path, items="codes", relational="age", numeric=numeric, id="id", group=True)
    differ = f"{path}: rows 1 and 3 have the same id ('id'), but differ in 'age'"
    ways = "they must agree, or drop='age' leaves it out, or items='age' makes sets of the values of each person"
    assert str(error.value) == f"{differ}; {ways}"


def test_group_names_all_columns_that_differ(tmp_path):
    path = write(tmp_path, b"id,age,ward,sex,hiv\n1,30,A,f,neg\n2,40,B,m,neg\n1,30,B,f,neg\n2,41,B,m,pos\n")
    with pytest.raises(InputError) as error:
        read(path, relational="age,ward,sex", sensitive="hiv", id="id", group=True)
    assert str(error.value) == (
        f"{path}: rows have the same id ('id'), but differ in "
        "'age' (rows 2 and 4), 'ward' (rows 1 and 3), 'hiv' (rows 2 and 4); they must agree, "
        "or drop='age,ward,hiv' leaves them out, or items='age,ward' makes sets of the values of each person"
    )


def test_a_dropped_column_has_no_other_role(tmp_path):
    path = write(tmp_path, VISITS)
    table = read(path, **{**ROLES, "numeric": "age", "drop": "name,age"})
    assert [column.name for column in table.relational] == ["sex"]


SEPARATED = ["T1+T2+T3", "T1+T2", "T2+T3", "T1+T3", "T3", "T4+T1"]


@pytest.mark.parametrize("mark", [",", ";", "|", "/", "+", " "])
def test_grouped_cells_that_look_like_sets_are_refused(mark):
    cells = [cell.replace("+", mark) for cell in SEPARATED]
    data = {"who": list("aabbcc"), "parts": cells}
    with pytest.raises(InputError) as error:
        read(data, items="parts", id="who", group=True)
    way = f"if it separates items: separator={mark!r}; if not: one_code='parts'"
    assert str(error.value).endswith(f"column 'parts': each cell would be one item, but 5 of 6 contain {mark!r}; {way}")
    assert len(read(data, items="parts", id="who", group=True, separator=mark).transactions.vocabulary) == 4
    assert len(read(data, one_code="parts", id="who", group=True).transactions.vocabulary) == 6


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
    table = read({"who": list("aabbcc")[: len(cells)], "what": cells}, items="what", id="who", group=True)
    assert len(table.transactions.vocabulary) == len(cells)


@pytest.mark.parametrize("mark", ["/", "+"])
def test_items_between_other_marks_are_not_read_as_one(mark):
    with pytest.raises(InputError, match="blanks were taken for what separates items, but 5 of 6 items hold"):
        read({"parts": [cell.replace("+", mark) for cell in SEPARATED]}, items="parts")


def test_an_id_that_is_also_dropped_identifies_persons() -> None:
    data = {"who": ["a", "a", "b"], "codes": ["x", "y", "x"]}
    assert read(data, items="codes", id="who", drop="who", group=True).n == 2
