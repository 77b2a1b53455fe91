"""Buttons that write recommended settings to the job file."""

from collections.abc import Sequence
from functools import partial

from nicegui import ui

from anonset.errors import Fix
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.job_changes import ROLES
from anonset.settings.job_files import ANSWERS
from anonset.ui.screens.frame import Screen, button
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import fix_in_words

_OF_EACH_COLUMN = {"drop", "relational", "hierarchy", "publish_as_is"}
"""Settings that a message recommends for each column that it names. Several hierarchies alone are alternatives."""


def fix_buttons(screen: Screen, fixes: Sequence[Fix]) -> None:
    """Create a button for each fix that changes the job file. While the job is running, create none."""
    state = screen.state
    if state.publishing:
        return
    with ui.element("div").classes("actions"):
        for fix in together(open_fixes(state, fixes)):
            made = button(fix_in_words(fix.settings), partial(screen.act, state.apply_fix, fix)).mark("fix")
            if "publish_as_is" in fix.settings:  # no way to protect the columns
                made.classes("second")


def together(fixes: Sequence[Fix]) -> list[Fix]:
    """Return the fixes, with one fix for all columns in place of the same fix for each column.

    >>> [fix.settings for fix in together([Fix({"drop": ["a"]}), Fix({"null": ["-"]}), Fix({"drop": ["b"]})])]
    [{'drop': ['a', 'b']}, {'null': ['-']}]
    """
    made: dict[object, Job] = {}
    for number, fix in enumerate(fixes):
        names, own = fix.settings.keys(), Job(fix.settings)
        key = tuple(names) if names <= _OF_EACH_COLUMN and names != {"hierarchy"} else number
        made[key] = edited(made[key], own) if key in made else own
    return [Fix(job.settings) for job in made.values()]


def open_fixes(state: PageState, fixes: Sequence[Fix]) -> list[Fix]:
    """Return the fixes whose settings the job file does not contain yet. Fixes for other columns than those of the job
    are omitted.

    Before the owner declares who is a person, the job file contains settings for each possible answer. A recommended
    setting is then omitted only if it is among the settings of all answers.
    """
    answers = [] if state.answered else [*state.raw.get(ANSWERS, {}).values()]
    common = {
        name: value
        for name, value in (answers[0] if answers else {}).items()
        if name not in ROLES and all(answer.get(name) == value for answer in answers)
    }
    job = Job({**common, **state.stated.settings})
    columns = {*job.names(*ROLES)}
    distinct = {repr(fix.settings): fix for fix in fixes if fix.settings}
    return [
        fix
        for fix in distinct.values()
        if edited(job, Job(fix.settings)) != job
        and (not columns or all({*fix.settings.get(role, ())} <= columns for role in ROLES))
    ]
