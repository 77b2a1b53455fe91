"""Sections of a screen that show a finished command."""

from nicegui import ui

from anonset.ui.frame import text
from anonset.ui.runs import CommandRun


def ended(run: CommandRun | None) -> object:
    """Return a value that changes when a command starts or ends."""
    return run and (id(run), run.code)


def show_risk(run: CommandRun | None) -> None:
    """Show the remaining risk for each attacker knowledge."""
    if run is None:
        return
    text("h2", "Remaining risk")
    if run.code is None:
        text("p", "Counting …").props("role=status")
        return
    if run.result is None:
        show_errors(run)
        return
    with ui.element("table").classes("risks"):
        with ui.element("thead"), ui.element("tr"):
            for head in ("An attacker knows", "Covered by the guarantee", "Highest risk", "Average risk"):
                text("th", head).props("scope=col")
        with ui.element("tbody"):
            for exposure in run.result["exposures"]:
                with ui.element("tr"):
                    text("th", exposure["known"]).props("scope=row")
                    text("td", "yes" if exposure["guaranteed"] else "no")
                    text("td", _percent(exposure["highest"]))
                    text("td", _percent(exposure["average"]["value"]))


def _percent(share: float | None) -> str:
    return "not counted" if share is None else f"{share:.1%}"


def show_errors(run: CommandRun) -> None:
    """Show the messages of a failed command."""
    for message in run.errors or [f"The command failed (exit code {run.code})."]:
        text("div", message).classes("alert")
