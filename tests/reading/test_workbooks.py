"""The only sheet with data in a workbook is read as displayed by a spreadsheet program."""

import io
import re
import zipfile
from datetime import date, datetime

import pytest
from tests.facts import refused

import anonset
from anonset.errors import InputError, MisreadError
from anonset.reading.read import read
from anonset.reading.sources.source import source_of

openpyxl = pytest.importorskip("openpyxl", reason="of the group test")

HEADER = ["id", "zip", "born", "kg", "codes"]
ROWS = [
    ["007", 1067.0, date(1950, 1, 31), 70.5, "E10 I10"],
    ["008", 12, datetime(1961, 2, 1), 82.0, "J45"],
    ["009", 99998, date(1970, 12, 24), 0.1 + 0.2, None],
]
ROLES = {"items": "codes", "unit": "id", "relational": "zip,born,kg"}


def written(path, *sheets, formats=(), merged=()):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"Ward {number}")
        for row in rows:
            sheet.append(row)
        for cells in merged:
            sheet.merge_cells(cells)
        for cell, form in formats:
            sheet[cell].number_format = form
    book.save(path)
    return path


def labels(table, name):
    column = next(column for column in (*table.relational, *table.ids) if column.name == name)
    return [column.vocabulary.labels[code] for code in column.codes]


def test_cells_are_read_as_they_are_shown(tmp_path):
    path = written(tmp_path / "raw.xlsx", [HEADER, *ROWS], [], formats=[(f"B{n}", "00000") for n in (2, 3, 4)])
    table = read(path, **ROLES)
    assert labels(table, "id") == ["007", "008", "009"]
    assert labels(table, "zip") == ["01067", "00012", "99998"]
    assert labels(table, "born") == ["1950-01-31", "1961-02-01", "1970-12-24"]
    assert labels(table, "kg") == ["70.5", "82", "0.3"]
    assert [set(row) for row in table.transactions.rows()] == [{"E10", "I10"}, {"J45"}, set()]


def test_dates_of_a_column_have_times_if_any_has(tmp_path):
    rows = [["when"], [datetime(2024, 1, 31, 14, 15)], [datetime(2024, 2, 1)]]
    assert labels(read(written(tmp_path / "raw.xlsx", rows), relational="when"), "when") == [
        "2024-01-31 14:15:00",
        "2024-02-01 00:00:00",
    ]


def test_merged_cells_count_for_each_of_their_rows(tmp_path):
    rows = [["id", "code"], ["007", "E10"], [None, "I10"], ["008", "J45"]]
    path = written(tmp_path / "raw.xlsx", rows, merged=["A2:A3"])
    table = read(path, unit="id", items="code")
    assert [set(row) for row in table.transactions.rows()] == [{"E10", "I10"}, {"J45"}]


def test_titles_and_footers_are_skipped_as_in_text(tmp_path):
    rows = [["Register"], [None], HEADER, *ROWS, ["Summe", None, None, 153.5, None]]
    path = written(tmp_path / "raw.xlsx", rows, merged=["A1:E1"])
    with pytest.raises(MisreadError, match="skip_rows='footer'"):
        read(path, **ROLES, header_line=3)
    table = read(path, **ROLES, header_line=3, skip_rows="footer", numeric="kg")
    assert (table.n, [str(change) for change in table.changes]) == (3, ["skipped footer lines: 1"])


def test_empty_rows_above_are_skipped_and_between_refused(tmp_path):
    path = written(tmp_path / "raw.xlsx", [[], [], HEADER, ROWS[0], [], ROWS[1]])
    with pytest.raises(InputError, match=r"line 5: .*blank"):
        read(path, **ROLES)


def test_sheets_with_notes_are_ignored(tmp_path):
    notes = [[["internal use"]], [["Report", "2024"], ["by the ward"], [None, "end"]]]
    table = read(written(tmp_path / "raw.xlsx", notes[0], [HEADER, *ROWS], notes[1]), **ROLES)
    assert labels(table, "id") == ["007", "008", "009"]


@pytest.mark.parametrize(
    ("sheets", "said"),
    [(([HEADER], [HEADER]), "2 sheets"), (([HEADER, *ROWS], [["a", "b"], ["1", "2"]]), "2 sheets"), (([],), "sheet")],
)
def test_one_sheet_is_required(tmp_path, sheets, said):
    with refused(InputError, said) as raised:
        read(written(tmp_path / "raw.xlsx", *sheets), **ROLES)
    assert "Ward" not in str(raised.value)


def test_formulas_without_a_value_are_refused(tmp_path):
    with refused(InputError, "2 formulas"):
        read(written(tmp_path / "raw.xlsx", [["a"], ["=1+1"], ["=A2"]]), relational="a")


@pytest.mark.parametrize("content", [b"", b"a;b\n", b"\xd0\xcf\x11\xe0 with a password", b"PK\x03\x04" + bytes(2000)])
def test_files_that_are_not_workbooks_are_reported(tmp_path, content):
    path = tmp_path / "raw.xlsx"
    path.write_bytes(content)
    message = (
        "raw.xlsx: the workbook (.xlsx) is damaged, protected by a password, or not an Excel file; open it in a "
        "spreadsheet program and save its sheet as CSV (UTF-8)"
    )
    for run in (lambda: read(path, relational="a"), lambda: source_of(path).size):
        with pytest.raises(InputError) as caught:
            run()
        assert str(caught.value).removeprefix(f"{tmp_path}/") == message


def test_a_workbook_that_unpacks_to_much_is_refused(tmp_path, monkeypatch):
    from anonset.reading.formats import workbooks

    path = written(tmp_path / "raw.xlsx", [HEADER, *ROWS])
    monkeypatch.setattr(workbooks, "_LARGEST", 1000)
    with refused(InputError, "raw.xlsx exceeds"):
        read(path, **ROLES)


def test_dimensions_that_are_wrong_lose_no_row(tmp_path):
    path = written(tmp_path / "raw.xlsx", [HEADER, *ROWS])
    changed = io.BytesIO()
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(changed, "w") as other:
        for name in book.namelist():
            xml = book.read(name)
            other.writestr(name, re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:B2"', xml))
    path.write_bytes(changed.getvalue())
    assert read(path, **ROLES).n == 3


def test_a_workbook_has_a_size_and_can_be_inspected(tmp_path):
    path = written(tmp_path / "raw.xlsx", [HEADER, *(ROWS * 40)])
    assert source_of(path).size.values > 100
    inspection = anonset.inspect(written(tmp_path / "other.xlsx", [HEADER, *ROWS, *ROWS]))
    assert inspection.rows == 6
