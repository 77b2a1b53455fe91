"""Buttons that write recommended settings to the job file."""

from collections.abc import Sequence
from functools import partial

from nicegui import ui

from anonset.errors import Fix
from anonset.reading.roles import name_list
from anonset.settings.job_changes import ROLES
from anonset.settings.job_files import ANSWERS
from anonset.settings.model_choices import is_applied
from anonset.ui.screens.frame import Screen, button
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import fix_in_words

_OWNERS = ("identifying_as_declared", "publish_as_is")
"""Settings that only the owner can declare, so no button writes them."""


def fix_buttons(screen: Screen, fixes: Sequence[Fix]) -> None:
    """Create a button for each fix that changes the job file. While the job is running, create none."""
    state = screen.state
    if state.publishing:
        return
    with ui.element("div").classes("actions"):
        for fix in open_fixes(state, fixes):
            button(fix_in_words(fix.settings), partial(screen.act, state.apply_fix, fix)).mark("fix")


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
    job = {**common, **state.settings}
    columns = {name for role in ROLES for name in name_list(job.get(role, ()))}
    distinct = {fix_in_words(fix.settings): fix for fix in fixes if fix.settings}
    return [
        fix
        for fix in distinct.values()
        if fix.settings.keys().isdisjoint(_OWNERS)
        and not is_applied(fix.settings, job)
        and (not columns or all({*fix.settings.get(role, ())} <= columns for role in ROLES))
    ]
