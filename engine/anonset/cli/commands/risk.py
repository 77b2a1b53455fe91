"""``anonset risk``: re-identification risk of a publication."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from anonset.attacks.registry import require_attacks
from anonset.cli.exit_codes import DONE, FAILED
from anonset.cli.flags import flags_of, given_flags
from anonset.cli.options import Option
from anonset.cli.output import Output
from anonset.data import NumericColumn, Table
from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.generalization.other_release import OtherRelease
from anonset.jobs.original import original_and_persons
from anonset.jobs.reading import opened_to_compare
from anonset.jobs.report_facts import facts_about
from anonset.jobs.risk import risk as count
from anonset.jobs.runs.matched_releases import read_other_release
from anonset.reading.batches import open_source
from anonset.reading.read import read
from anonset.reading.sources.source import source_of
from anonset.release.opened import OpenedPublication
from anonset.report.doubts import doubts, to_check
from anonset.report.risks import account_and_summary
from anonset.settings.job_files import settings_at
from anonset.settings.publication import RiskSettings
from anonset.spelling import as_typed

Flags: Any = flags_of(RiskSettings)


def risk(
    out: Annotated[str, Option("Directory made by anonset anonymize, or the job file (.toml).", "OUT")],
    /,
    *,
    progress: Progress | None,
    **flags: Flags,
) -> Output:
    """Estimate re-identification risk and simulate attacks.

    Counts the published rows that match the knowledge of an attacker. Attackers may know all quasi-identifiers, some
    items, or both. The number of items is 1, 2 and so on, up to two more than the guarantee covers. For buckets, the
    command computes the probability of inferring sensitive values. With --original, it simulates attacks that try to
    find persons. Exit code 1 means that an attack succeeds more often than the guarantee allows.
    """
    argument = out
    out, settings = settings_at(out, "out", given_flags(flags), RiskSettings)
    _require_no_data(out)
    require_attacks(settings.attack)
    source = settings.original_source()
    compared = opened_to_compare(out, source, settings, "risks")
    with compared as (opened, place):
        if progress is not None:
            progress("count", 0, 0)
        table, persons, counted_by = original_and_persons(opened, source, settings, place)
        population = None if settings.population is None else _population(opened, settings.population, table)
        report = count(
            opened, table, hierarchies=settings.hierarchy, m=settings.m, threshold=settings.threshold,
            sensitive=settings.sensitive, population=population, attempts=settings.attempts, seed=settings.seed,
            persons=persons, attacks=settings.attack, beside=_other_release(opened, settings.beside),
        )  # fmt: skip
        facts = facts_about(opened, report, opened.report, table, settings.hierarchy)
        found = doubts(facts := replace(facts, counted_by=counted_by))
    account, summary = account_and_summary(report, facts)
    summary["doubts"] = found
    further = [f"To simulate an attack: {as_typed('risk', out)} --original FILE"] if table is None else []
    return Output(
        lambda: summary, lambda: [*account, "", *to_check(found)],
        lambda: [*further, f"Next: {as_typed('report', argument)}"],
        FAILED if summary.get("broken") else DONE,
    )  # fmt: skip


def _require_no_data(out: str) -> None:
    """Reject a data file, with the command that estimates its risk."""
    if Path(out).is_file():
        msg = f"{out!r} is a file, but risk requires a directory made by anonset anonymize"
        error = InputError(msg)
        error.commands = [f"risk of data before anonymization: {as_typed('inspect', out)}"]
        raise error


def _other_release(opened: OpenedPublication, other: str | None) -> OtherRelease | None:
    if other is None:
        return None
    msg = f"--beside requires the private directory of {str(opened.out)!r}; name it with --private"
    return read_other_release(other, opened.require_report(msg))


def _population(opened: OpenedPublication, population: str, original: Table | None) -> Table:
    """Read the quasi-identifiers of a population. A column is numeric if it is numeric in the original."""
    names = opened.attested.data.quasi_identifiers
    source = source_of(population)
    columns = open_source(source).names
    of_original = () if original is None else original.relational
    numeric = [column.name for column in of_original if isinstance(column, NumericColumn)]
    if lacking := [name for name in names if name not in columns]:
        raise InputError(
            f"--population {population}: quasi-identifier {lacking[0]!r} is missing; the file must contain all of them"
        )
    others = [name for name in columns if name not in names]
    return read(source, relational=names, numeric=numeric, drop=others)
