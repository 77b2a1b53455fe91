"""Create the pictures of the page for stewards: ``python docs/building/screens.py``. Requires Chromium."""

import asyncio
import io
import random
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.ui.browser import Browser, opened  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
_CODES = [f"{letter}{number}" for letter in "EIJKM" for number in range(10, 16)]


def write_data(folder: Path) -> None:
    """Write visits of generated patients."""
    rng = random.Random(1)
    persons = [f"P{n:03},{rng.choice('fm')},{rng.choice(['north', 'south'])}" for n in range(400)]
    rows = [f"{person},{' '.join(rng.sample(_CODES, 3))}" for person in [*persons, *persons]]
    (folder / "visits.csv").write_text("\n".join(["patient_id,sex,region,codes", *rows]))


async def take(browser: Browser, name: str, most: int = 1100) -> None:
    """Store a picture of the screen, at most `most` pixels high."""
    with Image.open(io.BytesIO(await browser.picture(most))) as image:
        image.convert("RGB").save(PICTURES / f"ui-{name}.webp", quality=60, method=6)


async def follow(folder: Path) -> None:
    """Publish by clicks, and take a picture of each screen."""
    async with opened(folder) as (browser, _):
        await browser.resize(1000)
        await browser.click("visits.csv")
        await browser.choose("Who is a person?", "Each patient_id is a person")
        await browser.until("!document.querySelector('[aria-label=\"Role of column sex\"]').disabled")
        await browser.until_text("Who is at risk now?")
        await take(browser, "data")
        await browser.click(". Hierarchies")
        await browser.until_text("Hierarch")
        await asyncio.sleep(3)
        await take(browser, "hierarchies")
        await browser.click(". Promise")
        await browser.until_text("Not covered")
        await take(browser, "promise")
        await browser.click(". Try")
        await browser.click("Try the candidates")
        await browser.until_text("The 30 most frequent codes")
        await browser.until_text("Loss against k")
        await browser.until("document.querySelectorAll('polyline').length >= 6")
        await take(browser, "try", 2400)
        await browser.click(". Publish")
        await browser.click("Publish")
        await browser.until_text("Open the report")
        await take(browser, "publish", 1400)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        write_data(Path(name))
        asyncio.run(follow(Path(name)))
