"""Sections with the reports about a publication, and with the statements of the owner that they print."""

from collections.abc import Callable, Mapping

from nicegui import ui

from anonset.settings.publication import STATEMENTS
from anonset.ui.screens.frame import Screen, busy, button, card, text
from anonset.ui.screens.run_sections import ended, show_errors
from anonset.ui.state.examination import Examination

_KINDS = {
    False: ("Internal report to sign", "Open the report for the data protection officer", "Internal: do not share"),
    True: ("Report to share", "Open the shareable report", "It uses only the publication, so you may share"),
}
"""Title of each report, the text of its link, and whether others may read it."""


def show_reports(screen: Screen, examined: Callable[[], Examination | None], address: str) -> None:
    """Create the sections.

    Parameters
    ----------
    address
        Address of the internal report on the server.
    """
    for shareable in _KINDS:

        def state(shareable: bool = shareable) -> object:
            found = examined()
            written = found and (ended(found.reports.get(shareable)), found.page(shareable=shareable))
            return found and (id(found), found.risk.code, written)

        def show(_: object, shareable: bool = shareable) -> None:
            if (found := examined()) is not None and found.risk.code is not None:
                _show(screen, found, address, shareable=shareable)

        screen.section(state, show)


def _show(screen: Screen, examined: Examination, address: str, *, shareable: bool) -> None:
    title, opens, reads = _KINDS[shareable]
    run, page = examined.reports.get(shareable), examined.page(shareable=shareable)
    inputs = dict[str, ui.input]()

    def write() -> None:
        typed = {name: one.value or "" for name, one in inputs.items()}
        screen.act(lambda: screen.state.start(examined.write_report(typed, shareable=shareable)))

    with card(title):
        if run is not None and run.code is None:
            busy("Writing the report …")
            return
        if run is not None and run.code:
            show_errors(run)
        if page is not None:
            with ui.element("div").classes("actions"):
                link = ui.link(opens, f"{address}{'?shareable=1' if shareable else ''}", new_tab=True)
                link.mark("shareable report" if shareable else "report")
            text("p", f"{reads} {screen.state.folder.relative(page)}.").classes("soft")
        mark = f"write-{'shareable' if shareable else 'report'}"
        if page is None:
            with ui.element("div").classes("actions"):
                button("Write the report", write).mark(mark)
        _statements(inputs, examined.statements)
        if page is not None:
            button("Write the report again", write).classes("second").mark(mark)


def _statements(inputs: dict[str, ui.input], given: Mapping[str, str]) -> None:
    """Ask for the statements of the owner that the report prints."""
    with ui.element("details"):
        text("summary", "Add your statements to the report" if not given else "Change your statements")
        text("p", "The report prints these texts unchanged, as statements of the owner. All are optional.")
        with ui.element("div").classes("sizes"):
            for name, label in STATEMENTS.items():
                one = ui.input(label, value=given.get(name, ""))
                inputs[name] = one.props("outlined stack-label").classes("field").mark(f"statement {name}")
