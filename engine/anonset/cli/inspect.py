"""``anonset inspect``: what is in data, and at risk, before anything is published."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.flags import flags_of, given_flags
from anonset.cli.output import progress_bars, show, show_json
from anonset.data.hierarchy_rules import PROPOSED
from anonset.errors import InputError, foreign
from anonset.jobs.findings import Findings
from anonset.jobs.inspect import inspect as look
from anonset.local_paths import require_local
from anonset.reading.files import write_file
from anonset.report.findings import OTHERS, findings_account, findings_summary
from anonset.settings.commands import InspectSettings
from anonset.settings.job_files import over_job
from anonset.settings.job_text import answer_text, guarantee_for, job_text, relative_to
from anonset.settings.paths import with_path
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
    quiet: Annotated[bool, Parameter(help="Print no progress.")] = False,
    json: Annotated[bool, Parameter(help="Print the findings as JSON.")] = False,
    **flags: Flags,
) -> int:
    """Look at a data set before it is anonymized: columns, proposed roles, who is unique, and what is wrong.

    Columns that no flag gives a role get one that is proposed, with the reason. No value of the data is shown. Exit
    code 0 also where problems are listed; 2 if the data cannot be read.
    """
    place, given = over_job(source, "input", given_flags(flags), InspectSettings, unanswered=True)
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
        show(f"Next: {again} -o job.toml, to have this as a job file{_to_answer(findings)}")
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


def _to_answer(findings: Findings) -> str:
    return "" if findings.question is None else "; its question who is a person is for you to answer"


def _require_new(path: Path) -> None:
    require_local(path)
    if path.suffix.lower() != ".toml":
        msg = f"-o {path}: a job file must end with .toml"
        raise InputError(msg)
    if path.exists():
        msg = f"{path} exists already; job files are not overwritten"
        raise InputError(msg)


def _write_job(path: Path, source: str, findings: Findings, *, json: bool) -> None:
    if not findings.records:
        msg = f"{path} is not written: the data could not be read: {foreign(findings.problems[-1])}"
        raise InputError(msg)
    name, question = Path(source).name.partition(".")[0], findings.question
    input_, out = relative_to(path.parent, source), f"{name}-safe"
    common, answers, guarantee, reasons = findings.settings, {}, {}, _OF_SETTINGS
    if question is None or len(question.answers) == 1:
        classes = findings.quasi_identifiers
        tuples = 0 if classes is None else classes.classes
        guarantee = guarantee_for(findings.settings, findings.k, findings.m, tuples=tuples)
        common = {name: value for name, value in common.items() if question is None or name != "rows_are_persons"}
        reasons = {**_reasons(findings), **_OF_SETTINGS}
    else:
        common = {
            n: v for n, v in common.items() if all(n in x.settings and x.settings[n] == v for x in question.answers)
        }
        common = {n: v for n, v in common.items() if n not in _OF_ANSWERS}
        for one in question.answers:
            own = {n: v for n, v in one.settings.items() if n not in common and n != "rows_are_persons"}
            own = own | {"hierarchy": _placed(own.get("hierarchy", {}), path.parent)}
            must = guarantee_for(one.settings, findings.k, findings.m, tuples=one.combinations)
            answers[one.key] = answer_text(one.key, own, must, {**one.reasons, "group": _OF_SETTINGS["group"]})
    if "hierarchy" in common:
        common = {**common, "hierarchy": _placed(common["hierarchy"], path.parent)}
    lines = [] if question is None else question.lines()
    others = [] if question is None or len(lines) > 1 else [OTHERS]
    text = job_text(
        input_, out, common, guarantee, reasons, findings.problems, question=lines + others, answers=answers
    )
    write_file(path, [text.encode()])
    if not json:
        first = "look through" if question is None else "answer who is a person in"
        ways = "" if question is None else f" ({' or '.join(line.partition(' # ')[0] for line in lines)})"
        then = f"{as_typed('suggest', str(path))}, or {as_typed('anonymize', str(path))}"
        show(f"Next: {first} {path}{ways}, then {then}")


_OF_ANSWERS = (
    "items", "one_hot", "one_code", "relational", "sensitive", "id", "keep", "drop", "numeric", "group", "separator",
    "skip_rows",
    "hierarchy", "rows_are_persons",
)  # fmt: skip
"""Settings that an answer brings, also where they are the same for all."""


def _placed(specs: dict[str, Any], folder: Path) -> dict[str, Any]:
    return {name: with_path(spec, lambda path: relative_to(folder, path)) for name, spec in specs.items()}


def _reasons(findings: Findings) -> dict[str, list[str]]:
    """Return the comments of the settings: each column with the reason of its role."""
    reasons: dict[str, list[str]] = {}
    for column in findings.columns:
        reasons.setdefault(column.role, []).append(f"{column.profile.name}: {column.reason}")
    return reasons


_OF_SETTINGS: dict[str, list[str]] = {
    "numeric": ["those of the quasi-identifiers that are numbers"],
    "null": ["texts that probably say that there is no value; leave out those that are one"],
    "decimal": ["the decimal sign of the numbers"],
    "missing": ["what null becomes"],
    "normalize": ["what is done to codes, one after the other, so that the hierarchy knows them"],
    "inner_items": ["codes that are inner nodes of the hierarchy become leaves below them"],
    "unknown": ["what becomes of codes that the hierarchy does not know; better: complete it"],
    "group": ["rows of the same person become one record"],
    "hierarchy": [
        "How each column is generalized. halves:frequency joins items by how often they occur, and is declared as made",
        "from the data: a file with a line per item, item,parent,...,root, keeps what belongs together. Others:",
        "balanced:5 prefix:1,3 mask:3,1 bins:0,18,65 range",
    ],
}
"""Comments above settings."""
