"""Labels that a spreadsheet would run as formulas are published unchanged, with a warning that does not quote them."""

import json
import warnings

import pytest
from tests.facts import names

import anonset
from anonset.release.kinds.formulas import is_formula


@pytest.mark.parametrize(
    ("label", "runs"),
    [
        ("=1+1", True),
        ('=HYPERLINK("http://x")', True),
        ("+cmd|' /C calc'!A0", True),
        ("-2+3", True),
        ("@SUM(A1)", True),
        ("\t=1", True),
        ("\r=1", True),
        ("＝1+1", True),
        ("+49 30 1234", True),
        ("-5", False),
        ("+5", False),
        ("-.5e-3", False),
        ("-", False),
        ("=", False),
        ("", False),
        ("a=b", False),
        ("[-3:5]", False),
        ("(=a,b)", False),
    ],
)
def test_labels_that_a_spreadsheet_would_run_are_detected(label, runs):
    assert is_formula(label) == runs


ROWS = [{"=cmd", "b"}, {"=cmd", "b"}, {"+x", "b"}, {"+x", "b"}, {"-7"}, {"-7"}]
TREE = anonset.Hierarchy.from_tree(("ALL", [("A", ["=a1", "a2"]), "=cmd", "+x", "-7", "b", "@rare"]))


def released(rows):
    table = anonset.Table.from_sets(rows)
    return anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies={"items": TREE}, workers=1)


def test_saving_as_csv_warns_without_changing_labels(tmp_path):
    release = released(ROWS)
    with pytest.warns(UserWarning, match="spreadsheet") as text:
        release.save(tmp_path / "out")
    (message,) = [str(warning.message) for warning in text]
    assert names(message, "2 items members codebook CSV formulas")
    assert not any(label in message for label in ("cmd", "+x", "rare"))
    lines = (tmp_path / "out" / "published.csv").read_text().splitlines()
    assert lines == ["items", "=cmd b", "=cmd b", "+x b", "+x b", "-7", "-7"]
    report = json.loads((tmp_path / "out.private" / "report.json").read_text())
    assert report["warnings"] == [message]


@pytest.mark.parametrize("name", ["parquet", "dat"])
def test_formats_that_are_not_text_tables_give_no_warning_of_formulas(tmp_path, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released(ROWS).save(tmp_path / "out", format=name)


def test_labels_that_no_row_shows_are_no_danger(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        released([{"b"}, {"b"}, {"-7"}, {"-7"}]).save(tmp_path / "out")


def test_members_in_the_codebook_are_a_danger(tmp_path):
    with pytest.warns(UserWarning, match="codebook"):
        released([{"=a1", "b"}, {"a2", "b"}]).save(tmp_path / "out")
