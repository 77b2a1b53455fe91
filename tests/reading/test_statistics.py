"""Files of SPSS, Stata and SAS."""

import struct
from datetime import date

import pandas as pd
import pyreadstat
import pytest
from tests.facts import names

import anonset
from anonset.cli.main import main
from anonset.errors import InputError
from anonset.reading.batches import open_source
from anonset.reading.formats import statistics
from anonset.reading.sources.source import source_of

LABELS = {"sex": {1: "f", 2: "m", 9: "refused"}}
FRAME = pd.DataFrame(
    {
        "id": [10.0, 11.0, 12.0, 13.0],
        "sex": [1.0, 2.0, 9.0, 3.0],
        "weight": [1.5, None, 3.0, 2.0],
        "born": [date(1975, 1, 2)] * 4,
        "note": ["ä b", "", "c", "d"],
    }
)
WRITE = {
    "sav": pyreadstat.write_sav,
    "zsav": pyreadstat.write_sav,
    "dta": pyreadstat.write_dta,
    "xpt": pyreadstat.write_xport,
}


def write(folder, form, frame=FRAME, **options):
    path = folder / f"a.{form}"
    labels = {} if form == "xpt" else {"variable_value_labels": LABELS}
    compress = {"compress": True} if form == "zsav" else {}
    WRITE[form](frame, path, **labels, **compress, **options)
    return path


def rows(path, **options):
    opened = open_source(path, anonset.ReadOptions(**options))
    columns = {name: [] for name in opened.names}
    for batch in opened.batches(opened.names):
        for name, column in batch.columns.items():
            columns[name] += column.to_pylist()
    return columns


@pytest.mark.parametrize("form", WRITE)
def test_values_are_read_as_text(tmp_path, form):
    columns = rows(write(tmp_path, form))
    sex = ["1", "2", "9", "3"] if form == "xpt" else ["f", "m", "refused", "3"]
    assert columns == {
        "id": ["10", "11", "12", "13"],
        "sex": sex,
        "weight": ["1.5", None, "3", "2"],
        "born": ["1975-01-02"] * 4,
        "note": ["ä b", "", "c", "d"],
    }


@pytest.mark.parametrize("form", ["sav", "dta"])
def test_codes_are_read_on_request(tmp_path, form):
    assert rows(write(tmp_path, form), value_codes=True)["sex"] == ["1", "2", "9", "3"]


def test_values_that_the_user_defined_as_missing_are_null(tmp_path):
    path = write(tmp_path, "sav", missing_ranges={"sex": [9]})
    assert rows(path)["sex"] == ["f", "m", None, "3"]


@pytest.mark.parametrize("form", WRITE)
def test_blocks_contain_all_rows_once(tmp_path, monkeypatch, form):
    path = write(tmp_path, form)
    expected = rows(path)
    for size in (1, 2, 3, 4):
        monkeypatch.setattr(statistics, "_ROWS", size)
        assert rows(path) == expected
    assert source_of(path).size.records == 4
    assert source_of(path).size.values == 20


def with_sets(path, text):
    """Insert a record with multiple-response sets before the end of the dictionary of an SPSS file."""
    data, end = path.read_bytes(), struct.pack("<2i", 999, 0)
    place = data.index(end)
    content = text.encode()
    path.write_bytes(data[:place] + struct.pack("<4i", 7, 7, 1, len(content)) + content + data[place:])


def test_multiple_response_sets_are_sets(tmp_path):
    frame = pd.DataFrame({"d1": [1.0, 2.0, None], "d2": [2.0, None, None], "a": [1.0, 0.0, 1.0], "b": [0.0, 0.0, 1.0]})
    path = tmp_path / "a.sav"
    labels = {"d1": {1: "insulin", 2: "statin"}, "d2": {1: "insulin", 2: "statin"}}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels, column_labels=["", "", "asthma", "gout"])
    with_sets(path, "$drugs=C 5 Drugs D1 D2\n$ill=D1 1 3 Ill A B\n")
    columns = rows(path)
    assert columns["drugs"] == [["insulin", "statin"], ["statin"], []]
    assert columns["ill"] == [["asthma"], [], ["asthma", "gout"]]
    table = anonset.read(path, items=["drugs", "ill"], drop=["d1", "d2", "a", "b"], unit="row")
    assert next(iter(table.transactions.rows())) == ["drugs:insulin", "drugs:statin", "ill:asthma"]


def test_a_set_with_the_name_of_a_variable_has_a_dollar_sign(tmp_path):
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(pd.DataFrame({"d1": [1.0], "d2": [2.0]}), path)
    with_sets(path, "$d1=C 1 D D1 D2\n")
    assert rows(path) == {"d1": ["1"], "d2": ["2"], "$d1": [["1", "2"]]}


def test_a_folder_of_files_is_one_data_set(tmp_path):
    write(tmp_path, "sav").rename(tmp_path / "b.sav")
    write(tmp_path, "sav")
    assert len(rows(tmp_path)["id"]) == 8
    FRAME.rename(columns={"id": "key"}).pipe(pyreadstat.write_sav, tmp_path / "c.sav")
    with pytest.raises(InputError) as raised:
        rows(tmp_path)
    assert names(str(raised.value), "c.sav")


@pytest.mark.parametrize("form", ["sav", "dta", "sas7bdat", "xpt"])
def test_damaged_files_are_rejected(tmp_path, form):
    (tmp_path / f"a.{form}").write_bytes(b"no such file" * 100)
    with pytest.raises(InputError) as raised:
        rows(tmp_path / f"a.{form}")
    assert names(str(raised.value), f"a.{form}")


@pytest.mark.parametrize("cut", [1, 40, 79])
def test_transport_files_without_their_end_are_rejected(tmp_path, cut):
    path = write(tmp_path, "xpt")
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(InputError) as raised:
        rows(path)
    assert names(str(raised.value), "xpt incomplete")


@pytest.mark.parametrize("form", ["dta", "zsav"])
def test_columns_without_a_name_are_rejected(tmp_path, form):
    path = write(tmp_path, form)
    name = b"born" if form == "dta" else b"BORN"
    path.write_bytes(path.read_bytes().replace(name, b"\0" + name[1:], 1))
    with pytest.raises(InputError) as raised:
        rows(path)
    assert names(str(raised.value), f"{form} damaged")


def test_options_of_other_formats_are_rejected(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match="value_codes"):
        rows(tmp_path / "a.csv", value_codes=True)
    with pytest.raises(InputError, match="header_line"):
        rows(write(tmp_path, "sav"), header_line=3)


def test_a_file_is_published_as_csv(tmp_path):
    frame = pd.concat([FRAME] * 3, ignore_index=True)
    path = write(tmp_path, "sav", frame)
    options = ["--unit", "row", "--relational", "sex", "--drop", "id,weight,born,note", "--model", "k", "--k", "3"]
    assert main(["anonymize", str(path), *options, "-o", str(tmp_path / "out"), "--quiet"]) == 0
    header, *sexes = (tmp_path / "out" / "published.csv").read_text().splitlines()
    assert (header, sexes) == ("sex", sorted(map(str, rows(path)["sex"])))


def test_pyreadstat_is_named_if_it_is_missing(tmp_path, monkeypatch):
    path = write(tmp_path, "sav")
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(InputError, match="stat"):
        rows(path)


def test_values_with_equal_labels_remain_distinct(tmp_path):
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(FRAME, path, variable_value_labels={"sex": {1: "9", 2: "other", 3: "other"}})
    assert rows(path)["sex"] == ["9 (1)", "other (2)", "9", "other (3)"]


@pytest.mark.parametrize("form", WRITE)
@pytest.mark.parametrize("labelled", [False, True])
def test_ids_that_doubles_do_not_contain_exactly_are_rejected(tmp_path, form, labelled):
    largest = float(1 << 53)
    frame = pd.DataFrame({"id": [largest, largest + 2, 3.0], "code": ["a", "b", "c"]})
    path = tmp_path / f"a.{form}"
    named = {"variable_value_labels": {"id": {largest: "x"}}} if labelled and form not in ("xpt", "dta") else {}
    WRITE[form](frame, path, **named)
    linked = {"one": {"input": path, "items": "code"}}
    for options in ({"source": path, "items": "code"}, {"tables": linked}):
        with pytest.raises(InputError) as raised:
            anonset.read(unit="id", **options)
        assert names(raised.value, f"id {1 << 53} double")
    assert anonset.read(path, items="code", drop="id", unit="row").n == 3
    frame["id"] = [largest - 1, largest - 2, 3.0]
    WRITE[form](frame, path)
    assert anonset.read(path, items="code", unit="id").n == 3
