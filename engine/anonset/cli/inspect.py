"""``anonset inspect``: what is in data, and at risk, before anything is published."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.app import flags_of, given_flags
from anonset.cli.exit_codes import DONE
from anonset.cli.output import progress_bars, show, show_json
from anonset.data.hierarchy_rules import PROPOSED
from anonset.errors import InputError, foreign
from anonset.jobs.findings import Findings
from anonset.settings.commands import InspectSettings
from anonset.settings.job_files import over_job
from anonset.settings.settings import RoleSettings, validate
from anonset.spelling import as_typed

Flags: Any = flags_of(InspectSettings, leave_out=["input"])

_RECOGNISED = ("encoding", "header_line", "input_format")
"""Ways of reading that `inspect` takes by itself where it recognises them."""


def inspect(
    source: Annotated[str, Parameter(name="INPUT", help="Data set (CSV, TSV, Parquet, FIMI), or a job file (.toml).")],
    /,
    *,
    out: Annotated[str | None, Parameter(alias="-o", help="New job file (.toml), ready to run.")] = None,
    flags: Annotated[Flags, Parameter(name="*")] = Flags(),  # noqa: B008
    quiet: Annotated[bool, Parameter(help="Print no progress.")] = False,
    json: Annotated[bool, Parameter(help="Print the findings as JSON.")] = False,
) -> int:
    """Look at a data set before it is anonymized: columns, proposed roles, who is unique, and what is wrong.

    Columns that no flag gives a role get one that is proposed, with the reason. No value of the data is shown. Exit
    code 0 also where problems are listed; 2 if the data cannot be read.
    """
    from anonset.jobs.inspect import inspect as look
    from anonset.report.findings import findings_account, findings_summary

    place, given = over_job(source, "input", given_flags(flags), InspectSettings)
    settings = validate(InspectSettings, {**given, "input": place})
    roles = {name: value for name, value in given.items() if name in RoleSettings.model_fields}
    if out is not None:
        _require_new(Path(out))
    with progress_bars(quiet=quiet) as progress:
        if progress is not None:
            progress("inspect", 0, 0)
        findings = look(place, k=settings.k, m=settings.m, hierarchies=settings.hierarchy, seed=settings.seed, **roles)
    if json:
        show_json(findings_summary(findings))
    else:
        show(*findings_account(findings))
        show(*_of_codes(findings))
    if out is not None:
        _write_job(Path(out), place, findings, json=json)
    elif not json:
        recognised = {name: findings.settings[name] for name in _RECOGNISED if name in {*findings.settings} - {*given}}
        asked = given_flags(flags)
        again = as_typed("inspect", source, {**asked, **recognised, "hierarchy": []}, asked.get("hierarchy"))
        show(f"Next: {again} -o job.toml, to have this as a job file")
    return DONE


def _of_codes(findings: Findings) -> list[str]:
    """Say which other hierarchy of the codes is tried, where they have one by their meaning."""
    trees = findings.settings.get("hierarchy", {})
    sets = [
        name for name in ("items", *findings.settings.get("items", ())) if str(trees.get(name)).startswith("prefix:")
    ]
    if not sets:
        return []
    return [
        f"{trees[sets[0]]} keeps codes together that belong together; {PROPOSED} leaves more to count as a rule, and "
        "joins codes that are about as frequent: anonset suggest shows the best of each"
    ]


def _require_new(path: Path) -> None:
    if path.suffix.lower() != ".toml":
        msg = f"-o {path}: a job file must end with .toml"
        raise InputError(msg)
    if path.exists():
        msg = f"{path} exists already; job files are not overwritten"
        raise InputError(msg)


def _write_job(path: Path, source: str, findings: Findings, *, json: bool) -> None:
    from anonset.io.files import write_file
    from anonset.settings.job_text import guarantee_for, job_text, relative_to

    if not findings.records:
        msg = f"{path} is not written: the data could not be read: {foreign(findings.problems[-1])}"
        raise InputError(msg)
    classes = findings.quasi_identifiers
    guarantee = guarantee_for(
        findings.settings, findings.k, findings.m, tuples=0 if classes is None else classes.classes
    )
    name = Path(source).name.partition(".")[0]
    settings = {**findings.settings, "hierarchy": _placed(findings.settings.get("hierarchy", {}), path.parent)}
    input_, out = relative_to(path.parent, source), f"{name}-safe"
    write_file(path, [job_text(input_, out, settings, guarantee, _reasons(findings), findings.problems).encode()])
    if not json:
        show(f"Next: look through {path}, then {as_typed('suggest', str(path))}, or {as_typed('anonymize', str(path))}")


def _placed(specs: dict[str, Any], folder: Path) -> dict[str, Any]:
    from anonset.settings.job_text import relative_to
    from anonset.settings.paths import with_path

    return {name: with_path(spec, lambda path: relative_to(folder, path)) for name, spec in specs.items()}


def _reasons(findings: Findings) -> dict[str, list[str]]:
    """Return the comments of the settings: each column with the reason of its role."""
    reasons: dict[str, list[str]] = {}
    for column in findings.columns:
        reasons.setdefault(column.role, []).append(f"{column.profile.name}: {column.reason}")
    reasons["numeric"] = ["those of the quasi-identifiers that are numbers"]
    reasons["null"] = ["texts that probably say that there is no value; leave out those that are one"]
    reasons["decimal"] = ["the decimal sign of the numbers"]
    reasons["missing"] = ["what null becomes"]
    reasons["normalize"] = ["what is done to codes, one after the other, so that the hierarchy knows them"]
    reasons["inner_items"] = ["codes that are inner nodes of the hierarchy become leaves below them"]
    reasons["unknown"] = ["what becomes of codes that the hierarchy does not know; better: complete it"]
    reasons["group"] = ["rows of the same person become one record"]
    reasons["hierarchy"] = [
        "How each column is generalized. halves:frequency joins items by how often they occur, and is declared as made",
        "from the data: a file with a line per item, item,parent,...,root, keeps what belongs together. Others:",
        "balanced:5 prefix:1,3 mask:3,1 bins:0,18,65 range",
    ]
    return reasons
