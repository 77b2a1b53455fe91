"""One role for several columns of the screen Data, such as the answers of a survey, up to the publication."""

import random
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, publish, reported, texts, until

from anonset.reading.name_lists import name_list
from anonset.ui.state import choices
from anonset.ui.state.page_state import PageState

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("commands_in_this_process")]
ANSWERS = ["trust", "clean", "food", "noise", "staff", "wait"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a survey in which `free` contains other values than the answers."""
    rng, rows = random.Random(4), [",".join(["age", "sex", *ANSWERS, "free"])]
    for number in range(120):
        mood = rng.choice("234")
        answers = ",".join(mood if rng.random() < 0.8 else rng.choice("12345") for _ in ANSWERS)
        rows.append(f"{20 + number % 30},{rng.choice('fm')},{answers},{rng.choice(['x', 'y', 'z'])}")
    (tmp_path / "survey.csv").write_text("\n".join(rows))
    return tmp_path


async def opened(user: User, state: PageState) -> None:
    state.open("survey.csv")
    await until(lambda: not state.inspection.busy and state.inspection.findings)
    choices.answer(state, "row")
    await until(lambda: not state.inspection.busy and state.answered)
    await user.open("/")


def expected_unique(folder: Path, columns: list[str]) -> int:
    head, *rows = [line.split(",") for line in (folder / "survey.csv").read_text().splitlines()]
    known = [tuple(row[head.index(column)] for column in columns) for row in rows]
    return sum(known.count(one) == 1 for one in known)


@pytest.mark.parametrize("file", ["survey.csv", "survey.toml"])
def test_roles_are_proposed_until_the_owner_answers(folder: Path, file: str) -> None:
    async def way(user: User, state: PageState) -> None:
        for name in dict.fromkeys(["survey.csv", file]):
            state.open(name)
            await until(lambda: not state.inspection.busy and state.inspection.findings)
        await user.open("/")
        shown = texts(user).splitlines()
        assert not state.answered
        assert "chosen" not in shown
        assert any(line.startswith("proposed: " if file == "survey.csv" else "proposed") for line in shown)
        choices.answer(state, "row")
        await until(lambda: not state.inspection.busy and state.answered)
        choices.give_role(state, ["age"], "keep")
        await until(lambda: "chosen" in texts(user).splitlines())

    by_clicks(folder, way)


def test_a_survey_is_published_in_twelve_decisions(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        await opened(user, state)  # two decisions: the file, and who is a person
        assert {state.stated.settings["relational"][0], *state.stated.settings["drop"]} >= {"age", *ANSWERS}
        user.find(marker="group trust").click()
        await until(lambda: state.chosen.names == ANSWERS and "records are unique" in element(user, "effect").text)
        assert f": {expected_unique(folder, ANSWERS)} of 120 records are unique" in element(user, "effect").text
        assert [name for name in (*ANSWERS, "free", "age") if is_chosen(user, name)] == ANSWERS
        assert set(element(user, "role of several").options) == {"one_code", "relational", "unit", "keep", "drop"}
        element(user, "role of several").set_value("keep")
        await until(lambda: not state.inspection.busy and state.stated.settings.get("keep") == ANSWERS)
        assert (state.chosen.names, is_chosen(user, "trust")) == ([], False)
        await user.open("/try")  # by the links on the screens Data and Promise
        user.find(marker="try").click()
        await until(lambda: "No result can be published" in texts(user))
        assert "103 persons are in groups of fewer than 5 persons" in texts(user)
        assert "in the job file" not in texts(user)
        await until(lambda: state.trial is not None and state.trial.code is not None)
        words = "I take responsibility: publish trust … clean (6 columns) unchanged"
        user.find(content=words, marker="fix").click()
        await until(
            lambda: not state.inspection.busy and {*state.stated.settings.get("publish_as_is", ())} == {*ANSWERS}
        )
        await until(lambda: "Try the candidates" in texts(user).splitlines())
        user.find(marker="try").click()
        await until(lambda: "Result 1: " in texts(user))
        await until(lambda: state.trial is not None and state.trial.code == 0)
        user.find(marker="choose best").click()
        await user.open("/publish")
        publish(user, state)
        await until(lambda: reported(state))
        assert state.publications.new is not None
        assert state.publications.new.run.errors == []
        choices.give_role(state, ["trust", "wait"], "drop")  # the declaration was about the former role
        assert {*state.stated.settings["publish_as_is"]} == {*ANSWERS[1:-1]}

    by_clicks(folder, way)


def is_chosen(user: User, column: str) -> bool:
    return element(user, f"choose {column}").props["aria-checked"] == "true"


def test_boxes_choose_single_columns(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        await opened(user, state)
        user.find(marker="choose sex").click()
        await until(lambda: state.chosen.words.startswith("If others know sex and nothing else: 0 of 120"))
        assert {"items", "sensitive"} <= set(element(user, "role of several").options)
        user.find(marker="choose free").click()
        user.find(marker="choose sex").click()
        assert state.chosen.names == ["free"]
        user.find(marker="choose sex").click()
        assert state.chosen.names == ["sex", "free"]
        element(user, "role of several").set_value("relational")
        await until(lambda: not state.inspection.busy and "free" in name_list(state.stated.settings["relational"]))
        await until(lambda: "free" in state.stated.settings["hierarchy"])
        assert "sex" in state.stated.settings["relational"]

    by_clicks(folder, way)


def test_columns_that_differ_between_the_rows_of_a_person_are_not_counted(tmp_path: Path) -> None:
    rows = [f"P{n // 2},{n % 3},{n % 4},E10 I{n % 5}" for n in range(60)]
    (tmp_path / "survey.csv").write_text("\n".join(["pid,a,b,codes", *rows]))

    async def way(user: User, state: PageState) -> None:
        state.open("survey.csv")
        await until(lambda: not state.inspection.busy and state.inspection.findings)
        choices.answer(state, "pid")
        await until(lambda: not state.inspection.busy and state.answered)
        state.chosen.choose(["a", "b"])
        await until(lambda: "cannot be counted: " in state.chosen.words)
        assert "same id" in state.chosen.words

    by_clicks(tmp_path, way)


def test_many_columns_are_searched_and_numbered_columns_are_folded(tmp_path: Path) -> None:
    rng = random.Random(1)
    names = ["age", *(f"dx{n}" for n in range(1, 26))]
    rows = [",".join([f"{rng.randint(20, 60)}", *rng.choices("abc", k=25)]) for _ in range(60)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows]))

    async def way(user: User, state: PageState) -> None:
        state.open("wide.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/")

        def shown() -> list[str]:
            rows = [user.client.elements[one] for one in [*user.client.elements]]  # type: ignore[union-attr]
            marks = [
                (one, name)
                for one in rows
                for name in names
                if one.tag == "tr" and f"row {name}".split() == one._markers
            ]
            return [name for one, name in marks if one.visible]

        assert shown() == ["age", "dx1"]
        assert "24 numbered columns folded" in texts(user)
        element(user, "search columns").set_value("DX2")
        await until(lambda: shown() == ["dx2", *(f"dx{n}" for n in range(20, 26))])
        element(user, "search columns").set_value("")
        await until(lambda: shown() == ["age", "dx1"])

    by_clicks(tmp_path, way)
