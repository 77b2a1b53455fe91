"""Convert the settings file of another tool to settings of a job."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anonset.errors import InputError, shortened
from anonset.reading.projects import IDENTIFYING, Project


@dataclass(frozen=True)
class ProjectJob:
    """Job converted from a settings file of another tool."""

    settings: dict[str, Any]
    """Column roles and reading options."""
    guarantee: dict[str, Any]
    """Model and parameters. There is no model if a criterion is not supported, because the job would then guarantee
    less than the project.
    """
    trees: dict[str, str]
    """Name that the hierarchy of each column has in the other tool."""
    left: tuple[str, ...]
    """Descriptions of the settings that are not converted."""
    identifying: tuple[str, ...] = ()
    """Columns that identify persons in the project. The job drops them until the owner declares who is a person."""


def job_of(project: Project) -> ProjectJob:
    """Return the settings of a job that corresponds to a project.

    A column without a known role gets no role. `anonset anonymize` then requires a role.
    """
    guarantee, unknown = _guarantee(tuple(criterion for criterion in project.criteria if criterion != _SAMPLE))
    settings: dict[str, Any] = {} if project.delimiter is None else {"delimiter": project.delimiter}
    skipped = list(project.others)
    if _SAMPLE in project.criteria:
        skipped.append("research sample: the job uses all records")
    protected, identifying = guarantee.pop("sensitive", None), list[str]()
    for column in project.columns:
        role = column.role
        if role == IDENTIFYING:
            settings.setdefault("drop", []).append(column.name)
            identifying.append(column.name)
        elif role == "sensitive" and column.name == protected:
            settings[role] = column.name
        elif role is None or role == "sensitive":
            skipped.append(f"{column.name!r}: {_WITHOUT[role]}; declare a role")
        else:
            settings.setdefault(role, []).append(column.name)
        skipped += [f"{column.name!r}: {other}" for other in column.others]
    if protected is not None and "sensitive" not in settings:
        unknown.append(f"criterion of {protected!r}, which is not a sensitive column")
    relational = [column for column in project.columns if column.role == "relational"]
    trees = {column.name: column.hierarchy for column in relational if column.hierarchy is not None}
    if guarantee.get("t_distance") == "hierarchical":
        tree = next((column.hierarchy for column in project.columns if column.name == protected), None)
        if tree is None:
            unknown.append(f"hierarchical distance of {protected!r}: the project has no hierarchy for it")
        else:
            trees[protected] = tree
    skipped += [f"privacy criterion: {criterion}" for criterion in unknown]
    if unknown or "k" not in guarantee:
        skipped.append("no privacy model: add model, k and other parameters before you run the job")
        return ProjectJob(settings, {}, trees, tuple(skipped), tuple(identifying))
    if project.suppressed:
        guarantee["max_suppressed_records"] = project.suppressed
    weights = {column.name: column.weight for column in relational if column.weight is not None}
    if len(set(weights.values())) > 1:
        settings["relational_weights"] = weights
    return ProjectJob(settings, guarantee, trees, tuple(skipped), tuple(identifying))


_WITHOUT = {None: "no role in the project", "sensitive": "sensitive, but none of the converted criteria protects it"}
_OF = r" for attribute '(?P<sensitive>.*)'"
_CRITERIA = (
    (r"(?P<k>\d+)-anonymity", {"model": "k"}),
    (rf"distinct-(?P<l>\d+)-diversity{_OF}", {"model": "kl", "l_kind": "distinct"}),
    (rf"(shannon-)?entropy-(?P<l>\d+)(\.0)?-diversity{_OF}", {"model": "kl", "l_kind": "entropy"}),
    (rf"recursive-\((?P<c>[\d.]+),(?P<l>\d+)\)-diversity{_OF}", {"model": "kl", "l_kind": "recursive"}),
    (rf"(?P<t>[\d.]+)-closeness with equal ground-distance{_OF}", {"model": "kt", "t_distance": "equal"}),
    (rf"(?P<t>[\d.]+)-closeness with ordered distance{_OF}", {"model": "kt", "t_distance": "ordered"}),
    (rf"(?P<t>[\d.]+)-closeness with hierarchical ground-distance{_OF}", {"model": "kt", "t_distance": "hierarchical"}),
)
"""Patterns of the names that ARX gives to privacy criteria, each with a model."""
_MOST_DIGITS = 9


def _whole(text: str) -> int | None:
    return int(text) or None if text.isascii() and len(text) <= _MOST_DIGITS else None


def _decimal(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,18})?", text) else None


_NUMBERS: dict[str, Callable[[str], Any]] = {"k": _whole, "l": _whole, "c": _decimal, "t": _decimal}
"""Parsers of numbers. They return None for a text that is not a number or has too many digits."""
_SAMPLE = "Inclusion"
"""Criterion of ARX for a research subset. The subset may contain all records."""


def _guarantee(criteria: tuple[str, ...]) -> tuple[dict[str, Any], list[str]]:
    """Return the model that satisfies the criteria, with ``sensitive``, and the unsupported criteria.

    k-anonymity can be combined with any criterion. Without k-anonymity, k equals l, because a class with l distinct
    values has at least l records.

    >>> _guarantee(("5-anonymity", "distinct-3-diversity for attribute 'drug'"))[0]
    {'model': 'kl', 'algorithm': 'full-domain', 'k': 5, 'l_kind': 'distinct', 'l': 3, 'sensitive': 'drug'}
    """
    parameters_of: dict[str, dict[str, Any]] = {}
    unknown = []
    for criterion in criteria:
        read = next(filter(None, (_read(criterion, *parser) for parser in _CRITERIA)), None)
        family = "k" if read is not None and "k" in read else "classes"
        if read is None or family in parameters_of:
            unknown.append(criterion)
        else:
            parameters_of[family] = read
    model = {**parameters_of.get("k", {}), **parameters_of.get("classes", {})}
    least = model.pop("k", model.get("l"))
    first = {"model": model.pop("model", None), "algorithm": "full-domain"}
    return {**first, **({} if least is None else {"k": least}), **model}, unknown


def _read(criterion: str, pattern: str, fixed: Mapping[str, str]) -> dict[str, Any] | None:
    if (match := re.fullmatch(pattern, criterion)) is None:
        return None
    read = {name: _NUMBERS.get(name, str)(text) for name, text in match.groupdict().items()}
    if None in read.values():
        msg = f"the criterion {shortened(criterion)} must have numbers above 0 of at most {_MOST_DIGITS} digits"
        raise InputError(msg)
    return {**fixed, **read}
