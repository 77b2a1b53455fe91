"""The unit (the owner's answer to the question "who is a person?") in job files and options."""

import re
import shlex
from pathlib import Path

import pytest
from tests.facts import names, refused

from anonset.cli.main import main
from anonset.errors import InputError
from anonset.settings.commands import InspectSettings
from anonset.settings.job import Job
from anonset.settings.job_files import over_job, read_job
from anonset.settings.settings import Settings

JOB = """\
input = "rows.csv"
# unit = "who" # 9 rows, 3 persons
# unit = "row" # each row is a person: 9 rows, 9 persons
unit = "?"
[unit_is."who"]
items = ["code"]
model = "km"
[unit_is."who".hierarchy]
"code" = "balanced:5"
[unit_is."row"]
relational = ["code"]
drop = ["who"]
model = "k"
"""


def job(folder: Path, text: str) -> str:
    path = folder / "job.toml"
    path.write_text(text)
    return str(path)


def test_an_open_question_stops_with_the_possible_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError) as reported:
        read_job(job(tmp_path, JOB))
    assert names(reported.value, """'unit = "who"' 9 3 'unit = "row"'""")
    assert "\n" not in str(reported.value)


@pytest.mark.parametrize("by", ["line", "flags"])
def test_an_answer_sets_its_settings(tmp_path: Path, by: str) -> None:
    def answered(unit: str) -> dict[str, object]:
        line = f'unit = "{unit}"' if by == "line" else 'unit = "?"'
        return read_job(job(tmp_path, JOB.replace('unit = "?"', line)), Job({} if by == "line" else {"unit": [unit]}))

    persons = answered("who")
    assert (persons["unit"], persons["items"], persons["hierarchy"]) == (["who"], ["code"], {"code": "balanced:5"})
    for unit in ("row", "unknown"):
        rows = answered(unit)
        assert (rows["relational"], rows["unit"], "hierarchy" in rows) == (["code"], [unit], False)


def test_an_answer_without_roles_names_the_command_that_proposes_them(tmp_path: Path) -> None:
    rows = [f"{i % 3};{i};{'abc'[i % 3]};{'xyz'[i % 2]}" for i in range(9)]
    (tmp_path / "rows.csv").write_text("\n".join(["who;other;code;sex", *rows]) + "\n")
    text = JOB.replace('"?"', '"other"').replace('input = "rows.csv"', 'input = "rows.csv"\ndelimiter = ";"')
    (tmp_path / "job-2.toml").touch()
    with refused(InputError, "inspect '--unit other'") as reported:
        read_job(job(tmp_path, text))
    command = re.search(r"anonset (inspect .*)$", str(reported.value))
    assert command is not None
    assert main(shlex.split(command[1])) == 0
    written = tmp_path / "job-3.toml"
    written.write_text(written.read_text().replace('items = "?"', 'items = "none"'))
    repeated = read_job(str(written))
    assert (repeated["unit"], repeated["delimiter"], repeated["input"]) == (["other"], ";", str(tmp_path / "rows.csv"))


def test_a_job_without_answers_accepts_any_columns(tmp_path: Path) -> None:
    text = 'input = "rows.csv"\nunit = "a,b"\nrelational = ["a", "c"]\ndrop = "b"\n'
    result = read_job(job(tmp_path, text))
    assert (result["unit"], result["relational"], "drop" in result) == (["a", "b"], ["c"], False)
    assert read_job(job(tmp_path, text.replace('"a,b"', '"row"')))["relational"] == ["a", "c"]
    with refused(InputError, "unit 3"):
        read_job(job(tmp_path, text.replace('"a,b"', "3")))


def test_inspect_reads_an_unanswered_job(tmp_path: Path) -> None:
    place, settings = over_job(job(tmp_path, JOB), "input", Job(), InspectSettings, unanswered=True)
    assert (Path(place).name, settings) == ("rows.csv", {})
    with pytest.raises(InputError):
        over_job(job(tmp_path, JOB), "input", Job(), Settings)


@pytest.mark.long
def test_persons_with_inconsistent_rows_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"P{100 + i % 200},{'fm'[i % 2]},{i % 7},{'abcd'[i * 7 % 11 % 4]}" for i in range(400)]
    for index in (3, 8, 11):
        rows[index] = rows[index].replace(",f,", ",x,").replace(",m,", ",x,")
    (tmp_path / "rows.csv").write_text("\n".join(["patient_id,sex,ward,code", *rows]) + "\n")
    assert main(["inspect", str(tmp_path / "rows.csv"), "-o", str(tmp_path / "job.toml")]) == 0
    answer = read_job(str(tmp_path / "job.toml"), Job({"unit": ["patient_id"], "items": ["code"]}))
    assert ("sex" in answer["relational"], answer["differing"]) == (True, "first")
    text = (tmp_path / "job.toml").read_text()
    assert re.search(r"# .*'sex': the rows of 3 persons differ, .* check row 4, 9, 12", text)
    assert re.search(r"# (ward|code): differs .* for \d\d+ persons", text, re.MULTILINE)
    capsys.readouterr()
    kkm = ["--model", "kkm", "--k", "5", "--m", "2"]
    options = ["--unit", "patient_id", "--relational", "sex", "--items", "code", "--drop", "ward"]
    assert main(["anonymize", str(tmp_path / "rows.csv"), *options, "-o", str(tmp_path / "out"), *kkm]) == 2
    assert names(capsys.readouterr().err, "rows 4 204 sex 3 persons '--drop sex'")


def test_many_of_few_persons_are_not_few(tmp_path: Path) -> None:
    rows = [f"P{100 + i % 20},{'x' if i < 3 else 'fm'[i % 2]},{'abcd'[i * 7 % 11 % 4]}" for i in range(400)]
    (tmp_path / "rows.csv").write_text("\n".join(["patient_id,sex,code", *rows]) + "\n")
    assert main(["inspect", str(tmp_path / "rows.csv"), "-o", str(tmp_path / "job.toml")]) == 0
    assert re.search(r"# sex: differs .* for 3 persons$", (tmp_path / "job.toml").read_text(), re.MULTILINE)
