"""Headless Chromium, driven by the DevTools protocol: clicks, keys, sizes, screenshots."""

import asyncio
import base64
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import websockets

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = importlib.util.find_spec("axe_playwright_python")
_ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
_RULES_OF_COLORS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
_ROLES_OF_CONTROLS = ("button", "checkbox", "combobox", "link", "radio", "searchbox", "slider", "spinbutton", "textbox")
_PATIENCE = 20
"""Seconds for an answer of the browser."""
_KEYS = {"Tab": 9, "Enter": 13, "Space": 32, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Escape": 27, "z": 90}
_VISIBLE = "[...document.querySelectorAll('.content a,button,.q-menu .q-item')].filter(e => e.getClientRects().length)"


_STILL = """async find => {
  const frame = () => new Promise(requestAnimationFrame);
  const moves = e => e.playState === 'running' && e.effect?.getComputedTiming().iterations !== Infinity;
  let before = null, place = '', since = 0;
  for (;;) {
    await frame();
    const element = find();
    if (!element) continue;
    element.scrollIntoView({block: 'center'});
    const r = element.getBoundingClientRect(), now = [r.x, r.y, r.width, r.height].join();
    if (element !== before || now !== place || document.getAnimations().some(moves)) since = performance.now();
    else if (performance.now() - since > 100) return [r.x + r.width / 2, r.y + r.height / 2];
    [before, place] = [element, now];
  }
}"""
"""Wait until an element has not moved or been replaced for 0.1 seconds and no animation runs, except endless ones.
Return its middle.
"""


class Browser:
    """Headless Chromium with a single tab. It reaches only this machine."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        """Errors of scripts, and addresses outside of this machine."""
        self._profile = tempfile.mkdtemp(prefix="chromium-")
        self._number = 0
        self._answers: dict[int, asyncio.Future[Any]] = {}

    async def __aenter__(self) -> Self:
        options = [
            "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
            f"--user-data-dir={self._profile}", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [str(CHROMIUM), *options, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        port = Path(self._profile) / "DevToolsActivePort"
        async with asyncio.timeout(60):
            while not port.exists() or len(port.read_text().splitlines()) < 2:
                await asyncio.sleep(0.05)
        number, path = port.read_text().splitlines()
        self._socket = await websockets.connect(f"ws://127.0.0.1:{number}{path}", max_size=1 << 28)
        self._session: str | None = None
        self._reader = asyncio.create_task(self._read())
        targets = (await self.command("Target.getTargets"))["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = (await self.command("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            await self.command(f"{domain}.enable")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reader.cancel()
        await self._socket.close()
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    async def _read(self) -> None:
        async for text in self._socket:
            message = json.loads(text)
            given = message.get("params", {})
            if "id" in message:
                answer = self._answers.pop(message["id"])
                if not answer.done():
                    answer.set_result(message)
            elif message["method"] == "Runtime.exceptionThrown":
                self.faults.append(str(given["exceptionDetails"].get("exception", {}).get("description")))
            elif message["method"] == "Network.requestWillBeSent":
                url = given["request"]["url"]
                if not url.startswith(("http://127.0.0.1", "file:", "data:")):
                    self.faults.append(f"external: {url}")

    async def command(self, method: str, **parameters: Any) -> Any:
        """Send a command of the protocol, and return the result."""
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        session = {} if self._session is None else {"sessionId": self._session}
        await self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters, **session}))
        try:
            result = await asyncio.wait_for(answer, _PATIENCE)
        except TimeoutError:  # the document was replaced before it answered
            raise RuntimeError(f"no answer to {method}") from None
        if "error" in result:
            raise RuntimeError(result["error"])
        return result["result"]

    async def script(self, code: str) -> Any:
        """Return the value of a JavaScript expression."""
        result = await self.command("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    async def open(self, address: str, ready: str = "window.did_handshake") -> None:
        """Open an address, and wait until an expression is true. By default, the server hears clicks from then on."""
        await self._leave("Page.navigate", ready, url=address)

    async def reload(self) -> None:
        """Load the page again."""
        await self._leave("Page.reload", "window.did_handshake")

    async def _leave(self, method: str, ready: str, **parameters: Any) -> None:
        await self.script("window.left = true")
        await self.command(method, **parameters)
        await self.until(f"!window.left && {ready}")

    async def until(self, condition: str, seconds: float = 300) -> None:
        """Wait until a JavaScript expression is true."""
        try:
            async with asyncio.timeout(seconds):
                while not await self._is_true(condition):
                    await asyncio.sleep(0.05)
        except TimeoutError:
            shown = await self.script("document.body.innerText")
            raise AssertionError(f"not reached: {condition}; the page shows: {shown}") from None

    async def _is_true(self, condition: str) -> bool:
        try:
            return bool(await self.script(f"!!({condition})"))
        except RuntimeError:  # the page is being replaced
            return False

    async def until_text(self, text: str) -> None:
        """Wait until the page shows a text."""
        await self.until(f"document.body && document.body.innerText.includes({json.dumps(text)})")

    async def click(self, label: str) -> None:
        """Click the visible link, button or option whose label contains a text; exact labels first. Links of the
        navigation are left out.
        """
        named = json.dumps(label)
        found = (
            f"({_VISIBLE}.find(e => e.innerText.trim() === {named}) || "
            f"{_VISIBLE}.find(e => e.innerText.includes({named})))"
        )
        await self.until(found)
        await self.click_element(found)

    async def publish(self) -> None:
        """State for each question of the screen Publish that it is checked, and click the button Publish."""
        start = f"{_VISIBLE}.find(e => e.innerText.trim() === 'Publish')"
        questions = "document.querySelectorAll('.checks > li').length"
        await self.until(start)
        while left := await self.script(questions):
            await self.click("I checked this")
            await self.until(f"{questions} < {left}")
        await self.until(f"{start}.getAttribute('disabled') === null")
        await self.click("Publish")

    async def go_to(self, screen: str) -> None:
        """Click the link of a screen in the navigation, and wait until the server hears clicks on that screen. Links of
        the menu More are visible after a click on it.
        """
        name = "(e.querySelector('.name') || e).textContent"
        found = f"[...document.querySelectorAll('nav a')].find(e => {name} === {json.dumps(screen)})"
        await self.until(found)
        if await self.script(f"!!{found}.closest('details:not([open])')"):
            await self.click_element("document.querySelector('.more summary')")
        await self.script("window.left = true")
        await self.click_element(found)
        await self.until(f"!window.left && window.did_handshake && document.title === 'anonset: {screen}'")

    async def open_file(self, name: str) -> None:
        """Click a file on the first screen, and wait until the server hears clicks on the page that replaces it."""
        await self.script("window.left = true")
        await self.click(name)
        await self.until("!window.left && window.did_handshake")

    async def click_element(self, found: str) -> None:
        """Click the middle of an element, given as a JavaScript expression."""
        await self.until("window.did_handshake")  # before, the server does not hear clicks
        x, y = await self.script(f"({_STILL})(() => {found})")  # menus move while they open
        for kind in ("mousePressed", "mouseReleased"):
            await self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def choose(self, label: str, option: str) -> None:
        """Choose an option of a select box."""
        box = f"document.querySelector('[aria-label=\"{label}\"]:not([disabled])')"
        await self.until(box)
        await self.click_element(f"{box}.closest('.q-field')")
        found = (
            f"[...document.querySelectorAll('.q-menu .q-item')].find(e => e.innerText.includes({json.dumps(option)}))"
        )
        await self.until(found)
        await self.click_element(found)

    async def answer(self, option: str) -> None:
        """Declare on the screen Data who is a person, and wait for the findings."""
        shown = "document.body.innerText.includes('Inspecting the data')"
        await self.watch(shown)
        await self.choose("Who is a person?", option)
        await self.until(f"(window.seen ?? true) && !{shown}")  # a page that was loaded again has no observer

    async def watch(self, shown: str) -> None:
        """Set ``window.seen`` as soon as an expression is true, even if it is true for less than a pause of `until`."""
        changes = "{childList: true, subtree: true, characterData: true}"
        watch = f"new MutationObserver(() => {{ window.seen ||= {shown} }}).observe(document.body, {changes})"
        await self.script(f"window.seen = false, {watch}")

    async def write(self, label: str, content: str) -> None:
        """Replace the content of an input."""
        found = f"document.querySelector('input[aria-label=\"{label}\"]')"
        await self.until(found)
        await self.script(f"{found}.focus(), {found}.select()")
        await self.command("Input.insertText", text=content)

    async def press(self, key: str, *, modifiers: int = 0) -> None:
        """Press a key. The modifier 2 is Ctrl."""
        code = _KEYS[key]
        more = {"text": "\r"} if key == "Enter" else {"text": " "} if key == "Space" else {}
        name = " " if key == "Space" else key
        for kind in ("keyDown", "keyUp"):
            await self.command(
                "Input.dispatchKeyEvent", type=kind, key=name, code=key, windowsVirtualKeyCode=code,
                modifiers=modifiers, **(more if kind == "keyDown" else {}),
            )  # fmt: skip

    async def resize(self, width: int, *, height: int = 900, dark: bool = False) -> None:
        """Change the width of the window, and the color scheme."""
        await self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.command("Emulation.setEmulatedMedia", features=[scheme])
        medium = f"(width: {width}px) and (prefers-color-scheme: {scheme['value']})"
        await self.until(f"matchMedia({json.dumps(medium)}).matches")
        await self.script(f"({_STILL})(() => document.documentElement)")

    async def faults_of_accessibility(self, *, of_colors: bool = False) -> list[str]:
        """Return the violations that axe finds on the page. If `of_colors` is True, check only the rules of colors."""
        assert AXE is not None
        assert AXE.origin is not None
        axe = Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")
        await self.script(f"{axe}; 0")
        rules = _RULES_OF_COLORS if of_colors else _ALL_RULES
        options = {"runOnly": rules, "resultTypes": ["violations"]}
        result = await self.script(f"axe.run(document, {json.dumps(options)})")
        assert len(result["passes"]) >= (1 if of_colors else 11)
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:150]} {one['nodes'][0]['failureSummary'][:200]}"
            for one in result["violations"]
        ]

    async def controls(self) -> list[tuple[str, str]]:
        """Return the role and the name of each control, as Chromium passes them to a screen reader."""
        await self.command("Accessibility.enable")
        nodes = (await self.command("Accessibility.getFullAXTree"))["nodes"]
        await self.command("Accessibility.disable")
        shown = [node for node in nodes if not node.get("ignored")]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in shown
            if node["role"]["value"] in _ROLES_OF_CONTROLS
        ]

    async def picture(self, most: int, top: float = 0) -> bytes:
        """Return a picture of the complete page as PNG, from `top` on, at most `most` pixels high."""
        await self.script("scrollTo(0, 0)")  # the header is sticky
        size = (await self.command("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"], "height": min(size["height"] - top, most), "scale": 1}
        taken = await self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(taken["data"])


@asynccontextmanager
async def opened(folder: Path, *arguments: str) -> AsyncIterator[tuple[Browser, str]]:
    """Start ``anonset ui`` on a folder, and open it in a browser. Yield the browser and the address of the page."""
    from anonset.ui.server import _private_page  # the extra `ui` installs its packages

    server = subprocess.Popen(
        [sys.executable, "-m", "anonset", "ui", *arguments, "--no-browser"],
        cwd=folder, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        address = re.search(r"http://\S+", line)
        assert address is not None, line
        async with Browser() as browser:
            await browser.resize(1280)
            with _private_page(address[0]) as page:
                await browser.open(page.as_uri())
            await browser.until("document.querySelector('h1')")
            yield browser, await browser.script("location.href")
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=30)
