"""``anonset suggest``: compare suitable algorithms on a data set and recommend one."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.cli.exit_codes import DONE, FAILED
from anonset.cli.fixed_commands import printing_fixed_commands
from anonset.cli.flags import INPUT, flags_of, given_flags
from anonset.cli.options import Option
from anonset.cli.output import Output
from anonset.data import Table
from anonset.data.hierarchies.hierarchy_rules import PROPOSED
from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.jobs.reading import read_data, source_to_read
from anonset.jobs.trials.candidate import Candidate
from anonset.jobs.trials.suggest import suggest as try_all
from anonset.local_paths import require_local
from anonset.privacy import PrivacyModel
from anonset.privacy.model import require_size
from anonset.release.memory import memory_for, require_memory
from anonset.release.statements import parameters_of
from anonset.report.plots import draw_frontier, require_plots
from anonset.report.suggestions import suggestion_account, suggestion_summary
from anonset.settings.commands import SUGGESTED, SUGGESTED_VALUES, SuggestSettings, suggest_settings_model
from anonset.settings.job import Job
from anonset.settings.job_files import over_job, read_job
from anonset.settings.model_choices import model_by_roles
from anonset.settings.parameters import MODELS, SIZES, algorithm_name, make_algorithm, parameters, settings_of
from anonset.settings.settings import RoleSettings, is_job, validate, with_sensitive_kept
from anonset.spelling import arguments_of, as_typed

Flags: Any = flags_of(suggest_settings_model(), leave_out=["input"])

_OF_MODELS = [name for name in suggest_settings_model().model_fields if name not in SuggestSettings.model_fields]
_ASKED = ("model", *_OF_MODELS)
_ROLES = {*RoleSettings.model_fields, "publish_as_is", "round_ends"}


def suggest(
    source: Annotated[str, INPUT],
    /,
    *,
    plot: Annotated[
        str | None,
        Option("New directory for a plot of the item loss and the relational loss of each candidate (PNG)."),
    ] = None,
    progress: Progress | None,
    **flags: Flags,
) -> Output:
    """Compare suitable algorithms and recommend one.

    Runs the algorithms that give a guarantee on the data, or on a sample if the data are large. Recommends the result
    with the best balance of accurate counts, unchanged items and detail of the attributes. Nothing is published. The
    command that publishes is printed. Exit code 1 means that no result is useful.
    """
    require_local(plot)
    if plot is not None:
        require_plots(Path(plot))
    given = given_flags(flags)
    place, options = over_job(source, "input", given, suggest_settings_model())
    settings = validate(suggest_settings_model(), {**options, "input": place})
    for name in (*SIZES, "p"):
        if (size := getattr(settings, name)) is not None:
            require_size(name, size)
    data = source_to_read(settings, place)
    need = memory_for(data.size)
    require_memory(need, settings.memory_limit, "a sample is drawn once all records are read")
    table = read_data(data, settings.read_options())
    if plot is not None and (table.transactions is None or not table.relational):
        raise InputError(f"--plot {plot} requires data with items and relational columns, because it draws both losses")
    asked = Job(settings.model_dump(include=set(_ASKED), exclude_none=True))
    guarantee = _guarantee(table, asked, settings.sensitive)
    if guarantee.sensitive_column is not None:  # models for persons need distinct ids
        table = read_data(data, with_sensitive_kept(settings, guarantee).read_options())
    with printing_fixed_commands("suggest", source, given):
        suggestion = try_all(
            table, guarantee, hierarchies=settings.hierarchy, workers=settings.workers, progress=progress,
            seed=settings.seed, seconds=settings.seconds, round_ends=settings.round_ends,
            publish_as_is=settings.publish_as_is,
        )  # fmt: skip
    trees = settings.hierarchy or dict.fromkeys(table.item_columns, PROPOSED)
    in_job = Job() if place == source else read_job(source, given)

    def command_of(best: Candidate | None, suffix: str = "") -> str:
        if best is None:
            return ""
        tuned = best.asked.without("hierarchy")
        made = dict.fromkeys(table.item_columns, best.settings["hierarchy"]) if "hierarchy" in best.settings else {}
        on_job = is_job(source) and parameters().keys() & in_job <= {*tuned, *_ASKED}
        on, typed = (source, given) if on_job else (place, options.with_(hierarchy=trees))
        roles = typed.only(_ROLES)
        specs = {} if best.beside else {**typed.get("hierarchy", {}), **made}
        return f"{_command(on, best, tuned, guarantee, roles, specs, in_job if on_job else Job())}{suffix}"

    same = suggestion.with_own_hierarchy is suggestion.recommended
    commands = (
        command_of(suggestion.recommended),
        command_of(suggestion.with_own_hierarchy, "" if same else "-own"),
        command_of(suggestion.beside),
    )
    if plot is not None:
        draw_frontier(suggestion, Path(plot) / "frontier.png")
    return Output(
        lambda: suggestion_summary(suggestion, *commands), lambda: suggestion_account(suggestion, *commands),
        code=DONE if suggestion.recommended is not None else FAILED,
    )  # fmt: skip


def _guarantee(table: Table, asked: Job, sensitive: str | None) -> PrivacyModel:
    """Return the requested privacy model. Without --model, the column roles determine the model."""
    repeated = [column.name for column in table.ids if len(column.vocabulary) < table.n]
    sets = ["items"] if table.transactions is not None else []
    roles = {"items": sets, "relational": [column.name for column in table.relational], "id": repeated}
    name = asked.text("model") or model_by_roles(Job({**asked, **roles, "sensitive": sensitive}))
    if name not in MODELS or name not in SUGGESTED:
        others = "use anonset compare for other models"
        raise InputError(f"--model {name}: suggest supports {', '.join(SUGGESTED)}; {others}")
    algorithm = algorithm_name(name, None, relational=bool(table.relational))
    accepted = settings_of(MODELS[name].model)
    values = Job({**SUGGESTED_VALUES, **asked}).with_(sensitive=sensitive).only(accepted)
    if stray := [n for n in _OF_MODELS if n in asked and n not in accepted]:
        raise InputError(f"--{stray[0].replace('_', '-')} does not apply to model {name}; remove it")
    needed = {"delta": 1.0} if "delta" in parameters(algorithm) else {}
    return make_algorithm(name, algorithm, {**values, **needed}).model


def _command(
    source: str,
    candidate: Candidate,
    settings: Job,
    guarantee: PrivacyModel,
    roles: Job,
    hierarchies: Mapping[str, str],
    in_job: Job,
) -> str:
    """Return the command that runs a candidate. `source` is a data set or a job file, and `in_job` are the settings of
    the job file, which the command omits.
    """
    stated = Job(parameters_of(guarantee)).without("sensitive")  # a role, which the command already contains
    sizes = {name: value for name, value in stated.items() if value is not True and value not in ([], ())}
    model = {}
    algorithm = candidate.algorithm
    if candidate.beside:
        sizes = {**Job(sizes).only(("k", "m", "l"))}
        model = {"model": traits_of(ALGORITHMS[algorithm]).answers[0]} if is_job(source) else {}
    needed = {name: value for name, value in {**model, **settings, **sizes}.items() if in_job.get(name) != value}
    flags = shlex.join(arguments_of(needed))
    command = f"{as_typed('anonymize', source, roles, hierarchies)} {flags}".rstrip()
    return f"{command} -o {shlex.quote(f'{Path(source).name.partition(chr(46))[0]}-{algorithm}')}"
