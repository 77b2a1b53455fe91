"""Screens of the page in the browser, and their addresses."""

from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from nicegui import app, ui

from anonset.errors import AnonsetError
from anonset.jobs.changed_rows import changed_rows
from anonset.jobs.frequent_values import frequent_values
from anonset.ui.screens.data_screen import data_screen
from anonset.ui.screens.frame import SCREENS, text
from anonset.ui.screens.hierarchies_screen import hierarchies_screen
from anonset.ui.screens.open_screen import open_screen
from anonset.ui.screens.policies_screen import policies_screen
from anonset.ui.screens.promise_screen import promise_screen
from anonset.ui.screens.publish_screen import publish_screen
from anonset.ui.screens.queries_screen import queries_screen
from anonset.ui.screens.rows_page import page_without_scripts, rows_page, values_page
from anonset.ui.screens.try_screen import try_screen
from anonset.ui.state.examination import Examination
from anonset.ui.state.folder import zipped
from anonset.ui.state.page_state import PageState, message_of

_WITHOUT_SCRIPTS = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors "
_REPORT_POLICY = f"{_WITHOUT_SCRIPTS}'none'"
_NOT_STORED = {"content-security-policy": f"{_WITHOUT_SCRIPTS}'self'", "cache-control": "no-store"}


def add_pages(state: PageState) -> None:
    """Add the screens and the downloads to the application."""
    screens: dict[str, Callable[[PageState], None]] = {
        "/": data_screen,
        "/hierarchies": hierarchies_screen,
        "/promise": promise_screen,
        "/policies": policies_screen,
        "/try": try_screen,
        "/publish": publish_screen,
        "/queries": queries_screen,
        "/open": open_screen,
    }
    for path, screen in screens.items():
        ui.page(path)(_page(state, screen))
    app.add_api_route("/download/publication.zip", lambda: _publication(state))
    app.add_api_route("/download/job.toml", lambda: _job(state))
    app.add_api_route("/rows", lambda: _not_stored(lambda: state.rows_report, lambda job: rows_page(changed_rows(job))))
    app.add_api_route("/values", partial(_values, state))
    app.add_api_route("/report", partial(_report, lambda: state.publications.made))
    app.add_api_route("/opened-report", partial(_report, lambda: state.publications.opened))
    app.add_api_route("/{address:path}", _unknown_address)
    app.on_shutdown(state.end)


def _page(state: PageState, screen: Callable[[PageState], None]) -> Callable[[], None]:
    def page() -> None:
        try:
            with state.reader.once():
                screen(state)
        except AnonsetError as error:  # another program wrote an invalid job file
            text("p", message_of(error)).props("role=alert")

    return page


def _unknown_address(request: Request, address: str) -> Response:
    """Lead to the screen that an address names in another spelling, or return a page that leads to the first screen."""
    start = request.scope.get("root_path", "")
    named = {name.lower(): path for path, name in SCREENS.items()}
    if path := named.get(address.strip("/").lower()):
        return RedirectResponse(f"{start}{path}")
    links = f'<p><a href="{escape(start)}/">Open the first step, Data</a></p>'
    return HTMLResponse(page_without_scripts("No such screen", f"<p>This address leads nowhere.</p>{links}"), 404)


def _publication(state: PageState) -> Response:
    if state.publications.made is None:
        return Response("there is no publication yet", 404)
    return StreamingResponse(
        zipped(state.publications.made.path), media_type="application/zip", headers=_attachment("publication.zip")
    )


def _job(state: PageState) -> Response:
    if state.job is None or not state.job.exists():
        return Response("there is no job file yet", 404)
    return Response(state.job.read_bytes(), media_type="application/toml", headers=_attachment("job.toml"))


def _values(state: PageState, column: str = "") -> Response:
    return _not_stored(lambda: state.values_job, lambda job: values_page(frequent_values(job, column)))


def _not_stored(job: Callable[[], Path | None], page_of: Callable[[str], str]) -> Response:
    """Return a page with records or values of the original, which no program may store. Only this machine can read it.

    Parameters
    ----------
    job
        Returns the path of the job file or of the private report, or None if nothing may be shown.
    page_of
        Returns the page for this path.
    """
    try:
        if (path := job()) is None:
            return HTMLResponse(escape("there are no records to show"), 404, headers=_NOT_STORED)
        page = page_of(str(path))
    except AnonsetError as error:
        return HTMLResponse(escape(message_of(error)), 404, headers=_NOT_STORED)
    return HTMLResponse(page, headers=_NOT_STORED)


def _report(examined: Callable[[], Examination | None], shareable: bool = False) -> Response:
    found = examined()
    page = None if found is None else found.page(shareable=shareable)
    if page is None:
        return HTMLResponse(escape("there is no report yet"), 404)
    return HTMLResponse(page.read_text(encoding="utf-8"), headers={"content-security-policy": _REPORT_POLICY})


def _attachment(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
