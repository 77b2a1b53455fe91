"""Say a job in four ways: as a job file, as flags, as both, and in Python."""

import json
import random
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.combinations.table import IN_JOB_FILES

Settings = Mapping[str, Any]


def toml(settings: Settings) -> str:
    """Return settings as the text of a job file."""
    lines, tables = [], []
    for name, value in settings.items():
        if isinstance(value, Mapping) and name == "tables":
            for table, options in value.items():
                tables.append(f"[tables.{table}]")
                tables += [f"{key} = {_value(entry)}" for key, entry in options.items()]
        elif isinstance(value, Mapping):
            tables += _table(name, value)
        else:
            lines.append(f"{name} = {_value(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def _table(name: str, entries: Settings) -> list[str]:
    """Return the lines of a table, followed by those of the tables in it."""
    inner = {key: entry for key, entry in entries.items() if isinstance(entry, Mapping)}
    lines = [f"{json.dumps(key)} = {_value(entry)}" for key, entry in entries.items() if key not in inner]
    nested = (_table(f"{name}.{json.dumps(key)}", entry) for key, entry in inner.items())
    return [f"[{name}]", *lines, *(line for table in nested for line in table)]


def _value(value: Any) -> str:
    return json.dumps(value)


def job_text(settings: Settings, path: Path) -> str:
    """Write a job file. Return its path."""
    path.write_text(toml(settings))
    return str(path)


def flags(settings: Settings) -> list[str]:
    """Return settings as arguments of the command."""
    arguments = []
    for name, value in settings.items():
        option = "--" + name.replace("_", "-")
        if name == "input":
            arguments.insert(0, value)
        elif isinstance(value, Mapping):
            arguments += [each for key, entry in value.items() for each in (option, f"{key}={entry}")]
        elif isinstance(value, bool):
            arguments.append(option if value else option.replace("--", "--no-", 1))
        else:
            arguments += [option, ",".join(value) if isinstance(value, list) else str(value)]
    return arguments


def job_arguments(made: Any, settings: Settings, path: Path) -> list[str]:
    """Write a job file, which may ask who is a person and which columns contain the items. Return its path, and the
    flags that answer the questions if the file does not. A drawn half of the settings depends on the answers.
    """
    chance, flagged, in_job = random.Random(f"asked {made.seed}"), dict[str, Any](), dict(settings)
    asked, _, way = (made.choice["asked"] or "").partition(" by ")
    for question in {"both": ("items", "unit"), "": ()}.get(asked, (asked,)):
        stated = {name: in_job.pop(name) for name in ANSWERING[question] if name in in_job}
        answer = "one_hot" if "one_hot" in stated else ",".join(*(stated.values() or [["none"]]))
        edits = {name: in_job.pop(name) for name in sorted(in_job.keys() - NOT_ASKED) if chance.random() < 0.5}
        if question == "items":
            declared = {
                name: in_job.pop(name) for name in ("publish_as_is",) if name in in_job
            }  # names no dropped column
            edits |= {**declared, **stated}
            in_job["drop"] = [*in_job["drop"], *(name for names in stated.values() for name in names)]
        elif "items_is" in in_job:
            edits |= {name: in_job.pop(name) for name in ("items", "items_is")}
        in_job[f"{question}_is"] = {"other": {"relational": ["other"], "model": "k"}, answer: edits}
        in_job[question] = answer if way == "file" else "?"
        flagged |= stated or {"items": ["none"]}
    return [job_text(in_job, path), *(flags(flagged) if way == "flag" else ())]


ANSWERING = {"unit": ("unit",), "items": ("items", "one_hot", "one_code")}
"""Settings that answer each question."""
NOT_ASKED = ("input", "out", "private", "work_dir", "memory_limit", "cluster", "workers", "if_exists", "tables", "drop")
NOT_ASKED += ("recoding", "after", *(name for question in ANSWERING for name in (question, f"{question}_is")))
"""Settings that are the same for all answers."""


def _by_job(made: Any, more: Settings) -> Any:
    from tests.combinations.rows import command

    return command("anonymize", *job_arguments(made, {**made.settings, **more}, made.folder / "job.toml"))


def _by_flags(made: Any, more: Settings) -> Any:
    from tests.combinations.rows import command

    return command("anonymize", *flags({**made.settings, **more}))


def _split(made: Any, more: Settings) -> Any:
    """Say half of the settings, and of the entries of each mapping, as flags."""
    from tests.combinations.rows import command

    chance = random.Random(f"split {made.seed}")
    in_job, as_flags = {}, {}
    for name, value in {**made.settings, **more}.items():
        if isinstance(value, Mapping) and name != "tables":
            keys = sorted(value)
            half = set(chance.sample(keys, len(keys) // 2)) if len(keys) > 1 else set()
            in_job[name] = {key: value[key] for key in keys if key not in half}
            as_flags |= {name: {key: value[key] for key in keys if key in half}} if half else {}
        elif (
            name in NOT_SPLIT
            or chance.random() < 0.5
            or any("," in str(x) for x in (value if isinstance(value, list) else ()))
        ):
            in_job[name] = value
        else:
            as_flags[name] = value
    if made.choice["rule of a dropped column"]:  # the job has a quasi-identifier with a rule, and a flag drops it
        as_flags["drop"] = [column for name in (in_job, as_flags) for column in name.pop("drop", [])]
        relational = [*in_job.get("relational", []), *as_flags.pop("relational", []), *as_flags["drop"]]
        in_job["relational"] = relational
        for rule in ("normalize", "hierarchy"):
            if rule in as_flags:
                in_job[rule] = (
                    {**in_job.get(rule, {}), **as_flags.pop(rule)} if rule == "hierarchy" else as_flags.pop(rule)
                )
    path = job_text(in_job, made.folder / "job.toml")
    return command("anonymize", path, *flags(as_flags))


NOT_SPLIT = ("input", "tables", *IN_JOB_FILES)


def _by_python(made: Any, more: Settings) -> Any:
    """Read the table and anonymize it in Python."""
    from dataclasses import fields
    from fractions import Fraction

    from tests.combinations.rows import Ran

    import anonset
    from anonset.algorithms.registry import ALGORITHMS
    from anonset.algorithms.relational.refinement import MOST_EVALUATIONS
    from anonset.reading.file_options import FileOptions, RoleOptions
    from anonset.settings.parameters import form_of

    given = {**made.settings, **more}
    reading = {field.name for cls in (FileOptions, RoleOptions) for field in fields(cls)}
    options = {name: value for name, value in given.items() if name in reading}
    specs = given.get("hierarchy", {})
    numeric = [column for column, spec in specs.items() if spec == "range"]
    if numeric:
        options["numeric"] = [*options.get("numeric", []), *(c for c in numeric if c not in options.get("numeric", []))]
    cls = ALGORITHMS[given["algorithm"]]
    parameters = {
        field.name: given[field.name] for field in fields(cls) if field.name in given and field.name != "order"
    }
    for field in fields(cls):  # in Python, a limit is a number
        form = form_of(field.name)
        if form.is_factor and form.setting in given:
            parameters[field.name] = max(1, int((field.default or MOST_EVALUATIONS) * given[form.setting]))
    for name in ("h", "rho", "cap", "c", "t", "w", "max_suppressed"):
        if name in parameters:
            parameters[name] = Fraction(parameters[name])
    if "sensitive_items" in given:
        given = {**given, "sensitive_items": tuple(given["sensitive_items"])}
        parameters |= {"sensitive_items": given["sensitive_items"]} if "sensitive_items" in parameters else {}
    if "transaction" in parameters:
        from functools import partial

        chosen = ALGORITHMS[parameters["transaction"]]
        more_of = {
            name: given[name]
            for name in ("l", "sensitive_items")
            if name in given and given["transaction"] == "lm-apriori"
        }
        parameters["transaction"] = partial(chosen, **more_of) if more_of else chosen
    said = (
        "accept",
        "workers",
        "order",
        "symbols",
        "max_loss",
        "publish_as_is",
        "format",
        "part_rows",
        "round_ends",
        "out",
    )
    told: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as told:
            table = anonset.read(given["input"], **options)
            shown = {name: given[name] for name in said if name in given}
            if given.get("separator") in (";", "|"):  # the command uses the separator of the input
                shown["separator"] = given["separator"]
            anonset.anonymize(table, cls(**parameters), hierarchies=specs or None, **shown)
    except anonset.InfeasibleError as error:
        return Ran(1, str(error))
    except anonset.AnonsetError as error:
        return Ran(2, str(error))
    except Exception as error:  # what a user of Python would see as a traceback
        return Ran(70, f"{type(error).__name__}: {error}")
    return Ran(0, "\n".join(str(warning.message) for warning in told))


SPEAKERS: Mapping[str, Callable[[Any, Settings], Any]] = {
    "job": _by_job,
    "flags": _by_flags,
    "split": _split,
    "python": _by_python,
}
