"""Section with the reports about a publication, and with the statements of the owner that they print."""

from collections.abc import Callable, Mapping
from functools import partial

from nicegui import ui

from anonset.settings.publication import STATEMENTS
from anonset.ui.screens.frame import Screen, busy, button, card, folded, text
from anonset.ui.screens.run_sections import ended, show_errors
from anonset.ui.state.examination import Examination

_KINDS = {
    False: ("internal report", "Open the report for the data protection officer", "Internal: do not share"),
    True: ("shareable report", "Open the shareable report", "It uses only the publication, so you may share"),
}
"""Name of each report, the text of its link, and whether others may read it."""


def show_reports(screen: Screen, examined: Callable[[], Examination | None], address: str) -> None:
    """Create the section.

    Parameters
    ----------
    address
        Address of the internal report on the server.
    """

    def state() -> object:
        if (found := examined()) is None or found.risk.code is None:
            return None
        return found, [(ended(found.reports[kind].last), found.page(shareable=kind)) for kind in _KINDS]

    def show(state: tuple[Examination, object]) -> None:
        found, _ = state
        with card("Reports to sign"):
            inputs = _statements(found.statements)
            for shareable in _KINDS:
                _show(screen, found, address, inputs, shareable=shareable)

    screen.section(state, show)


def _show(
    screen: Screen, examined: Examination, address: str, inputs: Mapping[str, ui.input], *, shareable: bool
) -> None:
    """Show the link to a report, and a button that writes it, again if it exists."""
    title, opens, reads = _KINDS[shareable]
    run, page = examined.reports[shareable].last, examined.page(shareable=shareable)

    def write() -> None:
        typed = {name: one.value or "" for name, one in inputs.items()}
        screen.act(partial(examined.write_report, typed, shareable=shareable))

    if run is not None and run.code is None:
        busy("Writing the report …")
        return
    if run is not None and run.code:
        show_errors(run)
    with ui.element("div").classes("actions"):
        if page is not None:
            link = ui.link(opens, f"{address}{'?shareable=1' if shareable else ''}", new_tab=True)
            link.mark("shareable report" if shareable else "report")
        made = button(f"Write the {title}" + (" again" if page else ""), write).classes("second")
        made.mark(f"write-{'shareable' if shareable else 'report'}")
    if page is not None:
        empty = "" if examined.statements else " It contains no statements: add them above, and write it again."
        text("p", f"{reads} {screen.state.folder.relative(page)}.{empty}").classes("soft")


def _statements(given: Mapping[str, str]) -> dict[str, ui.input]:
    """Ask for the statements of the owner that the reports print."""
    inputs = dict[str, ui.input]()
    with folded("Add your statements to the reports" if not given else "Change your statements"):
        text("p", "The reports print these texts unchanged, as statements of the owner. All are optional.")
        with ui.element("div").classes("sizes"):
            for name, label in STATEMENTS.items():
                one = ui.input(label, value=given.get(name, ""))
                inputs[name] = one.props("outlined stack-label").classes("field").mark(f"statement {name}")
    return inputs
