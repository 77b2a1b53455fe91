"""Screen **Open**. The screen shows the verification and the risk of an existing publication, and writes a report."""

from functools import partial

from nicegui import ui

from anonset.spelling import as_typed
from anonset.ui.screens.frame import Screen, busy, button, card, empty, show_limits, text
from anonset.ui.screens.reports import show_reports
from anonset.ui.screens.run_sections import ended, show_errors, show_risk
from anonset.ui.state.command_runs import CommandRun
from anonset.ui.state.examination import Examination
from anonset.ui.state.page_state import PageState

_VERDICTS = {"holds": "holds", "fails": "does not hold", "undecided": "is undecided"}


def open_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/open")

    def command() -> str:
        return as_typed("verify", "OUT") if state.publications.opened is None else state.publications.opened.commands

    with screen.opened("An existing publication", command):
        screen.section(
            lambda: (state.folder.publications(), state.publications.opened), lambda of: _publications(screen, of[0])
        )
        screen.section(lambda: verified(state.publications.opened), lambda of: show_verdict(*of))
        screen.section(lambda: counted_risk(state.publications.opened), lambda of: show_risk(of[0]))
        show_reports(screen, lambda: state.publications.opened, "/opened-report")


def _publications(screen: Screen, names: list[str]) -> None:
    if not names:
        empty("This folder contains no publication.")
        return
    with card(f"Publications in {screen.state.folder.path}"), ui.element("ul").classes("files"):
        for number, name in enumerate(names):
            with ui.element("li"):
                button(name, partial(screen.act, screen.state.publications.open, name)).mark(f"publication-{number}")


def verified(examined: Examination | None) -> tuple[Examination, CommandRun, int | None] | None:
    """Return a value that changes with the verification of an existing publication. None for a new publication."""
    run = None if examined is None else examined.verification
    return None if examined is None or run is None else (examined, run, run.code)


def counted_risk(examined: Examination | None) -> tuple[Examination, object] | None:
    """Return a value that changes with the risk of a publication. None until the publication is verified."""
    run = None if examined is None else examined.verification
    if examined is None or (run is not None and run.result is None):
        return None
    return examined, ended(examined.risk)


def show_verdict(examined: Examination, run: CommandRun, code: int | None) -> None:
    """Show whether the guarantee of an existing publication holds."""
    with card(f"Publication {examined.name}"):
        if code is None:
            busy("Verifying …")
        elif run.result is None:
            show_errors(run)
        else:
            _show_verdict(examined, run)


def _show_verdict(examined: Examination, run: CommandRun) -> None:
    holds = run.code == 0
    verdict = _VERDICTS.get(run.result["verdict"], run.result["verdict"])
    statement = f" {examined.in_words(examined.model.statement)}" if holds else ""
    text("p", f"{examined.model} {verdict}.{statement}").classes("good" if holds else "alert").mark("verdict")
    if "joint_guarantee" in run.result:
        joint = {True: "holds", False: "does not hold", None: "was not checked"}[run.result["joint_guarantee"]]
        text("p", f"The guarantee together with the earlier release {joint}.")
    if "true" in run.result:
        true = {True: "agrees", False: "does not agree", None: "may not agree"}[run.result["true"]]
        text("p", f"The publication {true} with the original.")
    else:
        text("p", "The publication was not compared with the original, because the folder does not contain both.")
    if holds:
        text("h3", "Not covered")
        show_limits(examined.limits)
