"""Errors and findings carry the settings that remedy them, and each edge spells these settings in its own way."""

import json
import pickle
from pathlib import Path

import pytest

import anonset
from anonset.cli.main import main
from anonset.errors import (
    RAW_DATA_STAY,
    DisclosureError,
    Fix,
    InputError,
    LeftoverNote,
    MisreadError,
    MissingRoleError,
    Problem,
    datum,
    foreign,
    typed,
)
from anonset.release.scan.findings import ScanFinding
from anonset.settings.readers import tree_lines
from anonset.spelling import as_options, spelled_by
from facts import names, refused

LONG = "x, y " * 50_000
PATH = "d/" * 100_000
FIXES = [Fix({"null": ["-99"]}, "if it means a missing value"), Fix({"drop": ["age"]}), Fix({}, "or correct the data")]


@pytest.mark.parametrize("value", [repr(LONG), PATH, datum(LONG), foreign(LONG), typed(PATH), f"rule={PATH}"])
def test_long_values_are_abridged_in_every_message(value: str) -> None:
    error = InputError(f"the column 'age' got {value} as the value of {datum('E10')}; use another")
    for text in (str(error), str(Problem(f"{error}"))):
        assert text.startswith("the column 'age' got ")
        assert text.endswith(" as the value of 'E10'; use another")
        assert len(text) < 400
    hidden = "…" if value in (datum(LONG), foreign(LONG), typed(PATH)) else f"{value[:150]}…{value[-100:]}"
    assert error.public == f"the column 'age' got {hidden} as the value of …; use another"


def test_text_between_values_is_complete() -> None:
    prose = "is a value of this column, and " * 20
    error = InputError(f"{datum('E10')} {prose} {datum('E11')}")
    assert str(error) == f"'E10' {prose} 'E11'"
    assert error.public == f"… {prose} …"


def test_settings_of_a_fix_are_complete() -> None:
    names = [f"column{number}" for number in range(500)]
    assert f"drop={names!r}" in str(InputError("too many", fixes=[Fix({"drop": names})]))


def test_a_long_path_is_abridged_by_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", PATH]) == 2
    assert len(capsys.readouterr().err) < 400


def test_a_problem_is_followed_by_its_fixes_in_the_spelling_of_the_edge() -> None:
    problem = Problem("-99 is no age", FIXES)
    ways = "if it means a missing value: null='-99'; or use drop='age'; or correct the data"
    assert str(problem) == f"-99 is no age; {ways}"
    with spelled_by(as_options):
        ways = "if it means a missing value: --null -99; or use --drop age; or correct the data"
        assert str(problem) == f"-99 is no age; {ways}"


def test_an_error_contains_its_fixes_in_the_message_and_as_data() -> None:
    error = InputError(f"item {datum('E10')}", fixes=FIXES, column="age")
    assert names(error, "E10 null -99 drop age")
    assert "E10" not in error.public
    assert (error.fixes, error.place) == (FIXES, {"column": "age"})
    assert InputError(error.problem).fixes == FIXES
    error.name_path("item", "set")
    assert (str(error), error.fixes) == (str(InputError(Problem("set 'E10'", FIXES))), FIXES)


def test_an_error_of_a_worker_keeps_its_fixes() -> None:
    error = MisreadError("the file ends with a footer", fixes=[Fix({"skip_rows": ["footer"]}, "to skip it")])
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.fixes, copy.code) == (str(error), error.fixes, error.code)


def test_the_fixes_of_a_publication_that_identifies_persons_are_those_of_its_findings() -> None:
    findings = [ScanFinding.of(["age"], 3, "values are rare", FIXES), ScanFinding.of(["zip"], 1, "value is rare", [])]
    error = DisclosureError(findings)
    assert [*error.fixes][:3] == FIXES
    assert [fix.settings for fix in error.fixes][3:] == [{"publish_as_is": ["age"]}, {"publish_as_is": ["zip"]}]
    assert str(error).count("so nothing is published") == 2


def test_columns_without_a_role_are_an_error_of_their_own() -> None:
    with refused(MissingRoleError, "age items relational drop", code="input"):
        anonset.read({"codes": ["a"], "age": ["1"]}, items="codes")


def test_a_label_with_a_semicolon_is_rejected_with_its_remedy(tmp_path: Path) -> None:
    tree = tmp_path / "tree.csv"
    tree.write_text('"a;b",x,all\nc,x,all\n')
    with refused(InputError, "semicolon t_tree rename label"):
        tree_lines(str(tree), None)  # type: ignore[arg-type]


def test_inspect_lists_the_fixes_of_each_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "visits.csv"
    table.write_text("age,codes\n" + "".join(f"{20 + n % 40},E10 I10\n" for n in range(60)) + "-99,E10\n-99,J20\n")
    assert main(["inspect", str(table), "--unit", "row", "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    of_problem = {one["text"]: one["fixes"] for one in found["problems"]}
    (problem,) = (problem for problem in of_problem if "-99" in problem)
    assert of_problem[problem] == [{"settings": {"null": ["age=-99"]}, "effect": "if it does"}]
    assert "--null age=-99" in problem


def test_inspect_lists_the_fixes_of_the_role_of_each_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "answers.csv"
    table.write_text("sex,blob\n" + "".join(f"{'fm'[n % 2]},{'abc'[n % 3]}\n" for n in range(60)))
    assert main(["inspect", str(table), "--unit", "row", "--json", "--quiet"]) == 0
    sex, blob = json.loads(capsys.readouterr().out)["columns"]
    assert (sex["role"], sex["fixes"], blob["role"]) == ("relational", [], "drop")
    assert [fix["settings"] for fix in blob["fixes"]] == [{"relational": ["blob"]}, {"sensitive": ["blob"]}]
    assert "if others know it: --relational blob; if it is sensitive: --sensitive blob" in blob["reason"]


def test_commands_print_notes_on_leftovers_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        error = InputError("cannot be read")
        error.add_note(f"{RAW_DATA_STAY} row 4711")
        error.add_note(LeftoverNote(f"{RAW_DATA_STAY} 'work'"))
        raise error

    monkeypatch.setattr("anonset.cli.commands.clean.work_directories", fail)
    assert main(["clean"]) == 2
    printed = capsys.readouterr().err
    assert names(printed, "warning 'work'")
    assert "4711" not in printed


def test_a_log_with_many_readers_contains_no_fixes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "visits.csv"
    table.write_text("a,b\n1,0\n0,1\n")
    arguments = ["anonymize", str(table), "--items", "a,b", "--unit", "row", "--k", "2", "--m", "1", "--model", "km"]
    assert main([*arguments, "-o", str(tmp_path / "out"), "--log-format", "json"]) == 2
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert any(event.get("level") == "error" for event in events)
    assert not any("fixes" in event for event in events)
