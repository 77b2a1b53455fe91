"""Jobs with linked tables on the page."""

from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.errors import InputError
from anonset.settings.job_files import read_job
from anonset.ui.state.examination import Examination
from anonset.ui.state.folder import Folder
from anonset.ui.state.page_state import PageState

JOB = """unit = "patient_id"
model = "kkm"
k = 3
m = 1
out = "safe"
[tables.patient]
input = "patients.csv"
relational = "sex"
drop = "name"
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
diagnosis.code = "prefix:1"
drug.atc = "prefix:1"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tables = {
        "patients": ["patient_id,sex,name", *(f"P{n},{'fm'[n % 2]},N{n}" for n in range(60))],
        "visits": ["visit_id,patient_id", *(f"{n},P{n % 60}" for n in range(120))],
        "diagnoses": ["visit_id,code", *(f"{n},{'EI'[n % 2]}1{n % 3}" for n in range(120))],
        "drugs": ["patient,atc", *(f"P{n},A{n % 2}" for n in range(60))],
    }
    for name, rows in tables.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


@pytest.mark.long
@pytest.mark.usefixtures("commands_in_this_process")
def test_linked_tables_are_shown_tried_and_published(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("job.toml")
        await user.open("/")
        shown = "\n".join(filter(None, texts(user).splitlines()))
        assert "patient\npatients.csv\npatient_id\nsex (an attacker may know it); name (do not publish)" in shown
        assert "visit\nvisits.csv\npatient_id\nonly leads from keys to persons, not published" in shown
        assert "diagnosis\ndiagnoses.csv\nvisit_id of table visit\ncode (items: a set per person)" in shown
        assert "The page does not inspect them" in shown
        assert "anonset inspect patients.csv\nanonset inspect visits.csv\n" in shown
        assert "○\nnot inspected" in shown
        assert (state.error, state.unchecked) == ("", [])
        await user.open("/hierarchies")
        state.tree.choose("diagnosis.code")
        await until(lambda: state.tree.tree is not None or state.tree.faults)
        assert state.tree.faults == []
        assert "diagnosis.code:E*" in state.tree.tree.hierarchy.labels
        await user.open("/promise")
        assert "at least 3 matching records" in element(user, "statement").text
        await user.open("/try")
        user.find(marker="try").click()
        await until(lambda: state.trial is not None and state.trial.code is not None)
        assert state.trial.code == 0, state.trial.running.errors
        state.choose_candidate(state.trial.recommended)
        assert state.unused_recommendation == {}
        assert read_job(str(folder / "job.toml"))["transaction"] == "apriori"
        await user.open("/publish")
        user.find(marker="publish").click()
        await until(lambda: state.report is not None and state.report.code is not None)
        assert state.publication.errors == []
        await until(lambda: "Published and verified" in texts(user))

    by_clicks(folder, way)
    assert {path.name for path in (folder / "safe" / "tables").iterdir()} == {
        "patient.csv",
        "diagnosis.csv",
        "drug.csv",
    }


@pytest.mark.parametrize("path", ["../outside.csv", "{parent}/outside.csv", "link.csv", "s3://bucket/drugs.csv"])
def test_a_job_with_a_table_outside_of_the_folder_is_rejected(folder: Path, path: str) -> None:
    (folder.parent / "outside.csv").write_text("patient,atc\nP1,A1\n")
    (folder / "link.csv").symlink_to(folder.parent / "outside.csv")
    job = JOB.replace("drugs.csv", path.replace("{parent}", str(folder.parent)))
    (folder / "job.toml").write_text(job)
    with pytest.raises(InputError, match="outside of"):
        PageState(Folder(folder)).open("job.toml")
    (folder / "safe.private").mkdir()
    (folder / "safe.private" / "report.json").write_text("{}")
    with pytest.raises(InputError, match="outside of"):
        Folder(folder).require_inside({"input": str(folder / "job.toml")})
    assert Examination("safe", Folder(folder)).subject == "safe"
