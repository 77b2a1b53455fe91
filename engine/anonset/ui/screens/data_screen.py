"""Screen **Data**, with the unit that counts as a person, the role of each column, the risk of the data, and
problems.
"""

from collections.abc import Callable, Mapping
from functools import partial

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from anonset.errors import Problem
from anonset.reading.file_options import NONE, OPEN, ROW, UNKNOWN
from anonset.release.memory import format_size
from anonset.settings.edits import QUESTIONS
from anonset.settings.job import Job
from anonset.spelling import counted
from anonset.ui.screens.columns_card import coarsened, create_columns, roles_of_job
from anonset.ui.screens.first_rows import show_first_rows
from anonset.ui.screens.fix_buttons import open_fixes, show_question
from anonset.ui.screens.frame import Screen, button, card, empty, folded, menu_of, sentence, text
from anonset.ui.screens.linked_tables import keys_of, show_tables, tables_state
from anonset.ui.screens.run_sections import show_exposed
from anonset.ui.state import choices
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import ITEMS, UNIT, fix_in_words, person_in_words

_AS_ITEMS = "As items, all values of a person can be published: choose this role for the column."
_MOST_BUTTONS = 3
"""Maximum number of the most likely answers that have a button. The menu contains all answers."""
_NO_DATA = "This folder contains no data. Copy a file such as visits.csv into the folder."


def data_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/")
    if state.job is None:
        with screen.opened("Choose the data", lambda: state.command("inspect")):
            _files(screen)
        return
    with screen.opened("What do the data contain?", lambda: state.command("inspect")):
        screen.section(lambda: _status_state(state), lambda _: _status(screen))
        screen.section(
            lambda: True if state.inspection.columns else None, lambda _: show_first_rows(screen, lambda: state.stated)
        )
        screen.section(lambda: _question_state(state), lambda _: _question(screen))
        screen.section(
            lambda: (
                state.inspection.exposed if state.answered else None,
                coarsened(state),
                state.stated.names("sensitive_items"),
                "m" in state.stated.settings,
            ),
            lambda found: show_exposed(*found),
        )
        screen.section(lambda: _problems_state(state), lambda _: _problems(screen))
        screen.section(lambda: tables_state(state), lambda _: show_tables(screen))
        create_columns(screen)
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


def _status_state(state: PageState) -> object:
    return (
        state.inspection.busy,
        state.inspection.linked is None,
        id(state.inspection.findings),
        choices.undoable(state),
    )


def _status(screen: Screen) -> None:
    state, findings = screen.state, screen.state.inspection.findings
    with ui.element("div").props("role=status").classes("status"):
        if state.inspection.busy:
            old = "" if findings is None else " The facts below are from before."
            text("p", f"Inspecting the data …{old}").classes("busy")
        elif state.inspection.linked is not None:
            text("p", f"{counted(len(state.inspection.linked['tables']), 'linked table')}.").classes("lead")
        elif findings is not None:
            is_counted = findings["records"] and not findings["question"]
            records = f", {counted(findings['records'], 'record')}" if is_counted else ""
            text("p", f"{counted(findings['rows'], 'row')}{records}.").classes("lead")
    if (words := choices.undoable(state)) and not state.publishing:
        _second_button(f"Undo: {words[:1].lower()}{words[1:]}", partial(screen.act, choices.undo, state)).mark(
            "undo choice"
        )


def _question_state(state: PageState) -> object:
    found = state.inspection.findings or state.inspection.linked
    persons, has_job = _persons(state).get(state.unit), state.job is not None and state.job.exists()
    linked = state.inspection.linked and state.inspection.linked["persons"]
    return state.unit, state.answered, found and found["question"], persons, linked, has_job, _differing(state)


def _question(screen: Screen) -> None:
    state = screen.state
    found = state.inspection.findings or state.inspection.linked
    if found is None or not (state.unit or found["question"]):
        return
    units = _units(state) if state.inspection.linked is None else keys_of(state)
    answer = state.unit if state.unit in units else None
    with card(UNIT).classes("" if answer else "question"):
        if answer is None:
            text("p", "Only you know the answer. Roles and risk depend on it.")
            with ui.element("div").classes("answers"):
                for unit in [one["unit"] for one in state.inspection.answers if one["unit"] in units][:_MOST_BUTTONS]:
                    button(units[unit], partial(screen.act, choices.answer, state, unit)).mark(f"likely-{unit}")
        choice = menu_of(units, UNIT, partial(screen.act, choices.answer, state), value=answer)
        choice.classes("wide").mark("unit")
        if answer is None:
            choice.props('display-value="All answers"')
        elif state.inspection.linked is not None:
            text("p", "Another answer replaces the tables and roles in the job file by a new proposal.").classes("soft")
        _another_person(screen)
        if differing := _differing(state):
            lost = f"Not published, because the rows of a person differ: {', '.join(differing)}."
            text("p", f"{lost} {_AS_ITEMS}").classes("soft").mark("differing")


def _items(screen: Screen) -> None:
    """Ask which columns contain the items, if the job file asks."""
    state = screen.state
    answers = [] if state.publishing else state.item_answers
    if not answers:
        return
    with card(ITEMS).classes("question"):
        text("p", "Only you know the answer. Only the items that you choose are published.")
        for warning in _about_items(state):
            text("p", sentence(warning))
        with ui.element("div").classes("answers"):
            for answer in answers:
                table, _, column = ",".join(Job(answer.settings).names("items")).rpartition(".")
                none = f"No column{table and ' of '}{table} contains items"
                label = none if column == NONE else fix_in_words(answer.settings)
                button(label, partial(screen.act, choices.apply_fix, state, answer)).mark("items")


def _about_items(state: PageState) -> list[str]:
    """Return the warnings whose remedies answer the question which columns contain the items."""
    asked, warnings = [fix.settings for fix in state.item_answers], state.inspection.warnings
    return [one for one, problem in warnings.items() if any(fix.settings in asked for fix in problem.fixes)]


def _units(state: PageState) -> dict[str, str]:
    persons = _persons(state)
    likely = dict.fromkeys([*persons, *state.raw.get(QUESTIONS["unit"], {}), ROW, UNKNOWN])
    likely |= dict.fromkeys({state.unit} - {"", OPEN})
    others = {unit: f"Less likely: each {unit} is a person" for unit in state.inspection.others if unit not in likely}
    return {unit: person_in_words(unit, persons.get(unit)) for unit in likely} | others


def _another_person(screen: Screen) -> None:
    """Ask for any columns that identify the person."""
    state = screen.state
    tables = (state.inspection.linked or {"tables": ()})["tables"]
    columns = state.inspection.columns or [one for table in tables for one in table["columns"]]
    names = list(dict.fromkeys(column["name"] for column in columns))

    def declare() -> None:
        if chosen.value:
            screen.act(choices.answer, state, ",".join(name for name in names if name in chosen.value))

    with folded("Another column, or several columns together"):
        chosen = ui.select(names, label="Columns that identify the person", multiple=True, with_input=True)
        chosen.props("outlined stack-label use-chips").classes("field").mark("columns of the person")
        button("Declare", declare).classes("second").mark("declare")


def _persons(state: PageState) -> dict[str, int | None]:
    """Return the number of persons for each possible unit, and for the declared unit if the inspection counted them."""
    persons = {one["unit"]: one["persons"] for one in state.inspection.answers}
    records = 0 if state.inspection.findings is None or state.inspection.busy else state.inspection.findings["records"]
    return persons | ({state.unit: records} if records and state.unit not in ("", OPEN, UNKNOWN) else {})


def _differing(state: PageState) -> tuple[str, ...]:
    """Return the columns that are not published because they differ between the rows of a person of the declared unit,
    which was proposed.
    """
    answers = state.inspection.answers
    named = next((answer.get("differing", ()) for answer in answers if answer["unit"] == state.unit), ())
    return tuple(name for name in named if roles_of_job(state).get(name) == "drop")


def _problems_state(state: PageState) -> object:
    found = state.inspection
    return found.findings, found.errors, state.publishing, state.raw, tuple(found.warnings), tuple(found.unchecked)


def _problems(screen: Screen) -> None:
    state, found = screen.state, screen.state.inspection
    _items(screen)
    about_items = [] if state.publishing else _about_items(state)
    warnings = {warning: problem for warning, problem in found.warnings.items() if warning not in about_items}
    unchecked = [warning for warning in found.unchecked if warning in warnings]
    known = [fix.settings for problem in warnings.values() for fix in open_fixes(state, problem.fixes)]
    new = any(fix.settings not in known for fix in open_fixes(state, found.fixes))
    errors = [one for one in found.errors if one in warnings or new]
    problems = [(one, warnings[one].fixes if one in warnings else found.fixes) for one in (*errors, *unchecked)]
    if not (problems or warnings):
        return
    with card("Check"):
        with ui.element("ul").classes("checks"):
            for problem, fixes in problems:
                is_checkable = problem not in errors and state.file is not None
                check = partial(screen.act, found.check, problem) if is_checkable else None
                shown = show_question(screen, warnings.get(problem, Problem(problem)), fixes, check)
                if problem in errors:
                    shown.props("role=alert")
        if len(unchecked) > 1 and state.file is not None:
            label = f"I checked these {len(unchecked)} warnings"
            _second_button(label, partial(screen.act, found.check, *unchecked)).mark("check-all")
        settled = {one: problem for one, problem in warnings.items() if one not in (*unchecked, *errors)}
        _checked(screen, settled)


def _checked(screen: Screen, warnings: Mapping[str, Problem]) -> None:
    """Show the warnings that the owner has checked, folded."""
    if not warnings:
        return
    with folded(f"{counted(len(warnings), 'warning')} checked"), ui.element("ul"):
        for warning, problem in warnings.items():
            with ui.element("li"):
                text("p", f"{sentence(problem.sentence)}.")
                again = partial(screen.state.inspection.check, warning, checked=False)
                _second_button("Check again", partial(screen.act, again)).mark("uncheck")


def _second_button(label: str, action: Callable[[], object]) -> TextElement:
    with ui.element("div").classes("actions"):
        return button(label, action).classes("second")
