"""Statements that the owner typed for a report, compared with the private report of the run."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from anonset.errors import InputError
from anonset.errors import typed as as_typed
from anonset.jobs.report_facts import ReportFacts, other_releases
from anonset.measures.shares import percent
from anonset.release.documents import Report
from anonset.report.conclusion import skipped_rows, source_rows
from anonset.report.doubts import earlier_releases
from anonset.report.techniques import left_out
from anonset.settings.publication import ReportSettings
from anonset.settings.settings import is_job
from anonset.spelling import counted, listed, setting

_NUMBER = re.compile(r"(\d+(?:[.,]\d+)*)\s*(%?)")
_DATES = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d\d?)-(?P<d>\d\d?)\b"),
    re.compile(r"\b(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?(?P<y>\d{4})\b"),
)


def require_true(typed: ReportSettings, run: Report | None, facts: ReportFacts, out: str) -> None:
    """Reject statements with numbers, dates, columns or releases that contradict the run. Without its private report,
    only the releases that the attestation states are compared.

    Raises
    ------
    InputError
        The message names the setting and the fact of the run.
    """
    of_run = (
        () if run is None else (*_left_out(typed, run, facts), *_not_published(typed, run, facts), *_date(typed, run))
    )
    for name, fact in (*of_run, *_releases(typed, run, facts, out)):
        raise InputError(f"{setting(name)} {as_typed(getattr(typed, name))} contradicts the run: {fact}")


def _releases(typed: ReportSettings, run: Report | None, facts: ReportFacts, out: str) -> Iterator[tuple[str, str]]:
    """Yield the other releases that are known, if the owner states none."""
    if not typed.states_none("other_releases"):
        return
    declared, how = facts.attested.declarations, "Name them, or state why they are about other persons."
    if declared.earlier_attestation or declared.together_with:
        yield "other_releases", "it continues an earlier release"
    for one in () if run is None else earlier_releases(other_releases(facts.attested, run, out)):
        yield "other_releases", f"{one[0].lower()}{one[1:]} {how}"


def is_linked(run: Report) -> bool:
    """Return True if the input of a run is a job file with linked tables."""
    return is_job(run.settings.get("input"))


def _left_out(typed: ReportSettings, run: Report, facts: ReportFacts) -> Iterator[tuple[str, str]]:
    """Yield the true share left out, if a stated share, or the first stated number, differs from it."""
    if not typed.left_out or (rows := source_rows(run, facts)) is None or (is_linked(run) and not facts.tables):
        return
    skipped = sum(change.occurrences for change in skipped_rows(run))
    records, what = run.input["records"], "person" if facts.attested.declarations.unit == "person" else "record"
    removed = records - facts.summary.n
    true = {(skipped, rows), (removed, records)} | ({(skipped + removed, rows)} if what == "record" else set())
    stated = [("0", "")] if typed.states_none("left_out") else _NUMBER.findall(typed.left_out)
    numbers = [int(re.sub("[.,]", "", number)) for number, sign in stated if not sign]
    shares = [number.replace(",", ".") for number, sign in stated if sign]
    wrong = any(
        all(f"{100 * part / max(1, of):.{len(share.partition('.')[2])}f}" != share for part, of in true)
        for share in shares
    )
    lost = {part for part, _ in true if part} or {0}
    if wrong or (numbers and numbers[0] not in lost):
        yield (
            "left_out",
            f"it left out {skipped:,} of {counted(rows, 'row')} ({percent(skipped / max(1, rows))}) and {removed:,} of "
            f"{counted(records, what)} ({percent(removed / max(1, records))})",
        )


def _not_published(typed: ReportSettings, run: Report, facts: ReportFacts) -> Iterator[tuple[str, str]]:
    """Yield the unpublished columns, if their stated number differs, or a stated column is published. The number of the
    columns of linked tables is known only with the tables.
    """
    if not typed.not_published or not run.settings:
        return
    names = list(dict.fromkeys(name for name, _, _ in left_out(replace(facts, private=run))))
    text = "0" if typed.states_none("not_published") else typed.not_published
    published = {part.strip() for part in text.split(",")} & {*facts.attested.data.columns}
    number = re.match(r"\s*(\d+)\b", text)
    if published:
        yield "not_published", f"it published {listed(sorted(published), 'and')}"
    elif number and int(number[1]) != len(names) and not (is_linked(run) and not facts.tables):
        yield "not_published", f"it left out {counted(len(names), 'column')}"


def _date(typed: ReportSettings, run: Report) -> Iterator[tuple[str, str]]:
    """Yield the date of the run, if the stated date of the release is earlier."""
    found = next(filter(None, (form.search(typed.date) for form in _DATES)), None)
    if found is None or not run.date:
        return
    try:
        stated = date(*(int(found[part]) for part in "ymd"))
    except ValueError:
        yield "date", "no such date"
        return
    if stated < date.fromisoformat(run.date):
        yield "date", f"it was on {run.date}"
