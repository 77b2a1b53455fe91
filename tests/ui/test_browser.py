"""The page in headless Chromium: the complete way by clicks and by keys, faults, reloads, and accessibility."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="of the group test")

from tests.ui.browser import AXE, CHROMIUM, Browser, opened

from anonset.cli.main import main

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]
CODES = [f"{letter}{number}" for letter in "EIJKM" for number in range(10, 16)]
_CONTROLS = (
    "[...document.querySelectorAll('a[href], button, input, summary, [tabindex=\"0\"]')]"
    ".filter(e => e.checkVisibility() && e.getClientRects().length && !e.disabled && e.tabIndex >= 0"
    " && !(e.type === 'radio' && !e.checked) && !e.closest('[aria-disabled=true]'))"
)
_FOCUSED = """(e => {
  reached.add(e);
  return e === document.body || getComputedStyle(e).outlineStyle !== 'none' || !!e.closest('.q-field--focused');
})(document.activeElement)"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = random.Random(1)
    persons = [f"P{n:03},{rng.choice('fm')},{rng.choice(['north', 'south'])}" for n in range(200)]
    rows = [f"{person},{' '.join(rng.sample(CODES, 3))}" for person in [*persons, *persons]]
    (tmp_path / "visits.csv").write_text("\n".join(["patient_id,sex,region,codes", *rows]))
    return tmp_path


def in_browser(folder: Path, way: Callable[[Browser, str], Awaitable[None]], *arguments: str) -> None:
    """Follow a way in a browser. No script fails, and no other machine is asked."""

    async def follow() -> None:
        async with opened(folder, *arguments) as (browser, address):
            await way(browser, address)
            assert browser.faults == []

    asyncio.run(follow())


def test_the_complete_way_by_clicks_publishes_the_bytes_of_the_command_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def way(browser: Browser, _: str) -> None:
        await browser.open_file("visits.csv")
        await browser.answer("Each patient_id is a person")
        await browser.click("Next: choose the promise")
        await browser.write("k: how many records must match?", "3")
        await browser.until_text("at least 3 matching records")
        await browser.click("Next: try")
        await browser.click("Try the candidates")
        await browser.until_text("Comparing result")
        await browser.reload()  # in the middle of a run
        await browser.until_text("Lost detail, if more records must match")
        await browser.until_text("The 30 most frequent items")
        await browser.until(
            "document.querySelectorAll('svg[role=img] polyline').length >= 3 && "
            "[...document.querySelectorAll('button')].some(e => e.innerText === 'Try the candidates')"
        )
        await browser.click("Use this result, then publish")
        await browser.write("New folder for the publication", "by-clicks")
        await browser.publish()
        await browser.reload()
        await browser.until_text("Open the report for the data protection officer")
        await browser.until_text("Published and verified")

    in_browser(folder, way)
    monkeypatch.chdir(folder)
    assert main(["anonymize", "visits.toml", "--out", "by-command", "--quiet"]) == 0
    for path in (folder / "by-clicks").iterdir():
        assert path.read_bytes() == (folder / "by-command" / path.name).read_bytes(), path.name


def test_a_cancelled_run_and_a_wrong_file_leave_nothing(folder: Path) -> None:
    rng = random.Random(2)
    baskets = [" ".join(map(str, rng.sample(range(300), 12))) for _ in range(40_000)]
    (folder / "baskets.dat").write_text("\n".join(baskets))
    (folder / "baskets.toml").write_text(
        'input = "baskets.dat"\nout = "safe"\nmodel = "km"\nalgorithm = "exact"\nk = 5\nm = 3\n'
        'unit = "row"\nitems = ["items"]\n[hierarchy]\nitems = "balanced:2"\n'
    )
    (folder / "broken.csv").write_bytes(b"codes,age\nE10\n\xff\xfe,1,2\n")

    async def way(browser: Browser, _: str) -> None:
        await browser.click("broken.csv")
        await browser.until("document.querySelector('[role=alert]')")
        await browser.click("Choose other data")
        await browser.open_file("baskets.toml")
        await browser.until_text("Who is at risk now?")
        await browser.go_to("Publish")
        await browser.until_text("New folder for the publication")
        await browser.publish()
        await browser.until_text("Running: ")
        await browser.click("Cancel")
        await browser.until_text("Cancelled. Nothing was published.")

    in_browser(folder, way)
    assert {path.name for path in folder.iterdir()} == {"visits.csv", "baskets.dat", "baskets.toml", "broken.csv"}


def test_a_long_rule_is_not_cut(folder: Path) -> None:
    rows = (folder / "visits.csv").read_text().splitlines()
    (folder / "codes.csv").write_text("\n".join(row.rpartition(",")[2] for row in rows))

    async def way(browser: Browser, address: str) -> None:
        await browser.open_file("codes.csv")
        await browser.until_text("400 records")
        await browser.open(f"{address}hierarchies")
        await browser.until_text("30 values")
        rule = "[...document.querySelectorAll('.q-select span')].find(e => e.innerText.startsWith('prefix:1'))"
        for width in (390, 1280):
            await browser.resize(width)
            await browser.until(rule)
            assert await browser.script(f"{rule}.scrollWidth <= {rule}.clientWidth"), width
            assert await browser.script(
                f"{rule}.getBoundingClientRect().bottom <= {rule}.closest('.q-field').getBoundingClientRect().bottom"
            ), width

    in_browser(folder, way)


def test_the_keyboard_alone_publishes(folder: Path) -> None:
    async def focus(browser: Browser, text: str) -> None:
        for _ in range(80):
            await browser.press("Tab")
            named = (
                "((e) => e === document.body ? '' : e.innerText || e.closest('[aria-label]')?.ariaLabel || '')"
                "(document.activeElement)"
            )
            if text in await browser.script(named):
                visible = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
                await browser.until(f"{visible} || document.activeElement.closest('.q-field--focused')", 10)
                return
        pytest.fail(f"the Tab key does not reach {text}")

    async def way(browser: Browser, _: str) -> None:
        await focus(browser, "visits.csv")
        await browser.press("Enter")
        await browser.until_text("Only you know the answer")
        await focus(browser, "Who is a person?")
        await browser.press("Enter")
        await browser.until("document.querySelector('.q-menu .q-item')")
        for _ in range(3):
            chosen = "(document.querySelector('.q-menu .q-manual-focusable--focused') || {}).innerText || ''"
            if "patient_id" in await browser.script(chosen):
                break
            await browser.press("ArrowDown")
            await asyncio.sleep(0.2)
        await browser.press("Enter")
        await browser.until("!document.body.innerText.includes('Only you know the answer')")
        await focus(browser, "Next: choose the promise")
        await browser.press("Enter")
        await browser.until_text("What do you promise?")
        for label in ("Next: try", "Next: publish"):
            await focus(browser, label)
            await browser.press("Enter")
        await browser.until("[...document.querySelectorAll('button')].some(e => e.innerText === 'Publish')")
        questions = "document.querySelectorAll('.checks > li').length"
        while left := await browser.script(questions):
            await focus(browser, "I checked this")
            await browser.press("Space")
            await browser.until(f"{questions} < {left}")
        await focus(browser, "Publish")
        if await browser.script("document.activeElement.tagName") == "A":  # the link in the navigation
            await focus(browser, "Publish")
        await browser.press("Space")
        await browser.until_text("Published and verified")

    in_browser(folder, way)
    assert (folder / "visits-safe" / "attestation.json").is_file()


def test_the_navigation_works_by_keyboard_and_names_the_current_step(folder: Path) -> None:
    is_open = "document.querySelector('.more').open"
    words = "`${e.ariaCurrent} ${e.innerText || e.textContent}`"
    current = f"[...document.querySelectorAll('nav [aria-current]')].map(e => {words})"

    async def way(browser: Browser, address: str) -> None:
        assert (await browser.script(current))[0].startswith("step 1\nData")
        await browser.script("document.querySelector('.more summary').focus()")
        await browser.press("Enter")
        await browser.until(is_open)
        await browser.press("Tab")
        assert await browser.script("document.activeElement.innerText") == "Policies"
        await browser.press("Escape")
        await browser.until(f"!{is_open}")
        assert await browser.script("document.activeElement.innerText") == "More"
        await browser.press("Enter")
        await browser.until(is_open)
        for _ in range(4):
            await browser.press("Tab")
        await browser.until(f"!{is_open}")  # the focus has left the menu
        await browser.open_file("visits.csv")
        await browser.answer("Each patient_id is a person")
        link, data = (f"document.querySelectorAll('.steps a')[{place}]" for place in (1, 0))
        await browser.watch(f"{data}.innerText.includes('inspecting')")
        await browser.choose("Role of column sex", "do not publish")
        await browser.until("!document.querySelector('.q-menu')")  # a menu that closes moves the focus
        await browser.script(f"{link}.focus()")
        await browser.until(f"window.seen && {data}.innerText.includes('1 warning')")
        assert await browser.script(f"document.activeElement === {link}")  # an update keeps the focus
        await browser.open(f"{address}hierarchies")
        await browser.until(f"{current}.map(x => x.split('\\n')[0]).join() === 'step 1,page Hierarchies'")
        await browser.go_to("Open")
        await browser.until(f"document.title === 'anonset: Open' && {current}.join() === 'page Open'")

    in_browser(folder, way)


def test_a_hierarchy_is_edited_by_keyboard_and_by_drag_and_drop(folder: Path) -> None:
    rows = (folder / "visits.csv").read_text().splitlines()
    (folder / "codes.csv").write_text("\n".join(row.rpartition(",")[2] for row in rows))
    file = folder / "codes-codes-hierarchy.csv"
    focused = "(document.activeElement.ariaLabel || document.activeElement.innerText)"

    async def press(browser: Browser, key: str, reached: str) -> None:
        await browser.press(key)
        await browser.until(f"{focused}.startsWith({json.dumps(reached)})", 20)

    async def way(browser: Browser, address: str) -> None:
        await browser.open_file("codes.csv")
        await browser.until_text("400 records")
        await browser.open(f"{address}hierarchies")
        await browser.until_text("30 values")
        await browser.script("document.querySelector('input[aria-label=Search]').focus()")
        start = "[...document.querySelectorAll('button')].find(e => e.innerText === 'Edit by hand')"
        await browser.script(f"{start}.focus()")
        await browser.press("Enter")
        await browser.until("document.querySelector('.box')")
        await browser.script("document.querySelector('.hierarchy .node').focus()")
        await press(browser, "ArrowDown", "E* (")
        await browser.press("ArrowRight")
        await browser.until_text("E10 (")
        await press(browser, "Tab", "Choose E10")
        await browser.press("Space")
        await browser.until("document.querySelector('[aria-label=\"Choose E10\"][aria-checked=true]')")
        await press(browser, "ArrowDown", "Choose E11")
        await browser.press("Space")
        await browser.until_text("Chosen: E10, E11")
        await press(browser, "ArrowUp", "Choose E10")
        await press(browser, "Tab", "E10 (")
        await press(browser, "Tab", "Move to a group")
        await browser.command("Input.insertText", text="Diabetes")
        await browser.until_text("Make the new group “Diabetes”")
        await browser.press("Tab")
        while not await browser.script(f"{focused}.startsWith('Make')"):
            await browser.press("Tab")
        await browser.press("Enter")
        await browser.until(f"{focused}.startsWith('Diabetes (2 values')")
        effect = "document.querySelector('.edits [role=status]').innerText"
        await browser.until(f"{effect} === 'New group “Diabetes” with E10, E11.'")
        assert file.read_text().startswith("E10,Diabetes,E*,*\nE11,Diabetes,E*,*\nE12,E*,")
        await browser.press("z", modifiers=2)
        await browser.until(f"{effect}.startsWith('Undone: New group')")
        rows = "[...document.querySelectorAll('.branch')]"
        row = f"(name => {rows}.find(e => e.querySelector('.node').innerText.startsWith(name)))"
        drag = "(type, e) => e.dispatchEvent(new DragEvent(type, {bubbles: true, dataTransfer: new DataTransfer()}))"
        await browser.until_text("E10 (")
        await browser.script(f"({drag})('dragstart', {row}('E10'))")
        await browser.script(f"({drag})('drop', {row}('I*'))")
        await browser.until(f"{effect} === 'E10 moved to “I*”.'")
        assert "E10,I*,*\n" in file.read_text()

    in_browser(folder, way)


def test_every_control_of_the_screen_data_has_a_name_of_its_own(tmp_path: Path) -> None:
    rng = random.Random(3)
    rows = [f"{20 + n % 40},{','.join(rng.choices('12345', k=3))}" for n in range(60)]
    (tmp_path / "survey.csv").write_text("\n".join(["age,trust,clean,food", *rows]))
    columns = ["age", "trust", "clean", "food"]
    unnamed = "[...document.querySelectorAll('input')].filter(e => !e.ariaLabel).length"

    async def way(browser: Browser, _: str) -> None:
        await browser.open_file("survey.csv")
        await browser.until_text("Only you know the answer")
        assert ("combobox", "Who is a person?") in await browser.controls()
        await browser.answer("Each row is a different person")
        await browser.click("Choose trust, clean and food")
        await browser.until_text("60 records are unique")
        controls = await browser.controls()
        assert all(name for _, name in controls)
        assert len(set(controls)) == len(controls)
        menus = ["Who is a person?", "Role of trust, clean and food", *(f"Role of column {name}" for name in columns)]
        assert sorted(name for role, name in controls if role == "combobox") == sorted(menus)
        boxes = [name for role, name in controls if role == "checkbox"]
        assert boxes == [f"Choose {name}" for name in columns]
        assert await browser.script(unnamed) == 0  # the name is that of the input, not of the box around it

    in_browser(tmp_path, way)


async def require_tab_order(browser: Browser, screen: str) -> None:
    """Check that the Tab key reaches every control, and that the focus is visible."""
    controls = await browser.script(f"window.reached = new Set(); {_CONTROLS}.length")
    for _ in range(controls + 5):
        await browser.press("Tab")
        focused = "document.activeElement.outerHTML.slice(0, 150)"
        assert await browser.script(_FOCUSED), (screen, await browser.script(focused))
    missing = f"{_CONTROLS}.filter(e => !reached.has(e)).map(e => e.outerHTML.slice(0, 150))"
    assert await browser.script(missing) == [], screen


@pytest.mark.skipif(AXE is None, reason="axe-playwright-python is not installed")
def test_no_screen_has_faults_of_accessibility(folder: Path) -> None:
    """A dark scheme changes only colors, and a narrow window shows no text that a wide window does not show."""
    found: list[str] = []

    async def examine(browser: Browser, screen: str) -> None:
        for width, dark, of_colors in ((390, True, False), (1280, True, True), (1280, False, False)):
            await browser.resize(width, dark=dark)
            # innerWidth grows with wide content
            await browser.until(f"document.documentElement.scrollWidth <= {width}", 10)
            place = f"{screen}, {width} px, {'dark' if dark else 'light'}"
            found.extend(f"{place}: {fault}" for fault in await browser.faults_of_accessibility(of_colors=of_colors))
        await require_tab_order(browser, screen)

    async def way(browser: Browser, address: str) -> None:
        await examine(browser, "files")
        await browser.open_file("visits.csv")
        await browser.until_text("Only you know the answer")
        await examine(browser, "question")
        await browser.answer("Each patient_id is a person")
        await browser.click("Show the first records")
        await browser.until("document.querySelector('.ag-row')")
        found.extend(await browser.faults_of_accessibility())
        await browser.click("Hide")  # in the grid, keys move as its library defines
        await examine(browser, "data")
        await browser.open(f"{address}values", "document.querySelector('caption')")
        await examine(browser, "values")
        await browser.open(f"{address}hierarchies")
        await browser.until_text("30 values")
        await browser.click("+")
        await browser.click("E10")
        await examine(browser, "hierarchies")
        await browser.click("Edit by hand")
        await browser.until_text("Chosen: E10")  # the chosen value remains chosen
        await examine(browser, "edited hierarchy")
        await browser.open(f"{address}policies")
        await browser.write("Search items to protect", "E10")
        await browser.click("E10 (")
        await browser.until_text("New: E10")
        await examine(browser, "policies")
        await browser.open(f"{address}promise")
        await browser.until_text("Not covered")
        await examine(browser, "promise")
        await browser.open(f"{address}try")
        await browser.click("Try the candidates")
        await browser.until("[...document.querySelectorAll('button')].some(e => e.innerText === 'Use this result')")
        await browser.until_text("Lost detail, if more records must match")
        await browser.until_text("Try the candidates")
        await examine(browser, "try")
        await browser.script("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        await examine(browser, "try, unfolded")
        await browser.open(f"{address}publish")
        await browser.publish()
        await browser.until_text("Open the report")
        await browser.script("document.querySelectorAll('.card details').forEach(e => { e.open = true; })")
        await examine(browser, "publish")
        await browser.open(f"{address}rows", "document.querySelectorAll('.records tbody tr').length === 20")
        await examine(browser, "rows")
        await browser.open(f"{address}report", "document.querySelector('nav')")
        await examine(browser, "report")
        await browser.open(f"{address}queries")
        await browser.click("Generate queries")
        await browser.until_text("Number of queries: 100")
        await browser.write("Search items of the query", "E10")
        await browser.click("E10 (")
        await browser.until_text("New: E10")
        await browser.click("Measure the error")
        await browser.until_text("Average relative error")
        await examine(browser, "queries")
        await browser.open(f"{address}open")
        await browser.click("visits-safe")
        await browser.until_text("People who are unique for the attacker of the promise")
        await browser.script("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        await examine(browser, "open")

    in_browser(folder, way)
    assert found == []
