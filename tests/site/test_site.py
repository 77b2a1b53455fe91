"""The site builds without warnings, is complete, and fits the page width."""

import asyncio
import doctest
import functools
import json
import os
import queue
import re
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mkdocs", reason="the site is built by mkdocs, of the group docs")

from tests.ui.browser import AXE, CHROMIUM, Browser

pytestmark = [pytest.mark.compiled, pytest.mark.long]

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    "index.html",
    "install.html",
    "tutorials/hospital.html",
    "notebooks/owner.html",
    "comparison.html",
    "files.html",
    "least-loss.html",
    "attacks.html",
]
"""Small pages of all kinds: written, from a notebook, with wide tables and listings."""
_LOADED = re.compile(r'<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)="(?P<url>(?:https?:)?//[^"]+)"')
_PROBE = """<!doctype html><meta charset="utf-8"><body><script>
const pages = %s, widths = [360, 1280], found = [];
(async () => {
  for (const page of pages) for (const width of widths) {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width:${width}px;height:800px;border:0`;
    await new Promise(done => { frame.onload = done; frame.src = page; document.body.append(frame); });
    const root = frame.contentDocument.documentElement;
    found.push([page, width, root.scrollWidth]);
    frame.remove();
  }
  const frame = document.createElement("iframe");
  frame.style.cssText = "width:1280px;height:800px;border:0";
  frame.src = "index.html?q=composition";
  await new Promise(done => { frame.onload = done; document.body.append(frame); });
  const results = () => [...frame.contentDocument.querySelectorAll(".md-search-result__link")].map(link => link.href);
  for (let tries = 0; tries < 300 && !results().length; tries++) await new Promise(done => setTimeout(done, 100));
  await fetch("/measured", {method: "POST", body: JSON.stringify({found, results: results()})});
})();
</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


def environment() -> dict[str, str]:
    return {**os.environ, "NO_MKDOCS_2_WARNING": "1"}


def pages(site: Path) -> list[Path]:
    return sorted(page for page in site.rglob("*.html") if page.name != "404.html")


def test_every_page_exists_and_loads_no_external_resources(site: Path) -> None:
    assert {"index.html", "command-line.html", "python.html", "data-cards.html", "changelog.html"} <= {
        p.name for p in site.iterdir()
    }
    for page in pages(site):
        assert not _LOADED.findall(page.read_text()), page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//", style.read_text()), style.name


def test_the_generated_pages_list_every_command_and_public_name(site: Path) -> None:
    import anonset

    python, commands = (site / "python.html").read_text(), (site / "command-line.html").read_text()
    for name in anonset.__all__:
        assert re.search(rf'id="anonset\.[\w.]*\b{name}"', python), name
    for command in ("inspect", "suggest", "anonymize", "verify", "risk", "report", "hierarchy-build", "datasets-make"):
        assert f'id="anonset-{command}"' in commands, command


def test_every_page_is_two_clicks_away_and_every_link_leads_somewhere(site: Path) -> None:
    known, clicks = {"index.html"}, [{"index.html"}]
    for _ in range(2):
        clicks.append({target for page in clicks[-1] for target in links(site, page)} - known)
        known |= clicks[-1]
    assert {str(page.relative_to(site)) for page in pages(site)} == {page for page in known if page.endswith(".html")}
    for page in known:
        assert (site / page).is_file(), page


def links(site: Path, page: str) -> set[str]:
    """Return the link targets of a page, as paths below the site."""
    result = re.findall(r'<a\b[^>]*? href="([^"#?]+)', (site / page).read_text()) if page.endswith(".html") else []
    internal = [target for target in result if not re.match(r"[a-z]+:|//", target)]
    return {os.path.normpath(Path(page).parent / target) for target in internal}


@pytest.mark.parametrize("name", ["doctests", "footprint", "notebooks"])
def test_doctests_of_the_site_builder(name: str) -> None:
    names = runpy.run_path(str(ROOT / "docs" / "building" / f"{name}.py"))
    examples = [
        test
        for entry in names.values()
        if getattr(entry, "__module__", "") == names["__name__"]
        for test in doctest.DocTestFinder().find(entry, name, globs=names)
    ]
    assert sum(len(test.examples) for test in examples)
    for test in examples:
        assert doctest.DocTestRunner().run(test).failed == 0


def test_search_finds_text_of_pages(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    for words, page in (("anonymous under the gdpr", "choosing.html"), ("composition", "limits.html")):
        assert any(
            page in page_entry["location"]
            for page_entry in index
            if words in (page_entry["title"] + page_entry["text"]).lower()
        ), words


class Reports(SimpleHTTPRequestHandler):
    """Serves the site, and receives the measurements of the probing page."""

    found: "queue.Queue[Any]"

    def do_POST(self) -> None:
        self.found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve the site on this machine, and yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Reports, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.studies
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_no_page_is_wider_than_a_phone_or_a_screen_and_search_finds(site: Path, tmp_path: Path) -> None:
    (site / "wide.html").write_text(
        '<!doctype html><div style="width:2000px">so that the probe is seen to find it</div>'
    )
    names = [str(page.relative_to(site)) for page in pages(site)]
    (site / "probe.html").write_text(_PROBE % json.dumps(names))
    Reports.found = queue.Queue()
    with served(site) as address:
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path}",
            "--window-size=1400,900",
        ]
        with subprocess.Popen(
            [str(CHROMIUM), *options, "--remote-debugging-port=0", f"{address}/probe.html"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as browser:
            try:
                measured = Reports.found.get(timeout=300)
            finally:
                os.killpg(browser.pid, signal.SIGKILL)
    for name in ("probe.html", "wide.html"):
        (site / name).unlink()
    result = measured["found"]
    assert len(result) == 2 * len(names)
    assert [entry for entry in result if entry[2] > entry[1]] == [["wide.html", 360, 2008], ["wide.html", 1280, 2008]]
    assert any("limits.html" in link for link in measured["results"])


@pytest.mark.studies
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_search_finds_in_a_site_opened_from_its_folder(site: Path, tmp_path: Path) -> None:
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    address = f"{(site / 'index.html').as_uri()}?q=composition"
    command = [str(CHROMIUM), *options, "--virtual-time-budget=20000", "--dump-dom", address]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    results = re.findall(r'<a\b[^>]*class="md-search-result__link"[^>]*>', shown)
    assert any("limits.html" in result for result in results)


NARROW = "data:text/html,<meta name=viewport content=width=device-width>"
"""Page that can be 390 px wide. The empty page of a new browser cannot, and a page of the site stores its scheme."""


@pytest.mark.studies
@pytest.mark.skipif(CHROMIUM is None or AXE is None, reason="needs Chromium and axe-playwright-python")
@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_no_page_has_faults_of_accessibility(site: Path, scheme: str) -> None:
    async def faults() -> list[str]:
        found = []
        async with Browser() as browser:
            await browser.open(NARROW, "document.readyState === 'complete'")
            for width in (390, 1280):
                await browser.resize(width, dark=scheme == "slate")
                for page in PAGES:
                    await browser.open(f"{address}/{page}", "document.readyState === 'complete'")
                    assert await browser.script("document.body.dataset.mdColorScheme") == scheme
                    found += [f"{page}, {width} px: {fault}" for fault in await browser.faults_of_accessibility()]
        return found

    with served(site) as address:
        assert asyncio.run(faults()) == []
