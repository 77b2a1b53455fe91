"""Screen **Data**, with the unit that counts as a person, the role of each column, the risk of the data, and
problems.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from anonset.columns.roles import GIVEN
from anonset.data.hierarchies.hierarchy_rules import is_coarser
from anonset.reading.file_options import OPEN, ROW, UNKNOWN
from anonset.reading.roles import name_list
from anonset.release.memory import format_size
from anonset.settings.job_files import ANSWERS
from anonset.spelling import counted
from anonset.ui.screens.fix_buttons import fix_buttons, open_fixes
from anonset.ui.screens.frame import LiveSection, Screen, button, card, empty, text
from anonset.ui.screens.linked_tables import keys_of, show_tables, tables_state
from anonset.ui.screens.role_menus import RoleMenus
from anonset.ui.screens.run_sections import show_exposed
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import ROLE_WORDS, ROW_WORDS, UNIT, UNKNOWN_WORDS

_ALWAYS = ("items", "relational", "sensitive", "keep", "drop")
"""Roles that the screen offers for every column. Any other role is only offered if a column already has it."""

_IF_ROWS = "They can be published if each row is a person. Then a person with several rows is not protected as one."
_NO_DATA = "This folder contains no data. Copy a file such as visits.csv into the folder."


def data_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/")
    if state.job is None:
        with screen.opened("Choose the data", lambda: state.command("inspect")):
            _files(screen)
        return
    with screen.opened("What do the data contain?", lambda: state.command("inspect")):
        screen.section(lambda: (state.busy, state.linked is None, id(state.findings)), lambda _: _status(state))
        screen.section(lambda: _question_state(state), lambda _: _question(screen))
        screen.section(lambda: _problems_state(state), lambda _: _problems(screen))
        screen.section(lambda: tables_state(state), lambda section: show_tables(screen, section))
        screen.section(lambda: _columns_state(state), lambda section: _columns(screen, section))
        screen.section(
            lambda: (state.findings, _coarsened(state)), lambda _: show_exposed(state.findings, _coarsened(state))
        )
        screen.section(lambda: (state.first_step, state.publishing), lambda _: _next(screen))


def _files(screen: Screen) -> None:
    folder = screen.state.folder

    def open_file(name: str) -> None:
        if screen.act(screen.state.open, name):
            ui.navigate.to("/")

    text("p", f"Files in {folder.path}. Files outside of this folder are not reachable.").classes("lead")
    if linked := folder.linked():
        with card("Linked tables"):
            text("p", "Publish several files about the same persons together, such as patients and their visits.")
            _listed(open_file, {name: f"{number} files" for name, number in linked.items()})
    sections = (
        ("Single files" if linked else "Data", folder.data(), "" if linked else _NO_DATA),
        ("Job files", folder.jobs(), "None. anonset writes a job file if you open data."),
    )
    for title, names, missing in sections:
        if names or missing:
            with card(title):
                if names:
                    _listed(open_file, {name: format_size((folder.path / name).stat().st_size) for name in names})
                else:
                    empty(missing)


def _listed(open_file: Callable[[str], None], sizes: Mapping[str, str]) -> None:
    """Show a button for each file or folder, with its size in words."""
    with ui.element("ul").classes("files"):
        for name, size in sizes.items():
            with ui.element("li"):
                button("All files of this folder" if name == "." else name, partial(open_file, name))
                text("span", size).classes("soft")


def _next(screen: Screen) -> None:
    def leave() -> None:
        screen.state.close()
        ui.navigate.to("/")

    with ui.element("div").classes("actions"):
        if not screen.state.publishing:
            button("Choose other data", leave).classes("second").mark("leave")
        if not screen.state.first_step:
            ui.link("Next: choose the promise", "/promise").classes("next")


def _status(state: PageState) -> None:
    findings = state.findings
    with ui.element("div").props("role=status"):
        if state.busy:
            text("p", "Inspecting the data …").classes("busy")
        elif state.linked is not None:
            text("p", f"{counted(len(state.linked['tables']), 'linked table')}.").classes("lead")
        elif findings is not None:
            is_counted = findings["records"] and not findings["question"]
            records = f", {counted(findings['records'], 'record')}" if is_counted else ""
            text("p", f"{counted(findings['rows'], 'row')}{records}.").classes("lead")


def _question_state(state: PageState) -> object:
    found = state.findings or state.linked
    persons, has_job = _persons(state).get(state.unit), state.job is not None and state.job.exists()
    return state.unit, found and found["question"], persons, has_job, _differing(state)


def _question(screen: Screen) -> None:
    state = screen.state
    found = state.findings or state.linked
    if found is None or not (state.unit or found["question"]):
        return
    with card(UNIT):
        if not state.answered:
            text("p", "Choose an answer first: roles and risk depend on it. Only you know it.").classes("alert")
        choice = ui.select(
            _units(state) if state.linked is None else keys_of(state), value=state.unit if state.answered else None,
            on_change=lambda event: screen.act(state.answer, event.value),
        )  # fmt: skip
        choice.props('outlined dense aria-label="Who is a person?"').classes("wide").mark("unit")
        if not state.answered:
            choice.props('display-value="Choose an answer"')
        elif len(state.answers) > 1 and state.linked is not None:
            text("p", "Another answer replaces the tables and roles in the job file by a new proposal.").classes("soft")
        if differing := _differing(state):
            lost = f"Not published, because the rows of a person differ: {', '.join(differing)}."
            text("p", f"{lost} {_IF_ROWS}").classes("soft").mark("differing")


def _units(state: PageState) -> dict[str, str]:
    findings: Mapping[str, Any] = state.findings or {}
    persons = _persons(state)
    columns = findings["columns"] if ANSWERS not in state.raw else []
    distinct = {column["name"]: column["distinct"] for column in columns if "," not in column["name"]}
    units = [*persons, *state.raw.get(ANSWERS, {}), ROW, UNKNOWN, *distinct]
    counts = {**distinct, **persons}
    return {unit: _in_words(unit, counts.get(unit)) for unit in dict.fromkeys([*units, *_declared(state)])}


def _persons(state: PageState) -> dict[str, int | None]:
    """Return the number of persons for each possible unit, and for the declared unit if the inspection counted them."""
    persons = {one["unit"]: one["persons"] for one in state.answers}
    records = 0 if state.findings is None or state.busy else state.findings["records"]
    return persons | ({state.unit: records} if records and state.unit not in ("", OPEN, UNKNOWN) else {})


def _differing(state: PageState) -> tuple[str, ...]:
    """Return the columns that are not published because they differ between the rows of a person of the declared unit,
    which was proposed.
    """
    named = next((answer.get("differing", ()) for answer in state.answers if answer["unit"] == state.unit), ())
    return tuple(name for name in named if _roles(state).get(name) == "drop")


def _declared(state: PageState) -> list[str]:
    return [state.unit] if state.unit not in ("", OPEN) else []


def _in_words(unit: str, persons: int | None) -> str:
    what = {ROW: ROW_WORDS, UNKNOWN: UNKNOWN_WORDS}.get(unit, f"Each {unit} is a person")
    return what if persons is None else f"{what}: {counted(persons, 'person')}"


def _coarsened(state: PageState) -> list[str]:
    """Return the attributes that the rules of the job coarsen while reading."""
    known = name_list(state.settings.get("relational", ())) if state.answered else []
    return [name for name, rule in state.settings.get("hierarchy", {}).items() if name in known and is_coarser(rule)]


def _columns_state(state: PageState) -> object:
    findings = state.findings
    return (findings and tuple(_roles(state).items())), state.answered, state.publishing


def _roles(state: PageState) -> dict[str, str]:
    """Return the role of each column in the job, or the proposed role if the column has none."""
    settings = state.settings if state.answered else {}
    named = {name: role for role in ROLE_WORDS for name in name_list(settings.get(role, ()))}
    columns = state.findings["columns"] if state.findings is not None else []
    return {column["name"]: named.get(column["name"], column["role"]) for column in columns}


def _columns(screen: Screen, section: LiveSection) -> None:
    state = screen.state
    if state.findings is None:
        return
    roles = _roles(state)
    offered = [role for role in ROLE_WORDS if role in _ALWAYS or role in roles.values()]
    unit = name_list(state.unit)
    menus = RoleMenus(screen, section, lambda: _roles(state), lambda name, role: _reason(state, unit, name, role))
    can_change = state.answered and not state.publishing
    with card("Columns"):
        with ui.element("table").classes("columns roles"):
            with ui.element("thead"), ui.element("tr"):
                for head in ("Column", "Values", "Missing", "Role", "Reason"):
                    text("th", head).props("scope=col")
            with ui.element("tbody"):
                for column in state.findings["columns"]:
                    name, role = column["name"], roles[column["name"]]
                    with ui.element("tr"):
                        text("th", name).props("scope=row")
                        kind = column["items"] or column["kind"]
                        with ui.element("td").props('data-label="Values"'):
                            text("span", f"{column['distinct']:,} different ({kind})")
                            _distribution(name, column["frequencies"])
                            menus.show_values(name, role)
                        text("td", _missing(column, state.findings["rows"])).props('data-label="Missing"')
                        menus.add(name, role, offered, enabled=can_change and name not in unit)
        if state.is_local and not state.first_step:
            with ui.element("p"):
                ui.link("Show the most frequent values", "/values", new_tab=True).mark("values")


def _distribution(column: str, frequencies: Sequence[int]) -> None:
    if len(frequencies) > 1:
        rows = f"from {frequencies[0]:,} to {frequencies[-1]:,} rows"
        bars = ui.element("div").classes("distribution").props("role=img")
        bars.props["aria-label"] = f"{column}: the {len(frequencies)} most frequent values, {rows}"
        with bars:
            for count in frequencies:
                ui.element("div").style(f"height: {count / frequencies[0]:.0%}")


def _missing(column: Mapping[str, Any], rows: int) -> str:
    missing = column["nulls"] + column["missing"]
    return f"{missing / rows:.1%}" if missing else "none"


def _reason(state: PageState, unit: Sequence[str], column: str, role: str) -> str:
    proposed, reason = state.proposed.get(column, ("", ""))
    if column in unit:
        return "chosen above as the person"
    if role != proposed or reason == GIVEN:
        return "chosen"
    return reason


def _problems_state(state: PageState) -> object:
    return state.findings, state.error, state.publishing, state.raw, tuple(state.warnings), tuple(state.unchecked)


def _problems(screen: Screen) -> None:
    state = screen.state
    warnings, unchecked = state.warnings, state.unchecked
    problems = [(warning, open_fixes(state, warnings[warning])) for warning in unchecked]
    if state.error:
        known = [fix.settings for fixes in warnings.values() for fix in open_fixes(state, fixes)]
        further = open_fixes(state, warnings.get(state.error, state.fixes))
        if state.error in warnings or any(fix.settings not in known for fix in further):
            problems.insert(0, (state.error, further))
    if not (problems or warnings):
        return
    with card("Check"):
        with ui.element("ul").classes("checks"):
            for problem, fixes in problems:
                with ui.element("li").classes("alert"):
                    shown = text("p", problem)
                    fix_buttons(screen, fixes)
                    if problem == state.error:
                        shown.props("role=alert")
                    else:
                        _second_button("I checked this", partial(screen.act, state.check, problem)).mark("check")
        _checked(screen, [warning for warning in warnings if warning not in (*unchecked, state.error)])


def _checked(screen: Screen, warnings: Sequence[str]) -> None:
    """Show the warnings that the owner has checked, folded."""
    if not warnings:
        return
    with ui.element("details"):
        text("summary", f"{counted(len(warnings), 'warning')} checked")
        with ui.element("ul"):
            for warning in warnings:
                with ui.element("li"):
                    text("p", warning)
                    again = partial(screen.state.check, warning, checked=False)
                    _second_button("Check again", partial(screen.act, again)).mark("uncheck")


def _second_button(label: str, action: Callable[[], object]) -> TextElement:
    with ui.element("div").classes("actions"):
        return button(label, action).classes("second")
