"""Buttons that write the settings recommended by a message to the job file."""

from functools import partial

from nicegui import ui

from anonset.settings.fixes import RecommendedSettings, fixes_in
from anonset.settings.job_changes import ROLES
from anonset.settings.job_files import ANSWERS
from anonset.ui.frame import Screen, button
from anonset.ui.page_state import PageState
from anonset.ui.setting_words import fix_in_words


def fix_buttons(screen: Screen, message: str) -> None:
    """Create a button for each setting that a message recommends. While the job is running, create none."""
    state = screen.state
    if state.publishing:
        return
    with ui.element("div").classes("actions"):
        for fix in fixes_for(state, message):
            button(fix_in_words(fix), partial(screen.act, state.apply_fix, fix)).mark("fix")


def fixes_for(state: PageState, message: str) -> list[RecommendedSettings]:
    """Return the settings that a message recommends and that the job file does not contain yet.

    Before the owner declares who is a person, the job file contains settings for each possible answer. A recommended
    setting is then omitted only if it is among the settings of all answers.
    """
    answers = [] if state.answered else [*state.raw.get(ANSWERS, {}).values()]
    common = {
        name: value
        for name, value in (answers[0] if answers else {}).items()
        if name not in ROLES and all(answer.get(name) == value for answer in answers)
    }
    return fixes_in(message, {**common, **state.settings})
