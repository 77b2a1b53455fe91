"""Findings on ids that are re-issued, or that stand for many persons."""

import pyarrow as pa

import anonset
from anonset.columns.id_findings import id_findings, ids_above

CARDS = [f"C{100 + n}" for n in range(60)]


def findings(data, ids):
    return [str(one) for one in id_findings({name: pa.chunked_array([values]) for name, values in data.items()}, ids)]


def test_earlier_ids_in_another_column_are_reported():
    previous = ["", *["C100", "C101", "C102", "C103"], *[""] * 55]
    (finding,) = findings({"card": CARDS, "previous_card": previous}, ["card"])
    assert "'previous_card'" in finding
    assert "4" in finding
    assert "C10" not in finding


def test_managers_are_no_earlier_ids():
    managers = ["", *[f"C{100 + n % 6}" for n in range(59)]]
    assert findings({"card": CARDS, "manager": managers}, ["card"]) == []


def test_values_of_another_column_are_no_earlier_ids():
    assert findings({"card": CARDS, "order": [f"O{n}" for n in range(60)]}, ["card"]) == []


def test_an_id_with_far_more_rows_than_the_others_is_reported():
    customers = [f"K{n // 2}" for n in range(200)] + ["K9999"] * 60
    (finding,) = findings({"customer": customers}, ["customer"])
    assert "60 of 260" in finding
    assert "9999" not in finding
    assert findings({"customer": customers[:200] + ["K1"] * 5}, ["customer"]) == []


def test_ids_with_and_without_an_authority_are_reported_with_the_number_of_persons():
    ids = [f"{1000 + n}" for n in range(40)]
    for affixed in ("{}^^^MRN", "{}@h.org", "MRN {}"):
        (finding,) = findings({"patient": [*ids, *map(affixed.format, ids[:30])]}, ["patient"])
        assert "30 of 70 ids" in finding
        assert "40 persons" in finding
    assert findings({"patient": [*ids, *[f"B{n}" for n in range(30)]]}, ["patient"]) == []


def test_the_only_row_without_ids_is_reported():
    students = {name: ["", *[f"{name}{n}" for n in range(40)]] for name in ("id", "login", "section")}
    points = {"student": ["Points Possible", *[f"s{n}" for n in range(40)]], "midterm": [100] * 41}
    (finding,) = findings(students | points, [])
    assert "row 1 " in finding
    assert "'section'" in finding
    assert "delete it from the file" in finding
    assert findings(students | points | {"id": ["", "", *students["id"][2:]]}, []) == []


PERSONS = [f"P{100 + n}" for n in range(40)]


def above(data):
    return ids_above({name: pa.chunked_array([values]) for name, values in data.items()}, ["id"])


def test_rows_that_leave_out_repeated_cells_continue_the_row_above():
    ids, names = ([cell for one in cells for cell in (one, "")] for cells in (PERSONS, [f"N {n}" for n in PERSONS]))
    problem, rows = above({"id": ids, "name": names, "code": ["E11", "I10"] * 40})
    assert rows.tolist() == [n - n % 2 for n in range(80)]
    assert "40 rows" in problem.sentence
    ends = above({"id": [*ids, "", ""], "name": [*names, "", ""], "code": ["E11", "I10"] * 40 + ["", ""]})
    assert "40 rows" in ends[0].sentence


def test_rows_of_nobody_continue_no_row():
    ids = [*PERSONS, "", *PERSONS, ""]
    assert above({"id": ids, "name": ids, "event": ["login", "backup"] * 41}) is None  # of the system
    assert above({"id": [*PERSONS, "", ""], "name": [*PERSONS, "", ""], "code": ["E11"] * 40 + ["", ""]}) is None


def test_rows_without_an_id_that_are_skipped_get_none(tmp_path):
    path = tmp_path / "events.csv"
    rows = [f"{n % 30 + 100 if n % 9 else ''},{'viewed' if n % 2 else 'saved'} {n % 7}" for n in range(1, 400)]
    path.write_text("\n".join(["user_id,event", *rows]) + "\n", "utf-8")
    answer = anonset.inspect(str(path), skip_rows="no-id").question.answers[0]
    assert "above" not in answer.doubt
    assert answer.skipped == sum(row.startswith(",") for row in rows)
