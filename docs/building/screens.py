"""Create the pictures of the page for stewards: ``python docs/building/screens.py``. Requires Chromium."""

import asyncio
import io
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.ui.browser import Browser, opened  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
_MARGIN = 12
_CODES = [f"{letter}{number}" for letter in "EIJKM" for number in range(10, 16)]


def write_data(folder: Path) -> None:
    """Write visits of generated patients."""
    rng = random.Random(1)
    persons = [f"{n},{rng.choice('fm')},{rng.choice(['north', 'south'])}" for n in range(1001, 1401)]
    rows = [f"{person},{' '.join(rng.sample(_CODES, 3))}" for person in [*persons, *persons]]
    (folder / "visits.csv").write_text("\n".join(["patient_id,sex,region,codes", *rows]))
    (folder / "baskets.csv").write_text("\n".join(["codes", *(" ".join(rng.sample(_CODES, 3)) for _ in range(400))]))


async def take(browser: Browser, name: str, *, first: str = "", most: int = 1000) -> None:
    """Store a picture of the screen, at most `most` pixels high, from the heading `first` on, without cut rows."""
    heading = f"[...document.querySelectorAll('h2')].find(e => e.innerText === '{first}')"
    box = f"{heading}.closest('.card').getBoundingClientRect()"
    top = await browser.script(f"{box}.top + scrollY - {_MARGIN}") if first else 0
    ends = "[...document.querySelectorAll('p, li, tbody tr, svg, button, .q-field, .card, .actions')].map(bottom)"
    bottom = "e => e.getBoundingClientRect().bottom + scrollY"
    end = await browser.script(f"(bottom => Math.max(...{ends}.filter(y => y <= {top + most})))({bottom})")
    with Image.open(io.BytesIO(await browser.picture(end + 1 - top, top))) as image:
        image.convert("RGB").save(PICTURES / f"ui-{name}.webp", quality=60, method=6)


async def follow(folder: Path) -> None:
    """Publish by clicks, and take a picture of each screen."""
    async with opened(folder) as (browser, address):
        await browser.resize(1000, height=600)
        await browser.open_file("visits.csv")
        await browser.answer("Each patient_id is a person")
        await browser.until_text("400 records")
        await browser.until("!document.querySelector('.q-menu')")
        await take(browser, "data")
        await browser.go_to("Hierarchies")
        await browser.until_text("30 values")
        await browser.click("Edit by hand")
        await browser.until("document.querySelector('.hierarchy .box')")
        await browser.click("+")
        for code in ("E10", "E11", "E12"):
            await browser.until_text(f"{code} (")
            await browser.click_element(f"document.querySelector('[aria-label=\"Choose {code}\"]')")
        await browser.until_text("Chosen: E10, E11, E12")
        await browser.write("Move to a group, or name of a new group", "Diabetes")
        await browser.until_text("Make the new group")
        await take(browser, "hierarchies")
        await browser.go_to("Promise")
        await browser.until_text("Not covered")
        await take(browser, "promise")
        await browser.go_to("Try")
        await browser.click("Try the candidates")
        await browser.until_text("The 30 most frequent items")
        await browser.until("document.querySelectorAll('polyline').length >= 6")
        await take(browser, "try", first="Lost detail, if more records must match", most=1200)
        await browser.go_to("Publish")
        await browser.publish()
        await browser.until_text("Open the report")
        await take(browser, "publish", first="Risk before and after", most=1710)
        await browser.go_to("Queries")
        await browser.until_text("Generate queries")
        await browser.click("Generate queries")
        await browser.until_text("Number of queries: 100")
        await browser.click("Measure the error of the publication")
        await browser.until_text("Average relative error")
        await browser.until("!document.body.innerText.includes('…')")
        await take(browser, "queries")
        await browser.go_to("Open")
        await browser.click("visits-safe")
        await browser.until_text("People who are unique for the attacker of the promise")
        await take(browser, "open")
        await browser.open(address)
        await browser.click("Choose other data")
        await browser.open_file("baskets.csv")
        await browser.until_text("400 records")
        await browser.go_to("Policies")
        for items in (("E10", "I10"), ("J15",)):
            for item in items:
                await browser.write("Search items to protect", item)
                await browser.click(f"{item} (")
            await browser.click("Add")
            await browser.until_text(f"{' '.join(items)} (")
        await browser.until("(document.body.innerText.match(/^(E10 I10|J15) \\(/gm) || []).length == 3")  # and a result
        await take(browser, "policies")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        os.environ["TMPDIR"] = name
        data = Path("/tmp/hospital")  # the pictures show this path
        data.mkdir()
        try:
            write_data(data)
            asyncio.run(follow(data))
        finally:
            shutil.rmtree(data)
