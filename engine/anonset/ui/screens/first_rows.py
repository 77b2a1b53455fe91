"""Grid with the first rows of a file, on the screen Data of the machine with the data."""

from collections.abc import Callable

from nicegui import run, ui

from anonset.settings.job import Job
from anonset.spelling import counted
from anonset.ui.screens.frame import Screen, button, folded, text


def show_first_rows(screen: Screen, stated: Callable[[], Job], of: str = "") -> None:
    """Create a button that shows and hides the first rows of a file in a grid that sorts and filters them.

    Parameters
    ----------
    stated
        Returns the input and the reading options of the file.
    of
        Name of a linked table.
    """
    if not screen.state.is_local:
        return
    label = f"Show the first records{f' of {of}' if of else ''}"

    async def toggle() -> None:
        if place.default_slot.children:
            place.clear()
        else:
            columns = await run.io_bound(screen.state.first_rows, stated())
            with place:
                _grid(columns or {})  # None while the server ends
        shown.set_text("Hide" if place.default_slot.children else label)

    with ui.element("div").classes("actions"):
        shown = button(label, lambda: screen.run(toggle())).classes("second").mark(f"records {of}".strip())
    place = ui.element("div")


def _grid(columns: dict[str, list[str]]) -> None:
    """Show rows in a grid, and the names of masked columns, folded."""
    names = [name for name, values in columns.items() if values]
    masked = [name for name in columns if name not in names]
    grid = ui.aggrid({
        "suppressCellFocus": True,  # Tab would visit each cell
        "columnDefs": [
            {
                "headerName": name, "field": f"{number}", "filter": True, "floatingFilter": True, "minWidth": 120,
                "wrapText": True, "autoHeight": True,
            }
            for number, name in enumerate(names)
        ],
        "rowData": [
            {f"{number}": value for number, value in enumerate(row)}
            for row in zip(*(columns[name] for name in names), strict=True)
        ],
    })  # fmt: skip
    grid.classes("grid-frame").mark("grid")
    with folded(counted(len(masked), "masked column")):
        text("p", f"Columns that identify a person, contact data and free text are masked: {', '.join(masked)}.")
