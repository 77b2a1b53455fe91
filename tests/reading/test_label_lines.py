"""Lines of labels below the header, and of totals at the end, are no records."""

import pytest
from tests.facts import names, refused

import anonset
from anonset.errors import MisreadError
from anonset.reading.formats import text_chunks
from anonset.reading.formats.label_lines import ColumnKinds, start_of_last
from anonset.reading.read import read
from anonset.reading.scan import scan


@pytest.fixture(params=["memory", "blocks", "pieces"])
def reading(request, monkeypatch):
    """Read a file by `read` or `scan`, in blocks of a few bytes, or of a few records."""
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", {"pieces": 300}.get(request.param, 8))
    return read if request.param == "memory" else scan


def written(folder, *lines, end="\n"):
    path = folder / "export.csv"
    path.write_bytes("".join(line + end for line in lines).encode())
    return path


def changes(table):
    return [str(change) for change in table.changes]


HEADER = "StartDate,Finished,id,School,Q1,weight"
ANSWERS = [
    f"2026-02-{1 + n % 28:02d} 12:{n % 60:02d}:00,True,R_{n}x{n * 7},{'ABC'[n % 3]} school,Year {8 + n % 3},1.{n:03d}"
    for n in range(40)
]
LABELS = ['Start Date,Finished,Response ID,School,"Which year\nare you in?",weight']
IMPORT = ",".join(f'"{{""ImportId"":""{name}""}}"' for name in HEADER.split(","))
ROLES = {"relational": "School,Q1", "drop": "StartDate,Finished,id,weight"}


def schools(table):
    column = table.relational[0]
    return [column.vocabulary.labels[code] for code in column.codes]


@pytest.mark.parametrize(("n", "end"), [(8, "\n"), (40, "\r\n")])
@pytest.mark.parametrize(
    ("labels", "lines"), [(LABELS, "line 2"), ([*LABELS, IMPORT], "lines 2 and 4"), ([IMPORT], "line 2")]
)
def test_all_lines_of_labels_stop_or_are_skipped(reading, tmp_path, labels, lines, n, end):
    path = written(tmp_path, HEADER, *labels, *ANSWERS[:n], end=end)
    with pytest.raises(MisreadError, match=lines) as error:
        reading(path, **ROLES)
    assert error.value.fixes[-1].settings == {"skip_rows": ["labels"]}
    table = reading(path, **ROLES, skip_rows="labels")
    assert schools(table) == [f"{'ABC'[i % 3]} school" for i in range(n)]
    assert changes(table) == [f"skipped rows of labels: {len(labels)}"]


def test_import_ids_show_the_labels_of_a_table_of_text(reading, tmp_path):
    rows = [f"{'NSE'[n % 3]} coast,{'yn'[n % 2]} indeed" for n in range(30)]
    path = written(tmp_path, "Q1,Q2", "Where do you live?,Do you agree?", '"{""ImportId"":""QID1""}",', *rows)
    with refused(MisreadError, "'lines 2 and 3' labels"):
        reading(path, relational="Q1,Q2")
    assert reading(path, relational="Q1,Q2", skip_rows="labels").n == 30


ROWS = [f"{n},{20 + n % 50},{50 + n % 30}.5,{'xy'[n % 2]}" for n in range(60)]
NAMES = "n,age,weight,group"
OF_ROWS = {"relational": "age,group", "drop": "n,weight"}


LABEL_LINES = [",years,kg,", "1,years,kg,", ",[a],,", "No.,Age,Weight,Group", "int,int,float,str", ",,Weight in kg,"]
FOOTERS = ["Age,years,kg,", "n,age,weight,group", "checked by,Anna,Bert,x"]


@pytest.mark.parametrize(("label", "place"), [*((label, 0) for label in LABEL_LINES), *((",[a],,", n) for n in (1, 9))])
def test_a_line_of_labels_among_the_first_ten_is_skipped(reading, tmp_path, label, place):
    path = written(tmp_path, NAMES, *ROWS[:place], label, *ROWS[place:])
    with refused(MisreadError, f"'line {place + 2}' skip_rows labels"):
        reading(path, **OF_ROWS)
    table = reading(path, **OF_ROWS, skip_rows="labels")
    assert (table.n, changes(table)) == (60, ["skipped rows of labels: 1"])
    assert [table.relational[0].vocabulary.labels[code] for code in table.relational[0].codes][:10] == [
        str(20 + n) for n in range(10)
    ]


@pytest.mark.parametrize(("last", "place"), [*((last, 0) for last in FOOTERS), *((FOOTERS[0], n) for n in (1, 9))])
def test_a_line_among_the_last_ten_is_skipped_as_a_footer(reading, tmp_path, last, place):
    rows = [row.replace(",x", ",z").replace(",y", ",z") for row in ROWS]
    path = written(tmp_path, "n,Alter,kg,group", *rows[: 60 - place], last, *rows[60 - place :])
    roles = {"relational": "Alter,group", "drop": "n,kg"}
    with refused(MisreadError, f"'line {62 - place}' skip_rows footer"):
        reading(path, **roles)
    table = reading(path, **roles, skip_rows="footer")
    assert (table.n, changes(table)) == (60, ["skipped footer lines: 1"])
    assert table.relational[1].vocabulary.labels == ("z",)


def test_a_line_that_is_no_record_is_refused_before_its_numbers(reading, tmp_path):
    path = written(tmp_path, NAMES, *ROWS, "Age,years,kg,")
    with refused(MisreadError, "'line 62' footer"):
        reading(path, relational="age,group", numeric="age", drop="n,weight")


def test_labels_and_totals_of_a_short_text_are_skipped_together(reading, tmp_path):
    lines = [NAMES, ",years,kg,", *ROWS[:12], "Total,,612.0,", "checked by,Anna,Bert,x"]
    path = written(tmp_path, *lines)
    table = reading(path, **OF_ROWS, skip_rows="labels,footer")
    assert (table.n, changes(table)) == (12, ["skipped footer lines: 2", "skipped rows of labels: 1"])
    with refused(MisreadError, "'line 2' labels"):
        reading(path, **OF_ROWS, skip_rows="footer")
    table = reading(written(tmp_path, *lines[:10], lines[-1], *lines[10:14]), **OF_ROWS, skip_rows="labels,footer")
    assert [table.relational[0].vocabulary.labels[code] for code in table.relational[0].codes] == [
        str(20 + n) for n in range(12)
    ]


def test_the_first_and_the_last_ten_lines_may_be_the_same(reading, tmp_path):
    path = written(tmp_path, NAMES, ",years,kg,", *ROWS[:6], "checked by,Anna,Bert,x", *ROWS[6:8])
    table = reading(path, **OF_ROWS, skip_rows="labels,footer")
    ages = [table.relational[0].vocabulary.labels[code] for code in table.relational[0].codes]
    assert ages == [str(20 + n) for n in range(8)]


def test_without_detected_labels_the_first_line_is_skipped(reading, tmp_path):
    path = written(tmp_path, "a,b", "first label,second label", *["north,yes", "south,no"] * 5)
    assert reading(path, relational="a,b").n == 11
    table = reading(path, relational="a,b", skip_rows="labels")
    assert (table.n, table.relational[0].vocabulary.labels) == (10, ("north", "south"))


def test_labels_do_not_hide_the_decimal_sign(tmp_path):
    rows = [f"{n};{50 + n},{n % 10}" for n in range(30)]
    path = written(tmp_path, "n;weight", "number;kg", *rows)
    table = read(path, relational="weight", numeric="weight", drop="n", skip_rows="labels")
    assert table.relational[0].values[3] == 53.3


ORDINARY = {
    "text": ["city,answer", *["Berlin,perhaps", "Paris,never", "Rome,no idea"] * 9],
    "unknown in the first row": ["n,age,visits", "1,unknown,unknown", *(f"{n},{20 + n},{n % 4}" for n in range(30))],
    "missing in all": ["age,visits", "n/a,unknown", "k.A.,refused", *(f"{20 + n},{n % 4}" for n in range(30))],
    "a word in a single column of numbers": ["name,age", "Ann,about 40", *(f"x,{20 + n}" for n in range(30))],
    "a key and two words": ["id,date,a,b", "P1,2020-01-02,low,high", *(f"P{n},2020-01-02,1,2" for n in range(2, 30))],
    "words that recur": ["a,b", *("high,low" if n in (3, 50, 90) else f"{n},{n}" for n in range(99))],
    "sorted codes": ["code,parent,n", *(f"{n},{n // 9},{n}" for n in range(400)), *(f"V{n},E{n},x" for n in range(4))],
    "names last": [
        "code,n",
        *(f"{n},{n}" for n in range(40)),
        *(f"Word{chr(65 + n)} a,b{chr(65 + n)}" for n in range(9)),
    ],
    "few rows": ["a,b", "x,y", "1,2", "3,4"],
    "sets of numbers": ["items", "milk", *(f"{n} {n + 1}" for n in range(30)), "beer tea"],
    "results": [
        "n,crp",
        *(f"{n},{'<5' if n % 3 else '12,5'}".replace("12,5", "12.5") for n in range(30)),
        "31,hemolytic",
    ],
    "a sparse record": ["n,a,b,c", "1,,,", *(f"{n},{n},2,3" for n in range(2, 30)), "30,,,"],
    "logical": ["a,b", "NA,NA", *["TRUE,FALSE", "FALSE,TRUE"] * 15],
}


@pytest.mark.parametrize("lines", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_records_are_not_taken_for_labels(reading, tmp_path, lines):
    names_ = lines[0].split(",")
    roles = {"items": "items"} if names_ == ["items"] else {"relational": names_}
    assert reading(written(tmp_path, *lines), **roles).n == len(lines) - 1


def test_inspect_skips_all_lines_of_labels(tmp_path):
    inspection = anonset.inspect(written(tmp_path, HEADER, *LABELS, IMPORT, *ANSWERS, "Mean,,,,weighted,"), unit="row")
    assert (inspection.records, inspection.settings["skip_rows"]) == (40, "labels,footer")
    kinds = {column.profile.name: column.profile.kind for column in inspection.columns}
    assert (kinds["StartDate"], kinds["weight"]) == ("dates", "numbers")
    labels, footer = [one for one in inspection.problems if names(one, "skipped skip_rows no-other")]
    assert names(labels, "lines 2 and 4 are no records")
    assert names(footer, "line 45 is no record")


def test_records_end_where_their_quotes_end():
    data = b'1;a\r\n2;"b\r\n""b"\r\n3;c\r\n4;d\r\n'
    assert [data[start_of_last(data, count) :].count(b";") for count in range(6)] == [0, 1, 2, 3, 4, 4]
    assert start_of_last(b"1;a\r2;b\r", 1) == 4
    assert start_of_last(b'5" pipe;1\n' + b"a;1\n" * 2_000, 10) == 8_010


def test_kinds_are_those_of_nearly_all_inner_records():
    rows = [["a", "1", "2020-01-01", "R1"] for _ in range(30)]
    assert ColumnKinds.of("wxyz", 4, rows, are_all=True).kinds == {1: "number", 2: "date", 3: "code"}
    for n in (12, 15):
        rows[n] = ["a", "b", "c", "d"]
    assert ColumnKinds.of("wxyz", 4, rows, are_all=True).kinds == {}
    assert ColumnKinds.of("wxyz", 4, [*rows[:10], *rows[20:]], are_all=True).kinds != {}


def test_a_second_header_that_leaves_the_ids_empty_is_a_line_of_labels(reading, tmp_path):
    rows = [f"R{100 + n},C1,2024-01-{1 + n % 28:02d},{'xy'[n % 2]},{n % 5}" for n in range(40)]
    path = written(tmp_path, "id,collector,date,group,answer", ",,,Response,Response", *rows)
    roles = {"relational": "group,answer", "drop": "id,collector,date"}
    with refused(MisreadError, "'line 2' skip_rows labels"):
        reading(path, **roles)
    assert reading(path, **roles, skip_rows="labels").n == 40


@pytest.mark.parametrize("above", [[], [",,,(read only),,(read only)"]], ids=["alone", "below labels"])
def test_maximum_points_below_the_header_are_no_record(reading, tmp_path, above):
    head, points = "Student,ID,Section,Quiz,Oral,Final", "    Points Possible,,,10,10,100"
    graded = [f"Ann {chr(65 + n % 26) * 2}x,{1000 + n},{'AB'[n % 2]},{n % 11},{n % 10},{n % 97}" for n in range(40)]
    roles = {"relational": "Section,Quiz", "drop": "Student,ID,Oral,Final", "unit": "row"}
    path = written(tmp_path, head, *above, points, *graded)
    with pytest.raises(MisreadError) as error:
        reading(path, **roles)
    assert error.value.fixes[-1].settings == {"skip_rows": ["labels"]}
    assert reading(path, **roles, skip_rows="labels").n == 40
    assert reading(written(tmp_path, head, *graded[:5], points, *graded[5:]), **roles, missing="value").n == 41


@pytest.mark.parametrize("words", [["Total", "x"], ["blue", "y"]])
def test_a_last_record_with_a_word_for_a_sum_is_a_total(reading, tmp_path, words):
    rows = [f"{10 + n % 9},2021,{('red', 'green')[n % 2]},{'xy'[n % 2]},{n}" for n in range(40)]
    path = written(tmp_path, "region,year,colour,group,n", *rows, f"all regions,2021,{words[0]},{words[1]},780")
    roles = {"relational": "region,year,colour,group", "drop": "n"}
    if words[0] == "Total":
        with refused(MisreadError, "'line 42' skip_rows footer"):
            reading(path, **roles)
        assert reading(path, **roles, skip_rows="footer").n == 40
    else:
        assert reading(path, **roles).n == 41


def test_a_word_for_a_sum_that_recurs_is_a_value(reading, tmp_path):
    rows = [f"{10 + n % 9},{('Total', 'part')[n % 2]},{'xy'[n % 2]},{n}" for n in range(40)]
    path = written(tmp_path, "region,kind,group,n", *rows, "all regions,Total,y,7")
    assert reading(path, relational="region,kind,group", drop="n").n == 41


LAST = ["who,age,code", *(f"{1000 + n // 2},{20 + n // 2},E1{n % 5}" for n in range(60))]
LAST += ["new A,unknown,Asthma", "new A,unknown,Hypertension", "new B,unknown,Asthma", "new B,unknown,Asthma"]


@pytest.mark.parametrize(("unit", "persons"), [("who", 2), ("row", 4)])
def test_the_removal_of_lines_names_the_persons_and_comes_after_reading_them(reading, tmp_path, unit, persons):
    path, roles = written(tmp_path, *LAST), {"unit": unit, "relational": "age", "items": "code"}
    roles |= {"drop": "who"} if unit == "row" else {}
    with refused(MisreadError, f"'lines 62, 63, 64 and 65' '4 lines, which may be {persons} persons'") as error:
        reading(path, **roles)
    assert [fix.settings["skip_rows"] for fix in error.value.fixes] == [["no-other"], ["footer"]]
    assert reading(path, **roles, skip_rows="no-other").n == (32 if unit == "who" else 64)
    assert reading(path, **roles, skip_rows="footer").n == (30 if unit == "who" else 60)


def test_lines_below_the_header_are_records_if_declared(reading, tmp_path):
    path = written(tmp_path, HEADER, LABELS[0], *ANSWERS)
    with refused(MisreadError, "'which may be 1 person' no-other labels"):
        reading(path, **ROLES, unit="row")
    assert reading(path, **ROLES, unit="row", skip_rows="no-other").n == 41
    assert reading(path, **ROLES, unit="row", skip_rows="labels,no-other").n == 40


def test_a_sum_is_a_record_if_declared(reading, tmp_path):
    path = written(tmp_path, "id;age;codes", *(f"{n};{20 + n};E10" for n in range(12)), "Summe;160;")
    roles = {"unit": "id", "relational": "age", "items": "codes"}
    assert reading(path, **roles, skip_rows="no-other").n == 13


def test_inspect_says_how_skipped_lines_are_read_as_records(tmp_path):
    found = anonset.inspect(written(tmp_path, *LAST), unit="who")
    assert any(names(problem, "skipped 'lines 62, 63, 64 and 65' no-other") for problem in found.problems)
