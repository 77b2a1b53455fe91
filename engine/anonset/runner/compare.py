"""Several algorithms or parameters on one input: losses and times side by side."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from anonset.algorithms.base import Algorithm, Progress
from anonset.algorithms.registry import ALGORITHMS
from anonset.data import Hierarchy, Table
from anonset.errors import AnonsetError, InfeasibleError, InputError
from anonset.runner.binding import bind, numeric_columns
from anonset.runner.forms import Context, Names
from anonset.runner.layout import Layout
from anonset.runner.memory import memory_for, require_memory
from anonset.runner.parameters import algorithm_name, default_algorithm, form_of, make_algorithm, option, parameters
from anonset.runner.phases import Stopwatch
from anonset.runner.run import search
from anonset.runner.settings import RoleSettings, all_errors, with_parameters
from anonset.runner.workloads import WorkloadSpec, answers


class CompareSettings(RoleSettings):
    """The settings of `anonset compare`; the parameters of the algorithms are added by `compare_settings_model`."""

    input: str = Field(description="Data set: CSV, TSV, Parquet or FIMI (.dat).")
    hierarchy: dict[str, str] = Field({}, description="COL=SPEC, as for anonymize; repeatable.")
    model: str | None = Field(None, description="What must hold; not needed with --algorithms.")
    algorithms: Names = Field([], description="Algorithms to compare; default: that of the model.")
    vary: dict[str, str] = Field({}, description="NAME=VALUE,VALUE,...: a parameter to vary; repeatable.")
    queries: str | None = Field(None, description="File with the items of a query a line, for the ARE.")
    workload: str | None = Field(None, description="Random queries for the ARE: record:100x2, or +1.")
    width: float = Field(0.0, ge=0, le=1, description="Reach of conditions on numbers, as a share of the width.")
    seed: int | None = Field(None, ge=0, description="Seed of whatever is random.")
    workers: int | None = Field(None, ge=1, description="Number of threads; default: one a core.")
    budget: int | None = Field(None, ge=0, description="Largest number of itemset occurrences to count in verifying.")
    memory_limit: str | None = Field(None, description="Refuse work that needs more, such as 8G.")

    def read_options(self) -> dict[str, Any]:
        """Return the arguments of `anonset.io.read.read`."""
        found = super().read_options()
        return {**found, "numeric": list(dict.fromkeys([*self.numeric, *numeric_columns(self.hierarchy)]))}


@dataclass(frozen=True)
class Contestant:
    """One algorithm with its parameters, and how it did."""

    algorithm: str
    parameters: Mapping[str, Any]
    """The parameters that were given."""
    outcome: str
    """``holds``, ``fails`` or ``undecided`` as verified, or ``infeasible``."""
    measures: Mapping[str, float]
    """Losses, and ``are`` where a workload was asked for."""
    seconds: Mapping[str, float]
    """Seconds of each phase."""
    note: str = ""
    """Why it is infeasible, or what is wrong with its publication."""


@cache
def compare_settings_model() -> type[CompareSettings]:
    """Return the settings with a field for every parameter of a registered algorithm."""
    return with_parameters(CompareSettings, parameters())


def make_compare_settings(given: Mapping[str, Any]) -> CompareSettings:
    """Validate settings.

    Raises
    ------
    InputError
        With every error, separated by semicolons.
    """
    try:
        return compare_settings_model().model_validate({n: v for n, v in given.items() if v is not None})
    except ValidationError as error:
        raise all_errors(error) from None


def compare(settings: CompareSettings, *, progress: Progress | None = None) -> list[Contestant]:
    """Run every combination on one input, verify each, and publish none.

    A parameter goes to those algorithms that have it. The first run in a process loads the kernels, or compiles them
    if it is the first ever: compare times of the second and later runs.

    Raises
    ------
    InputError
        If the settings or the data are not what they must be. What is infeasible is reported, and no error.
    """
    from anonset.io.files import estimate_bytes
    from anonset.io.read import read

    spec = WorkloadSpec(settings.queries, settings.workload, settings.seed or 0, settings.width)
    requests = list(combinations(settings))
    for name, given in requests:
        make_algorithm(settings.model, name, given)
    source = Path(settings.input)
    require_memory(memory_for(estimate_bytes(source)), settings.memory_limit)
    table = read(source, **settings.read_options())
    return [_run(table, settings, name, given, spec, progress) for name, given in requests]


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
        algorithm_name(settings.model, name)
    fixed = settings.model_dump(include=set(parameters()), exclude_none=True)
    own = {name: _taken_by(name, fixed) for name in names}
    varied = {name.replace("-", "_"): text.split(",") for name, text in settings.vary.items()}
    known = set().union(*own.values())
    if stray := [option(name) for name in (*fixed, *varied) if name not in known and name != "seed"]:
        msg = f"{stray[0]} applies to none of {', '.join(names)}"
        raise InputError(msg)
    for name in names:
        mine = {n: v for n, v in fixed.items() if n in own[name] and n not in varied}
        axes = [[(n, _value(text)) for text in texts] for n, texts in varied.items() if n in own[name]]
        for chosen in product(*axes):
            yield name, {**mine, **dict(chosen)}


def _run(
    table: Table,
    settings: CompareSettings,
    name: str,
    given: dict[str, Any],
    spec: WorkloadSpec,
    progress: Progress | None,
) -> Contestant:
    """Run one contestant."""
    from anonset.verification import DEFAULT_BUDGET, verify

    algorithm = make_algorithm(settings.model, name, given)
    bound, hierarchies = bind(table, settings.hierarchy, algorithm.model)
    algorithm = _with_data(settings, name, given, bound, hierarchies)
    watch = Stopwatch()
    try:
        candidate = search(
            bound,
            algorithm,
            hierarchies=hierarchies,
            workers=settings.workers,
            progress=progress,
            layout=Layout(symbols="members"),
            watch=watch,
        )
    except InfeasibleError as error:
        return Contestant(name, given, "infeasible", {}, _seconds(watch), str(error))
    with watch.phase("verify"):
        budget = DEFAULT_BUDGET if settings.budget is None else settings.budget
        verdict = verify(candidate.publication, algorithm.model, budget=budget, progress=progress)
    measures = dict(candidate.measures)
    if (found := answers(bound, candidate.publication, spec, hierarchies)) is not None:
        measures["are"] = found.are
    return Contestant(name, given, verdict.outcome, measures, _seconds(watch), "; ".join(candidate.warnings))


def _with_data(
    settings: CompareSettings, name: str, given: dict[str, Any], table: Table, hierarchies: dict[str, Hierarchy]
) -> Algorithm:
    column = table.transactions
    context = Context(column, None if column is None else hierarchies.get(column.name), given)
    return make_algorithm(settings.model, name, given, context)


def _seconds(watch: Stopwatch) -> dict[str, float]:
    return {phase.name: phase.seconds for phase in watch.phases}


def _taken_by(name: str, given: Mapping[str, Any]) -> set[str]:
    """Return the settings that an algorithm takes."""
    forms = [form_of(field.name) for field in fields(_class(name))]
    more = [form.companions(given[form.setting]) for form in forms if form.setting in given]
    return {form.setting for form in forms}.union(*more)


def _class(name: str) -> type[Any]:
    if name not in ALGORITHMS:
        msg = f"--algorithms must be among {', '.join(sorted(ALGORITHMS))}, got {name!r}"
        raise InputError(msg)
    return ALGORITHMS[name]


def _value(text: str) -> Any:
    """Read a value of a varied parameter: a number where it is one, else text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def rows(found: list[Contestant]) -> list[dict[str, Any]]:
    """Return contestants as rows with the same columns: given parameters, outcome, losses, seconds.

    Raises
    ------
    AnonsetError
        If there are none.
    """
    if not found:
        msg = "there is nothing to compare"
        raise AnonsetError(msg)

    def names(of: str) -> list[str]:
        return list(dict.fromkeys(name for one in found for name in getattr(one, of)))

    return [
        {
            "algorithm": one.algorithm,
            **{name: one.parameters.get(name) for name in names("parameters")},
            "outcome": one.outcome,
            **{name: one.measures.get(name) for name in names("measures")},
            "seconds": sum(one.seconds.get(name, 0.0) for name in ("search", "apply")),
            "seconds_verify": one.seconds.get("verify"),
            "note": one.note,
        }
        for one in found
    ]
