"""Buttons that write the settings recommended by a message to the job file."""

from functools import partial
from typing import Any

from nicegui import ui

from anonset.settings.fixes import RecommendedSettings, fixes_in
from anonset.settings.job_changes import ROLES
from anonset.settings.job_files import ANSWERS
from anonset.settings.overriding import name_list
from anonset.ui.frame import Screen, button
from anonset.ui.page_state import PageState

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
_ACTIONS = {
    "encoding": "read as {}",
    "input_format": "read as {}",
    "separator": "split items at {}",
    "delimiter": "split columns at {}",
    "header_line": "use line {} as the header",
    "no_header": "read the first line as a record",
    "skip_rows": "skip {}",
    "decimal": "use the {} as the decimal sign",
    "null": "treat {} as missing",
    "missing": "accept missing {}",
    "numeric": "read {} as numbers",
    "normalize": "clean up codes: {}",
    "unknown": "{} codes that the hierarchy does not contain",
    "inner_items": "accept codes that are groups of the hierarchy",
    "id": "each {} is a person",
    "group": "merge the rows of each person",
    "differing": "publish the values of each person's first row",
}
"""Effect of each setting in words."""
_VALUES = {
    "encoding": {"latin-1": "Latin-1", "cp1252": "Windows-1252"},
    "input_format": {"baskets": "lines of items", "xlsx": "an Excel file", "jsonl": "JSON Lines", "parquet": "Parquet"},
    "separator": {" ": "blanks", ",": "commas", "\t": "tabs"},
    "delimiter": {",": "commas", "\t": "tabs"},
    "skip_rows": {
        "no-id": "rows without a person",
        "footer": "totals and notes at the end",
        "labels": "the line of units or descriptions below the header",
    },
    "decimal": {",": "comma", ".": "point"},
    "missing": {"empty,value": "values", "empty": "sets of items", "value": "attribute values"},
    "unknown": {"suppress": "suppress", "prefix": "shorten"},
}
"""Values of settings in words. Other values are shown as they are."""


def fix_buttons(screen: Screen, message: str) -> None:
    """Create a button for each recommendation of a message, except while the job is running."""
    state = screen.state
    if state.publishing:
        return
    with ui.element("div").classes("actions"):
        for fix in fixes_for(state, message):
            button(fix_in_words(fix), partial(screen.act, state.apply_fix, fix)).mark("fix")


def fixes_for(state: PageState, message: str) -> list[RecommendedSettings]:
    """Return the settings that a message recommends, without settings that the job file contains already.

    As long as the owner has not declared who is a person, the job file contains the settings of each possible answer. A
    setting is then omitted only if all answers contain it.
    """
    answers = [] if state.answered else [*state.raw.get(ANSWERS, {}).values()]
    common = {
        name: value
        for name, value in (answers[0] if answers else {}).items()
        if name not in ROLES and all(answer.get(name) == value for answer in answers)
    }
    return fixes_in(message, {**common, **state.settings})


def fix_in_words(fix: RecommendedSettings) -> str:
    """Return the effect of recommended settings in words.

    >>> for message in ("use --encoding latin-1", "--no-header", "--null -99", "--drop ZIP", "--id pid --group"):
    ...     print(fix_in_words(fixes_in(message, {"relational": ["ZIP", "pid"]})[0]))
    Read as Latin-1
    Read the first line as a record
    Treat -99 as missing
    Apply to ZIP: do not publish
    Each pid is a person, merge the rows of each person
    """
    words = ", ".join(_words(name, value) for name, value in fix.settings.items())
    return f"{words[:1].upper()}{words[1:]}"


def _words(name: str, value: Any) -> str:
    names = ", ".join(name_list(value)) if isinstance(value, (list, str)) else str(value)
    if name in ROLE_WORDS and name != "id":
        return f"apply to {names}: {ROLE_WORDS[name]}"
    in_words = _VALUES.get(name, {})
    parts = value if isinstance(value, list) else [value]
    shown = ", ".join(in_words.get(part, str(part)) for part in parts)
    return _ACTIONS.get(name, f"set {name.replace('_', '-')} to {{}}").format(shown)
