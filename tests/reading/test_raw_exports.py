"""Files written by spreadsheets and hospitals: titles, separator rows, sums, decimal commas, null words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import spans
from anonset.errors import InputError
from anonset.reading.formats import text_chunks
from anonset.reading.read import read
from anonset.reading.scan import scan

ROLES = {"unit": "id", "relational": "kg,sex", "numeric": "kg", "items": "codes"}
ROWS = "id;kg;sex;codes\n1;70,5;m;E10 I10\n2;82;w;J45\n3;64,25;;E10\n"


@pytest.fixture(params=["memory", "blocks"])
def reading(request, monkeypatch):
    """Read a file by `read` or `scan`."""
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", 8)
    monkeypatch.setattr(spans, "AT_ONCE", 2)
    return read if request.param == "memory" else scan


def written(folder, text, encoding="utf-8", name="raw.csv"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def values(table, name):
    column = next(column for column in table.relational if column.name == name)
    return [column.vocabulary.labels[code] for code in column.codes]


@pytest.mark.parametrize(
    ("end", "encoding"), [("\n", "utf-8"), ("\r\n", "utf-8"), ("\n", "utf-8-sig"), ("\r\n", "utf-16")]
)
@pytest.mark.parametrize(
    ("text", "more"),
    [
        (ROWS, {}),
        ("sep=;\n" + ROWS, {}),
        ("Klinik Süd\n\n" + ROWS, {"header_line": 3}),
        ("Bericht;;;\nStand;2024;;\n" + ROWS, {"header_line": 3}),
        ("sep=;\nBericht;;;\n" + ROWS, {"header_line": 3}),
        (ROWS + ";;;\n;;;\n", {}),
        (ROWS + ';"";;\n ;;;', {}),
        (ROWS, {"decimal": ","}),
        (ROWS.replace(",", "."), {"decimal": "."}),
    ],
)
def test_raw_exports_are_read(reading, tmp_path, text, more, end, encoding):
    table = reading(written(tmp_path, text.replace("\n", end), encoding), **ROLES, **more)
    assert np.asarray(table.relational[0].values).tolist() == [70.5, 82, 64.25]
    assert values(table, "sex") == ["m", "w", ""]
    assert np.asarray(table.transactions.lengths).tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("first", "third", "more"),
    [
        ("1.070,5", "64,25", {}),
        ("€ 1.070,5", "€ 64,25", {}),
        ("1 070,5 €", "64,25 €", {}),
        ("CHF 1'070.5", "CHF 64.25", {}),
        ("$1,070.50", "$64.25", {}),
        ("$1,070.50", "64.25", {"decimal": "."}),
    ],
)
def test_currencies_and_separators_of_thousands_are_read(reading, tmp_path, first, third, more):
    path = written(tmp_path, ROWS.replace("70,5", first).replace("64,25", third))
    table = reading(path, **ROLES, **more)
    assert np.asarray(table.relational[0].values).tolist() == [1070.5, 82, 64.25]


def test_a_row_of_separators_between_records_is_a_record(reading, tmp_path):
    path = written(tmp_path, "sex;codes;n\nm;a;\n;;\n;;\nw;b;\n;;\n")
    assert values(reading(path, relational="sex", items="codes", drop="n"), "sex") == ["m", "", "", "w"]


def test_a_single_column_keeps_its_empty_records(reading, tmp_path):
    assert reading(written(tmp_path, "codes\na b\n\n\n"), items="codes").n == 3


def test_of_two_columns_such_a_row_may_be_a_record_without_items(reading, tmp_path):
    assert reading(written(tmp_path, "a;b\nx;y\n;\n"), items="a,b").n == 2


def test_a_file_of_separators_has_no_records(reading, tmp_path):
    assert reading(written(tmp_path, "sex;n;codes\n;;\n;;\n"), relational="sex,n", items="codes").n == 0


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        (ROWS + "Summe;216,75;;\n", {}, "footer"),
        (ROWS + "total;216,75;;\n;;;\n", {}, "footer"),
        ("Klinik\n" + ROWS, {}, "'line 2' '--header-line 2'"),
        (ROWS, {"header_line": 9}, "'line 9' --header-line"),
        (ROWS, {"header_line": 0}, "--header-line 1 0"),
        (ROWS, {"decimal": "."}, "comma '--decimal ,'"),
        (ROWS, {"decimal": "x"}, "--decimal x"),
        (ROWS.replace("70,5", "70.5"), {"decimal": ","}, "'--decimal .'"),
        (ROWS.replace("70,5", "1,070").replace("64,25", "64"), {}, "'--decimal .'"),
        (ROWS.replace("70,5", "€ 70,5").replace("64,25", "$ 64,25"), {"decimal": ","}, "currency"),
        (ROWS.replace("82", "k.A."), {"null": "k.A."}, "'row 2' null"),
    ],
)
def test_rejected_raw_exports_name_the_option_that_helps(reading, tmp_path, text, more, said):
    from anonset.spelling import as_options, spelled_by

    with spelled_by(as_options), refused(InputError, said) as raised:
        reading(written(tmp_path, text), **ROLES, **more)
    assert "70,5" not in str(raised.value)


def test_a_last_row_with_other_words_is_a_record(reading, tmp_path):
    path = written(tmp_path, "name;sex;n\na;m;1\ntotal;w;2\n")
    assert reading(path, relational="name,sex,n").n == 2


@pytest.mark.parametrize("null", ["k.A.,NULL", ["k.A.", "NULL"]])
def test_null_words_apply_to_every_column(reading, tmp_path, null):
    path = written(tmp_path, "sex;a;b;codes\nm;x;k.A.; NULL \nk.A.;k.A.;x;E10 k.A.\n")
    roles = {"relational": "sex", "items": "codes", "drop": "a,b"}
    table = reading(path, **roles, null=null, missing="empty,value")
    assert values(table, "sex") == ["m", "?"]
    assert np.asarray(table.transactions.lengths).tolist() == [0, 2]
    table = reading(path, one_hot="a,b", drop="sex,codes", null=null, missing="empty")
    assert np.asarray(table.transactions.lengths).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("options", "said"),
    [({"null": "-"}, "null"), ({"header_line": 2}, "header_line CSV TSV")],
)
def test_item_lines_have_no_column_names_and_no_null_words(reading, tmp_path, options, said):
    with refused(InputError, said):
        reading(written(tmp_path, "a b\nb c\n", name="raw.dat"), **options)


@pytest.mark.parametrize("mark", [" ", ",", ";", "|"])
def test_sets_of_codes_are_no_relational_values(reading, tmp_path, mark):
    sets = [f"E1{n % 4}{mark}I1{n % 3}" + f"{mark}J4{n % 2}" * (n % 3 == 0) for n in range(12)]
    path = written(tmp_path, "sex\tcodes\n" + "".join(f"m\t{itemset}\n" for itemset in sets))
    with refused(InputError, "relational codes") as raised:
        reading(path, relational="sex,codes", delimiter="\t")
    assert "E1" not in str(raised.value)
    table = reading(path, relational="sex", items="codes", delimiter="\t", separator=mark)
    assert table.transactions.lengths.max() == 3


@pytest.mark.parametrize(
    "values",
    [
        ["E10", "I10", "E10 I10"],
        ["Ward A1 north", "Ward B2 south", "Ward C3 east", "A1"],
        ["2020-01-01 10:30", "2020-01-02 11:30", "2020-01-03 11:30:00"],
        ["A1 B2", "A2 B1", "A3 B9", "A4 B4"],
        ["070 1234", "070 5678", "089 1234 5", "1"],
    ],
)
def test_words_and_single_codes_are_relational_values(reading, tmp_path, values):
    path = written(tmp_path, "x\n" + "".join(f"{value}\n" for value in values))
    assert reading(path, relational="x").n == len(values)


def test_data_frames_have_words_for_null_and_decimal_commas():
    table = read({"kg": ["70,5", "82"], "sex": ["m", "-"]}, relational="kg,sex", numeric="kg", null="-", decimal=",",
                 missing="value")  # fmt: skip
    assert (table.relational[0].values.tolist(), values(table, "sex")) == ([70.5, 82], ["m", "?"])


CELL = st.sampled_from(["", "a", "1", " "])


@pytest.mark.long
@given(rows=st.lists(st.tuples(CELL, CELL, CELL), max_size=8), size=st.integers(1, 9), end=st.booleans())
def test_rows_of_separators_count_if_records_follow(tmp_path_factory, rows, size, end):
    expected = list(rows)
    while expected and not "".join(expected[-1]).strip():
        expected.pop()
    text = "x;y;z\n" + "\n".join(";".join(row) for row in rows) + ("\n" if end and rows else "")
    path = written(tmp_path_factory.mktemp("rows"), text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_chunks, "BYTES_AT_ONCE", size)
        tables = [read(path, keep="x,y,z"), scan(path, keep="x,y,z")]
    for table in tables:
        columns = [[column.vocabulary.labels[code] for code in column.codes] for column in table.kept]
        assert list(zip(*columns, strict=True)) == [tuple(cell.strip() for cell in row) for row in expected]
