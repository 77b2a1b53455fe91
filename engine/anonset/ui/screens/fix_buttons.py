"""Buttons that write recommended settings to the job file."""

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from anonset.errors import Fix, Problem
from anonset.settings.edits import QUESTIONS, edited
from anonset.settings.job import Job
from anonset.settings.job_changes import ROLES
from anonset.spelling import StatedSettings, listed, spelled_by
from anonset.ui.screens.frame import Screen, button, sentence, text
from anonset.ui.state import choices
from anonset.ui.state.inspection import contains
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import CHOOSE, fix_in_words, in_words, keep_in_words

_OF_EACH_COLUMN = {"drop", "relational", "hierarchy", "publish_as_is"}
"""Settings that a message recommends for each column that it names. Several hierarchies alone are alternatives."""


def fix_buttons(screen: Screen, fixes: Sequence[Fix]) -> ui.element:
    """Create a button for each fix that changes the job file, and return the row of buttons. While the job is running,
    create none.
    """
    state = screen.state
    with ui.element("div").classes("actions") as row:
        for fix in [] if state.publishing else together(open_fixes(state, fixes)):
            if CHOOSE in fix.settings.values():
                ui.link("Choose sensitive items", "/promise").mark("choose sensitive")
                continue
            if fix.asks:
                _ask(screen, fix)
                continue
            changes = f" ({fix.changes})" if fix.changes else ""
            made = button(
                f"{fix_in_words(fix.settings)}{changes}", partial(screen.act, choices.apply_fix, state, fix)
            ).mark("fix")
            if "publish_as_is" in fix.settings:  # no way to protect the columns
                made.classes("second")
        for fix in [] if state.publishing else fixes:
            if (words := keep_in_words(fix.settings)) and contains(state.stated, fix):
                button(words, partial(screen.act, choices.keep_values, state, fix)).mark("keep values")
    return row


def _ask(screen: Screen, fix: Fix) -> None:
    """Create a field for the value that only the owner knows, with the button of the fix."""

    def apply() -> None:
        if value := (field.value or "").strip():
            screen.act(choices.apply_fix, screen.state, fix.answered(value))

    with ui.element("div").classes("ask"):
        field = ui.input("Value").props("outlined stack-label dense").classes("field short").mark("value")
        button(fix_in_words(fix.settings), apply).classes("second").mark("fix")


def show_question(
    screen: Screen, problem: Problem, fixes: Sequence[Fix], check: Callable[[], object] | None
) -> TextElement:
    """Show a question as a list item with its remedies, and a button with which the owner states a check. Return its
    text.
    """
    with ui.element("li").classes("alert"):
        shown = text("p", warning_in_words(screen.state, problem))
        with fix_buttons(screen, fixes):
            if check is not None:
                button("I checked this", check).classes("second").mark("check")
    return shown


def together(fixes: Sequence[Fix]) -> list[Fix]:
    """Return the fixes, with one fix for all columns in place of the same fix for each column. Fixes of several columns
    each are alternatives.

    >>> [fix.settings for fix in together([Fix({"drop": ["a"]}), Fix({"null": ["-"]}), Fix({"drop": ["b"]})])]
    [{'drop': ['a', 'b']}, {'null': ['-']}]
    """
    made: dict[object, Fix] = {}
    for number, fix in enumerate(fixes):
        names = fix.settings.keys()
        of_each = names <= _OF_EACH_COLUMN and names != {"hierarchy"}
        of_one = of_each and all(len(Job(fix.settings).names(name)) == 1 for name in names - {"hierarchy"})
        key = tuple(names) if of_one else number
        settings = edited(Job(made[key].settings), Job(fix.settings)).settings if key in made else fix.settings
        made[key] = Fix(settings, fix.effect, fix.changes)
    return [*made.values()]


def warning_in_words(state: PageState, problem: Problem) -> str:
    """Return a warning with the remedies for which it has buttons, and those without settings. A remedy that the first
    run assumed is in the job already.
    """
    job, others = state.stated, [fix for fix in problem.fixes if not fix.settings]
    done = [fix_in_words(fix.settings) for fix in problem.fixes if contains(job, fix)]
    with spelled_by(_label):
        words = str(Problem(problem.sentence, [*together(open_fixes(state, problem.fixes)), *others]))
    return sentence(f"{words}. anonset does this already: {listed(done)}." if done else words)


def _label(settings: StatedSettings) -> str:
    """Return the label of the button of a fix, or the control in which the owner chooses."""
    return in_words(settings) if CHOOSE in settings.values() else f"“{fix_in_words(settings)}”"


def open_fixes(state: PageState, fixes: Sequence[Fix]) -> list[Fix]:
    """Return the fixes whose settings the job file does not contain yet. Fixes for other columns than those of the data
    are omitted.

    Before the owner declares who is a person, the job file contains settings for each possible answer. A recommended
    setting is then omitted only if it is among the settings of all answers.
    """
    answers = [] if state.answered else [*state.raw.get(QUESTIONS["unit"], {}).values()]
    common = {
        name: value
        for name, value in (answers[0] if answers else {}).items()
        if name not in ROLES and all(answer.get(name) == value for answer in answers)
    }
    job = Job({**common, **state.stated.settings})
    columns = {one["name"] for one in state.inspection.columns}
    distinct = {repr(fix.settings): fix for fix in fixes if fix.settings}
    return [
        fix
        for fix in distinct.values()
        if not contains(job, fix) and (not columns or {*Job(fix.settings).names(*ROLES)} <= columns)
    ]
