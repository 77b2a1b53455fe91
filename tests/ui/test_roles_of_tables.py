"""Roles of columns of linked tables, changed on the page."""

import tomllib
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.cli.main import main
from anonset.errors import Fix
from anonset.settings.job import Job
from anonset.ui.state import choices
from anonset.ui.state.page_state import PageState
from anonset.ui.state.table_roles import with_columns

JOB = """# the clinic
unit = "patient_id"
model = "kkm"
k = 3
m = 1
out = "safe"

[tables.patient]
input = "patients.csv"
relational = ["sex"]  # of the record
drop = ["name", "age"]

[tables.visit]
input = "visits.csv"

[tables.diagnosis]
input = "diagnoses.csv"
key = "visit_id"
in = "visit"
items = "code"

[tables.drug]
input = "drugs.csv"
key = "patient"
items = "atc"

[hierarchy]
patient.sex = "values"
"diagnosis.code" = "prefix:1"
drug.atc = "prefix:1"
"""
CHANGES = {
    "patient.age relational": {
        "tables.patient": 'relational = ["sex", "age"]|drop = ["name"]|numeric = ["age"]',
        "hierarchy": 'patient.age = "range"',
    },
    "patient.sex drop": {
        "": 'model = "km"',
        "tables.patient": '-relational|drop = ["name", "age", "sex"]',
        "hierarchy": "-patient.sex",
    },
    "drug.dose items": {"tables.drug": 'items = "dose"', "hierarchy": '-drug.atc|drug.dose = "halves:frequency"'},
    "drug.atc drop": {"-": "tables.drug", "hierarchy": "-drug.atc"},
    "diagnosis.code drop": {"-": "tables.visit tables.diagnosis", "hierarchy": "-diagnosis.code"},
    "patient.name keep": {"tables.patient": 'drop = ["age"]|keep = ["name"]'},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tables = {
        "patients": ["patient_id,sex,name,age", *(f"P{n},{'fm'[n % 2]},N{n},{20 + n % 50}" for n in range(60))],
        "visits": ["visit_id,patient_id", *(f"{n},P{n % 60}" for n in range(120))],
        "diagnoses": ["visit_id,code", *(f"{n},{'EI'[n % 2]}1{n % 3}" for n in range(120))],
        "drugs": ["patient,atc,dose", *(f"P{n % 60},A{n % 2},{n % 7}" for n in range(90))],
    }
    for name, rows in tables.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


def settings(text: str) -> dict[str, dict[str, object]]:
    """Return the entries of each part of a job file, with one name for each column."""
    job = tomllib.loads(text)
    trees = {}
    for name, spec in job.pop("hierarchy").items():
        trees |= {f"{name}.{column}": one for column, one in spec.items()} if isinstance(spec, dict) else {name: spec}
    tables = {f"tables.{name}": table for name, table in job.pop("tables").items()}
    return {"": job, **tables, "hierarchy": trees}


def expected(changes: dict[str, str]) -> dict[str, dict[str, object]]:
    made = settings(JOB)
    for part, lines in changes.items():
        if part == "-":
            for name in lines.split():
                del made[name]
            continue
        for line in lines.split("|"):
            if line.startswith("-"):
                del made[part][line[1:]]
                continue
            name, _, value = line.partition(" = ")
            made[part][name] = tomllib.loads(f"x = {value}")["x"]
    return made


@pytest.mark.usefixtures("commands_in_this_process")
def test_a_menu_changes_the_job_file(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("job.toml")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        for change, parts in CHANGES.items():
            (folder / "job.toml").write_text(JOB)
            await user.open("/")
            column, role = change.split()
            element(user, f"role {column}").set_value(role)
            made, text = expected(parts), (folder / "job.toml").read_text()
            assert settings(text) == made, change
            assert text.startswith("# the clinic\n")

    by_clicks(folder, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_other_menus_follow_and_a_left_out_table_is_published_again(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("job.toml")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        await user.open("/")
        element(user, "role drug.dose").set_value("items")
        assert element(user, "role drug.atc").value == "drop"  # a table has one column of items
        element(user, "role drug.atc").set_value("items")
        assert element(user, "role drug.dose").value == "drop"
        element(user, "role diagnosis.code").set_value("drop")
        assert list(state.tables) == ["patient", "drug"]
        await user.open("/")
        assert element(user, "role diagnosis.code").value == "drop"
        element(user, "role diagnosis.code").set_value("items")
        assert settings((folder / "job.toml").read_text())["tables.diagnosis"] == {
            "input": "diagnoses.csv", "key": "visit_id", "in": "visit", "items": "code",
        }  # fmt: skip
        assert state.raw["tables"]["visit"] == {"input": "visits.csv", "key": "patient_id"}
        assert main(["anonymize", str(folder / "job.toml"), "--quiet"]) == 0

    by_clicks(folder, way)
    assert {file.name for file in (folder / "safe" / "tables").iterdir()} == {
        "patient.csv",
        "drug.csv",
        "diagnosis.csv",
    }


@pytest.mark.usefixtures("commands_in_this_process")
@pytest.mark.parametrize(("column", "role"), [("drug.dose", "relational"), ("patient.age", "items")])
def test_a_role_that_the_command_line_rejects_is_rejected_with_the_same_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], column: str, role: str
) -> None:
    table, _, name = column.partition(".")
    rejected = JOB.replace(f"[tables.{table}]", f'[tables.{table}]\n{role} = "{name}"').replace(', "age"]', "]")
    (folder / "rejected.toml").write_text(rejected)
    monkeypatch.chdir(folder)
    assert main(["anonymize", "rejected.toml"]) == 2
    sentence = capsys.readouterr().err.partition("rejected.toml: ")[2].strip()

    async def way(user: User, state: PageState) -> None:
        state.open("job.toml")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        await user.open("/")
        before = element(user, f"role {column}").value
        element(user, f"role {column}").set_value(role)
        assert f"job.toml: {sentence}" in texts(user)
        assert element(user, f"role {column}").value == before
        assert (folder / "job.toml").read_text() == JOB

    by_clicks(folder, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_a_recommended_role_of_a_linked_table_is_written_to_its_section(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("job.toml")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        choices.apply_fix(
            state, Fix({"relational": ["patient.age"], "hierarchy": {"patient.age": "bins:width=10"}, "k": 4})
        )
        job = settings((folder / "job.toml").read_text())
        assert (job["tables.patient"]["relational"], job["tables.patient"]["drop"]) == (["sex", "age"], ["name"])
        assert "numeric" not in job["tables.patient"]
        assert (job["hierarchy"]["patient.age"], job[""]["k"]) == ("bins:width=10", 4)
        choices.apply_fix(state, Fix({"drop": ["patient.age"]}))
        assert settings((folder / "job.toml").read_text())["hierarchy"] == settings(JOB)["hierarchy"]
        state.validated()
        choices.apply_fix(state, Fix({"model": "kkm", "k": 3}))
        job = settings((folder / "job.toml").read_text())[""]
        assert (job["model"], job["k"], "algorithm" in job) == ("kkm", 3, False), "the default of linked tables applies"
        choices.apply_fix(state, Fix({"algorithm": "rum-bound"}))
        assert settings((folder / "job.toml").read_text())[""]["algorithm"] == "rum-bound"

    by_clicks(folder, way)


def test_tables_that_link_through_other_tables_stay() -> None:
    tables = {
        "stay": Job({"input": "stays.csv"}),
        "visit": Job({"input": "visits.csv", "key": "stay_id", "in": "stay"}),
        "drug": Job({"input": "drugs.csv", "key": "visit_id", "in": "visit.visit_id", "items": "atc"}),
        "lab": Job({"input": "labs.csv", "items": "code"}),
    }
    for dropped, remaining in (("lab.code", ["stay", "visit", "drug"]), ("drug.atc", ["lab"])):
        _, after = with_columns(Job(), tables, {}, "patient_id", Job({"drop": [dropped]}))
        assert [*after] == remaining
