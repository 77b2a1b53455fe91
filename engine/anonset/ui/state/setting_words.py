"""Settings in the words of the page: labels of controls and texts of buttons."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from anonset.columns.identity import FILL_DOWN
from anonset.data.hierarchies.hierarchy_rules import EITHER, FROM
from anonset.errors import Fix
from anonset.reading.file_options import NONE, ROW, UNKNOWN, Unit
from anonset.settings.job import Job
from anonset.spelling import StatedSettings, counted, listed, short_names

ROLE_WORDS = {
    "items": "items: a set per person",
    "one_hot": "item: a 0/1 column",
    "one_code": "item: a code",
    "relational": "an attacker may know it",
    "sensitive": "sensitive: must not be inferred",
    "unit": "identifies the person: not published",
    "id": "identifies the person: published in buckets",
    "keep": "publish unchanged, not protected",
    "drop": "do not publish",
}
"""Column roles in the words of the page."""
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
    "normalize": "merge spellings by {}",
    "present": "an item is present if its cell is {}",
    "with_header": "items are column name and value",
    "unknown": "{} codes that the hierarchy does not contain",
    "inner_items": "accept codes that are groups of the hierarchy",
    "unit": "each {} is a person",
    "differing": "publish the values of each person's first row",
}
CHOOSE = "..."
"""Value of a setting that the owner must choose."""
_OF_COLUMNS = {
    "items": "use {} as items",
    "one_hot": "use {} as items, one per column",
    "one_code": "use {} as items, one code per cell",
    "relational": "an attacker may know {}",
    "sensitive": "protect {} from inference",
    "sensitive_items": "protect {} from inference",
    "id": "publish {} in buckets, as the person",
    "keep": "publish {} unchanged, not protected",
    "drop": "do not publish {}",
    "publish_as_is": "I take responsibility: publish {} unchanged",
}
"""Effect of each setting in words."""
_VALUES = {
    "encoding": {"latin-1": "Latin-1", "cp1252": "Windows-1252", "utf-8": "UTF-8"},
    "input_format": {"baskets": "lines of items", "xlsx": "an Excel file", "jsonl": "JSON Lines", "parquet": "Parquet"},
    "separator": {" ": "blanks", ",": "commas", "\t": "tabs"},
    "delimiter": {",": "commas", "\t": "tabs"},
    "skip_rows": {
        "no-id": "rows without a person",
        "footer": "totals and notes at the end",
        "labels": "the lines of labels or units below the header",
        "undescribed": "persons whom no table describes",
        "no-other": "no lines that look like labels or totals",
    },
    "decimal": {",": "comma", ".": "point"},
    "missing": {"empty,value": "values", "empty": "sets of items", "value": "attribute values"},
    "unknown": {"suppress": "suppress", "prefix": "shorten"},
}
"""Values of settings in the words of the page. The page shows any other value unchanged."""
SIZE_WORDS = {
    "k": "k: how many records must match?",
    "m": "m: how many items may an attacker know?",
    "l": "l: among how many values must a sensitive one hide?",
}
"""Labels of the parameters of a model."""
_SPELLINGS = {
    "lower": "in lower case",
    "upper": "in upper case",
    "strip-blanks": "without blanks",
    "strip-dots": "without dots",
    "strip-hyphens": "without hyphens",
    "strip-zeros": "without leading zeros",
}
"""Spelling that a rule of the setting ``normalize`` keeps."""
_SIZES = {"k": "require {} matching records (k)", "m": "protect against {} known items (m)"}
"""Effect of the parameters of a model."""
ROW_WORDS = "Each row is a different person"
UNKNOWN_WORDS = "The data do not say: a person with several rows is not protected as one"
UNIT = "Who is a person?"
ITEMS = "What are the items?"
KNOWN = "What may an attacker know?"
RULE = "Rule or file"
CEILING = "Publish nothing above this node (ceiling)"
SENSITIVE = "Are some items sensitive, such as a diagnosis of HIV?"
TRY = "Try the candidates"
OUT = "New folder for the publication"
_CONTROLS = {
    **{role: (words, "Data") for role, words in ROLE_WORDS.items()},
    "unit": (UNIT, "Data"),
    **{name: (label, "Promise") for name, label in SIZE_WORDS.items()},
    "model": (KNOWN, "Promise"),
    "sensitive_items": (SENSITIVE, "Promise"),
    "hierarchy": (RULE, "Hierarchies"),
    "ceiling": (CEILING, "Hierarchies"),
    "algorithm": (TRY, "Try"),
    "out": (OUT, "Publish"),
}
"""Label and screen of the control for each setting."""


_PARAMETERS = {
    "transaction": {"": "items by {}"},
    "formation": {"": "first groups by {}"},
    "delta": {"": "loss limit {}"},
    "w": {"": "weight of the attributes {}"},
    "point": {
        "items": "more detail in the items",
        "balanced": "balanced detail",
        "attributes": "more detail in the attributes",
    },
    "merge": {"rt": "merges similar groups"},
    "on_infeasible": {"merge": "joins small groups", "suppress": "removes rare items"},
    "suppress": {"True": "removes rare items"},
}
"""Parameters of algorithms in the words of the page, by value. An empty text is any other value."""


def algorithm_in_words(job: Job) -> str:
    """Return an algorithm and its parameters as text.

    >>> algorithm_in_words(Job({"algorithm": "exact", "suppress": True, "hierarchy": "halves:frequency"}))
    'exact, removes rare items (suppress), groups by similar frequency (halves:frequency)'
    >>> algorithm_in_words(Job({"algorithm": "rum-bound", "transaction": "coat", "delta": 0.5, "partitions": 2}))
    'rum-bound, items by coat (transaction), loss limit 0.5 (delta), partitions 2'
    """
    parameters = [_parameter_in_words(name, value) for name, value in job.settings.items() if name != "algorithm"]
    return ", ".join([job.text("algorithm"), *parameters])


def _parameter_in_words(name: str, value: Any) -> str:
    if name == "hierarchy":
        return f"groups by {_rule_in_words(str(value))}"
    words, shown = _PARAMETERS.get(name, {}), name.replace("_", "-")
    if str(value) in words:
        return f"{words[str(value)]} ({shown if value is True else f'{shown} {value}'})"
    return f"{words[''].format(value)} ({shown})" if "" in words else f"{shown} {value}"


def _key_in_words(unit: str) -> str:
    names = Unit.of(unit).columns
    return f"combination of {listed(names, 'and')}" if names[1:] else unit


def person_in_words(unit: str, persons: int | None) -> str:
    """Return a unit of privacy in words, with the number of persons if it is known.

    >>> person_in_words("pid", 5), person_in_words("row", None)
    ('Each pid is a person: 5 persons', 'Each row is a different person')
    >>> person_in_words("Last name,Birth date", None)
    'Each combination of Last name and Birth date is a person'
    """
    what = {ROW: ROW_WORDS, UNKNOWN: UNKNOWN_WORDS}.get(unit, f"Each {_key_in_words(unit)} is a person")
    return what if persons is None else f"{what}: {counted(persons, 'person')}"


def in_words(settings: StatedSettings) -> str:
    """Return settings in messages of the page: as a button, or as the control that changes them.

    >>> in_words({"null": ["-99"]}), in_words({"hierarchy": {"age": "values"}})
    ('“Treat -99 as missing”', '“Rule or file” (age=values) on the screen Hierarchies')
    >>> in_words({"relational": ["zip"], "hierarchy": {"zip": "mask:3,1"}})
    '“An attacker may know zip, group zip by first 3, 1 characters (mask:3,1)”'
    >>> in_words({"max_loss": None}), in_words({"drop": None})
    ('max_loss in the job file', '“do not publish” on the screen Data')
    >>> in_words({"publish_as_is": ["zip"]})
    '“I take responsibility: publish zip unchanged”'
    """
    is_button = len(settings) > 1 or all(name in _ACTIONS or name in _OF_COLUMNS for name in settings)
    if is_button and not any(value in (None, CHOOSE) for value in settings.values()):
        return f"“{fix_in_words(settings)}”"
    return " and ".join(_control(name, value) for name, value in settings.items())


def _control(name: str, value: Any) -> str:
    label, screen = _CONTROLS.get(name, ("", ""))
    if isinstance(value, Mapping):
        value = ", ".join(f"{key}={entry}".removesuffix("=...") for key, entry in value.items())
    named = value in (None, True, CHOOSE)
    shown = "" if named else f" ({', '.join(value) if isinstance(value, list) else value})"
    return f"“{label}”{shown} on the screen {screen}" if label else f"{name}{shown} in the job file"


def fix_in_words(settings: StatedSettings) -> str:
    """Return the effect of recommended settings in words, with “…” for a value that only the owner knows.

    >>> items = {"items": "visits.none"}, {"items": "phenone"}
    >>> asked, dates = {"null": ["dx=VALUE"]}, {"hierarchy": {"born": "date:%d.%m.%Y:from-month,year"}}
    >>> city = {"normalize": ["city=lower", "city=strip-blanks"]}
    >>> above = {"normalize": ["order=fill-down"]}
    >>> for fix in ({"encoding": "latin-1"}, *items, asked, city, above, dates, {"drop": ["ZIP"], "unit": ["pid"]}):
    ...     print(fix_in_words(fix))
    Read as Latin-1
    Use no column of visits as items
    Use phenone as items
    Treat dx=… as missing
    Write all city in lower case and without blanks
    Read a blank order as the one above it
    Group born by month, year, as in 31.07.2024
    Do not publish ZIP, each pid is a person
    """
    words = ", ".join(_words(name, value) for name, value in Fix(settings).answered("…").settings.items())
    return f"{words[:1].upper()}{words[1:]}"


def keep_in_words(settings: StatedSettings) -> str:
    """Return the opposite of a recommended setting for missing values in words. Empty for other settings.

    >>> keep_in_words({"null": ["-", "n/a"]}), keep_in_words({"encoding": "latin-1"})
    ('Keep -, n/a as a value', '')
    """
    return f"Keep {', '.join(Job(settings).names('null'))} as a value" if settings.keys() == {"null"} else ""


_RULES = {
    "prefix": "first {} characters", "mask": "first {} characters", "bins": "intervals {}",
    "balanced": "{} neighbours", "halves": "similar frequency", "range": "ranges", "values": "sets of values",
}  # fmt: skip
"""Rules of hierarchies in the words of the page, by their first word."""


def _rule_in_words(rule: str) -> str:
    kind, _, arguments = rule.partition(":")
    if kind in _RULES:
        return f"{_RULES[kind].format(arguments.removeprefix(FROM).replace(',', ', '))} ({rule})"
    if kind != "date":
        return rule
    form, _, levels = arguments.rpartition(":")
    example = f", as in {date(2024, 7, 31).strftime(form.replace(EITHER, ' or '))}" if form else ""
    return f"{levels.removeprefix(FROM).replace(',', ', ')}{example}"


def _spelling_in_words(rules: Sequence[str]) -> str:
    by_column: dict[str, list[str]] = {}
    for rule in rules:
        column, _, kind = rule.rpartition("=")
        by_column.setdefault(column, []).append(_SPELLINGS[kind])
    return ", ".join(f"write all {of or 'items'} {' and '.join(kinds)}" for of, kinds in by_column.items())


def _words(name: str, value: Any) -> str:
    if name == "hierarchy" and isinstance(value, Mapping):
        return ", ".join(f"group {column} by {_rule_in_words(str(rule))}" for column, rule in value.items())
    if isinstance(value, Mapping):
        parts = [f"{key}={entry}" for key, entry in value.items()]
    else:
        parts = value if isinstance(value, list) else [value]
    table, _, column = str(parts[0]).rpartition(".") if len(parts) == 1 else ("", "", "")
    if name == "items" and column == NONE:
        return f"use no column{f' of {table}' if table else ''} as items"
    if name == "normalize" and all(part.rpartition("=")[2] in _SPELLINGS for part in parts):
        return _spelling_in_words(parts)
    if name == "normalize" and all(part.endswith(f"={FILL_DOWN}") for part in parts):
        return f"read a blank {short_names([part.rpartition('=')[0] for part in parts])} as the one above it"
    if name in _OF_COLUMNS:
        return _OF_COLUMNS[name].format(short_names(parts))
    if name in _SIZES:
        return _SIZES[name].format(value)
    in_words = _VALUES.get(name, {})
    shown = ", ".join(in_words.get(part, str(part)) for part in parts)
    return _ACTIONS.get(name, f"set {name.replace('_', '-')} to {{}}").format(shown)
