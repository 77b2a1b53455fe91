"""Frame of each screen, with navigation, messages and the command line of the screen."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from anonset.errors import AnonsetError
from anonset.spelling import counted
from anonset.ui.state.folder import JOB
from anonset.ui.state.page_state import PageState, message_of
from anonset.ui.state.steps import Step, open_questions, step_of

STEPS = (("/", "Data"), ("/promise", "Promise"), ("/try", "Try"), ("/publish", "Publish"))
"""Address and name of each step, in order."""
HIERARCHIES = "/hierarchies"
PARTS = (("/", "Columns"), (HIERARCHIES, "Hierarchies"))
"""Screens of the step Data."""
MORE = (("/policies", "Policies"), ("/queries", "Queries"), ("/open", "Open"))
"""Screens that most publications do not need."""
OPEN = "/open"
"""Address of the screen Open, which needs no job."""
SCREENS = dict((*PARTS, *STEPS, *MORE))
"""Name of each screen, by address."""
STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
"""Style of all pages."""
_SHOWN = 3
"""Maximum number of warnings that the other screens show unfolded."""
_SECONDS = 0.4
"""Seconds between two updates of a screen."""
_CLOSE_MENU = """<script>
for (const kind of ["click", "keyup"]) document.addEventListener(kind, event => {
  const menu = document.querySelector(".more[open]");
  if (!menu || (event.key !== "Escape" && menu.contains(event.target))) return;
  if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
  menu.open = false;
});
</script>"""
"""Script that closes the menu More on Escape, and on a click or with the focus outside of it."""


class Screen:
    """Screen in one browser tab."""

    def __init__(self, state: PageState, path: str) -> None:
        self.state = state
        self.path = path
        self._job = state.job
        self._live: list[_Live] = []
        self._message = ""

    @contextmanager
    def opened(
        self, title: str, command: Callable[[], str], does: str = "does the same as this screen"
    ) -> Iterator[None]:
        """Create the frame. The code in the ``with`` block creates the content of the screen.

        Parameters
        ----------
        command, does
            Command line that the screen shows, and what it does.
        """
        self._mark_seen()
        ui.add_head_html(f"<style>{STYLE}</style>{_CLOSE_MENU}")
        layout = ui.context.client.layout  # this element is outside of the main element of the library
        ui.page_title(f"anonset: {SCREENS[self.path]}")
        with ui.element("header") as header:
            ui.link("Skip to the content", "#content").classes("skip")
            with ui.element("div").classes("top"):
                text("strong", "anonset").classes("brand")
                self.section(self._source, lambda source: text("span", source).classes("soft"))
                self._more()
            self._steps()
        header.move(layout, 0)
        with ui.element("div").classes("content").props("id=content tabindex=-1"):
            if self.path in dict(PARTS) and self.state.job is not None:
                self._parts()
            text("h1", title)
            if self.path not in ("/", OPEN):
                self.section(lambda: _to_check(self.state, self.path), lambda of: _show_to_check(*of))
            self.section(lambda: (self._message, self.state.inspection.error), self._show_messages)
            yield
        with ui.element("footer") as footer:
            text("div", f"Command that {does}").classes("soft")
            self.section(partial(self._command, command), lambda typed: text("code", typed).props("tabindex=0"))
        footer.move(layout)
        ui.timer(_SECONDS, self.follow)

    def live(self, watched: Callable[[], object], update: Callable[[Any], object]) -> None:
        """Call `update` with the value of `watched` whenever it has changed. It must show the current value already."""
        self._live.append(_Live(watched, update, watched()))

    def section(self, watched: Callable[[], object], build: Callable[[Any], object]) -> None:
        """Create a section of the screen with the value of `watched`. It is rebuilt when the value changes, and empty
        while the value is None.
        """
        inner, box = list[_Live](), ui.element("div")

        def show(value: object) -> None:
            inner.clear()
            box.clear()
            outer, self._live = self._live, inner
            with box:
                if value is not None:
                    build(value)
            self._live = outer

        show(value := watched())
        self._live.append(_Live(watched, show, value, inner))

    def is_blocked(self) -> bool:
        """Return True if a step on the screen Data is missing, and show this step with a link to the screen."""
        if step := self.state.first_step:
            with ui.element("div").classes("empty"):
                text("p", step)
                ui.link("Go to Data", "/").classes("next")
        return bool(step)

    def _steps(self) -> None:
        """Show the numbered steps. Only the state of a step is rebuilt if it changes, so that its link keeps the
        focus.
        """
        state, here = self.state, "/" if self.path == HIERARCHIES else self.path
        with ui.element("nav").classes("steps").props('aria-label="Steps"'), ui.element("ol"):
            for number, (path, name) in enumerate(STEPS, 1):
                with ui.element("li"), ui.link("", path) as link:
                    if path == here:
                        link.props('aria-current="step"')
                    text("span", f"{number}").classes("number")
                    text("span", name).classes("name")
                    self.section(partial(step_of, state, name), partial(_show_step, name))

    def _parts(self) -> None:
        with ui.element("nav").classes("parts").props('aria-label="Parts of Data"'):
            for path, name in PARTS:
                self._link(name, path)

    def _more(self) -> None:
        with ui.element("nav").props('aria-label="More screens"'), ui.element("details").classes("more"):
            text("summary", "More")
            with ui.element("ul"):
                for path, name in MORE:
                    with ui.element("li"):
                        self._link(name, path)

    def _link(self, name: str, path: str) -> None:
        link = ui.link(name, path)
        if path == self.path:
            link.props('aria-current="page"')

    def follow(self) -> None:
        """Update each part of the screen whose watched value has changed. Name a job that another tab has opened."""
        if (job := self.state.job) not in (None, self._job):
            self._message = f"Another tab has opened {self.state.source}. All tabs show it now." if self._job else ""
            self._job = job
        with self.state.reader.once():
            for part in self._live:
                try:
                    part.follow()
                except AnonsetError as error:  # another program wrote an invalid job file
                    self._message = message_of(error)

    def _mark_seen(self) -> None:
        if not self.state.first_step:
            self.state.seen.add(self.path)

    def act(self, action: Callable[..., object], *arguments: Any) -> bool:
        """Call an action of the page state. Return True if the action succeeds. If it fails, show the error message and
        return False.
        """
        self._message = ""
        try:
            action(*arguments)
        except AnonsetError as error:
            self._message = message_of(error)
        self._mark_seen()  # the action may have answered the last question of the first step
        self.follow()
        return not self._message

    async def run(self, work: Awaitable[object]) -> None:
        """Wait for an action of the page state. If it fails, show the error message."""
        self._message = ""
        try:
            await work
        except AnonsetError as error:
            self._message = message_of(error)
        self.follow()

    def _command(self, command: Callable[[], str]) -> str:
        """Return the command of the screen. If a step on the screen Data is missing, return the command of that
        screen.
        """
        return self.state.command("inspect") if self.path != OPEN and self.state.first_step else command()

    def _source(self) -> str | None:
        source = self.state.source
        return None if self.state.job is None else f"{'Job file' if source.endswith(JOB) else 'Data'}: {source}"

    def _show_messages(self, _: object) -> None:
        error = self.state.inspection.error
        found = self.state.inspection.findings or {"problems": ()}
        problems = [one["text"] for one in found["problems"]]
        is_remedied = error in problems  # the screen Data shows the error with its remedies
        for message in dict.fromkeys(filter(None, (self._message, error))):
            if not (is_remedied and message == error and self.path == "/"):
                alert(message).props("role=alert")
        if is_remedied and self.path != "/":
            with ui.element("p"):
                text("span", "Choose a remedy on the screen ")
                ui.link("Data", "/")
                text("span", ".")


@dataclass
class _Live:
    """Part of a screen that follows a watched value."""

    watched: Callable[[], object]
    update: Callable[[Any], object]
    shown: object
    """Value that the part shows."""
    inner: list["_Live"] = field(default_factory=list)
    """Parts of this part, which an update replaces."""

    def follow(self) -> None:
        """Update the part if the value has changed, and otherwise its parts."""
        if (now := self.watched()) != self.shown:
            self.shown = now
            self.update(now)
        else:
            for part in self.inner:
                part.follow()


def _to_check(state: PageState, path: str) -> tuple[list[str], list[str]]:
    """Return the sentences of the warnings that are not checked, and the doubts about the promise."""
    asked = {} if path == "/publish" else open_questions(state)
    unchecked = [asked.pop(one) for one in state.inspection.unchecked if one in asked]
    doubts = [one.sentence for one in asked.values() if not one.stops]
    return [f"{sentence(one.sentence)}." for one in unchecked], doubts


def _show_to_check(unchecked: Sequence[str], doubts: Sequence[str]) -> None:
    if not (unchecked or doubts):
        return
    with ui.element("div").classes("alert").mark("to check"), ui.element("div"):
        show_list(doubts)
        if unchecked:
            with ui.element("p").mark("unchecked"):
                text("span", f"{counted(len(unchecked), 'warning')} on the screen ")
                ui.link("Data", "/")
                text("span", f" {'is' if len(unchecked) == 1 else 'are'} not checked:")
            show_limits((unchecked[:_SHOWN], unchecked[_SHOWN:]), "Further warnings")


def _show_step(name: str, step: Step) -> None:
    with ui.element("span").classes(f"state {step.kind}").mark(f"step {name}"):
        text("span", step.sign).classes("sign").props("aria-hidden=true")
        text("span", step.words)


def text(tag: str, content: str) -> TextElement:
    """Create a text element."""
    return TextElement(tag=tag, text=content)


def sentence(words: str) -> str:
    """Return a message that begins with a capital letter, unless it begins with a name or a value.

    >>> sentence("blanks read as the known value"), sentence("iPhone is a value"), sentence("v.csv: empty")
    ('Blanks read as the known value', 'iPhone is a value', 'v.csv: empty')
    """
    first = words.split(" ", 1)[0]
    return f"{words[:1].upper()}{words[1:]}" if first.isalpha() and first.islower() else words


def alert(message: str, tag: str = "div") -> TextElement:
    """Create an alert."""
    return text(tag, message).classes("alert")


def card(title: str = "") -> ui.element:
    """Create a box for the parts of a screen that belong together, with a heading."""
    box = ui.element("section").classes("card")
    if title:
        with box:
            text("h2", title)
    return box


@contextmanager
def folded(summary: str) -> Iterator[ui.element]:
    """Create a folded part. The code in the ``with`` block creates its content."""
    with ui.element("details") as part:
        text("summary", summary)
        yield part


def show_limits(limits: tuple[Sequence[str], Sequence[str]], further: str = "Further limits") -> None:
    """Show the most important limits of a guarantee as a list, and all others folded (see `ranked_limits`)."""
    first, others = limits
    show_list(first)
    if others:
        with folded(further):
            show_list(others)


def show_list(sentences: Sequence[str]) -> None:
    """Show sentences as a list, if there are any."""
    with ui.element("ul") if sentences else nullcontext():
        for sentence in sentences:
            text("li", sentence)


def busy(message: str) -> TextElement:
    """Create a note that something is running."""
    return text("p", message).classes("busy").props("role=status")


def empty(message: str) -> TextElement:
    """Create a note that there is nothing to show yet."""
    return text("p", message).classes("empty")


def button(label: str, action: Callable[[], object]) -> TextElement:
    """Create a button with the colours of the page."""
    return text("button", label).props("type=button").on("click", lambda _: action())


def integer_field(
    label: str, value: int | None, least: int, choose: Callable[[int], object] = lambda _: None
) -> ui.number:
    """Create a field for an integer. It refuses other numbers in a line, and calls `choose` only with integers of at
    least `least`.
    """

    def refusal(number: float | None) -> str | None:
        fits = number is not None and number >= least and number == int(number)
        return None if fits else f"Enter an integer of at least {least}. Other values are not used."

    field = ui.number(
        label, value=value, step=1, validation=refusal,
        on_change=lambda event: None if refusal(event.value) else choose(int(event.value)),
    )  # fmt: skip
    return field.props("outlined stack-label")


@contextmanager
def table(heads: Sequence[str], classes: str = "risks") -> Iterator[None]:
    """Create a table. The code in the ``with`` block creates its rows."""
    with ui.element("table").classes(classes):
        with ui.element("thead"), ui.element("tr"):
            for head in heads:
                text("th", head).props("scope=col")
        with ui.element("tbody"):
            yield


def show_page(place: ui.element, address: str, title: str) -> None:
    """Show a page with values of the original below the button that asks for it. Nothing stores this page."""
    place.clear()
    with place, ui.element("div").classes("actions"):
        frame = ui.element("iframe").classes("grid-frame")
        frame.props["src"], frame.props["title"] = address.removeprefix("/"), title
        button("Hide", place.clear).classes("second")


def menu_of(
    options: Mapping[str, str], label: str, on_change: Callable[[str], object], value: str | None = None
) -> ui.select:
    """Create a menu whose label only screen readers read."""
    menu = ui.select(dict(options), label=label, value=value, on_change=lambda event: on_change(event.value))
    return menu.props("outlined dense").classes("silent")  # Quasar names the input only by a label
