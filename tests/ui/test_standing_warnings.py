"""Planted faults in headless Chromium: each warning stays until the owner settles it. One server and one browser serve
all cases.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from tests.ui.browser import CHROMIUM, Browser, opened

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]
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
    "wrong-unit": (rows(), "Each row is a different person", "only 100 different values of 'patient'"),
    "conflicting-rows": (rows(differing=True), "Each patient is a person", "the rows of 1 person differ"),
    "characters": (rows(header="patient,âge,sex,codes"), "Each patient is a person", "check the characters"),
    "missing-text": (rows(more="P200,k.A.,f,c1 d1 e1\n" * 2), "Each patient is a person", "'k.A.' probably means"),
    "missing-number": (rows(more="P200,-99,f,c1 d1 e1\nP201,-99,m,c2\n"), "Each patient is a person", "-99 may mean"),
    "no-id": (rows(more=",40,f,c1 d1 e1\n" * 3), "Each patient is a person", "3 rows without an id"),
    "no-person": (rows(more="none,40,f,c1 d1 e1\n" * 3), "Each patient is a person", "may mean a missing id"),
    "label-line": (rows(below="Number,Age in years,Sex,Codes"), "Each patient is a person", "lines of labels"),
    "totals": (rows(more="Total,200,,\n"), "Each patient is a person", "totals and notes at the end"),
    "spelled-ids": (rows(more="P 001,40,f,c1 d1\n"), "Each patient is a person", "the ids of 1 person differ only"),
    "other-mark": (rows(more="P300,40,f,c1;d1\nP301,40,m,c1;d2\n"), "Each patient is a person", "2 cells with ';'"),
    "no-items": (rows(more="P300,40,f,\nP301,40,f,\n"), "Each patient is a person", "2 records without items"),
    "unknown-code": (rows(), "", "1 of 15 labels is not a leaf"),
}
"""Data with a fault, the answer to the question who is a person, and a part of the warning. The last case has a job
file.
"""
Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, Browser, str]]:
    folder = tmp_path_factory.mktemp("faults")
    for name, (text, *_) in FAULTS.items():
        (folder / f"{name}.csv").write_text(text, encoding="latin-1" if "â" in text else "utf-8")
    (folder / "tree.csv").write_text(_TREE)
    jobs = {"unknown-code": "tree.csv", "rising": "balanced:2"}
    (folder / "rising.csv").write_text(rows())
    for name, tree in jobs.items():
        (folder / f"{name}.toml").write_text(_JOB.format(name=name, unit="patient", tree=tree))
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


@pytest.mark.parametrize("fault", FAULTS)
def test_a_warning_stays_until_the_owner_settles_it(page: tuple[Run, Browser, str], fault: str) -> None:
    run, browser, address = page
    _, answer, warning = FAULTS[fault]
    shown = f"[...document.querySelectorAll('.checks li')].find(e => e.innerText.includes({warning!r}))"

    async def way() -> None:
        await browser.open(address)
        await close_data(browser)
        await browser.click(f"{fault}.{'csv' if answer else 'toml'}")
        if answer:
            await browser.answer(answer)
        await browser.until(shown)
        await browser.choose("Role of column sex", "publish unchanged")  # inspects the data again
        await browser.until("[...document.querySelectorAll('.steps a')][0].innerText.includes('inspecting')")
        await browser.until("![...document.querySelectorAll('.steps a')][0].innerText.includes('inspecting')")
        assert "warning" in await step(browser, "Data")
        await browser.reload()
        await browser.until(shown)
        for screen in ("Hierarchies", "Publish"):
            await browser.go_to(screen)
            await browser.until("document.querySelector('.alert')?.innerText.includes('not checked')")
            assert "warning" in await step(browser, "Data")
        await browser.go_to("Data")
        await browser.until(shown)
        while await browser.script("!!document.querySelector('.checks button.second')"):
            left = await browser.script("document.querySelectorAll('.checks > li').length")
            await browser.click_element("document.querySelector('.checks button.second')")
            await browser.until(f"document.querySelectorAll('.checks > li').length < {left}")
        await browser.until("document.querySelector('details:not(.more) summary')?.innerText.endsWith('checked')")
        await browser.until("document.querySelector('.steps a').innerText.includes('done')")

    run(way())


def test_a_risk_that_rises_is_a_warning_of_the_step_publish(page: tuple[Run, Browser, str]) -> None:
    run, browser, address = page

    async def way() -> None:
        await browser.open(address)
        await close_data(browser)
        await browser.click("rising.toml")
        await browser.until_text("Who is at risk now?")
        await browser.go_to("Publish")
        await browser.click("Publish")
        await browser.until_text("Open the report")
        await browser.until_text("Higher after than before")
        for screen in ("Data", "Promise", "Open"):
            await browser.go_to(screen)
            assert "1 warning" in await step(browser, "Publish")

    run(way())
