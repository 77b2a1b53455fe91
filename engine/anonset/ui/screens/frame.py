"""Frame of each screen, with navigation, messages and the command line of the screen."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from anonset.errors import AnonsetError
from anonset.spelling import counted
from anonset.ui.state.folder import JOB
from anonset.ui.state.page_state import PageState, message_of

SCREENS = (
    ("/", "Data"), ("/hierarchies", "Hierarchies"), ("/promise", "Promise"), ("/policies", "Policies"),
    ("/try", "Try"), ("/publish", "Publish"), ("/queries", "Queries"), ("/open", "Open"),
)  # fmt: skip
OPEN = "/open"
"""Address of the screen Open, which needs no job."""
_STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
_SECONDS = 0.4
"""Seconds between two updates of a screen."""


class Screen:
    """Screen in one browser tab."""

    def __init__(self, state: PageState, path: str) -> None:
        self.state = state
        self.path = path
        self._sections: list[LiveSection] = []
        self._message = ""

    @contextmanager
    def opened(self, title: str, command: Callable[[], str]) -> Iterator[None]:
        """Create the frame. The code in the ``with`` block creates the content of the screen."""
        ui.add_head_html(f"<style>{_STYLE}</style>")
        layout = ui.context.client.layout  # this element is outside of the main element of the library
        ui.page_title(f"anonset: {dict(SCREENS)[self.path]}")
        with ui.element("header") as header:
            ui.link("Skip to the content", "#content").classes("skip")
            text("strong", "anonset")
            with ui.element("nav").props('aria-label="Screens"'):
                for path, name in SCREENS:
                    link = ui.link(name, path)
                    if path == self.path:
                        link.props('aria-current="page"')
            self.section(lambda: self.state.source, lambda _: self._show_source())
        header.move(layout, 0)
        with ui.element("div").classes("content").props("id=content tabindex=-1"):
            text("h1", title)
            if self.path not in ("/", OPEN):
                self.section(lambda: len(self.state.unchecked), lambda _: self._show_unchecked())
            self._messages = self.section(lambda: (self._message, self.state.error), self._show_messages)
            yield
        with ui.element("footer") as footer:
            text("div", "Command that does the same as this screen:").classes("soft")
            shown = partial(self._command, command)
            self.section(shown, lambda _: text("code", shown()).props("tabindex=0"))
        footer.move(layout)
        ui.timer(_SECONDS, self.follow)

    def section(self, watched: Callable[[], object], build: "Build") -> "LiveSection":
        """Create a section of the screen. It is rebuilt when the value that `watched` returns changes."""
        self._sections.append(section := LiveSection(watched, build))
        return section

    def is_blocked(self) -> bool:
        """Return True if a step on the screen Data is missing, and show this step."""
        if step := self.state.first_step:
            text("p", step).classes("alert")
        return bool(step)

    def follow(self) -> None:
        """Rebuild each section whose watched value has changed."""
        try:
            for section in self._sections:
                section.follow()
        except AnonsetError as error:  # another program wrote an invalid job file
            self._message = message_of(error)
            self._messages.follow()

    def act(self, action: Callable[..., object], *arguments: Any, shown: "LiveSection | None" = None) -> bool:
        """Call an action of the page state. Return True if the action succeeds. If it fails, show the error message and
        return False.

        Parameters
        ----------
        shown
            Section with the control that calls the action. It already shows the new state, so it is only rebuilt if
            another tab changed the state.
        """
        keeps = shown is not None and shown.is_current
        try:
            action(*arguments)
        except AnonsetError as error:
            self._message = message_of(error)
        else:
            self._message = ""
            if shown is not None and keeps:
                shown.accept()
        self.follow()
        return not self._message

    async def run(self, work: Awaitable[object]) -> bool:
        """Wait for an action of the page state. Return True if the action succeeds. If it fails, show the error message
        and return False.
        """
        try:
            await work
        except AnonsetError as error:
            self._message = message_of(error)
        else:
            self._message = ""
        self.follow()
        return not self._message

    def _command(self, command: Callable[[], str]) -> str:
        """Return the command of the screen. If a step on the screen Data is missing, return the command of that
        screen.
        """
        return self.state.command("inspect") if self.path != OPEN and self.state.first_step else command()

    def _show_unchecked(self) -> None:
        if number := len(self.state.unchecked):
            with ui.element("p").classes("alert").mark("unchecked"):
                text("span", f"{counted(number, 'warning')} on the screen ")
                ui.link("Data", "/")
                text("span", f" {'is' if number == 1 else 'are'} not checked.")

    def _show_source(self) -> None:
        source = self.state.source
        if self.state.job is not None:
            text("span", f"{'Job file' if source.endswith(JOB) else 'Data'}: {source}").classes("soft")

    def _show_messages(self, _: object) -> None:
        for message in dict.fromkeys(filter(None, (self._message, self.state.error))):
            alert(message).props("role=alert")


class LiveSection:
    """Part of a screen that is rebuilt when a watched value changes."""

    def __init__(self, watched: Callable[[], object], build: "Build") -> None:
        self._watched = watched
        self._build = build
        self._shown = watched()
        with ui.element("div") as self._box:
            build(self)

    def follow(self) -> None:
        """Rebuild this section if the value of `watched` has changed since it was built."""
        if (now := self._watched()) != self._shown:
            self._shown = now
            self._box.clear()
            with self._box:
                self._build(self)

    @property
    def is_current(self) -> bool:
        """True if the section shows the current value of `watched`."""
        return self._watched() == self._shown

    def accept(self) -> None:
        """Accept the current value of `watched` without rebuilding the section."""
        self._shown = self._watched()


Build = Callable[[LiveSection], object]
"""Function that creates the content of a section."""


def text(tag: str, content: str) -> TextElement:
    """Create a text element."""
    return TextElement(tag=tag, text=content)


def alert(message: str, tag: str = "div") -> TextElement:
    """Create an alert."""
    return text(tag, message).classes("alert")


def button(label: str, action: Callable[[], object]) -> TextElement:
    """Create a button with the colours of the page."""
    return text("button", label).props("type=button").on("click", lambda _: action())
