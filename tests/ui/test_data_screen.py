"""The screen Data: distributions, and fixes of warnings by one click."""

import random
import re
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.cli.main import main
from anonset.errors import Fix, InputError, Problem
from anonset.privacy.model import PrivacyModel
from anonset.report.doubts import unprotected_items, weak_guarantee
from anonset.settings.job import Job
from anonset.settings.job_files import read_job
from anonset.ui.screens.fix_buttons import open_fixes
from anonset.ui.state import choices
from anonset.ui.state.folder import Folder
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import ITEMS, fix_in_words
from anonset.ui.state.steps import open_questions, promise_of, settle, step_of
from anonset.ui.state.trial import Trial

pytestmark = pytest.mark.long
in_this_process = pytest.mark.usefixtures("commands_in_this_process")


def visits(folder: Path) -> Path:
    """Write a table with a number that means a missing value."""
    rng = random.Random(1)
    rows = [f"{rng.randint(20, 60)},{rng.choice(['E10 I10', 'E10', 'J20 I10'])}" for _ in range(60)]
    (folder / "visits.csv").write_text("\n".join(["age,codes", *rows, "-99,E10", "-99,J20"]))
    return folder


async def opened(user: User, state: PageState, name: str) -> None:
    state.open(name)
    await until(lambda: not state.inspection.busy and (state.inspection.findings is not None or state.inspection.error))
    await user.open("/")


@in_this_process
def test_a_fix_changes_the_job_file_by_the_printed_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    visits(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "visits.csv")
        choices.answer(state, "row")
        await until(lambda: not state.inspection.busy)
        assert "“Treat age=-99 as missing”" in texts(user)  # the message names the button
        assert "--null" not in texts(user)
        user.find(content="Treat age=-99 as missing", marker="fix").click()
        await until(lambda: not state.inspection.busy and "null" in state.stated.settings)
        await until(lambda: "Treat age=-99 as missing" not in texts(user))

    by_clicks(tmp_path, way)
    monkeypatch.chdir(tmp_path)
    assert main(["inspect", "visits.csv", "--unit", "row", "--null", "age=-99", "--quiet", "-o", "typed.toml"]) == 0
    assert read_job("visits.toml")["null"] == read_job("typed.toml")["null"] == ["age=-99"]


@in_this_process
def test_a_fix_before_there_is_a_job_file_repeats_the_inspection(tmp_path: Path) -> None:
    rng = random.Random(1)
    rows, names = (
        [f"{number},{','.join(rng.choices('01', k=30))}" for number in range(25)],
        [f"q{n}" for n in range(30)],
    )
    (tmp_path / "marks.csv").write_text("\n".join([",".join(["ref", *names]), *rows]))  # the columns may be persons

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "marks.csv")
        assert not (tmp_path / "marks.toml").exists()
        user.find(content="Use q0 … q29", marker="fix").click()
        await until(lambda: not state.inspection.busy and state.raw)
        await until(lambda: "Use q0" not in texts(user))

    by_clicks(tmp_path, way)
    job = read_job(str(tmp_path / "marks.toml"), Job({"unit": "row"}), unanswered=True)
    assert job["one_hot"] == names


def test_no_button_recommends_a_setting_that_all_answers_contain(tmp_path: Path) -> None:
    state, fixes = PageState(Folder(tmp_path)), [Fix({"skip_rows": ["footer"]}), Fix({"null": ["NULL"]})]
    fixes += [Fix({}, "correct the data")]
    job = tmp_path / "job.toml"
    job.write_text(
        'input = "a.csv"\nunit = "?"\n[unit_is.row]\nskip_rows = ["footer"]\n[unit_is.pid]\nskip_rows = ["footer"]\n'
        'null = ["NULL"]\n'
    )
    state.job = job
    assert [fix_in_words(fix.settings) for fix in open_fixes(state, fixes)] == ["Treat NULL as missing"]
    job.write_text('input = "a.csv"\nunit = "row"\n')
    words = ["Skip totals and notes at the end", "Treat NULL as missing"]
    assert [fix_in_words(fix.settings) for fix in open_fixes(state, fixes)] == words


def persons(folder: Path) -> None:
    """Write two rows per person. The rows of person P070 differ in `sex`."""
    rng, rows = random.Random(1), ["patient,age,sex,codes"]
    for number in range(100):
        age, sex = rng.randint(18, 90), rng.choice("fm")
        for visit in (0, 1):
            shown = "fm"[visit] if number == 70 else sex
            codes = " ".join(f"{letter}{rng.randrange(5)}" for letter in "cde")
            rows.append(f"P{number:03},{age},{shown},{codes}")
    (folder / "persons.csv").write_text("\n".join(rows))


@in_this_process
def test_a_warning_stays_after_the_answer_until_the_owner_settles_it(tmp_path: Path) -> None:
    persons(tmp_path)
    warning = "the rows of 1 person differ"

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "persons.csv")
        assert warning in texts(user)
        element(user, "unit").set_value("patient")
        await until(lambda: state.answered and not state.inspection.busy)
        await until(lambda: "I checked this" in texts(user))
        assert warning in texts(user)
        assert "check row 142" in texts(user)
        await user.open("/promise")
        assert "2 warnings on the screen " in texts(user)
        await user.open("/")
        first, doubt = state.inspection.unchecked  # the value, and the person
        assert warning in first
        assert "may stand for several persons" in doubt
        state.inspection.check(doubt)
        await until(lambda: "1 warning checked" in texts(user))
        user.find(marker="check").click()
        await until(lambda: "2 warnings checked" in texts(user))
        assert "I checked this" not in texts(user)
        await user.open("/publish")
        assert "on the screen " not in texts(user)
        await user.open("/")
        state.inspection.check(first, checked=False)
        await until(lambda: "I checked this" in texts(user))
        element(user, "role sex").set_value("drop")  # its values need no check, but the person does
        await until(lambda: not state.inspection.busy and warning not in texts(user))
        assert state.inspection.unchecked == []
        assert [*state.inspection.warnings] == [doubt]

    by_clicks(tmp_path, way)


@in_this_process
def test_columns_show_the_frequencies_of_their_values(tmp_path: Path) -> None:
    visits(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "visits.csv")
        assert state.inspection.findings is not None
        columns = {column["name"]: column["frequencies"] for column in state.inspection.findings["columns"]}
        assert (len(columns["codes"]), len(columns["age"])) == (3, 12)
        assert columns["codes"] == sorted(columns["codes"], reverse=True)
        assert user.client is not None
        bars = [one for one in user.client.elements.values() if "height" in one.style]
        assert len([bar for bar in bars if bar.style["height"].endswith("%")]) == 15
        labels = [one.props["aria-label"] for one in user.client.elements.values() if one.props.get("role") == "img"]
        (most, *_, least) = columns["codes"]
        assert f"codes: the 3 most frequent values, from {most} to {least} rows" in labels

    by_clicks(tmp_path, way)


@in_this_process
def test_a_role_of_another_kind_changes_the_model(tmp_path: Path) -> None:
    rng = random.Random(2)
    rows = [f"{rng.randint(20, 60)},{rng.choice('fm')},{rng.choice(['x', 'y'])},{rng.choice('abc')}" for _ in range(90)]
    (tmp_path / "answers.csv").write_text("\n".join(["AGE,sex,grp,blob", *rows]))

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "answers.csv")
        choices.answer(state, "row")
        await until(lambda: not state.inspection.busy and state.answered)
        await user.open("/")
        reason = next(text for text in texts(user).splitlines() if "not recognized" in text)
        assert (
            reason == "proposed: not recognized as an attribute that others know"
        )  # the menu beside it changes the role
        assert state.stated.settings["model"] == "k"
        choices.give_role(state, ["grp"], "items")
        assert (state.stated.settings["model"], state.stated.settings["m"]) == ("kkm", 2)
        await until(lambda: not state.inspection.busy)
        choices.give_role(state, ["AGE"], "sensitive")
        await until(lambda: not state.inspection.busy)
        await user.open("/promise")
        await until(lambda: "The model kkm does not protect AGE" in texts(user))
        choices.give_role(state, ["AGE"], "drop")
        await until(lambda: "The model kkm" not in texts(user))
        choices.give_role(state, ["sex"], "drop")
        assert state.stated.settings["model"] == "km"

    by_clicks(tmp_path, way)


def test_a_column_that_no_model_protects_is_removed_on_the_screen_promise(tmp_path: Path) -> None:
    rng = random.Random(1)
    rows = [f"{rng.choice('fm')},{rng.choice(['yes', 'no'])},{rng.choice(['E10 I10', 'E10'])}" for _ in range(60)]
    (tmp_path / "visits.csv").write_text("\n".join(["sex,hiv,codes", *rows]))
    (tmp_path / "visits.toml").write_text(
        'input = "visits.csv"\nout = "safe"\nunit = "row"\nmodel = "kkm"\nk = 2\nm = 1\n'
        'items = ["codes"]\nrelational = ["sex"]\nsensitive = "hiv"\n'
        '[hierarchy]\nsex = "values"\ncodes = "halves:frequency"\n'
    )

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "visits.toml")
        await user.open("/promise")
        assert " (median), 2 (95th percentile)." in texts(user)
        user.find(content="Do not publish hiv", marker="fix").click()
        await until(lambda: "hiv" in state.stated.settings["drop"] and state.inspection.busy)
        await until(lambda: "Guarantee" in texts(user))
        for screen, label in (("/try", "Try the candidates"), ("/publish", "Publish")):
            await user.open(screen)
            assert not any(one.tag == "button" and one.text == label for one in user.client.elements.values())  # type: ignore[union-attr]
            assert "Inspecting the data …" in texts(user)
        await until(lambda: not state.inspection.busy)
        await until(lambda: "Inspecting the data …" not in texts(user))
        user.find(marker="publish")

    by_clicks(tmp_path, way)


@in_this_process
def test_a_role_before_there_is_a_job_file_writes_it(tmp_path: Path) -> None:
    rng = random.Random(1)
    rows = [f"{rng.choice(['red', 'blue', 'green'])},{rng.choice('xyz')}" for _ in range(60)]
    (tmp_path / "survey.csv").write_text("\n".join(["q1,q2", *rows]))

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "survey.csv")
        assert "No column can be published" in texts(user)
        assert not (tmp_path / "survey.toml").exists()
        element(user, "role q1").set_value("relational")
        await until(lambda: not state.inspection.busy and "unit_is" in state.raw)
        await until(lambda: "No column can be published" not in texts(user))
        assert state.raw["relational"] == ["q1"], "it is the same for each person"

    by_clicks(tmp_path, way)


@in_this_process
def test_without_columns_to_publish_the_page_leads_to_the_screen_data(tmp_path: Path) -> None:
    (tmp_path / "broken.csv").write_bytes("name;straße\nMüller;1\n".encode("latin-1"))

    async def way(user: User, state: PageState) -> None:
        await user.open("/promise")
        assert "First choose the data on the screen Data." in texts(user)
        assert "anonset inspect FILE" in texts(user)
        await opened(user, state, "broken.csv")
        assert "No column can be published" in texts(user)
        for screen in ("/", "/hierarchies", "/promise", "/policies", "/try", "/publish", "/queries"):
            await user.open(screen)
            shown = texts(user).splitlines()
            assert ("First choose the columns to publish on the screen Data." in shown) == (screen != "/")
            assert "Data: broken.csv" in shown
            assert "anonset inspect broken.csv" in shown
            assert not any(line.startswith("Next: ") for line in shown)
        await user.open("/")
        element(user, "role straße").set_value("relational")
        await until(lambda: not state.inspection.busy and state.raw)
        await until(lambda: "Who is a person?" in texts(user))
        assert "Next: choose the promise" not in texts(user)
        element(user, "unit").set_value("row")
        await until(lambda: "Next: choose the promise" in texts(user))
        assert "anonset inspect broken.toml" in texts(user)
        assert "Job file: broken.toml" in texts(user)

    by_clicks(tmp_path, way)


JOB = (
    'input = "visits.csv"\nout = "safe"\nmodel = "km"\nk = 2\nm = 1\n'
    'items = ["codes"]\nhierarchy = {codes = "prefix:1"}\n'
)


@in_this_process
@pytest.mark.parametrize("job", ["", f'{JOB}drop = ["pid", "ward"]\n'], ids=["no job file", "written by hand"])
@pytest.mark.parametrize("answer", ["pid", "unknown"])
def test_the_question_is_asked_until_it_is_answered(tmp_path: Path, job: str, answer: str) -> None:
    rows = (f"P{n % 20},{'AB'[n % 2]},E10 I1{n % 3}" for n in range(60))
    (tmp_path / "visits.csv").write_text("\n".join(["pid,ward,codes", *rows]))
    if job:
        (tmp_path / "visits.toml").write_text(job)

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "visits.toml" if job else "visits.csv")
        assert "Who is a person?" in texts(user)
        assert not state.answered
        assert "unique" not in texts(user)  # no figure of risk before the person is declared
        assert state.inspection.findings is not None
        offered = [one["unit"] for one in state.inspection.findings["question"]["answers"]]
        assert (offered[0], offered[-2:]) == ("pid", ["row", "unknown"])
        choice = element(user, "unit")
        assert (choice.value, list(choice.options)[: len(offered)]) == (None, offered)
        for screen in ("/promise", "/try", "/publish"):
            await user.open(screen)
            assert "First answer the question “Who is a person?” on the screen Data." in texts(user)
            assert "button" not in [one.tag for one in user.client.elements.values()]  # type: ignore[union-attr]
        await user.open("/")
        element(user, "unit").set_value(answer)
        await until(lambda: state.answered and not state.inspection.busy)
        assert state.raw["unit"] == answer
        await user.open("/")
        assert element(user, "unit").value == answer
        await user.open("/publish")
        user.find(marker="publish")

    by_clicks(tmp_path, way)


@in_this_process
def test_baskets_need_no_answer(tmp_path: Path) -> None:
    (tmp_path / "baskets.dat").write_text("\n".join(f"a{n % 3} b{n % 2}" for n in range(40)))

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "baskets.dat")
        assert state.answered
        assert "Who is a person?" not in texts(user)
        assert "Next: choose the promise" in texts(user)

    by_clicks(tmp_path, way)


@in_this_process
def test_other_screens_wait_for_the_inspection_and_the_answer(tmp_path: Path) -> None:
    (tmp_path / "broken.csv").write_bytes(b"codes,age\nE10\n\xff\xfe,1,2\n")
    (tmp_path / "visits.csv").write_text("\n".join(["pid,codes", *(f"P{n % 9},E10 I{n % 5}" for n in range(40))]))

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "broken.csv")
        await user.open("/try")
        assert "The data are not inspected yet. See the screen Data." in texts(user)
        await opened(user, state, "visits.csv")
        assert "Next: choose the promise" not in texts(user)
        await user.open("/try")
        assert "First answer the question “Who is a person?” on the screen Data." in texts(user)

    by_clicks(tmp_path, way)


def loans(folder: Path) -> None:
    """Write two loans per customer. The loans of most customers differ in `rating`, `purpose` and `amount`."""
    rng, rows = random.Random(1), ["customer,birth year,job,amount,purpose,rating"]
    for number in range(150):
        person = f"K{number:03},{rng.randint(1950, 1999)},{rng.choice(['clerk', 'nurse', 'cook'])}"
        rows += [f"{person},{rng.randint(1, 90)}00,{rng.choice('pqrs')},{rng.choice('ABCD')}" for _ in range(2)]
    (folder / "loans.csv").write_text("\n".join(rows))


@in_this_process
@pytest.mark.parametrize("role", ["sensitive", "relational"])
def test_a_role_that_the_rows_of_a_person_contradict_is_an_error_with_its_remedies(tmp_path: Path, role: str) -> None:
    loans(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "loans.csv")
        choices.answer(state, "customer")
        await until(lambda: not state.inspection.busy and state.answered)
        await user.open("/")
        element(user, "role rating").set_value(role)
        await until(lambda: state.inspection.error)
        for screen in ("/promise", "/publish", "/"):
            await user.open(screen)
            shown = [line for line in texts(user).splitlines() if "have the same id" in line]
            assert len(shown) == 1
            assert shown[0].startswith("loans.csv: rows ")
            assert not any(part in shown[0] for part in ("proposal.toml", "…", "--", "complete command"))
            assert "I checked this" not in texts(user)
            assert ("Choose a remedy on the screen " in texts(user)) == (screen != "/")
            assert step_of(state, "Promise").words == "open"
        assert "300 rows." in texts(user).splitlines()
        assert element(user, "unit").options["customer"] == "Each customer is a person: 150 persons"
        state.change(Job({**state.stated.settings, "k": 6}))  # does not repair the data
        assert "have the same id" in state.inspection.error
        assert len(user.find(marker="fix").elements) == 2
        user.find(content="Do not publish rating", marker="fix").click()
        await until(lambda: not state.inspection.busy and not state.inspection.error)
        await until(lambda: "have the same id" not in texts(user))
        await until(lambda: "300 rows, 150 records." in texts(user).splitlines())
        if role == "relational":  # a sensitive column says that no column contains items
            user.find(marker="items", content="No column contains items").click()
            await until(lambda: not state.inspection.busy and not state.first_step)
            await user.open("/promise")
        assert step_of(state, "Promise").words != "open"

    by_clicks(tmp_path, way)


ITEMS_OF_ANSWER = {
    "Use purpose as items": ["purpose"],
    "Use purpose and rating as items": ["purpose", "rating"],
    "No column contains items": [],
}


@in_this_process
@pytest.mark.parametrize("answer", ITEMS_OF_ANSWER)
def test_the_items_are_asked_before_the_promise(tmp_path: Path, answer: str) -> None:
    loans(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "loans.csv")
        choices.answer(state, "customer")
        await until(lambda: not state.inspection.busy and state.answered)
        await user.open("/promise")
        assert ITEMS in texts(user)
        assert step_of(state, "Promise").words == "open"
        choices.give_role(state, ["job"], "drop")  # the question remains open
        await until(lambda: not state.inspection.busy)
        await user.open("/")
        assert "'purpose' (one item a row, 4 items, " in texts(user)
        user.find(content=answer, marker="items").click()
        await until(lambda: not state.inspection.busy and not state.first_step)
        await until(lambda: ITEMS not in texts(user))
        await until(lambda: "'purpose' (one item a row" not in texts(user))
        settings = state.validated()
        assert settings.items == ITEMS_OF_ANSWER[answer]
        assert settings.model == ("kkm" if settings.items else "k")
        assert {"job", "purpose", "rating", "amount"} - {*settings.items} <= {*settings.drop}

    by_clicks(tmp_path, way)


@in_this_process
def test_the_number_of_persons_follows_the_inspection(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(
        "\n".join(["pid,ward,codes", *(f"P{n % 20},{n % 2},E10 I{n % 5}" for n in range(60))])
    )
    (tmp_path / "visits.toml").write_text(f'{JOB}unit = ["pid", "ward"]\n')

    async def way(user: User, state: PageState) -> None:
        await user.open("/")
        state.open("visits.toml")  # the number of pairs is not known before the inspection
        await until(lambda: not state.inspection.busy and state.inspection.findings)
        await user.open("/")
        assert element(user, "unit").options["pid,ward"].endswith(": 20 persons")
        assert state.inspection.findings is not None
        state.inspection.findings = {**state.inspection.findings, "records": 19}
        await until(lambda: element(user, "unit").options["pid,ward"].endswith(": 19 persons"))

    by_clicks(tmp_path, way)


@in_this_process
def test_after_a_chosen_remedy_its_effect_remains_a_warning(tmp_path: Path) -> None:
    loans(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "loans.csv")
        choices.answer(state, "customer")
        await until(lambda: not state.inspection.busy and state.answered)
        await user.open("/")
        element(user, "role rating").set_value("relational")
        await until(lambda: state.inspection.error)
        await until(lambda: "have the same id" in texts(user))
        user.find(content="Publish the values of each person's first row", marker="fix").click()
        await until(lambda: not state.inspection.busy and not state.inspection.error)
        await until(lambda: "I checked this" in texts(user))
        others = "seems sensitive", "is proposed as the items"
        (warning,) = [one for one in state.inspection.unchecked if not any(text in one for text in others)]
        assert "'rating': the rows of" in warning
        assert "chosen" in texts(user).splitlines()  # the reason of the role

    by_clicks(tmp_path, way)


@in_this_process
def test_columns_that_the_unit_drops_are_named_below_the_question(tmp_path: Path) -> None:
    loans(tmp_path)
    dropped = "the rows of a person differ: amount, purpose, rating. As items, all values of a person can be"

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "loans.csv")
        assert "the rows of a person differ" not in texts(user)  # the question is open
        element(user, "unit").set_value("customer")
        await until(lambda: not state.inspection.busy and state.answered)
        await until(lambda: dropped in texts(user))
        state.change(
            Job({**state.stated.settings, "drop": ["amount", "purpose"], "relational": ["birth year", "job", "rating"]})
        )
        await until(lambda: "differ: amount, purpose." in texts(user))
        choices.answer(state, "row")
        await until(lambda: "the rows of a person differ" not in texts(user))

    by_clicks(tmp_path, way)


@in_this_process
def test_any_columns_can_be_declared_as_the_person(tmp_path: Path) -> None:
    rows = (f"P{n % 20},{'AB'[n % 2]},{n % 7},E10 I1{n % 3}" for n in range(60))
    (tmp_path / "visits.csv").write_text("\n".join(["pid,ward,bed,codes", *rows]))

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "visits.csv")
        assert "ward,bed" not in state.raw["unit_is"]
        state.change(Job({**state.stated.settings, "k": 7, "out": "mine"}))
        await user.open("/")
        element(user, "columns of the person").set_value(["bed", "ward"])
        user.find(marker="declare").click()
        await until(lambda: state.answered and not state.inspection.busy)
        assert (state.unit, state.raw["items"]) == ("ward,bed", "?"), "pid repeats, so it may contain the items"
        choices.give_role(state, ["codes"], "items")
        await until(lambda: not state.inspection.busy and state.stated.settings.get("items") == ["codes"])
        assert (state.raw["k"], state.raw["out"], state.first_step) == (7, "mine", "")
        assert len({(n % 2, n % 7) for n in range(60)}) == state.inspection.findings["records"]
        await user.open("/")
        element(user, "role pid").set_value("unit")
        await until(lambda: state.unit == "pid" and not state.inspection.busy)
        await until(lambda: element(user, "role ward").enabled and not element(user, "role pid").enabled)
        assert element(user, "unit").options["pid"] == "Each pid is a person: 20 persons"

    by_clicks(tmp_path, way)


@in_this_process
def test_roles_are_proposed_until_somebody_chooses_them_also_after_a_reload(tmp_path: Path) -> None:
    visits(tmp_path)
    rows = (tmp_path / "visits.csv").read_text().splitlines()
    named = [f"{row},{'sex' if not n else 'fm'[n % 2]},P{n % 40}" for n, row in enumerate(rows)]
    (tmp_path / "visits.csv").write_text("\n".join([named[0].replace("P0", "pid"), *named[1:]]))

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "visits.csv")
        choices.answer(state, "row")
        await until(lambda: state.answered and not state.inspection.busy)
        assert "Replace unit" not in (tmp_path / "visits.toml").read_text()
        choices.give_role(state, ["sex"], "keep")
        choices.give_role(state, ["sex"], "relational")
        for _ in range(2):
            await until(lambda: not state.inspection.busy)
            await user.open("/")
            shown = texts(user).splitlines()
            assert "proposed: an attacker may know the value" in shown
            assert shown.count("chosen") == 1
            state.close()
            state.open("visits.csv")
        text = (tmp_path / "visits.toml").read_text().partition('[unit_is."row"]')[2]
        assert "# age: an attacker may know the value" in text
        assert "# sex: " not in text

    by_clicks(tmp_path, way)


@in_this_process
def test_a_warning_that_nobody_checked_comes_back_after_a_reload(tmp_path: Path) -> None:
    persons(tmp_path)
    text = (tmp_path / "persons.csv").read_text().replace("age", "âge")
    (tmp_path / "persons.csv").write_text(text, encoding="latin-1")

    async def way(user: User, state: PageState) -> None:
        async def again() -> list[str]:
            state.close()
            state.open("persons.csv")
            await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
            return [warning for warning in state.inspection.unchecked if "check the characters" in warning]

        await opened(user, state, "persons.csv")
        choices.answer(state, "patient")
        await until(lambda: state.answered and not state.inspection.busy)
        (warning,) = await again()
        state.inspection.check(warning)
        assert await again() == []
        assert [one for one in state.inspection.warnings if "check the characters" in one]

    by_clicks(tmp_path, way)


@in_this_process
def test_warnings_that_are_checked_stay_checked_after_a_reload(tmp_path: Path) -> None:
    """An inspection finds these warnings again, unlike warnings about settings that it wrote itself."""
    persons(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "persons.csv")
        choices.answer(state, "row")
        await until(lambda: state.answered and not state.inspection.busy)
        found = state.inspection.unchecked
        assert any("only 100 different values of 'patient'" in one for one in found)
        for one in found:
            state.inspection.check(one)
        state.close()
        state.open("persons.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        assert state.inspection.unchecked == []
        assert {*found} <= {*state.inspection.warnings}
        assert any("only 100 different values" in one and "“" not in one for one in state.inspection.checked)

    by_clicks(tmp_path, way)


@in_this_process
def test_a_warning_names_only_remedies_that_have_a_button(tmp_path: Path) -> None:
    rows = [f"{20 + n % 40},{'-' if n < 9 else 'fmd'[n % 3]},{'E10 I10' if n % 3 else 'J20'}" for n in range(90)]
    (tmp_path / "persons.csv").write_text("\n".join(["age,sex,codes", *rows]))

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "persons.csv")
        choices.answer(state, "row")
        await until(lambda: state.answered and not state.inspection.busy)
        await user.open("/")
        (shown,) = (line for line in texts(user).splitlines() if line.startswith("'-' probably means"))
        assert shown == "'-' probably means a missing value ('sex'). anonset does this already: Treat - as missing."
        user.find(marker="keep values").click()
        await until(lambda: not state.stated.names("null") and not state.inspection.busy)
        await until(lambda: "Undo: keep - as a value" in texts(user))
        user.find(content="Treat - as missing", marker="fix").click()
        await until(lambda: state.stated.names("null") == ["-"] and not state.inspection.busy)

    by_clicks(tmp_path, way)


@in_this_process
def test_a_warning_that_is_checked_again_comes_back_after_a_reload(tmp_path: Path) -> None:
    persons(tmp_path)
    text = (tmp_path / "persons.csv").read_text().replace("age", "âge")
    (tmp_path / "persons.csv").write_text(text, encoding="latin-1")

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "persons.csv")
        choices.answer(state, "patient")
        await until(lambda: state.answered and not state.inspection.busy)
        (warning,) = (one for one in state.inspection.unchecked if "check the characters" in one)
        before = (tmp_path / "persons.toml").read_text()
        state.inspection.check(warning)
        comment = f"# Check: {state.inspection.comments[warning]}"
        checked = [
            line.replace("# Check: ", "# Checked: ") if line == comment else line for line in before.splitlines()
        ]
        assert sorted((tmp_path / "persons.toml").read_text().splitlines()) == sorted(checked)
        state.inspection.check(warning, checked=False)
        assert sorted((tmp_path / "persons.toml").read_text()) == sorted(before)

    by_clicks(tmp_path, way)


@in_this_process
def test_an_unknown_person_stays_on_all_screens_and_roles_can_be_changed(tmp_path: Path) -> None:
    persons(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "persons.csv")
        choices.answer(state, "unknown")
        await until(lambda: state.answered and not state.inspection.busy)
        choices.give_role(state, ["sex"], "drop")
        assert "sex" in state.stated.settings["drop"]
        assert "sex" not in state.stated.settings["relational"]
        await until(lambda: not state.inspection.busy)
        for warning in state.inspection.unchecked:
            state.inspection.check(warning)
        assert step_of(state, "Promise").words == "open"
        undeclared = "No person is declared. The guarantee covers rows, and a person may have several."
        limit = (
            "A person with several rows is not protected as one person, because the data do not say who is a person."
        )
        for screen, sentence in (("/promise", limit), ("/try", undeclared), ("/publish", undeclared)):
            await user.open(screen)
            assert sentence in texts(user)
        assert step_of(state, "Promise").words.startswith("done")

    by_clicks(tmp_path, way)


@in_this_process
@pytest.mark.parametrize("typed", [0, -3, 2.5, None])
def test_a_size_that_is_no_positive_integer_is_refused_beside_its_field(tmp_path: Path, typed: float | None) -> None:
    persons(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await declared(state, "persons.csv", "patient")
        before = state.stated
        await user.open("/promise")
        field = element(user, "size k")
        field.set_value(typed)
        user.find(marker="size k").trigger("blur")
        assert (field.error, field.value) == ("Enter an integer of at least 1. Other values are not used.", typed)
        assert state.stated == before
        field.set_value(4)
        assert (field.error, state.stated.settings["k"]) == (None, 4)
        await user.open("/queries")
        element(user, "workload queries").set_value(typed)
        user.find(marker="generate").click()
        assert not state.workload.generating.busy

    by_clicks(tmp_path, way)


@in_this_process
def test_more_matching_records_than_persons_are_refused_on_the_screen_promise(tmp_path: Path) -> None:
    persons(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "persons.csv")
        choices.answer(state, "patient")
        await until(lambda: state.answered and not state.inspection.busy)
        await user.open("/promise")
        element(user, "size k").set_value(900)
        await until(lambda: "k=900 is more than the number of records, 100: choose a smaller k" in texts(user))
        assert step_of(state, "Promise").words == "1 warning"
        element(user, "size k").set_value(5)
        await until(lambda: "k=900" not in texts(user))
        assert step_of(state, "Promise").words.startswith("done")

    by_clicks(tmp_path, way)


@in_this_process
def test_a_contradicted_person_is_a_warning_until_it_is_checked(tmp_path: Path) -> None:
    persons(tmp_path)
    warning = "only 100 different values of 'patient'"

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "persons.csv")
        choices.answer(state, "row")
        await until(lambda: state.answered and not state.inspection.busy)
        await user.open("/")
        assert warning in texts(user)
        await user.open("/publish")
        assert "Before you publish" in texts(user)
        for one in state.inspection.unchecked:
            state.inspection.check(one)
        await until(lambda: "Before you publish" not in texts(user))
        await user.open("/publish")  # repeated before the run
        assert "which still appl" in texts(user)
        assert warning in texts(user)

    by_clicks(tmp_path, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_a_remedy_without_which_the_declared_person_cannot_be_read_keeps_the_answer(tmp_path: Path) -> None:
    rows = [f"{'' if n == 6 else f'F{n // 2:03}'},P{n // 2:03},{'fm'[n % 4 // 2]}" for n in range(200)]
    (tmp_path / "visits.csv").write_text("\n".join(["case,pid,sex", *rows]))

    async def way(user: User, state: PageState) -> None:
        state.open("visits.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/")
        user.find(marker="likely-case").click()
        await until(lambda: "Skip rows without a person" in texts(user) and not state.inspection.busy)
        assert (state.answered, state.inspection.asked_unit) == (False, "case")
        await until(lambda: (element(user, "unit").value, element(user, "role case").value) == ("case", "unit"))
        assert "First answer the question" in state.first_step
        user.find(content="Skip rows without a person", marker="fix").click()
        await until(lambda: state.answered and not state.inspection.busy)
        assert (state.unit, state.inspection.asked_unit) == ("case", "")
        assert "no-id" in str(state.raw["skip_rows"])

    by_clicks(tmp_path, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_all_warnings_are_checked_by_one_click(tmp_path: Path) -> None:
    rows = [f"P{n:03},{'k.A.' if n % 5 == 0 else n % 40 + 20},{'-99' if n % 7 == 0 else n % 3}" for n in range(100)]
    (tmp_path / "people.csv").write_text("\n".join(["pid,age,children", *rows]))

    async def way(user: User, state: PageState) -> None:
        state.open("people.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/")
        assert len(state.inspection.unchecked) > 1
        user.find(marker="check-all").click()
        await until(lambda: not state.inspection.unchecked)
        assert "# Checked: " in state.file.read_text()

    by_clicks(tmp_path, way)


@in_this_process
def test_a_corrected_person_that_cannot_be_read_yet_is_shown_in_place_of_the_former_one(tmp_path: Path) -> None:
    products = ["shirt", "shoe", "sock", "hat", "scarf", "belt", "jacket"]
    rows = [f"O{n // 2:03},{'' if n == 6 else f'C{n // 4:03}'},{products[n % 7]}" for n in range(400)]
    (tmp_path / "orders.csv").write_text("\n".join(["order_id,customer_id,product", *rows]))

    async def way(user: User, state: PageState) -> None:
        await opened(user, state, "orders.csv")
        choices.answer(state, "order_id")
        await until(lambda: state.answered and not state.inspection.busy)
        choices.apply_fix(state, Fix({"unit": ["customer_id"]}))
        await until(lambda: state.inspection.error and not state.inspection.busy)
        await until(lambda: element(user, "unit").value == "customer_id")
        await until(lambda: element(user, "role customer_id").value == "unit")
        assert element(user, "role order_id").value == "drop"
        assert "chosen above as the person" in texts(user)
        await user.open("/publish")
        assert "First answer the question “Who is a person?”" in texts(user)  # never with the former person

    by_clicks(tmp_path, way)


def survey(folder: Path) -> None:
    """Write a survey with an age that means a missing value, columns of 0 and 1, and answers from 1 to 5."""
    rng, media = random.Random(5), ["facebook", "tiktok", "youtube", "smokes", "drinks"]
    rows = [
        ",".join(map(str, [rng.randint(18, 80), *(rng.randrange(2) for _ in media), *rng.choices(range(1, 6), k=4)]))
        for _ in range(300)
    ]
    rows[7:9] = [re.sub(r"^\d+", "999", row) for row in rows[7:9]]
    (folder / "survey.csv").write_text("\n".join([",".join(["age", *media, "q1", "q2", "q3", "q4"]), *rows]))


async def declared(state: PageState, name: str, unit: str) -> None:
    state.open(name)
    await until(lambda: not state.inspection.busy and state.inspection.findings is not None)
    choices.answer(state, unit)
    await until(lambda: state.answered and not state.inspection.busy)


@in_this_process
def test_a_fix_leaves_a_job_that_runs_and_can_be_undone(tmp_path: Path) -> None:
    survey(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await declared(state, "survey.csv", "row")
        before, words = state.stated, step_of(state, "Data").words
        await user.open("/")
        user.find(content="Treat age=999 as missing", marker="fix").click()
        await until(lambda: "null" in state.stated and not state.inspection.busy)
        assert state.inspection.errors == []
        assert state.stated["missing"] == "empty,value"
        assert state.stated.entries("hierarchy")["age"].startswith("bins:")
        await until(lambda: "Undo: treat age=999 as missing" in texts(user))
        missing = state.stated
        choices.give_role(state, ["age"], "drop")
        await until(lambda: "Undo: do not publish age" in texts(user) and not state.inspection.busy)
        assert "null" not in state.stated
        assert not any("999" in one for one in state.inspection.warnings)  # nobody sees the column
        user.find(marker="undo choice").click()
        await until(lambda: "null" in state.stated and not state.inspection.busy)
        assert state.stated == missing
        await until(lambda: "Undo: treat age=999 as missing" in texts(user))
        user.find(marker="undo choice").click()
        await until(lambda: "null" not in state.stated and not state.inspection.busy)
        assert state.stated == before
        await until(lambda: "Undo:" not in texts(user))
        assert step_of(state, "Data").words == words

    by_clicks(tmp_path, way)


@in_this_process
def test_other_choices_and_other_programs_end_undo(tmp_path: Path) -> None:
    survey(tmp_path)

    async def way(_: User, state: PageState) -> None:
        await declared(state, "survey.csv", "row")
        choices.give_role(state, ["age"], "drop")
        await until(lambda: not state.inspection.busy)
        assert state.file is not None
        state.file.write_text(state.file.read_text() + "# by hand\n")
        state.store("# checked\n" + state.file.read_text())  # no choice of the owner
        with pytest.raises(InputError, match=r"another program changed survey\.toml"):
            choices.undo(state)
        assert state.file.read_text().endswith("# by hand\n")
        state.change(state.stated.with_(k=7))
        assert choices.undoable(state) == ""

    by_clicks(tmp_path, way)


@in_this_process
def test_sensitive_columns_of_marks_are_a_warning_whose_button_protects_them(tmp_path: Path) -> None:
    survey(tmp_path)
    file = tmp_path / "survey.csv"
    file.write_text(file.read_text().replace("tiktok", "hiv").replace("drinks", "depression"))

    async def way(user: User, state: PageState) -> None:
        await declared(state, "survey.csv", "row")
        choices.apply_fix(state, next(one for one in state.item_answers if "one_hot" in one.settings))
        await until(lambda: state.stated.names("one_hot") and not state.inspection.busy)
        await user.open("/")
        seem = "The items of items seem sensitive ('hiv' and 'depression'), and none is declared sensitive"
        assert seem in texts(user)
        choices.choose_sensitive_items(state, ["hiv"])
        await until(lambda: "The items of items seem sensitive ('depression'), and none is" in texts(user))
        choices.choose_sensitive_items(state, [])
        await until(lambda: seem in texts(user))
        user.find(content="Protect hiv and depression from inference", marker="fix").click()
        await until(lambda: state.stated.names("sensitive_items") == ["hiv", "depression"])
        assert state.model().name in ("lm", "klm")
        await until(lambda: seem not in texts(user) and not state.inspection.busy)

    by_clicks(tmp_path, way)


@in_this_process
def test_items_with_sensitive_names_are_a_warning_before_the_publication(tmp_path: Path) -> None:
    rows = [f"c{n},{item}" for n in range(60) for item in ("milk", "tea", "pregnancy test" if n % 9 else "bread")]
    (tmp_path / "baskets.csv").write_text("\n".join(["customer,product", *rows]))

    async def way(user: User, state: PageState) -> None:
        await declared(state, "baskets.csv", "customer")
        await user.open("/")
        assert "The items of product seem sensitive (1 item), and none is declared sensitive" in texts(user)
        assert "pregnancy" not in texts(user)  # a value
        await user.open("/publish")
        assert "The items of product seem sensitive (1 item)" in texts(user)

    by_clicks(tmp_path, way)


@in_this_process
def test_a_problem_that_stops_the_run_is_an_error_that_cannot_be_checked(tmp_path: Path) -> None:
    survey(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await declared(state, "survey.csv", "row")
        state.change(state.stated.with_(null=["age=999"]))
        state.inspect_again()
        await until(lambda: len(state.inspection.errors) == 1 and not state.inspection.busy)
        await user.open("/")
        assert "row 8 is null" in texts(user)
        assert "I checked this" not in texts(user)
        assert step_of(state, "Data").words == "error"

    by_clicks(tmp_path, way)


@in_this_process
def test_columns_of_marks_replace_other_items_by_one_click(tmp_path: Path) -> None:
    survey(tmp_path)

    async def way(user: User, state: PageState) -> None:
        await declared(state, "survey.csv", "row")
        await user.open("/")
        assert {"one_hot", "items"} & {*element(user, "role smokes").options} == {"one_hot"}
        choices.apply_fix(state, state.item_answers[0])
        await until(lambda: state.stated.names("one_code") and not state.inspection.busy)
        choices.give_role(state, ["facebook", "tiktok", "youtube", "smokes", "drinks"], "one_hot")
        await until(lambda: "items are declared by" in state.inspection.error and not state.inspection.busy)
        await until(lambda: "Do not publish q1, q2, q3 and q4" in texts(user))
        user.find(content="Do not publish q1", marker="fix").click()
        await until(lambda: not state.inspection.errors and not state.inspection.busy)
        assert len(state.stated.names("one_hot")) == 5
        state.model()

    by_clicks(tmp_path, way)


def shown(user: User, marker: str) -> str:
    return " ".join(one.text for one in element(user, marker).descendants() if getattr(one, "text", ""))


def promised(state: PageState) -> PrivacyModel:
    promise = promise_of(state)
    assert not isinstance(promise, Problem)
    return promise[0]


@in_this_process
def test_a_tab_names_the_job_of_another_tab_and_a_trial_is_kept_for_its_job(tmp_path: Path) -> None:
    persons(tmp_path)
    (tmp_path / "others.csv").write_text((tmp_path / "persons.csv").read_text())

    async def way(user: User, state: PageState) -> None:
        await declared(state, "persons.csv", "patient")
        state.trial = trial = Trial(state.name, state.tried, state.folder)
        await user.open("/promise")
        message = "Another tab has opened others"
        assert message not in texts(user)
        state.close()
        state.open("others.csv")
        await until(lambda: message in texts(user))
        assert state.trial is None
        other = User(user.http_client)
        await other.open("/")
        assert message not in texts(other)
        state.open("persons.csv")
        assert state.trial is trial
        await until(lambda: not state.inspection.busy)

    by_clicks(tmp_path, way)


@in_this_process
def test_a_column_of_items_remains_doubtful_until_one_of_its_own_items_is_sensitive(tmp_path: Path) -> None:
    rng, codes, drugs = random.Random(1), ["E10", "I10", "J45"], ["A10BA02", "C09AA05", "N02BE01"]
    rows = [f"{' '.join(rng.sample(codes, 2))},{' '.join(rng.sample(drugs, 2))}" for _ in range(40)]
    (tmp_path / "visits.csv").write_text("\n".join(["codes,drugs", *rows]))
    (tmp_path / "visits.toml").write_text(
        'input = "visits.csv"\nunit = "row"\nout = "safe"\nmodel = "lm"\nm = 1\nl = 2\nitems = ["codes", "drugs"]\n'
    )

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        for sensitive, doubtful in (
            ([], "codes drugs"),
            (["drugs:A10BA02"], "codes"),
            (["drugs:N02BE01", "codes:E10"], ""),
        ):
            state.change(state.stated.with_(sensitive_items=sensitive))
            asked = [one.sentence for one in state.inspection.doubts()]
            assert [
                name for name in doubtful.split() if f"The items of {name} look like" in " ".join(asked)
            ] == doubtful.split()
            assert len(asked) == len(doubtful.split())

    by_clicks(tmp_path, way)


@in_this_process
def test_data_that_are_not_read_ask_no_question(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_bytes(b"sex,diagnoses\nf\n\xff\xfe,I10,2\n")
    (tmp_path / "visits.toml").write_text(
        'input = "visits.csv"\nunit = "row"\nout = "safe"\nmodel = "km"\nk = 5\nm = 2\nitems = ["diagnoses"]\n'
    )

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.error and not state.inspection.busy)
        await user.open("/publish")
        assert state.inspection.error in texts(user)
        assert open_questions(state) == {}
        assert "question" not in texts(user)
        assert "disabled" in element(user, "publish").props

    by_clicks(tmp_path, way)


@in_this_process
def test_doubts_of_the_report_are_shown_before_the_publication(tmp_path: Path) -> None:
    rng = random.Random(1)
    rows = [f"{rng.choice('fm')},{' '.join(rng.sample(['E10', 'E11', 'I10', 'J45', 'M54'], 3))}" for _ in range(40)]
    (tmp_path / "visits.csv").write_text("\n".join(["sex,diagnoses", *rows]))

    async def way(user: User, state: PageState) -> None:
        await declared(state, "visits.csv", "row")
        (about_items,) = unprotected_items({"diagnoses": "look like ICD-10 codes"})
        state.change(state.stated.with_(k=2, m=1))
        await user.open("/")
        assert about_items.sentence in texts(user)
        for screen in ("/promise", "/try", "/publish"):
            await user.open(screen)
            doubts = [*weak_guarantee(promised(state), 40, 3), f"{about_items.sentence}."]
            assert len(doubts) == 4
            assert [doubt for doubt in doubts if doubt.removesuffix(".") not in texts(user)] == []
        assert "disabled" in element(user, "publish").props
        user.find(marker="publish").click()
        assert state.publications.new is None
        state.inspection.check(*state.inspection.unchecked)
        state.change(state.stated.with_(k=3, m=3))
        await until(lambda: about_items.sentence not in shown(user, "questions"))
        assert [one for one in doubts if one in shown(user, "questions")] == [*weak_guarantee(promised(state), 40, 3)]
        assert shown(user, "checked") == f"{about_items.sentence}."
        for question in open_questions(state):
            settle(state, question)
        await until(lambda: "disabled" not in element(user, "publish").props)
        state.change(state.stated.with_(k=2))  # another doubt
        await until(lambda: "disabled" in element(user, "publish").props)

    by_clicks(tmp_path, way)
