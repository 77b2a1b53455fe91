"""``anonset suggest``: try what can give a guarantee, and say what leaves the most to count."""

import shlex
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.algorithms.base import traits_of
from anonset.algorithms.registry import ALGORITHMS
from anonset.cli.app import given_flags, name_of, pairs, split, whole_number
from anonset.cli.exit_codes import DONE, FAILED
from anonset.cli.items import Flags, RoleFlags
from anonset.cli.output import progress_bars, show, show_json
from anonset.data import Table
from anonset.data.hierarchy_rules import PROPOSED
from anonset.errors import InputError
from anonset.jobs.candidates import KNOWN, serves
from anonset.jobs.ranking import Candidate
from anonset.jobs.suggest import SECONDS
from anonset.privacy import PrivacyModel
from anonset.release.documents import parameters_of
from anonset.settings.job_files import is_job, of_job, read_job
from anonset.settings.parameters import MODELS, default_algorithm, form_of, make_algorithm, parameters
from anonset.settings.settings import RoleSettings, make_roles
from anonset.spelling import as_typed

ModelName: Any = name_of(KNOWN) | None

_ASKED = ("model", "k", "m", "l", "h", "p", "sensitive_items")
_BY_DEFAULT = {"k": 5, "m": 2, "l": 2, "p": 2}


def suggest(
    source: Annotated[str, Parameter(name="INPUT", help="Data set (CSV, TSV, Parquet, FIMI), or a job file (.toml).")],
    /,
    *,
    model: Annotated[
        ModelName,
        Parameter(show_choices=False, metavar="NAME", help="What must hold; default: by the columns."),
    ] = None,
    k: Annotated[
        int | None,
        Parameter(converter=whole_number, help="Minimum number of records that must look alike; default: 5."),
    ] = None,
    m: Annotated[
        int | None,
        Parameter(converter=whole_number, help="Maximum number of items that somebody may know; default: 2."),
    ] = None,
    l: Annotated[  # noqa: E741
        int | None,
        Parameter(
            converter=whole_number,
            help="No sensitive item or value is in more than 1 of l matching records; default: 2.",
        ),
    ] = None,
    h: Annotated[
        str | None,
        Parameter(help="Of coherence: maximum share of the matching records with the same sensitive item; default: 1."),
    ] = None,
    p: Annotated[
        int | None, Parameter(converter=whole_number, help="Of coherence: maximum number of known items; default: 2.")
    ] = None,
    sensitive_items: Annotated[
        list[str] | None, Parameter(help="Items that nobody may learn, a,b,... or @FILE: for klm, lm and coherence.")
    ] = None,
    hierarchy: Annotated[list[str] | None, Parameter(help="COL=SPEC, as for anonymize; repeatable.")] = None,
    flags: RoleFlags = Flags(),  # noqa: B008
    seconds: Annotated[float, Parameter(help="Time for all candidates together, about, without compiling.")] = SECONDS,
    seed: Annotated[int, Parameter(converter=whole_number, help="Random seed of the sample.")] = 0,
    workers: Annotated[
        int | None, Parameter(converter=whole_number, help="Number of threads; default: one per core.")
    ] = None,
    quiet: Annotated[bool, Parameter(help="Print no progress.")] = False,
    json: Annotated[bool, Parameter(help="Print the candidates as JSON.")] = False,
) -> int:
    """Try the algorithms that can give a guarantee on a data set, and say which leaves the most to count.

    Large data are sampled first. Nothing is published; the command that would is printed. Exit code 1 if nothing that
    was tried leaves anything of use.
    """
    from anonset.io.read import read
    from anonset.jobs.suggest import suggest as try_all
    from anonset.report.suggestions import suggestion_account, suggestion_summary
    from anonset.settings.binding import numeric_columns

    items = None if sensitive_items is None else split(sensitive_items)
    asked: dict[str, Any] = dict(zip(_ASKED, (model, k, m, l, h, p, items), strict=True))
    given, hierarchies = given_flags(flags), pairs("--hierarchy", hierarchy or [])
    place, own = source, dict[str, Any]()
    if is_job(source):
        names = ("hierarchy", "out", *_ASKED, *RoleSettings.model_fields)
        place, found = of_job(source, "input", names)
        hierarchies = {**found.pop("hierarchy", {}), **hierarchies}
        asked = {name: asked[name] if asked[name] is not None else found.pop(name, None) for name in _ASKED}
        given = {**{name: found[name] for name in RoleSettings.model_fields if name in found}, **given}
        own = {name: value for name, value in read_job(source).items() if name in parameters()}
    roles = make_roles(given).read_options()
    table = read(place, **{**roles, "numeric": list(dict.fromkeys([*roles["numeric"], *numeric_columns(hierarchies)]))})
    guarantee = _guarantee(table, asked)
    with progress_bars(quiet=quiet) as progress:
        tried = try_all(
            table, guarantee, hierarchies=hierarchies, workers=workers, progress=progress, seed=seed, seconds=seconds
        )
    trees = hierarchies or _hierarchies_of(table)

    def command_of(best: Candidate | None, beside: str = "") -> str:
        if best is None:
            return ""
        settings = {name: value for name, value in best.settings.items() if name != "hierarchy"}
        made = _hierarchies_of(table, best.settings["hierarchy"]) if "hierarchy" in best.settings else {}
        if place != source and {**own, **settings}.keys() <= {*settings, *_ASKED}:
            return f"{_command(source, best.algorithm, settings, guarantee, {}, made)}{beside}"
        return f"{_command(place, best.algorithm, settings, guarantee, given, {**trees, **made})}{beside}"

    same = tried.with_own_hierarchy is tried.recommended
    commands = command_of(tried.recommended), command_of(tried.with_own_hierarchy, "" if same else "-own")
    if json:
        show_json(suggestion_summary(tried, *commands))
    else:
        show(*suggestion_account(tried, *commands))
    return DONE if tried.recommended is not None else FAILED


def _guarantee(table: Table, asked: Mapping[str, Any]) -> PrivacyModel:
    """Return the guarantee that is asked for; where no model is named, that of the roles."""
    by_roles = "k" if table.transactions is None else "kkm" if table.relational else "km"
    if asked["sensitive_items"]:
        by_roles = "klm"
    if table.sensitive is not None:
        several = any(len(column.vocabulary) < table.n for column in table.ids)
        by_roles = "safe-grouping" if several else "anatomy"
    name = asked["model"] or by_roles
    if name not in MODELS or name not in KNOWN:
        others = "for others, anonset compare holds algorithms side by side"
        msg = f"--model {name}: suggest knows {', '.join(KNOWN)}; {others}"
        raise InputError(msg)
    algorithm = default_algorithm(name, relational=bool(table.relational))
    cls: Any = MODELS[name].model
    own = {form_of(field.name).setting for field in fields(cls)}
    given = {
        n: value
        for n, value in {**_BY_DEFAULT, **{n: v for n, v in asked.items() if v is not None}}.items()
        if n in own
    }
    if stray := [n for n in _ASKED[1:] if asked[n] is not None and n not in own]:
        msg = f"--{stray[0].replace('_', '-')} is no parameter of the model {name}"
        raise InputError(msg)
    needed = {"delta": 1.0} if "delta" in parameters(algorithm) else {}
    return make_algorithm(name, algorithm, {**given, **needed}).model


def _hierarchies_of(table: Table, spec: str = PROPOSED) -> dict[str, str]:
    """Return a hierarchy for the items; by default the one that is taken where none is given."""
    sets = table.joined or (() if table.transactions is None else (table.transactions.name,))
    return dict.fromkeys(sets, spec)


def _command(
    source: str,
    algorithm: str,
    settings: Mapping[str, Any],
    guarantee: PrivacyModel,
    given: Mapping[str, Any],
    hierarchies: Mapping[str, str],
) -> str:
    """Return the command that runs a candidate on a data set of given roles, or on a job that says them itself."""
    sizes = {name: value for name, value in parameters_of(guarantee).items() if value not in ([], ())}
    model = {}
    if not serves(algorithm, guarantee):
        sizes = {name: value for name, value in sizes.items() if name in ("k", "m", "l")}
        model = {"model": traits_of(ALGORITHMS[algorithm]).answers[0]} if is_job(source) else {}
    asked = as_typed("anonymize", source, given, hierarchies)
    asked += as_typed("", "", {**model, **settings, **sizes}).removeprefix("anonset '' ''")
    return f"{asked} -o {shlex.quote(f'{Path(source).name.partition(chr(46))[0]}-{algorithm}')}"
