"""The job of `anonset compare`: from settings to a table of algorithms and parameters side by side."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

from anonset.algorithms.base import Progress
from anonset.algorithms.registry import ALGORITHMS
from anonset.data import Table
from anonset.errors import InputError
from anonset.jobs.compare import Contest, Contestant
from anonset.jobs.input import memory_of
from anonset.jobs.reading import read_data
from anonset.jobs.study import Study
from anonset.jobs.workloads import WorkloadSpec
from anonset.queries.estimate import require_reading
from anonset.release.memory import require_memory
from anonset.settings.binding import bind
from anonset.settings.compare import CompareSettings, read_value
from anonset.settings.parameters import (
    MODELS,
    algorithm_name,
    companions_of,
    default_algorithm,
    form_of,
    make_algorithm,
    option,
    parameters,
)
from anonset.settings.readers import Context
from anonset.spelling import require_known


def run_comparison(
    settings: CompareSettings, *, progress: Progress | None = None, kept: Path | None = None
) -> list[Contestant]:
    """Run every combination on one input, verify each, and publish none.

    A parameter goes to those algorithms that have it.

    Parameters
    ----------
    kept
        File of the runs; those that are in it are not run again.

    Raises
    ------
    InputError
        If the settings or the data are not what they must be. What is infeasible is reported, and no error.
    """
    source = settings.source(settings.input)
    reading = require_reading(settings.reading)
    workload = WorkloadSpec(settings.queries, settings.workload, settings.seed or 0, settings.width, reading)
    contest = Contest(settings.workers, progress, settings.budget, workload, settings.bound)
    requests = list(combinations(settings))
    algorithms = [make_algorithm(settings.model, name, given) for name, given in requests]
    need = max((memory_of(source.size, algorithm) for algorithm in algorithms), default=0)
    require_memory(need, settings.memory_limit)
    table = read_data(source, settings.read_options(), mapped=False)
    study = None if kept is None else Study(kept, source, settings)
    return [_run_or_known(study, contest, table, settings, name, given) for name, given in requests]


def combinations(settings: CompareSettings) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each algorithm with each combination of the varied parameters that it has.

    Raises
    ------
    InputError
        If a parameter applies to none of the algorithms.
    """
    default = default_algorithm(settings.model, relational=bool(settings.relational))
    names = settings.algorithms or [algorithm_name(settings.model, default)]
    for name in names:
        require_known("--algorithms", name, sorted(ALGORITHMS), {"--model": MODELS})
        algorithm_name(settings.model, name)
    fixed = settings.model_dump(include=set(parameters()), exclude_none=True)
    own = {name: _taken_by(name, fixed) for name in names}
    seeds = {} if settings.seeds is None else {"seed": settings.seeds}
    varied = {name.replace("-", "_"): values_of(name, text) for name, text in {**settings.vary, **seeds}.items()}
    if seeds and not any("seed" in taken for taken in own.values()):
        msg = f"--seeds: nothing is random in {', '.join(names)}"
        raise InputError(msg)
    known = set().union(*own.values())
    if stray := [option(name) for name in (*fixed, *varied) if name not in known and name != "seed"]:
        msg = f"{stray[0]} applies to none of {', '.join(names)}"
        raise InputError(msg)
    for name in names:
        mine = {n: v for n, v in fixed.items() if n in own[name] and n not in varied}
        axes = [[(n, read_value(text)) for text in texts] for n, texts in varied.items() if n in own[name]]
        for chosen in product(*axes):
            yield name, {**mine, **dict(chosen)}


def _run_or_known(
    study: Study | None, contest: Contest, table: Table, settings: CompareSettings, name: str, given: dict[str, Any]
) -> Contestant:
    """Run one contestant, unless it was run before."""
    if study is not None and (known := study.known(name, given)) is not None:
        return known
    found = _run(contest, table, settings, name, given)
    if study is not None:
        study.add(name, given, found)
    return found


def _run(contest: Contest, table: Table, settings: CompareSettings, name: str, given: dict[str, Any]) -> Contestant:
    """Run one contestant, its parameters read against the data."""
    model = make_algorithm(settings.model, name, given).model
    bound, hierarchies = bind(table, settings.hierarchy, model)
    algorithm = make_algorithm(settings.model, name, given, Context.of(bound, hierarchies, given))
    return contest.run(bound, hierarchies, algorithm, given)


def _taken_by(name: str, given: Mapping[str, Any]) -> set[str]:
    """Return the settings that an algorithm takes."""
    cls: Any = ALGORITHMS[name]
    forms = [form_of(field.name) for field in fields(cls)]
    more = [companions_of(form, given[form.setting]) for form in forms if form.setting in given]
    return {form.setting for form in forms}.union(*more)


_NUMBER = r"-?\d{1,9}(?:\.\d{1,9})?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?::({_NUMBER}))?")


def values_of(name: str, text: str) -> list[str]:
    """Return the values of a varied parameter; ``10..50:10`` stands for 10, 20, 30, 40, 50.

    >>> values_of("k", "2,5,10..50:20"), values_of("delta", "0.1..0.3:0.1")
    (['2', '5', '10', '30', '50'], ['0.1', '0.2', '0.3'])

    Raises
    ------
    InputError
        If a range has no values, or too many.
    """
    found: list[str] = []
    for part in text.split(","):
        if (ends := _RANGE.fullmatch(part.strip())) is None:
            found.append(part.strip())
            continue
        first, last, step = Decimal(ends[1]), Decimal(ends[2]), Decimal(ends[3] or 1)
        number = (last - first) // step + 1 if step > 0 and last >= first else 0
        if not 0 < number <= _MOST_VALUES:
            need = f"a range must be FROM..TO or FROM..TO:STEP of 1 to {_MOST_VALUES} values"
            msg = f"--vary {name}: {need}, got {part!r}"
            raise InputError(msg)
        found += [str(first + step * at) for at in range(int(number))]
    return found


_MOST_VALUES = 1000
