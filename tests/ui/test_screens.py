"""The complete way by clicks, from raw data to a download, with the same bytes as the command line."""

import html
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.clicks import by_clicks, element, publish, reported, texts, until

from anonset.cli.main import main
from anonset.errors import Fix, InputError, Problem
from anonset.report.findings import problem_summary
from anonset.settings.job import Job
from anonset.ui.state import choices
from anonset.ui.state.command_runs import CANCELLED, CommandRun
from anonset.ui.state.examination import Examination
from anonset.ui.state.folder import Folder
from anonset.ui.state.page_state import PageState
from anonset.ui.state.trial import Trial

FAULT = {"problems": [problem_summary(Problem("a fault"))]}
CODES = ("E10", "E11", "I10", "I20", "J20", "J45")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = random.Random(1)
    persons = [f"P{n:03},{rng.choice('fm')},{rng.choice(['north', 'south'])}" for n in range(150)]
    rows = [f"{person},{' '.join(rng.sample(CODES, 2))}" for person in [*persons, *persons]]
    (tmp_path / "visits.csv").write_text("\n".join(["patient_id,sex,region,codes", *rows]))
    return tmp_path


@pytest.mark.long
def test_the_complete_way_publishes_the_bytes_of_the_command_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def way(user: User, state: PageState) -> None:
        await user.open("/")
        user.find("visits.csv").click()
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/")
        assert "150 persons" in str(element(user, "unit").options)
        assert not element(user, "role sex").enabled
        element(user, "unit").set_value("patient_id")
        await until(
            lambda: state.answered and state.inspection.findings["records"] == 150 and not state.inspection.busy
        )
        await user.open("/")
        assert not element(user, "role patient_id").enabled
        element(user, "role region").set_value("drop")
        await until(
            lambda: not state.inspection.busy and state.inspection.findings["quasi_identifiers"]["columns"] == ["sex"]
        )
        element(user, "role region").set_value("relational")
        await until(
            lambda: not state.inspection.busy and len(state.inspection.findings["quasi_identifiers"]["columns"]) == 2
        )
        await until(lambda: "region" in state.stated.settings["hierarchy"])

        await user.open("/promise")
        assert [element(user, f"model {name}").props.get("disabled", False) for name in ("km", "k", "kl", "kkm")] == [
            True, True, True, False,
        ]  # fmt: skip
        folded = [*element(user, "other promises").descendants()]
        assert [element(user, f"model {name}") in folded for name in ("km", "k", "kl", "kkm")] == [
            True, True, True, False,
        ]  # fmt: skip
        element(user, "size k").set_value(3)
        await until(lambda: "3 matching records" in element(user, "statement").text)
        element(user, "size m").set_value(1)
        await until(lambda: "1 item" in element(user, "statement").text)
        assert "quasi-identifiers" not in texts(user)
        assert element(user, "statement").text.startswith(
            "Someone who knows sex and region, and up to 1 item of a person"
        )

        await user.open("/publish")
        element(user, "out").set_value("by-clicks")
        publish(user, state)
        await until(lambda: state.publishing)
        await user.open("/publish")  # a reload in the middle of a run
        user.find(marker="cancel")
        await until(lambda: reported(state))
        await until(lambda: "Open the report" in texts(user))
        assert "(k,km)-anonymity with k=3, m=1 holds" in element(user, "verdict").text
        shown = "\n".join(filter(None, texts(user).splitlines()))
        assert "Someone who knows more than 1 item" in shown
        assert "An attacker knows\nPeople who are unique\nPeople with fewer than 3 matches\nHighest risk" in shown
        before, after = (state.publications.new.examined.risk.result[when][-1] for when in ("before", "exposures"))
        assert (before["values"], before["items"]) == (after["values"], after["items"]) == (True, 3)
        figures = [f"{when} {one['alone']['value']:.1%}" for when, one in (("before", before), ("after", after))]
        assert "\n".join(["all attributes that others may know, and 3 items", *figures]) in shown
        assert before["alone"]["value"] >= after["alone"]["value"] > 0
        success = state.publications.new.examined.risk.result["attack"][1]["success"]
        rates = f"{success:.1%} against {1 / 150:.1%} by chance, at most 33.3%"
        assert f"search for a person\n1 item of a random person\nwithin the guarantee: {rates}" in shown
        assert "inference of a value that all matching records share: not run: it needs" in shown
        commands = ["anonymize visits.toml", "risk by-clicks.private/report.json --attack all"]
        commands += ["report by-clicks.private/report.json --out by-clicks-report.html"]
        assert "\n".join(f"anonset {command}" for command in commands) in shown
        archive = zipfile.ZipFile(io.BytesIO((await user.http_client.get("/download/publication.zip")).content))
        assert {Path(name).name for name in archive.namelist()} == {p.name for p in (folder / "by-clicks").iterdir()}
        report = await user.http_client.get("/report")
        assert "script-src" not in report.headers["content-security-policy"]
        assert b"</html>" in report.content
        assert all(
            one["verdict"].encode() in report.content for one in state.publications.new.examined.risk.result["verdicts"]
        )
        assert b"Not to be printed" not in report.content
        element(user, "statement purpose").set_value("<b>Not to be printed as bold</b>")
        element(user, "statement legal_basis").set_value("--Art. 89")
        user.find(marker="write-report").click()
        await until(lambda: state.publications.new.examined.statements and reported(state))
        assert state.publications.new.examined.report.errors == []
        stated = (await user.http_client.get("/report")).content
        assert b"&lt;b&gt;Not to be printed as bold&lt;/b&gt;" in stated
        assert b"--Art. 89" in stated.partition(b"Statements of the owner")[2]
        assert (await user.http_client.get("/report?shareable=true")).status_code == 404
        user.find(marker="write-shareable").click()
        await until(lambda: state.publications.new.examined.page(shareable=True) is not None)
        shared = (await user.http_client.get("/report?shareable=true")).content
        assert b"&lt;b&gt;Not to be printed as bold&lt;/b&gt;" in shared
        assert b"by-clicks.private" not in shared
        job = (await user.http_client.get("/download/job.toml")).content
        assert job == (folder / "visits.toml").read_bytes()

    by_clicks(folder, way)
    monkeypatch.chdir(folder)
    assert main(["anonymize", "visits.toml", "--out", "by-command", "--quiet"]) == 0
    for path in (folder / "by-clicks").iterdir():
        assert path.read_bytes() == (folder / "by-command" / path.name).read_bytes(), path.name
    assert {p.name for p in folder.iterdir()} == {
        "visits.csv", "visits.toml", "by-clicks", "by-clicks.private", "by-clicks-report.html",
        "by-clicks-shareable.html", "by-command", "by-command.private",
    }  # fmt: skip


def test_the_navigation_shows_four_numbered_steps_with_their_state(folder: Path) -> None:
    def step(user: User, name: str) -> str:
        return " ".join(child.text for child in element(user, f"step {name}").default_slot.children)

    async def way(user: User, state: PageState) -> None:
        await user.open("/")
        shown = [line for line in texts(user).splitlines() if line]
        assert [line for line in shown if line in ("Hierarchies", "Policies", "Queries", "Open")] == [
            "Policies", "Queries", "Open",
        ]  # fmt: skip
        places = [shown.index(word) for word in ("1", "Data", "2", "Promise", "3", "Try", "4", "Publish")]
        assert places == sorted(places)
        names = ("Data", "Promise", "Try", "Publish")
        assert [step(user, name) for name in names] == ["○ open", "○ open", "○ open, optional", "○ open"]
        state.open("visits.csv")
        await until(lambda: step(user, "Data") == "… inspecting")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        choices.answer(state, "patient_id")
        await until(lambda: state.answered and not state.inspection.busy)
        await until(lambda: (step(user, "Data"), step(user, "Promise")) == ("! 1 warning", "○ open"))
        state.inspection.check(*state.inspection.unchecked)  # no item is declared sensitive
        await user.open("/promise")
        await user.open("/")
        await until(lambda: (step(user, "Data"), step(user, "Promise")) == ("✓ done", "✓ done: k=5, m=2"))
        state.inspection.findings = {**(state.inspection.findings or {}), **FAULT}
        await until(lambda: step(user, "Data") == "! 1 warning")
        state.inspection.check("a fault")
        await until(lambda: step(user, "Data") == "✓ done")
        state.change(Job({**state.stated.settings, "m": 0}))
        await until(lambda: step(user, "Promise") == "! 1 warning")
        (folder / "visits.toml").write_text("k = ")
        await until(lambda: step(user, "Data") == "! error")

    by_clicks(folder, way)


def test_other_spellings_of_an_address_lead_to_its_screen(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("visits.csv")
        for address, screen in (
            ("/data", "What do the data contain?"),
            ("/Promise", "What do you promise?"),
            ("/promise/", "What do you promise?"),
        ):
            answer = await user.http_client.get(address, follow_redirects=True)
            assert (address, answer.status_code, screen in answer.text) == (address, 200, True)
        unknown = await user.http_client.get("/nothing/<b>")
        assert (unknown.status_code, "<b>" in unknown.text) == (404, False)
        assert '<a href="/">Open the first step, Data</a>' in unknown.text

    by_clicks(folder, way)


@pytest.mark.long
@pytest.mark.usefixtures("commands_in_this_process")
def test_faults_are_shown_and_publish_nothing(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        (folder / "broken.csv").write_bytes(b"codes,age\nE10\n\xff\xfe,1,2\n")
        await user.open("/")
        user.find("broken.csv").click()
        await until(lambda: state.inspection.error and not state.inspection.busy)
        await user.open("/")
        assert state.inspection.error in texts(user)
        await user.open("/publish")
        assert "button" not in [one.tag for one in user.client.elements.values()]  # type: ignore[union-attr]

        state.close()
        state.open("visits.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        choices.answer(state, "row")
        await until(lambda: not state.inspection.busy)
        await user.open("/publish")
        element(user, "out").set_value("../outside")
        publish(user, state)
        await until(lambda: "outside of" in texts(user))
        element(user, "out").set_value("safe")
        state.change(Job({**state.stated.settings, "k": 500}))
        publish(user, state)
        await until(lambda: "k=500 is more than the number of records, 300: choose a smaller k" in texts(user))
        assert "disabled" in element(user, "publish").props
        assert state.publications.new is None

        (folder / "visits.toml").write_text("k = [")
        await until(lambda: "not valid TOML" in texts(user))
        await user.open("/promise")
        assert "not valid TOML" in texts(user)

    by_clicks(folder, way)
    assert {p.name for p in folder.iterdir()} == {"visits.csv", "visits.toml", "broken.csv"}


@pytest.mark.long
@pytest.mark.usefixtures("commands_in_this_process")
def test_two_tabs_show_the_same_job(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("visits.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        choices.answer(state, "row")
        await until(lambda: not state.inspection.busy)
        await user.open("/promise")
        other = User(user.http_client)
        await other.open("/promise")
        element(user, "size k").set_value(4)
        element(other, "size m").set_value(1)
        await until(lambda: element(other, "size k").value == 4 and element(user, "size m").value == 1)
        assert (state.stated.settings["k"], state.stated.settings["m"]) == (4, 1)

    by_clicks(folder, way)


@pytest.mark.long
@pytest.mark.usefixtures("commands_in_this_process")
def test_a_candidate_is_tried_chosen_and_written_to_the_job(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("visits.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        choices.answer(state, "patient_id")
        await until(
            lambda: state.answered and not state.inspection.busy and "region" in state.stated.settings["hierarchy"]
        )
        (folder / "codes.csv").write_text("".join(f"{code};{code[0]};*\n" for code in CODES))
        state.change(state.stated.with_entry("hierarchy", "codes", "codes.csv"))
        await user.open("/try")
        user.find(marker="try").click()
        await until(lambda: state.trial is not None and state.trial.code is not None)
        assert state.trial.code == 0, state.trial.last.errors
        await until(lambda: "Lost detail, if more records must match" in texts(user))
        shown = texts(user)
        assert "The 6 most frequent items" in shown
        assert "anonset compare visits.toml --algorithms" in shown
        found = state.trial.found
        usable = [one for one in found["candidates"] if one["outcome"] == "holds" and not one["beside"]]
        different = {tuple(found["recommended"]["utility"]): found["recommended"]}
        for one in usable:
            different.setdefault(tuple(one["utility"]), one)  # equal results are shown once
        _, *others = list(different.values())[:3]
        same = element(user, "same").text if "All of these results" in shown else ""
        for one in others:
            shown_words = element(user, f"words-{found['candidates'].index(one)}").default_slot.children
            words = [child.text for child in shown_words]
            assert [part for part in one["utility"] if part not in same] == words  # what all share is stated once
        assert shown.count(found["recommended"]["grounds"]) == 1
        assert "Figures of all results" in shown
        best = found["recommended"]
        place = [one["settings"] for one in found["candidates"]].index(best["settings"]) + 1
        assert f"Result {place}: {best['grounds']}." in shown
        assert set(best["utility"]) <= {*shown.splitlines()}
        assert f"({best['grounds']}): {'; '.join(best['utility'])}" in found["reason"]
        assert not re.search(r"\b(NCP|RUM|TUM)\b", re.sub(r"Figures \(.*\)", "", shown))
        for chosen in (state.trial.candidates[0], *state.trial.candidates[-2:]):
            await user.open("/try")
            if chosen["settings"] != state.candidate.settings:
                is_best = chosen["settings"] == best["settings"]
                mark = "choose best" if is_best else f"choose-{found['candidates'].index(chosen)}"
                user.find(marker=mark).click()
            await until(lambda chosen=chosen: state.candidate.settings == chosen["settings"])
            own = chosen["settings"].get("hierarchy", "codes.csv")
            assert state.raw["unit_is"]["patient_id"]["hierarchy"]["codes"] == own
            state.validated()
        await user.open("/try")
        user.find(marker="choose best").click()
        await until(lambda: state.candidate.settings == found["recommended"]["settings"])
        fixes = [{"settings": {"drop": ["region"]}, "effect": "without column 'region' the error is 20.0%"}]
        state.trial.runs[0].output = json.dumps({**found, "warning": "counts are of little use", "fixes": fixes})
        await user.open("/try")
        assert "Best result, but of little use\nCounts are of little use." in re.sub(r"\n+", "\n", texts(user))
        user.find("Do not publish region").click()
        await until(lambda: "region" in state.stated.settings["drop"] and not state.inspection.busy)
        await until(lambda: "Try the candidates again" in texts(user))
        state.change(Job({**state.stated.settings, "k": 3}))
        await until(lambda: "Try the candidates again" in texts(user))

    by_clicks(folder, way)


@pytest.mark.long
@pytest.mark.usefixtures("commands_in_this_process")
def test_the_screen_publish_names_the_algorithm_and_an_unused_recommendation(folder: Path) -> None:
    (folder / "visits.toml").write_text(
        'input = "visits.csv"\nout = "safe"\nunit = "row"\nmodel = "km"\nk = 3\nm = 1\nseparator = " "\n'
        'items = ["codes"]\ndrop = ["patient_id", "sex", "region"]\n[hierarchy]\ncodes = "prefix:1"\n'
    )

    async def way(user: User, state: PageState) -> None:
        state.open("visits.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/publish")
        assert element(user, "algorithm").text == "The job uses the algorithm exact."
        state.change(Job({**state.stated.settings, "algorithm": "lra", "partitions": 2}))
        await until(lambda: element(user, "algorithm").text == "The job uses the algorithm lra, partitions 2.")

        best = {"algorithm": "exact", "hierarchy": "halves:frequency"}
        state.trial = Trial("visits.toml", state.stated, Folder(folder))
        state.trial.runs = [CommandRun([], folder)]
        state.trial.runs[0].output = json.dumps({"recommended": {"settings": best}})
        words = "exact, groups by similar frequency (halves:frequency)"
        unused = "The screen Try recommends another result."
        await until(lambda: unused in texts(user))
        choices.choose_candidate(state, Job(best))
        await until(lambda: unused not in texts(user))
        assert element(user, "algorithm").text == f"The job uses the algorithm {words}."
        choices.choose_candidate(state, Job({"algorithm": "exact"}))
        await until(lambda: unused in texts(user))
        state.change(Job({**state.stated.settings, "k": 4}))  # the recommendation is for another k
        await until(lambda: unused not in texts(user))
        state.change(Job({**state.stated.settings, "algorithm": None, "model": None}))
        await until(lambda: "The job uses the algorithm" not in texts(user))

    by_clicks(folder, way)


@pytest.mark.long
def test_a_cancelled_trial_leaves_the_job(folder: Path) -> None:
    async def way(user: User, state: PageState) -> None:
        state.open("visits.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        choices.answer(state, "row")
        await until(lambda: not state.inspection.busy)
        job = (folder / "visits.toml").read_bytes()
        await user.open("/try")
        user.find(marker="try").click()
        await until(lambda: state.trial and state.trial.last and state.trial.last.stage != "start")
        await until(lambda: "Cancel" in texts(user))
        user.find(marker="cancel trial").click()
        await until(lambda: state.trial is not None and state.trial.code is not None)
        await until(lambda: "Cancelled." in texts(user))
        assert state.trial is not None
        assert state.trial.code == CANCELLED
        assert (folder / "visits.toml").read_bytes() == job

    by_clicks(folder, way)


@pytest.mark.long
def test_an_existing_publication_is_verified(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    job = ["anonymize", "visits.csv", "--items", "codes", "--unit", "patient_id", "--drop", "sex,region"]
    job += ["--model", "km", "--k", "3", "--m", "1", "--hierarchy", "codes=balanced:2", "--separator", " ", "--quiet"]
    assert main([*job, "--out", "good"]) == 0
    assert main([*job, "--out", "changed"]) == 0
    table = folder / "changed" / "published.csv"
    table.write_text(table.read_text() + "E99\n")
    (folder / "changed.private" / "report.json").unlink()

    async def way(user: User, state: PageState) -> None:
        await user.open("/open")
        user.find(marker="publication-1").click()
        await until(lambda: state.publications.opened is not None and state.publications.opened.risk.code is not None)
        await until(lambda: "Risk before and after" in texts(user))
        assert "km-anonymity with k=3, m=1 holds" in element(user, "verdict").text
        assert "The publication agrees with the original." in texts(user)
        assert "anonset verify good.private/report.json" in texts(user)
        await until(lambda: "Reports to sign" in texts(user))
        assert (await user.http_client.get("/opened-report")).status_code == 404
        user.find(marker="write-report").click()
        await until(lambda: "Open the report" in texts(user))
        assert b"</html>" in (await user.http_client.get("/opened-report")).content

        user.find(marker="publication-0").click()
        await until(lambda: state.publications.opened is not None and state.publications.opened.name == "changed")
        await until(lambda: state.publications.opened.verification.code)
        await until(
            lambda: "changed" in texts(user) and state.publications.opened.verification.errors[0] in texts(user)
        )
        assert "holds" not in texts(user).partition("Publication changed")[2]

    by_clicks(folder, way)
    assert (folder / "good-report.html").is_file()


@pytest.mark.usefixtures("commands_in_this_process")
@pytest.mark.parametrize(("model", "shown"), [("anatomy", "one row"), ("disassociation", "no complete records")])
def test_other_kinds_of_publications_show_their_risk(
    folder: Path, monkeypatch: pytest.MonkeyPatch, model: str, shown: str
) -> None:
    monkeypatch.chdir(folder)
    rows = [f"P{number},{'fm'[number % 2]},{CODES[number % 6]}" for number in range(120)]
    (folder / "visits.csv").write_text("\n".join(["patient_id,sex,code", *rows]))
    sizes = {"anatomy": ["--keep", "sex", "--sensitive", "code", "--l", "3"],
             "disassociation": ["--items", "code", "--drop", "sex", "--k", "3", "--m", "2"]}  # fmt: skip
    job = ["anonymize", "visits.csv", "--unit", "patient_id", "--model", model, *sizes[model], "--quiet"]
    assert main([*job, "--out", "good"]) == 0
    assert main(["risk", "good.private/report.json", "--attack", "all", "--quiet"]) == 0

    async def way(user: User, state: PageState) -> None:
        await user.open("/open")
        user.find(marker="publication-0").click()
        await until(lambda: state.publications.opened is not None and state.publications.opened.risk.code is not None)
        await until(lambda: shown in texts(user).partition("Remaining risk")[2])

    by_clicks(folder, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_the_page_explains_why_a_risk_is_higher_after_than_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    job = ["anonymize", "visits.csv", "--items", "codes", "--separator", " ", "--unit", "patient_id", "--drop"]
    job += ["sex,region", "--algorithm", "lra", "--k", "3", "--m", "2", "--hierarchy", "codes=balanced:2", "--quiet"]
    assert main([*job, "--out", "good"]) == 0
    assert main(["report", "good.private/report.json", "--out", "page.html"]) == 0

    async def way(user: User, state: PageState) -> None:
        await user.open("/open")
        user.find(marker="publication-0").click()
        await until(lambda: state.publications.opened is not None and state.publications.opened.risk.code is not None)
        await until(lambda: "Simulated attacks" in texts(user))
        assert element(user, "attacks").text.partition(";")[0] in (folder / "page.html").read_text()
        before, after = (state.publications.opened.risk.result[when][0]["highest"] for when in ("before", "exposures"))
        assert before < after
        assert element(user, "higher-after").text.startswith("A figure rises, if an attacker knows 1 item")
        assert "A figure rises, if an attacker knows 1 item" in (folder / "page.html").read_text()
        higher, beside = state.publications.opened.risk.result["higher_after"], " (rises)"
        known = [line.removesuffix(beside) for line in texts(user).splitlines() if line.endswith(beside)]
        assert known == higher
        cell = r'<td data-head="attacker knows">([^<]*?) \(rises: see below\)</td>'
        assert {*known} <= {*re.findall(cell, (folder / "page.html").read_text())}

    by_clicks(folder, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_one_figure_has_the_same_value_on_all_screens_and_in_the_report(tmp_path: Path) -> None:
    """Nearly every day of birth is unique. Reading replaces days by years, and the publication replaces years."""
    rng = random.Random(2)
    born = [f"{rng.randrange(1950, 2000)}-{rng.randrange(1, 10):02}-{rng.randrange(10, 28)}" for _ in range(200)]
    persons = [f"P{n:03},{day},{rng.choice('fm')},{rng.choice(CODES)}" for n, day in enumerate(born)]
    (tmp_path / "people.csv").write_text("\n".join(["pid,born,sex,codes", *persons]))
    rules = 'hierarchy = {born = "date:from-year,decade", sex = "values"}'
    fixed = 'input = "people.csv"\nout = "safe"\nunit = "pid"\nmodel = "kkm"\nk = 4\nm = 1'
    (tmp_path / "people.toml").write_text(f'{fixed}\nrelational = ["born", "sex"]\nitems = ["codes"]\n{rules}\n')

    async def way(user: User, state: PageState) -> None:
        state.open("people.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        cells = [row.split(",") for row in persons]
        days, years = ([born[:end] + sex + code for _, born, sex, code in cells] for end in (10, 4))
        unique = [sum(keys.count(key) == 1 for key in keys) / len(keys) for keys in (days, years)]
        await user.open("/")
        assert "The job coarsens born while reading" in element(user, "raw").text
        promised = "are unique for the attacker of the promise, who knows all of born, sex, and 1 item ("
        headline = f"{unique[0]:.1%} of the people {promised}"
        assert texts(user).index(headline) < texts(user).index("\nRole\n")
        state.publish()
        await until(lambda: reported(state))
        await user.open("/publish")
        steps = [f"raw data\n{unique[0]:.1%}", f"coarsened by reading (born)\n{unique[1]:.1%}", "published\n0.0%"]
        shown = "\n".join(filter(None, texts(user).splitlines()))
        assert "\n".join(["Step", "People who are unique", *steps]) in shown
        history = element(user, "history").text
        assert history.endswith(
            f"{unique[0]:.1%} raw data → {unique[1]:.1%} coarsened by reading (born) → 0.0% published"
        )
        assert shown.index("Published and verified") < shown.index(history)
        sizes = state.publications.new.examined.risk.result["exposures"][0]["sizes"]
        assert sum(size["value"] for size in sizes) == pytest.approx(1)
        assert f"1\nbefore {unique[1]:.1%}\nafter 0.0%" in shown.partition("Records that match a person")[2]
        page = (tmp_path / "safe-report.html").read_text()
        line = f"{unique[0]:.1%} in the original, {unique[1]:.1%} after reading coarsened born, 0.0% in the publication"
        assert line in page
        assert "Distribution of the number of matching records" in page

    by_clicks(tmp_path, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_doubts_follow_the_figure_of_the_risk_on_both_screens(tmp_path: Path) -> None:
    rng = random.Random(4)
    persons = [f"P{n:03},{rng.choice('fm')},{rng.choice(CODES)},{n % 7}" for n in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(["pid,sex,codes,region", *persons]))
    fixed = 'input = "people.csv"\nout = "safe"\nunit = "pid"\nmodel = "kkm"\nk = 2\nm = 1'
    rules = 'drop = ["region"]\nrelational = ["sex"]\nitems = ["codes"]\nhierarchy = {sex = "values"}'
    (tmp_path / "people.toml").write_text(f"{fixed}\n{rules}\n")

    async def way(user: User, state: PageState) -> None:
        state.open("people.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/publish")
        summary = "\n".join(filter(None, texts(user).splitlines()))
        assert (
            "Person\nEach pid is a person: 60 persons\nProtected\ncodes and sex\nPromise\nSomeone who knows" in summary
        )
        assert "Not published\npid and region\nUtility\nnot known before the run" in summary
        state.publish()
        await until(lambda: reported(state))
        await user.open("/publish")
        shown, (doubt,) = texts(user), [one for one in state.publications.made.doubts if one.startswith("With k = 2")]
        held = element(user, "holds-for").text
        assert held.startswith("This figure holds for an attacker who knows no more than that.")
        places = [shown.index(one) for one in (element(user, "history").text, held, "Check first", doubt)]
        assert places == sorted(places)
        assert shown.index("Published and verified") < places[0]
        state.publications.open("safe")
        await until(lambda: state.publications.opened.risk.code is not None)
        await user.open("/open")
        assert state.publications.opened.report is None
        assert doubt in texts(user)

    by_clicks(tmp_path, way)


def test_a_publication_outside_of_the_folder_is_not_opened(folder: Path) -> None:
    with pytest.raises(InputError, match="outside of"):
        Examination("../other", Folder(folder))


@pytest.mark.long
@pytest.mark.usefixtures("commands_in_this_process")
def test_losses_and_limits_say_what_happens_to_coarsened_and_unchanged_columns(tmp_path: Path) -> None:
    unchanged = "Columns that are published unchanged are not protected"
    persons = [f"{1950 + n % 2}-0{1 + n % 9}-1{n % 7},{'fm'[n % 2]}" for n in range(36)]
    (tmp_path / "people.csv").write_text("\n".join(["born,sex", *persons]))
    shown: dict[str, list[str]] = {}

    def limits(user: User, screen: str) -> None:
        shown[screen] = texts(user).partition("\nFurther limits")[0].splitlines()[-3:]

    rules = 'hierarchy = {born = "date:from-year,decade", sex = "values"}'
    fixed = 'input = "people.csv"\nout = "safe"\nunit = "row"\nmodel = "k"\nk = 2\nalgorithm = "top-down"'
    (tmp_path / "people.toml").write_text(f'{fixed}\nrelational = ["born", "sex"]\n{rules}\n')

    async def way(user: User, state: PageState) -> None:
        state.open("people.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/promise")
        assert "Not covered" in texts(user)
        assert unchanged not in texts(user)
        state.publish()
        await until(lambda: reported(state))
        await user.open("/publish")
        assert "100.0% kept, 0.0% generalized, relative to the coarsened values" in texts(user)
        assert unchanged not in texts(user)
        kept = state.stated.with_(relational=["born"], keep=["sex"], out="kept")
        state.change(kept.with_entry("hierarchy", "sex", None))
        await user.open("/promise")
        assert unchanged in texts(user)
        limits(user, "promise")
        state.publish()
        await until(lambda: reported(state))
        await user.open("/publish")
        assert unchanged in texts(user)
        limits(user, "publish")
        assert state.publications.new is not None
        report = html.unescape(state.publications.new.examined.page().read_text())
        shown["report"] = re.findall("<li>(.*?)</li>", report.partition("<h2>Not covered</h2>")[2])[:3]
        for name in ("safe", "kept"):
            state.publications.open(name)
            await until(
                lambda: state.publications.opened is not None and state.publications.opened.risk.code is not None
            )
            await user.open("/open")
            assert (unchanged in texts(user)) == (name == "kept")
        limits(user, "open")

    by_clicks(tmp_path, way)
    assert len({*shown["promise"]}) == 3
    assert shown["promise"] == shown["publish"] == shown["open"] == shown["report"]


async def inspected(state: PageState, action: Callable[[], object]) -> None:
    """Wait until the inspection that an action starts has ended."""
    before = state.inspection.last
    action()
    await until(lambda: state.inspection.last is not before and not state.inspection.busy)


def write_episodes(folder: Path) -> None:
    """Write 180 episodes of 70 persons, with a key of rows, two kinds of codes, and a text that may mean a gap."""
    rng = random.Random(3)
    lines = [
        f"{5000 + n},{n % 70 * 7919 + 10**11:x},{'12'[n % 70 % 2]},{'ABC'[n % 70 % 3]},"
        f"{rng.choice(CODES)},{rng.choice(CODES)},{'-' if n % 3 else 'K40'},R{n % 5}X"
        for n in range(180)
    ]
    heads = "EPIKEY,ENCRYPTED_HESID,SEX,ETHNOS,DIAG_01,DIAG_02,OPERTN_01,PROCODE3"
    (folder / "episodes.csv").write_text("\n".join([heads, *lines]) + "\n")


@pytest.mark.usefixtures("commands_in_this_process")
def test_a_contradicted_person_and_a_sensitive_column_are_warnings_until_they_are_checked(tmp_path: Path) -> None:
    write_episodes(tmp_path)
    contradiction = "Each value of 'EPIKEY' is declared a different person, but 180 rows have only 70"
    sensitive = "Column ETHNOS seems sensitive, but the guarantee does not limit what others infer about it"

    async def way(user: User, state: PageState) -> None:
        await user.open("/")
        await inspected(state, lambda: user.find("episodes.csv").click())
        await user.open("/")
        assert sensitive not in texts(user)
        await inspected(state, lambda: choices.answer(state, "EPIKEY"))
        assert state.first_step == ""
        await until(lambda: contradiction in texts(user) and sensitive in texts(user))
        user.find(content="Do not publish ETHNOS", marker="fix")
        assert "probably means a missing value" not in texts(user)  # only in a column that is not published
        await user.open("/promise")
        assert "3 warnings on the screen" in " ".join(texts(user).split("\n"))
        for warning in [*state.inspection.unchecked]:
            state.inspection.check(warning)
        await user.open("/")
        assert f"{contradiction} different values of 'ENCRYPTED_HESID'.\n" in texts(user)
        state.publish()
        await until(lambda: reported(state))
        assert state.publications.made.doubts[0].startswith(contradiction)
        await user.open("/publish")
        await until(lambda: "Check first" in texts(user))
        for part in ("doubts", "checked"):  # after the run, and before the next one
            shown = " ".join(getattr(one, "text", "") for one in element(user, part).descendants())
            assert contradiction.partition(" ")[2] in shown
            assert sensitive in shown
        assert "not checked" not in texts(user)

    by_clicks(tmp_path, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_rows_are_seen_before_the_questions_and_values_after_them_without_a_reload(tmp_path: Path) -> None:
    write_episodes(tmp_path)

    async def way(user: User, state: PageState) -> None:
        state.is_local = True
        state.open("episodes.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/")
        assert not state.answered
        shown = texts(user)
        assert shown.index("Show the first records") < shown.index("Only you know the answer")
        user.find(marker="records").click()
        await user.should_see(marker="grid")
        options = element(user, "grid").options
        assert [one["headerName"] for one in options["columnDefs"]] == [
            "SEX", "ETHNOS", "DIAG_01", "DIAG_02", "OPERTN_01", "PROCODE3",
        ]  # fmt: skip
        assert [row["0"] for row in options["rowData"]] == [f"{1 + n % 70 % 2}" for n in range(180)]
        assert "are masked: EPIKEY, ENCRYPTED_HESID." in texts(user)
        await inspected(state, lambda: choices.answer(state, "ENCRYPTED_HESID"))
        await user.should_see(marker="grid")  # an answer does not close it
        assert "Show values" not in texts(user)
        await inspected(state, lambda: choices.apply_fix(state, state.item_answers[0]))
        await until(lambda: "Show values" in texts(user) and "Show the most frequent values" in texts(user))

    by_clicks(tmp_path, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_roles_are_proposed_until_somebody_chooses(tmp_path: Path) -> None:
    write_episodes(tmp_path)

    def reason(user: User, column: str) -> str:
        row = element(user, f"row {column}")
        return str([one.text for one in row.descendants() if getattr(one, "text", "")][-1])

    async def way(user: User, state: PageState) -> None:
        state.open("episodes.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await inspected(state, lambda: choices.answer(state, "ENCRYPTED_HESID"))
        assert state.item_answers
        await user.open("/")
        assert reason(user, "DIAG_01").startswith("proposed")  # nobody has answered what the items are
        await inspected(state, lambda: choices.apply_fix(state, state.item_answers[0]))
        await until(lambda: reason(user, "DIAG_01") == "chosen")
        await inspected(state, lambda: choices.answer(state, "row"))
        await inspected(state, lambda: choices.apply_fix(state, Fix({"unit": ["EPIKEY"]}, "if each is a person")))
        await user.open("/")
        assert state.unit == "EPIKEY"
        assert reason(user, "SEX") == "proposed: an attacker may know the value"

    by_clicks(tmp_path, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_a_publication_is_shown_first_also_after_a_restart_and_the_next_gets_a_new_folder(tmp_path: Path) -> None:
    rng = random.Random(4)
    persons = [f"P{n:03},{rng.choice('fm')},{rng.choice(CODES)}" for n in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(["pid,sex,codes", *persons]))
    fixed = 'input = "people.csv"\nout = "safe"\nunit = "pid"\nmodel = "kkm"\nk = 2\nm = 1'
    rules = 'relational = ["sex"]\nitems = ["codes"]\nhierarchy = {sex = "values"}'
    (tmp_path / "people.toml").write_text(f"{fixed}\n{rules}\n")

    async def way(user: User, state: PageState) -> None:
        state.open("people.toml")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        await user.open("/publish")
        assert element(user, "out").value == "safe"
        publish(user, state)
        await until(lambda: reported(state))
        await until(lambda: "Published and verified" in texts(user) and element(user, "out").value == "safe-2")
        await user.open("/publish")
        shown = texts(user)
        assert shown.index("Published and verified") < shown.index("The job uses the algorithm")
        assert "second" in element(user, "publish").classes
        assert element(user, "publish").text == "Publish again"
        assert shown.index("Another publication") < shown.index("The publication safe has the same input")
        state.change(state.stated.with_(k=3))
        await until(lambda: "The promise has changed since this publication: k=2 → k=3." in texts(user))
        assert element(user, "step Promise").default_slot.children[1].text == "changed: k=2 → k=3"
        state.change(state.stated.with_(k=2))
        await until(lambda: "The promise has changed" not in texts(user))
        assert "It contains no statements: add them above, and write it again." in shown
        state.open("people.toml")  # as after a restart
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        assert state.publications.new is None
        await user.open("/promise")
        assert element(user, "step Publish").default_slot.children[1].text == "published earlier"
        await user.open("/publish")
        await until(lambda: state.publications.earlier is not None and state.publications.earlier.risk.code is not None)
        await until(lambda: "Open the report for the data protection officer" in texts(user))
        assert "holds" in element(user, "verdict").text
        assert element(user, "history").text.endswith(" published")
        await until(
            lambda: element(user, "step Publish").default_slot.children[1].text.startswith(("done", "published"))
        )
        publish(user, state)
        await until(lambda: reported(state))
        assert state.publications.new is not None
        assert state.publications.new.run.errors == []
        assert state.raw.text("out") == "safe-2"

    by_clicks(tmp_path, way)
    assert (tmp_path / "safe-2").is_dir()


def test_a_picture_named_as_a_table_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "scan.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(InputError, match=r"scan\.csv: not a table, .* contains no text"):
        PageState(Folder(tmp_path)).open("scan.csv")
