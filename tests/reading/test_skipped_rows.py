"""Rows without an id, and sums and notes below the last record, are skipped on request and counted."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.facts import names, refused

import anonset
from anonset.errors import InputError, MisreadError
from anonset.reading.formats import text_chunks
from anonset.reading.formats.footers import footer_of, has_keys
from anonset.reading.read import read
from anonset.reading.scan import scan

ROWS = "id;age;codes\n1;30;E10 I10\n;31;J45\n3;32;E10\n \t;33;I10\n5;34;E10\n"
ROLES = {"unit": "id", "relational": "age", "items": "codes"}
FOOTERS = [
    "Summe;160;\n",
    ";;\nTotal:;;160\n",
    "Stand: 31. Mai 2024\n",
    "\nGenerated on May 31, 2024\n(5 rows affected)\n\n",
    "Total général\n",
]


@pytest.fixture(params=["memory", "blocks"])
def reading(request, monkeypatch):
    """Read a file by `read` or `scan`, in blocks of a few bytes."""
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", 8)
    return read if request.param == "memory" else scan


def written(folder, text):
    path = folder / "raw.csv"
    path.write_bytes(text.encode())
    return path


def changes(table):
    return [str(change) for change in table.changes]


def test_rows_without_an_id_are_refused_or_skipped_and_counted(reading, tmp_path):
    path = written(tmp_path, ROWS)
    with refused(InputError, "'row 2' empty skip_rows no-id"):
        reading(path, **ROLES)
    table = reading(path, **ROLES, skip_rows="no-id")
    assert (table.n, changes(table)) == (3, ["skipped rows without an id: 2"])
    assert [table.relational[0].vocabulary.labels[code] for code in table.relational[0].codes] == ["30", "32", "34"]
    assert np.asarray(table.transactions.lengths).tolist() == [2, 1, 1]


CONTINUED = "order;id;age;codes\n1;a;30;E10\n;;;I10\n;;;J45\n2;b;;E10\n3;a;30;\n;;;E11\n"


def test_rows_that_continue_the_row_above_have_its_id(reading, tmp_path):
    path = written(tmp_path, CONTINUED)
    with refused(InputError, "'row 2' empty normalize id=fill-down skip_rows no-id"):
        reading(path, **ROLES, drop="order")
    apart = written(tmp_path, CONTINUED.replace("2;b;;E10\n3;a;30;\n;", "2;b;;E10\n3;a;30;\n9;"))
    with pytest.raises(InputError, match="row 2 is empty") as error:
        reading(apart, **ROLES, drop="order")
    assert [fix.settings for fix in error.value.fixes] == [{"skip_rows": ["no-id"]}]
    path = written(tmp_path, CONTINUED)
    table = reading(path, **ROLES, drop="order", normalize="id=fill-down")
    assert "rows with the id of the row above: 3" in changes(table)
    assert np.asarray(table.transactions.lengths).tolist() == [4, 1]
    assert [table.relational[0].vocabulary.labels[code] for code in table.relational[0].codes] == ["30", ""]


def test_rows_continue_no_row_of_another_file_and_no_row_with_a_part_of_the_ids(reading, tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    (folder / "1.csv").write_text(CONTINUED)
    (folder / "2.csv").write_text("order;id;age;codes\n;;;E10\n7;c;41;J45\n")
    with refused(InputError, "2.csv 'row 1' empty"):
        reading(folder, **ROLES, drop="order", normalize="id=fill-down")
    path = written(tmp_path, "id;name;codes\n1;p;E10\n2;;I10\n")
    with refused(InputError, "name 'row 2' empty"):
        reading(path, unit="id,name", items="codes", normalize="id=fill-down,name=fill-down")


@pytest.mark.parametrize(
    "rule", ["age=fill-down", "codes=+49", "note=fill-down", "fill-down", "+49", "age=fill-down,note=+49,id=+49"]
)
def test_repairs_of_ids_apply_to_no_attribute_and_to_no_item(reading, tmp_path, rule):
    path = written(tmp_path, "id;age;codes;note\n1;30;E10;x\n2;;J45;\n3;31;;z\n")
    with refused(InputError, f"normalize '{rule.removesuffix(',id=+49')}' identify id"):
        reading(path, **ROLES, keep="note", missing="empty", normalize=rule)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("footer", FOOTERS)
def test_a_footer_is_refused_or_skipped_and_counted(reading, tmp_path, footer, end):
    text = ROWS.replace("\n;", "\n2;").replace("\n \t;", "\n4;")
    path = written(tmp_path, (text + footer).replace("\n", end))
    with pytest.raises(MisreadError, match="skip_rows='footer'") as refused:
        reading(path, **ROLES)
    assert refused.value.fixes[0].settings == {"skip_rows": ["footer"]}
    table = reading(path, **ROLES, skip_rows="footer")
    lines = 2 if "affected" in footer else 1
    assert (table.n, changes(table)) == (5, [f"skipped footer lines: {lines}"])


@pytest.mark.parametrize(
    "last",
    ["7;35;\n", "total;w;2\n", "7\n", '7;35;"a\nNote: b"\n', "Ann Lee;;\n", "7;Total;x\n", "E10 I10\n"],
    ids=["row", "words", "cut off", "quoted", "name", "value", "codes"],
)
def test_possible_records_are_not_skipped_as_footers(last):
    data = ("1;30;x\n" + last).encode()
    assert footer_of(data, 0, ";", 3) == (len(data), 0)


def test_both_are_counted_in_the_release(tmp_path):
    path = written(tmp_path, ROWS + "Summe;160;\n")
    table = read(path, **ROLES, skip_rows=["no-id", "footer"])
    assert changes(table) == ["skipped rows without an id: 2", "skipped footer lines: 1"]


def test_inspect_proposes_to_skip_footers_and_rows_without_id(tmp_path):
    rows = "".join(f"{n if n != 7 else ''};{20 + n % 9};E1{n % 5} I1{n % 3}\n" for n in range(100))
    inspection = anonset.inspect(written(tmp_path, f"patient_id;age;codes\n{rows}Summe;2.345;\n"), unit="patient_id")
    assert (inspection.records, inspection.settings["skip_rows"]) == (99, ["footer", "no-id"])
    assert any(names(problem, "1 row id") for problem in inspection.problems)


@pytest.mark.parametrize(("asked", "said"), [("no-id", "no-id id"), ("nothing", "no-id footer nothing")])
def test_invalid_skip_options_are_rejected(tmp_path, asked, said):
    with refused(InputError, said):
        read(written(tmp_path, ROWS), drop="id,age", items="codes", skip_rows=asked)


def test_skipping_footers_of_parquet_is_rejected(tmp_path):
    pq.write_table(pa.table({"codes": ["E10"]}), tmp_path / "raw.parquet")
    with refused(InputError, "skip_rows CSV TSV"):
        read(tmp_path / "raw.parquet", items="codes", skip_rows="footer")


@pytest.mark.parametrize(
    "footer",
    ["Anzahl Spenden,2574,,,\n", ",,,,\nNumber of all visits:,5,,,\n", 'TOTAL,,,,"4,403,700.00"\n'],
    ids=["count", "count below separators", "quoted sum"],
)
def test_counts_of_named_things_and_quoted_sums_are_footers(footer):
    row = b'7,x,"1,5",y,z\n'
    assert footer_of(row + footer.encode(), 0, ",", 5) == (len(row), 1)


@pytest.mark.parametrize(
    "last",
    [
        "Total Gym,5,a,b,c\n",
        "Anzahl Spenden,x,,,\n",
        'a,b,"TOTAL,,,,\n",d,e\n',
        "Anna Ott,5,,,\n",
        "Total Gym 5,,x,,\n",
    ],
)
def test_a_record_with_footer_words_is_not_skipped(last):
    data = f"7,x,1,y,z\n{last}".encode()
    assert footer_of(data, 0, ",", 5) == (len(data), 0)


@pytest.mark.parametrize(
    "footer",
    [
        "Summe;1252 Tumoren\n",
        "Summe;1252 Tumoren;;;\n",
        "Razem;12,5\n",
        "Yhteens\u00e4: 12 riviä;;\n",
        "Razem;;;12,5;\n",
        ";;;EUR 512.331,10;\n",
        "Totaal: 9000 zaken;;;;\n",
        ";Summa besök 15000;;;\n",
    ],
)
def test_sums_with_units_and_words_below_keys_are_footers(footer):
    rows = "".join(f"KR-{n};x;a;b;c\n" for n in range(12)).encode()
    keyed = has_keys(rows, 0, ";", 5)
    assert footer_of(rows + footer.encode(), 0, ";", 5, keyed=keyed) == (len(rows), 1)


def test_a_footer_below_keys_is_skipped_in_blocks(reading, tmp_path):
    rows = "".join(f"{n};3{n % 10};E10\n" for n in range(20))
    path = written(tmp_path, f"id;age;codes;x\n{rows.replace(';E10', ';E10;y')}Essen gesamt;20 Portionen;;\n")
    with pytest.raises(MisreadError, match="skip_rows='footer'"):
        reading(path, **ROLES, drop="x")
    table = reading(path, **ROLES, drop="x", skip_rows="footer")
    assert (table.n, changes(table)) == (20, ["skipped footer lines: 1"])


@pytest.mark.parametrize("last", ["KR-9;x\n", "unknown;x;a;b;c\n", "unknown;;a;;\n", "Ann;x\n"])
def test_records_below_keys_are_no_footers(last):
    keys = "".join(
        f"{'KR-' if last[:3] != 'Ann' else 'Bob'}{n if last[:3] != 'Ann' else ''};x;a;b;c\n" for n in range(12)
    )
    data = (keys + last).encode()
    assert footer_of(data, 0, ";", 5, keyed=has_keys(data, 0, ";", 5)) == (len(data), 0)


def test_units_below_the_header_are_skipped_on_request(tmp_path):
    rows = "".join(f"{n};{150 + n % 40};{50 + n % 30};2{n % 9}.5;E1{n % 3}\n" for n in range(40))
    roles = {"drop": "n,a,b,c", "items": "codes"}
    path = written(tmp_path, f"n;a;b;c;codes\n;cm;kg;kg/m2;\n{rows}Summe;2.345;;;\n")
    with pytest.raises(MisreadError) as error:
        read(path, **roles, skip_rows="footer")
    assert error.value.fixes[-1].settings == {"skip_rows": ["labels"]}
    table = read(path, **roles, skip_rows="labels,footer")
    assert (table.n, changes(table)) == (40, ["skipped footer lines: 1", "skipped rows of labels: 1"])
    assert anonset.inspect(path).settings["skip_rows"] == "footer,labels"
    plain = written(tmp_path, f"n;a;b;c;codes\n;170;60;kg;\n{rows}")
    assert read(plain, **roles).n == 41


def test_a_signature_below_the_sums_is_a_footer(tmp_path):
    rows = "".join(f"{n};{n % 7};x;y;E1{n % 3}\n" for n in range(40))
    path = written(tmp_path, f"n;a;b;c;codes\n{rows}Razem;40;;;\nSporządziła: Barbara;;;;\n")
    table = read(path, drop="n,a,b,c", items="codes", skip_rows="footer")
    assert (table.n, changes(table)) == (40, ["skipped footer lines: 2"])


def test_ids_that_are_lists_are_rejected_in_one_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": ["1"], "codes": ["x"]}\n{"id": ["2"], "codes": ["y"]}\n')
    with pytest.raises(InputError, match="'id'"):
        read(path, unit="id", items="codes", skip_rows="no-id")
