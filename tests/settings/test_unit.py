"""The answer to the question who is a person, in job files and beside flags."""

from pathlib import Path

import pytest
from tests.facts import names, refused

from anonset.errors import InputError
from anonset.settings.commands import InspectSettings
from anonset.settings.job_files import over_job, read_job
from anonset.settings.settings import Settings

JOB = """\
input = "rows.csv"
# unit = "who" # 9 rows, 3 persons
# unit = "row" # each row is a person: 9 rows, 9 persons
unit = "?"
[unit_is."who"]
id = ["who"]
group = true
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
    with pytest.raises(InputError) as told:
        read_job(job(tmp_path, JOB))
    assert names(told.value, """'unit = "who"' 9 3 'unit = "row"'""")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("by", ["line", "flags"])
def test_an_answer_brings_its_settings(tmp_path: Path, by: str) -> None:
    def answered(unit: str, **flags: object) -> dict[str, object]:
        line = f'unit = "{unit}"' if by == "line" else 'unit = "?"'
        return read_job(job(tmp_path, JOB.replace('unit = "?"', line)), {} if by == "line" else flags)

    persons = answered("who", id=["who"], group=True)
    assert (persons["id"], persons["group"], persons["items"]) == (["who"], True, ["code"])
    assert (persons["hierarchy"], persons["unit"]) == ({"code": "balanced:5"}, ["who"])
    assert "rows_are_persons" not in persons
    rows = answered("row", rows_are_persons=True)
    assert (rows["relational"], rows["rows_are_persons"], rows["unit"]) == (["code"], True, ["row"])
    assert "id" not in rows
    assert "hierarchy" not in rows


def test_an_answer_without_roles_names_the_command_that_proposes_them(tmp_path: Path) -> None:
    with refused(InputError, "inspect '--id other' --group"):
        read_job(job(tmp_path, JOB.replace('"?"', '"other"')))


def test_a_job_without_answers_takes_any_columns(tmp_path: Path) -> None:
    text = 'input = "rows.csv"\nunit = "a,b"\nrelational = ["a", "c"]\ndrop = "b"\n'
    found = read_job(job(tmp_path, text))
    assert (found["id"], found["group"], found["relational"], "drop" in found) == (["a", "b"], True, ["c"], False)
    assert read_job(job(tmp_path, text.replace('"a,b"', '"row"')))["rows_are_persons"] is True
    with refused(InputError, "unit 3"):
        read_job(job(tmp_path, text.replace('"a,b"', "3")))


def test_inspect_looks_at_a_job_that_is_not_answered(tmp_path: Path) -> None:
    place, found = over_job(job(tmp_path, JOB), "input", {}, InspectSettings, unanswered=True)
    assert (Path(place).name, found) == ("rows.csv", {})
    with pytest.raises(InputError):
        over_job(job(tmp_path, JOB), "input", {}, Settings)
