"""Sets in two-valued columns with a declared value of a member, and items that contain the header."""

import pyarrow as pa
import pytest
from tests.facts import refused

import anonset
from anonset.columns.marks import PAIRS, words_for_marks
from anonset.errors import InputError
from anonset.reading.formats import text_chunks
from anonset.reading.read import read
from anonset.reading.scan import scan


@pytest.fixture(params=["memory", "blocks"])
def reading(request, monkeypatch):
    """Read a file by `read` or `scan`, in blocks of a few bytes."""
    monkeypatch.setattr(text_chunks, "BYTES_AT_ONCE", 8)
    return read if request.param == "memory" else scan


def written(folder, text):
    path = folder / "answers.csv"
    path.write_text(text, encoding="utf-8")
    return path


def rows(table):
    return list(table.transactions.rows())


@pytest.mark.parametrize(
    ("present", "yes", "no"),
    [
        ("Checked", "Checked", "Unchecked"),
        ("oui", "Oui", "Non"),
        ("1", "1", "2"),
        ("2", "2", "1"),
        (" Da ", "Да", "Da"),
    ],
)
def test_a_declared_value_marks_a_member(reading, tmp_path, present, yes, no):
    yes, no = (no, yes) if present == " Da " else (yes, no)
    path = written(tmp_path, f"p,m_a,m_b\n1,{yes},{no}\n2,{no},{no}\n3, {yes.upper()},{yes}\n")
    assert rows(reading(path, unit="p", one_hot="m_*", present=present)) == [["a"], [], ["a", "b"]]


def test_empty_cells_are_the_other_value_or_missing(reading, tmp_path):
    path = written(tmp_path, "a,b\nSelected,\n,\nSelected,Selected\n")
    assert rows(reading(path, one_hot="a,b", present="Selected")) == [["a"], [], ["a", "b"]]
    path = written(tmp_path, "a,b\nYes,No\n,No\nNo,Yes\n")
    with refused(InputError, "a one_hot empty 'row 3' missing"):
        reading(path, one_hot="a,b", present="Yes")
    assert rows(reading(path, one_hot="a,b", present="Yes", missing="empty")) == [["a"], [], ["b"]]


def test_columns_with_three_values_stop_unless_one_is_missing(reading, tmp_path):
    path = written(tmp_path, "a,b\nC,U\nU,C\nC,unknown\nU,U\n")
    with refused(InputError, "b one_hot 'row 3' null b=VALUE"):
        reading(path, one_hot="a,b", present="C")
    table = reading(path, one_hot="a,b", present="C", null="b=unknown", missing="empty")
    assert rows(table) == [["a"], ["b"], ["a"], []]


def test_a_value_that_never_occurs_is_refused(reading, tmp_path):
    with refused(InputError, "one_hot 'Chekced' present VALUE"):
        reading(written(tmp_path, "a,b\nU,U\nU,U\n"), one_hot="a,b", present="Chekced")


FILLED = "r,q_1,q_2,q_3,q_4,q_5\n1,Depression,,,x,one\n2,,Diabetes,,,two\n3,,,,x,\n4,,,Pain,,\n5,,Diabetes,,x,\n"


def test_any_filled_cell_is_a_member_named_by_its_only_label(reading, tmp_path):
    table = reading(written(tmp_path, FILLED), unit="r", one_hot="q_1,q_2,q_3,q_4,q_5", present="filled")
    assert rows(table) == [
        ["Depression", "q_4", "q_5"],
        ["Diabetes", "q_5"],
        ["q_4"],
        ["Pain"],
        ["Diabetes", "q_4"],
    ]
    assert table.transactions.vocabulary.labels == ("Depression", "Diabetes", "Pain", "q_4", "q_5")


def test_labels_of_several_columns_and_marks_name_no_items(reading, tmp_path):
    path = written(tmp_path, "a,b,c,d\nlow,,,\n,low,,\n,,Yes,\n,,,1\n")
    assert rows(reading(path, one_hot="a,b,c,d", present="filled")) == [["a"], ["b"], ["c"], ["d"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,0\n0,1\n", "0 absent remove present filled"),
        ("a,b\nChecked,Unchecked\nUnchecked,Checked\n", "Unchecked absent present Checked"),
        ("a,b\nflu,\n,cold\nNA,\n", "a 'row 3' NA null"),
    ],
)
def test_cells_that_are_no_members_are_not_taken_for_filled(reading, tmp_path, text, message):
    with refused(InputError, message):
        reading(written(tmp_path, text), one_hot="a,b", present="filled")


def test_nulls_of_tables_are_not_filled():
    table = pa.table({"a": ["flu", None, None], "b": pa.array([None, None, 3], pa.int64())})
    assert rows(read(table, one_hot="a,b", present="filled")) == [["flu"], [], ["3"]]
    numbers = pa.table({"a": [1, 2, None], "b": [2.0, 1.0, 2.0]})
    assert rows(read(numbers, one_hot="a,b", present="1", missing="empty")) == [["a"], ["b"], []]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"keep": "a,b", "present": "1"}, "present one_hot"),
        ({"one_hot": "a,b", "present": ""}, "present filled"),
        ({"one_hot": "a,b", "present": 1}, "present text int"),
        ({"keep": "a,b", "with_header": True}, "with_header=True one_code"),
        ({"one_hot": "a,b"}, "a 0 1 'row 1' present Checked"),
    ],
)
def test_options_without_their_columns_are_refused(tmp_path, given, message):
    with refused(InputError, message):
        read(written(tmp_path, "a,b\nChecked,Unchecked\n"), **given)


def test_the_rows_of_a_person_are_united(reading, tmp_path):
    path = written(tmp_path, "p,a,b\n1,flu,\n1,,cold\n2,,cold\n")
    table = reading(path, unit="p", one_hot="a,b", present="filled")
    assert sorted(rows(table)) == [["cold"], ["cold", "flu"]]


def test_items_contain_the_header_on_request(reading, tmp_path):
    path = written(tmp_path, "p,rs1,rs2\n1,AG,AG\n2,,GG\n3,AA,\n")
    assert rows(reading(path, unit="p", one_code="rs*", with_header=True)) == [
        ["rs1=AG", "rs2=AG"],
        ["rs2=GG"],
        ["rs1=AA"],
    ]
    table = reading(path, unit="p", one_code="rs*", with_header=True, normalize="lower")
    assert rows(table)[0] == ["rs1=ag", "rs2=ag"]


def test_a_header_with_an_equals_sign_is_escaped(tmp_path):
    path = written(tmp_path, "a,a=b,a\\\nb=c,c,=c\n")
    (row,) = rows(read(path, one_code="a,a=b,a\\", with_header=True))
    assert sorted(row) == sorted(["a=b=c", "a\\=b=c", "a\\\\==c"])


@pytest.mark.parametrize("drop", [0, 1])
def test_columns_whose_values_depend_on_the_column_are_refused(reading, tmp_path, drop):
    answers = "".join(f"{'AG' if n % 2 else 'AA'},AG,{'GG' if n % 3 else 'AG'}\n" for n in range(30))
    path = written(tmp_path, "rs1,rs2,rs3\n" + answers)
    if drop:  # two columns may contain codes of one kind
        assert reading(path, one_code="rs1,rs2", drop="rs3").n == 30
        return
    with refused(InputError, "one_code with_header=True"):
        reading(path, one_code="rs*")
    checked = "".join(f"{'Checked' if n % 2 else 'Unchecked'},Unchecked,Checked\n" for n in range(30))
    with refused(InputError, "Checked Unchecked one_hot 'm1' 'm2' 'm3' present"):
        reading(written(tmp_path, "m1,m2,m3\n" + checked), one_code="m*")


@pytest.mark.parametrize("role", ["items", "one_code"])
def test_marks_of_two_columns_are_no_items(reading, tmp_path, role):
    path = written(tmp_path, "m1,m2\nChecked,Unchecked\nUnchecked,Checked\n")
    with refused(InputError, "m1 Checked Unchecked one_hot 'm1' 'm2' present"):
        reading(path, **{role: "m1,m2"})


@pytest.mark.long
def test_codes_of_one_kind_are_no_answers(reading, tmp_path):
    codes = "".join(f"E1{n % 5},I1{n % 4},{f'J4{n % 3}' if n % 2 else f'E1{n % 5}'}\n" for n in range(60))
    assert reading(written(tmp_path, "d1,d2,d3\n" + codes), one_code="d*").n == 60


def test_choices_in_brackets_lose_their_bracket(tmp_path):
    path = written(tmp_path, '"Drug, now (choice=statin)",Drug (choice=none),Q[1]\n1,0,1\n')
    assert rows(read(path, one_hot=["Drug, now (choice=*", "Drug (choice=*", "Q[*"])) == [["1", "statin"]]


def test_pairs_of_words_are_unambiguous():
    """Each pair is one chosen and one other word, and no pair is listed in both directions."""
    assert all(chosen and other and chosen != other for chosen, other in PAIRS)
    assert not {(other, chosen) for chosen, other in PAIRS} & PAIRS
    assert words_for_marks(["No", "SÍ"]) == ("SÍ", "No")
    assert words_for_marks(["Not selected"]) == ("", "Not selected")
    assert [words_for_marks(values) for values in ([], ["1", "2"], ["Yes", "No", "n"], ["Yes", "Unchecked"])] == [
        None
    ] * 4


COUNTS = "dx_E11,dx_I10\n0,1\n2,0\n5,1.5\n0.0,0\n"


def test_counts_mark_items_if_they_are_above_0(reading, tmp_path):
    path = written(tmp_path, COUNTS)
    with refused(InputError, "dx_E11 'row 2' 'count above 0' present above-0"):
        reading(path, one_hot="dx_*")
    table = reading(path, one_hot="dx_*", present="above-0")
    assert rows(table) == [["I10"], ["E11"], ["E11", "I10"], []]
    with refused(InputError, "dx_I10 'row 3' counts"):
        reading(written(tmp_path, COUNTS.replace("1.5", "-1")), one_hot="dx_*", present="above-0")
    empty = written(tmp_path, COUNTS.replace("1.5", ""))
    with refused(InputError, "dx_I10 'row 3' empty"):
        reading(empty, one_hot="dx_*", present="above-0")
    assert rows(reading(empty, one_hot="dx_*", present="above-0", missing="empty"))[2] == ["E11"]


def test_columns_of_numbers_are_counts():
    table = read({"a": [0, 3, 1], "b": [0.0, 0.5, 0.0]}, one_hot="a,b", present="above-0")
    assert rows(table) == [[], ["a", "b"], ["a"]]


def test_inspect_proposes_counts_below_names_of_items():
    counts = {name: [0 if n % k else 1 + n % 7 for n in range(90)] for name, k in (("E11", 2), ("I10", 3), ("J45", 5))}
    found = anonset.inspect(
        {"no": [f"A{n}" for n in range(90)], **{f"dx_{n}": c for n, c in counts.items()}}, unit="no"
    )
    assert (found.settings["one_hot"], found.settings["present"]) == (["dx_*"], "above-0")
    questions = {f"item{n}": counts["E11"] for n in range(1, 6)}
    found = anonset.inspect({"no": [f"A{n}" for n in range(90)], **questions}, unit="no")
    assert "one_hot" not in found.settings
