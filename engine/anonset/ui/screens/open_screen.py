"""Screen **Open**. The screen shows the verification and the risk of an existing publication, and writes a report."""

from functools import partial

from nicegui import ui

from anonset.spelling import as_typed
from anonset.ui.screens.frame import Screen, busy, button, card, empty, show_limits, text
from anonset.ui.screens.reports import show_reports
from anonset.ui.screens.run_sections import ended, show_errors, show_risk
from anonset.ui.state.examination import Examination
from anonset.ui.state.page_state import PageState

_VERDICTS = {"holds": "holds", "fails": "does not hold", "undecided": "is undecided"}


def open_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/open")

    def command() -> str:
        return as_typed("verify", "OUT") if state.examined is None else state.examined.commands

    with screen.opened("An existing publication", command):
        screen.section(lambda: (state.folder.publications(), state.examined), lambda _: _publications(screen))
        screen.section(lambda: state.examined and ended(state.examined.verification), lambda _: _verdict(state))
        screen.section(
            lambda: state.examined and (ended(state.examined.verification), ended(state.examined.risk)),
            lambda _: _risk(state),
        )
        show_reports(screen, lambda: state.examined, "/opened-report")


def _publications(screen: Screen) -> None:
    state, names = screen.state, screen.state.folder.publications()
    if not names:
        empty("This folder contains no publication.")
        return
    with card(f"Publications in {state.folder.path}"), ui.element("ul").classes("files"):
        for number, name in enumerate(names):
            with ui.element("li"):
                button(name, partial(screen.act, state.examine, name)).mark(f"publication-{number}")


def _verdict(state: PageState) -> None:
    examined = state.examined
    if examined is None:
        return
    with card(f"Publication {examined.name}"):
        _show_verdict(examined)


def _show_verdict(examined: Examination) -> None:
    run = examined.verification
    if run is None or run.code is None:
        busy("Verifying …")
        return
    if run.result is None:
        show_errors(run)
        return
    holds = run.code == 0
    verdict = _VERDICTS.get(run.result["verdict"], run.result["verdict"])
    statement = f" {examined.model.statement}" if holds else ""
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


def _risk(state: PageState) -> None:
    examined = state.examined
    if examined is not None and examined.verification is not None and examined.verification.result is not None:
        show_risk(examined.risk)
