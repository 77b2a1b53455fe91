"""``anonset suggest``: try what can give a guarantee, and say what keeps the most."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.app import given_flags, pairs, whole_number
from anonset.cli.items import Flags, RoleFlags
from anonset.cli.main import DONE, FAILED
from anonset.cli.output import progress_bars, show, show_json
from anonset.data import Table
from anonset.errors import InputError
from anonset.jobs.suggest import SECONDS, Candidate
from anonset.privacy import KAnonymity, KKmAnonymity, KmAnonymity, PrivacyModel
from anonset.settings.job_files import is_job, of_job, read_job
from anonset.settings.parameters import parameters
from anonset.settings.settings import RoleSettings, make_roles
from anonset.spelling import as_typed

_ASKED = ("model", "k", "m")


def suggest(
    source: Annotated[str, Parameter(name="INPUT", help="Data set (CSV, TSV, Parquet, FIMI), or a job file (.toml).")],
    /,
    *,
    model: Annotated[str | None, Parameter(help="km, k or kkm; default: by the roles of the columns.")] = None,
    k: Annotated[int | None, Parameter(converter=whole_number, help="Records that look alike; default: 5.")] = None,
    m: Annotated[int | None, Parameter(converter=whole_number, help="Items that may be known; default: 2.")] = None,
    hierarchy: Annotated[list[str] | None, Parameter(help="COL=SPEC, as for anonymize; repeatable.")] = None,
    flags: RoleFlags = Flags(),  # noqa: B008
    seconds: Annotated[float, Parameter(help="For all candidates together, about.")] = SECONDS,
    seed: Annotated[int, Parameter(converter=whole_number, help="Seed of samples and queries.")] = 0,
    workers: Annotated[int | None, Parameter(converter=whole_number, help="Threads; default: one a core.")] = None,
    quiet: Annotated[bool, Parameter(help="No progress.")] = False,
    json: Annotated[bool, Parameter(help="The candidates as JSON.")] = False,
) -> int:
    """Try the algorithms that can give a guarantee on a data set, on one scale, and say which keeps the most.

    Large data are sampled first. Nothing is published; the command that would is printed. Exit code 1 if nothing that
    was tried leaves anything of use.
    """
    from anonset.io.read import read
    from anonset.jobs.suggest import suggest as try_all
    from anonset.report.suggestions import suggestion_account, suggestion_summary
    from anonset.settings.binding import numeric_columns

    asked: dict[str, Any] = {"model": model, "k": k, "m": m}
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
    if (best := tried.recommended) is None:
        command = ""
    elif place != source and {**own, **best.settings}.keys() <= {*best.settings, *_ASKED}:
        command = _command(source, best, guarantee, {}, {})
    else:
        command = _command(place, best, guarantee, given, hierarchies or _hierarchies_of(table))
    if json:
        show_json(suggestion_summary(tried, command))
    else:
        show(*suggestion_account(tried, command))
    return DONE if tried.recommended is not None else FAILED


def _guarantee(table: Table, asked: Mapping[str, Any]) -> PrivacyModel:
    """Return the guarantee that is asked for; where no model is named, that of the roles."""
    by_roles = "k" if table.transactions is None else "kkm" if table.relational else "km"
    name, k, m = asked["model"] or by_roles, asked["k"] or 5, asked["m"] or 2
    if any(asked[size] == 0 for size in ("k", "m")):
        msg = f"--{'k' if asked['k'] == 0 else 'm'} must be an integer of at least 1, got 0"
        raise InputError(msg)
    if name not in ("k", "km", "kkm"):
        msg = f"--model {name}: suggest knows km, k and kkm; for others, anonset compare holds algorithms side by side"
        raise InputError(msg)
    if name == "k":
        return KAnonymity(k)
    return KmAnonymity(k, m) if name == "km" else KKmAnonymity(k, m)


def _hierarchies_of(table: Table) -> dict[str, str]:
    """Return the hierarchies that are taken where none are given."""
    sets = table.joined or (() if table.transactions is None else (table.transactions.name,))
    return dict.fromkeys(sets, "balanced:5")


def _command(
    source: str,
    best: Candidate,
    guarantee: PrivacyModel,
    given: Mapping[str, Any],
    hierarchies: Mapping[str, str],
) -> str:
    """Return the command that runs a candidate on a data set of given roles, or on a job that says them itself."""
    sizes = {name: getattr(guarantee, name) for name in ("k", "m") if hasattr(guarantee, name)}
    model = {"model": "constraints"} if best.algorithm == "coat" and is_job(source) else {}
    asked = as_typed("anonymize", source, given, hierarchies)
    asked += as_typed("", "", {**model, **best.settings, **sizes}).removeprefix("anonset '' ''")
    return f"{asked} -o {shlex.quote(f'{Path(source).name.partition(chr(46))[0]}-{best.algorithm}')}"
