"""Settings that a message recommends, so that a program can apply them."""

import re
import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from anonset.data.redacted_repr import RedactedRepr
from anonset.settings.job_changes import ROLES, with_role
from anonset.settings.overriding import name_list
from anonset.settings.readers import Names
from anonset.settings.settings import RoleSettings, settings_model
from anonset.spelling import as_options, setting, spelled_by

_OPTION = re.compile(r"--([a-z][a-z-]*)(?: ('[^']*'|[^\s'\"-][^\s'\"]*|-\d*(?![\w-])))?")
_COMMAND = re.compile(r"\banonset [a-z]+ \S")
_PLACEHOLDER = re.compile(r"[A-Z_]{2,}|\.\.\.").fullmatch
_CONTINUATION = re.compile(
    r"adds|allows|also|and|applies|cannot|chooses|continues|depends|describe|does|draws|if|in|into|is|it|"
    r"keeps|limits|makes|merges|must|names|needs|of|on|or|protects|publishes|removes|replaces|requires|runs|shows|skips|"
    r"that|to|together|uses|with|without"
).fullmatch
"""Pattern of a word that continues the sentence after an option without a value."""
_OWNERS = ("identifying_as_declared",)
"""Settings that only the owner can declare, so no message applies them."""


@dataclass(frozen=True)
class RecommendedSettings(RedactedRepr):
    """Options that a message recommends."""

    options: str = field(repr=False)
    """Options as on the command line."""
    settings: Mapping[str, Any] = field(repr=False)
    """Settings by name."""


def fixes_in(message: str, job: Mapping[str, Any] | None = None) -> list[RecommendedSettings]:
    """Return the reading options and roles with values that a message recommends, except settings that the job has
    already. With a job, roles are recommended only for its columns.

    Adjacent options belong together.

    >>> [fix.settings for fix in fixes_in("-99 may mean a missing value: if so, --null -99; or --missing VALUE")]
    [{'null': ['-99']}]
    >>> [fix.options for fix in fixes_in("repeat the command with --unit pid, or drop it: --drop pid")]
    ['--unit pid', '--drop pid']
    >>> [fix.options for fix in fixes_in("--keep publishes it, --drop ZIP removes it", {"relational": ["ZIP"]})]
    ['--drop ZIP']
    >>> [fix.settings for fix in fixes_in("'NULL' means a missing value: --null NULL; '-' does: --null -")]
    [{'null': ['NULL']}, {'null': ['-']}]
    >>> fixes_in("name the columns to publish, by --items, --relational or --sensitive")
    []
    """
    columns = {name for role in ROLES for name in name_list((job or {}).get(role, ()))}
    fixes = [fix for _, _, fix in _found_in(message, columns)]
    return [fix for fix in {fix.options: fix for fix in fixes}.values() if not _is_applied(fix, job or {})]


def _found_in(message: str, columns: Collection[str]) -> list[tuple[int, int, RecommendedSettings]]:
    """Return start, end and settings of each recommendation in a message. Adjacent options belong together."""
    found: list[tuple[int, int, RecommendedSettings]] = []
    for match in _OPTION.finditer(message):
        text = _option_in(match, columns)
        parsed = _parsed(text, columns)
        if parsed is None:
            continue
        if parsed[next(iter(parsed))] is True:  # a word after it is no value
            text = text.partition(" ")[0]
        start, fix = match.start(), RecommendedSettings(text, parsed)
        if found and start == found[-1][1] + 1:
            start, _, before = found.pop()
            fix = RecommendedSettings(f"{before.options} {text}", {**before.settings, **parsed})
        found.append((start, match.start() + len(text), fix))
    return found


def _option_in(match: re.Match[str], columns: Collection[str]) -> str:
    """Return the option of a match with its value, without punctuation or a word that continues the sentence."""
    value = (match[2] or "").rstrip(";:,)")
    continues = _CONTINUATION(value) and value not in columns
    return f"--{match[1]}" if continues else match[0].rstrip(";:,)")


def _is_applied(fix: RecommendedSettings, job: Mapping[str, Any]) -> bool:
    """Return True if a job already has all settings of a fix."""
    return all(
        set(value) <= set(name_list(job.get(name, ()))) if isinstance(value, list) else job.get(name) == value
        for name, value in fix.settings.items()
    )


def _parsed(option: str, columns: Collection[str]) -> dict[str, Any] | None:
    """Return the setting of an option, or None for other options than reading options and roles with a value.

    `columns` are the columns with a role. Empty if they are unknown.
    """
    words = shlex.split(option)
    name, value = words[0].removeprefix("--").replace("-", "_"), " ".join(words[1:])
    model_field = RoleSettings.model_fields.get(name)
    is_placeholder = value == "VALUE" if name in ("null", "present") else _PLACEHOLDER(value) and value not in columns
    if model_field is None or name in _OWNERS or is_placeholder:
        return None
    if name in ROLES and columns and not set(value.split(",")).issubset(columns):
        return None
    kind = model_field.annotation
    if kind is bool:
        return {name: True}
    if not value:
        return None
    if kind is int or int in get_args(kind):
        return {name: int(value)} if value.isdecimal() else None
    is_list = kind == get_args(Names)[0] or kind == list[str]
    return {name: value.split(",") if is_list else value}


def with_role_words(reason: str, column: str, words: Mapping[str, str]) -> str:
    """Return the reason for the role of a column. Options that give the column another role are replaced by words.

    >>> with_role_words("if others know it: --relational 'Q1 trust'", "Q1 trust", {"relational": "is known"})
    'if others know it: “is known”'
    """
    with spelled_by(as_options):
        for role, text in words.items():
            reason = reason.replace(setting(role, column), f"“{text}”")
    return reason


def with_option_words(
    message: str, recommended: Callable[[RecommendedSettings], str], control: Callable[[str, str], str]
) -> str:
    """Return a message with words in place of the options that it names. Commands remain as they are.

    Parameters
    ----------
    recommended
        Returns the words for a recommended setting (see `fixes_in`).
    control
        Returns the words for any other setting of a job, from its name and its value. The value is empty if the message
        contains none.
    """
    fields = settings_model().model_fields
    text, command, rest = message.partition(found[0]) if (found := _COMMAND.search(message)) else (message, "", "")

    def in_words(match: re.Match[str]) -> str:
        option = _option_in(match, ())
        name, value = match[1].replace("-", "_"), " ".join(shlex.split(option)[1:])
        if name not in fields:
            return match[0]
        return control(name, "" if _PLACEHOLDER(value) else value) + match[0][len(option) :]

    parts, done = list[str](), 0
    for start, end, fix in _found_in(text, ()):
        parts += [_OPTION.sub(in_words, text[done:start]), recommended(fix)]
        done = end
    return "".join([*parts, _OPTION.sub(in_words, text[done:]), command, rest])


def with_fix(job: Mapping[str, Any], fix: RecommendedSettings) -> dict[str, Any]:
    """Return the settings of a job that a fix changes.

    >>> with_fix({"null": ["-9"], "drop": ["age"]}, fixes_in("--null -99 --relational age")[0])
    {'null': ['-9', '-99'], 'drop': None, 'relational': ['age']}
    >>> with_fix({"drop": ["pid"]}, fixes_in("if these are persons: --unit pid")[0])
    {'unit': 'pid'}
    """
    changes: dict[str, Any] = {}
    for name, value in fix.settings.items():
        if name == "unit":
            changes["unit"] = value if len(value) > 1 else value[0]
        elif name in ROLES:
            for column in name_list(value):
                changes |= with_role({**job, **changes}, column, name)
        else:
            changes[name] = [*name_list(job.get(name, ())), *value] if isinstance(value, list) else value
    return changes
