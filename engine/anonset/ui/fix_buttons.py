"""Buttons that apply the settings of a message."""

from functools import partial

from nicegui import ui

from anonset.settings.fixes import RecommendedSettings, fixes_in
from anonset.settings.overriding import name_list
from anonset.ui.frame import Screen, button

ROLE_WORDS = {
    "items": "items: a set per person",
    "one_hot": "item: a 0/1 column",
    "one_code": "item: a code",
    "relational": "an attacker may know it",
    "sensitive": "sensitive: must not be inferred",
    "id": "identifies the person: not published",
    "keep": "publish unchanged, not protected",
    "drop": "do not publish",
}
"""Roles of columns in words."""


def fix_buttons(screen: Screen, message: str) -> None:
    """Create a button for each recommendation of a message, except while the job is running."""
    state = screen.state
    if state.publishing:
        return
    with ui.element("div").classes("actions"):
        for fix in fixes_in(message, state.settings):
            button(_label(fix), partial(screen.act, state.apply_fix, fix)).mark("fix")


def _label(fix: RecommendedSettings) -> str:
    """Return the label of a button: the role of a column in words, else the options."""
    if len(fix.settings) == 1:
        ((role, names),) = fix.settings.items()
        if role in ROLE_WORDS and role != "id":
            return f"Apply to {', '.join(name_list(names))}: {ROLE_WORDS[role]}"
    return f"Apply {fix.options}"
