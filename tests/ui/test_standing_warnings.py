"""Planted faults: each warning stays until the owner settles it. All faults are settled in the simulated browser, and
one with each way to open data in headless Chromium, where one server and one browser serve all cases.
"""

import asyncio
import random
import re
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from nicegui.testing import User
from tests.ui.browser import CHROMIUM, Browser, opened
from tests.ui.clicks import by_clicks, element, texts, until

from anonset.ui.state import choices
from anonset.ui.state.page_state import PageState

pytestmark = pytest.mark.long
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
_HEADER = "patient,age,sex,codes"
_TREE = "".join(f"{letter}{n},{letter},*\n" for letter in "cde" for n in range(5) if (letter, n) != ("d", 4))
_JOB = """input = "{name}.csv"
unit = "{unit}"
out = "{name}-safe"
model = "kkm"
k = 2
m = 1
items = ["codes"]
relational = ["age", "sex"]
[hierarchy]
age = "bins:width=20"
sex = "values"
codes = "{tree}"
"""


def rows(*, header: str = _HEADER, below: str = "", differing: bool = False, more: str = "") -> str:
    """Return a table with two rows per person. If `differing` is True, the rows of a person differ in `sex`."""
    rng, lines = random.Random(1), [header, *([below] if below else [])]
    for number in range(100):
        age, sex = rng.randint(18, 90), rng.choice("fm")
        for visit in (0, 1):
            shown = "fm"[visit] if differing and number == 70 else sex
            codes = " ".join(f"{letter}{rng.randrange(5)}" for letter in "cde")
            lines.append(f"P{number:03},{age},{shown},{codes}")
    return "\n".join([*lines, more])


FAULTS = {
    "wrong-unit": (rows(), "row", "only 100 different values of 'patient'"),
    "conflicting-rows": (rows(differing=True), "patient", "the rows of 1 person differ"),
    "characters": (rows(header="patient,âge,sex,codes"), "patient", "check the characters"),
    "missing-text": (rows(more="P200,k.A.,f,c1 d1 e1\n" * 2), "patient", "'k.A.' probably means"),
    "missing-number": (rows(more="P200,-99,f,c1 d1 e1\nP201,-99,m,c2\n"), "patient", "-99 may mean"),
    "no-id": (rows(more=",40,f,c1 d1 e1\n" * 3), "patient", "3 rows without an id"),
    "no-person": (rows(more="none,40,f,c1 d1 e1\n" * 3), "patient", "may mean a missing id"),
    "label-line": (rows(below="Number,Age in years,Sex,Codes"), "patient", "is no record"),
    "totals": (rows(more="Total,200,,\n"), "patient", "ends with a footer"),
    "spelled-ids": (rows(more="P 001,40,f,c1 d1\n"), "patient", "in several spellings"),
    "other-mark": (rows(more="P300,40,f,c1;d1\nP301,40,m,c1;d2\n"), "patient", "2 cells with ';'"),
    "no-items": (
        rows(more="P300,40,f,\nP301,40,f,\n"),
        "patient",
        "2 records without items: the input has none for them",
    ),
    "case": (rows(more="P300,40,F,C1 d1\nP301,40,F,c2\n"), "patient", "1 value in several spellings"),
    "two-signs": (
        re.sub(r"(?m)^(P\d+),(\d+)", r"\1,\2.5", rows(more='P300,"40,5",f,c1 d1\n')),
        "patient",
        "1 number with a decimal comma among numbers with a point",
    ),
    "unknown-code": (rows(), "", "1 of 15 labels is not a leaf"),
}
"""Data with a fault, the unit that the owner declares, and a part of the warning. The last case has a job file."""
Run = Callable[[Coroutine[Any, Any, None]], None]


def write(folder: Path, *names: str) -> None:
    """Write the data of faults, and their job files."""
    for name in names:
        text, unit, _ = FAULTS[name]
        (folder / f"{name}.csv").write_text(text, encoding="latin-1" if "â" in text else "utf-8")
        if not unit:
            (folder / "tree.csv").write_text(_TREE)
            (folder / f"{name}.toml").write_text(_JOB.format(name=name, unit="patient", tree="tree.csv"))


@pytest.mark.usefixtures("commands_in_this_process")
@pytest.mark.parametrize(("fault", "unit"), [*((fault, of[1]) for fault, of in FAULTS.items()), ("characters", "row")])
def test_a_warning_stays_until_the_owner_settles_it(tmp_path: Path, fault: str, unit: str) -> None:
    write(tmp_path, fault)
    warning = FAULTS[fault][2]

    async def way(user: User, state: PageState) -> None:
        def step() -> str:
            return " ".join(child.text for child in element(user, "step Data").default_slot.children)

        async def inspected(before: object = None) -> None:
            await until(lambda: state.inspection.last is not before and not state.inspection.busy)

        await user.open("/")
        user.find(f"{fault}.{'csv' if unit else 'toml'}").click()
        await inspected()
        await user.open("/")
        if unit:
            before = state.inspection.last
            element(user, "unit").set_value(unit)
            await inspected(before)
        await until(lambda: warning in texts(user))
        before = state.inspection.last
        element(user, "role sex").set_value("keep")  # inspects the data again
        await inspected(before)
        for screen in ("/", "/hierarchies", "/publish"):
            await user.open(screen)
            await until(lambda: "warning" in step())
            assert step().startswith("! ")
            assert ("not checked" in texts(user)) == (screen == "/hierarchies")
            assert ("Before you publish" in texts(user)) == (screen == "/publish")
            assert warning in texts(user)
        await user.open("/")
        assert warning in texts(user)
        while number := len(state.inspection.unchecked):
            button = user.find(marker="check")
            button.elements = {next(iter(button.elements))}
            button.click()
            await until(lambda left=number: len(state.inspection.unchecked) < left)
        await until(lambda: texts(user).count("Check again") == len(state.inspection.warnings))
        assert f"{len(state.inspection.warnings)} warning{'s' * (len(state.inspection.warnings) > 1)} checked" in texts(
            user
        )
        assert "I checked this" not in texts(user)
        assert step() == "✓ done"

    by_clicks(tmp_path, way)


@pytest.mark.usefixtures("commands_in_this_process")
def test_rows_that_are_different_persons_may_differ(tmp_path: Path) -> None:
    write(tmp_path, "conflicting-rows")

    async def way(user: User, state: PageState) -> None:
        state.open("conflicting-rows.csv")
        await until(lambda: state.inspection.findings is not None and not state.inspection.busy)
        assert any("the rows of 1 person differ" in text for text in state.inspection.warnings)
        choices.answer(state, "row")
        await until(lambda: state.answered and not state.inspection.busy)
        assert not any("the rows of 1 person differ" in text for text in state.inspection.unchecked)

    by_clicks(tmp_path, way)


IN_CHROMIUM = ("conflicting-rows", "unknown-code")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, Browser, str]]:
    folder = tmp_path_factory.mktemp("faults")
    write(folder, *IN_CHROMIUM)
    (folder / "rising.csv").write_text(rows())
    (folder / "rising.toml").write_text(_JOB.format(name="rising", unit="patient", tree="balanced:2"))
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        browser, address = runner.run(stack.enter_async_context(opened(folder)))
        yield runner.run, browser, address
        faults = browser.faults
        runner.run(stack.aclose())
    assert faults == []


async def step(browser: Browser, name: str) -> str:
    """Return the state of a step in the navigation, in words."""
    state = f"[...document.querySelectorAll('.steps a')].find(e => e.innerText.includes('{name}'))"
    await browser.until(state)
    return str(await browser.script(f"{state}.querySelector('.state').innerText"))


async def close_data(browser: Browser) -> None:
    """Return to the list of files."""
    await browser.until("document.querySelector('h1')")
    if not await browser.script("!!document.querySelector('.files')"):
        await browser.click("Choose other data")
        await browser.until("document.querySelector('.files')")


@needs_chromium
@pytest.mark.parametrize("fault", IN_CHROMIUM)
def test_a_warning_stays_in_chromium(page: tuple[Run, Browser, str], fault: str) -> None:
    run, browser, address = page
    _, unit, warning = FAULTS[fault]
    shown = f"[...document.querySelectorAll('.checks li')].find(e => e.innerText.includes({warning!r}))"

    async def way() -> None:
        await browser.open(address)
        await close_data(browser)
        await browser.open_file(f"{fault}.{'csv' if unit else 'toml'}")
        if unit:
            await browser.answer(f"Each {unit} is a person")
        await browser.until(shown)
        await browser.choose("Role of column sex", "publish unchanged")  # inspects the data again
        await browser.until("[...document.querySelectorAll('.steps a')][0].innerText.includes('inspecting')")
        await browser.until("![...document.querySelectorAll('.steps a')][0].innerText.includes('inspecting')")
        assert "warning" in await step(browser, "Data")
        await browser.reload()
        await browser.until(shown)
        await browser.go_to("Hierarchies")
        await browser.until("document.querySelector('.alert')?.innerText.includes('not checked')")
        assert "warning" in await step(browser, "Data")
        await browser.go_to("Publish")
        await browser.until(shown)
        assert "warning" in await step(browser, "Data")
        await browser.go_to("Data")
        await browser.until(shown)
        while await browser.script("!!document.querySelector('.checks button.second')"):
            left = await browser.script("document.querySelectorAll('.checks > li').length")
            await browser.click_element("document.querySelector('.checks button.second')")
            await browser.until(f"document.querySelectorAll('.checks > li').length < {left}")
        await browser.until(
            "[...document.querySelectorAll('details summary')].some(e => /warnings? checked$/.test(e.innerText))"
        )
        await browser.until("document.querySelector('.steps a').innerText.includes('done')")

    run(way())


@needs_chromium
def test_a_risk_that_rises_is_a_warning_of_the_step_publish(page: tuple[Run, Browser, str]) -> None:
    run, browser, address = page

    async def way() -> None:
        await browser.open(address)
        await close_data(browser)
        await browser.open_file("rising.toml")
        await browser.until_text("Who is at risk now?")
        await browser.go_to("Publish")
        await browser.publish()
        await browser.until_text("Open the report")
        await browser.until_text("A figure rises, if an attacker knows")
        for screen in ("Data", "Promise", "Open"):
            await browser.go_to(screen)
            assert "6 warnings" in await step(browser, "Publish")  # a risk that rises, and five doubts

    run(way())
