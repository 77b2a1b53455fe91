"""Jobs with linked tables on the page."""

import re
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, publish, reported, texts, until

from anonset.errors import InputError
from anonset.settings.job import Job
from anonset.settings.job_files import read_job
from anonset.ui.state import choices
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
        assert "Table patient\npatients.csv: key patient_id.\n" in shown
        assert "Table diagnosis\ndiagnoses.csv: key visit_id, which leads to a person by table visit.\n" in shown
        await until(lambda: not state.inspection.busy)
        await until(lambda: "120 rows" in texts(user))
        shown = "\n".join(filter(None, texts(user).splitlines()))
        assert "60 rows and 60 different ids.\n" in shown
        assert "120 rows and 60 different ids. Other tables lead to a person by this table.\n" in shown
        assert element(user, "role patient.name").value == "drop"
        assert "name\ntext\nproposed: direct identifier (name or contact), 60 different values\n" in shown
        assert "anonset inspect job.toml" in shown
        risk = re.search(r"of the people are unique for the attacker of the promise, .*\n(.*)\n", shown)
        assert risk is not None
        assert "unique, if an attacker also knows all items of a person. The promise" in risk[1]
        assert "!\n1 warning" in shown  # no item is declared sensitive
        (doubt,) = state.inspection.unchecked
        assert (state.inspection.error, "diagnosis.code look like ICD-10 codes" in doubt) == ("", True)
        await user.open("/hierarchies")
        state.tree.choose("diagnosis.code")
        await until(lambda: state.tree.tree is not None or state.tree.faults)
        assert state.tree.faults == []
        assert "diagnosis.code:E*" in state.tree.tree.hierarchy.labels
        await user.open("/promise")
        assert "at least 3 matching records" in element(user, "statement").text
        await user.open("/try")
        await until(lambda: "for one who knows all items of a person" in element(user, "unique").text)
        user.find(marker="try").click()
        await until(lambda: state.trial is not None and state.trial.code is not None)
        assert state.trial.code == 0, state.trial.last.errors
        choices.choose_candidate(state, state.trial.recommended)
        assert state.unused_recommendation is None
        assert read_job(str(folder / "job.toml"))["transaction"] == "apriori"
        await user.open("/publish")
        publish(user, state)
        await until(lambda: reported(state))
        assert state.publications.new.run.errors == []
        await until(lambda: "Published and verified" in texts(user))

    by_clicks(folder, way)
    assert {path.name for path in (folder / "safe" / "tables").iterdir()} == {
        "patient.csv",
        "diagnosis.csv",
        "drug.csv",
    }


@pytest.mark.usefixtures("commands_in_this_process")
def test_each_linked_table_shows_its_first_rows(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.is_local = True
        state.open("job.toml")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        await user.open("/")
        columns = {"patient": ["sex"], "visit": [], "diagnosis": ["code"], "drug": ["atc"]}
        for table, names in columns.items():
            user.find(marker=f"records {table}").click()
            await user.should_see(marker="grid")
            options = element(user, "grid").options
            assert [one["headerName"] for one in options["columnDefs"]] == names
            assert len(options["rowData"]) == (0 if table == "visit" else 120 if table == "diagnosis" else 60)
            user.find(marker=f"records {table}").click()
            await user.should_not_see(marker="grid")

    by_clicks(folder, way)


@pytest.fixture
def clinic(folder: Path) -> Path:
    """Folder without a job file, whose tables have two keys, next to a file without a key."""
    (folder / "job.toml").unlink()
    (folder / "wards.csv").write_text("ward,beds\nA,20\nB,12\n")
    return folder


@pytest.mark.long
@pytest.mark.usefixtures("commands_in_this_process")
@pytest.mark.parametrize("inner", [False, True])
def test_a_folder_of_linked_tables_is_opened_asked_and_published(clinic: Path, tmp_path: Path, inner: bool) -> None:
    if inner:
        (tmp_path / "clinic").mkdir()
        for file in tmp_path.glob("*.csv"):
            file.rename(tmp_path / "clinic" / file.name)

    async def way(user: User, state: PageState) -> None:
        await user.open("/")
        assert "5 files" in texts(user)
        user.find("clinic" if inner else "All files of this folder").click()
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        await user.open("/")
        assert state.name == ("clinic.toml" if inner else "tables.toml")
        assert state.inspection.error == ""
        assert list(element(user, "unit").options.values()) == [
            "Each patient_id is a person: 60 persons; in 3 tables: drugs, patients, visits",
            "Each visit_id is a person: 120 persons; in 2 tables: diagnoses, visits",
        ]
        assert element(user, "unit").value is None
        assert state.first_step.startswith("First answer the question")
        shown = "\n".join(filter(None, texts(user).splitlines()))
        assert "wards.csv\nno column contains 'patient_id', or a key of a table with it\n" in shown
        assert element(user, "role diagnoses.code").value == "items"
        assert "code\nICD-10 codes\nproposed: a code per row\n" in shown
        assert "linked tables need" not in shown
        state.open("clinic" if inner else ".")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        await user.open("/")
        assert (state.inspection.error, state.unit) == ("", "?")
        element(user, "columns of the person").set_value(["visit_id"])
        user.find(marker="declare").click()
        await until(lambda: state.unit == "visit_id" and not state.inspection.busy)
        assert "diagnoses" in state.tables
        assert "patients" not in state.tables  # its rows belong to no visit
        state.change(Job({**state.stated.settings, "k": 3, "m": 1}))
        await until(lambda: "Another answer replaces" in texts(user))
        element(user, "unit").set_value("patient_id")
        await until(lambda: state.unit == "patient_id" and not state.inspection.busy)
        assert list(state.tables) == ["patients", "diagnoses", "drugs", "visits"]
        assert (state.raw["k"], state.raw["m"], state.first_step) == (3, 1, "")
        assert not list(tmp_path.glob(".*.toml"))
        for warning in state.inspection.unchecked:
            state.inspection.check(warning)
        await user.open("/publish")
        publish(user, state)
        await until(lambda: reported(state))
        assert state.publications.new.run.errors == []
        state.open("clinic" if inner else ".")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        assert (state.unit, state.answered, len(state.inspection.linked["left_out"]) > 0) == ("patient_id", True, True)

    by_clicks(clinic, way)


@pytest.mark.usefixtures("commands_in_this_process")
@pytest.mark.parametrize(("answer", "published"), [("sites.site", True), ("sites.none", False)])
def test_a_table_whose_items_are_open_is_asked(clinic: Path, answer: str, published: bool) -> None:
    towns = ["Harbour", "Market", "Castle", "Bridge", "Mill"]
    rows = [f"P{n % 60},{towns[(n * 7 + n // 60) % 5]},{n * 37 % 101}.5" for n in range(180)]
    (clinic / "sites.csv").write_text("\n".join(["patient_id,site,minutes", *rows]))

    async def way(user: User, state: PageState) -> None:
        state.open(".")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        assert state.item_answers == []  # who is a person is asked first
        choices.answer(state, "patient_id")
        await until(lambda: not state.inspection.busy)
        assert [dict(fix.settings)["items"] for fix in state.item_answers] == [["sites.site"], ["sites.none"]]
        assert state.first_step.startswith("First answer the question")
        with pytest.raises(InputError, match="which column contains the items"):
            read_job(str(clinic / "tables.toml"))
        await user.open("/")
        assert "No column of sites contains items" in texts(user)
        chosen = next(fix for fix in state.item_answers if fix.settings["items"] == [answer])
        choices.apply_fix(state, chosen)
        assert (state.first_step, state.item_answers, state.inspection.error) == ("", [], "")
        assert ("sites.site" in read_job(str(clinic / "tables.toml"))["items"]) == published

    by_clicks(clinic, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_tables_without_a_common_key_are_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "patients.csv").write_text("patient_id,sex\n" + "".join(f"P{n},f\n" for n in range(9)))
    (tmp_path / "a" / "wards.csv").write_text("patient_id,beds\n" + "".join(f"W{n},2\n" for n in range(9)))

    async def way(user: User, state: PageState) -> None:
        state.open("a")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        await user.open("/")
        assert "no key in common with another table" in texts(user)
        assert "no linked table has a column that is recognized as items" in state.inspection.error
        assert state.first_step == "The data cannot be published as they are. See the screen Data."
        await user.open("/promise")
        assert "The data cannot be published as they are." in texts(user)

    by_clicks(tmp_path, way)


def test_folders_whose_files_share_a_column_are_offered(clinic: Path) -> None:
    folder = Folder(clinic)
    assert folder.linked() == {".": 5}
    (clinic / "parts").mkdir()
    for name in ("one.csv", "two.csv"):
        (clinic / "parts" / name).write_text("patient_id,code\nP1,A\nP2,B\n")
    (clinic / "others").mkdir()
    (clinic / "others" / "one.csv").write_text("ward,beds\nA,20\n")
    (clinic / "others" / "two.csv").write_text("beds_free,nurses\n2,3\n")
    assert folder.linked() == {".": 5}
    (clinic / "school").mkdir()
    (clinic / "school" / "visits.csv").write_text("visit,child,age\nV0,C0,4\n")
    (clinic / "school" / "symptoms.csv").write_text("child,symptoms\nC0,fever\n")
    assert folder.linked() == {".": 5, "school": 2}  # this page offers no single files of other folders
    assert Folder(clinic / "school").linked() == {}
    (clinic / "school").rename(clinic / "school.private")
    assert Folder(clinic).linked() == {".": 5}


def test_a_folder_with_a_link_to_other_data_is_not_opened(
    clinic: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("other") / "outside.csv"
    outside.write_text("patient_id,code\nP1,A1\n")
    (clinic / "inner").mkdir()
    (clinic / "inner" / "link.csv").symlink_to(outside)
    with pytest.raises(InputError, match="outside of"):
        PageState(Folder(clinic)).open("inner")


def test_a_job_of_other_tables_is_not_taken_for_the_job_of_a_folder(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "drugs.csv").write_text("patient,atc\nP1,A1\n")
    (folder / "job.toml").rename(folder / "inner.toml")
    with pytest.raises(InputError, match="is the job file of other data"):
        PageState(Folder(folder)).open("inner")


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
        Folder(folder).require_inside(Job({"input": str(folder / "job.toml")}))
    assert Examination("safe", Folder(folder)).subject == "safe"


@pytest.mark.usefixtures("commands_in_this_process")
def test_skipping_undescribed_persons_changes_the_warning_the_button_and_the_persons(clinic: Path) -> None:
    rows = [f"{'P' if n < 60 else 'X'}{n},{code}" for n in range(64) for code in ("E11", "I10", "J45")]
    (clinic / "drugs.csv").write_text("\n".join(["patient_id,code", *rows]))

    async def way(user: User, state: PageState) -> None:
        state.open(".")
        await until(lambda: state.inspection.linked is not None and not state.inspection.busy)
        choices.answer(state, "patient_id")
        await until(lambda: state.unit == "patient_id" and not state.inspection.busy)
        await user.open("/")
        assert "4 persons of drugs not in patients" in texts(user)
        assert ": 64 persons" in element(user, "unit").options["patient_id"]
        user.find(content="Skip persons whom no table describes", marker="fix").click()
        await until(lambda: "skip_rows" in state.stated.settings and not state.inspection.busy)
        await until(lambda: ": 60 persons" in element(user, "unit").options["patient_id"])
        await until(lambda: "4 persons of drugs not in patients, skipped" in texts(user))
        assert "Skip persons whom no table describes" not in texts(user)

    by_clicks(clinic, way)
