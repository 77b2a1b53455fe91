"""The slider of the screen Try: weights of joint-split, chosen by its positions, and published."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.cli.main import main
from anonset.settings.job import Job
from anonset.ui.screens import try_screen
from anonset.ui.state.command_runs import CANCELLED, CommandRun
from anonset.ui.state.folder import Folder
from anonset.ui.state.page_state import PageState
from anonset.ui.state.trial import Stop, Trial

JOB = 'input = "visits.csv"\nout = "safe"\nunit = "row"\nmodel = "kkm"\nk = 3\nm = 2\nseparator = " "\n'
ROLES = 'items = ["codes"]\nrelational = ["age", "region"]\n[hierarchy]\ncodes = "halves:frequency"\n'
JOINT = {"algorithm": "joint-split", "transaction": "apriori"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = random.Random(1)
    codes = [f"{letter}{number}" for letter in "EIJK" for number in range(10)]
    rows = []
    for _ in range(400):
        age = rng.randrange(20, 90)
        usual = codes[age // 10 * 3 :][:10]
        chosen = rng.sample(usual if rng.random() < 0.7 else codes, rng.randint(1, 4))
        rows.append(f"{age},{rng.choice(['north', 'south', 'east'])},{' '.join(chosen)}")
    (tmp_path / "visits.csv").write_text("\n".join(["age,region,codes", *rows]))
    (tmp_path / "visits.toml").write_text(JOB + ROLES)
    return tmp_path


def suggestion(frontier: list[tuple[float, float]], settings: dict[str, Any] = JOINT) -> str:
    candidate = {"settings": settings, "outcome": "holds", "beside": ""}
    points = [{"w": w, "relational_ncp": loss} for w, loss in frontier]
    return json.dumps({"candidates": [candidate], "recommended": None, "frontier": points})


def trial_of(folder: Path, job: Job, *results: tuple[float, float, float | None]) -> Trial:
    """Return a trial with given results of weights: the weight, the loss of the attributes, and the error."""
    trial = Trial("visits.toml", job, Folder(folder))
    trial.runs = [CommandRun([], folder), balance := CommandRun([], folder)]
    trial.runs[0].output = suggestion([(0.5, 0.05), (0.1, 0.3)])
    trial.balance = balance
    rows = [{"w": w, "rum": loss, "are": error, "outcome": "holds"} for w, loss, error in results]
    trial.balance.output, trial.balance.code = json.dumps(rows), 0
    return trial


@pytest.mark.long
@pytest.mark.usefixtures("commands_in_this_process")
def test_a_position_of_the_slider_is_published_with_the_bytes_of_the_command_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        state.change(Job({**state.stated.settings, "point": "items", "algorithm": "joint-split"}))
        await user.open("/try")
        user.find(marker="try").click()
        await until(lambda: state.trial is not None and state.trial.code is not None)
        assert state.trial is not None
        assert state.trial.code == 0, state.trial.last.errors
        await until(lambda: "More detail in the attributes" in texts(user))
        assert state.trial.balance_command in texts(user)
        stops = state.trial.stops
        assert len(stops) >= 2
        errors, kept = [stop.error for stop in stops], [stop.ranges_kept for stop in stops]
        assert errors == sorted(set(errors))
        assert kept == sorted(set(kept))
        for at in (0, len(stops) - 1):
            user.find(marker="balance").trigger("input", str(at))
            words = (
                f"counts of items are off by {errors[at]:.1%} (mean); attributes keep {kept[at]:.1%} of their detail"
            )
            assert element(user, "balance").props["aria-valuetext"] == words
            assert element(user, "balance-words").text == words
            user.find(marker="choose-stop").click()
            await until(lambda at=at: state.stated.settings.get("w") == stops[at].job.settings["w"])
            assert "point" not in state.stated.settings
            await user.should_see(marker="balance-chosen")
            assert element(user, "balance").props["defaultValue"] == at
            await user.should_not_see(marker="choose-stop")
        state.publish()
        await until(lambda: state.publications.new is not None and state.publications.new.run.code is not None)

    by_clicks(folder, way)
    monkeypatch.chdir(folder)
    ran = json.loads((folder / "safe.private" / "report.json").read_text())["measures"]
    assert main(["anonymize", "visits.toml", "--out", "by-command", "--quiet"]) == 0
    names = {path.name for path in (folder / "safe").iterdir()}
    assert names
    for name in names:
        assert (folder / "safe" / name).read_bytes() == (folder / "by-command" / name).read_bytes(), name
    assert 0 < ran["rum"] < 1


def test_only_results_without_a_better_one_are_positions(folder: Path) -> None:
    results = [
        (0.5, 0.05, 0.4),
        (0.4, 0.1, 0.3),
        (0.3, 0.2, 0.3001),
        (0.2, 0.25, 0.35),
        (0.1, 0.3, 0.1),
        (0.05, 0.4, None),
    ]
    trial = trial_of(folder, Job({"k": 3}), *results)
    assert trial.stops == [
        Stop(Job({**JOINT, "w": 0.1}), 0.1, 0.7),
        Stop(Job({**JOINT, "w": 0.4}), 0.3, 0.9),
        Stop(Job({**JOINT, "w": 0.5}), 0.4, 0.95),
    ]
    assert trial.balance is not None
    trial.balance.code = 1
    assert trial.stops == []


def test_the_command_runs_weights_and_the_queries_of_the_owner(folder: Path) -> None:
    trial = trial_of(folder, Job({"k": 3}))
    command = "anonset compare visits.toml --algorithms joint-split --transaction apriori --w 0.500000,0.100000"
    assert trial.balance_command == f"{command} --workload record:200x1"
    queries = trial_of(folder, Job({"k": 3, "queries": "queries.json"}))
    assert queries.balance_command == command
    for frontier in ([], [(0.5, 0.05)], [(0.5, 0.05), (0.1, 0.6)]):
        trial.runs[0].output = suggestion(frontier)
        assert trial.balance_command == ""
    assert trial_of(folder, Job({"model": "kkm"})).balance_command == ""
    settings = {"model": "kkm", "k": 3, "algorithm": "joint-split", "transaction": "coat", "point": "items"}
    own = trial_of(folder, Job(settings), (0.5, 0.05, 0.2))
    own.runs[0].output = suggestion([(0.5, 0.05), (0.1, 0.3)], {"algorithm": "joint-split", "point": "items"})
    assert "--algorithms joint-split --transaction coat --w 0.5" in own.balance_command
    assert own.stops[0].job.settings == {"algorithm": "joint-split", "transaction": "coat", "w": 0.5}
    trial.runs[0].output = suggestion([(0.5, 0.05), (0.1, 0.3)], {"algorithm": "rfirst"})
    assert trial.balance_command == ""


def test_a_trial_that_is_cancelled_at_the_weights_compares_no_k(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def finish(run: CommandRun) -> int:
        if run.arguments[0] == "suggest":
            run.output, run.code = suggestion([(0.5, 0.05), (0.1, 0.3)]), 0
        else:
            await trial.cancel()
            run.code = CANCELLED if run._is_cancelled else 0
        return run.code

    monkeypatch.setattr(CommandRun, "finish", finish)
    trial = Trial("visits.toml", Job({"k": 3}), Folder(folder))

    asyncio.run(trial.finish())
    assert trial.code == CANCELLED
    assert trial.last is trial.balance
    assert trial.comparisons == []


@pytest.mark.usefixtures("commands_in_this_process")
def test_a_slider_needs_two_positions_and_shows_the_error_of_its_run(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        state.trial = trial_of(folder, state.stated, (0.5, 0.05, 0.2), (0.1, 0.3, 0.2))
        state.trial.runs[0].output = ""  # the screen shows only the slider
        await user.open("/try")
        assert "More detail in the items" not in texts(user)
        state.trial = trial_of(folder, state.stated, (0.5, 0.05, 0.2), (0.1, 0.3, 0.1))
        state.trial.runs[0].output = ""
        await user.open("/try")
        assert "counts of items are off by 20.0% (mean); attributes keep 95.0% of their detail" in texts(user)
        await user.should_see(marker="choose-stop")
        state.change(Job({**state.stated.settings, "k": 4}))  # the results are for another k
        await user.should_not_see(marker="choose-stop")
        assert state.trial.balance is not None
        state.trial.balance.code, state.trial.balance.errors = 2, ["the disk is full"]
        await user.open("/try")
        assert "the disk is full" in texts(user)

    by_clicks(folder, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_the_slider_starts_at_the_position_nearest_to_the_recommended_result(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        state.trial = trial = trial_of(folder, state.stated, (0.5, 0.05, 0.4), (0.4, 0.1, 0.3), (0.1, 0.3, 0.1))
        recommended = {"settings": {"algorithm": "rfirst"}, "ranges_kept": 0.88}
        trial.runs[0].output = json.dumps({**json.loads(trial.runs[0].output), "recommended": recommended})
        assert trial.recommended_detail == 0.88
        monkeypatch.setattr(Trial, "recommended_detail", 0.88)
        trial.runs[0].output = ""  # the screen shows only the slider
        await user.open("/try")
        assert "Position 2 of 3" in element(user, "balance-recommended").text
        assert "90.0% of their detail" in element(user, "balance-words").text
        monkeypatch.setattr(Trial, "recommended_detail", 0.93)
        await user.open("/try")
        assert "Position 3 of 3" in element(user, "balance-recommended").text
        assert "95.0% of their detail" in element(user, "balance-words").text

    by_clicks(folder, way)


def test_results_with_the_same_figures_are_shown_once(tmp_path: Path) -> None:
    job, folder = Job({"model": "kkm", "k": 3, "m": 1}), tmp_path
    figures = [(0.5, 0.1), (0.5, 0.1), (0.6, 0.1), (0.6, 0.1), (0.7, 0.2)]
    candidates = [
        {
            "settings": {**JOINT, "w": number}, "outcome": "holds", "beside": "",
            "utility": [f"{kept} unchanged", f"off by {error}"],
        }
        for number, (kept, error) in enumerate(figures)
    ]  # fmt: skip
    trial = Trial("visits.toml", job, Folder(folder))
    trial.runs = [run := CommandRun([], folder)]
    run.output = json.dumps({"candidates": candidates, "recommended": candidates[0]})
    assert try_screen._best(try_screen._Results(trial, trial.found or {}, True, Job(), False)) == [2, 4]
